"""What is believed in whole scopes, lean and in memory: bounded, and brought up to date from the event log at each use.

Everything that changes a memory is an event whose stream is that memory, in the same commit; so the events since a copy
was made name exactly what to read again. No words are kept here.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import QuerySet

from governance.index.entries import Entries
from governance.ledger.models import Event, Head
from governance.ledger.prepared import Prepared
from governance.ledger.sealing import Lifetime
from governance.memories.models import Derivation, Period, Version
from governance.memories.queries import Moment, gone_stale, in_force
from governance.scopes.models import Scope

MANY = 2_000  # events since a copy was made; after more of them the scope is read anew

_COLUMNS = (
    "memory__scope",
    "memory",
    "version__number",
    "version__content",
    "version__kind",
    "memory__key_mac",
    "memory__key_rule",
    "version__source_type",
    "version__confidence",
    "version__validity",
    "memory__last_observed_at",
    "version__always",
    "version__binding",
    "memory__contested",
    "memory__demoted",
    "memory__created_seq",
    "starts_at",
    "ends_at",
)

_copies: "OrderedDict[str, tuple[int, Beliefs]]" = OrderedDict()
_lock = threading.Lock()
_lifetime = Lifetime()


@dataclass(frozen=True, slots=True)
class Belief:
    """One version of one memory and when it holds; times as seconds since 1970."""

    scope: str
    memory: str
    number: int
    content: str  # the id of its words
    kind: str
    key_mac: bytes
    key_rule: str
    source_type: str
    confidence: float
    validity: str
    last_observed_at: float
    always: bool
    binding: bool
    contested: bool
    demoted: bool
    created_seq: int
    starts_at: float
    ends_at: float


@dataclass(frozen=True, eq=False)
class Joined:
    """Beliefs and the entries they are found by."""

    entries: Entries
    rows: np.ndarray  # of each belief's entry, -1 without one
    order: np.ndarray  # the beliefs by that row
    ordered: np.ndarray  # and their rows

    def beliefs_of(self, entries: np.ndarray) -> np.ndarray:
        """Return (position in `entries`, belief) pairs of some entry ids; a version may hold twice, a foreign id has
        none."""
        at = np.searchsorted(self.entries.ids, entries)
        known = at < len(self.entries.ids)
        known[known] = self.entries.ids[at[known]] == entries[known]
        first, last = np.searchsorted(self.ordered, at, "left"), np.searchsorted(self.ordered, at, "right")
        pairs = [(n, self.order[i]) for n in np.flatnonzero(known) for i in range(first[n], last[n])]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The beliefs of one scope."""

    rows: tuple[Belief, ...]
    _joined: dict[int, Joined] = field(default_factory=dict, repr=False)

    def joined(self, entries: Entries) -> Joined:
        """Return which entry belongs to which belief; kept as long as both stay the same."""
        kept = self._joined.get(0)
        if kept is None or kept.entries is not entries:
            rows = np.array([entries.position.get((b.memory, b.number), -1) for b in self.rows], dtype=np.int64)
            order = np.argsort(rows, kind="stable")
            kept = self._joined[0] = Joined(entries, rows, order, rows[order])
        return kept

    @cached_property
    def starts(self) -> np.ndarray:
        return np.array([b.starts_at for b in self.rows])

    @cached_property
    def ends(self) -> np.ndarray:
        return np.array([b.ends_at for b in self.rows])

    @cached_property
    def lasting(self) -> np.ndarray:
        """Which beliefs outlive their project."""
        return np.array([b.validity != "until_project_end" for b in self.rows], dtype=bool)

    @cached_property
    def by_key(self) -> dict[bytes, list[int]]:
        return _grouped((b.key_mac, i) for i, b in enumerate(self.rows) if b.key_mac)

    @cached_property
    def by_rule(self) -> dict[str, list[int]]:
        return _grouped((b.key_rule, i) for i, b in enumerate(self.rows) if b.key_rule)

    @cached_property
    def by_memory(self) -> dict[str, list[int]]:
        return _grouped((b.memory, i) for i, b in enumerate(self.rows))

    @cached_property
    def always(self) -> list[int]:
        return [i for i, b in enumerate(self.rows) if b.always]

    @cached_property
    def demoted(self) -> np.ndarray:
        return np.array([b.demoted for b in self.rows], dtype=bool)

    @cached_property
    def binding(self) -> np.ndarray:
        return np.array([b.binding for b in self.rows], dtype=bool)

    @cached_property
    def kinds(self) -> np.ndarray:
        return np.array([b.kind for b in self.rows], dtype="U10")


def _grouped(pairs: Iterable[tuple]) -> dict:
    found: dict = {}
    for name, i in pairs:
        found.setdefault(name, []).append(i)
    return found


_HEADS = Prepared(lambda tenants: Head.objects.filter(tenant__in=tenants).values_list("tenant", "seq"))


def believed(scopes: Sequence[Scope]) -> dict[str, Beliefs]:
    """Return what is believed in some scopes, whenever it holds; one query when nothing changed, three at most."""
    if _lifetime.is_over():
        forget_beliefs()
    heads: dict[str, int] = dict(_HEADS(tenants={s.tenant_id for s in scopes}))
    found: dict[str, Beliefs] = {}
    old: dict[str, tuple[int, Beliefs]] = {}
    with _lock:
        for scope in scopes:
            copy = _copies.get(scope.id)
            if copy is not None and copy[0] == heads.get(scope.tenant_id, 0):
                _copies.move_to_end(scope.id)
                found[scope.id] = copy[1]
            elif copy is not None:
                old[scope.id] = copy
    behind = [s for s in scopes if s.id not in found]
    if behind:
        found |= _caught_up(behind, old)
        _keep({s.id: (heads.get(s.tenant_id, 0), found[s.id]) for s in behind})
    return found


