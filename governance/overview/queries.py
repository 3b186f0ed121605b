"""Reads across rooms: the dashboard's numbers, the log as sentences, who sees what, the trail of a memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.db.models import CharField, Count, Max, Min, QuerySet, Value
from django.utils import timezone
from django.utils.translation import gettext

from governance.candidates import queries as candidates
from governance.candidates import waiting
from governance.candidates.models import Candidate, Lease
from governance.conflicts import queries as conflicts
from governance.ledger.checks import checked
from governance.ledger.models import Event, Head, LedgerCheck, Outbox
from governance.memories.models import Memory
from governance.memories.queries import visible_to as memories_visible_to
from governance.overview.rules import sentence
from governance.policies import queries as policies
from governance.scopes.models import Agent, ApiKey, Membership, Participation, Scope
from governance.scopes.rules import Actor, Grant

OUTCOMES = ("commit", "review", "event_only", "reject")
CHART_DAYS = 14
MOST_COUNTED = 10_000  # a longer list is "more than that": nobody waits for the count of what nobody reads
ALONE = timedelta(days=6)  # today and so many days before it a decision made alone is an alert


@dataclass(frozen=True)
class Numbers:
    """What the dashboard counts; each is the length of a list somebody can open, `counted` where the list is."""

    waiting: int
    oldest_at: datetime | None
    days: Mapping[date, Mapping[str, int]]  # of the last days in the tenant's zone, what was proposed, by outcome
    in_force: int
    unsettled: int
    unsettled_at: datetime | None  # since when the oldest of these
    owed: int  # versions that the index has yet to take in
    failing: int  # of these, tried before in vain
    overdue: int = 0  # of what waits
    soon: int = 0
    mine: int = 0  # handed to the one who asks
    verified: LedgerCheck | None = None  # the last look at the chain
    alone: int = 0  # decisions of one person where policy wants two, in the last days
    alone_since: datetime | None = None

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Of what was proposed today."""
        return {outcome: self.days[max(self.days)].get(outcome, 0) for outcome in OUTCOMES}


def counted(rows: QuerySet[Any]) -> int:
    """Return how many rows there are; `MOST_COUNTED` + 1 where there are more than that."""
    return rows.order_by()[: MOST_COUNTED + 1].count()


def midnight(now: datetime) -> datetime:
    """Return when today began, in the zone that is active."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def numbers(actor: Actor, now: datetime) -> Numbers:
    oldest = waiting.queue(actor).first()
    days = outcomes_by_day(actor, now)
    waits = waiting.counts(actor, policies.current(actor.tenant))
    debts = owed(actor).filter(topic="index")
    alone_since = midnight(now - ALONE)
    disputed = conflicts.unsettled(actor).aggregate(n=Count("pk"), oldest=Min("opened_at"))
    return Numbers(
        waiting=waits.all,
        oldest_at=oldest.created_at if oldest else None,
        days=days,
        in_force=counted(memories_visible_to(actor).with_status("active", now)),
        unsettled=disputed["n"],
        unsettled_at=disputed["oldest"],
        owed=counted(debts),
        failing=counted(failing(debts)),
        overdue=waits.overdue,
        soon=waits.soon,
        mine=waits.mine,
        verified=checked(actor.tenant, "chain").last if actor.may("see-log") else None,
        alone=counted(log_since(log(actor, type="candidate-approved-alone"), alone_since)),
        alone_since=alone_since,
    )


def owed(actor: Actor) -> QuerySet[Outbox]:
    """Return the work that a tenant's commits still wait for, the longest owed first."""
    return Outbox.objects.filter(tenant=actor.tenant).order_by("id")


def failing(rows: QuerySet[Outbox]) -> QuerySet[Outbox]:
    """Return the work that was tried before in vain."""
    return rows.filter(attempts__gt=0)


def outcomes_by_day(actor: Actor, now: datetime) -> dict[date, dict[str, int]]:
    """Return how many proposals had each outcome, for each of the last days; every day is there. One query."""
    first = midnight(now) - timedelta(days=CHART_DAYS - 1)
    days: dict[date, dict[str, int]] = {(first + timedelta(days=i)).date(): {} for i in range(CHART_DAYS)}
    parts = [_outcomes_on(actor, day).annotate(day=Value(day.isoformat(), output_field=CharField())) for day in days]
    for row in parts[0].union(*parts[1:], all=True):
        days[date.fromisoformat(row["day"])][row["outcome"]] = row["n"]
    return days


def _outcomes_on(actor: Actor, day: date) -> Any:
    rows = candidates.proposed_on(candidates.visible_to(actor), day, timezone.get_current_timezone())
    return rows.order_by().values("outcome").annotate(n=Count("*"))


@dataclass(frozen=True)
class Entry:
    """An event as people read it."""

    seq: int
    id: str
    type: str
    stream: str
    actor: str
    actor_name: str
    sentence: str
    recorded_at: datetime
    correlation: str
    data: Mapping[str, Any]

    @property
    def about(self) -> str:
        """Return what kind of thing the stream is: mem, cand, agent, …"""
        return self.stream.partition("_")[0]


def log(by: Actor, **facets: str) -> QuerySet[Event]:
    """Return a tenant's events, newest first, by type, actor, stream or correlation; none without that right."""
    rows = Event.objects.filter(tenant=by.tenant, **facets).order_by("-seq")
    return rows if by.may("see-log") else rows.none()


