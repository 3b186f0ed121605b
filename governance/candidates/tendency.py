"""Whether words tend towards orders to a model, or towards a request: linear heads on wording, and one on meaning.

What the wording of a text leaves in doubt is embedded, beside the caller, and the default embedder's head on orders
decides; most texts leave nothing in doubt. The weights stand in `tendency.json`. They were fitted by
`tests/benchmarks/gating/fit.py` to permissively licensed files alone: orders on memory_poisoning and bastioncorpus
(each text with one paraphrase by rule) and deepset; requests on CLINC150 and CrossWOZ; against both on
Synthetic-Persona-Chat, MADial memories, GoodAI's colours and names, and some two hundred statements of our own. With
another embedder there is no head on meaning, and the wording alone tells.
"""

import base64
import json
import re
from collections.abc import Callable, Sequence
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

    def of_wording(self, text: Wording) -> float:
        """Return the score of a text; above the threshold means found."""
        return float(self.weights[text.at] @ text.amount) + self.intercept

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
    heads = _heads()
    request = heads["request"].of_wording(wording(pieces[0])) - heads["request"].threshold
    worded = [p for p in pieces if _WORDED.search(p)]
    scores = np.array([heads["orders"].of_wording(wording(p)) for p in worded])
    if (scores < heads["orders"].doubt).all():
        return lambda: Tendency(orders=NONE, request=request)
    orders = _beside(lambda: _orders(worded, scores))
    return lambda: Tendency(orders=orders(), request=request)


def _beside(work: Callable[[], float]) -> Callable[[], float]:
    """Begin some work in a thread of its own; calling what is returned waits for it."""
    thread = ThreadPoolExecutor(1, "tendency")
    done = thread.submit(work)
    thread.shutdown(wait=False)
    return done.result


def _orders(pieces: Sequence[str], scores: np.ndarray) -> float:
    """Return how far beyond the threshold some words lie, by their wording's scores and, where an embedder that has a
    head answers, by their meaning."""
    heads = _heads()
    alone, meant = heads["orders"], heads.get(getattr(embedder(), "name", str)())
    try:
        if meant is not None:
            return float((meant.of_meaning(embed_passages(pieces)) + meant.share * scores).max() - meant.threshold)
    except CannotEmbed:
        pass
    return float(scores.max() - alone.threshold)


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
    """Return the heads on wording by what they look for, and that on meaning by its embedder."""
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
