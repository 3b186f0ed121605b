"""What became of a recall, and why one memory was or was not in it."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from governance.errors import Invalid, NotFound
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.memories.models import Memory, Version
from governance.memories.queries import MemoryView, Moment, views
from governance.retrieval.models import GIVEN, Recall
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

CONTINUABLE = ("limit", "budget")
MOST_CONTINUED = 100


@dataclass(frozen=True)
class Why:
    """Whether a memory was in a recall's answer, else at which stage it was left out and for what reason (a code)."""

    shown: bool
    stage: str
    reason: str
    detail: str = ""
    values: Mapping[str, float] = field(default_factory=dict)  # the numbers in it


_STAGES = {
    "shown": "block",
    "binding": "binding",
    "floor": "relevance",
    "limit": "limit",
    "budget": "budget",
    "always-share": "budget",
    "overruled": "precedence",
    "conflicted": "conflict",
    "gone": "status",
}


def trace(recall: str, by: Actor) -> Recall:
    """Return a recall's trace: an agent's own, or any of the tenant for staff who may see memories. Raises NotFound."""
    rows = Recall.objects.filter(pk=recall, tenant=by.tenant)
    row = rows.filter(agent=by.agent).first() if by.is_agent else rows.first() if by.may("see-memories") else None
    if row is None:
        raise NotFound()
    return row


def listed(by: Actor, *, agent: str = "") -> QuerySet[Recall]:
    """Return the recalls of a tenant whose traces are kept, of one agent or of all, the newest first.

    None for whoever may not see memories.
    """
    rows = Recall.objects.filter(tenant=by.tenant).select_related("agent").order_by("-id")
    rows = rows.filter(agent=agent) if agent else rows
    return rows if by.may("see-memories") else rows.none()


def asked(recall: Recall) -> dict[str, object]:
    """Return the words of a recall's question: {"query", "keys"}; empty once erased."""
    if not recall.content_id:
        return {}
    return dict(sealing.unseal([recall.content_id])[recall.content_id])


def why(recall: str, memory: str, by: Actor) -> Why:
    """Return why a memory was in a recall, or was not. Raises NotFound for one that is unknown or out of its scopes."""
    row = trace(recall, by)
    return why_of(row.hits, row.scopes, Moment(row.as_of or row.asked_at, row.known_at), memory)


def why_of(fates: Iterable[Mapping[str, Any]], scopes: Sequence[str], moment: Moment, memory: str) -> Why:
    """Return why a memory was in an answer, or was not, from what became of its candidates. Raises NotFound."""
    for hit in fates:
        if hit["memory"] == memory:
            stage = _STAGES.get(hit["fate"], "relevance")
            return Why(hit["fate"] in GIVEN, stage, hit["fate"], hit["detail"], hit.get("values", {}))
    found = Memory.objects.select_related("scope").filter(pk=memory, scope__in=scopes).first()
    if found is None:
        raise NotFound()
    view = views([found], moment)
    return _absent(view[0]) if view else Why(False, "status", "not-recorded-yet")


def _absent(view: MemoryView) -> Why:
    """Return why a memory of these scopes was no candidate at all."""
    if view.status not in ("active", "conflicted"):
        return Why(False, "status", view.status)
    if view.binding:
        return Why(True, "binding", "binding")
    return Why(False, "status", "demoted") if view.demoted else Why(False, "relevance", "not-similar")


def continued(cursor: str, by: Actor) -> tuple[str, ...]:
    """Return the memories that an earlier recall left out for want of room, best first. Raises Invalid."""
    row = Recall.objects.filter(pk=cursor, tenant=by.tenant, agent=by.agent or None).first()
    if row is None:
        raise Invalid({"/cursor": "is none of yours; ask again without it"})
    return tuple(h["memory"] for h in row.hits if h["fate"] in CONTINUABLE)[:MOST_CONTINUED]


WHILE = timedelta(hours=1)  # how long what was recalled outside any session is taken to be still in the context
LOOKED_THROUGH = 20  # recalls


def given_before(observation: Observation) -> tuple[str, ...]:
    """Return the sentences that recalls gave the agent of a turn before it: in its session, else in the hour before.

    What an agent was given is no evidence when it comes back (SPEC C5). Four queries at most; erased words are gone.
    """
    if not observation.agent_id:
        return ()
    since = observation.recorded_at - (timedelta(days=1) if observation.session_id else WHILE)
    rows = Recall.objects.filter(agent=observation.agent_id, asked_at__gte=since, asked_at__lte=observation.recorded_at)
    if not observation.recall:
        rows = rows.filter(subject=observation.subject_id)
    recent = list(rows.order_by("-id").only("hits", "scopes", "asked_at")[:LOOKED_THROUGH])
    within = [r for r in recent if r.id == observation.recall] + _of_the_session(recent, observation)
    shown = {(h["memory"], h["version"]) for r in within for h in r.hits if h["fate"] in GIVEN}
    if not shown:
        return ()
    versions = Version.objects.filter(memory__in={m for m, _ in shown}).only("memory_id", "number", "content_id")
    contents = [v.content_id for v in versions if (v.memory_id, v.number) in shown and v.content_id]
    words = sealing.unseal(contents)
    return tuple(sorted({str(w["content"]) for w in words.values() if w and w.get("content")}))


def _of_the_session(recalls: Sequence[Recall], observation: Observation) -> list[Recall]:
    """Return the recalls of a turn's session; where a recall named none that is known, those of the hour before."""
    named = {scope for r in recalls for scope in r.scopes}
    sessions = set(Scope.objects.filter(pk__in=named, level="session").values_list("pk", flat=True)) if named else set()
    since = observation.recorded_at - WHILE
    return [
        r for r in recalls if (observation.session_id in r.scopes if sessions & set(r.scopes) else r.asked_at >= since)
    ]


LATEST_RECALLS = 300  # that are looked through for one memory


@dataclass(frozen=True)
class Shown:
    """A recall in which a memory was a candidate, and what became of it there."""

    recall: Recall
    version: int
    fate: str

    @property
    def is_given(self) -> bool:
        return self.fate in GIVEN


def recalls_of(memory: Memory) -> list[Shown]:
    """Return in which of the latest recalls a memory was a candidate, newest first; one query."""
    rows = Recall.objects.filter(tenant=memory.tenant_id).select_related("agent").order_by("-id")[:LATEST_RECALLS]
    return [Shown(row, hit["version"], hit["fate"]) for row in rows for hit in row.hits if hit["memory"] == memory.id]


@dataclass(frozen=True)
class Given:
    """What an agent was given of some versions: in how many recalls, about how many people."""

    agent: str
    recalls: int
    people: int
    memories: int


def given(tenant: str, versions: Set[tuple[str, int]], since: datetime) -> list[Given]:
    """Return which agents were given some versions since a moment, most recalls first; read from the traces kept."""
    seen: dict[str, tuple[set[str], set[str], set[str]]] = {}
    rows = Recall.objects.filter(tenant=tenant, asked_at__gte=since).exclude(agent=None)
    for row in rows.iterator(chunk_size=500) if versions else ():
        shown = {h["memory"] for h in row.hits if h["fate"] in GIVEN and (h["memory"], h["version"]) in versions}
        if shown:
            recalls, people, memories = seen.setdefault(row.agent_id or "", (set(), set(), set()))
            recalls.add(row.id)
            people.update({row.subject_id} if row.subject_id else ())
            memories.update(shown)
    found = [Given(agent, len(r), len(p), len(m)) for agent, (r, p, m) in seen.items()]
    return sorted(found, key=lambda g: (-g.recalls, g.agent))
