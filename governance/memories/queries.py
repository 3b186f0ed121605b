"""What is remembered, as callers see it: always a fixed number of queries, whatever the length of the list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from governance.errors import NotFound
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.prepared import Prepared
from governance.ledger.sealing import NO_WORDS, Words
from governance.memories.events import stated
from governance.memories.models import About, Derivation, Evidence, Memory, MemoryQuerySet, Period, Version
from governance.memories.rules import at, key_text, shown, timeline
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

# How long ago the latest version was recorded, at most.
AGES = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365)}
SESSION_IDLE = timedelta(hours=24)


@dataclass(frozen=True)
class MemoryView:
    """A memory as one of its versions: everything a page or an answer shows of it."""

    id: str
    version: int
    latest_version: int
    status: str  # active, scheduled, conflicted, superseded, expired, archived, retracted, erased
    scope: Mapping[str, str]  # level and the parts it needs, as callers know them
    scope_id: str
    subjects: tuple[str, ...]  # as callers know them
    about: str
    kind: str
    key: str
    key_rule: str
    value: Any
    content: str
    context: str
    confidence: float
    source_type: str
    source_ref: str
    agent: str
    evidence: tuple[Mapping[str, str], ...]  # observation, quote
    reason: str
    note: str
    always: bool
    binding: bool
    demoted: bool
    tags: tuple[str, ...]
    retention: str
    observed_at: datetime
    last_observed_at: datetime
    recorded_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    valid_from_assumed: bool
    validity: str
    supersedes: int | None
    superseded_by: int | None
    created_by: str
    created_seq: int
    candidate: str = ""
    derived_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moment:
    """The two clocks of a question: what held at `as_of`, as far as was known at `known_at` (None: now)."""

    as_of: datetime = field(default_factory=timezone.now)
    known_at: datetime | None = None


def in_force(scopes: Sequence[str], moment: Moment) -> list[Version]:
    """Return the versions that hold in some scopes at a moment, with their memories; one statement.

    Retracted, erased and archived memories never; sessions that ended, and what held until its project ended, neither.
    """
    if moment.known_at is not None:
        return _believed_then(scopes, moment)
    rows = (
        Version.objects.filter(
            memory__scope__in=scopes,
            memory__slot__isnull=False,
            memory__archived=False,
            periods__starts_at__lte=moment.as_of,
            periods__ends_at__gt=moment.as_of,
        )
        .exclude(_ended_with_project(moment.as_of))
        .exclude(gone_stale())
        .select_related("memory")
    )
    return list(rows)


def gone_stale(memory: str = "memory", number: str = "number", *, of: str = "") -> Q:
    """Return what filters the versions of summaries of which a source says something else by now, or nothing at all.

    From another table: where memory and number are found, and what leads to the version.
    """
    unchanged = Q(source__latest=F("source_version"), source__slot__isnull=False, source__erased=False)
    sources = Derivation.objects.filter(memory=OuterRef(memory), version=OuterRef(number))
    return Q(**{f"{of}source_type": "summary"}) & Q(Exists(sources.exclude(unchanged)))


def without_stale(versions: Sequence[Version]) -> list[Version]:
    """Return versions without those of summaries that have gone stale; no query where no summary is among them."""
    summaries = [v.id for v in versions if v.source_type == "summary"]
    stale = set(
        Version.objects.filter(gone_stale(), pk__in=summaries).values_list("pk", flat=True) if summaries else ()
    )
    return [v for v in versions if v.id not in stale]


def _ended_with_project(moment: datetime) -> Q:
    return Q(validity="until_project_end", memory__scope__project__closed_at__lte=moment)


def _believed_then(scopes: Sequence[str], moment: Moment) -> list[Version]:
    """Return what was believed at `known_at` to hold at `as_of`: the same timeline over what was recorded by then."""
    rows = (
        Version.objects.filter(memory__scope__in=scopes, memory__slot__isnull=False, memory__archived=False)
        .filter(recorded_at__lte=moment.known_at)
        .exclude(_ended_with_project(moment.as_of))
        .exclude(gone_stale())
        .select_related("memory")
    )
    by_memory: dict[str, list[Version]] = {}
    for row in rows:
        by_memory.setdefault(row.memory_id, []).append(row)
    held = []
    for versions in by_memory.values():
        number = at(timeline(stated(v) for v in versions), moment.as_of)
        held += [v for v in versions if v.number == number]
    return held


def living_sessions(scopes: Iterable[Scope], now: datetime) -> list[Scope]:
    """Return the scopes without the sessions that ended or lay idle for a day."""
    scopes = list(scopes)
    sessions = [s for s in scopes if s.level == "session"]
    if not sessions:
        return scopes
    recent = now - SESSION_IDLE
    ids = [s.id for s in sessions]
    active = set(Observation.objects.filter(session__in=ids, recorded_at__gt=recent).values_list("session", flat=True))
    active |= set(
        Version.objects.filter(memory__scope__in=ids, recorded_at__gt=recent).values_list("memory__scope", flat=True)
    )
    return [
        s for s in scopes if s.level != "session" or (s.ended_at is None and (s.id in active or s.opened_at > recent))
    ]


def memory_for(tenant: str, memory: str) -> Memory:
    """Return a memory of a tenant. Raises NotFound."""
    row = Memory.objects.select_related("scope").filter(pk=memory, tenant=tenant).first()
    if row is None:
        raise NotFound()
    return row


def views(memories: Iterable[Memory], moment: Moment | None = None) -> list[MemoryView]:
    """Return each memory as the version that holds at a moment; where none does, as its latest."""
    moment = moment or Moment()
    rows = list(memories)
    versions = _versions_of(rows, moment)
    chosen = {m.id: _shown_number(m, versions.get(m.id, []), moment) for m in rows}
    pairs = [(m, v) for m in rows for v in versions.get(m.id, []) if v.number == chosen[m.id]]
    return _build(pairs, versions, moment, Known())


def history(memory: Memory, moment: Moment | None = None) -> list[MemoryView]:
    """Return every version of a memory, oldest first."""
    moment = moment or Moment()
    versions = _versions_of([memory], moment)
    return _build([(memory, v) for v in versions.get(memory.id, [])], versions, moment, Known())


@dataclass(frozen=True)
class Known:
    """What a caller has read already and need not be read again: scopes with their subject and project, words."""

    scopes: Mapping[str, Scope] = field(default_factory=dict)
    words: Mapping[str, Words] = field(default_factory=dict)


def views_of_versions(
    versions: Iterable[Version],
    moment: Moment,
    *,
    among: Mapping[str, Sequence[Version]] | None = None,
    known: Known | None = None,
) -> list[MemoryView]:
    """Return versions already chosen (with their memories loaded), in the same order.

    `among` are all versions of their memories, where the caller has them.
    """
    rows = list(versions)
    if not rows:
        return []
    if among is None:
        among = _versions_of([v.memory for v in rows], moment)
    elif moment.known_at is not None:
        among = {m: [v for v in all_of if v.recorded_at <= moment.known_at] for m, all_of in among.items()}
    return _build([(v.memory, v) for v in rows], among, moment, known or Known())


def _live_versions(memories: Iterable[str]) -> QuerySet[Version]:
    rows = Version.objects.filter(
        memory__in=memories, memory__slot__isnull=False, memory__archived=False, memory__erased=False
    )
    return rows.select_related("memory").order_by("memory", "number")


_LIVE = Prepared(_live_versions)


def live_versions(memories: Iterable[str]) -> dict[str, list[Version]]:
    """Return all versions, with their memory, of those memories that are neither retracted, archived nor erased."""
    found: dict[str, list[Version]] = {}
    for row in _LIVE(memories=list(memories)):
        found.setdefault(row.memory_id, []).append(row)
    return found


def in_force_of(versions: Mapping[str, Sequence[Version]], moment: Moment) -> list[Version]:
    """Return of each memory the version that holds at a moment, given all that were stated."""
    found = []
    for rows in versions.values():
        number = at(timeline(stated(v) for v in rows), moment.as_of)
        found += [v for v in rows if v.number == number and not v.tombstone]
    return found


def versions_of(memory: Memory) -> QuerySet[Version]:
    """Return every version of a memory, oldest first, ready for a page of `views_of_versions`."""
    return Version.objects.filter(memory=memory).select_related("memory").order_by("number")


def _versions_of(memories: Sequence[Memory], moment: Moment) -> dict[str, list[Version]]:
    rows = Version.objects.filter(memory__in=[m.id for m in memories]).order_by("number")
    if moment.known_at is not None:
        rows = rows.filter(recorded_at__lte=moment.known_at)
    found: dict[str, list[Version]] = {}
    for row in rows:
        found.setdefault(row.memory_id, []).append(row)
    return found


def _shown_number(memory: Memory, versions: Sequence[Version], moment: Moment) -> int | None:
    if not versions:
        return None
    held = at(timeline(stated(v) for v in versions), moment.as_of)
    return held if held is not None else versions[-1].number


_ABOUT = Prepared(lambda memories: About.objects.filter(memory__in=memories).select_related("subject").order_by("id"))
_EVIDENCE = Prepared(lambda memories: Evidence.objects.filter(memory__in=memories).order_by("added_at"))


def _build(
    pairs: Sequence[tuple[Memory, Version]],
    versions: Mapping[str, Sequence[Version]],
    moment: Moment,
    known: Known,
) -> list[MemoryView]:
    memory_ids = [m.id for m, _ in pairs]
    scopes = _scopes_of({m.scope_id for m, _ in pairs}, known)
    evidence = _evidence(memory_ids)
    wanted = {v.content_id for _, v in pairs if v.content_id}
    wanted |= {e.content_id for rows in evidence.values() for e in rows if e.content_id}
    wanted |= {c for s in scopes.values() for c in scope_contents(s)}
    people: list[About] = _ABOUT(memories=memory_ids)
    wanted |= {row.subject.content_id for row in people}
    words = {**known.words, **sealing.unseal(wanted - known.words.keys())}
    sources = _sources(pairs)
    abouts: dict[str, list[str]] = {}
    for row in people:
        abouts.setdefault(row.memory_id, []).append(words.get(row.subject.content_id, NO_WORDS).get("user", ""))
    return [
        replace(
            _view(
                m, v, versions[m.id], scopes[m.scope_id], words, evidence.get(m.id, []), abouts.get(m.id, []), moment
            ),
            derived_from=sources.get((m.id, v.number), ()),
        )
        for m, v in pairs
    ]


def _scopes_of(ids: set[str], known: Known) -> dict[str, Scope]:
    missing = ids - known.scopes.keys()
    rows = Scope.objects.filter(pk__in=missing).select_related("subject", "project") if missing else ()
    return {**known.scopes, **{s.id: s for s in rows}}


def _sources(pairs: Sequence[tuple[Memory, Version]]) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return what summaries among some versions rest on; no query where there are none."""
    summaries = {m.id for m, v in pairs if v.source_type == "summary"}
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for row in Derivation.objects.filter(memory__in=summaries).order_by("id") if summaries else ():
        place = (row.memory_id, row.version)
        found[place] = (*found.get(place, ()), row.source_id)
    return found


