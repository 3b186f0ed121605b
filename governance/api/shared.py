"""The cache that processes share, which may be away: then each process counts for itself until it is back."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

T = TypeVar("T")

REST_SECONDS = 1.0  # after a failure Redis is left alone this long
PATIENCE = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}  # seconds


class Shared(RedisCache):
    """Redis while it answers, this process's memory while it does not. Never raises because Redis is away."""

    _resting_until = 0.0  # of all threads together: each has an instance of its own

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, {**params, "OPTIONS": {**PATIENCE, **params.get("OPTIONS", {})}})
        self._here = LocMemCache(server, {"OPTIONS": {"MAX_ENTRIES": 100_000}})

    @classmethod
    def stop_resting(cls) -> None:
        """Ask Redis again at once."""
        cls._resting_until = 0.0

    def add(self, key: str, value: Any, *args: Any, **named: Any) -> bool:
        return self._ask(lambda c: c.add(key, value, *args, **named))

    def get(self, key: str, *args: Any, **named: Any) -> Any:
        return self._ask(lambda c: c.get(key, *args, **named))

    def set(self, key: str, value: Any, *args: Any, **named: Any) -> None:
        self._ask(lambda c: c.set(key, value, *args, **named))

    def incr(self, key: str, *args: Any, **named: Any) -> int:
        return self._ask(lambda c: c.incr(key, *args, **named))

    def delete(self, key: str, *args: Any, **named: Any) -> bool:
        return self._ask(lambda c: c.delete(key, *args, **named))

    def _ask(self, work: Callable[[Any], T]) -> T:
        if time.monotonic() >= Shared._resting_until:
            try:
                return work(super())
            except RedisError:
                Shared._resting_until = time.monotonic() + REST_SECONDS
        return work(self._here)