def log_since(rows: QuerySet[Event], since: datetime) -> QuerySet[Event]:
    return rows.filter(recorded_at__gte=since)


def actors(tenant: str) -> list[tuple[str, str]]:
    """Return who may have acted, with names: members and agents of a tenant."""
    members = Membership.objects.filter(tenant=tenant).values_list("user__pk", "user__username").distinct()
    agents = Agent.objects.filter(tenant=tenant).values_list("pk", "name")
    found = [(f"member:{pk}", name) for pk, name in members] + [(f"agent:{pk}", name) for pk, name in agents]
    return sorted(found, key=lambda pair: pair[1].casefold())


def entries(events: Iterable[Event]) -> list[Entry]:
    """Return events as sentences, in order; a fixed number of queries."""
    rows = list(events)
    opened = [orjson.loads(bytes(e.header))["data"] for e in rows]
    mentioned = {e.actor for e in rows} | {f"member:{d['user']}" for d in opened if isinstance(d.get("user"), int)}
    mentioned |= {str(d["decided_by"]) for d in opened if d.get("decided_by")}
    names = names_of(mentioned)
    return [_entry(e, data, names) for e, data in zip(rows, opened, strict=True)]


def _entry(event: Event, data: dict[str, Any], names: Mapping[str, str]) -> Entry:
    return Entry(
        seq=event.seq,
        id=event.id,
        type=event.type,
        stream=event.stream,
        actor=event.actor,
        actor_name=names.get(event.actor, event.actor),
        sentence=sentence(event.type, data, lambda who: names.get(who, who), gettext),
        recorded_at=event.recorded_at,
        correlation=event.correlation,
        data={k: v for k, v in data.items() if v not in (None, "", [], {})},
    )


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """Return what to call actors: members by username, agents by name, policy and system in words; two queries."""
    kinds: dict[str, set[str]] = {}
    for actor in actors:
        kind, _, rest = actor.partition(":")
        kinds.setdefault(kind, set()).add(rest)
    members = User.objects.filter(pk__in=[m for m in kinds.get("member", ()) if m.isdigit()])
    names = {f"member:{pk}": name for pk, name in members.values_list("pk", "username")}
    agents = Agent.objects.filter(pk__in=kinds.get("agent", ())).values_list("pk", "name")
    names |= {f"agent:{pk}": name for pk, name in agents}
    names |= {f"policy:{n}": gettext("Policy %s") % n for n in kinds.get("policy", ())}
    names |= {f"system:{part}": gettext("The system (%s)") % gettext(part) for part in kinds.get("system", ())}
    return names | {f"operator:{part}": gettext("The operator") for part in kinds.get("operator", ())}


def pulse(tenant: str) -> str:
    """Return a mark that changes whenever something is recorded in a tenant, or an item changes hands; two queries."""
    seq = Head.objects.filter(tenant=tenant).values_list("seq", flat=True).first()
    leases = Lease.objects.filter(tenant=tenant).aggregate(n=Count("pk"), last=Max("taken_at"))
    return f"{seq or 0}.{leases['n']}.{leases['last'].timestamp() if leases['last'] else 0}"


def events_of(*streams: str) -> list[Event]:
    """Return what happened to some things, in order."""
    return list(Event.objects.filter(stream__in=[s for s in streams if s]).order_by("seq"))


def trail(memory: Memory) -> list[Entry]:
    """Return everything that led to a memory and changed it: the events of its candidates and its own."""
    proposed = Candidate.objects.filter(memory=memory).values_list("pk", flat=True)
    return entries(Event.objects.filter(tenant=memory.tenant_id, stream__in=[memory.id, *proposed]).order_by("seq"))


@dataclass(frozen=True)
class Audience:
    """Who is given what a scope holds: agents by name, and for whom."""

    agents: Sequence[str]
    people: int | None  # participants of a project; None where it is one person, or everybody
    level: str


def audience(scope: Scope, *, binding: bool = False) -> Audience:
    """Return the agents with a living key that recalls a scope, and how many people it is for.

    A binding rule accompanies every recall: it reaches whoever recalls anything.
    """
    keys = (
        ApiKey.objects.filter(revoked_at=None, agent__suspended_at=None).select_related("agent").order_by("agent__name")
    )
    if scope.level != "global":
        keys = keys.filter(agent__tenant=scope.tenant_id)
    now = timezone.now()
    living = [k for k in keys if (k.expires_at is None or k.expires_at > now) and _recalls(k, scope, binding)]
    people = Participation.objects.filter(project=scope.project_id).count() if scope.project_id else None
    return Audience(agents=list(dict.fromkeys(k.agent.name for k in living)), people=people, level=scope.level)


def _recalls(key: ApiKey, scope: Scope, binding: bool) -> bool:
    if scope.agent_id is not None and scope.agent_id != key.agent_id:
        return False
    if scope.subject_id is not None and key.users is not None and scope.subject_id not in key.users:
        return False
    grants = [Grant(*g) for g in key.grants]
    return any(
        g.action in ("recall", "recall-unattended")
        and (binding or g.level == scope.level)
        and g.project in ("", scope.project_id or "")
        for g in grants
    )
