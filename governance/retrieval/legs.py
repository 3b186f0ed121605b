"""The ways to a memory: exact keys, words, vectors. Nothing outside the fields they are given is ever looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from governance.index import chroma, embedding, shards
from governance.index.chroma import IndexDown
from governance.index.embedding import CannotEmbed
from governance.index.entries import Entries
from governance.index.projector import searchable
from governance.index.tokens import Corner, as_query, bm25, hash_tokens, postings, tokens
from governance.ledger import sealing
from governance.memories.models import Version
from governance.memories.rules import key_text
from governance.policies.rules import KeyRule
from governance.retrieval.beliefs import Belief, Beliefs
from governance.scopes.models import Scope

UNINDEXED = 200  # memories without an entry yet whose words are looked at nevertheless
EXACT = 20_000  # entries of a scope up to which distances are completed exactly
LEAST_NEAR = 50
SCRATCH = b"words of a question and of texts that have no entry yet"


@dataclass
class Field:
    """One scope, ready to be searched: its beliefs, which of them count, and their entries."""

    scope: Scope
    beliefs: Beliefs
    counts: np.ndarray  # bool, one a belief
    entries: Entries
    words: np.ndarray = field(init=False)  # one a belief
    cosines: np.ndarray = field(init=False)  # one a belief, NaN without a vector
    relevance: np.ndarray = field(init=False)  # one a belief, of words and vectors together
    chroma: set[int] = field(default_factory=set)  # beliefs Chroma returned
    near: set[int] = field(default_factory=set)  # beliefs among the nearest

    def __post_init__(self) -> None:
        self.words = np.zeros(len(self.beliefs.rows), dtype=np.float32)
        self.cosines = np.full(len(self.beliefs.rows), np.nan, dtype=np.float32)
        self.relevance = np.zeros(len(self.beliefs.rows), dtype=np.float32)

    @cached_property
    def entry_of(self) -> np.ndarray:
        """The row of each belief's entry, -1 without."""
        return self.beliefs.joined(self.entries).rows

    @cached_property
    def searched(self) -> np.ndarray:
        """The beliefs that count and have an entry."""
        return np.flatnonzero(self.counts & (self.entry_of >= 0))

    def beliefs_of(self, entries: np.ndarray) -> np.ndarray:
        """Return (position in `entries`, belief) pairs of some entry ids, of the beliefs that count."""
        pairs = self.beliefs.joined(self.entries).beliefs_of(entries)
        return pairs[self.counts[pairs[:, 1]]]

    def counted(self, rows: Sequence[int]) -> list[int]:
        return [i for i in rows if self.counts[i]]


def by_keys(fields: Sequence[Field], keys: Sequence[str]) -> list[tuple[int, int]]:
    """Return (field, belief) of every key that was named, by its HMAC in each scope."""
    found = []
    for f, one in enumerate(fields):
        if not one.beliefs.by_key:
            continue
        for key in keys:
            mac = sealing.mac(one.scope.id, key_text(key))
            found += [(f, i) for i in one.counted(one.beliefs.by_key.get(mac, []))]
    return found


def by_rules(fields: Sequence[Field], rules: Sequence[str]) -> list[tuple[int, int]]:
    """Return (field, belief) of every memory whose key a question names by a label."""
    return [
        (f, i) for f, one in enumerate(fields) for rule in rules for i in one.counted(one.beliefs.by_rule.get(rule, []))
    ]


def by_ids(fields: Sequence[Field], memories: Sequence[str]) -> list[tuple[int, int]]:
    return [
        (f, i)
        for memory in memories
        for f, one in enumerate(fields)
        for i in one.counted(one.beliefs.by_memory.get(memory, []))
    ]


