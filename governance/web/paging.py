"""Pages of a list by one unique, monotonic column: stable while others write."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from governance.overview.queries import MOST_COUNTED, counted
from governance.web.text import whole

SIZE = 50
ID = re.compile(r"[a-z]{1,10}_[0-9a-f]{32}")


@dataclass(frozen=True)
class Page:
    """One page; `previous` and `next` are query strings, "" where the list ends."""

    rows: list[Any]
    total: int
    previous: str
    next: str
    is_whole: bool = False  # whether the total was counted to its end

    @property
    def summary(self) -> str:
        if not self.previous and not self.next:
            return gettext("%s in all") % self.length
        return gettext("%(shown)s of %(total)s") % {"shown": f"{len(self.rows):,}", "total": self.length}

    @property
    def length(self) -> str:
        """Return how long the list is, as far as it was counted."""
        return f"{self.total:,}" if self.is_whole else many(self.total)


def a_number(raw: str) -> int | None:
    """Return the place of an event in its log that an address names."""
    return whole(raw, most=18)


def an_id(raw: str) -> str | None:
    """Return the id that an address names."""
    return raw if ID.fullmatch(raw) else None


def page_of(
    request: HttpRequest,
    rows: QuerySet[Any],
    column: str,
    *,
    newest_first: bool = True,
    size: int = SIZE,
    total: int | None = None,
    cursor: Callable[[str], int | str | None] = a_number,
) -> Page:
    """Return the page that `?after=` (further down the list) or `?before=` (further up) names; else the first.

    `cursor` reads what the address says of the column; None: nothing that it can hold.
    """
    is_whole = total is not None
    total = counted(rows) if total is None else total
    down, up = ("lt", "gt") if newest_first else ("gt", "lt")
    falling, rising = f"-{column}", column
    ahead, back = (falling, rising) if newest_first else (rising, falling)
    after, before = (cursor(request.GET.get(name, "")) for name in ("after", "before"))
    if before is not None:
        found = list(rows.filter(**{f"{column}__{up}": before}).order_by(back)[: size + 1])
        more_up, more_down = len(found) > size, True
        found = found[:size][::-1]
    else:
        there = rows.filter(**{f"{column}__{down}": after}) if after is not None else rows
        found = list(there.order_by(ahead)[: size + 1])
        more_up, more_down = after is not None, len(found) > size
        found = found[:size]
    return Page(
        rows=found,
        total=total,
        previous=_query(request, before=getattr(found[0], column)) if found and more_up else "",
        next=_query(request, after=getattr(found[-1], column)) if found and more_down else "",
        is_whole=is_whole,
    )


def many(number: int) -> str:
    """Return a number as a list that is counted so far shows it."""
    return f"{number:,}" if number <= MOST_COUNTED else f"{MOST_COUNTED:,}+"


def chosen(request: HttpRequest, names: Iterable[str]) -> dict[str, str]:
    """Return the facets that the address names, none of them empty."""
    found = {name: request.GET.get(name, "").strip() for name in names}
    return {name: value for name, value in found.items() if value and len(value) <= 80 and value.isprintable()}


def _query(request: HttpRequest, **cursor: int | str) -> str:
    query = request.GET.copy()
    for name in ("after", "before", "seen"):
        query.pop(name, None)
    for name, value in cursor.items():
        query[name] = str(value)
    return "?" + query.urlencode()
