"""Stand-ins that are fast and always give the same."""

import hashlib
import os
from functools import lru_cache
from typing import Any

import numpy as np
from chromadb.api.types import EmbeddingFunction

WIDTH = 64
TURN = "TESTS_TURN"  # a number: each turns all vectors its own way, so that none is found among those of another test


class HashedWords(EmbeddingFunction[Any]):
    """An embedder of hashed character triples: texts that share words are near, nothing is understood."""

    calibration = (0.0, 0.9)

    def __init__(self) -> None:
        pass

    def __call__(self, input: Any) -> Any:
        return [_vector(text) for text in input]

    @staticmethod
    def name() -> str:
        return "hashed-words"

    def get_config(self) -> dict[str, Any]:
        return {"width": WIDTH}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "HashedWords":
        return HashedWords()


class Broken(HashedWords):
    """The same embedder, out of order."""

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("out of order")


def _vector(text: str) -> np.ndarray:
    text = f"  {text.casefold()} "
    vector = np.full(WIDTH, 0.01, dtype=np.float32)
    for i in range(len(text) - 2):
        place = hashlib.blake2b(text[i : i + 3].encode("utf-8", "replace"), digest_size=8).digest()
        vector[place[0] % WIDTH] += 1.0 if place[1] % 2 else -1.0
    order, signs = _turn(os.environ.get(TURN, "0"))
    return vector[order] * signs


@lru_cache(maxsize=8)
def _turn(seed: str) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the dimensions and a sign for each: all distances stay as they are."""
    pick = np.random.default_rng(int(seed))
    return pick.permutation(WIDTH), pick.choice(np.array([-1.0, 1.0], dtype=np.float32), WIDTH)


class Wider(HashedWords):
    """Another model."""

    def __call__(self, input: Any) -> Any:
        return [np.concatenate([_vector(text), _vector(text)]) for text in input]

    def get_config(self) -> dict[str, Any]:
        return {"width": 2 * WIDTH}
