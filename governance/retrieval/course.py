"""One recall on its way: what it knows, and its candidates."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.conf import settings

from governance.conflicts.queries import ConflictView
from governance.ledger.sealing import Words
from governance.memories.queries import MemoryView, Moment
from governance.memories.rules import normalise_text
from governance.policies.rules import Policy, normalise_key
from governance.retrieval.answers import Question
from governance.retrieval.beliefs import Belief
from governance.retrieval.rules import asked_kind
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

TRACED = 500  # candidates that a trace keeps


@dataclass
class Hit:
    """One candidate on its way through the stages; `fate` is "" while it is still in."""

    belief: Belief
    level: str
    relevance: float
    via: list[str]
    found_by: str = ""
    named: bool = False
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    stale: bool = False
    key: str = ""
    name: str = ""
    overridden: bool = False
    fate: str = ""
    detail: str = ""
    values: dict[str, float] = field(default_factory=dict)  # the numbers in it

    @property
    def id(self) -> str:
        return f"{self.belief.memory}.{self.belief.number}"


@dataclass
class Course:
    """What one recall knows as it goes."""

    id: str
    question: Question
    by: Actor
    policy: Policy
    moment: Moment
    scopes: list[Scope]
    ruling: tuple[Scope, ...]
    subject: str | None
    words: dict[str, Words] = field(default_factory=dict)  # opened so far, by content
    generation: int = 0  # of that person, as they were read
    timings: dict[str, float] = field(default_factory=dict)
    degraded: str = ""
    disputes: dict[str, ConflictView] = field(default_factory=dict)  # by memory: what is not answered with one value
    held: int = 0  # beliefs that count

    @property
    def by_meaning(self) -> bool:
        """Whether vectors are asked at all; else everything in scope is listed, and the budget alone bounds."""
        return settings.RECALL_VECTORS and self.policy.rank.vectors == "on"

    @cached_property
    def asked_kind(self) -> str:
        """The kind of memory that is asked for, "" where the question does not say."""
        return asked_kind(self.question.query)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((time.perf_counter() - start) * 1000, 2)


def fate(hit: Hit) -> dict[str, Any]:
    """Return what a trace keeps of a candidate: ids, codes and numbers."""
    return {
        "memory": hit.belief.memory,
        "version": hit.belief.number,
        "via": hit.via,
        "found_by": hit.found_by,
        "score": round(hit.score, 4),
        "parts": hit.parts,
        "fate": hit.fate or "shown",
        "detail": hit.detail,
        "values": hit.values,
    }


def rule_fate(rule: MemoryView) -> dict[str, Any]:
    """Return what a trace keeps of a binding rule, which is given with every recall and ranked in none."""
    nothing = {"found_by": "", "score": 0.0, "parts": {}, "detail": "", "values": {}}
    return {"memory": rule.id, "version": rule.version, "via": ["binding"], "fate": "binding", **nothing}


def key_name(key: str, about: str) -> str:
    """Return a key with its companion, as keys of different scopes are compared."""
    return f"{normalise_key(key)}\0{normalise_text(about)}" if key else ""
