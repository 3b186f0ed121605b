"""The queue: what waits, for whom, since when, how late, and in whose hands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, DateTimeField, Field, Min, Q, QuerySet, Sum, Value, When
from django.utils import timezone

from governance.candidates import rules
from governance.candidates.models import RISKS, Candidate, Lease, SavedFilter, Waiting
from governance.candidates.queries import FACETS, Groups, narrowed, visible_to
from governance.errors import NotFound
from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS
from governance.policies.rules import Policy
from governance.scopes.queries import members_who
from governance.scopes.rules import Actor

NEAR = 0.75  # of its time gone by, an item is due soon
LOOKED_AT = 2000  # items that a search by words opens, the longest waiting first
# "held_back = 0", not "NOT held_back": only so are the columns behind it in their indexes used in order.
SHOWN, HELD_BACK = [False], [True]
# What the tally counts, and how it names hours (`tally.py`).
PLAIN: Mapping[str, Any] = {"status": "pending", "held_back__in": SHOWN, "aside_role": "", "aside_until": None}
HOUR = "%Y-%m-%d %H"
Leases = Mapping[str, Lease]


def waiting(actor: Actor) -> QuerySet[Candidate]:
    """Return everything undecided that a member may see: floods, snoozed items and those for other roles as well."""
    return visible_to(actor).filter(status="pending").order_by("created_seq")


def queue(actor: Actor) -> QuerySet[Candidate]:
    """Return what waits for this member now, the longest waiting first."""
    return waiting(actor).filter(_awake(timezone.now()), held_back__in=SHOWN, aside_role__in=["", *actor.roles])


def _awake(now: datetime) -> Q:
    return Q(aside_until__isnull=True) | Q(aside_until__lte=now)


@dataclass(frozen=True)
class Counts:
    """How much waits for a member: in all, late, about to be late, handed to them."""

    all: int
    overdue: int
    soon: int
    mine: int


def counts(actor: Actor, policy: Policy) -> Counts:
    """Return how much waits for a member; four queries, none over all that waits."""
    return counts_of(groups(actor, policy))


def counts_of(found: Groups) -> Counts:
    """Return how much waits in all groups together."""
    total = {name: sum(group[name] for group in found) for name in ("n", "overdue", "near", "mine")}
    return Counts(all=total["n"], overdue=total["overdue"], soon=total["near"] - total["overdue"], mine=total["mine"])


def groups(actor: Actor, policy: Policy, assigned: str = "") -> Groups:
    """Return how much waits for a member in every combination of facets, and how much of it is late or handed to them.

    With `assigned`, of what is handed to "me" or to nobody. Four queries, none over all that waits: of the tally, of
    the hours in which items become late just now, of what was snoozed until now, of what was left to a role of theirs;
    so a combination may come more than once.
    """
    now = timezone.now()
    to = {"assigned_to": actor.id if assigned == "me" else ""} if assigned else {}
    if actor.projects is not None:  # few see some of it; the tally knows of no projects
        return _counted(queue(actor).order_by().filter(**to), actor, policy, now)
    tally = Waiting.objects.filter(tenant=actor.tenant, **to) if actor.may("see-queue") else Waiting.objects.none()
    rows = waiting(actor).order_by().filter(held_back__in=SHOWN, **to)
    return [
        *_tallied(tally, actor, policy, now),
        *_of_the_hour(visible_to(actor).filter(**PLAIN, **to), policy, now),
        *_counted(rows.filter(aside_role="", aside_until__lte=now), actor, policy, now),
        *_counted(rows.filter(_awake(now), aside_role__in=actor.roles), actor, policy, now),
    ]


def due_alone(found: Groups, due: str) -> Groups:
    """Return how much of each group is "overdue" or due "soon"."""
    of = {"overdue": lambda g: g["overdue"], "soon": lambda g: g["near"] - g["overdue"]}.get(due, lambda g: 0)
    return [{**group, "n": of(group)} for group in found]


def _counted(rows: QuerySet[Candidate], actor: Actor, policy: Policy, now: datetime) -> Groups:
    sorts = {
        "overdue": Count("status", filter=late(policy, "overdue", now)),
        "near": Count("status", filter=Q(created_at__lt=_bound(policy, now, NEAR))),  # overdue, or soon
        "mine": Count("status", filter=Q(assigned_to=actor.id)),
    }
    return list(rows.values(*FACETS.values()).annotate(n=Count("*"), **sorts))


def _tallied(tally: QuerySet[Waiting], actor: Actor, policy: Policy, now: datetime) -> Groups:
    """Return what the tally says; an item counts as late once the hour in which it came in is, as a whole."""

    def late_by(share: float) -> Q:
        return Q(hour__lt=_by_risk({r: f"{at:{HOUR}}" for r, at in _bounds(policy, now, share).items()}, CharField()))

    sorts = {"overdue": late_by(1.0), "near": late_by(NEAR), "mine": Q(assigned_to=actor.id)}
    sums = {name: Sum("count", filter=only, default=0) for name, only in sorts.items()}
    return list(tally.values(*FACETS.values()).annotate(n=Sum("count"), **sums))


def _of_the_hour(rows: QuerySet[Candidate], policy: Policy, now: datetime) -> Groups:
    """Return what is late of the hours of which the rest is not: those that the bounds lie in."""

    def hours(share: float, up_to: str) -> Q:
        found = Q()
        for risk, at in _bounds(policy, now, share).items():
            start = at.replace(minute=0, second=0, microsecond=0)
            found |= Q(**{"risk": risk, "created_at__gte": start, f"created_at__{up_to}": at})
        return found

    overdue, near = hours(1.0, "lte"), hours(NEAR, "lt")
    sorts = {"overdue": Count("status", filter=overdue), "near": Count("status", filter=near)}
    found = rows.order_by().filter(overdue | near).values(*FACETS.values()).annotate(**sorts)
    return [{**group, "n": 0, "mine": 0} for group in found]


@dataclass(frozen=True)
class PassedOver:
    """Why something that waits is not in a member's queue, or is passed over by "next"."""

    leased: int
    other_role: int
    snoozed: int
    held_back: int

    @property
    def any(self) -> bool:
        return bool(self.leased or self.other_role or self.snoozed or self.held_back)


