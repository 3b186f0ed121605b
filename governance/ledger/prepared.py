"""Statements that every recall runs: their SQL is made once, not each time, which costs Django more than to run it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

import orjson
from django.db import connections, models, router
from django.db.models import QuerySet
from django.db.models.query import (  # type: ignore[attr-defined]
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)

Value = str | bytes | Collection[str] | None
LONGEST = 256  # texts in a list; with more of them it is asked as any other query is


@dataclass(frozen=True)
class _Ready:
    """One shape of a query: its statement, and where in it which text goes."""

    db: str
    sql: str
    parameters: tuple[Any, ...]
    places: Mapping[int, tuple[str, int]]  # position of a parameter: argument, number within it
    converters: Sequence[tuple[int, Sequence[Any], Any]]  # position of a column: from what the driver gives
    make: Callable[[Sequence[Any]], Any]  # one row


class Prepared:
    """A query of texts (and of the bytes of HMACs): call it as the function that builds it.

    That function may use its arguments as parameters only, by name; a list goes into an `__in`, None may change what
    is built. It is called once for each shape: which arguments are None, and the length of each list, rounded up to a
    power of two.
    """

    def __init__(self, build: Callable[..., QuerySet[Any]]) -> None:
        self._build = build
        self._ready: dict[tuple[Any, ...], _Ready] = {}

    def __call__(self, **values: Value) -> list[Any]:
        """Return the rows; no query where a list is empty."""
        lists = [value for value in values.values() if not isinstance(value, str | bytes | None)]
        if not all(lists):
            return []
        if any(len(texts) > LONGEST for texts in lists):
            return list(self._build(**values))
        filled = {name: _padded(value) for name, value in values.items()}
        shape = tuple((name, _shape(value)) for name, value in filled.items())
        ready = self._ready.get(shape)
        if ready is None:
            ready = self._ready[shape] = _prepare(self._build, filled)
        parameters = list(ready.parameters)
        for position, (name, number) in ready.places.items():
            value = filled[name]
            text = value[number] if isinstance(value, list) else value
            parameters[position] = text if isinstance(text, str) else type(parameters[position])(text)
        return _run(ready, tuple(parameters))


def _padded(value: Value) -> str | bytes | list[str] | None:
    """Return a list filled up with its last text to a power of two, so that there are few shapes of it."""
    if value is None or isinstance(value, str | bytes):
        return value
    texts = list(value)
    wanted = 1 << max(len(texts) - 1, 0).bit_length()
    return texts + texts[-1:] * (wanted - len(texts))


def _shape(value: str | bytes | list[str] | None) -> object:
    return len(value) if isinstance(value, list) else type(value)


def _prepare(build: Callable[..., QuerySet[Any]], filled: Mapping[str, Any]) -> _Ready:
    marks: dict[str | bytes, tuple[str, int]] = {}
    given: dict[str, Any] = {}
    for name, value in filled.items():
        count = len(value) if isinstance(value, list) else 1
        own: list[Any] = [f"\x02{name}.{i}\x03" for i in range(count)]
        if isinstance(value, bytes):
            own = [own[0].encode()]
        marks |= {mark: (name, i) for i, mark in enumerate(own)} if value is not None else {}
        given[name] = None if value is None else own if isinstance(value, list) else own[0]
    rows = build(**given)
    assert not (rows.query.extra_select or rows.query.annotation_select)
    compiler = rows.query.get_compiler(using=rows.db)
    sql, parameters = compiler.as_sql()
    places = {i: marks[mark] for i, p in enumerate(parameters) if (mark := _mark_of(p)) in marks}
    assert {name for name, _ in places.values()} == {name for name, value in filled.items() if value is not None}
    found = compiler.get_converters([s[0] for s in compiler.select[: compiler.col_count]])
    converters = [(i, convert, expression) for i, (convert, expression) in found.items()]
    return _Ready(rows.db, sql, tuple(parameters), places, converters, _maker(rows, compiler))


def _mark_of(parameter: Any) -> Any:
    inner = getattr(parameter, "obj", parameter)  # bytes come wrapped by the driver
    return inner if isinstance(inner, str | bytes) else None


def _maker(rows: QuerySet[Any], compiler: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what makes of a row's columns what the query set would: a model with those it is joined to, a tuple, or
    one value."""
    kind: type = rows._iterable_class
    if kind is not ModelIterable:
        values: dict[type, Callable[[Sequence[Any]], Any]] = {
            ValuesListIterable: tuple,
            FlatValuesListIterable: itemgetter(0),
        }
        return values[kind]
    info, select, db = compiler.klass_info, compiler.select, rows.db
    first, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column[0].target.attname for column in select[first:end]]
    joined = get_related_populators(info, select, db)

    def make(row: Sequence[Any]) -> Any:
        made = info["model"].from_db(db, names, row[first:end])
        for one in joined:
            one.populate(row, made)
        return made

    return make


def _run(ready: _Ready, parameters: tuple[Any, ...]) -> list[Any]:
    connection = connections[ready.db]
    with connection.cursor() as cursor:
        cursor.execute(ready.sql, parameters)
        rows = cursor.fetchall()
    if ready.converters:
        rows = [list(row) for row in rows]
        for i, convert, expression in ready.converters:
            for row in rows:
                for one in convert:
                    row[i] = one(row[i], expression, connection)
    return [ready.make(row) for row in rows]


# --- new rows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Insertion:
    """How rows of one table are written: the statement; of each column, what makes a value ready, None where nothing
    need be done."""

    db: str
    sql: str
    columns: Sequence[tuple[str, Callable[[Any, Any], Any] | None]]


PLAIN = (models.CharField, models.FloatField, models.IntegerField, models.BooleanField, models.ForeignKey)


def insert(rows: Sequence[models.Model]) -> None:
    """Write new rows of one table that bring their own keys, or need none. No signal is sent."""
    if not rows:
        return
    how = _insertion(type(rows[0]))
    connection = connections[how.db]
    columns = [
        [getattr(row, name) if ready is None else ready(getattr(row, name), connection) for row in rows]
        for name, ready in how.columns
    ]
    with connection.cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(how.sql, [values[0] for values in columns])
        else:
            cursor.executemany(how.sql, list(zip(*columns, strict=True)))


@cache
def _insertion(model: type[models.Model]) -> _Insertion:
    db = router.db_for_write(model)
    quote = connections[db].ops.quote_name
    fields = [f for f in model._meta.concrete_fields if not isinstance(f, models.AutoField)]
    names = ", ".join(quote(f.column) for f in fields)
    marks = ", ".join(["%s"] * len(fields))
    columns = [(f.attname, _readied(f)) for f in fields]
    return _Insertion(db, f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({marks})", columns)


def _readied(field: Any) -> Callable[[Any, Any], Any] | None:
    if isinstance(field, PLAIN):
        return None
    if isinstance(field, models.JSONField):  # what Django makes of it says the same and takes longer
        return lambda value, connection: None if value is None else orjson.dumps(value).decode()
    save: Callable[[Any, Any], Any] = field.get_db_prep_save
    return save
