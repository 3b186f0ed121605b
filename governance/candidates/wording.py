"""A text as numbers that a linear head weighs: its words and its runs of letters, hashed; no model is needed."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

import numpy as np

SIZE = 2**15  # of the table that n-grams are hashed into
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+(?:'[^\W\d_]+)*|\d+|[^\w\s]")


@dataclass(frozen=True)
class Wording:
    """Which places of the table a text fills, and how far: `at` (int64) and `amount` (float64) of one length."""

    at: np.ndarray
    amount: np.ndarray


def wording(text: str) -> Wording:
    """Return the wording of a text: letters in runs of two to five within words, and words in runs of one to three.

    Each half has length 1; an n-gram's place and sign are its CRC-32 ("feature hashing", Weinberger et al. 2009).
    """
    calm = text.lower()
    table: Counter[int] = Counter()
    for grams in (_letters(calm), _words(calm)):
        half: Counter[int] = Counter()
        for gram in grams:
            hashed = crc32(gram.encode("utf-8", "replace"))
            half[hashed % SIZE] += 1 if hashed >> 31 else -1
        length = sum(n * n for n in half.values()) ** 0.5 or 1.0
        for at, n in half.items():
            table[at] += n / length  # type: ignore[assignment]
    return Wording(np.fromiter(table, dtype=np.int64), np.fromiter(table.values(), dtype=np.float64))


def _letters(text: str) -> Iterator[str]:
    for word in text.split():
        padded = f" {word} "
        for n in range(2, 6):
            for start in range(len(padded) - n + 1):
                yield padded[start : start + n]


def _words(text: str) -> Iterator[str]:
    found = _TOKEN.findall(text)
    for n in range(1, 4):
        for start in range(len(found) - n + 1):
            yield "\x1f".join(found[start : start + n])