def passed_over(actor: Actor) -> PassedOver:
    """Return how many undecided items a member is not shown, by reason; two queries."""
    now = timezone.now()
    asleep, theirs = Q(aside_until__gt=now), ~Q(aside_role__in=["", *actor.roles])
    found = waiting(actor).aggregate(
        snoozed=Count("status", filter=asleep),
        other_role=Count("status", filter=theirs & ~asleep),
        held_back=Count("status", filter=Q(held_back=True)),
    )
    return PassedOver(leased=len(leased_by_others(actor)), **found)


def leases(candidates: Iterable[str]) -> dict[str, Lease]:
    """Return who has which of some items open: leases that neither ran out nor belong to somebody without the role."""
    rows = list(Lease.objects.filter(pk__in=list(candidates), expires_at__gt=timezone.now()))
    return {row.candidate: row for row in _held_by_right(rows)}


def leased_by_others(actor: Actor) -> list[str]:
    """Return the items that others have open."""
    rows = Lease.objects.filter(tenant=actor.tenant, expires_at__gt=timezone.now()).exclude(holder=actor.id)
    return [row.candidate for row in _held_by_right(list(rows))]


def _held_by_right(rows: Sequence[Lease]) -> list[Lease]:
    if not rows:
        return []
    may = {tenant: members_who(tenant, "decide") for tenant in {row.tenant for row in rows}}
    return [row for row in rows if row.holder in may[row.tenant]]


@dataclass(frozen=True)
class Flood:
    """What one agent proposed past its cap, as one item."""

    agent: str
    name: str
    count: int
    oldest_at: datetime


def floods(actor: Actor) -> list[Flood]:
    """Return, for each agent that proposed too much at once, how many of its proposals are held back."""
    rows = waiting(actor).filter(held_back__in=HELD_BACK).order_by()
    found = rows.values_list("agent", "agent__name").annotate(n=Count("*"), oldest=Min("created_at"))
    return [Flood(agent or "", name or "", n, oldest) for agent, name, n, oldest in found.order_by("oldest")]


def held_back(actor: Actor, agent: str) -> QuerySet[Candidate]:
    """Return what is held back of one agent."""
    return waiting(actor).filter(held_back__in=HELD_BACK, agent=agent)


def asked(rows: QuerySet[Candidate], facets: Mapping[str, str], policy: Policy, actor: Actor) -> QuerySet[Candidate]:
    """Return the items with every facet: those of `queries.narrowed`, and `due`, `assigned`, `aside`."""
    rows = narrowed(rows, facets)
    if facets.get("due"):
        rows = rows.filter(late(policy, facets["due"], timezone.now()))
    if facets.get("assigned"):
        rows = rows.filter(assigned_to=actor.id if facets["assigned"] == "me" else "")
    if facets.get("aside"):
        rows = rows.filter(aside=facets["aside"])
    return rows


def late(policy: Policy, due: str, now: datetime) -> Q:
    """Return the condition of being "overdue", or "soon" (a quarter of the time is left)."""
    if due == "overdue":
        return Q(created_at__lte=_bound(policy, now))
    if due == "soon":
        return Q(created_at__gt=_bound(policy, now), created_at__lt=_bound(policy, now, NEAR))
    return Q(pk__in=[])


def _bound(policy: Policy, now: datetime, share: float = 1.0) -> Case:
    return _by_risk(_bounds(policy, now, share), DateTimeField())


