"""How much a key may ask: counted per minute in the cache, told in the IETF's RateLimit headers."""

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from governance.errors import TooMany
from governance.scopes.rules import Actor

WINDOW = 60  # seconds


@dataclass(frozen=True)
class Quota:
    """What is left of a key's minute."""

    limit: int
    remaining: int
    resets_in: int


class PerKey(BaseThrottle):
    """Counts a request against its key. Raises TooMany beyond `API_REQUESTS_PER_MINUTE`."""

    def allow_request(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, Actor):
            quota = counted(request.auth.key)
            request._request.quota = quota  # type: ignore[attr-defined]
            if quota.remaining < 0:
                raise TooMany(retry_after=quota.resets_in)
        return True


def counted(key: str) -> Quota:
    """Count one request of a key and return what is left of this minute; below zero it was one too many."""
    limit, now = settings.API_REQUESTS_PER_MINUTE, int(time.time())
    name = f"requests:{key}:{now // WINDOW}"
    return Quota(limit, limit - _incremented(name), WINDOW - now % WINDOW)


def _incremented(name: str) -> int:
    cache.add(name, 0, WINDOW * 2)
    try:
        return cache.incr(name)
    except ValueError:  # evicted, or the cache changed places, in between
        cache.set(name, 1, WINDOW * 2)
        return 1


def tell(request: HttpRequest, response: Response) -> None:
    """Write the quota of a request into its answer (draft-ietf-httpapi-ratelimit-headers-10)."""
    quota: Quota | None = getattr(request, "quota", None)
    if quota is not None:
        response["RateLimit-Policy"] = f'"key";q={quota.limit};w={WINDOW}'
        response["RateLimit"] = f'"key";r={max(quota.remaining, 0)};t={quota.resets_in}'
