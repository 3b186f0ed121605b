"""What stages judge: a proposal, and the facts around it, as plain frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from governance.conflicts.rules import Ruling
from governance.policies.detectors import JSON
from governance.policies.scoring import Score, ScoreWeights

WIDE_LEVELS = frozenset({"project", "tenant", "global"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed memory, redacted, with the observation it rests on."""

    level: str
    kind: str
    key: str
    value: JSON
    content: str
    context: str = ""
    about: str = ""
    source_type: str = "agent_guess"  # as claimed
    confidence: float | None = None
    quote: str = ""
    role_of_observation: str = ""  # user, assistant, system, tool; '' without one
    observation_text: str = ""  # redacted
    observation_is_by_scope_user: bool = False
    observed_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    validity: str = "until_replaced"
    always: bool = False
    lasting: bool | None = None  # None: not known, read from the words
    explicit: bool | None = None
    tags: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()  # categories redacted in this proposal or in its quote
    source_ref: str = ""
    names_others: bool = False  # people besides the one it is filed under
    is_confirmed: bool = False  # the user's own yes to it was brought and read
    user: str = ""  # the id of the one it is filed under, as callers know it; '' where not looked up


@dataclass(frozen=True, slots=True)
class Rival:
    """The version in force under the same key in the same scope, where its validity overlaps."""

    memory: str
    version: int
    source_type: str
    explicit: bool
    observed_at: datetime
    value: JSON


@dataclass(frozen=True, slots=True)
class Tendency:
    """How far beyond its threshold a text lies on each head of the linear model; above 0 it is taken for that."""

    orders: float  # to a model
    request: float  # for this once

    @property
    def is_any(self) -> bool:
        """Whether it is taken for anything: otherwise the stages say what they say without it."""
        return self.orders > 0 or self.request > 0


@dataclass(frozen=True, slots=True)
class Facts:
    """What gathering found out about a proposal."""

    same_value_memory: str | None = None
    key_holder: Rival | None = None
    suppressed: bool = False
    granted_sources: frozenset[str] = frozenset()
    ruling: Ruling | None = None  # who holds the key by precedence, where another value is in force
    is_recall_echo: bool = False
    tendency: Tendency | None = None  # None: no model of this embedder
    is_change: bool = False  # it names the memory it would change
    dated_back: bool = False  # to long before the turn it rests on
    said_elsewhere: bool = False  # in another project than the one it would hold for
    changes_always: bool = False  # it names a memory that accompanies every recall, and would change it
    takes_from_always: bool = False  # it would take the key of a memory that accompanies every recall


@dataclass(frozen=True, slots=True)
class Verdict:
    """One stage's answer: a code, words a reviewer understands (never the content), and the outcome it asks for.

    What differs from case to case stands in `values` and in braces in `detail`, which so is the same for every case and
    can be translated.
    """

    stage: str
    code: str
    detail: str
    outcome: str | None = None
    values: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a proposal; `supersedes` says that it may replace the key's holder without a person."""

    outcome: str
    lane: str
    effective_source: str
    verdicts: tuple[Verdict, ...]
    score: Score
    supersedes: bool


class KeyRule(Protocol):
    """What a policy says about keys of one pattern."""

    @property
    def labels(self) -> Mapping[str, str]: ...

    @property
    def cardinality(self) -> str: ...

    @property
    def authority(self) -> str: ...

    @property
    def trust(self) -> Mapping[str, int] | None: ...


class Policy(Protocol):
    """The parts of a policy that stages read."""

    @property
    def sensitivity(self) -> Mapping[str, str]: ...

    @property
    def always_keys(self) -> tuple[str, ...]: ...

    @property
    def trust(self) -> Mapping[str, int]: ...

    @property
    def score(self) -> ScoreWeights: ...

    @property
    def review_levels(self) -> tuple[str, ...]: ...

    @property
    def max_content_chars(self) -> int: ...

    def key_rule(self, key: str) -> KeyRule | None: ...