def _caught_up(scopes: Sequence[Scope], old: dict[str, tuple[int, Beliefs]]) -> dict[str, Beliefs]:
    changed = _changed(scopes, old)
    anew = [s.id for s in scopes if s.id not in old or changed is None]
    partly = [s.id for s in scopes if s.id not in anew]
    rows = _read(_live().filter(memory__scope__in=anew)) if anew else []
    if partly and changed:
        rows += _read(_live().filter(memory__scope__in=partly, memory__in=changed))
    found: dict[str, list[Belief]] = {s.id: [] for s in scopes}
    for scope in partly:
        found[scope] = [b for b in old[scope][1].rows if b.memory not in (changed or ())]
    for row in rows:
        found[row.scope].append(row)
    return {
        s: old[s][1] if s in partly and _same(old[s][1], beliefs) else Beliefs(tuple(beliefs))
        for s, beliefs in found.items()
    }


def _same(copy: Beliefs, beliefs: Sequence[Belief]) -> bool:
    return len(copy.rows) == len(beliefs) and all(a is b for a, b in zip(copy.rows, beliefs, strict=True))


def _changed(scopes: Sequence[Scope], old: dict[str, tuple[int, Beliefs]]) -> set[str] | None:
    """Return the memories touched since the copies were made; None when there are too many to tell."""
    since: dict[str, int] = {}
    for scope in scopes:
        if scope.id in old:
            since[scope.tenant_id] = min(old[scope.id][0], since.get(scope.tenant_id, old[scope.id][0]))
    streams: set[str] = set()
    for tenant, seq in since.items():
        rows = list(Event.objects.filter(tenant=tenant, seq__gt=seq).values_list("stream", flat=True)[: MANY + 1])
        if len(rows) > MANY:
            return None
        streams.update(s for s in rows if s.startswith("mem_"))
    if streams and len(streams) <= MANY:  # a summary goes when what it rests on changes
        streams.update(Derivation.objects.filter(source__in=streams).values_list("memory", flat=True))
    return streams if len(streams) <= MANY else None


def _live() -> "QuerySet[Period]":
    live = Period.objects.filter(memory__slot__isnull=False, memory__archived=False, memory__erased=False)
    return live.exclude(gone_stale("memory", "version__number", of="version__"))


def _read(rows: "QuerySet[Period]") -> list[Belief]:
    return [_belief(*row) for row in rows.order_by("memory__created_seq", "starts_at").values_list(*_COLUMNS)]


def _belief(scope: str, memory: str, number: int, content: str | None, kind: str, key_mac: bytes, *rest: Any) -> Belief:
    *stated, observed, always, binding, contested, demoted, seq, starts, ends = rest
    times = (_seconds(observed), always, binding, contested, demoted, seq, _seconds(starts), _seconds(ends))
    columns: tuple[Any, ...] = (scope, memory, number, content or "", kind, bytes(key_mac), *stated, *times)
    return Belief(*columns)


def _seconds(moment: datetime) -> float:
    return moment.timestamp()


def _keep(fresh: dict[str, tuple[int, Beliefs]]) -> None:
    most = settings.RECALL_CACHE_ENTRIES
    with _lock:
        for scope, copy in fresh.items():
            _copies[scope] = copy
            _copies.move_to_end(scope)
        total = sum(len(c[1].rows) for c in _copies.values())
        while total > most:
            total -= len(_copies.popitem(last=False)[1][1].rows)


def forget_beliefs() -> None:
    """Drop every copy of this process: after an erasure, and between tests."""
    with _lock:
        _copies.clear()


def believed_then(scopes: Sequence[Scope], moment: Moment) -> dict[str, Beliefs]:
    """Return what was believed at `known_at` to hold at `as_of`, read anew."""
    found: dict[str, list[Belief]] = {s.id: [] for s in scopes}
    for version in in_force(list(found), moment):
        found[version.memory.scope_id].append(of_version(version))
    return {s: Beliefs(tuple(rows)) for s, rows in found.items()}


def ever_stated(scopes: Sequence[Scope], moment: Moment) -> dict[str, Beliefs]:
    """Return every version of the live memories of some scopes, read anew: superseded and expired ones, never retracted
    or erased."""
    found: dict[str, list[Belief]] = {s.id: [] for s in scopes}
    rows = Version.objects.filter(
        memory__scope__in=list(found),
        memory__slot__isnull=False,
        memory__archived=False,
        memory__erased=False,
        tombstone=False,
        closes=False,
    ).select_related("memory")
    rows = rows.exclude(gone_stale())
    if moment.known_at is not None:
        rows = rows.filter(recorded_at__lte=moment.known_at)
    for version in rows.order_by("memory__created_seq", "number"):
        found[version.memory.scope_id].append(of_version(version))
    return {s: Beliefs(tuple(b)) for s, b in found.items()}


def of_version(version: Version) -> Belief:
    """Return a version (its memory loaded) as a belief that holds at all times: the caller chose it already."""
    memory = version.memory
    return Belief(
        scope=memory.scope_id,
        memory=memory.id,
        number=version.number,
        content=version.content_id or "",
        kind=version.kind,
        key_mac=bytes(memory.key_mac),
        key_rule=memory.key_rule,
        source_type=version.source_type,
        confidence=version.confidence,
        validity=version.validity,
        last_observed_at=memory.last_observed_at.timestamp(),
        always=version.always,
        binding=version.binding,
        contested=memory.contested,
        demoted=memory.demoted,
        created_seq=memory.created_seq,
        starts_at=float("-inf"),
        ends_at=float("inf"),
    )
