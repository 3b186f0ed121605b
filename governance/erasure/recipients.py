"""Agents that were given what is erased, read off the traces that are kept: told by ids, and what they answered."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.utils import timezone

from governance.erasure.events import RecipientAcknowledged
from governance.erasure.models import ForgetRequest
from governance.erasure.rules import Reach
from governance.ledger.erasing import several
from governance.ledger.events import stamp
from governance.ledger.models import Event
from governance.ledger.writing import Writing
from governance.memories.models import Derivation
from governance.retrieval.models import GIVEN, Recall

WINDOW = timedelta(days=90)
TOLD, ACKNOWLEDGED = "recipient-told", "recipient-acknowledged"


@dataclass
class Told:
    """An agent that was told of an erasure, of how many memories, and when it took notice."""

    agent: str
    memories: int
    told_at: datetime
    acknowledged_at: datetime | None = None

    def line(self) -> dict[str, Any]:
        """Return it as reports have it."""
        at = {"told_at": stamp(self.told_at), "acknowledged_at": stamp(self.acknowledged_at)}
        return {"agent": self.agent, "memories": self.memories, "told": True, **at}


def recipients(reach: Reach, since: datetime | None = None) -> dict[str, list[str]]:
    """Return, by agent, the memories of a reach that recalls of the last WINDOW gave it, or those since a time;
    summaries among them where a version was given that said some of it."""
    wanted, said = set(reach.memories), _said(reach)
    found: dict[str, set[str]] = {}
    asked = {"asked_at__gte": max(since or timezone.now() - WINDOW, timezone.now() - WINDOW)}
    rows = Recall.objects.filter(tenant=reach.tenant, agent__isnull=False, **asked)
    for agent, hits in rows.values_list("agent", "hits").iterator(chunk_size=500) if wanted else ():
        given = {(hit["memory"], hit["version"]) for hit in hits if hit["fate"] in GIVEN}
        shown = {memory for memory, number in given if memory in wanted or (memory, number) in said}
        if shown:
            found.setdefault(str(agent), set()).update(shown)
    return {agent: sorted(memories) for agent, memories in sorted(found.items())}


def told_of(request: ForgetRequest) -> list[Told]:
    """Return the agents that were told what a request erased, the first one first; one told twice is there twice."""
    found: dict[str, Told] = {}
    rows = Event.objects.filter(tenant=request.tenant_id, type__in=(TOLD, ACKNOWLEDGED)).order_by("seq")
    for row in rows.filter(seq__gt=request.created_seq):
        data = orjson.loads(bytes(row.header))["data"]
        if data["request"] != request.id:
            continue
        if row.type == TOLD:
            found[row.id] = Told(row.stream, len(data["memories"]), row.recorded_at)
        else:
            found[data["told"]].acknowledged_at = row.recorded_at
    return list(found.values())


def _said(reach: Reach) -> set[tuple[str, int]]:
    """Return the versions of summaries of others too that say, or said, something of a reach."""
    summaries, derived = set[tuple[str, int]](), set(reach.derived)
    for some in several(reach.memories):
        rows = Derivation.objects.filter(source__in=some).values_list("memory", "version")
        summaries.update(row for row in rows if row[0] in derived)
    return summaries


def note_acknowledged(w: Writing, told: Event) -> None:
    """Record that an agent took notice of what it was told."""
    request = orjson.loads(bytes(told.header))["data"]["request"]
    w.record(RecipientAcknowledged(request=request, told=told.id), stream=told.stream)