def _evidence(memories: Sequence[str]) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for row in _EVIDENCE(memories=memories):
        found.setdefault(row.memory_id, []).append(row)
    return found


def scope_contents(scope: Scope) -> list[str]:
    """Return the contents that hold the names of a scope (loaded with subject and project)."""
    ids = [scope.content_id or ""]
    ids.append(scope.subject.content_id if scope.subject else "")
    ids.append(scope.project.content_id if scope.project else "")
    return [i for i in ids if i]


def scope_parts(scope: Scope, words: Mapping[str, Words]) -> dict[str, str]:
    """Return a scope as callers write it: its level and the parts that level needs."""
    parts = {"level": scope.level}
    if scope.subject is not None:
        parts["user"] = words.get(scope.subject.content_id, NO_WORDS).get("user", "")
    if scope.level == "session" and scope.content_id:
        parts["session"] = words.get(scope.content_id, NO_WORDS).get("session", "")
    if scope.project is not None:
        parts["project"] = words.get(scope.project.content_id, NO_WORDS).get("project", "")
    return parts


def describe_scopes(scopes: Iterable[Scope]) -> dict[str, dict[str, str]]:
    """Return scopes (loaded with subject and project) by id, as callers write them; a fixed number of queries."""
    rows = list(scopes)
    words = sealing.unseal({c for s in rows for c in scope_contents(s)})
    return {s.id: scope_parts(s, words) for s in rows}


