"""All stages in order, and what they come to."""

from collections.abc import Callable

from governance.candidates.stages.instruction import instruction
from governance.candidates.stages.origin import echo, effective_source, grounding, role, trust
from governance.candidates.stages.proposal import Decision, Facts, Policy, Proposal, Verdict
from governance.candidates.stages.sensitivity import sensitivity
from governance.candidates.stages.shape import atomicity, explicitness, permanence
from governance.candidates.stages.standing import clash, duplicate, width
from governance.candidates.stages.subject import subject
from governance.candidates.stages.value import value, value_of

Stage = Callable[[Proposal, Facts, Policy], Verdict]

# The order of SPEC C1 after redaction and extraction.
STAGES: tuple[Stage, ...] = (
    role,
    atomicity,
    width,
    echo,
    grounding,
    trust,
    subject,
    explicitness,
    permanence,
    sensitivity,
    instruction,
    duplicate,
    clash,
    value,
)


# An order to a model may be dressed as one of these; a person sees it all the same.
_LOOKS_LIKE_JUNK = frozenset({"boot-text", "dump", "heartbeat", "filler"})


def decide(proposal: Proposal, facts: Facts, policy: Policy) -> Decision:
    """What becomes of a proposal: the strictest outcome any stage asks for, with every verdict.

    reject > quarantine > event_only > review > commit: words that look like orders are shown to a person even when
    they would otherwise be let go, unless they may not be kept at all.
    """
    verdicts = tuple(stage(proposal, facts, policy) for stage in STAGES)
    asked = {verdict.outcome for verdict in verdicts}
    refused = any(verdict.outcome == "reject" and verdict.code not in _LOOKS_LIKE_JUNK for verdict in verdicts)
    quarantined = not refused and any(verdict.code == "instruction-shaped" for verdict in verdicts)
    outcome = "review" if quarantined else _strictest(asked)
    return Decision(
        outcome=outcome,
        lane="quarantine" if quarantined else "",
        effective_source=effective_source(proposal, facts),
        verdicts=verdicts,
        score=value_of(proposal, facts, policy),
        supersedes=any(verdict.code == "supersedes" for verdict in verdicts),
    )


def _strictest(asked: set[str | None]) -> str:
    return next((outcome for outcome in ("reject", "event_only", "review") if outcome in asked), "commit")
