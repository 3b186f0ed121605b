"""The value of a proposed memory: V = P x U x R x A - C.

P is how likely it is right, U how useful it will be later, R how far it can be reused across tasks, A how likely it
is still valid when it is read, each in 0..1; C is what keeping it costs. The factors come from what is known of the
proposal (its source, kind, key, level, permanence, length, sensitivity), never from a model's opinion.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


def _by_source() -> Mapping[str, float]:
    return {
        "business_system": 0.98,
        "reviewer": 0.97,
        "user_explicit": 0.95,
        "project_document": 0.85,
        "tool_result": 0.75,
        "inferred_behaviour": 0.5,
        "summary": 0.5,
        "agent_guess": 0.4,
    }


@dataclass(frozen=True)
class ScoreWeights:
    """Factors of the value score; `threshold` is the least value that may be committed without a person.

    The defaults let an explicit, grounded, lasting statement pass in every scope and kind, and keep out what is
    inferred, one-off or outdated; they were set by hand, not fitted.
    """

    threshold: float = 0.2
    probability: Mapping[str, float] = field(default_factory=_by_source)
    ungrounded: float = 0.5  # times P, when no span of an observation supports it
    utility: Mapping[str, float] = field(default_factory=lambda: {"semantic": 0.8, "episodic": 0.6, "procedural": 0.8})
    utility_keyed: float = 1.15  # times U, when it has a key under which it will be asked for
    utility_always: float = 1.25  # times U, when it governs every answer
    reuse: Mapping[str, float] = field(
        default_factory=lambda: {
            "session": 0.6,
            "user": 0.9,
            "agent": 0.8,
            "project": 0.9,
            "tenant": 0.95,
            "global": 1.0,
        }
    )
    validity: Mapping[str, float] = field(
        default_factory=lambda: {
            "permanent": 1.0,
            "until_replaced": 0.95,
            "until_project_end": 0.85,
            "until_date": 0.7,
        }
    )
    one_off: float = 0.15  # times A, when it was said for this once
    cost_base: float = 0.02
    cost_per_1000_chars: float = 0.1
    cost_sensitive: float = 0.1  # when something sensitive had to be masked or reviewed
    cost_wide: float = 0.08  # spread of an error: project, tenant, global


@dataclass(frozen=True)
class Score:
    """A value with the factors it is made of."""

    value: float
    threshold: float
    probability: float
    utility: float
    reuse: float
    validity: float
    cost: float

    @property
    def passes(self) -> bool:
        """Whether the value reaches the threshold."""
        return self.value >= self.threshold


def score(*, probability: float, utility: float, reuse: float, validity: float, cost: float, threshold: float) -> Score:
    """V = P x U x R x A - C, with each factor kept in 0..1."""
    p, u, r, a = (min(1.0, max(0.0, factor)) for factor in (probability, utility, reuse, validity))
    return Score(round(p * u * r * a - cost, 4), threshold, *(round(x, 4) for x in (p, u, r, a, cost)))
