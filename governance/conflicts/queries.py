"""Conflicts as agents and people see them; a fixed number of queries whatever the length of the list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Case, Count, ExpressionWrapper, F, Max, Q, QuerySet, Value, When
from django.db.models.functions import Cast

from governance.conflicts.models import UNSETTLED, Claim, Conflict
from governance.conflicts.rules import Contender, Resolution, alike, foresee, problems, steps
from governance.conflicts.rules.outcome import MERGED
from governance.conflicts.rules.precedence import CONTRADICTIONS
from governance.errors import Invalid, NotFound
from governance.ledger import sealing
from governance.ledger.models import Event
from governance.ledger.sealing import NO_WORDS, Words
from governance.memories.events import stated
from governance.memories.models import FOREVER, Memory, Version
from governance.memories.queries import MemoryView, describe_scopes
from governance.memories.queries import views as memory_views
from governance.memories.queries import visible_to as memories_visible_to
from governance.memories.rules import Stated, normalise_value
from governance.policies import queries as policies
from governance.policies.detectors import redact, redact_fields
from governance.policies.rules import normalise_key
from governance.scopes.models import Scope
from governance.scopes.queries import within_reach
from governance.scopes.rules import Actor


@dataclass(frozen=True)
class ClaimView:
    """One side of a conflict with its words opened."""

    row: Claim
    words: Words

    @property
    def value(self) -> Any:
        return self.words.get("value")


@dataclass(frozen=True)
class ConflictView:
    """A conflict with its claims, oldest first, and the question to ask."""

    row: Conflict
    scope: Mapping[str, str]
    key: str
    question: str
    claims: tuple[ClaimView, ...]


def views(conflicts: Iterable[Conflict]) -> list[ConflictView]:
    """Return conflicts with their claims and words, in order."""
    rows = list(conflicts)
    claims: dict[str, list[Claim]] = {}
    found = Claim.objects.filter(conflict__in=[r.id for r in rows]).select_related("observation", "agent")
    for claim in found.order_by("observed_at", "seq"):
        claims.setdefault(claim.conflict_id, []).append(claim)
    wanted = {c.content_id for said in claims.values() for c in said} | {r.question_id for r in rows}
    words = sealing.unseal(i for i in wanted if i)
    scopes = describe_scopes(
        Scope.objects.filter(pk__in={r.scope_id for r in rows}).select_related("subject", "project")
    )
    return [_view(row, claims.get(row.id, []), words, scopes) for row in rows]


def _view(
    row: Conflict, claims: Sequence[Claim], words: Mapping[str, Words], scopes: Mapping[str, Mapping[str, str]]
) -> ConflictView:
    opened = tuple(ClaimView(c, words.get(c.content_id or "", NO_WORDS)) for c in claims)
    return ConflictView(
        row=row,
        scope=scopes[row.scope_id],
        key=next((c.words["key"] for c in opened if c.words.get("key")), ""),
        question=words.get(row.question_id or "", NO_WORDS).get("question", ""),
        claims=opened,
    )


def contender(claim: Claim, memory: Memory) -> Contender:
    """Return a claim as outcomes see it, beside what its memory says in its latest version."""
    held = claim.held_version == memory.latest
    return Contender(claim.id, held, claim.observed_at, claim.valid_from, claim.valid_to)


def in_dispute(memories: Iterable[str], *, at: datetime, known_at: datetime | None = None) -> dict[str, ConflictView]:
    """Return, by memory, the conflicts that a recall gives instead of one value: where a rival claims that very moment.

    What was known at `known_at` was in dispute from when the conflict opened until it was settled, and with the claims
    there were by then.
    """
    rows = Conflict.objects.filter(memory__in=list(memories))
    if known_at is None:
        rows = rows.filter(status__in=UNSETTLED)
    else:
        rows = rows.filter(Q(resolved_at__isnull=True) | Q(resolved_at__gt=known_at), opened_at__lte=known_at)
    found = [_as_known(view, known_at) for view in views(rows.order_by("created_seq"))]
    return {v.row.memory_id: v for v in found if any(_claims(c.row, at, v.row.opened_at) for c in v.claims)}


def _claims(claim: Claim, at: datetime, opened_at: datetime) -> bool:
    """Return whether a rival of what is held claims a moment; it was said by the time the conflict opened at least."""
    start = claim.valid_from or min(claim.observed_at, opened_at)
    return claim.held_version is None and start <= at < (claim.valid_to or FOREVER)


def _as_known(view: ConflictView, known_at: datetime | None) -> ConflictView:
    if known_at is None:
        return view
    head = Event.objects.filter(tenant=view.row.tenant_id, recorded_at__lte=known_at).aggregate(n=Max("seq"))["n"] or 0
    return replace(view, claims=tuple(c for c in view.claims if c.row.seq <= head))


def visible_to(actor: Actor) -> QuerySet[Conflict]:
    """Return the conflicts a member may see: their tenant's, a limited reviewer's projects alone."""
    rows = Conflict.objects.filter(tenant=actor.tenant).select_related("memory", "scope", "scope__project")
    if not (actor.may("see-memories") or actor.may("resolve")):
        return rows.none()
    return rows if actor.projects is None else rows.filter(scope__project__in=actor.projects)


def conflict_for_member(actor: Actor, conflict: str) -> Conflict:
    """Return a conflict a member may see. Raises NotFound."""
    row = visible_to(actor).filter(pk=conflict).first()
    if row is None:
        raise NotFound()
    return row


# How much hangs on a conflict: how many the scope reaches, whether it comes with every recall, whom it contradicts.
REACH = {"global": 6, "tenant": 5, "project": 4, "user": 2, "agent": 2, "session": 1}
ALWAYS, AUTHORITY = 3, 1
HEAVY, LIGHT = 6, 3
_AGES = 10**12  # more than events of a tenant: the older of two equally heavy ones comes first


def weighed(rows: QuerySet[Conflict]) -> QuerySet[Conflict]:
    """Return conflicts with their `weight`, and `rank`: one of its own for each, the heaviest and oldest highest."""
    reach = Case(*(When(scope__level=level, then=n) for level, n in REACH.items()), default=1)
    always = Case(When(memory__always=True, then=ALWAYS), When(memory__binding=True, then=ALWAYS), default=0)
    authority = Case(When(rule__in=CONTRADICTIONS, then=AUTHORITY), default=0)
    weight = ExpressionWrapper(reach + always + authority, output_field=BigIntegerField())
    found = rows.annotate(weight=weight)
    rank = F("weight") * Value(_AGES, BigIntegerField()) + _AGES - F("created_seq")
    return found.annotate(rank=Cast(rank, BigIntegerField()))  # PostgreSQL would compute a decimal


FACETS = {"level": "scope__level", "status": "status"}


def narrowed(rows: QuerySet[Conflict], facets: Mapping[str, str]) -> QuerySet[Conflict]:
    """Return the conflicts that have every facet; without a status those that are unsettled."""
    found = rows.filter(**{FACETS[n]: v for n, v in facets.items() if n in FACETS})
    return found if "status" in facets else found.filter(status__in=UNSETTLED)


def facet_counts(rows: QuerySet[Conflict], facets: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return how many conflicts each level and each status would leave beside the other facet; one query."""
    counts: dict[str, dict[str, int]] = {name: {} for name in FACETS}
    for group in rows.order_by().values(*FACETS.values()).annotate(n=Count("id")):
        level, status = group["scope__level"], group["status"]
        if status == facets["status"] if "status" in facets else status in UNSETTLED:
            counts["level"][level] = counts["level"].get(level, 0) + group["n"]
        if level == facets.get("level", level):
            counts["status"][status] = counts["status"].get(status, 0) + group["n"]
    return counts


