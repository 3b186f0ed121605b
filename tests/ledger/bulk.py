"""A long log of real events, quickly: turns, proposals and versions in the product's own proportions."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.candidates import events as candidates
from governance.evidence.events import Observed
from governance.ledger import ids, sealing
from governance.ledger.models import Content, Head
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing
from governance.memories.events import AboutAdded, VersionWritten
from governance.scopes import actions as scopes
from governance.scopes import events as scoped
from governance.scopes.models import Tenant

PEOPLE = 20
BATCH = 5_000
Told = tuple[Any, str, Sequence[Sealed]]  # an event, its stream, its words


def a_long_log(name: str, events: int) -> Tenant:
    """Return a new tenant whose chain is this long. Only the log is written: `rebuild(apply=True)` lays the state."""
    tenant = scopes.create_tenant(name)
    told = _told(tenant.id)
    left = events - Head.objects.get(tenant=tenant.id).seq
    while left > 0:
        with transaction.atomic(using="keyring"):
            batch = [next(told) for _ in range(min(left, BATCH))]
        append(tenant.id, batch)
        left -= len(batch)
    return tenant


def append(tenant: str, batch: Iterable[Told]) -> None:
    """Record many events in one transaction; their state is not laid."""
    batch = list(batch)
    with transaction.atomic():
        w = Writing(tenant=tenant, by="agent:bulk", head=Head.objects.get(tenant=tenant), now=timezone.now())
        for event, stream, contents in batch:
            w._chain(event, stream, {s.id: s.digest for s in contents}, None)
        new = {s.id: s.row() for _, _, contents in batch for s in contents}
        Content.objects.bulk_create(new.values(), ignore_conflicts=True)
        w.finish()


def _told(tenant: str) -> Iterator[Told]:
    people = [ids.new("sub") for _ in range(PEOPLE)]
    homes = {person: ids.new("scope") for person in people}
    for number, person in enumerate(people):
        sealed = sealing.seal({"user": f"user-{number}"}, tenant=tenant, scope=tenant, subject=person)
        yield scoped.SubjectSeen(), person, [sealed]
        yield scoped.ScopeOpened(level="user", subject=person), homes[person], ()
    number = 0
    while True:
        number += 1
        person = people[number % PEOPLE]
        yield from _turn(tenant, person, homes[person], number)


def _turn(tenant: str, person: str, scope: str, number: int) -> Iterator[Told]:
    now = timezone.now() - timedelta(minutes=1)
    text = f"From now on my locker number {number} is on floor {number % 9}."
    words = {"content": text, "key": f"profile.locker.n{number}", "value": number % 9, "quote": text}
    said = sealing.seal({"text": text}, tenant=tenant, scope=scope, subject=person)
    stated = sealing.seal(words, tenant=tenant, scope=scope, subject=person)
    observation, candidate, memory = ids.new("obs"), ids.new("cand"), ids.new("mem")
    heard = Observed(
        subject=person,
        project=None,
        session=None,
        agent=None,
        role="user",
        occurred_at=now,
        utc_offset=0,
        recall="",
        placeholders=(),
    )
    yield heard, observation, [said]
    about = {"scope": scope, "agent": None, "observation": observation, "observed_at": now}
    yield proposed(subjects=(person,), **about), candidate, [stated]
    yield written(candidate=candidate, valid_from=now, **about), memory, [stated]
    yield AboutAdded(subject=person), memory, ()
    committed = candidates.CandidateCommitted(memory=memory, memory_version=1, decided_by="policy:1", reason="")
    yield committed, candidate, ()


STATED: dict[str, Any] = {
    "kind": "semantic",
    "key_rule": "",
    "source_type": "user_explicit",
    "confidence": 0.9,
    "valid_to": None,
    "validity": "permanent",
    "retention": "standard",
    "always": False,
    "binding": False,
    "reason": "created",
    "restores": None,
}


def proposed(**about: Any) -> candidates.CandidateProposed:
    """Return a proposal as policy passes it."""
    return candidates.CandidateProposed(
        status="pending",
        outcome="commit",
        lane="",
        operation="remember",
        claimed_source="user_explicit",
        valid_from=None,
        policy_version=1,
        score={"value": 0.5, "threshold": 0.3, "probability": 0.9, "utility": 0.8, "reuse": 0.9, "validity": 1.0},
        verdicts=tuple(
            {"stage": s, "code": "fine", "detail": "Nothing to say.", "outcome": "commit"} for s in ("shape", "value")
        ),
        target=None,
        target_version=None,
        duplicate_of="",
        **STATED,
        **about,
    )


def written(**about: Any) -> VersionWritten:
    """Return the first version of a memory."""
    return VersionWritten(
        number=1,
        multi=False,
        corrects=False,
        undoes=False,
        supersedes=None,
        valid_from_assumed=True,
        created_by="agent:bulk",
        normaliser=1,
        **STATED,
        **about,
    )
