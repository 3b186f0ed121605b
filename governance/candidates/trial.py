"""Trying a drafted policy on the last candidates before it is published: made by the worker, kept as counts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet
from django.utils import timezone

from governance.candidates.labels import Tally, kept, leans_in, taken_back
from governance.candidates.models import Candidate, PolicyTrial
from governance.candidates.replay import Replayed, replay
from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger.models import Outbox
from governance.ledger.outbox import LEASE, handles
from governance.policies import queries as policies
from governance.scopes.rules import Actor

TOPIC = "policy-trial"
SIZES = (100, 500, 2000)
BATCH = 50
KEPT = 30  # trials of a tenant
EVER = datetime(1970, 1, 2, tzinfo=UTC)
MOST_CHANGED, CHANGED_FOR = 500, timedelta(days=1)


@dataclass(frozen=True)
class Changed:
    """A candidate that a draft would answer otherwise."""

    candidate: str
    before: str
    after: str
    kept: bool | None  # what people said of it


def ask(last: int, *, by: Actor) -> PolicyTrial:
    """Return the trial the worker will make of the draft as it is now; one under way serves everybody who asks.

    Raises NotAllowed, NotFound without a draft, Invalid.
    """
    if not by.may("set-policy"):
        raise NotAllowed()
    if last not in SIZES:
        raise Invalid({"/last": "must be one of " + ", ".join(map(str, SIZES))})
    draft = policies.draft_of(by.tenant)
    if draft is None:
        raise NotFound()
    same = {"tenant": by.tenant, "draft_version": draft.version, "based_on": policies.current(by.tenant).number}
    running = PolicyTrial.objects.filter(**same, last=last, finished_at=None, state="").first()
    if running is not None and Outbox.objects.filter(topic=TOPIC, ref=str(running.pk)).exists():
        return running
    trial = PolicyTrial.objects.create(**same, last=last, asked_by=by.id, asked_at=timezone.now())
    Outbox.objects.create(topic=TOPIC, tenant=by.tenant, ref=str(trial.pk), due_at=timezone.now())
    return trial


def trial_of(tenant: str, pk: str) -> PolicyTrial:
    """Return a trial of a tenant. Raises NotFound."""
    found = PolicyTrial.objects.filter(tenant=tenant, pk=int(pk)).first() if _is_number(pk) else None
    if found is None:
        raise NotFound()
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 18


def trials_of(tenant: str) -> QuerySet[PolicyTrial]:
    return PolicyTrial.objects.filter(tenant=tenant).order_by("-pk")


def note_published(tenant: str, *, draft_version: int, number: int) -> None:
    """Keep with a published policy what trying it had counted."""
    trials_of(tenant).filter(draft_version=draft_version, based_on=number - 1, published_as=None).update(
        published_as=number
    )


def changed_by(trial: PolicyTrial) -> list[Changed] | None:
    """Return what a trial would change, the latest first; None when it was longer ago than that is remembered."""
    found = cache.get(_place(trial))
    return None if found is None else [Changed(*item) for item in found]


def _place(trial: PolicyTrial) -> str:
    return f"policy-trial-{trial.tenant}-{trial.pk}"


@handles(TOPIC)
def run(rows: Sequence[Outbox]) -> None:
    """Make the trials that were asked for."""
    for trial in PolicyTrial.objects.filter(pk__in=[int(row.ref) for row in rows], finished_at=None).order_by("pk"):
        trial.state = _make(trial, rows)
        trial.finished_at = timezone.now()
        trial.save()
        _drop_old(trial.tenant)


def _make(trial: PolicyTrial, rows: Sequence[Outbox]) -> str:
    """Fill in a trial's counts and return how it ended: `done`, or `moved` when the draft was changed meanwhile."""
    draft = policies.draft_of(trial.tenant)
    if draft is None or draft.version != trial.draft_version:
        return "moved"
    in_force, drafted = policies.current(trial.tenant), policies.drafted(trial.tenant)
    chosen = list(_last(trial).values_list("pk", flat=True))
    trial.total, trial.started_at, trial.done = len(chosen), timezone.now(), 0
    trial.save()
    undone = {pk for pk, _ in taken_back(trial.tenant, Candidate.objects.filter(tenant=trial.tenant), EVER)}
    count = _Count(number=in_force.number)
    for start in range(0, len(chosen), BATCH):
        batch = _opened(chosen[start : start + BATCH])
        replayed = replay(batch, (in_force, drafted))
        count.gone += len(batch) - len(replayed)
        for one in replayed:
            count.add(one, kept(one.row, undone))
        trial.done += len(batch)
        PolicyTrial.objects.filter(pk=trial.pk).update(done=trial.done)
        Outbox.objects.filter(pk__in=[r.pk for r in rows]).update(due_at=timezone.now() + LEASE)
    trial.counts = count.told()
    cache.set(_place(trial), [tuple(asdict(c).values()) for c in count.changed], CHANGED_FOR.total_seconds())
    return "done"


def _last(trial: PolicyTrial) -> QuerySet[Candidate]:
    """Return the candidates a trial is made on: the last that agents proposed and policy judged."""
    judged = Candidate.objects.filter(tenant=trial.tenant, operation__in=("remember", "revise"), agent__isnull=False)
    return judged.exclude(status="erased").order_by("-created_seq")[: trial.last]


def _opened(ids: Sequence[str]) -> list[Candidate]:
    rows = Candidate.objects.filter(pk__in=ids).select_related("scope", "observation")
    return list(rows.order_by("-created_seq"))


@dataclass
class _Count:
    """What a trial has counted so far; `number` is the policy in force."""

    number: int
    in_force: Counter[str] = field(default_factory=Counter)
    draft: Counter[str] = field(default_factory=Counter)
    moves: Counter[str] = field(default_factory=Counter)
    people_in_force: Tally = field(default_factory=Tally)
    people_draft: Tally = field(default_factory=Tally)
    changed: list[Changed] = field(default_factory=list)
    comparable: int = 0  # recorded under the policy in force
    as_recorded: int = 0  # and replayed to the same outcome
    gone: int = 0

    def add(self, one: Replayed, said: bool | None) -> None:
        now, then = one.judged
        before, after = _outcome(now.outcome, now.lane), _outcome(then.outcome, then.lane)
        self.in_force[before] += 1
        self.draft[after] += 1
        if one.row.policy_version == self.number:
            self.comparable += 1
            self.as_recorded += before == _outcome(one.row.outcome, one.row.lane)
        if said is not None:
            self.people_in_force = self.people_in_force.with_one(
                leaned_in=leans_in(now.outcome, now.lane, now.score), kept=said
            )
            self.people_draft = self.people_draft.with_one(
                leaned_in=leans_in(then.outcome, then.lane, then.score), kept=said
            )
        if before != after:
            self.moves[f"{before}>{after}"] += 1
            if len(self.changed) < MOST_CHANGED:
                self.changed.append(Changed(one.row.pk, before, after, said))

    def told(self) -> dict[str, Any]:
        return {
            "in_force": dict(self.in_force),
            "draft": dict(self.draft),
            "moves": dict(self.moves),
            "people_in_force": asdict(self.people_in_force),
            "people_draft": asdict(self.people_draft),
            "gone": self.gone,
            "comparable": self.comparable,
            "as_recorded": self.as_recorded,
        }


def _outcome(outcome: str, lane: str) -> str:
    return lane or outcome


def _drop_old(tenant: str) -> None:
    oldest = trials_of(tenant).values_list("pk", flat=True)[KEPT - 1 : KEPT].first()
    if oldest is not None:
        trials_of(tenant).filter(pk__lt=oldest).delete()