def search_words(fields: Sequence[Field], query: str, key_rules: Sequence[KeyRule]) -> None:
    """Set each belief's share of the best BM25 score; memories that owe their entry are read for it."""
    asked = tokens(query, asked=True)
    if not asked:
        return
    indexed = [one for one in fields if len(one.searched)]
    keys = sealing.mac_keys([one.scope.id for one in indexed])
    corners = []
    for one in indexed:
        counted = np.zeros(len(one.entries.ids), dtype=bool)
        counted[one.entry_of[one.searched]] = True
        corners.append(Corner(one.entries.postings, counted, as_query(asked, keys[one.scope.id])))
    waiting = _waiting(fields)
    if waiting:
        blobs = _read_now([fields[f].beliefs.rows[i] for f, i in waiting], key_rules)
        corners.append(Corner(postings(blobs), np.ones(len(blobs), dtype=bool), as_query(asked, SCRATCH)))
    scores = bm25(corners)
    for one, score in zip(indexed, scores, strict=False):
        one.words[one.searched] = score[one.entry_of[one.searched]]
    for (f, i), mark in zip(waiting, scores[-1] if waiting else (), strict=True):
        fields[f].words[i] = mark


def _waiting(fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Return the newest beliefs that have no entry yet."""
    found = [(f, int(i)) for f, one in enumerate(fields) for i in np.flatnonzero(one.counts & (one.entry_of < 0))]
    found.sort(key=lambda at: fields[at[0]].beliefs.rows[at[1]].created_seq, reverse=True)
    return found[:UNINDEXED]


def _read_now(beliefs: Sequence[Belief], key_rules: Sequence[KeyRule]) -> list[bytes]:
    """Return token hashes of memories that have no entry yet, under a key of the moment."""
    ids = [f"{b.memory}.{b.number}" for b in beliefs]
    contents = dict(Version.objects.filter(pk__in=ids).values_list("id", "content"))
    opened = sealing.unseal(c for c in contents.values() if c)
    rules = {r.id: r for r in key_rules}
    blobs = []
    for belief, version in zip(beliefs, ids, strict=True):
        words = opened.get(contents.get(version) or "", sealing.NO_WORDS)
        blobs.append(hash_tokens(tokens(searchable(words, rules.get(belief.key_rule))), SCRATCH))
    return blobs


def vector_of(fields: Sequence[Field], query: str) -> np.ndarray | None:
    """Return the question's vector; None where the embedder does not answer, empty where there is nothing to search."""
    if not any(len(one.searched) for one in fields):
        return np.zeros(0, dtype=np.float32)
    try:
        return embedding.embed_query(query)
    except CannotEmbed:
        return None


def search_vectors(fields: Sequence[Field], vector: np.ndarray | None, *, limit: int) -> str:
    """Set cosines: Chroma's where it answered, exact ones for what it missed. Returns what is degraded, or ""."""
    if vector is None:
        return "vectors"
    searched = [one for one in fields if len(one.searched)]
    if not searched:
        return ""
    for one in searched:
        rows = one.searched[one.entries.embedded[one.entry_of[one.searched]]]
        if len(rows) and len(one.entries.ids) <= EXACT and one.entries.vectors.shape[1] == len(vector):
            one.cosines[rows] = (one.entries.vectors @ vector)[one.entry_of[rows]]
    most = max(4 * limit, LEAST_NEAR)
    degraded = ""
    try:
        _ask_chroma(searched, vector, most)
    except IndexDown:
        degraded = "index"
    _mark_nearest(searched, most)
    return degraded


def _ask_chroma(fields: Sequence[Field], vector: np.ndarray, most: int) -> None:
    places = shards.places([one.scope.id for one in fields], model=embedding.model_name())
    for place in places:
        entries, cosines = chroma.query(place.collection, vector, scopes=place.numbers, limit=most)
        for one in fields:
            at, beliefs = one.beliefs_of(entries).T
            one.cosines[beliefs] = cosines[at]
            one.chroma.update(beliefs.tolist())


def _mark_nearest(fields: Sequence[Field], most: int) -> None:
    """Note which beliefs are the nearest of all fields together."""
    found = [(f, i, one.cosines[i]) for f, one in enumerate(fields) for i in _top(one.cosines, most)]
    found.sort(key=lambda hit: -hit[2])
    for f, i, _ in found[:most]:
        fields[f].near.add(i)


def _top(scores: np.ndarray, most: int) -> list[int]:
    """Return the rows of the highest scores, NaN never."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    rows = np.argpartition(-filled, most - 1)[:most] if len(filled) > most else np.arange(len(filled))
    return [int(i) for i in rows if filled[i] > -np.inf]
