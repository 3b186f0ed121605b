"""Candidates as agents and reviewers see them."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from django.db.models import Count, Q, QuerySet

from governance.candidates.models import Candidate
from governance.candidates.rules import EARLIEST, LATEST, Draft
from governance.conflicts.models import UNSETTLED, Claim, Conflict
from governance.errors import Gone, NotAllowed, NotFound
from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS, Words
from governance.memories.models import Memory, Version
from governance.memories.queries import scope_contents, scope_parts
from governance.scopes.models import Agent, Scope, Subject
from governance.scopes.queries import reaches, within_reach
from governance.scopes.rules import Actor, ScopeSpec


@dataclass(frozen=True)
class CandidateView:
    """A candidate with its words opened and its scope as callers write it."""

    row: Candidate
    scope: Mapping[str, str]
    words: Words
    note: str  # why a person rejected it
    subjects: tuple[str, ...] = ()  # as callers know them

    @property
    def evidence(self) -> dict[str, str]:
        return {"observation": self.row.observation_id or "", "quote": self.words.get("quote", "")}

    def field(self, name: str, default: Any = "") -> Any:
        return self.words.get(name, default)


def views(candidates: Iterable[Candidate]) -> list[CandidateView]:
    """Return candidates with their words, in order; a fixed number of queries."""
    rows = list(candidates)
    found = Scope.objects.filter(pk__in={r.scope_id for r in rows}).select_related("subject", "project")
    people = {s.id: s.content_id for s in Subject.objects.filter(pk__in={s for r in rows for s in r.subjects})}
    wanted = {r.content_id for r in rows} | {r.decision_note_id for r in rows}
    wanted |= {content for scope in found for content in scope_contents(scope)}
    words = sealing.unseal(i for i in {*wanted, *people.values()} if i)
    scopes = {scope.id: scope_parts(scope, words) for scope in found}
    return [
        CandidateView(
            row=row,
            scope=scopes.get(row.scope_id, {"level": row.scope.level}),
            words=words.get(row.content_id or "", NO_WORDS),
            note=words.get(row.decision_note_id or "", NO_WORDS).get("note", ""),
            subjects=tuple(words.get(people.get(s, ""), NO_WORDS).get("user", "") for s in row.subjects),
        )
        for row in rows
    ]


def listed_for_agent(
    actor: Actor, *, status: str = "", outcome: str = "", observation: str = ""
) -> QuerySet[Candidate]:
    """Return the candidates of the caller's agent, about people it still serves, newest first. Raises NotAllowed."""
    if not actor.holds("propose"):
        raise NotAllowed("This key does not grant propose.")
    rows = Candidate.objects.filter(tenant=actor.tenant, agent=actor.agent, scope__in=within_reach(actor, "propose"))
    facets = {"status": status, "outcome": outcome, "observation": observation}
    return rows.filter(**{n: v for n, v in facets.items() if v}).select_related("scope").order_by("-created_seq")


def candidate_for_agent(actor: Actor, candidate: str) -> Candidate:
    """Return a candidate of the caller's own agent, about people it still serves. Raises NotAllowed, NotFound, Gone."""
    if not actor.holds("propose"):
        raise NotAllowed("This key does not grant propose.")
    row = Candidate.objects.select_related("scope").filter(pk=candidate, tenant=actor.tenant, agent=actor.agent).first()
    if row is None or not reaches(actor, row.scope, "propose"):
        raise NotFound()
    if row.status == "erased":
        raise Gone()
    return row


def visible_to(actor: Actor) -> QuerySet[Candidate]:
    """Return the candidates a member may see: their tenant's, a limited reviewer's projects alone."""
    rows = Candidate.objects.filter(tenant=actor.tenant)
    if not actor.may("see-queue"):
        return rows.none()
    if actor.projects is not None:
        rows = rows.filter(scope__project__in=actor.projects)
    return rows


def echoes(candidates: Iterable[Candidate]) -> dict[str, int]:
    """Return how often each candidate was proposed again while it waited."""
    ids = [c.id for c in candidates]
    rows = Candidate.objects.filter(duplicate_of__in=ids).values("duplicate_of").annotate(n=Count("id"))
    return {row["duplicate_of"]: row["n"] for row in rows}


def candidate_for_member(actor: Actor, candidate: str) -> Candidate:
    """Return a candidate a member may see. Raises NotFound."""
    row = visible_to(actor).select_related("scope", "target", "observation", "agent").filter(pk=candidate).first()
    if row is None:
        raise NotFound()
    return row


def chosen(actor: Actor, ids: Iterable[str]) -> list[CandidateView]:
    """Return some candidates a member may see, with their words; a fixed number of queries."""
    return views(visible_to(actor).filter(pk__in=list(ids)).select_related("scope", "agent"))


def draft_of(candidate: Candidate, words: Words) -> Draft:
    """Return the draft that a candidate was made of, as it stands now."""
    return Draft(
        scope=ScopeSpec(level=candidate.scope.level),
        kind=candidate.kind,
        key=words.get("key", ""),
        value=words.get("value"),
        content=words.get("content", ""),
        context=words.get("context", ""),
        about=words.get("about", ""),
        source_type=candidate.claimed_source,
        source_ref=words.get("source_ref", ""),
        observation=candidate.observation_id or "",
        quote=words.get("quote", ""),
        confidence=candidate.confidence,
        observed_at=candidate.observed_at,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        validity=candidate.validity,
        always=candidate.always,
        binding=candidate.binding,
        tags=tuple(words.get("tags", ())),
        retention=candidate.retention,
        reason=candidate.reason,
        note=words.get("note", ""),
    )


def proposed_since(rows: QuerySet[Candidate], since: datetime) -> QuerySet[Candidate]:
    return rows.filter(created_at__gte=since)


