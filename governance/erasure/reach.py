"""From what a request names to every row it touches. Reads only; a fixed number of queries per thousand rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from governance.candidates.models import Candidate, SavedFilter
from governance.conflicts.models import Claim, Conflict
from governance.erasure.models import ForgetRequest
from governance.erasure.rules import Reach, Selector, selector_of
from governance.erasure.wording import meant
from governance.evidence.models import Observation
from governance.index.models import Entry, Removal
from governance.ledger import sealing
from governance.ledger.erasing import several
from governance.ledger.models import Content, ContentKey, Event
from governance.lifecycle.models import Hold
from governance.memories.models import About, Derivation, Evidence, Memory, Version
from governance.memories.rules import key_text
from governance.policies import queries as policies
from governance.policies.rules import normalise_key
from governance.retrieval.models import Recall
from governance.scopes.models import Scope, Subject
from governance.scopes.queries import users_of


def reach(request: ForgetRequest, selector: Selector, *, chosen: Sequence[str] | None = None) -> Reach:
    """Return everything a request touches as things stand. `chosen` are the memories meant, where words found more."""
    if request.whole_person and request.subject is not None:
        return of_person(request.id, request.subject)
    scopes = _scopes(request)
    rows = Memory.objects.filter(tenant=request.tenant_id, erased=False)
    said: set[str] = set()
    if selector.memory_ids:
        rows = rows.filter(pk__in=selector.memory_ids)
    else:
        rows = rows.filter(scope__in=[s.id for s in scopes])
    proposed: set[str] = set()
    if selector.keys:
        wanted = [sealing.mac(s.id, key_text(normalise_key(k))) for s in scopes for k in selector.keys]
        rows = rows.filter(key_mac__in=wanted)
        proposed = set(_proposals(scopes).filter(key_mac__in=wanted).values_list("pk", flat=True))
    memories = list(rows.values_list("pk", flat=True))
    if selector.words:
        found = meant(selector.words, memories, _proposals(scopes), _turns(request, scopes), _labels(request.tenant_id))
        memories, proposed, said = found.memories, set(found.candidates), set(found.observations)
    if chosen is not None:
        spared = set(memories) - set(chosen)
        memories = [m for m in memories if m not in spared]
        proposed -= set(pks(Candidate, memory__in=spared)) | set(pks(Candidate, target__in=spared))
        said -= _observations(sorted(spared), (), ()) - _observations(memories, proposed, ())
    whole_scopes = [s.id for s in scopes] if selector.whole else []
    return _around(request.id, request.tenant_id, memories, candidates=proposed, observations=said, scopes=whole_scopes)


def of_person(request: str, subject: Subject) -> Reach:
    """Return everything kept of one person."""
    scopes = list(Scope.objects.filter(subject=subject).values_list("pk", flat=True))
    rows = Memory.objects.filter(erased=False, tenant=subject.tenant_id)
    memories = set(rows.filter(scope__in=scopes).values_list("pk", flat=True))
    memories |= set(rows.filter(abouts__subject=subject).values_list("pk", flat=True))
    return _around(request, subject.tenant_id, memories, observations=(), scopes=scopes, subject=subject)


def _scopes(request: ForgetRequest) -> list[Scope]:
    """Return the scopes that are searched: the one named, or all of the person's."""
    if request.scope is not None:
        return [request.scope]
    return list(Scope.objects.filter(subject=request.subject)) if request.subject is not None else []


def _proposals(scopes: Sequence[Scope]) -> QuerySet[Candidate]:
    return Candidate.objects.filter(scope__in=[s.id for s in scopes]).exclude(status="erased")


def _turns(request: ForgetRequest, scopes: Sequence[Scope]) -> QuerySet[Observation]:
    """Return what may have said it: all turns of a person, or those of a session or project that is nobody's own."""
    subject = request.subject_id or (request.scope.subject_id if request.scope else None)
    if subject:
        return Observation.objects.filter(subject=subject)
    ids = [s.id for s in scopes]
    return Observation.objects.filter(Q(session__in=ids) | Q(project__scope__in=ids)).distinct()


def _labels(tenant: str) -> dict[str, str]:
    """Return what keys are called, in every language, by their rule."""
    return {rule.id: " ".join(rule.labels.values()) for rule in policies.current(tenant).key_rules}


