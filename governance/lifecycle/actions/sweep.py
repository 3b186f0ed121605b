"""Sweeps: looked at first, begun by people or by the night, carried out by the worker."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from governance.candidates.models import Candidate
from governance.errors import InProgress, NotAllowed, outcome
from governance.ledger import ids
from governance.ledger.models import Event, Head, Outbox
from governance.ledger.outbox import LEASE, every_drain, handles
from governance.ledger.writing import Writing, writing
from governance.lifecycle.actions import undo
from governance.lifecycle.actions.plan import Item, Plan, plan
from governance.lifecycle.actions.summaries import propose_summary
from governance.lifecycle.actions.use import count_uses
from governance.lifecycle.events import SweepBegun, SweepFinished
from governance.lifecycle.models import Sweep, SweepLook
from governance.lifecycle.queries import done_so_far, held, held_memories
from governance.memories import actions as memories
from governance.memories.events import MemoryAged
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.scopes import actions as scopes
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

TOPIC = "sweep"
LOOK, NIGHT = "look", "night"  # what an outbox row points to, beside the sweeps themselves
BY_NIGHT = "system:night"
HOUR = 3  # o'clock, UTC
LOOKED_EVERY = timedelta(minutes=10)
AT_ONCE = 200  # changes in one transaction
MOST_SAMPLES = 20  # of each step
_looked_at: datetime | None = None


def look(*, by: Actor) -> SweepLook:
    """Return the look the worker will take at what a sweep would do. Raises NotAllowed."""
    if not by.may("sweep"):
        raise NotAllowed()
    found, _ = SweepLook.objects.update_or_create(
        tenant_id=by.tenant, defaults={"asked_by": by.id, "asked_at": timezone.now()}
    )
    _owe(by.tenant, LOOK)
    return found


def begin(*, by: Actor) -> Sweep:
    """Return the sweep that the worker will carry out. Raises NotAllowed, InProgress while another one is."""
    if not by.may("sweep"):
        raise NotAllowed()
    return begin_for(by.tenant, by=by.id)


def begin_for(tenant: str, *, by: str) -> Sweep:
    """Return a tenant's sweep, begun by the night or an operator."""
    with writing(tenant, by=by) as w:
        if any(s.is_running for s in Sweep.objects.filter(tenant=tenant).order_by("-seq")[:20]):
            raise InProgress("A sweep is under way; wait for its report.")
        begun = SweepBegun(policy_version=policies.current(tenant).number)
        sweep: Sweep = w.record(begun, stream=ids.new("sweep"))
        w.owe(TOPIC, sweep.id)
    return sweep


def _owe(tenant: str, ref: str) -> None:
    if not Outbox.objects.filter(topic=TOPIC, tenant=tenant, ref=ref).exists():
        Outbox.objects.create(topic=TOPIC, tenant=tenant, ref=ref, due_at=timezone.now())


@handles(TOPIC)
def run(rows: Sequence[Outbox]) -> None:
    """Look, sweep or undo, whatever was asked for; repeatable, and taken up again where it stopped."""
    for row in rows:
        if row.ref in (LOOK, NIGHT):
            found = _look(row.tenant)
            if row.ref == NIGHT and not found.is_empty:
                begin_for(row.tenant, by=BY_NIGHT)
            continue
        sweep = Sweep.objects.get(pk=row.ref)
        if sweep.finished_at is None:
            carry_out(sweep, _renewing(rows))
        elif sweep.undo_at is not None and sweep.undone_at is None:
            undo.carry_out(sweep, _renewing(rows))


def _renewing(rows: Sequence[Outbox]) -> Callable[[], None]:
    """Return what keeps others from taking up the same work."""
    owed = [row.pk for row in rows]

    def renew() -> None:
        Outbox.objects.filter(pk__in=owed).update(due_at=timezone.now() + LEASE)

    return renew


def _look(tenant: str) -> Plan:
    now = timezone.now()
    count_uses(now)
    found = plan(tenant, now)
    SweepLook.objects.update_or_create(
        tenant_id=tenant,
        defaults={
            "looked_at": now,
            "policy_version": found.policy.number,
            "counts": {**found.counts, "examined": found.examined},
            "samples": samples(found),
        },
        create_defaults={
            "asked_by": BY_NIGHT,
            "asked_at": now,
            "looked_at": now,
            "policy_version": found.policy.number,
            "counts": {**found.counts, "examined": found.examined},
            "samples": samples(found),
        },
    )
    return found


