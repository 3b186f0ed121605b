"""Which version a caller read: in the body, the address, or `If-Match`; never guessed."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request

from governance.api.fields import QueryShape, QueryWhole, Shape, Whole, read, read_query
from governance.errors import Invalid, Stale, VersionMissing
from governance.memories.models import Memory

ETAG = re.compile(r'(?:W/)?"(\d{1,9})"', re.ASCII)


class InBody(Shape):
    expected_version = Whole(least=1)


class InAddress(QueryShape):
    expected_version = QueryWhole(least=1)


def etag(latest: int) -> dict[str, str]:
    return {"ETag": f'"{latest}"'}


def expect(memory: Memory, request: Request) -> int:
    """Return the version the caller read. Raises Invalid where two were named, VersionMissing, Stale, in that order."""
    expected = _named(request)
    if expected is None:
        raise VersionMissing()
    if expected != memory.latest:
        raise Stale(memory.latest)
    return expected


def _named(request: Request) -> int | None:
    """What is no ETag of ours is passed over: a proxy may have changed the header."""
    body: Any = request.data
    named: dict[str, int] = {}
    if match := ETAG.fullmatch(request.headers.get("If-Match", "").strip()):
        named["`If-Match`"] = int(match[1])
    if "expected_version" in request.query_params:
        named["`expected_version` of the address"] = read_query(InAddress, _only(request))["expected_version"]
    if isinstance(body, Mapping) and body.get("expected_version") is not None:
        sent = read(InBody, {"expected_version": body["expected_version"]})
        named["`expected_version` of the body"] = sent["expected_version"]
    if len(set(named.values())) > 1:
        raise Invalid({"/expected_version": " and ".join(named) + " name different versions; name the one you read"})
    return next(iter(named.values()), None)


def _only(request: Request) -> Any:
    query = request.query_params.copy()
    for name in list(query):
        if name != "expected_version":
            del query[name]
    return query
