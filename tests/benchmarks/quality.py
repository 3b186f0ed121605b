"""What retrieval benchmarks share: the same questions to the product, to its words and vectors alone, and to the plain
fusion of their ranks, all on the same entries."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from governance.index import embedding
from governance.index.models import Entry
from governance.index.tokens import Corner, as_query, bm25, postings, tokens
from governance.ledger import sealing
from governance.scopes.models import Scope
from tests.benchmarks.measure import Row

DEPTHS = (5, 10, 20)
WAYS = ("as built", "words alone", "vectors alone", "rank fusion")
RRF = 60  # Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009)


class Alone:
    """One leg at a time, and the fusion of their ranks, over the entries of a scope."""

    def __init__(self, scope: Scope) -> None:
        rows = list(Entry.objects.filter(scope=scope).order_by("id"))
        self.key = sealing.mac_key(scope.id)
        self.memories = [r.memory_id for r in rows]
        self.postings = postings([bytes(r.tokens) for r in rows])
        blobs = [np.frombuffer(bytes(r.vector or b""), dtype=np.float16) for r in rows]
        self.vectors = np.stack(blobs).astype(np.float32)

    def ways(self, question: str) -> dict[str, list[str]]:
        """Return memories, best first, by each way but the product's own."""
        counted = np.ones(len(self.memories), dtype=bool)
        corner = Corner(self.postings, counted, as_query(tokens(question, asked=True), self.key))
        words, near = bm25([corner])[0], self.vectors @ embedding.embed_query(question)
        both = sum(np.where(s > 0, 1 / (RRF + _ranks(s)), 0.0) for s in (words, near))
        return dict(zip(WAYS[1:], (self._best(s) for s in (words, near, np.asarray(both))), strict=True))

    def _best(self, scores: np.ndarray) -> list[str]:
        return [self.memories[i] for i in np.argsort(-scores, kind="stable")[: max(DEPTHS)] if scores[i] > 0]


def _ranks(scores: np.ndarray) -> np.ndarray:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


@dataclass
class Found:
    """Shares of what should be found, by way, measure and category."""

    shares: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    ceilings: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(
        self, category: str, gold: Collection[str], ways: Mapping[str, Sequence[str]], cites: Mapping[str, set[str]]
    ) -> None:
        """Note one question: `gold` should be found, `cites` says what each memory stands for."""
        held = set().union(*cites.values())
        self.ceilings[category].append(len(set(gold) & held) / len(gold))
        for way, ranked in ways.items():
            for depth in DEPTHS:
                seen: set[str] = set().union(*(cites.get(m, set()) for m in ranked[:depth]))
                self.shares[way, f"recall@{depth}", category].append(len(set(gold) & seen) / len(gold))
            first = next((i for i, m in enumerate(ranked, 1) if cites.get(m, set()) & set(gold)), 0)
            self.shares[way, "MRR", category].append(1 / first if first else 0.0)

    def mean(self, way: str, measure: str, categories: Sequence[str]) -> float:
        return float(np.mean([x for c in categories for x in self.shares[way, measure, c]]))

    def report(self, groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """Yield a table: one column a category, then the groups of them."""
        categories = sorted(self.ceilings)
        columns = {c: [c] for c in categories} | dict(groups)
        yield f"{'':<26}" + "".join(f"{name[:14]:>16}" for name in columns)
        for measure in (*(f"recall@{d}" for d in DEPTHS), "MRR"):
            for way in WAYS:
                figures = "".join(f"{self.mean(way, measure, c):16.3f}" for c in columns.values())
                yield f"{measure:<11}{way:<15}{figures}"
        ceilings = ([x for c in cs for x in self.ceilings[c]] for cs in columns.values())
        yield f"{'ceiling of the store':<26}" + "".join(f"{np.mean(c):16.3f}" for c in ceilings)

    def bars(self, categories: Sequence[str], *, ahead: float, least: float) -> list[Row]:
        """Return whether recall@10 is ahead of the best of the others by so much, and what it is at least."""
        built = self.mean("as built", "recall@10", categories)
        best = max(WAYS[1:], key=lambda way: self.mean(way, "recall@10", categories))
        rival = self.mean(best, "recall@10", categories)
        seen = f"{built:.3f} / {rival:.3f} ({best})"
        return [
            Row("recall@10 beside the best of the others", seen, f">= {ahead:+.2f}", built - rival >= ahead - 1e-9),
            Row("recall@10", f"{built:.3f}", f">= {least:.2f}", built >= least),
        ]
