"""The searchable copy as people look at it: what a memory has there, and what lies near a text."""

from dataclasses import dataclass

import numpy as np

from governance.index import embedding
from governance.index.embedding import CannotEmbed
from governance.index.entries import entries_of
from governance.index.models import Entry
from governance.memories.models import Memory
from governance.memories.queries import MemoryView, views
from governance.scopes.models import Scope

NEAREST = 5


@dataclass(frozen=True)
class Similar:
    view: MemoryView
    nearness: float  # cosine


def similar(scope: Scope, text: str, *, besides: str = "") -> list[Similar]:
    """Return the memories of a scope that are nearest to a text in meaning, nearest first; none without an embedder."""
    entries = entries_of([scope.id], model=embedding.model_name())[scope.id]
    if not text or not entries.embedded.any():
        return []
    try:
        vector = embedding.embed_query(text)
    except CannotEmbed:
        return []
    scores = np.where(entries.embedded, entries.vectors @ vector, -1.0)
    found: dict[str, float] = {}
    for row in np.argsort(-scores)[: 4 * NEAREST]:
        found.setdefault(entries.of[int(row)][0], float(scores[row]))
    found.pop(besides, None)
    held = Memory.objects.filter(pk__in=list(found)[: NEAREST * 2], slot__isnull=False).select_related("scope")
    nearest = sorted(views(held), key=lambda view: -found[view.id])
    return [Similar(view, found[view.id]) for view in nearest[:NEAREST]]


def index_of(memory: Memory) -> list[dict[str, object]]:
    """Return the entries that a memory has in the searchable copy; one query."""
    rows = Entry.objects.filter(memory=memory).order_by("number")
    return [dict(row) for row in rows.values("number", "model", "dimension", "placed")]
