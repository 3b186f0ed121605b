"""Pages that hold still while others write: a cursor over one unique column that only grows."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from governance.api.fields import QueryShape, QueryWhole, Text
from governance.errors import Invalid

M = TypeVar("M", bound=Model)
MOST, USUAL = 200, 50


class PageQuery(QueryShape):
    """Where a page begins and how long it is."""

    cursor = Text(longest=200, help_text="From `next` or `previous`; opaque.")
    limit = QueryWhole(least=1, most=MOST, help_text=f"Rows of a page; {USUAL} by default.")


@dataclass(frozen=True)
class Cursor:
    """The row a page stands next to, and on which side of it."""

    at: int
    back: bool = False

    def __str__(self) -> str:
        text = json.dumps([self.at, int(self.back)], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Page(Generic[M]):
    """Some rows of a list, and the cursors of its neighbours (None: there is nothing more)."""

    rows: Sequence[M]
    next: Cursor | None
    previous: Cursor | None


def parse_cursor(text: str) -> Cursor:
    """Return the cursor that a text says. Raises Invalid."""
    try:
        at, back = json.loads(base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)))
        if type(at) is int and back in (0, 1) and abs(at) < 2**63:
            return Cursor(at, bool(back))
    except (binascii.Error, ValueError, TypeError):
        pass
    raise Invalid({"/cursor": "is no cursor of this list; begin without one"})


def page_of(rows: QuerySet[M], column: str, wanted: dict[str, Any], *, newest_first: bool = True) -> Page[M]:
    """Return the page that `cursor` and `limit` ask for; `column` is unique and grows with each new row."""
    limit = wanted.get("limit", USUAL)
    cursor = parse_cursor(wanted["cursor"]) if "cursor" in wanted else None
    back = cursor is not None and cursor.back
    descending = newest_first is not back
    if cursor is not None:
        rows = rows.filter(**{f"{column}__{'lt' if descending else 'gt'}": cursor.at})
    found = list(rows.order_by(f"-{column}" if descending else column)[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    if back:
        found.reverse()
    if not found:
        return Page([], None, None)
    first, last = getattr(found[0], column), getattr(found[-1], column)
    # Where we came from there is at least the row the cursor names.
    return Page(
        found,
        next=Cursor(last) if more or back else None,
        previous=Cursor(first, back=True) if (more if back else cursor is not None) else None,
    )


def page_body(request: Request, page: Page[M], items: Sequence[Any]) -> dict[str, Any]:
    """Return a page as it is answered; its addresses hold facets, ids and cursors, never words."""
    return {"results": items, "next": _address(request, page.next), "previous": _address(request, page.previous)}


def _address(request: Request, cursor: Cursor | None) -> str | None:
    if cursor is None:
        return None
    query = request.query_params.copy()
    query["cursor"] = str(cursor)
    return str(request.build_absolute_uri(f"{request.path}?{query.urlencode()}"))


@cache
def page_shape(name: str, shape: type[serializers.Serializer]) -> type[serializers.Serializer]:
    """Return the documented shape of a page of something."""
    fields = {
        "results": shape(many=True),
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
    }
    return type(f"{name}Page", (serializers.Serializer,), fields)
