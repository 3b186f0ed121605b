"""Forget requests as they are read: by whom filed, what they would touch, how far they have come."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, QuerySet
from django.db.models.functions import Cast, ExtractDay, ExtractMonth, ExtractYear
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.erasure.models import (
    OPEN,
    RUNNING,
    ForgetPlan,
    ForgetReport,
    ForgetRequest,
    ForgetRequestQuerySet,
    StoreRow,
)
from governance.erasure.recipients import told_of
from governance.erasure.report import check, exported, public_key
from governance.errors import NotAllowed, NotFound
from governance.evidence import suppression
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.models import Outbox
from governance.memories.models import Memory
from governance.memories.queries import MemoryView, Moment, views
from governance.scopes.queries import members_who
from governance.scopes.rules import Actor

SAMPLES = 5
FOUND = 100  # by words: all of them, for a person to leave out what is not meant


def requests_of(actor: Actor, *, status: str = "") -> ForgetRequestQuerySet:
    """Return the requests a caller may see, those due first first: an agent's own, or a tenant's for its staff."""
    rows = ForgetRequest.objects.filter(tenant=actor.tenant).select_related("subject", "scope").order_by("due_at", "pk")
    if actor.is_agent:
        rows = rows.filter(filed_by=actor.id)
    elif not (actor.may("erase") or actor.may("see-log")):
        raise NotAllowed()
    if status == "open":
        return rows.filter(status__in=OPEN)
    return rows.filter(status=status) if status else rows


def request_for(actor: Actor, request: str) -> ForgetRequest:
    """Return one request. Raises NotAllowed, NotFound."""
    row = requests_of(actor).filter(pk=request).first()
    if row is None:
        raise NotFound()
    return row


def is_overdue(request: ForgetRequest) -> bool:
    return request.status in OPEN and request.due_at < timezone.now()


def case_of(request: ForgetRequest, by: Actor) -> Mapping[str, Any]:
    """Return the sealed half of a request: {selector, requester, reason}; empty once answered. Raises NotAllowed."""
    if not by.may("erase"):
        raise NotAllowed()
    return sealing.unseal([request.content_id]).get(request.content_id, sealing.NO_WORDS)


@dataclass(frozen=True)
class PlanView:
    """A plan as it is looked at: counts for everybody who sees requests, samples for those who read words."""

    plan_hash: str
    document: Mapping[str, Any]
    samples: tuple[MemoryView, ...]
    besides: tuple[str, ...] = ()  # of words or keys: what proposals that became no memory, and turns, say


def plan_of(request: ForgetRequest, by: Actor) -> PlanView | None:
    """Return the plan there is, None before it is made."""
    row = ForgetPlan.objects.filter(request=request).first()
    if row is None or not request.plan_hash:
        return None
    samples: tuple[MemoryView, ...] = ()
    besides: tuple[str, ...] = ()
    if by.may("erase") and by.may("read-words"):
        found = Memory.objects.filter(
            pk__in=row.reach["memories"][: FOUND if "words" in request.kinds else SAMPLES], erased=False
        ).order_by("pk")
        samples = tuple(views(list(found), Moment()))
        besides = _besides(row.reach) if {"words", "keys"} & set(request.kinds) else ()
    return PlanView(request.plan_hash, row.document, samples, besides)


def _besides(reach: Mapping[str, Any]) -> tuple[str, ...]:
    proposals = Candidate.objects.filter(pk__in=reach["candidates"][:FOUND], memory=None).order_by("pk")
    turns = Observation.objects.filter(pk__in=reach["observations"][:FOUND]).order_by("pk")
    contents = [c for rows in (proposals, turns) for c in rows.values_list("content", flat=True) if c]
    opened = sealing.unseal(contents)
    said = (opened.get(c, sealing.NO_WORDS) for c in contents)
    return tuple(str(w.get("text") or w.get("quote") or w.get("content") or w.get("value")) for w in said if w)


def narrowed(actor: Actor, facets: Mapping[str, str]) -> QuerySet[ForgetRequest]:
    """Return the requests with every facet: status (without it those that are to be seen), mode."""
    wanted = facets.get("status", "")
    rows = requests_of(actor, status=wanted).with_found_again() if wanted else requests_of(actor).to_be_seen()
    return rows.filter(mode=facets["mode"]) if "mode" in facets else rows


def due_first(actor: Actor) -> QuerySet[ForgetRequest]:
    """Return the requests that are not answered, or found again, those overdue first, then by when they are due."""
    return requests_of(actor).to_be_seen()


def by_due(rows: QuerySet[ForgetRequest]) -> QuerySet[ForgetRequest]:
    """Return requests with `rank`, one unique number by which those due first come first."""
    day = ExtractYear("due_at") * 10_000 + ExtractMonth("due_at") * 100 + ExtractDay("due_at")
    rank = Cast(day, BigIntegerField()) * 10**10 + F("created_seq")
    return rows.annotate(rank=ExpressionWrapper(rank, output_field=BigIntegerField())).order_by("rank")


def counts_by_status(actor: Actor, mode: str = "") -> dict[str, int]:
    """Return how many requests, of one mode or of any, stand at each status."""
    only = {"mode": mode} if mode else {}
    rows = requests_of(actor).filter(**only).order_by().values("status").annotate(n=Count("pk"))
    return {row["status"]: row["n"] for row in rows}


def waiting_for_people(actor: Actor) -> int:
    """Return how many requests wait for a person: to see who asks, to approve, or to look at what failed."""
    return requests_of(actor).to_be_seen().exclude(status__in=("verified", *RUNNING)).count()


def cases_of(rows: Iterable[ForgetRequest], by: Actor) -> dict[str, Mapping[str, Any]]:
    """Return the sealed halves of some requests by id, for staff that process them; two queries."""
    contents = {row.id: row.content_id for row in rows}
    if not by.may("erase"):
        return {}
    words = sealing.unseal(contents.values())
    return {pk: words.get(content, sealing.NO_WORDS) for pk, content in contents.items()}


def is_own(request: ForgetRequest, by: Actor) -> bool:
    """Return whether somebody else has to approve it: they filed it, or own the agent that did."""
    return by.id == request.filed_by or by.owner == request.filed_owner


def approvers_of(request: ForgetRequest) -> list[str]:
    """Return who may approve it, by username: those who may erase and are not on the side of who filed it."""
    members = members_who(request.tenant_id, "erase")
    sides = (request.filed_by, f"member:{request.filed_owner}")
    return [name for member, name in members.items() if member not in sides]


def stores_of(request: ForgetRequest) -> list[StoreRow]:
    """Return how far each store has come, in the order of the work; empty before the run."""
    return list(StoreRow.objects.filter(request=request).order_by("place"))


def failure_of(request: ForgetRequest) -> str:
    """Return the class of the error with which the last attempt ended at what a request waits for; "" for none."""
    rows = Outbox.objects.filter(ref=request.id).exclude(error="").order_by("-id")
    return rows.values_list("error", flat=True).first() or ""


def reports_of(request: ForgetRequest) -> list[ForgetReport]:
    """Return the reports and looks there are, the first one first."""
    return list(ForgetReport.objects.filter(request=request).order_by("number"))


def recipients_of(request: ForgetRequest) -> list[dict[str, Any]]:
    """Return the agents that were told what it erased, and when they took notice."""
    return [one.line() for one in told_of(request)]


def blocks(request: ForgetRequest) -> int:
    """Return how many fingerprints of what it erased keep that from being taken in again without new consent."""
    return suppression.kept_of(request.tenant_id, request.id)


def report_of(request: ForgetRequest, number: int) -> ForgetReport:
    """Return one report. Raises NotFound."""
    row = ForgetReport.objects.filter(request=request, number=number).first()
    if row is None:
        raise NotFound()
    return row


def is_genuine(row: ForgetReport) -> bool:
    """Return whether a kept report still is what was signed."""
    return not check(exported(row.document, row.sha256, row.signature), public_key())


def handed_out(row: ForgetReport) -> dict[str, Any]:
    """Return a report as a file or an answer carries it: the document and its signature."""
    return exported(row.document, row.sha256, row.signature)
