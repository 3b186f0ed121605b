"""Rows as their database holds them, read by the thousand: no transaction stays open, none is made into an object."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import psycopg
from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BinaryField, CharField, DateTimeField, Model

from governance.ledger.models import Event

Row = tuple[Any, ...]
PAGE = 1000
LEAST = -(2**63)
NO_TEXT = b"\xff"  # the bytes of no text


def log(tenant: str, columns: Sequence[str], *, after: int = LEAST) -> Iterator[list[Row]]:
    """Yield pages of rows (seq, columns ...) of a tenant's log, in order, those that come meanwhile too.

    Numbers come as they are, texts as their bytes and times as headers write them, perhaps without a
    fraction that is none. SQLite keeps whatever it is given: what is no text comes as NO_TEXT, no bytes as b"".
    """
    rows, seq = f"FROM {Event._meta.db_table} WHERE tenant = %s", "seq"
    # By bounds, not by LIMIT: where a database has no statistics it sorts all the rest for each page.
    page = f"SELECT {', '.join([seq, *_told(Event, columns)])} {rows} AND seq >= %s AND seq < %s ORDER BY seq"
    following = f"SELECT MIN(seq) {rows} AND seq > %s"
    [(first,)] = _read(Event, following, [tenant, after])
    while isinstance(first, int):
        if found := _read(Event, page, [tenant, first, first + PAGE]):
            yield found
            first += PAGE
        else:
            [(first,)] = _read(Event, following, [tenant, first])


def found(model: type[Model], columns: Sequence[str], ids: Collection[str]) -> list[Row]:
    """Return the rows (columns ...) with some ids, the first column, which comes as it is; the others as in `log`."""
    if not ids:
        return []
    told: list[Any] = list(ids)
    is_listed = f"IN ({', '.join(['%s'] * len(ids))})"
    if _connection(model).vendor == "postgresql":  # takes them as one
        is_listed, told = "= ANY(%s)", [told]
    first, rest = columns[0], _told(model, columns[1:])
    query = f"SELECT {', '.join([first, *rest])} FROM {model._meta.db_table} WHERE {first} {is_listed}"
    return _read(model, query, told)


def _connection(model: type[Model]) -> BaseDatabaseWrapper:
    return connections[router.db_for_read(model)]


def _read(model: type[Model], query: str, told: Sequence[Any]) -> list[Row]:
    connection = _connection(model)
    if connection.vendor != "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(query, told)
            return list(cursor.fetchall())
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        # Django's own cursor asks for texts: each byte would come as two digits.
        return cursor.execute(query.encode(), told, binary=True).fetchall()


def _told(model: type[Model], columns: Sequence[str]) -> list[str]:
    """Return how columns are asked for."""
    form = _POSTGRESQL if _connection(model).vendor == "postgresql" else _SQLITE
    return [form[_kind(model._meta.get_field(name))].format(name) for name in columns]


def _kind(field: Any) -> str:
    kinds = {BinaryField: "bytes", DateTimeField: "time", CharField: "text"}
    return next((kind for type_, kind in kinds.items() if isinstance(field, type_)), "number")


_POSTGRESQL = {
    "number": "{0}",
    "bytes": "{0}",
    "text": "convert_to({0}, 'UTF8')",
    "time": "convert_to(to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'UTF8')",
}
_SQLITE = {
    "number": "{0}",
    "bytes": "CASE typeof({0}) WHEN 'blob' THEN {0} ELSE X'' END",
    "text": "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE X'FF' END",
    # As Django writes it there, with a space and in UTC; where a second has no fraction it says none.
    "time": "CASE typeof({0}) WHEN 'text' THEN CAST(replace({0}, ' ', 'T') || 'Z' AS BLOB) ELSE X'FF' END",
}
