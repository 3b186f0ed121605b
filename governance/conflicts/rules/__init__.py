"""Which of two claims holds, what to ask when nobody knows, and what a resolution would leave: pure."""

from governance.conflicts.rules.alike import alike, is_one_claim
from governance.conflicts.rules.outcome import Contender, Resolution, Step, Will, foresee, problems, steps
from governance.conflicts.rules.precedence import (
    CONTRADICTIONS,
    EXPLICIT,
    UNDECIDED,
    Ruling,
    Side,
    is_authority,
    precedence,
    side,
)
from governance.conflicts.rules.question import Rival, question
from governance.conflicts.rules.wording import contradicts

__all__ = [
    "CONTRADICTIONS",
    "EXPLICIT",
    "UNDECIDED",
    "Contender",
    "Resolution",
    "Rival",
    "Ruling",
    "Side",
    "Step",
    "Will",
    "alike",
    "contradicts",
    "foresee",
    "is_authority",
    "is_one_claim",
    "precedence",
    "problems",
    "question",
    "side",
    "steps",
]
