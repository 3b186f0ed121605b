"""Memories as agents may look at them, outside a recall: one by its id, or the list of those a key may inspect."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet

from governance.errors import Gone, Invalid, NotAllowed, NotFound
from governance.ledger import sealing
from governance.memories.models import Memory, MemoryQuerySet, Version
from governance.memories.queries import MemoryView, Moment, gone_stale, narrowed, with_key
from governance.scopes.models import Scope
from governance.scopes.queries import find_project, find_subject, reaches, within_reach
from governance.scopes.rules import Actor, session_text


def memory_for_agent(actor: Actor, memory: str, *actions: str) -> Memory:
    """Return a memory on which a key grants one of some actions. Raises NotAllowed, NotFound, Gone once erased."""
    if not any(actor.holds(action) for action in actions):
        raise NotAllowed(f"This key does not grant {' or '.join(actions)}.")
    row = Memory.objects.select_related("scope", "scope__project").filter(pk=memory).first()
    if row is None or not any(reaches(actor, row.scope, action) for action in actions):
        raise NotFound()
    if row.erased:
        raise Gone()
    return row


@dataclass(frozen=True)
class Wanted:
    """Which memories an agent wants listed; `user`, `project`, `session` are ids as it knows them, "" is any."""

    level: str = ""
    kind: str = ""
    status: str = ""
    user: str = ""
    project: str = ""
    session: str = ""
    key: str = ""
    moment: Moment = field(default_factory=Moment)


def listed_for_agent(actor: Actor, wanted: Wanted) -> MemoryQuerySet:
    """Return the memories a key may inspect, newest first. Raises Invalid, NotAllowed, NotFound."""
    if not actor.holds("inspect"):
        raise NotAllowed("This key does not grant inspect.")
    if wanted.status and wanted.moment.known_at is not None:
        raise Invalid({"/status": "cannot be asked together with known_at"})
    if wanted.key and not (wanted.user or wanted.project or wanted.level in ("agent", "tenant")):
        raise Invalid({"/key": "needs a user, a project, or one of the levels agent and tenant"})
    rows = Memory.objects.filter(tenant=actor.tenant, scope__in=_wanted_scopes(actor, wanted))
    facets = {"level": wanted.level, "kind": wanted.kind, "status": wanted.status}
    rows = narrowed(rows, {name: value for name, value in facets.items() if value}, wanted.moment.as_of)
    if wanted.moment.known_at is not None:
        first = Version.objects.filter(number=1, recorded_at__lte=wanted.moment.known_at)
        rows = rows.filter(pk__in=first.values("memory"))
    return with_key(rows, wanted.key) if wanted.key else rows.order_by("-created_seq")


def _wanted_scopes(actor: Actor, wanted: Wanted) -> QuerySet[Scope]:
    """Return the scopes of a search within the key's reach; an unseen user has none. Raises Invalid, NotFound."""
    rows = within_reach(actor, "inspect")
    if wanted.session and not wanted.user:
        raise Invalid({"/user": "is needed with a session"})
    if wanted.user:
        subject = find_subject(actor.tenant, wanted.user)
        if actor.users is not None and (subject is None or not actor.serves(subject.id)):
            raise NotFound()
        rows = rows.filter(subject=subject) if subject else rows.none()
        if subject and wanted.session:
            rows = rows.filter(session_mac=sealing.mac(actor.tenant, session_text(subject.id, wanted.session)))
    if wanted.project:
        project = find_project(actor.tenant, wanted.project)
        if project is None or not actor.holds("inspect", "project", project.id):
            raise NotFound()
        rows = rows.filter(project=project)
    return rows


def for_agents(found: Iterable[MemoryView], memories: Iterable[Memory]) -> list[MemoryView]:
    """Return views without the words of what is retracted or erased by now, and of summaries that still say it: agents
    are not given them, whatever moment they ask about."""
    rows = list(found)
    living = {m.id for m in memories if m.slot is not None and not m.erased}
    summaries = {v.id for v in rows if v.source_type == "summary"}
    stale = Version.objects.filter(gone_stale(), memory__in=summaries) if summaries else Version.objects.none()
    outdated = set(stale.values_list("memory", "number")) if summaries else set()
    return [v if v.id in living and (v.id, v.version) not in outdated else _skeleton(v) for v in rows]


def _skeleton(view: MemoryView) -> MemoryView:
    blank: dict[str, Any] = dict.fromkeys(("about", "key", "content", "context", "source_ref", "note"), "")
    evidence = tuple({**e, "quote": ""} for e in view.evidence)
    return replace(view, status="retracted", value=None, evidence=evidence, tags=(), **blank)
