"""What a resolution writes, step by step: carried out by an action, or only looked at."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.memories.models import FOREVER
from governance.memories.rules import Stated, is_empty, timeline
from governance.policies.rules import normalise_key
from governance.scopes.rules import ScopeSpec

CHOICES = ("keep", "both", "merge", "none", "ask")
MERGED = "merged"
WIDTH = {"session": 0, "user": 1, "agent": 1, "project": 2, "tenant": 3, "global": 4}


@dataclass(frozen=True)
class Resolution:
    """What a person decides about a conflict.

    `keep` names a claim; `both` gives claims new keys (`keys`), narrower scopes (`scopes`) or periods (`periods`);
    `merge` brings a value and a sentence; `none` retracts; `ask` puts the question.
    """

    choice: str
    claim: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    scopes: Mapping[str, ScopeSpec] = field(default_factory=dict)
    periods: Mapping[str, tuple[datetime | None, datetime | None]] = field(default_factory=dict)
    value: Any = None
    content: str = ""
    note: str = ""

    @property
    def away(self) -> set[str]:
        """The claims that leave the key for one of their own, or its scope for a narrower one."""
        return {*self.keys, *self.scopes}


@dataclass(frozen=True)
class Contender:
    """What an outcome needs of a claim; `held`: it is what the memory says in its latest version."""

    id: str
    held: bool
    observed_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def since(self) -> datetime:
        return self.valid_from or self.observed_at


@dataclass(frozen=True)
class Step:
    """One write: `revise` the memory, `remember` under a key or in a scope of its own, or `retract` the memory."""

    act: str
    claim: str = ""  # whose words; "merged" for those of the person
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def problems(resolution: Resolution, contenders: Sequence[Contender], *, key: str, level: str) -> dict[str, str]:
    """Return what is wrong with a resolution, by JSON pointer; {} when it can be carried out."""
    known = {c.id for c in contenders}
    if resolution.choice not in CHOICES:
        return {"/choice": "must be one of " + ", ".join(CHOICES)}
    if resolution.choice == "keep" and resolution.claim not in known:
        return {"/claim": "is no claim of this conflict"}
    if resolution.choice == "merge" and is_empty(resolution.value):
        return {"/value": "is empty"}
    return _split_problems(resolution, contenders, known, key, level) if resolution.choice == "both" else {}


def _split_problems(
    resolution: Resolution, contenders: Sequence[Contender], known: set[str], key: str, level: str
) -> dict[str, str]:
    named = resolution.away | set(resolution.periods)
    if not named or not named <= known:
        return {"/keys": "give at least one claim a key, a scope or a period of its own"}
    found: dict[str, str] = {}
    keys = [normalise_key(k) for k in resolution.keys.values()]
    if "" in keys or (normalise_key(key) in keys and not resolution.scopes) or len(set(keys)) < len(keys):
        found["/keys"] = "a new key is neither empty, nor the old one, nor given twice"
    if any(WIDTH[s.level] >= WIDTH[level] for s in resolution.scopes.values()):
        found["/scopes"] = "a claim moves to a narrower scope only; widening is another decision"
    if set(resolution.periods) & resolution.away:
        found["/periods"] = "a claim that moves away keeps its own time"
    if _crossing(resolution.periods, contenders):
        found["/periods"] = "each period ends after it begins, and none overlaps another"
    left = [c for c in contenders if c.id not in named]
    moved = any(c.held and c.id in resolution.away for c in contenders)
    if moved and len(left) > 1:
        found["/keys"] = "what is held moves away and several claims would stay: give all but one a place of their own"
    return found


def _crossing(periods: Mapping[str, tuple[datetime | None, datetime | None]], contenders: Iterable[Contender]) -> bool:
    since = {c.id: c.since for c in contenders}
    bounds = sorted((start or since[id_], end or FOREVER) for id_, (start, end) in periods.items())
    backwards = any(start >= end for start, end in bounds)
    return backwards or any(end > start for (_, end), (start, _) in itertools.pairwise(bounds))


def steps(resolution: Resolution, contenders: Sequence[Contender]) -> list[Step]:
    """Return what a sound resolution writes, in order; [] when what is held stays as it is, and for a question."""
    by_id = {c.id: c for c in contenders}
    match resolution.choice:
        case "none":
            return [Step("retract")]
        case "merge":
            return [Step("revise", MERGED)]
        case "keep":
            kept = by_id[resolution.claim]
            return [] if kept.held else [Step("revise", kept.id, kept.valid_from, kept.valid_to)]
        case "both":
            return _split(resolution, contenders)
    return []


def _split(resolution: Resolution, contenders: Sequence[Contender]) -> list[Step]:
    """Each claim that moves away is remembered there; who stays takes the key, in its period where it has one."""
    away = resolution.away
    found = [Step("remember", c.id, c.valid_from, c.valid_to) for c in contenders if c.id in away]
    stays = [c for c in contenders if c.id not in away]
    for one in stays:
        if one.id in resolution.periods:
            start, end = resolution.periods[one.id]
            found.append(Step("revise", one.id, start or one.since, end))
    if any(c.held and c.id in away for c in contenders):
        if not stays:
            found.append(Step("retract"))
        elif not resolution.periods:
            found.append(Step("revise", stays[0].id, stays[0].valid_from, stays[0].valid_to))
    return found


@dataclass(frozen=True)
class Will:
    """What will be answered from a time until just before another: the words of a claim, else of a version."""

    starts_at: datetime
    ends_at: datetime
    version: int = 0
    claim: str = ""


def foresee(
    todo: Iterable[Step], versions: Sequence[Stated], contenders: Iterable[Contender], now: datetime
) -> dict[str, tuple[Will, ...]]:
    """Return what recall would answer after some steps: "" for the memory, a claim's id for what moves away."""
    since = {c.id: c.since for c in contenders}
    stated, said, found = list(versions), dict[int, str](), dict[str, tuple[Will, ...]]()
    number = max((v.number for v in versions), default=0)
    for step in todo:
        if step.act == "remember":
            start = step.valid_from or since[step.claim]
            found[step.claim] = (Will(start, step.valid_to or FOREVER, claim=step.claim),)
            continue
        number += 1
        said[number] = step.claim
        ends = step.act == "retract"
        stated.append(Stated(number, now, step.valid_from or now, step.valid_to, tombstone=ends))
    own = (Will(s.starts_at, s.ends_at, s.number, said.get(s.number, "")) for s in timeline(stated))
    return {"": tuple(own), **found}