def _status(memory: Memory, version: Version, versions: Sequence[Version], scope: Scope, moment: Moment) -> str:
    if memory.erased:
        return "erased"
    if version.tombstone:
        return "retracted"
    spans = timeline(stated(v) for v in versions)
    own = [s for s in spans if s.number == version.number]
    closed = scope.project.closed_at if scope.project and version.validity == "until_project_end" else scope.ended_at
    if any(s.starts_at <= moment.as_of < s.ends_at for s in own):
        if closed is not None and closed <= moment.as_of:
            return "expired"
        return "archived" if memory.archived else "conflicted" if memory.contested else "active"
    if any(s.starts_at > moment.as_of for s in own):
        return "scheduled"
    if version.valid_to is not None and version.valid_to <= moment.as_of and own:
        return "expired"
    if version.number < versions[-1].number:
        return "superseded"
    return "archived" if memory.archived else "expired"


def _view(
    memory: Memory,
    version: Version,
    versions: Sequence[Version],
    scope: Scope,
    words: Mapping[str, Words],
    evidence: Sequence[Evidence],
    abouts: Sequence[str],
    moment: Moment,
) -> MemoryView:
    said = words.get(version.content_id or "", NO_WORDS)
    later = next((v.number for v in versions if v.supersedes == version.number), None)
    quotes = [{"observation": version.observation_id or "", "quote": said.get("quote", "")}]
    for row in evidence:
        if row.version == version.number:
            quote = words.get(row.content_id or "", NO_WORDS).get("quote", "")
            quotes.append({"observation": row.observation_id or "", "quote": quote})
    return MemoryView(
        id=memory.id,
        version=version.number,
        latest_version=memory.latest,
        status=_status(memory, version, versions, scope, moment),
        scope=scope_parts(scope, words),
        scope_id=scope.id,
        subjects=tuple(abouts),
        about=said.get("about", ""),
        kind=version.kind,
        key=said.get("key", ""),
        key_rule=memory.key_rule,
        value=said.get("value"),
        content=said.get("content", ""),
        context=said.get("context", ""),
        confidence=version.confidence,
        source_type=version.source_type,
        source_ref=said.get("source_ref", ""),
        agent=version.agent_id or "",
        evidence=tuple(q for q in quotes if q["observation"] or q["quote"]),
        reason=version.reason,
        note=said.get("note", ""),
        always=version.always,
        binding=version.binding,
        demoted=memory.demoted,
        tags=tuple(said.get("tags", ())),
        retention=version.retention,
        observed_at=version.observed_at,
        last_observed_at=memory.last_observed_at,
        recorded_at=version.recorded_at,
        valid_from=shown(version.valid_from),
        valid_to=version.valid_to,
        valid_from_assumed=version.valid_from_assumed,
        validity=version.validity,
        supersedes=version.supersedes,
        superseded_by=later,
        created_by=version.created_by,
        created_seq=memory.created_seq,
        candidate=version.candidate,
    )


