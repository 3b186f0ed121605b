"""Comparing the index with the database, and building it anew; by the process that holds it, or asked of it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from governance.index import chroma, embedding, projector
from governance.index.chroma import IndexDown
from governance.index.models import Entry, Errand, Removal, Shard
from governance.ledger.models import ContentKey, Outbox
from governance.ledger.outbox import drain, handles, owed, take_over
from governance.memories.models import Version

ROUNDS = 1_000  # times the outbox is drained at most
SEVERAL = 500  # rows at once
WAIT_SECONDS = 0.2


@dataclass(frozen=True)
class Drift:
    """How far the index is from the database, in numbers of texts; all zero when they agree."""

    owed: int = 0  # outbox rows still to do
    missing: int = 0  # readable versions without an entry
    extra: int = 0  # entries whose version is retracted, erased or gone
    unembedded: int = 0  # entries without a vector of the current model
    absent: int = 0  # entries Chroma does not have
    ghosts: int = 0  # ids only Chroma has
    unreadable: int = 0  # collections that did not answer

    @property
    def agrees(self) -> bool:
        return not any(asdict(self).values())


def drift() -> Drift:
    """Work off what is owed, then compare. Raises nothing for a Chroma that is down: that is drift too."""
    if not settings.CHROMA_URL:  # who holds the embedded index is its only worker
        take_over("index")
    for _ in range(ROUNDS):
        if not drain("index"):
            break
    wanted = _readable()
    entries = {(m, n): model for m, n, model in Entry.objects.values_list("memory", "number", "model")}
    absent = ghosts = unreadable = 0
    for shard in Shard.objects.all():
        own = set(Entry.objects.filter(shard=shard, vector__isnull=False).values_list("id", flat=True))
        try:
            held = chroma.ids(chroma.name_of(shard.id, shard.generation))
        except IndexDown:
            unreadable += 1
            continue
        absent, ghosts = absent + len(own - held), ghosts + len(held - own)
    return Drift(
        owed=owed("index"),
        missing=len(wanted - set(entries)),
        extra=len(set(entries) - wanted),
        unembedded=sum(model != embedding.model_name() for model in entries.values()),
        absent=absent,
        ghosts=ghosts,
        unreadable=unreadable,
    )


def _readable() -> set[tuple[str, int]]:
    """Return every version that should be searchable: stated, of a live memory, its words not erased."""
    rows = Version.objects.filter(
        memory__slot__isnull=False, memory__erased=False, tombstone=False, closes=False, content__isnull=False
    ).values_list("memory", "number", "content__kid")
    kept = list(rows)
    keys: set[str] = set()
    for some in _several([kid for _, _, kid in kept]):
        keys.update(ContentKey.objects.filter(kid__in=some).values_list("kid", flat=True))
    return {(memory, number) for memory, number, kid in kept if kid in keys}


def rebuild() -> dict[str, int]:
    """Build every collection anew from the vector copies; only what has no vector of the current model is embedded.

    Returns counts. Raises IndexDown, CannotEmbed.
    """
    model = embedding.model_name()
    current = set(Entry.objects.filter(model=model).values_list("memory", "number"))
    readable = _readable()
    todo = sorted({m for m, _ in readable - current} | {m for m, n in _entries() if (m, n) not in readable})
    for some in _several(todo):
        projector.project(some)
    shards = list(Shard.objects.order_by("id"))
    for shard in shards:
        _anew(shard)
    return {"embedded": len(readable - current), "collections": len(shards), "entries": Entry.objects.count()}


def compact(shards: Sequence[int] | None = None) -> dict[str, int]:
    """Fill the collections anew that entries left (of `shards`, else all), then make the files forget the old ones.

    Returns counts. Repeatable. Raises IndexDown, and FilesElsewhere where the files of a server are not at hand.
    """
    rows = Shard.objects.filter(dirty=True).order_by("id")
    dirty = list(rows if shards is None else rows.filter(pk__in=shards))
    for shard in dirty:
        _anew(shard)
    return {"collections": len(dirty), "folders": chroma.purge()}


def _entries() -> list[tuple[str, int]]:
    return list(Entry.objects.values_list("memory", "number"))


def _anew(shard: Shard) -> None:
    """Fill the next generation of a shard, switch to it, add what came meanwhile, drop the old one."""
    old = chroma.name_of(shard.id, shard.generation)
    fresh = Shard(id=shard.id, generation=shard.generation + 1)
    _copy(fresh, set())
    Shard.objects.filter(pk=shard.id).update(generation=F("generation") + 1)
    Removal.objects.filter(shard=shard).delete()
    held = chroma.ids(chroma.name_of(fresh.id, fresh.generation))
    _copy(fresh, held)
    present = set(Entry.objects.filter(shard=shard, vector__isnull=False).values_list("id", flat=True))
    chroma.delete(chroma.name_of(fresh.id, fresh.generation), sorted(held - present))
    Entry.objects.filter(shard=shard, vector__isnull=False).update(placed=True)
    Shard.objects.filter(pk=shard.id).update(size=len(present), dirty=held != present)
    chroma.drop(old)
    if not present:
        chroma.drop(chroma.name_of(fresh.id, fresh.generation))
        Shard.objects.filter(pk=shard.id, size=0).delete()


def _copy(shard: Shard, held: set[int]) -> None:
    numbers = dict(shard.scopes.values_list("scope", "id"))
    rows = Entry.objects.filter(shard=shard.id, vector__isnull=False).order_by("id")
    missing = [i for i in rows.values_list("id", flat=True) if i not in held]
    for some in _several(missing):
        entries = list(Entry.objects.filter(pk__in=some).order_by("id"))
        if entries:
            chroma.upsert(
                chroma.name_of(shard.id, shard.generation),
                [e.id for e in entries],
                projector.vectors_of(entries),
                [numbers[e.scope_id] for e in entries],
            )


def _several(items: Sequence[Any]) -> Iterator[Any]:
    for start in range(0, len(items), SEVERAL):
        yield items[start : start + SEVERAL]


# --- asked of the process that holds the embedded index ------------------------------------------------------------

ERRANDS: dict[str, Callable[[], dict[str, int]]] = {
    "drift": lambda: asdict(drift()),
    "rebuild": rebuild,
    "compact": lambda: compact(),
}


@handles("index-errand")
def run_errands(rows: Sequence[Outbox]) -> None:
    """Do what commands asked for."""
    for errand in Errand.objects.filter(pk__in=[int(r.ref) for r in rows], done_at__isnull=True):
        errand.result = ERRANDS[errand.kind]()
        errand.done_at = timezone.now()
        errand.save()


def ask(kind: str, *, wait: float) -> dict[str, int] | None:
    """Have an errand done: here when the index is free, else by the process that holds it. None: not in time."""
    try:
        chroma.ping()
    except IndexDown:
        return _ask_other(kind, wait)
    return ERRANDS[kind]()


def _ask_other(kind: str, wait: float) -> dict[str, int] | None:
    now = timezone.now()
    errand = Errand.objects.create(kind=kind, asked_at=now)
    Outbox.objects.create(topic="index-errand", tenant="", ref=str(errand.pk), due_at=now)
    until = time.monotonic() + wait
    while time.monotonic() < until:
        errand.refresh_from_db()
        if errand.done_at is not None:
            return dict(errand.result)
        time.sleep(WAIT_SECONDS)
    Outbox.objects.filter(topic="index-errand", ref=str(errand.pk)).delete()
    return None
