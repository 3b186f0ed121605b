"""Which version a caller read: in the body, the address, or `If-Match`; never guessed."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request

from governance.api.fields import QueryShape, QueryWhole, Shape, Whole, read, read_query
from governance.errors import Stale, VersionMissing
from governance.memories.models import Memory

ETAG = re.compile(r'(?:W/)?"(\d{1,9})"', re.ASCII)


class InBody(Shape):
    expected_version = Whole(least=1)


class InAddress(QueryShape):
    expected_version = QueryWhole(least=1)


def etag(latest: int) -> dict[str, str]:
    return {"ETag": f'"{latest}"'}


def expect(memory: Memory, request: Request) -> int:
    """Return the version the caller read. Raises VersionMissing, Stale, in that order."""
    expected = _named(request)
    if expected is None:
        raise VersionMissing()
    if expected != memory.latest:
        raise Stale(memory.latest)
    return expected


def _named(request: Request) -> int | None:
    """The body goes first: a proxy may have changed the header."""
    body: Any = request.data
    if isinstance(body, Mapping) and body.get("expected_version") is not None:
        return int(read(InBody, {"expected_version": body["expected_version"]})["expected_version"])
    if "expected_version" in request.query_params:
        return int(read_query(InAddress, _only(request))["expected_version"])
    match = ETAG.fullmatch(request.headers.get("If-Match", "").strip())
    return int(match[1]) if match else None


def _only(request: Request) -> Any:
    query = request.query_params.copy()
    for name in list(query):
        if name != "expected_version":
            del query[name]
    return query