def listed(tenant: str) -> QuerySet[Memory]:
    """Return a tenant's memories, newest first, ready for a page of `views`."""
    return Memory.objects.filter(tenant=tenant).order_by("-created_seq")


def visible_to(actor: Actor) -> MemoryQuerySet:
    """Return the memories a member may see: their tenant's, for a reviewer limited to projects those alone."""
    rows = Memory.objects.filter(tenant=actor.tenant)
    if not actor.may("see-memories"):
        return rows.none()
    return rows if actor.projects is None else rows.filter(scope__project__in=actor.projects)


def narrowed(rows: MemoryQuerySet, facets: Mapping[str, str], moment: datetime) -> MemoryQuerySet:
    """Return the memories that have every facet: level, kind, status, rule (of their key), subject, project, always;
    source, agent and age of their latest version.

    Archived ones are listed where that status is asked for.
    """
    columns = {"level": "scope__level", "kind": "kind", "rule": "key_rule", "project": "scope__project"}
    found = rows.filter(**{columns[name]: value for name, value in facets.items() if name in columns})
    if facets.get("always"):
        found = found.filter(always=True)
    latest = {"source": "source_type", "agent": "agent"}
    said: dict[str, Any] = {latest[name]: value for name, value in facets.items() if name in latest}
    if facets.get("age") in AGES:
        said["recorded_at__gte"] = moment - AGES[facets["age"]]
    if said:
        # Asked of each in the order of the list: joined, all of them would be sorted for one page.
        found = found.filter(Exists(Version.objects.filter(memory=OuterRef("pk"), number=OuterRef("latest"), **said)))
    if "subject" in facets:
        about = About.objects.filter(memory=OuterRef("pk"), subject=facets["subject"])
        found = found.filter(Q(scope__subject=facets["subject"]) | Exists(about))
    return found.with_status(facets["status"], moment) if "status" in facets else found.filter(archived=False)


