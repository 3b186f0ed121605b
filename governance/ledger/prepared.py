"""Queries that every recall asks: their SQL is made once, not each time, which costs Django more than to run it."""

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from django.db import connections
from django.db.models import QuerySet

Value = str | bytes | Collection[str] | None
LONGEST = 256  # texts in a list; with more of them it is asked as any other query is


@dataclass(frozen=True)
class _Ready:
    """One shape of a query: its statement, and where in it which text goes."""

    rows: QuerySet[Any]
    compiler: Any
    sql: str
    parameters: tuple[Any, ...]
    places: Mapping[int, tuple[str, int]]  # position of a parameter: argument, number within it
    converters: Mapping[int, Any]


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
    converters = compiler.get_converters([s[0] for s in compiler.select[: compiler.col_count]])
    return _Ready(rows, compiler, sql, tuple(parameters), places, converters)


def _mark_of(parameter: Any) -> Any:
    inner = getattr(parameter, "obj", parameter)  # bytes come wrapped by the driver
    return inner if isinstance(inner, str | bytes) else None


def _run(ready: _Ready, parameters: tuple[Any, ...]) -> list[Any]:
    compiler = copy.copy(ready.compiler)
    compiler.connection = connections[ready.rows.db]
    compiler.as_sql = lambda *args, **named: (ready.sql, parameters)
    compiler.get_converters = lambda expressions: ready.converters
    # What the rows' own iterable needs of its query set; a copy of that would cost as much as the rest.
    asked = SimpleNamespace(db=ready.rows.db, model=ready.rows.model, _known_related_objects={}, _fields=None)
    asked.query = SimpleNamespace(get_compiler=lambda *args, **named: compiler)
    iterable: Any = ready.rows._iterable_class
    return list(iterable(asked))