def proposed_on(rows: QuerySet[Candidate], day: date, zone: tzinfo) -> QuerySet[Candidate]:
    """Return what was proposed on one day of a zone."""
    if not EARLIEST.year < day.year < LATEST.year:  # beyond what a zone can be reckoned in
        return rows.none()
    start = datetime.combine(day, time(), tzinfo=zone)
    return rows.filter(created_at__gte=start, created_at__lt=datetime.combine(day + timedelta(1), time(), tzinfo=zone))


FACETS = {"level": "level", "kind": "kind", "lane": "lane", "risk": "risk", "agent": "agent"}


def narrowed(rows: QuerySet[Candidate], facets: Mapping[str, str]) -> QuerySet[Candidate]:
    """Return the candidates that have every facet; `outcome`, `status`, `reason` and `policy` may be asked as well."""
    columns = FACETS | {"outcome": "outcome", "status": "status", "reason": "decision_reason"}
    found = rows.filter(**{columns[name]: value for name, value in facets.items() if name in columns})
    policy = facets.get("policy", "")
    return found.filter(policy_version=int(policy)) if policy.isdecimal() and len(policy) < 10 else found


Groups = Sequence[Mapping[str, Any]]


def groups(rows: QuerySet[Candidate]) -> Groups:
    """Return how many candidates there are of every combination of facets; one query that looks at no row."""
    return list(rows.order_by().values(*FACETS.values()).annotate(n=Count("*")))


def having(found: Groups, facets: Mapping[str, str]) -> Groups:
    """Return the groups that have every facet."""
    wanted = {FACETS[f]: v for f, v in facets.items() if f in FACETS}
    return [group for group in found if all(group[c] == v for c, v in wanted.items())]


def total(found: Groups, facets: Mapping[str, str]) -> int:
    """Return how many candidates have every facet."""
    return sum(group["n"] for group in having(found, facets))


def facet_counts(found: Groups, facets: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return, for each facet, how many candidates each of its values would leave beside the other facets."""
    counts: dict[str, dict[str, int]] = {name: {} for name in FACETS}
    for group in found:
        for name, column in FACETS.items():
            others = {FACETS[f]: v for f, v in facets.items() if f in FACETS and f != name}
            if group[column] and all(group[c] == v for c, v in others.items()):
                counts[name][group[column]] = counts[name].get(group[column], 0) + group["n"]
    return counts


def reasons(rows: QuerySet[Candidate]) -> list[tuple[str, int]]:
    """Return why candidates were kept out, by policy or by people, with how many for each reason; the most first."""
    out = rows.order_by().filter(status__in=("rejected", "event_only")).exclude(decision_reason="")
    found = out.values_list("decision_reason").annotate(n=Count("*"))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


@dataclass(frozen=True)
class Written:
    """A memory whose latest version an agent wrote, and the version it would return to (None: it is retracted)."""

    memory: Memory
    versions: tuple[int, ...]  # the agent's own, of that time
    returns_to: int | None


@dataclass(frozen=True)
class Blast:
    """What an agent did since a moment: memories to take back, proposals that wait, and what others have changed."""

    written: tuple[Written, ...]
    waiting: tuple[Candidate, ...]
    overtaken: int  # memories that somebody else has written to since
    versions: frozenset[tuple[str, int]]  # all it wrote, as recalls name them
    contested: tuple[Conflict, ...]  # unsettled, with a claim of its own: people settle them, nothing is taken back

    @property
    def count(self) -> int:
        return len(self.written) + len(self.waiting)


def blast(agent: Agent, since: datetime) -> Blast:
    """Return what an agent wrote and proposed since a moment, the latest first; a fixed number of queries."""
    own = Version.objects.filter(agent=agent, memory__tenant=agent.tenant_id, recorded_at__gte=since)
    written = set(own.values_list("memory_id", "number"))
    memories = list(
        Memory.objects.filter(pk__in={m for m, _ in written}, erased=False).select_related("scope").order_by("-pk")
    )
    versions: dict[str, list[Version]] = {}
    for version in Version.objects.filter(memory__in=[m.id for m in memories]).order_by("number"):
        versions.setdefault(version.memory_id, []).append(version)
    taken = [_taken_back(m, versions[m.id], written) for m in memories if (m.id, m.latest) in written]
    own_candidates = Candidate.objects.filter(agent=agent, tenant=agent.tenant_id, created_at__gte=since)
    waiting = Candidate.objects.open().filter(pk__in=own_candidates.values("pk"))
    claims = Claim.objects.filter(agent=agent, held_version=None).filter(
        Q(conflict__opened_at__gte=since) | Q(candidate__in=own_candidates.values("pk"))
    )
    contested = Conflict.objects.filter(tenant=agent.tenant_id, status__in=UNSETTLED, pk__in=claims.values("conflict"))
    return Blast(
        written=tuple(w for w in taken if w is not None),
        waiting=tuple(waiting.select_related("scope").order_by("-created_seq")),
        overtaken=sum((m.id, m.latest) not in written for m in memories),
        versions=frozenset(written),
        contested=tuple(contested.select_related("scope").order_by("-created_seq")),
    )


def _taken_back(memory: Memory, versions: Sequence[Version], written: Set[tuple[str, int]]) -> Written | None:
    """Return what taking back means for a memory; None where it is retracted and would be again."""
    before = [v for v in versions if (memory.id, v.number) not in written]
    last = before[-1] if before else None
    returns_to = None if last is None or last.tombstone else last.number
    if returns_to is None and memory.slot is None:
        return None
    return Written(memory, tuple(n for m, n in sorted(written) if m == memory.id), returns_to)
