"""The words of a text as keyed hashes, and BM25 over them: no word is stored in clear, none is compared in clear."""

import hmac
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import local

import numpy as np
import Stemmer

WIDTH = 8  # bytes of a token's hash
LONGEST = 20_000  # characters of a text that are looked at
K1, B = 1.2, 0.6

# Scripts written without spaces: Chinese, Japanese kana, Hangul.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_RUNS = re.compile(rf"([{_UNSPACED}]+)|(\d+)|([^\W\d_{_UNSPACED}]+)")
# Words that say nothing about what is asked; left out of questions only, never out of what is stored.
STOP = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in is "
    "it its me my of on or our she should so that the their them then there these they this to us was we were what "
    "when where which who whom why will with would you your about any some not no s t "
    "什么 怎么 哪些 哪个 哪里 为什 是什 我的 你的 他的 她的 的是 是不 不是 有没 没有 我们 你们 他们 一下 可以 请问 "
    "告诉 的 了 吗 呢 是 我 你 他 她".split()
)
_stemmers = local()


def _stem(word: str) -> str:
    if not hasattr(_stemmers, "english"):  # not to be shared between threads
        _stemmers.english = Stemmer.Stemmer("english")
    stemmed: str = _stemmers.english.stemWord(word)
    return stemmed


def tokens(text: str, *, asked: bool = False) -> list[str]:
    """Return the tokens of a text in order: English stems, numbers, Chinese two-character pairs.

    `asked` leaves out the words every question has, unless there are no others.
    """
    folded = unicodedata.normalize("NFKC", text[:LONGEST]).casefold()
    found: list[str] = []
    rest: list[str] = []
    for unspaced, digits, word in _RUNS.findall(folded):
        pieces = _pairs(unspaced) if unspaced else [digits or word]
        for piece in pieces:
            token = piece if unspaced or digits else _stem(piece)
            (rest if asked and piece in STOP else found).append(token)
    return found or rest


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


def hash_tokens(words: Iterable[str], key: bytes) -> bytes:
    """Return the 8-byte HMACs of tokens under the key of their scope, one after the other."""
    return b"".join(hmac.digest(key, b"token/" + w.encode("utf-8", "replace"), "sha256")[:WIDTH] for w in words)


@dataclass(frozen=True)
class Postings:
    """The tokens of many texts, sorted by hash: `hashes[i]` occurs `counts[i]` times in text `texts[i]`."""

    hashes: np.ndarray
    texts: np.ndarray
    counts: np.ndarray
    lengths: np.ndarray


def postings(blobs: Sequence[bytes]) -> Postings:
    """Return the postings of texts given as their token hashes."""
    lengths = np.array([len(b) // WIDTH for b in blobs], dtype=np.int32)
    hashes = np.frombuffer(b"".join(blobs), dtype=np.uint64)
    texts = np.repeat(np.arange(len(blobs), dtype=np.int32), lengths)
    order = np.lexsort((texts, hashes))
    hashes, texts = hashes[order], texts[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (texts[1:] != texts[:-1])
    starts = np.flatnonzero(first)
    counts = np.diff(np.append(starts, len(hashes))).astype(np.float32)
    return Postings(hashes[starts], texts[starts], counts, lengths.astype(np.float32))


@dataclass(frozen=True)
class Corner:
    """One scope's share of a word search: its postings, which texts count, and the question under its key."""

    postings: Postings
    counted: np.ndarray  # bool, one a text
    query: np.ndarray  # uint64, one a distinct token of the question, the same order in every corner


def bm25(corners: Sequence[Corner]) -> list[np.ndarray]:
    """Return the score of every text, corner by corner, in [0, 1]: BM25 over the best that this question could reach.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009); document frequencies are
    those of all corners together, so that a score means the same in each.
    """
    number = sum(int(c.counted.sum()) for c in corners)
    terms = len(corners[0].query) if corners else 0
    scores = [np.zeros(len(c.counted), dtype=np.float32) for c in corners]
    if not number or not terms:
        return scores
    average = sum(float(c.postings.lengths[c.counted].sum()) for c in corners) / number or 1.0
    best = 0.0
    for term in range(terms):
        found = [_occurrences(c, c.query[term]) for c in corners]
        frequency = sum(len(texts) for texts, _ in found)
        weight = float(np.log1p((number - frequency + 0.5) / (frequency + 0.5)))
        best += weight * (K1 + 1)
        for corner, score, (texts, counts) in zip(corners, scores, found, strict=True):
            length = 1 - B + B * corner.postings.lengths[texts] / average
            score[texts] += weight * counts * (K1 + 1) / (counts + K1 * length)
    return [score / best for score in scores]


def _occurrences(corner: Corner, token: np.uint64) -> tuple[np.ndarray, np.ndarray]:
    p = corner.postings
    start, end = np.searchsorted(p.hashes, token, "left"), np.searchsorted(p.hashes, token, "right")
    texts, counts = p.texts[start:end], p.counts[start:end]
    kept = corner.counted[texts]
    return texts[kept], counts[kept]


def as_query(words: Sequence[str], key: bytes) -> np.ndarray:
    """Return a question's distinct tokens as hashes of one scope."""
    return np.frombuffer(hash_tokens(dict.fromkeys(words), key), dtype=np.uint64)