def _around(
    request: str,
    tenant: str,
    memories: Iterable[str],
    *,
    candidates: Iterable[str] = (),
    observations: Iterable[str],
    scopes: Sequence[str],
    subject: Subject | None = None,
) -> Reach:
    """Return some memories with all that hangs on them; of a whole scope or person also what became no memory."""
    found = sorted(memories)
    candidates = _candidates(found, scopes, subject) | set(candidates)
    conflicts = set(pks(Conflict, memory__in=found)) | set(pks(Conflict, scope__in=scopes))
    said = {*observations, *_observations(found, candidates, conflicts)}
    said |= set(pks(Observation, session__in=scopes)) | set(pks(Observation, project__scope__in=scopes))
    if subject is not None:
        said |= set(Observation.objects.filter(subject=subject).values_list("pk", flat=True))
    recalls = _recalls(found, subject)
    derived = _derived(tenant, found)
    contents = {
        "memories": _contents_of(tenant, found) | set(column(Evidence, "content", memory__in=found)),
        "candidates": _contents_of(tenant, candidates),
        "conflicts": _contents_of(tenant, conflicts),
        "observations": _contents_of(tenant, said),
        "derived": derived.contents,
        "recalls": set(column(Recall, "content", pk__in=sorted(recalls))),
        "identity": _identity(tenant, scopes, subject) | _files(request, tenant, found, subject),
    }
    contents["identity"] |= _keyed(subject, {c for ids in contents.values() for c in ids})
    others = _of_others(contents, found)
    told: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set(others)
    for group, ids in contents.items():  # what several hold in common is counted once
        told[group] = tuple(sorted(ids - taken))
        taken |= ids
    entries = [*_rows(Entry, ("pk", "shard"), memory__in=found), *derived.entries]
    shards = {s for _, s in entries if s} | set(column(Removal, "shard", entry__in=[e for e, _ in entries]))
    return Reach(
        request=request,
        tenant=tenant,
        subject=subject.id if subject else "",
        scopes=tuple(sorted(scopes)),
        memories=tuple(found),
        derived=tuple(sorted(derived.memories)),
        candidates=tuple(sorted(candidates)),
        conflicts=tuple(sorted(conflicts)),
        observations=tuple(sorted(said)),
        recalls=tuple(sorted(recalls)),
        contents=told,
        kids=tuple(sorted(_kids([c for ids in told.values() for c in ids], others, subject))),
        entries=tuple(sorted(e for e, _ in entries)),
        shards=tuple(sorted(shards)),
        shared=_shared(subject),
        kept=len(others),
    )


def pks(model: Any, **several_in: Iterable[Any]) -> Iterator[Any]:
    """Yield the ids of the rows whose field is one of many values."""
    return column(model, "pk", **several_in)


def column(model: Any, name: str, **several_in: Iterable[Any]) -> Iterator[Any]:
    """Yield what one column holds in the rows whose field is one of many values, NULL left out."""
    return (row[0] for row in _rows(model, (name,), **several_in) if row[0] is not None)


