"""The only writers of memories; each works inside a writing that its caller opened and authorised."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governance.errors import AlreadyExists, Gone, NotFound, Retracted, Stale
from governance.ledger import ids
from governance.ledger.writing import Writing
from governance.memories import events
from governance.memories.models import Memory, Version
from governance.memories.rules import NORMALISER


@dataclass(frozen=True)
class Statement:
    """A value with its times and source, its words sealed as `content` (an id already recorded)."""

    content: str
    kind: str
    source_type: str
    confidence: float
    reason: str
    observed_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    validity: str
    created_by: str
    key_rule: str = ""
    multi: bool = False
    corrects: bool = False
    restores: int | None = None
    undoes: bool = False
    retention: str = "standard"
    always: bool = False
    binding: bool = False
    agent: str | None = None
    candidate: str = ""
    observation: str | None = None
    closes: bool = False
    sources: tuple[tuple[str, int], ...] = ()  # of a summary: the versions of memories that it says


def remember(w: Writing, scope: str, statement: Statement, *, subjects: Sequence[str] = ()) -> Memory:
    """Return a new memory at version 1. The slot must be free: callers look under the head lock first."""
    memory_id = ids.new("mem")
    memory: Memory = w.record(
        _written(scope, 1, statement, supersedes=None),
        stream=memory_id,
        keeping=[statement.content],
        occurred_at=statement.observed_at,
    )
    for subject in subjects:
        w.record(events.AboutAdded(subject=subject), stream=memory_id)
    _name_sources(w, memory, statement)
    w.owe("index", memory_id, scope=scope)
    return memory


def revise(w: Writing, memory: Memory, statement: Statement, *, expected: int) -> Memory:
    """Return the memory with a superseding version. Raises Stale when `expected` is not the latest."""
    fresh = _current(memory, expected)
    revised: Memory = w.record(
        _written(fresh.scope_id, expected + 1, statement, supersedes=expected),
        stream=fresh.id,
        keeping=[statement.content],
        row=fresh,
        occurred_at=statement.observed_at,
    )
    _name_sources(w, revised, statement)
    w.owe("index", fresh.id, scope=fresh.scope_id)
    return revised


def _name_sources(w: Writing, memory: Memory, statement: Statement) -> None:
    for source, number in statement.sources:
        named = events.SourceNamed(version=memory.latest, source=source, source_version=number)
        w.record(named, stream=memory.id)


def close(
    w: Writing, memory: Memory, *, at: datetime, expected: int, by: str, said_at: datetime | None = None
) -> Memory:
    """Return the memory with a version that says that nothing of it holds from `at` on; its words stay for history.

    What is observed later than `said_at` (by default than what is closed) holds all the same. Raises Stale, and
    Retracted.
    """
    fresh = _current(memory, expected)
    if fresh.slot is None:
        raise Retracted(current_version=fresh.latest)
    held = version_of(fresh, expected)
    closing = _stated_again(held, fresh, "invalidated", by)
    closing = replace(closing, observed_at=said_at or held.observed_at, valid_from=at, valid_to=None, closes=True)
    return revise(w, fresh, closing, expected=expected)


def reopen(w: Writing, memory: Memory, *, expected: int, by: str) -> Memory:
    """Return the memory as it held before its latest version closed it. Raises Stale."""
    fresh = _current(memory, expected)
    again = _stated_again(version_of(fresh, expected - 1), fresh, "restored", by)
    return revise(w, fresh, replace(again, undoes=True), expected=expected)


def _stated_again(held: Version, memory: Memory, reason: str, by: str) -> Statement:
    return Statement(
        content=held.content_id or "",
        kind=held.kind,
        source_type=held.source_type,
        confidence=held.confidence,
        reason=reason,
        observed_at=held.observed_at,
        valid_from=held.valid_from,
        valid_to=held.valid_to,
        validity=held.validity,
        created_by=by,
        key_rule=memory.key_rule,
        multi=bool(memory.key_mac) and bool(memory.slot),
        restores=held.number if reason == "restored" else None,
        retention=held.retention,
        always=held.always,
        binding=held.binding,
        agent=held.agent_id,
        candidate=held.candidate,
        observation=held.observation_id,
        sources=tuple(held.memory.derivations.filter(version=held.number).values_list("source", "source_version")),
    )


def age(w: Writing, memory: Memory, aged: events.MemoryAged) -> Memory:
    """Return the memory, demoted, archived, marked as due, or brought back."""
    row: Memory = w.record(aged, stream=memory.id, row=memory)
    return row


def retract(w: Writing, memory: Memory, tombstone: events.MemoryRetracted, *, expected: int) -> Memory:
    """Return the memory with a tombstone as its latest version. Raises Stale, Retracted."""
    fresh = _current(memory, expected)
    if fresh.slot is None:
        raise Retracted(current_version=fresh.latest)
    retracted: Memory = w.record(replace(tombstone, number=expected + 1), stream=fresh.id, row=fresh)
    w.owe("index", fresh.id, scope=fresh.scope_id)
    return retracted


def restore(w: Writing, memory: Memory, statement: Statement, *, expected: int) -> Memory:
    """Return the memory with an old version stated anew. Raises AlreadyExists when its key was taken meanwhile."""
    fresh = _current(memory, expected)
    if fresh.slot is None and holder_of(fresh.scope_id, fresh.key_mac, statement, fresh) is not None:
        raise AlreadyExists("Another memory holds this key now; retract it first.")
    return revise(w, fresh, statement, expected=expected)


def holder_of(scope: str, key_mac: bytes, statement: Statement, but: Memory) -> Memory | None:
    """Return the memory that holds a key's only slot, other than `but`."""
    if statement.multi or not key_mac:
        return None
    return Memory.objects.filter(scope=scope, key_mac=key_mac, slot=b"").exclude(pk=but.pk).first()