def scopes_of(rows: MemoryQuerySet, most: int = 500) -> list[Scope]:
    """Return the scopes that some memories lie in, at most so many."""
    wanted = rows.order_by().values("scope").distinct()
    return list(Scope.objects.filter(pk__in=wanted).select_related("project").order_by("id")[:most])


def shared(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Return the memories of scopes that belong to no single person or agent."""
    return rows.filter(scope__level__in=("project", "tenant", "global"))


def with_key(rows: MemoryQuerySet, key: str) -> MemoryQuerySet:
    """Return the memories with exactly this key, newest first; its HMAC is another one in each scope."""
    scopes = set(rows.order_by().values_list("scope", flat=True).distinct())
    sealing.mac_keys(scopes)
    return rows.filter(key_mac__in=[sealing.mac(s, key_text(key)) for s in scopes]).order_by("-created_seq")


def binding_rules(actor: Actor) -> list[Memory]:
    """Return the rules that accompany every recall of a tenant: its own and, after them, everybody's."""
    if not actor.may("see-memories"):
        return []
    rows = Memory.objects.live().filter(binding=True, erased=False)
    found = rows.filter(Q(tenant=actor.tenant) | Q(scope__level="global")).order_by("-created_seq")
    return sorted(found, key=lambda m: m.tenant_id != actor.tenant)


def memory_for_member(actor: Actor, memory: str) -> Memory:
    """Return a memory a member may see. Raises NotFound."""
    row = visible_to(actor).select_related("scope", "scope__project").filter(pk=memory).first()
    if row is None:
        raise NotFound()
    return row


def periods_of(memory: Memory) -> list[Period]:
    """Return what is believed to hold when, in order of time."""
    return list(Period.objects.filter(memory=memory).select_related("version").order_by("starts_at"))