def samples(found: Plan) -> list[dict[str, object]]:
    """Return some of what a plan names, those of least priority first: ids and numbers."""
    shown: list[dict[str, object]] = []
    for step in dict.fromkeys(i.step for i in found.items):
        lowest = sorted((i for i in found.items if i.step == step), key=lambda i: (i.priority, i.memory))
        shown += [{"step": step, "memory": i.memory, "priority": i.priority} for i in lowest[:MOST_SAMPLES]]
    return shown


def carry_out(sweep: Sweep, note: Callable[[], None] = lambda: None) -> Sweep:
    """Return the sweep with its report. What moved since it was looked at, and what is held by now, is left alone."""
    count_uses(timezone.now())
    found = plan(sweep.tenant_id, timezone.now())
    for start in range(0, len(found.sessions), AT_ONCE):
        _end_sessions(sweep, found.sessions[start : start + AT_ONCE])
        note()
    for start in range(0, len(found.items), AT_ONCE):
        _change(sweep, found.items[start : start + AT_ONCE])
        note()
    made = [_summarise(sweep, group) for group in found.episodes]
    done = done_so_far(sweep)
    numbers = {"summaries": sum(isinstance(m, Candidate) for m in made), "held": found.held}
    counts = {**done, **{name: n for name, n in numbers.items() if n}, "examined": found.examined}
    with writing(sweep.tenant_id, by=sweep.begun_by) as w:
        finished: Sweep = w.record(SweepFinished(counts=counts), stream=sweep.id)
    return finished


def _end_sessions(sweep: Sweep, chunk: Sequence[str]) -> None:
    with writing(sweep.tenant_id, by=sweep.begun_by) as w:
        for scope in Scope.objects.filter(pk__in=chunk, ended_at=None).order_by("pk"):
            scopes.end_idle(w, scope, sweep=sweep.id)


def _change(sweep: Sweep, chunk: Sequence[Item]) -> None:
    with writing(sweep.tenant_id, by=sweep.begun_by) as w:
        rows = Memory.objects.in_bulk([i.memory for i in chunk])
        kept = held_memories(sweep.tenant_id).filter(pk__in=rows) if held(sweep.tenant_id) else Memory.objects.none()
        left_alone = set(kept.values_list("pk", flat=True)) if held(sweep.tenant_id) else set()
        for item in chunk:
            row = rows[item.memory]
            if row.latest == item.latest and row.pk not in left_alone and not row.erased:
                _take(w, sweep, row, item.step)


def _take(w: Writing, sweep: Sweep, row: Memory, step: str) -> None:
    demoted, archived, due = row.demoted, row.archived, row.erasure_due
    if step == "expire":
        row = memories.close(w, row, at=w.now, expected=row.latest, by=sweep.begun_by)
    aged = MemoryAged(
        demoted=demoted or step == "demote",
        archived=archived or step == "archive",
        due=due or step == "mark-due",
        step=step,
        sweep=sweep.id,
    )
    memories.age(w, row, aged)


def _summarise(sweep: Sweep, group: Sequence[str]) -> object:
    rows = list(Memory.objects.filter(pk__in=group).order_by("created_seq"))
    return outcome(lambda: propose_summary(rows, tenant=sweep.tenant_id, by="system:sweep"))


@every_drain
def every_night() -> None:
    """Have each tenant that was there last night looked at since, and swept where something is due."""
    global _looked_at
    now = timezone.now()
    if _looked_at is not None and now - _looked_at < LOOKED_EVERY:
        return
    _looked_at = now
    night = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    night = night if night <= now else night - timedelta(days=1)
    there = Event.objects.filter(seq=1, recorded_at__lt=night).values_list("tenant", flat=True)
    seen = set(SweepLook.objects.filter(looked_at__gte=night).values_list("tenant", flat=True))
    for tenant in Head.objects.filter(tenant__in=there).values_list("tenant", flat=True):
        if tenant not in seen:
            _owe(tenant, NIGHT)
