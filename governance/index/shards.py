"""Which collection a scope's entries lie in: the directory is in the database, Chroma is never asked for it.

Small scopes of one tenant share collections of up to 2,500 entries, asked with a filter, which costs by the size of
the collection: 1.7 ms here, 3.0 at 5,000, 180 at 200,000. A scope that outgrows 2,000 moves to collections of its own,
asked without a filter (1 ms).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from governance.index import chroma
from governance.index.models import Entry, Removal, ScopeShard, Shard
from governance.ledger.prepared import Prepared

OWN_FROM = 2_000


def place(tenant: str, scope: str, *, model: str, dimension: int) -> ScopeShard:
    """Return where the scope's next entry goes; called inside the transaction that writes it."""
    found = ScopeShard.objects.filter(scope=scope, shard__model=model, shard__dimension=dimension)
    rows = list(found.select_related("shard").order_by("-id"))
    own = any(r.shard.own for r in rows) or _has_outgrown(scope, rows)
    if rows and rows[0].shard.room and rows[0].shard.own == own:
        return rows[0]
    shard = None
    if not own:
        shared = Shard.objects.filter(tenant=tenant, model=model, dimension=dimension, own=False)
        shard = next((s for s in shared.order_by("-id") if s.room), None)
    if shard is None:
        shard = Shard.objects.create(tenant_id=tenant, model=model, dimension=dimension, own=own)
    placed, _ = ScopeShard.objects.get_or_create(scope_id=scope, shard=shard)
    if own:
        _move(scope, [r for r in rows if not r.shard.own], shard)
        shard.refresh_from_db()
    placed.shard = shard
    return placed


def _has_outgrown(scope: str, rows: Sequence[ScopeShard]) -> bool:
    held = sum(r.shard.size for r in rows)  # with others: never less than the scope has
    return held >= OWN_FROM and Entry.objects.filter(scope=scope, shard__isnull=False).count() >= OWN_FROM


def _move(scope: str, rows: Sequence[ScopeShard], to: Shard) -> None:
    """Take a scope out of the collections it shares; Chroma follows when what is owed is settled."""
    for row in rows:
        entries = Entry.objects.filter(scope=scope, shard=row.shard)
        ids = list(entries.values_list("id", flat=True))
        Removal.objects.bulk_create(Removal(shard=row.shard, entry=i) for i in ids)
        entries.update(shard=to, placed=False)
        resize(row.shard_id, -len(ids))
        resize(to.id, len(ids))
        row.delete()


def resize(shard: int, by: int) -> None:
    Shard.objects.filter(pk=shard).update(size=F("size") + by)


@dataclass(frozen=True)
class Place:
    """One collection to ask: for these scope numbers, or without a filter."""

    collection: str
    numbers: tuple[int, ...] | None


def _directory(scopes: Iterable[str], model: str) -> "QuerySet[ScopeShard, tuple[Any, ...]]":
    columns = ("id", "shard", "shard__generation", "shard__own")
    rows = ScopeShard.objects.filter(scope__in=scopes, shard__model=model)
    return rows.order_by("id").values_list(*columns)


_DIRECTORY = Prepared(_directory)


def places(scopes: Iterable[str], *, model: str) -> list[Place]:
    """Return the collections that hold entries of some scopes, one query."""
    numbers: dict[tuple[int, int, bool], list[int]] = {}
    for number, shard, generation, own in _DIRECTORY(scopes=list(scopes), model=model):
        numbers.setdefault((shard, generation, own), []).append(number)
    return [
        Place(chroma.name_of(shard, generation), None if own else tuple(found))
        for (shard, generation, own), found in numbers.items()
    ]
