"""What concerns an agent and was not its own doing: decisions on its proposals, conflicts in which it made a claim."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime

import orjson
from django.db.models import Q, QuerySet
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.conflicts.models import Claim
from governance.erasure.recipients import note_acknowledged
from governance.errors import NotFound
from governance.ledger.models import Event
from governance.ledger.writing import writing
from governance.overview.models import NoticeAck
from governance.scopes.queries import within_reach
from governance.scopes.rules import Actor

DECISIONS = (
    "candidate-judged-again",
    "candidate-edited",
    "candidate-committed",
    "candidate-merged",
    "candidate-rejected",
    "candidate-withdrawn",
    "candidate-expired",
    "candidate-erased",
    "candidate-reopened",
)
ERASED = "recipient-told"
CONFLICTS = ("conflict-opened", "question-written", "conflict-resolved", "conflict-reversed")


@dataclass(frozen=True)
class Notice:
    """One event as an agent is told of it: by ids and codes, never words. Its id is the event's."""

    id: str
    type: str
    at: datetime
    candidate: str
    conflict: str
    memory: str
    version: int | None
    reason: str
    memories: tuple[str, ...] = ()  # that it was given and must let go of: they are erased


def concerning(actor: Actor) -> QuerySet[Event]:
    """Return the events that concern an agent, within its key's reach, oldest first."""
    proposed = Candidate.objects.filter(agent=actor.agent, scope__in=within_reach(actor, "propose"))
    claimed = Claim.objects.filter(agent=actor.agent, conflict__scope__in=within_reach(actor, "recall"))
    mine = Q(type__in=DECISIONS, stream__in=proposed.values("pk"))
    mine |= Q(type=ERASED, stream=actor.agent)
    mine |= Q(type__in=CONFLICTS, stream__in=claimed.values("conflict"))
    return Event.objects.filter(mine, tenant=actor.tenant).exclude(actor=actor.id).order_by("seq")


def unread(actor: Actor, *, after: str = "") -> QuerySet[Event]:
    """Return what an agent has yet to acknowledge, oldest first; `after` one notice or all. Raises NotFound."""
    rows = concerning(actor).exclude(pk__in=NoticeAck.objects.filter(agent=actor.agent).values("event"))
    return rows.filter(seq__gt=_one(actor, after).seq) if after else rows


def acknowledge(notice: str, *, by: Actor) -> NoticeAck:
    """Return the note that an agent took notice of an event; the first one, when it says so again. Raises NotFound.

    That it knows of an erasure is an event: reports name it.
    """
    event = _one(by, notice)
    with writing(by.tenant, by=by.id) if event.type == ERASED else nullcontext() as w:
        row, is_new = NoticeAck.objects.get_or_create(
            agent_id=by.agent, event=event.id, defaults={"at": timezone.now()}
        )
        if w is not None and is_new:
            note_acknowledged(w, event)
    return row


def notices(events: Iterable[Event]) -> list[Notice]:
    """Return events as notices, in order."""
    return [_notice(event) for event in events]


def _one(actor: Actor, notice: str) -> Event:
    row = concerning(actor).filter(pk=notice).first()
    if row is None:
        raise NotFound()
    return row


def _notice(event: Event) -> Notice:
    data = orjson.loads(bytes(event.header))["data"]
    is_decision = event.type in DECISIONS
    return Notice(
        id=event.id,
        type=event.type,
        at=event.recorded_at,
        candidate=event.stream if is_decision else "",
        conflict=data.get("conflict", "") if is_decision else event.stream if event.type in CONFLICTS else "",
        memory=data.get("memory", ""),
        version=data.get("memory_version"),
        memories=tuple(data["memories"]) if event.type == ERASED else (),
        reason=str(data.get("reason") or data.get("choice") or ""),
    )
