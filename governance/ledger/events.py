"""The form of an event: a frozen dataclass, its canonical bytes, and the registry of folds."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import sha256
from types import UnionType
from typing import Any, TypeVar, dataclass_transform, get_args, get_type_hints

import orjson

from governance.ledger.models import State
from governance.ledger.sealing import Words, framed

TAG = b"memory-governance/event/1"


@dataclass(frozen=True)
class Recorded:
    """An event with its envelope, as folds read it. `contents` are the ids of its sealed words."""

    id: str
    tenant: str
    seq: int
    type: str
    stream: str
    actor: str
    occurred_at: datetime
    recorded_at: datetime
    causation: str
    correlation: str
    event: Any
    contents: tuple[str, ...]


Fold = Callable[[Any, Recorded, Words], Any]


@dataclass(frozen=True)
class FoldInto:
    """Which row of which model an event folds into, and how."""

    model: type[State]
    fold: Fold
    key: Callable[[Recorded], Any]
    is_new: Callable[[Recorded], bool]


TYPES: dict[str, type] = {}
FOLDS: dict[str, list[FoldInto]] = {}
DERIVED: dict[str, "Derived"] = {}


E = TypeVar("E")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(name: str) -> Callable[[type[E]], type[E]]:
    """Register a past-tense event under its stable name; the class becomes a frozen dataclass."""

    def register(cls: type[E]) -> type[E]:
        frozen: Any = dataclass(frozen=True, kw_only=True)(cls)
        frozen.TYPE = name
        TYPES[name] = frozen
        return frozen

    return register


def folds(
    *events: Any,
    into: type[State],
    key: Callable[[Recorded], Any] = lambda r: r.stream,
    is_new: Callable[[Recorded], bool] = lambda r: False,
) -> Callable[[Fold], Fold]:
    """Register a pure fold of some events into the row that `key` names (by default the stream's own).

    `is_new` says of an event that the row cannot be there yet, so that nobody looks for it.
    """

    def register(fold: Fold) -> Fold:
        for cls in events:
            FOLDS.setdefault(cls.TYPE, []).append(FoldInto(into, fold, key, is_new))
        return fold

    return register


@dataclass(frozen=True)
class Derived:
    """Rows computed from other rows: those of `into` follow from those of `source` that share `group`."""

    into: type[State]
    source: type[State]
    group: str
    compute: Callable[[Sequence[Any]], list[Any]]
    is_first: Callable[[Any], bool]


Compute = Callable[[Sequence[Any]], list[Any]]


def derives(
    *events: Any,
    into: type[State],
    source: type[State],
    group: str,
    is_first: Callable[[Any], bool] = lambda row: False,
) -> Callable[[Compute], Compute]:
    """Register what is computed from folded rows after some events (a timeline from its versions, say).

    `is_first` says of a source row that it is the only one of its group.
    """

    def register(compute: Compute) -> Compute:
        for cls in events:
            DERIVED[cls.TYPE] = Derived(into, source, group, compute, is_first)
        return compute

    return register


def stamp(moment: datetime | None) -> str | None:
    """Return a time as canonical text: UTC, microseconds, `Z`."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def canonical(header: dict[str, Any]) -> bytes:
    """Return the one byte form of a header: sorted keys, no spaces, UTF-8."""
    return orjson.dumps(header, option=orjson.OPT_SORT_KEYS)


def chain_hash(tenant: str, seq: int, prev_hash: bytes, header: bytes) -> bytes:
    """Return hash = SHA-256(tag, tenant, seq, prev_hash, SHA-256(header)); parts are length-framed."""
    number, digest = b"%d" % seq, sha256(header).digest()
    prev = _HASH + prev_hash if len(prev_hash) == 32 else framed(prev_hash)
    return sha256(_beginning(tenant, len(number)) + number + prev + _HASH + digest).digest()


_HASH = framed(bytes(32))[:4]  # the frame of a hash


@lru_cache(maxsize=256)
def _beginning(tenant: str, digits: int) -> bytes:
    """Return what is hashed before a number of so many digits."""
    return framed(TAG) + framed(tenant.encode()) + framed(bytes(digits))[:4]


def data_of(instance: Any) -> dict[str, Any]:
    """Return an event's fields as JSON values: times as canonical text, tuples as lists."""
    return {f.name: _plain(getattr(instance, f.name)) for f in dataclasses.fields(instance)}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, (tuple, list, frozenset)):
        return [_plain(v) for v in value]
    return value


def revive(type_name: str, data: dict[str, Any]) -> Any:
    """Return the event that `data_of` wrote down; fields added since take their defaults."""
    cls, names, typed = _reader(type_name)
    if data.keys() != names:
        return cls(**{name: typed.get(name, _same)(value) for name, value in data.items() if name in names})
    event: Any = object.__new__(cls)  # one of a log of millions: all fields are there, so nothing is left to check
    event.__dict__.update(data)
    for name, read in typed.items():
        event.__dict__[name] = read(data[name])
    return event


@cache
def _reader(type_name: str) -> tuple[type, frozenset[str], dict[str, Callable[[Any], Any]]]:
    """Return the class of a type, its fields, and how those are read back that JSON holds otherwise."""
    cls = TYPES[type_name]
    hints = {field.name: get_type_hints(cls)[field.name] for field in dataclasses.fields(cls)}
    typed: dict[str, Callable[[Any], Any]] = {
        name: _moment if _is_moment(hint) else _listed for name, hint in hints.items() if hint not in _SAME
    }
    return cls, frozenset(hints), typed


_SAME = (str, int, float, bool, str | None, int | None, float | None, bool | None, dict[str, Any])


def _is_moment(hint: Any) -> bool:
    options: Sequence[Any] = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return datetime in options


def _moment(value: Any) -> Any:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _same(value: Any) -> Any:
    return value


@event("chain-restored")
class ChainRestored:
    """The database was put back from a backup: what came after, up to the signed event `seq`, is not in it."""

    backup: str
    seq: int
    hash: str
