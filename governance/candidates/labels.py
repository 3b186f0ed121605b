"""What people answered, kept as labels of what the gate had said: how often it was right.

A label is a person's last word on a proposal: approved (also after an edit) or rejected; or the taking back of a memory
that policy had let in. The gate leaned towards letting in what it committed, and what it sent to review with a value
that reached the threshold, outside quarantine. Precision: of what it leaned to let in, how much people kept. Recall: of
what people kept, how much it leaned to let in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, FloatField, Q, QuerySet, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.candidates.queries import visible_to
from governance.scopes.rules import Actor

PERSON = "member:"
WEEKS = 12
MOST_TAKEN_BACK = 5000


@dataclass(frozen=True)
class Tally:
    """How the gate's leaning and people's answers met."""

    right_in: int = 0  # it leaned to let in, people kept
    wrong_in: int = 0  # it leaned to let in, people did not keep
    right_out: int = 0
    wrong_out: int = 0

    @property
    def total(self) -> int:
        return self.right_in + self.wrong_in + self.right_out + self.wrong_out

    @property
    def precision(self) -> float | None:
        return _share(self.right_in, self.right_in + self.wrong_in)

    @property
    def recall(self) -> float | None:
        return _share(self.right_in, self.right_in + self.wrong_out)

    @property
    def agreement(self) -> float | None:
        return _share(self.right_in + self.right_out, self.total)

    def with_one(self, *, leaned_in: bool, kept: bool, n: int = 1) -> "Tally":
        name = ("right" if leaned_in == kept else "wrong") + ("_in" if leaned_in else "_out")
        return replace(self, **{name: getattr(self, name) + n})


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def kept(row: Candidate, taken_back: Iterable[str] = ()) -> bool | None:
    """Return whether people kept a proposal; None where nobody has said."""
    if row.decided_by.startswith(PERSON):
        return _kept(row.status, row.decision_reason)
    return False if row.pk in taken_back else None


def _kept(status: str, reason: str) -> bool | None:
    if status in ("committed", "merged") or reason in ("approved", "edited"):
        return True
    return False if status == "rejected" or reason else None  # of what was erased the reason remains


def leans_in(outcome: str, lane: str, score: Mapping[str, Any]) -> bool:
    """Return whether the gate leaned towards letting something in."""
    reaches = bool(score) and score["value"] >= score["threshold"]
    return outcome == "commit" or (outcome == "review" and not lane and reaches)


@dataclass(frozen=True)
class Week:
    """What people answered in one week; `start` is its Monday."""

    start: date
    tally: Tally


def weeks(actor: Actor, now: datetime, count: int = WEEKS) -> list[Week]:
    """Return the last weeks, oldest first, each there even without an answer; four queries."""
    mondays, starts = _starts(now, count)
    tallies = [Tally() for _ in mondays]
    for row in _answered(visible_to(actor), starts):
        said = _kept(row["status"], row["decision_reason"])
        if said is not None:
            leaned = row["outcome"] == "commit" or (row["outcome"] == "review" and not row["lane"] and row["reaches"])
            tallies[row["week"]] = tallies[row["week"]].with_one(leaned_in=leaned, kept=said, n=row["n"])
    for _, at in taken_back(actor.tenant, visible_to(actor), starts[0]):
        week = max(i for i, start in enumerate(starts) if start <= at)
        tallies[week] = tallies[week].with_one(leaned_in=True, kept=False)
    return [Week(day, tally) for day, tally in zip(mondays, tallies, strict=True)]


def answered(actor: Actor, rows: QuerySet[Candidate], now: datetime, count: int = WEEKS) -> QuerySet[Candidate]:
    """Return, of some proposals, those that the last weeks' labels are about: answered by people, or taken back."""
    start = _starts(now, count)[1][0]
    said = Q(status__in=("committed", "merged", "rejected")) | ~Q(decision_reason="")
    back = [pk for pk, _ in taken_back(actor.tenant, visible_to(actor), start)]
    return rows.filter(Q(said, decided_by__in=_people(), decided_at__gte=start) | Q(pk__in=back))


def _starts(now: datetime, count: int) -> tuple[list[date], list[datetime]]:
    """Return the Mondays of the last weeks, oldest first, and when each began."""
    monday = timezone.localdate(now) - timedelta(days=timezone.localdate(now).weekday())
    mondays = [monday - timedelta(weeks=i) for i in reversed(range(count))]
    return mondays, [timezone.make_aware(datetime.combine(day, datetime.min.time())) for day in mondays]


def _answered(rows: QuerySet[Candidate], starts: Sequence[datetime]) -> QuerySet[Any]:
    """Return how many answers there were of each sort, by the number of their week; compared where they lie."""
    value, least = Cast(KT("score__value"), FloatField()), Cast(KT("score__threshold"), FloatField())
    latest = [When(decided_at__gte=start, then=Value(i)) for i, start in reversed(list(enumerate(starts)))]
    return (
        rows.order_by()
        .filter(decided_by__in=_people(), decided_at__gte=starts[0])
        .annotate(week=Case(*latest, default=Value(0)), value=value, least=least)
        .annotate(reaches=Case(When(value__gte=F("least"), then=Value(True)), default=Value(False)))
        .values("week", "outcome", "lane", "status", "decision_reason", "reaches")
        .annotate(n=Count("*"))
    )


def _people() -> list[str]:
    """Return who can have decided: accounts are few, and a list of them is found by an index where a prefix is not."""
    return [f"{PERSON}{pk}" for pk in User.objects.values_list("pk", flat=True)]


def taken_back(tenant: str, rows: QuerySet[Candidate], since: datetime) -> list[tuple[str, datetime]]:
    """Return which proposals policy had committed and a person took back, and when; two queries."""
    people = Candidate.objects.filter(
        tenant=tenant,
        operation="retract",
        proposed_by__startswith=PERSON,
        created_at__gte=since,
        status="committed",
    ).order_by("-created_at")
    undone = {
        (memory, version): at
        for memory, version, at in people.values_list("target", "target_version", "created_at")[:MOST_TAKEN_BACK]
    }
    if not undone:
        return []
    made = rows.filter(Q(memory__in={memory for memory, _ in undone}), decided_by__startswith="policy:")
    found = made.exclude(operation="retract").values_list("pk", "memory", "memory_version")
    return [(pk, undone[memory, version]) for pk, memory, version in found if (memory, version) in undone]
