"""Checks of chain and state: asked for by people or the night, made by the worker, kept to be shown."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from governance.ledger import triggers
from governance.ledger.apart import Progress, apart
from governance.ledger.models import Event, Head, LedgerCheck, Outbox
from governance.ledger.outbox import LEASE, drain, every_drain, handles
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify

TOPIC = "ledger-check"
NIGHT = 3  # o'clock, UTC
LOOKED_EVERY = timedelta(minutes=10)
NOTED_EVERY = 0.5  # seconds between two notes of how far a check has come
TURN_EVERY = 0.2  # seconds after which whatever else is owed has its turn
MOST_FINDINGS = 100
KEPT = 30  # checks of one kind
_looked_at: datetime | None = None


@dataclass(frozen=True)
class Checked:
    """What is known of a tenant's chain or state: the last finished check, and the one that is under way."""

    last: LedgerCheck | None
    running: LedgerCheck | None


def ask(tenant: str, kind: str, *, by: str) -> LedgerCheck:
    """Return the check the worker will make; one that is under way already serves everybody who asks."""
    running = checked(tenant, kind).running
    if running is not None:
        return running
    now = timezone.now()
    check = LedgerCheck.objects.create(tenant=tenant, kind=kind, asked_by=by, asked_at=now)
    Outbox.objects.create(topic=TOPIC, tenant=tenant, ref=str(check.pk), due_at=now)
    return check


def checked(tenant: str, kind: str) -> Checked:
    """Return what is known of a tenant's chain or state."""
    rows = LedgerCheck.objects.filter(tenant=tenant, kind=kind).order_by("-id")
    owed = Outbox.objects.filter(topic=TOPIC, tenant=tenant).values_list("ref", flat=True)
    waiting = rows.filter(finished_at=None, pk__in=[int(ref) for ref in owed])
    return Checked(rows.exclude(finished_at=None).first(), waiting.first())


@handles(TOPIC)
def run(rows: Sequence[Outbox]) -> None:
    """Make the checks that were asked for."""
    for check in LedgerCheck.objects.filter(pk__in=[int(row.ref) for row in rows], finished_at=None).order_by("id"):
        check.started_at = timezone.now()
        check.total = Event.objects.filter(tenant=check.tenant).count()
        check.save()
        make = _chain if check.kind == "chain" else _state
        found = make(check, _progress(check, rows))
        check.found, check.findings = len(found), found[:MOST_FINDINGS]
        check.finished_at = timezone.now()
        check.save()
        _drop_old(check)


def chain_of(tenant: str, *, progress: Progress) -> dict[str, Any]:
    """Return what verifying a tenant's chain says: `events`, `unsigned` and `findings`, as JSON."""
    return asdict(verify(tenant, progress))


def state_of(tenant: str, *, progress: Progress) -> dict[str, Any]:
    """Return how a tenant's state compares with the fold of its chain: `events` and `differences`, as JSON."""
    return asdict(rebuild(apply=False, tenant=tenant, progress=progress))


def _chain(check: LedgerCheck, progress: Progress) -> list[dict[str, Any]]:
    found = apart(chain_of, check.tenant, progress=progress)
    check.events, check.unsigned = found["events"], found["unsigned"]
    findings = [{"kind": f["kind"], "at": str(f["seq"]), "detail": f["detail"]} for f in found["findings"]]
    missing = sorted(triggers.missing())
    return findings + [
        {"kind": "trigger", "at": name, "detail": "is missing; `migrate` installs it"} for name in missing
    ]


def _state(check: LedgerCheck, progress: Progress) -> list[dict[str, Any]]:
    found = apart(state_of, check.tenant, progress=progress)
    check.events = found["events"]
    return [{"kind": d["table"], "at": str(d["key"]), "detail": d["what"]} for d in found["differences"]]


def _progress(check: LedgerCheck, rows: Sequence[Outbox]) -> Progress:
    """Return what notes how far a check has come; while it does, nobody else takes it up.

    A long chain takes minutes: meanwhile the worker embeds, signs and expires as ever.
    """
    noted = turn = time.monotonic()

    def note(done: int) -> None:
        nonlocal noted, turn
        if time.monotonic() - turn > TURN_EVERY:
            drain(beside=TOPIC)
            turn = time.monotonic()
        if time.monotonic() - noted > NOTED_EVERY:
            noted = time.monotonic()
            LedgerCheck.objects.filter(pk=check.pk).update(events=done)
            Outbox.objects.filter(pk__in=[r.pk for r in rows]).update(due_at=timezone.now() + LEASE)

    return note


def _drop_old(check: LedgerCheck) -> None:
    same = LedgerCheck.objects.filter(tenant=check.tenant, kind=check.kind).order_by("-id")
    oldest = same.values_list("id", flat=True)[KEPT - 1 : KEPT].first()
    if oldest is not None:
        same.filter(id__lt=oldest).delete()


@every_drain
def every_night() -> None:
    """Ask for both checks of each tenant that was there last night and has not been looked at since."""
    global _looked_at
    now = timezone.now()
    if _looked_at is not None and now - _looked_at < LOOKED_EVERY:
        return
    _looked_at = now
    night = _last_night(now)
    there = Event.objects.filter(seq=1, recorded_at__lt=night).values_list("tenant", flat=True)
    for tenant in Head.objects.filter(tenant__in=there).values_list("tenant", flat=True):
        for kind in LedgerCheck.KINDS:
            if not LedgerCheck.objects.filter(tenant=tenant, kind=kind, asked_at__gte=night).exists():
                ask(tenant, kind, by="system:night")


def _last_night(now: datetime) -> datetime:
    night = now.replace(hour=NIGHT, minute=0, second=0, microsecond=0)
    return night if night <= now else night - timedelta(days=1)