def _rows(model: Any, columns: Sequence[str], **several_in: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield columns of the rows (of a table, or some of it) whose field is one of many values, hundreds at a time."""
    ((name, values),) = several_in.items()
    rows = model if isinstance(model, QuerySet) else model.objects
    for some in several(values):
        yield from rows.filter(**{name: some}).values_list(*columns)


def _candidates(memories: Sequence[str], scopes: Sequence[str], subject: Subject | None) -> set[str]:
    found = set(pks(Candidate, memory__in=memories)) | set(pks(Candidate, target__in=memories))
    found |= set(pks(Candidate, scope__in=scopes))
    keys = set(_rows(Memory, ("scope", "key_mac"), pk__in=memories))
    macs = {(scope, bytes(mac)) for scope, mac in keys if mac}
    for some in several({mac for _, mac in macs}):
        same = Candidate.objects.filter(key_mac__in=some).values_list("pk", "scope", "key_mac")
        found |= {pk for pk, scope, mac in same if (scope, bytes(mac)) in macs}
    if subject is not None:  # named in a wider scope, and became no memory
        told = Candidate.objects.filter(tenant=subject.tenant_id).exclude(scope__in=scopes)
        told = told.annotate(people=Cast("subjects", TextField())).filter(people__contains=subject.id)
        found |= set(told.values_list("pk", flat=True))
    return found


def _observations(memories: Sequence[str], candidates: Iterable[str], conflicts: Iterable[str]) -> set[str]:
    found = set(column(Version, "observation", memory__in=memories))
    found |= set(column(Evidence, "observation", memory__in=memories))
    found |= set(column(Candidate, "observation", pk__in=candidates))
    return found | set(column(Claim, "observation", conflict__in=conflicts))


def _recalls(memories: Sequence[str], subject: Subject | None) -> set[str]:
    """Return the recalls whose question goes: all of a person; else those of whose they are that gave one of these."""
    if subject is not None:
        return set(Recall.objects.filter(subject=subject).values_list("pk", flat=True))
    whose = set(column(Memory, "scope__subject", pk__in=memories))
    wanted = set(memories)
    rows = Recall.objects.filter(subject__in=whose, content__isnull=False).values_list("pk", "hits")
    return {pk for pk, hits in rows if any(h["memory"] in wanted for h in hits)}


def _contents_of(tenant: str, streams: Iterable[str]) -> set[str]:
    """Return all the words that the events of some streams ever named."""
    found: set[str] = set()
    for some in several(streams):
        # In no order: where SQLite knows nothing of the table yet, it would rather read all of the log than sort.
        rows = Event.objects.filter(tenant=tenant, stream__in=some).order_by()
        for header in rows.values_list("header", flat=True):
            found.update(orjson.loads(bytes(header))["contents"])
    return found


def _identity(tenant: str, scopes: Sequence[str], subject: Subject | None) -> set[str]:
    if subject is None:  # of a whole project: what it is called
        return _contents_of(tenant, column(Scope, "project", pk__in=scopes))
    named = users_of([subject.id])[subject.id]
    sessions = Scope.objects.filter(pk__in=scopes, level="session", content__isnull=False)
    found = _contents_of(tenant, [subject.id]) | set(sessions.values_list("content", flat=True))
    return found | _searches(tenant, named)


def _keyed(subject: Subject | None, known: Iterable[str]) -> set[str]:
    """Return the words under a person's own keys that nothing else led to: their keys go, so the log has to say so."""
    if subject is None:
        return set()
    keys = set(ContentKey.objects.filter(subject=subject.id).values_list("kid", flat=True))
    return set(pks(Content, kid__in=keys - set(column(Content, "kid", pk__in=known))))


def _searches(tenant: str, named: str) -> set[str]:
    """Return the saved searches that name a person by the id callers use."""
    if not named:
        return set()
    rows = SavedFilter.objects.filter(tenant=tenant, content__isnull=False).values_list("content", flat=True)
    opened = sealing.unseal(c for c in rows if c)
    return {c for c, words in opened.items() if any(named.casefold() in str(v).casefold() for v in words.values())}


def _files(request: str, tenant: str, memories: Sequence[str], subject: Subject | None) -> set[str]:
    """Return what was noted of legal holds that are over, and who asked, and why, in other requests of the same."""
    found = set(column(Hold.objects.exclude(lifted_at=None), "content", memory__in=memories))
    if subject is None:
        return found
    named, wanted = users_of([subject.id])[subject.id], set(memories)
    rows = ForgetRequest.objects.filter(tenant=tenant).exclude(pk=request).values_list("content", "subject")
    files = dict(rows)
    for content, words in sealing.unseal(files).items():
        said = selector_of(words.get("selector", {}))
        if files[content] == subject.id or (named and said.user == named) or wanted & set(said.memory_ids):
            found.add(content)
    return found


@dataclass(frozen=True)
class _Derived:
    """Versions of summaries that say something of what is meant, and of other memories too."""

    memories: set[str]
    contents: set[str]
    entries: list[tuple[int, int | None]]


def _derived(tenant: str, memories: Sequence[str]) -> _Derived:
    own = set(memories)
    rows = _rows(Derivation, ("memory", "version"), source__in=memories)
    versions = {f"{memory}.{number}" for memory, number in rows if memory not in own}
    summaries = {v.rpartition(".")[0] for v in versions}
    proposals = Candidate.objects.filter(tenant=tenant, source_type="summary").values_list("pk", "derived_from")
    said = {pk for pk, sources in proposals if own & {source for source, _ in sources}}
    contents = set(column(Version, "content", pk__in=versions)) | _contents_of(tenant, said)
    held = _rows(Entry, ("pk", "shard", "memory", "number"), memory__in=summaries)
    return _Derived(summaries, contents, [(pk, s) for pk, s, memory, n in held if f"{memory}.{n}" in versions])


def _of_others(contents: dict[str, set[str]], memories: Sequence[str]) -> set[str]:
    """Return the contents among these that memories rest on which are not meant."""
    own = set(memories)
    found = set()
    for some in several({c for group, ids in contents.items() if group != "derived" for c in ids}):
        for content, memory in Version.objects.filter(content__in=some).values_list("content", "memory"):
            if memory not in own:
                found.add(content)
    return found


def _kids(contents: Iterable[str], others: Iterable[str], subject: Subject | None) -> set[str]:
    found = set(column(Content, "kid", pk__in=contents))
    if subject is not None:
        theirs = set(ContentKey.objects.filter(subject=subject.id).values_list("kid", flat=True))
        found |= theirs - set(column(Content, "kid", pk__in=others))
    return found


def _shared(subject: Subject | None) -> int:
    if subject is None:
        return 0
    theirs = About.objects.filter(subject=subject).values("memory")
    rows = Memory.objects.filter(pk__in=theirs, erased=False).annotate(people=Count("abouts"))
    return rows.filter(people__gt=1).count()