def unsettled(actor: Actor) -> QuerySet[Conflict]:
    """Return what waits for somebody to settle it."""
    return visible_to(actor).filter(status__in=UNSETTLED)


def neighbours(actor: Actor, conflict: Conflict, facets: Mapping[str, str]) -> tuple[str, str]:
    """Return the ids before and after a conflict, by age, in the list as it is narrowed; "" at its ends."""
    rows = narrowed(visible_to(actor), facets)
    before = rows.filter(created_seq__lt=conflict.created_seq).order_by("-created_seq").values_list("pk", flat=True)
    after = rows.filter(created_seq__gt=conflict.created_seq).order_by("created_seq").values_list("pk", flat=True)
    return before.first() or "", after.first() or ""


@dataclass(frozen=True)
class Ground:
    """What an outcome is reckoned from: the conflict, and the versions of its memory with their values."""

    view: ConflictView
    versions: tuple[Stated, ...]
    values: Mapping[int, Any]
    contenders: tuple[Contender, ...]


@dataclass(frozen=True)
class Answer:
    """What recall will answer for a time; `is_new`: not what it would answer without the resolution."""

    value: Any
    starts_at: datetime
    ends_at: datetime
    is_now: bool
    is_new: bool


@dataclass(frozen=True)
class Outcome:
    """What recall will answer under one key from now on.

    `claim`: the one that moved here, "" for the memory itself; `scope`: where that is, {} where the conflict is.
    """

    key: str
    claim: str
    scope: Mapping[str, str]
    answers: tuple[Answer, ...]


