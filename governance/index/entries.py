"""Entries of whole scopes in memory: bounded, and checked by a mark in the database at every use. No words."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.conf import settings

from governance.index.models import Entry, Mark
from governance.index.tokens import Postings, postings
from governance.ledger.prepared import Prepared
from governance.ledger.sealing import Lifetime

FEW = 500  # newer entries that are added to a copy one by one; more of them, and the scope is read anew

_copies: "OrderedDict[tuple[str, str], Entries]" = OrderedDict()
_lock = threading.Lock()
_lifetime = Lifetime()


@dataclass(frozen=True)
class Entries:
    """The entries of one scope, ordered by id; rows without a vector of the asked model are zero."""

    epoch: int
    ids: np.ndarray
    of: tuple[tuple[str, int], ...]  # memory, version
    tokens: tuple[bytes, ...]
    vectors: np.ndarray
    embedded: np.ndarray

    @cached_property
    def postings(self) -> Postings:
        return postings(self.tokens)

    @cached_property
    def position(self) -> dict[tuple[str, int], int]:
        return {of: i for i, of in enumerate(self.of)}

    def find(self, entry: int) -> int | None:
        """Return the row of an entry id."""
        i = int(np.searchsorted(self.ids, entry))
        return i if i < len(self.ids) and self.ids[i] == entry else None


_EPOCHS = Prepared(lambda scopes: Mark.objects.filter(scope__in=scopes).values_list("scope", "epoch"))


def entries_of(scopes: Sequence[str], *, model: str) -> dict[str, Entries]:
    """Return the present entries of some scopes; three queries at most, one when nothing changed."""
    if _lifetime.is_over():
        forget_entries()
    epochs: dict[str, int] = dict(_EPOCHS(scopes=scopes))
    found: dict[str, Entries] = {}
    stale: list[str] = []
    with _lock:
        for scope in scopes:
            copy = _copies.get((scope, model))
            if copy is not None and copy.epoch == epochs.get(scope, 0):
                _copies.move_to_end((scope, model))
                found[scope] = copy
            else:
                stale.append(scope)
    if stale:
        fresh = _load([s for s in stale if s in epochs], epochs, model)
        found |= {s: fresh.get(s) or _build(epochs.get(s, 0), [], model) for s in stale}
        _keep({(s, model): found[s] for s in stale if s in epochs})
    return found


def _load(scopes: Sequence[str], epochs: dict[str, int], model: str) -> dict[str, Entries]:
    """Return scopes as they are now; of a copy that is at hand only what is new is read."""
    if not scopes:
        return {}
    with _lock:
        old = {s: _copies[s, model] for s in scopes if (s, model) in _copies}
    ids: dict[str, list[int]] = {s: [] for s in scopes}
    for scope, entry in Entry.objects.filter(scope__in=scopes).order_by("id").values_list("scope", "id"):
        ids[scope].append(entry)
    known = {int(i) for copy in old.values() for i in copy.ids}
    fresh = [i for s in scopes for i in ids[s] if i not in known]
    rows = Entry.objects.filter(pk__in=fresh) if len(fresh) <= FEW else Entry.objects.filter(scope__in=scopes)
    columns = rows.values_list("id", "memory", "number", "tokens", "vector", "model")
    read = {row[0]: row for row in columns}
    loaded = {}
    for scope in scopes:
        copy = old.get(scope)
        present = [i for i in ids[scope] if i in read or (copy is not None and copy.find(i) is not None)]
        loaded[scope] = _merge(epochs[scope], present, read, copy, model)
    return loaded


def _merge(epoch: int, ids: Sequence[int], read: dict[int, tuple], copy: Entries | None, model: str) -> Entries:
    if copy is None or not len(copy.ids):
        return _build(epoch, [read[i] for i in ids], model)
    new = _build(epoch, [read[i] for i in ids if copy.find(i) is None], model)
    kept = [r for r in (copy.find(i) for i in ids) if r is not None]
    if not len(new.ids):
        return _take(copy, epoch, kept)
    base = _take(copy, epoch, kept)
    width = max(base.vectors.shape[1], new.vectors.shape[1])
    joined = Entries(
        epoch=epoch,
        ids=np.concatenate([base.ids, new.ids]),
        of=base.of + new.of,
        tokens=base.tokens + new.tokens,
        vectors=np.concatenate([_widen(base.vectors, width), _widen(new.vectors, width)]),
        embedded=np.concatenate([base.embedded, new.embedded]),
    )
    return _take(joined, epoch, list(np.argsort(joined.ids, kind="stable")))


def _take(entries: Entries, epoch: int, rows: list[int]) -> Entries:
    return Entries(
        epoch=epoch,
        ids=entries.ids[rows],
        of=tuple(entries.of[r] for r in rows),
        tokens=tuple(entries.tokens[r] for r in rows),
        vectors=entries.vectors[rows],
        embedded=entries.embedded[rows],
    )


def _widen(vectors: np.ndarray, width: int) -> np.ndarray:
    return vectors if vectors.shape[1] == width else np.zeros((len(vectors), width), dtype=np.float32)


def _build(epoch: int, rows: Sequence[tuple], model: str) -> Entries:
    blobs = [bytes(r[4]) if r[4] is not None and r[5] == model else b"" for r in rows]
    width = max((len(b) // 2 for b in blobs), default=0)
    flat = np.frombuffer(b"".join(b or bytes(2 * width) for b in blobs), dtype=np.float16)
    return Entries(
        epoch=epoch,
        ids=np.array([r[0] for r in rows], dtype=np.int64),
        of=tuple((r[1], r[2]) for r in rows),
        tokens=tuple(bytes(r[3]) for r in rows),
        vectors=flat.astype(np.float32).reshape(len(rows), width),
        embedded=np.array([bool(b) for b in blobs], dtype=bool),
    )


def _keep(fresh: dict[tuple[str, str], Entries]) -> None:
    most = settings.RECALL_CACHE_ENTRIES
    with _lock:
        for name, entries in fresh.items():
            _copies[name] = entries
            _copies.move_to_end(name)
        total = sum(len(c.ids) for c in _copies.values())
        while total > most:
            total -= len(_copies.popitem(last=False)[1].ids)


def forget_entries() -> None:
    """Drop every copy of this process: after an erasure, and between tests."""
    with _lock:
        _copies.clear()
