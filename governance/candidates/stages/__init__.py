"""The stages a proposal passes, each a pure rule that leaves a verdict."""

from governance.candidates.stages.deciding import STAGES, decide
from governance.candidates.stages.instruction import instruction_shape
from governance.candidates.stages.origin import effective_source, is_grounded
from governance.candidates.stages.proposal import Decision, Facts, Policy, Proposal, Rival, Verdict
from governance.candidates.stages.shape import is_explicit

__all__ = [
    "STAGES",
    "Decision",
    "Facts",
    "Policy",
    "Proposal",
    "Rival",
    "Verdict",
    "decide",
    "effective_source",
    "instruction_shape",
    "is_explicit",
    "is_grounded",
]