def add_evidence(
    w: Writing, memory: Memory, *, content: str, observation: str | None, candidate: str, observed_at: datetime
) -> Memory:
    """Return the memory with one more observation that says the same."""
    added = events.EvidenceAdded(
        version=memory.latest, observation=observation, candidate=candidate, observed_at=observed_at
    )
    row: Memory = w.record(added, stream=memory.id, keeping=[content] if content else [], row=memory)
    return row


def set_contested(w: Writing, memory: Memory, contested: bool) -> Memory:
    """Return the memory, marked as one about which claims disagree, or no longer so."""
    row: Memory = w.record(events.MemoryContested(contested=contested), stream=memory.id)
    w.owe("index", memory.id, scope=memory.scope_id)
    return row


def erase(w: Writing, memory: Memory, *, request: str) -> Memory:
    """Return the memory as a skeleton: in no list, no recall and no index; destroying its words is its caller's."""
    row: Memory = w.record(events.MemoryErased(request=request), stream=memory.id, row=memory)
    return row


def _current(memory: Memory, expected: int) -> Memory:
    """Return the memory as it stands under the lock. Raises NotFound, Stale."""
    fresh = Memory.objects.filter(pk=memory.pk).first()
    if fresh is None:
        raise NotFound()
    if fresh.erased:
        raise Gone()
    if fresh.latest != expected:
        raise Stale(fresh.latest)
    return fresh


def _written(scope: str, number: int, s: Statement, *, supersedes: int | None) -> events.VersionWritten:
    return events.VersionWritten(
        scope=scope,
        number=number,
        kind=s.kind,
        key_rule=s.key_rule,
        multi=s.multi,
        source_type=s.source_type,
        confidence=s.confidence,
        reason=s.reason,
        corrects=s.corrects,
        supersedes=supersedes,
        restores=s.restores,
        undoes=s.undoes,
        observed_at=s.observed_at,
        valid_from=s.valid_from or s.observed_at,
        valid_to=s.valid_to,
        valid_from_assumed=s.valid_from is None,
        validity=s.validity,
        retention=s.retention,
        always=s.always,
        binding=s.binding,
        agent=s.agent,
        created_by=s.created_by,
        candidate=s.candidate,
        observation=s.observation,
        normaliser=NORMALISER,
        closes=s.closes,
    )


def version_of(memory: Memory, number: int) -> Version:
    """Return one version. Raises NotFound."""
    row = Version.objects.filter(memory=memory, number=number).first()
    if row is None:
        raise NotFound()
    return row