def _bounds(policy: Policy, now: datetime, share: float = 1.0) -> dict[str, datetime]:
    """Return, by risk, since when an item waits once so much of its time has gone by; in UTC."""
    hours = {risk: policy.due_hours.get(risk, 168.0) * share for risk in RISKS}
    return {risk: now.astimezone(UTC) - timedelta(hours=n) for risk, n in hours.items()}


def _by_risk(values: Mapping[str, Any], kind: Field) -> Case:
    return Case(*(When(risk=risk, then=Value(value)) for risk, value in values.items()), output_field=kind)


def saying(rows: QuerySet[Candidate], words: str) -> list[str]:
    """Return the ids of items in which every one of some words stands; of the first so many that wait."""
    wanted = words.casefold().split()
    found = list(rows.values_list("pk", "content")[:LOOKED_AT])
    opened = sealing.unseal(content for _, content in found if content)
    return [pk for pk, content in found if _says(opened.get(content or "", NO_WORDS), wanted)]


def _says(words: sealing.Words, wanted: Sequence[str]) -> bool:
    text = " ".join(str(words.get(name, "")) for name in ("content", "key", "value", "context")).casefold()
    return all(word in text for word in wanted)


def neighbours(actor: Actor, candidate: Candidate, rows: QuerySet[Candidate]) -> tuple[str, str]:
    """Return the ids before and after a candidate in a list, "" at its ends.

    Passed over: what others have open, and what this member is unsure of.
    """
    rows = rows.exclude(pk__in=leased_by_others(actor)).exclude(aside="unsure", aside_by=actor.id)
    before = rows.filter(created_seq__lt=candidate.created_seq).order_by("-created_seq").values_list("pk", flat=True)
    after = rows.filter(created_seq__gt=candidate.created_seq).order_by("created_seq").values_list("pk", flat=True)
    return before.first() or "", after.first() or ""


def decided_before(candidate: Candidate) -> list[Candidate]:
    """Return the last decisions about the same key in the same scope, newest first."""
    if not candidate.key_mac:
        return []
    rows = Candidate.objects.filter(
        scope=candidate.scope_id, key_mac=bytes(candidate.key_mac), status__in=("committed", "rejected")
    )
    return list(rows.exclude(pk=candidate.pk).filter(decided_by__startswith="member:").order_by("-created_seq")[:5])


def deciding(actor: Actor) -> list[Candidate]:
    """Return the member's own decisions that can be undone still, the latest first."""
    rows = visible_to(actor).filter(status="deciding", decided_by=actor.id, takes_effect_at__gt=timezone.now())
    return list(rows.order_by("-decided_at")[:50])


@dataclass(frozen=True)
class Pace:
    """How fast and how one-sidedly somebody decides just now."""

    last_minute: int
    of_last: int
    approved: int

    def is_tired(self, policy: Policy) -> bool:
        return self.last_minute > policy.tired_per_minute or (self.of_last >= 50 and self.approved == self.of_last)


def pace(actor: Actor) -> Pace:
    """Return a member's pace over the last minute and their last 50 decisions; one query."""
    rows = Candidate.objects.filter(tenant=actor.tenant, decided_by=actor.id).order_by("-decided_at")
    last = list(rows.values_list("decided_at", "status", "verb")[:50])
    minute = timezone.now() - timedelta(minutes=1)
    return Pace(
        last_minute=sum(at is not None and at > minute for at, _, _ in last),
        of_last=len(last),
        approved=sum(status != "rejected" and verb != "reject" for _, status, verb in last),
    )


@dataclass(frozen=True)
class FilterView:
    """A kept filter with its name and its words opened."""

    row: SavedFilter
    name: str
    words: str


def filters(actor: Actor) -> list[FilterView]:
    """Return a member's own kept filters and those shared in the tenant."""
    rows = SavedFilter.objects.filter(Q(owner=actor.id) | Q(is_shared=True), tenant=actor.tenant, is_kept=True)
    return _opened(list(rows.order_by("created_seq")))


def filter_of(actor: Actor, id: str) -> FilterView:
    """Return one's own or a shared filter. Raises NotFound."""
    row = SavedFilter.objects.filter(Q(owner=actor.id) | Q(is_shared=True), tenant=actor.tenant, pk=id).first()
    if row is None:
        raise NotFound()
    return _opened([row])[0]


def _opened(rows: Sequence[SavedFilter]) -> list[FilterView]:
    words = sealing.unseal(row.content_id for row in rows if row.content_id)
    said = {row.id: words.get(row.content_id or "", NO_WORDS) for row in rows}
    return [FilterView(row, said[row.id].get("name", ""), said[row.id].get("words", "")) for row in rows]


def due_of(row: Candidate, policy: Policy, now: datetime) -> tuple[str, datetime]:
    """Return whether an item is "overdue", about to be ("soon") or "", and when it is due."""
    return rules.dueness(row.created_at, row.risk, policy, now), rules.due_at(row.created_at, row.risk, policy)
