"""Whether words tend towards orders to a model, or towards a request: two linear heads on the default embedder.

The weights stand in `tendency.json`. They were fitted by `tests/benchmarks/gating/fit.py` to permissively licensed
files alone: orders on memory_poisoning and bastioncorpus (each text with one paraphrase by rule) and deepset; requests
on CLINC150 and CrossWOZ; against both on Synthetic-Persona-Chat, MADial memories, GoodAI's colours and names, and
some two hundred statements of our own. They belong to one embedder; with another one there are no tendencies, and the
rules alone decide.
"""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from governance.candidates.stages.proposal import Tendency
from governance.candidates.stages.text import seen_text
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

    def score(self, vectors: np.ndarray) -> float:
        """Return the highest score of some texts, its threshold taken off: positive means found."""
        return float((vectors @ self.weights).max() + self.intercept - self.threshold)


def tendency(texts: Sequence[str]) -> Tendency | None:
    """Return what some words tend to; None where the embedder is another one, or does not answer."""
    heads = _heads()
    pieces = [p for text in texts for p in _pieces(seen_text(text))][:MOST_PIECES]
    if not pieces or getattr(embedder(), "name", str)() != heads["embedder"]:
        return None
    try:
        vectors = embed_passages(pieces)
    except CannotEmbed:
        return None
    worded = vectors[[bool(_WORDED.search(p)) for p in pieces]]
    orders = heads["orders"].score(worded) if len(worded) else NONE
    return Tendency(orders=orders, request=heads["request"].score(vectors[:1]))  # what the whole of a short text is


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
def _heads() -> dict:
    stored = json.loads(WEIGHTS.read_text())
    heads = {
        name: Head(
            np.frombuffer(base64.b64decode(head["weights"]), dtype="<f2").astype(np.float32),
            head["intercept"],
            head["threshold"],
        )
        for name, head in stored["heads"].items()
    }
    return {"embedder": stored["embedder"], **heads}
