"""An agent that suddenly proposes much, or ever the same, is noticed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, IntegerField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from governance.candidates.models import Candidate
from governance.candidates.queries import visible_to
from governance.scopes.models import Agent, Tenant
from governance.scopes.rules import Actor

HOUR, DAY, BEFORE = timedelta(hours=1), timedelta(days=1), timedelta(days=14)
LEAST_MUCH, NEWCOMER = 30, 100  # proposals of an hour that are worth a look; of an agent without a past
TIMES = 3  # an hour that holds so many usual days
LEAST_SAME, SAME = 20, 0.8  # proposals of a day, and the share of them that said nothing new


@dataclass(frozen=True)
class Pace:
    """How an agent has been proposing: in the last hour, in the last day, and on a usual day before."""

    agent: str
    name: str
    hour: int
    day: int
    repeated: int  # of the day's, what was said already
    usual: float  # proposals a day over the two weeks before, as far as it bears on whether that is much

    @property
    def is_much(self) -> bool:
        return self.hour >= (LEAST_MUCH if self.usual else NEWCOMER) and self.hour > TIMES * self.usual

    @property
    def is_same(self) -> bool:
        return self.day >= LEAST_SAME and self.repeated >= SAME * self.day


AGAIN = Q(status="merged", conflict="") | ~Q(duplicate_of="")  # said already


def proposed(rows: QuerySet[Candidate], within: str, now: datetime, *, only_again: bool = False) -> QuerySet[Candidate]:
    """Return what was proposed in the last "hour" or "day", else all; of it, where asked, only what was said before."""
    span = {"hour": HOUR, "day": DAY}.get(within)
    rows = rows.filter(created_at__gte=now - span) if span else rows
    return rows.filter(AGAIN) if only_again else rows


def paces(actor: Actor, now: datetime) -> list[Pace]:
    """Return the pace of every agent that proposed in the last day, as far as a member may see.

    One query over that day, and one over the days before for what proposed much in the last hour.
    """
    rows = (
        visible_to(actor)
        .filter(created_at__gte=now - DAY)
        .order_by()
        .annotate(who=Coalesce("agent", Value("")))  # the bare column would have all proposals read in its order
        .values("who")
        .annotate(
            hour=Count("status", filter=Q(created_at__gte=now - HOUR)),
            day=Count("status"),  # of the index, which holds no id
            repeated=Count("status", filter=AGAIN),
        )
    )
    found = [r for r in rows if r["who"]]  # asked of all: an index by agent would be taken for one by day
    names = dict(Agent.objects.filter(pk__in=[r["who"] for r in found]).values_list("pk", "name"))
    usual = _usual(actor, {r["who"]: r["hour"] for r in found if r["hour"] >= LEAST_MUCH}, now)
    return [Pace(r["who"], names[r["who"]], r["hour"], r["day"], r["repeated"], usual.get(r["who"], 0)) for r in found]


class Counted(Subquery):
    """How many rows a query has, as a value of another query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


def _usual(actor: Actor, hours: Mapping[str, int], now: datetime) -> dict[str, float]:
    """Return how much busy agents proposed a day before, each up to where its hour is nothing much; one query."""
    if not hours:
        return {}
    before = visible_to(actor).filter(created_at__gte=now - DAY - BEFORE, created_at__lt=now - DAY)
    latest = before.order_by("-created_at").values("created_at")
    counts = [Counted(latest.filter(agent=who)[: math.ceil(n * BEFORE.days / TIMES)]) for who, n in hours.items()]
    counted = Tenant.objects.filter(pk=actor.tenant).values_list(*counts).get()
    return {who: n / BEFORE.days for who, n in zip(hours, counted, strict=True)}


def unusual(found: Sequence[Pace]) -> list[Pace]:
    """Return the agents that propose much more than they use to, or ever the same, the busiest first."""
    return sorted((p for p in found if p.is_much or p.is_same), key=lambda p: (-p.hour, -p.day, p.agent))
