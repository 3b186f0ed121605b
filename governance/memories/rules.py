"""Equality of keys and values, and the timeline: pure, no database."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from governance.memories.models import BEGINNING, FOREVER
from governance.memories.spelling import one_spelling
from governance.policies.rules import normalise_key
from governance.scopes.rules import has_unseen

NORMALISER = 1


def normalise_text(text: str) -> str:
    """Return a text as it is compared: NFKC, case folded, white space single, no full stop at its end."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(" .。!！")


def normalise_value(value: Any, key: str = "") -> str:
    """Return a JSON value as it is compared: texts as `normalise_text` and in one spelling, keys sorted, 1.0 as 1.

    `key` says what a value need not repeat: below `project.python.version`, "Python 3.9" is "3.9".
    """
    return orjson.dumps(_comparable(value, normalise_key(key)), option=orjson.OPT_SORT_KEYS).decode()


def _comparable(value: Any, key: str) -> Any:
    if isinstance(value, str):
        return one_spelling(normalise_text(value), key)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)  # 1000 and "1,000" are one number
    if isinstance(value, list | tuple):
        return [_comparable(v, key) for v in value]
    if isinstance(value, dict):
        return {str(k): _comparable(v, key) for k, v in value.items()}
    return value


def is_empty(value: Any) -> bool:
    """Return whether a value is none at all: null, nothing but blanks, or a list or object of such; 0 and false are
    values."""
    if isinstance(value, str):
        return all(c.isspace() or has_unseen(c) for c in value)
    if isinstance(value, list | dict):
        return all(is_empty(v) for v in (value.values() if isinstance(value, dict) else value))
    return value is None


# What HMACs are taken over, each framed by what it is.
def key_text(key: str, about: str = "") -> str:
    """Return what a key's HMAC is taken over; a companion's key is not the user's own."""
    return f"key/{normalise_text(about)}/{normalise_key(key)}" if about else f"key/{normalise_key(key)}"


def value_text(value: Any, key: str = "") -> str:
    return f"value/{normalise_value(value, key)}"


def content_text(content: str) -> str:
    return f"content/{normalise_text(content)}"


@dataclass(frozen=True)
class Stated:
    """What the timeline needs of a version."""

    number: int
    observed_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    corrects: bool = False
    supersedes: int | None = None
    tombstone: bool = False
    undoes: bool = False  # it stands again for the version it restores, and what came between was never so
    restores: int | None = None
    closes: bool = False


@dataclass(frozen=True)
class Span:
    """A version holds from `starts_at` until just before `ends_at`."""

    number: int
    starts_at: datetime
    ends_at: datetime


def timeline(versions: Iterable[Stated]) -> tuple[Span, ...]:
    """Return what is believed to hold when, in order of time, never overlapping.

    Painted in order of (observed_at, number): later said covers earlier said inside its own validity; a correction
    takes its predecessor's start; one that closes leaves nothing from its start on; a tombstone ends all that was
    stated before it; what undoes takes the place of the version it restores, as though nothing was written between.
    """
    stated = {v.number: v for v in versions}
    standing = _standing(stated)
    last_tombstone = max((n for n in standing if stated[n].tombstone), default=0)
    alive = [(stated[place], n) for n, place in standing.items() if n > last_tombstone]
    spans: list[Span] = []
    for version, number in sorted(alive, key=lambda one: (one[0].observed_at, one[0].number)):
        start, end = _start(version, stated), version.valid_to or FOREVER
        if start < end:
            spans = [piece for span in spans for piece in _cut(span, start, end)]
            spans += [] if version.closes else [Span(number, start, end)]
    return tuple(sorted(spans, key=lambda s: s.starts_at))


def _standing(stated: dict[int, Stated]) -> dict[int, int]:
    """Return the versions that were not undone, each with the number of the one whose place it has: mostly its own."""
    standing: dict[int, int] = {}
    number = max(stated, default=0)
    while number > 0:
        version = stated.get(number)
        if version is not None:
            place = version
            while place.undoes and place.restores in stated:
                place = stated[place.restores]
            standing[number] = place.number
            number = place.number
        number -= 1
    return standing


def _start(version: Stated, stated: dict[int, Stated]) -> datetime:
    """Return where a version begins: a correction where what it corrects began, though never later than it was said."""
    own = version.valid_from
    seen: set[int] = set()
    while version.corrects and version.supersedes in stated and version.number not in seen:
        seen.add(version.number)
        version = stated[version.supersedes]
    return min(own, version.valid_from)


def _cut(span: Span, start: datetime, end: datetime) -> list[Span]:
    """Return what is left of a span when [start, end) is taken out of it."""
    if span.ends_at <= start or end <= span.starts_at:
        return [span]
    left = [Span(span.number, span.starts_at, start)] if span.starts_at < start else []
    right = [Span(span.number, end, span.ends_at)] if end < span.ends_at else []
    return left + right


def at(spans: Iterable[Span], moment: datetime) -> int | None:
    """Return the number of the version that holds at a moment, None for none."""
    return next((s.number for s in spans if s.starts_at <= moment < s.ends_at), None)


def shown(moment: datetime) -> datetime | None:
    """Return a bound as callers see it: the ends of time are open."""
    return None if moment in (BEGINNING, FOREVER) else moment