def ground(view: ConflictView) -> Ground:
    versions = list(Version.objects.filter(memory=view.row.memory_id).order_by("number"))
    words = sealing.unseal(v.content_id for v in versions if v.content_id)
    values = {v.number: words.get(v.content_id or "", NO_WORDS).get("value") for v in versions}
    contenders = tuple(contender(c.row, view.row.memory) for c in view.claims)
    return Ground(view, tuple(stated(v) for v in versions), values, contenders)


def outcomes(on: Ground, resolution: Resolution, now: datetime) -> list[Outcome]:
    """Return what recall would answer once a resolution is carried out, masked as it would be stored. Raises Invalid.

    Nothing is written.
    """
    errors = problems(resolution, on.contenders, key=on.view.key, level=on.view.scope["level"])
    if errors:
        raise Invalid(errors)
    actions = policies.current(on.view.row.tenant_id).sensitivity
    merged = {"value": resolution.value, "content": resolution.content}
    merged = redact_fields(merged, actions, names={"value": on.view.key})[0]
    said = {c.row.id: c.value for c in on.view.claims} | {MERGED: merged["value"]}
    found = []
    for claim, wills in foresee(steps(resolution, on.contenders), on.versions, on.contenders, now).items():
        spec = resolution.scopes.get(claim)
        scope = {"level": spec.level, "user": spec.user, "project": spec.project} if spec else {}
        answers = tuple(
            Answer(
                value=said[w.claim] if w.claim else on.values.get(w.version),
                starts_at=w.starts_at,
                ends_at=w.ends_at,
                is_now=w.starts_at <= now < w.ends_at,
                is_new=bool(w.claim),
            )
            for w in wills
            if w.ends_at > now
        )
        moved = resolution.keys.get(claim)
        key = normalise_key(redact(moved, actions).text) if moved else on.view.key
        found.append(Outcome(key, claim, scope, answers))
    return found


@dataclass(frozen=True)
class Lookalikes:
    """Two memories of one scope whose keys look like one."""

    scope: Mapping[str, str]
    scope_id: str
    one: MemoryView
    other: MemoryView

    @property
    def is_same(self) -> bool:
        """Whether both say one thing, however it is spelt."""
        return normalise_value(self.one.value, self.one.key) == normalise_value(self.other.value, self.one.key)

    @property
    def sides(self) -> tuple[tuple[MemoryView, MemoryView], ...]:
        return (self.one, self.other), (self.other, self.one)


SCOPES_LOOKED_AT, MEMORIES_LOOKED_AT = 20, 500


def lookalikes(actor: Actor) -> list[Lookalikes]:
    """Return pairs of memories whose keys may mean the same, among the scopes written to last; nothing is merged."""
    seen = memories_visible_to(actor).live().filter(erased=False, archived=False).exclude(key_mac=b"")
    recent = seen.order_by("-created_seq").values_list("scope", flat=True)[:MEMORIES_LOOKED_AT]
    scopes = list(dict.fromkeys(recent))[:SCOPES_LOOKED_AT]
    rows = memory_views(seen.filter(scope__in=scopes).order_by("-created_seq")[:MEMORIES_LOOKED_AT])
    rules = policies.current(actor.tenant).key_rules
    found = []
    for scope in scopes:
        by_key = {normalise_key(v.key): v for v in rows if v.scope_id == scope and v.key and not v.about}
        for one, other in alike(list(by_key), rules):
            found.append(Lookalikes(by_key[one].scope, scope, by_key[one], by_key[other]))
    return found


def note_of(conflict: Conflict) -> str:
    """Return why a person settled it so, "" where they did not say."""
    return str(sealing.unseal([conflict.note_id or ""]).get(conflict.note_id or "", NO_WORDS).get("note", ""))


def within(actor: Actor, action: str, *, status: str = "") -> QuerySet[Conflict]:
    """Return the conflicts in scopes on which a key grants an action, newest first."""
    rows = Conflict.objects.filter(tenant=actor.tenant, scope__in=within_reach(actor, action))
    rows = rows.filter(status=status) if status else rows
    return rows.select_related("memory", "scope").order_by("-created_seq")


def conflict_for_agent(actor: Actor, conflict: str) -> Conflict:
    """Return a conflict in a scope that a key recalls. Raises NotFound."""
    row = within(actor, "recall").filter(pk=conflict).first()
    if row is None:
        raise NotFound()
    return row
