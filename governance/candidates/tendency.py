"""Whether words tend towards orders to a model, or towards a request: linear heads on wording and meaning.

What the wording of a text leaves in doubt is embedded, beside the caller, and the default embedder's heads decide;
most texts leave nothing in doubt. The weights stand in `tendency.json`. They were fitted by
`tests/benchmarks/gating/fit.py` to permissively licensed files alone: orders on memory_poisoning and bastioncorpus
(each text with one paraphrase by rule) and deepset; requests on CLINC150 and CrossWOZ; against both on
Synthetic-Persona-Chat, MADial memories, GoodAI's colours and names, and some two hundred statements of our own. With
another embedder there are no heads on meaning, and the wording alone tells.
"""

import base64
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from governance.candidates.stages.proposal import Tendency
from governance.candidates.stages.text import seen_text
from governance.candidates.wording import Wording, wording
from governance.index.embedding import CannotEmbed, embed_passages, embedder

WEIGHTS = Path(__file__).with_name("tendency.json")
PIECE = 240  # characters that are read at once: among much else an order goes under
MOST_PIECES = 4
# A label with a value, or a name, is no sentence: the heads know nothing about those.
_WORDED = re.compile(r"(?:\S+\s+){3}\S|(?:[\u4e00-\u9fff][^\u4e00-\u9fff]*){6}")
NONE = -1.0
_BREAK = re.compile(r"(?<=[.!?。！？\n])\s*")


@dataclass(frozen=True)
class Head:
    """One linear head: what a text scores above its threshold is taken for what the head looks for."""

    weights: np.ndarray
    intercept: float
    threshold: float
    doubt: float = 0.0  # a wording that scores less leaves nothing in doubt
    share: float = 0.0  # of the wording's score, that counts beside the meaning's

    def of_wording(self, texts: Sequence[Wording]) -> np.ndarray:
        """Return the score of each text."""
        return np.array([self.weights[text.at] @ text.amount + self.intercept for text in texts])

    def of_meaning(self, vectors: np.ndarray) -> np.ndarray:
        """Return the score of each row, that of its wording not yet counted."""
        return np.asarray(vectors @ self.weights + self.intercept)


Tending = Callable[[], Tendency | None]


def tendency(texts: Sequence[str]) -> Tendency | None:
    """Return what some words tend to; None for no words."""
    return tending(texts)()


def tending(texts: Sequence[str]) -> Tending:
    """Begin to find what some words tend to, beside the caller; calling what is returned waits for it."""
    pieces = [p for text in texts for p in _pieces(seen_text(text))][:MOST_PIECES]
    if not pieces:
        return lambda: None
    read = {"orders": [p for p in pieces if _WORDED.search(p)], "request": pieces[:1]}
    scores = {name: _heads()[name].of_wording([wording(p) for p in said]) for name, said in read.items()}
    doubted = {name: read[name] for name, found in scores.items() if (found >= _heads()[name].doubt).any()}
    if not doubted:
        return lambda: Tendency(NONE, NONE)
    beyond = _beside(lambda: _beyond(doubted, scores))
    return lambda: Tendency(**{"orders": NONE, "request": NONE, **beyond()})


def _beside(work: Callable[[], dict[str, float]]) -> Callable[[], dict[str, float]]:
    """Begin some work in a thread of its own; calling what is returned waits for it."""
    thread = ThreadPoolExecutor(1, "tendency")
    done = thread.submit(work)
    thread.shutdown(wait=False)
    return done.result


def _beyond(doubted: Mapping[str, Sequence[str]], scores: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return how far beyond the threshold of each head some words lie: by their wording's scores and, where an embedder
    that has heads answers, by their meaning."""
    heads, embedder_name = _heads(), getattr(embedder(), "name", str)()
    vectors = _embedded({p for said in doubted.values() for p in said}) if f"orders {embedder_name}" in heads else {}
    found = {}
    for name, said in doubted.items():
        if vectors:
            meant = heads[f"{name} {embedder_name}"]
            meanings = meant.of_meaning(np.array([vectors[p] for p in said]))
            found[name] = float((meanings + meant.share * scores[name]).max() - meant.threshold)
        else:
            found[name] = float(scores[name].max() - heads[name].threshold)
    return found


def _embedded(pieces: Collection[str]) -> dict[str, np.ndarray]:
    """Return the vector of each piece; none where the embedder does not answer."""
    texts = list(pieces)
    try:
        return dict(zip(texts, embed_passages(texts), strict=True))
    except CannotEmbed:
        return {}


def _pieces(text: str) -> list[str]:
    if len(text) <= PIECE:
        return [text] if text.strip() else []
    pieces = [""]
    for sentence in _BREAK.split(text):
        if len(pieces[-1]) + len(sentence) > PIECE and pieces[-1]:
            pieces.append("")
        pieces[-1] += (" " if pieces[-1] else "") + sentence
    return [p for p in pieces if p.strip()]


@lru_cache(maxsize=1)
def _heads() -> dict[str, Head]:
    """Return the heads on wording by what they look for, those on meaning by that and their embedder."""
    stored: dict[str, Any] = json.loads(WEIGHTS.read_text())
    return {
        name: Head(
            np.frombuffer(base64.b64decode(head["weights"]), dtype=head["type"]).astype(np.float32) * head["step"],
            head["intercept"],
            head["threshold"],
            head.get("doubt", 0.0),
            head.get("share", 0.0),
        )
        for name, head in stored.items()
    }
