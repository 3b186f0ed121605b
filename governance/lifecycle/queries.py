"""What is held, what summaries rest on, and what sweeps did."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from governance.candidates.models import Candidate
from governance.errors import NotFound
from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS
from governance.lifecycle.models import Hold, Sweep, SweepLook, Swept
from governance.lifecycle.rules import Source
from governance.memories.models import About, Derivation, Memory, Version
from governance.memories.queries import gone_stale
from governance.scopes.rules import Actor

# --- holds ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """What a tenant's holds cover at this instant; read it again in every pass that erases."""

    everything: bool
    subjects: frozenset[str]
    projects: frozenset[str]
    memories: frozenset[str]

    def __bool__(self) -> bool:
        return self.everything or bool(self.subjects or self.projects or self.memories)

    def covers(
        self, *, subjects: Iterable[str] = (), projects: Iterable[str] = (), memories: Iterable[str] = ()
    ) -> bool:
        """Return whether one of these is held itself; whose memory it is, `held_memories` knows."""
        named = (self.subjects & {*subjects}, self.projects & {*projects}, self.memories & {*memories})
        return self.everything or any(named)


def held(tenant: str) -> Held:
    """Return what a tenant's holds cover now; one query."""
    rows = list(Hold.objects.in_force().filter(tenant=tenant).values_list("subject", "project", "memory"))
    return Held(
        everything=(None, None, None) in rows,
        subjects=frozenset(s for s, _, _ in rows if s),
        projects=frozenset(p for _, p, _ in rows if p),
        memories=frozenset(m for _, _, m in rows if m),
    )


def held_memories(tenant: str) -> QuerySet[Memory]:
    """Return the memories that a hold covers: itself, of a held person's or project's scope, or about that person."""
    now = held(tenant)
    rows = Memory.objects.filter(tenant=tenant)
    if now.everything:
        return rows
    about = About.objects.filter(memory=OuterRef("pk"), subject__in=now.subjects)
    return rows.filter(
        Q(pk__in=now.memories) | Q(scope__subject__in=now.subjects) | Q(scope__project__in=now.projects) | Exists(about)
    )


def holds_of(tenant: str) -> QuerySet[Hold]:
    """Return a tenant's holds, newest first, those that were lifted among them."""
    return Hold.objects.filter(tenant=tenant).select_related("subject", "project").order_by("-seq")


def hold_of(actor: Actor, hold: str) -> Hold:
    """Return a hold of a member's tenant. Raises NotFound."""
    row = holds_of(actor.tenant).filter(pk=hold).first()
    if row is None:
        raise NotFound()
    return row


# --- summaries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """A summary as its latest version, with the memories that one rests on."""

    memory: Memory
    version: Version
    sources: tuple[str, ...]


def sources_of(memories: Collection[str]) -> list[Source]:
    """Return what some memories say now, the oldest first; those that say nothing any more, and summaries, left out."""
    rows = (
        Version.objects.filter(memory__in=memories, number=F("memory__latest"), memory__slot__isnull=False)
        .filter(memory__erased=False, tombstone=False, closes=False, content__isnull=False)
        .exclude(source_type="summary")
        .order_by("memory__created_seq")
    )
    found = list(rows)
    words = sealing.unseal(v.content_id for v in found if v.content_id)
    said = [Source(v.memory_id, v.number, words.get(v.content_id or "", NO_WORDS).get("content", "")) for v in found]
    return [source for source in said if source.content]


def outdated_summaries(of: Collection[str] | None = None) -> list[Summary]:
    """Return the living summaries of which a source says something else by now, or nothing; of some sources, or all."""
    rows = Version.objects.filter(gone_stale(), number=F("memory__latest"), memory__slot__isnull=False)
    rows = rows.filter(memory__erased=False, tombstone=False).select_related("memory__scope").order_by("seq")
    if of is not None:
        rows = rows.filter(memory__derivations__source__in=of).distinct()
    found = list(rows)
    named: dict[tuple[str, int], list[str]] = {}
    for row in Derivation.objects.filter(memory__in=[v.memory_id for v in found]).order_by("id"):
        named.setdefault((row.memory_id, row.version), []).append(row.source_id)
    return [Summary(v.memory, v, tuple(named.get((v.memory_id, v.number), ()))) for v in found]


def outdated_proposals(of: Collection[str] | None = None) -> list[Candidate]:
    """Return the open proposals of summaries of which a source has changed since."""
    rows = [c for c in Candidate.objects.open().filter(source_type="summary") if c.derived_from]
    latest = dict(
        Memory.objects.filter(pk__in={m for c in rows for m, _ in c.derived_from}, slot__isnull=False, erased=False)
        .values_list("pk", "latest")
    )  # fmt: skip
    moved = [c for c in rows if any(latest.get(memory) != number for memory, number in c.derived_from)]
    return moved if of is None else [c for c in moved if any(memory in of for memory, _ in c.derived_from)]


def versions_that_say(memories: Collection[str]) -> list[Version]:
    """Return every version of a summary that says, or said, what some memories say: what erasing those reaches too."""
    said = Derivation.objects.filter(source__in=memories, memory=OuterRef("memory"), version=OuterRef("number"))
    return list(Version.objects.filter(Exists(said)).select_related("memory").order_by("id"))


# --- sweeps --------------------------------------------------------------------------------------------------------


def sweeps_of(tenant: str) -> QuerySet[Sweep]:
    """Return a tenant's sweeps, newest first."""
    return Sweep.objects.filter(tenant=tenant).order_by("-seq")


def sweep_of(actor: Actor, sweep: str) -> Sweep:
    """Return a sweep of a member's tenant. Raises NotFound."""
    row = sweeps_of(actor.tenant).filter(pk=sweep).first()
    if row is None:
        raise NotFound()
    return row


def done_so_far(sweep: Sweep) -> dict[str, int]:
    """Return how many things each step of a sweep changed, those taken back left out."""
    rows = Swept.objects.filter(sweep=sweep, undone_at=None).values_list("step").annotate(n=Count("id"))
    return dict(rows.order_by("step"))


def looked(tenant: str) -> SweepLook | None:
    """Return what a sweep would do, as last looked."""
    return SweepLook.objects.filter(tenant=tenant).first()


def due_to_be_erased(tenant: str) -> QuerySet[Memory]:
    """Return the memories that were kept as long as their retention class says, longest first; held ones too."""
    return Memory.objects.filter(tenant=tenant, erasure_due=True, erased=False).order_by("shelved_at", "pk")
