"""JSON as it was meant: nothing that two readers could understand differently, nothing endless."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from governance.errors import Invalid, TooLarge

LARGEST = 2_000_000  # bytes
READ_ON, CHUNK = 64_000_000, 1_000_000  # bytes
DEEPEST = 32
LONGEST_NUMBER = 40  # digits


class StrictJSONParser(BaseParser):
    """Reads UTF-8 JSON. Raises Invalid for NaN, Infinity, a name that comes twice, too deep nesting; TooLarge."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        raw = stream.read(LARGEST + 1)
        if len(raw) > LARGEST:
            _read_on(stream)
            raise TooLarge(f"A body has at most {LARGEST} bytes.")
        return parsed(raw)


def _read_on(stream: IO[Any]) -> None:
    """Take the rest of a body that is too large, up to a bound: a client that still sends cannot read the answer, and
    what it sends next on the same connection would not be understood."""
    for _ in range(READ_ON // CHUNK):
        if not stream.read(CHUNK):
            return


def parsed(raw: bytes) -> Any:
    """Return what some bytes of JSON say. Raises Invalid, quoting nothing."""
    try:
        text = raw.decode()
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=_fraction,
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise Invalid({"": "must be valid JSON in UTF-8"}) from None
    if _depth(value) > DEEPEST:
        raise _too_deep()
    return value


def _too_deep() -> Invalid:
    return Invalid({"": f"is nested deeper than {DEEPEST} levels"})


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Invalid({"": "holds a name twice in one object"})
    return found


def _constant(name: str) -> Any:
    raise Invalid({"": "holds NaN or Infinity, which JSON does not have"})


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise Invalid({"": f"holds a number of more than {LONGEST_NUMBER} digits; send it as text"})
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Invalid({"": "holds a number that is too large; send it as text"})
    return number


def _depth(value: Any) -> int:
    depth, layer = 0, [value]
    while layer and depth <= DEEPEST:
        inner: list[Any] = []
        for item in layer:
            inner += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        depth, layer = depth + 1, [i for i in inner if isinstance(i, dict | list)]
    return depth


class JSONAnyway(DefaultContentNegotiation):
    """Answers in JSON even where `Accept` asks for something else: an answer that can be read beats a 406."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            renderer: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
        return renderer
