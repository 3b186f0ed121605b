"""Who has an item open to decide it: held for ten minutes of quiet, seen by others, never a lock on the database."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from governance.candidates import events, rules, waiting
from governance.candidates.models import Candidate, Lease
from governance.errors import Invalid, Leased, NotAllowed
from governance.ledger import sealing
from governance.ledger.writing import writing
from governance.policies import queries as policies
from governance.policies.detectors import redact
from governance.scopes.rules import Actor

QUIET = timedelta(minutes=10)
TRIES = 5  # how often somebody may be faster before one is led to an item that they hold


def take(candidate: Candidate, *, by: Actor) -> Lease | None:
    """Return the lease on an item: the caller's, new or renewed, or that of who has it open; None: it does not wait."""
    if candidate.status != "pending" or not by.may("decide"):
        return waiting.leases([candidate.id]).get(candidate.id)
    now = timezone.now()
    before = Lease.objects.filter(pk=candidate.id).first()
    held = waiting.leases([candidate.id]).get(candidate.id)
    if held is not None and held.holder != by.id:
        return held
    fresh = {"holder": by.id, "expires_at": now + QUIET}
    if held is not None:
        Lease.objects.filter(pk=candidate.id, holder=by.id).update(**fresh)
    else:
        if before is not None:  # it ran out; one that somebody takes this very moment is theirs
            Lease.objects.filter(pk=candidate.id, holder=before.holder, expires_at=before.expires_at).delete()
        _make(candidate, by, now + QUIET)
    return waiting.leases([candidate.id]).get(candidate.id)


def _make(candidate: Candidate, by: Actor, until: datetime) -> None:
    row = Lease(candidate=candidate.id, tenant=by.tenant, holder=by.id, taken_at=timezone.now(), expires_at=until)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        pass  # somebody was faster: they hold it


def take_next(done: Candidate, rows: QuerySet[Candidate], *, by: Actor) -> str:
    """Return the item of a list that comes after one, else before it, "" at its end; already held by the caller.

    So two people who go on at the same moment are not led to the same item.
    """
    found = ""
    for _ in range(TRIES):
        before, after = waiting.neighbours(by, done, rows)
        found = after or before
        if not found:
            return ""
        lease = take(Candidate.objects.get(pk=found), by=by)
        if lease is not None and lease.holder == by.id:
            return found
    return found


def release(candidate: str, *, by: Actor) -> None:
    """Give an item back; nothing happens to somebody else's lease."""
    Lease.objects.filter(pk=candidate, holder=by.id).delete()


def release_all(holder: str) -> None:
    """Give back whatever somebody holds: they sign out."""
    Lease.objects.filter(holder=holder).delete()


def break_lease(candidate: Candidate, *, note: str, by: Actor) -> None:
    """Take an item from who has it open, with a reason; an event. Raises NotAllowed, Invalid."""
    if not by.may("manage-roles"):
        raise NotAllowed("Only an administrator takes an item from somebody.")
    if problem := rules.unfit_text(note) or ("" if note.strip() else "is empty: say why"):
        raise Invalid({"/note": problem})
    held = waiting.leases([candidate.id]).get(candidate.id)
    if held is None:
        return
    scope = candidate.scope
    clean = redact(note, policies.current(by.tenant).sensitivity).text
    sealed = sealing.seal({"note": clean}, tenant=by.tenant, scope=scope.id, subject=scope.subject_id or "")
    with writing(by.tenant, by=by.id) as w:
        w.record(events.LeaseBroken(holder=held.holder), stream=candidate.id, contents=[sealed])
        Lease.objects.filter(pk=candidate.id).delete()


def end(candidate: Candidate, by: Actor) -> int | None:
    """Give up one's lease on an item that is decided and return how long it was held, in milliseconds.

    Raises Leased when somebody else has it open.
    """
    held = waiting.leases([candidate.id]).get(candidate.id)
    if held is None:
        return None
    if held.holder != by.id:
        raise Leased(holder=held.holder)
    Lease.objects.filter(pk=candidate.id).delete()
    return int((timezone.now() - held.taken_at).total_seconds() * 1000)
