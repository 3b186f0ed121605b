"""The only writers of conflicts; each works inside a writing that its caller opened and authorised."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.conflicts import events
from governance.conflicts.models import UNSETTLED, Claim, Conflict
from governance.errors import AlreadyDecided, Stale
from governance.ledger import ids
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing
from governance.memories import actions as memories
from governance.memories.models import Memory, Version
from governance.scopes.queries import check_unfenced


@dataclass(frozen=True)
class Made:
    """A claim as it comes: its words are a content already recorded."""

    content: str
    kind: str
    source_type: str
    confidence: float
    observed_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    validity: str
    made_by: str
    held_version: int | None = None
    candidate: str = ""
    agent: str | None = None
    observation: str | None = None
    value_mac: bytes = b""


def contest(w: Writing, memory: Memory, held: Made, claim: Made, *, rule: str, question: Sealed) -> Conflict:
    """Return the conflict about a memory with one more claim in it, opened with what is held when there is none.

    The memory is contested from now on: its key is answered with the rival claims. What a claim says already is no
    claim of its own, but from another kind of source.
    """
    found = Conflict.objects.filter(memory=memory, status__in=UNSETTLED).first()
    if found is not None and _is_claimed(found, claim):
        return found
    if found is None:
        opened = events.ConflictOpened(
            scope=memory.scope_id, memory=memory.id, key_rule=memory.key_rule, kind="fact", rule=rule
        )
        found = w.record(opened, stream=ids.new("conf"))
        _claim(w, found, held)
        memories.set_contested(w, memory, True)
    _claim(w, found, claim)
    asked: Conflict = w.record(events.QuestionWritten(asked=False), stream=found.id, contents=[question])
    return asked


def _is_claimed(conflict: Conflict, claim: Made) -> bool:
    same = Claim.objects.filter(conflict=conflict, value_mac=claim.value_mac, source_type=claim.source_type)
    return bool(claim.value_mac) and same.filter(valid_from=claim.valid_from, valid_to=claim.valid_to).exists()


def held_claim(version: Version) -> Made:
    """Return what a memory says now as a claim beside the others."""
    return Made(
        content=version.content_id or "",
        kind=version.kind,
        source_type=version.source_type,
        confidence=version.confidence,
        observed_at=version.observed_at,
        valid_from=None if version.valid_from_assumed else version.valid_from,
        valid_to=version.valid_to,
        validity=version.validity,
        made_by=version.created_by,
        held_version=version.number,
        candidate=version.candidate,
        agent=version.agent_id,
        observation=version.observation_id,
    )


def _claim(w: Writing, conflict: Conflict, made: Made) -> None:
    claim = events.ClaimMade(
        claim=ids.new("claim"),
        kind=made.kind,
        source_type=made.source_type,
        confidence=made.confidence,
        observed_at=made.observed_at,
        valid_from=made.valid_from,
        valid_to=made.valid_to,
        validity=made.validity,
        held_version=made.held_version,
        candidate=made.candidate,
        agent=made.agent,
        observation=made.observation,
        made_by=made.made_by,
    )
    w.record(claim, stream=conflict.id, keeping=[made.content])


def ask(w: Writing, conflict: Conflict, *, expected: int) -> Conflict:
    """Return the conflict, its question now put to agents and people."""
    fresh = unsettled(conflict, expected)
    asked: Conflict = w.record(events.QuestionWritten(asked=True), stream=fresh.id, row=fresh)
    return asked


def settle(
    w: Writing,
    conflict: Conflict,
    *,
    choice: str,
    chosen: str,
    decided_by: str,
    wrote: Sequence[tuple[str, int]] = (),
    note: Sealed | None = None,
) -> Conflict:
    """Return the conflict, resolved; the memory is contested no more."""
    resolved = events.ConflictResolved(choice=choice, chosen=chosen, wrote=tuple(wrote), decided_by=decided_by)
    row: Conflict = w.record(resolved, stream=conflict.id, contents=[note] if note else [])
    memories.set_contested(w, conflict.memory, False)
    return row


def reverse(w: Writing, conflict: Conflict, note: Sealed | None) -> Conflict:
    """Return a resolved conflict as reversed; what it changed is undone by its caller."""
    row: Conflict = w.record(events.ConflictReversed(), stream=conflict.id, contents=[note] if note else [])
    return row


def unsettled(conflict: Conflict, expected: int) -> Conflict:
    """Return the conflict as it stands under the lock. Raises AlreadyDecided, Stale."""
    fresh = Conflict.objects.select_related("memory", "scope").get(pk=conflict.pk)
    check_unfenced([fresh.scope.subject_id])
    if fresh.status not in UNSETTLED:
        raise AlreadyDecided(
            f"It is {fresh.status} already.",
            status_now=fresh.status,
            decided_by=fresh.resolved_by,
            current_version=fresh.version,
        )
    if fresh.version != expected:
        raise Stale(fresh.version)
    return fresh


def claims_of(conflict: Conflict) -> list[Claim]:
    return list(Claim.objects.filter(conflict=conflict).order_by("seq"))
