"""Destroying words: the event that says so, the HMACs that go with them, their keys, and the bytes those leave."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from governance.ledger import sealing
from governance.ledger.events import event
from governance.ledger.models import Content, ContentKey, NamedKey, State
from governance.ledger.writing import Writing, folding_allowed

ERASED = "contents-erased"
SEVERAL = 500


PATIENCE = 60.0  # seconds
# Rows stay as long as somebody could see them: a snapshot in this database, or one of our own, which reaches back to
# the oldest transaction that runs in any database of the server.
_OLDER = (
    "SELECT pg_snapshot_xmin(pg_current_snapshot()) <= %s::xid8 OR EXISTS (SELECT 1 FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age(%s::text::xid))"
)


class NotForgotten(Exception):
    """The database could not be made to overwrite what was deleted: somebody reads an older state. Try again."""


@event(ERASED)
class ContentsErased:
    """The keys of these words are destroyed on request; that they cannot be read any more is sound."""

    request: str
    contents: tuple[str, ...]


@dataclass(frozen=True)
class Blank:
    """Columns of HMACs that follow from the words in `content`: blank once those are erased, as their fold says."""

    model: type[State]
    columns: tuple[str, ...]
    content: str
    stream: str  # the column that names the stream whose events make the row


BLANKS: list[Blank] = []


def blanks(model: type[State], *columns: str, content: str = "content", stream: str = "pk") -> None:
    """Register the HMAC columns that go with a model's words."""
    BLANKS.append(Blank(model, columns, content, stream))


def several(items: Iterable[Any], at_once: int = SEVERAL) -> Iterator[list[Any]]:
    """Yield the items some hundreds at a time: no statement takes more."""
    listed = list(items)
    for start in range(0, len(listed), at_once):
        yield listed[start : start + at_once]


def erase_contents(w: Writing, contents: Iterable[str], *, request: str) -> None:
    """Record that words are erased and blank the HMACs that follow from them, as folding without words would."""
    for some in several(contents):
        w.record(ContentsErased(request=request, contents=tuple(some)), stream=request)
        with folding_allowed():
            for blank in BLANKS:
                rows = blank.model.objects.filter(**{f"{blank.content}__in": some})
                rows.update(**dict.fromkeys(blank.columns, b""))


def readable(contents: Iterable[str]) -> list[str]:
    """Return those contents whose words could still be opened: their key is there."""
    found: list[str] = []
    for some in several(contents):
        rows = dict(Content.objects.filter(pk__in=some).values_list("pk", "kid"))
        keys = set(ContentKey.objects.filter(kid__in=set(rows.values())).values_list("kid", flat=True))
        found += [content for content, kid in rows.items() if kid in keys]
    return sorted(found)


def destroy_keys_of(contents: Iterable[str]) -> int:
    """Delete the data keys of some words and return how many; after this commit nobody opens them any more."""
    return sum(
        destroy_keys(set(Content.objects.filter(pk__in=some).values_list("kid", flat=True)))
        for some in several(contents)
    )


def destroy_keys(kids: Iterable[str]) -> int:
    """Delete data keys and return how many were there."""
    return sum(ContentKey.objects.filter(kid__in=some).delete()[0] for some in several(kids))


def destroy_named(names: Iterable[str]) -> int:
    """Delete keys with a name, here and in this process's memory, and return how many were there."""
    gone = sum(NamedKey.objects.filter(name__in=some).delete()[0] for some in several(names))
    sealing.forget_known_keys()
    return gone


def wipe(alias: str, tables: Sequence[str]) -> None:
    """Make a database's files forget what was deleted from some tables. Outside any transaction. Raises NotForgotten.

    SQLite overwrites freed bytes (`secure_delete`) and keeps older pages in its log until that is truncated;
    PostgreSQL keeps dead rows until the table is written anew, common values until it is analysed, and those as dead
    rows of its statistics until these are written anew as well (which the owner of the database may do).
    """
    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "sqlite":
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if cursor.fetchone()[0]:
                raise NotForgotten
            return
        _wait_for_older(cursor)
        for table in tables:
            cursor.execute(f"VACUUM (FULL, ANALYZE) {table}")
        cursor.execute("VACUUM (FULL) pg_catalog.pg_statistic")


def _wait_for_older(cursor: Any) -> None:
    """Wait until nobody reads an older state: PostgreSQL keeps every row that somebody could still see."""
    cursor.execute("SELECT pg_current_xact_id()::text, pg_current_xact_id()::xid::text")
    now = cursor.fetchone()
    until = time.monotonic() + PATIENCE
    while True:
        cursor.execute(_OLDER, now)
        if not cursor.fetchone()[0]:
            return
        if time.monotonic() > until:
            raise NotForgotten
        time.sleep(0.1)
