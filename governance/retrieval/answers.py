"""What goes into a recall and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.errors import Invalid
from governance.memories.models import KINDS
from governance.memories.queries import MemoryView
from governance.policies.rules import Policy
from governance.retrieval.block import FORMS

MOST = 100  # ranked hits
MOST_TOKENS = 32_000
LONGEST_QUERY = 8_000
MOST_NAMED = 100  # keys or ids


@dataclass(frozen=True)
class Question:
    """What an agent asks. `user`, `project`, `session` are ids as the caller knows them; times are aware.

    With `keys` or `memory_ids` (or a `cursor`) those are looked up exactly; a `query` adds what is similar to it;
    with none of them everything in scope is listed.
    """

    query: str = ""
    user: str = ""
    project: str = ""
    session: str = ""
    keys: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()
    limit: int = 6
    token_budget: int = 800
    as_of: datetime | None = None
    known_at: datetime | None = None
    history: bool = False
    explain: bool = False
    cursor: str = ""
    form: str = "lines"  # of the block; or sections: Markdown under User, Project, Decisions, Learnings

    def check(self) -> None:
        """Raise Invalid, naming every field that is wrong."""
        errors = []
        if not 1 <= self.limit <= MOST:
            errors.append(("/limit", f"is from 1 to {MOST}"))
        if not 1 <= self.token_budget <= MOST_TOKENS:
            errors.append(("/token_budget", f"is from 1 to {MOST_TOKENS}"))
        if len(self.query) > LONGEST_QUERY:
            errors.append(("/query", f"is longer than {LONGEST_QUERY} characters"))
        if any(k not in KINDS for k in self.kinds):
            errors.append(("/kinds", "are among " + ", ".join(KINDS)))
        if self.form not in FORMS:
            errors.append(("/form", "is one of " + ", ".join(FORMS)))
        if len(self.keys) > MOST_NAMED:
            errors.append(("/keys", f"are more than {MOST_NAMED}"))
        if len(self.memory_ids) > MOST_NAMED:
            errors.append(("/memory_ids", f"are more than {MOST_NAMED}"))
        for name in ("as_of", "known_at"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                errors.append((f"/{name}", "needs an offset, such as 2025-09-01T00:00:00Z"))
        if errors:
            raise Invalid(errors)


@dataclass(frozen=True)
class Recalled:
    """One memory of an answer, with what brought it there. `parts` are in [0, 1], before the policy's weights."""

    view: MemoryView
    score: float
    parts: Mapping[str, float]
    via: tuple[str, ...]  # key, id, words, vector, always, listed
    found_by: str  # chroma, exact, or "" when no vector led here
    stale: bool = False
    overridden_by_binding: bool = False

    @property
    def authorises(self) -> bool | None:
        """False for conduct: it proposes and permits nothing."""
        return False if self.view.kind == "procedural" else None


@dataclass(frozen=True)
class Omitted:
    """What was left out for one reason; `memories` names some of it, as {id, version, key}."""

    reason: str
    count: int
    memories: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Conflicted:
    """A key that is not answered with one value."""

    memory: str
    scope_id: str
    key: str
    id: str = ""
    question: str = ""
    claims: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Answer:
    """What one recall gives. `reason` says why `memories` is empty; `degraded` which part did not answer."""

    id: str
    policy: Policy  # by which it was ranked
    memories: tuple[Recalled, ...] = ()
    binding: tuple[MemoryView, ...] = ()
    conflicts: tuple[Conflicted, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    context: str = ""
    tokens: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)  # milliseconds per stage
    degraded: str = ""  # index, vectors, or ""
    reason: str = ""  # nothing-held, no-match, below-floor, conflicted, budget, or ""
    cursor: str = ""
    left_out: tuple[Mapping[str, Any], ...] = ()  # with `explain`: every candidate and its fate

    @property
    def message(self) -> Mapping[str, str] | None:
        """The block as a message: for the user role, never the system prompt."""
        return {"role": "user", "content": self.context} if self.context else None
