"""Sensitive spans out, typed placeholders in."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from governance.policies.detectors.contact import find_contacts
from governance.policies.detectors.credentials import find_credentials
from governance.policies.detectors.health import find_health
from governance.policies.detectors.identity import find_identity
from governance.policies.detectors.money import find_money
from governance.policies.detectors.presidio import find_besides
from governance.policies.detectors.spans import PLACEHOLDERS, Span, fold

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None

CARE = frozenset({"allergy", "accessibility", "diet"})
DEFAULT_ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "credential": "reject",
        "national_id": "reject",
        "card": "reject",
        "passport": "reject",
        "bank_account": "review",
        "phone": "review",
        "email": "review",
        "address": "review",
        "birth_date": "review",
        "ip_address": "allow",
        "health": "event_only",
        "finance": "review",
        "allergy": "allow",
        "accessibility": "allow",
        "diet": "allow",
    }
)
MASKING = frozenset({"reject", "event_only"})
_RANK = {category: rank for rank, category in enumerate(PLACEHOLDERS)}


@dataclass(frozen=True, slots=True)
class Masked:
    """What stood at `start:end` of the original text and is now a placeholder."""

    start: int
    end: int
    category: str
    detector: str
    words: str = field(default="", repr=False, compare=False)  # what stood there; kept nowhere


@dataclass(frozen=True, slots=True)
class Redaction:
    """Text that may be kept, and what was taken out of it, in order."""

    text: str
    spans: tuple[Masked, ...]

    @property
    def categories(self) -> frozenset[str]:
        """The categories that were taken out."""
        return frozenset(span.category for span in self.spans)


def find(text: str) -> list[Span]:
    """Every sensitive span in the text, by position; spans of different categories may overlap.

    Raises Unavailable where an analyzer is set that does not answer.
    """
    folded = fold(text)
    if not folded.text:
        return []
    kinds = (find_credentials, find_identity, find_money, find_contacts, find_health, find_besides)
    found = chain.from_iterable(kind(folded) for kind in kinds)
    return sorted(set(found), key=lambda span: (span.start, -span.end, _RANK[span.category], span.detector))


def redact(text: str, actions: Mapping[str, str] = DEFAULT_ACTIONS) -> Redaction:
    """The text without the spans whose category is rejected or kept as an event only.

    Redacting what was redacted changes nothing: the search is repeated until it finds no more, because a placeholder
    is shorter than what it stands for and brings words nearer to each other.
    """
    return _repeated(text, [], actions)


def _repeated(text: str, masks: list[Span], actions: Mapping[str, str]) -> Redaction:
    current, origin = _rendered(text, masks)
    while found := [span for span in find(current) if _masks(span, actions)]:
        masks = _merged(chain(masks, (_placed(span, origin) for span in found)))
        current, origin = _rendered(text, masks)
    taken = (Masked(m.start, m.end, m.category, m.detector, text[m.start : m.end]) for m in masks)
    return Redaction(current, tuple(taken))


_LEAST_TO_FIND_AGAIN = 4  # characters; what is shorter stands in many places by chance


def redact_fields(
    fields: Mapping[str, JSON], actions: Mapping[str, str] = DEFAULT_ACTIONS, *, names: Mapping[str, str] | None = None
) -> tuple[dict[str, JSON], tuple[Masked, ...]]:
    """The fields of one thing, each redacted; what was found in one is masked wherever else it stands.

    `names` says under which name a field is read, such as the key a value is kept under.
    """
    clean: dict[str, JSON] = {}
    masks: list[Masked] = []
    for field_name, value in fields.items():
        clean[field_name], found = redact_value(value, actions, name=(names or {}).get(field_name, ""))
        masks.extend(found)
    taken = {m.words: PLACEHOLDERS[m.category] for m in masks if len(m.words) >= _LEAST_TO_FIND_AGAIN}
    return {name: _without(value, taken) for name, value in clean.items()}, tuple(masks)


def _without(value: JSON, taken: Mapping[str, str]) -> JSON:
    """A JSON value without some words that were masked elsewhere."""
    if not taken:
        return value
    if isinstance(value, dict):
        return {str(_without(key, taken)): _without(item, taken) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, taken) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    pattern = "|".join(re.escape(words) for words in sorted(taken, key=len, reverse=True))
    clean = re.sub(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])", lambda match: taken[match[0]], text)
    return value if clean == text else clean


def redact_value(
    value: JSON, actions: Mapping[str, str] = DEFAULT_ACTIONS, *, name: str = ""
) -> tuple[JSON, tuple[Masked, ...]]:
    """A JSON value with every string, key and number redacted; `name` is the key it stands under, read as context."""
    if isinstance(value, dict):
        return _redact_object(value, actions)
    if isinstance(value, list):
        pairs = [redact_value(item, actions, name=name) for item in value]
        return [item for item, _ in pairs], tuple(chain.from_iterable(masks for _, masks in pairs))
    if isinstance(value, str):
        redaction = _redact_named(value, actions, name)
        return redaction.text, redaction.spans
    if isinstance(value, bool) or value is None:
        return value, ()
    return _redact_number(value, actions, name)


def _redact_object(value: dict[str, JSON], actions: Mapping[str, str]) -> tuple[JSON, tuple[Masked, ...]]:
    redacted: dict[str, JSON] = {}
    masks: list[Masked] = []
    for key, item in value.items():
        clean_key = redact(key, actions)
        clean_item, item_masks = redact_value(item, actions, name=key)
        redacted[_unused(clean_key.text, redacted)] = clean_item
        masks.extend(chain(clean_key.spans, item_masks))
    return redacted, tuple(masks)


def _unused(key: str, taken: Mapping[str, JSON]) -> str:
    candidate, number = key, 2
    while candidate in taken:
        candidate, number = f"{key} {number}", number + 1
    return candidate


def _redact_number(value: int | float, actions: Mapping[str, str], name: str) -> tuple[JSON, tuple[Masked, ...]]:
    is_whole = isinstance(value, int) or value.is_integer()
    digits = str(int(value)) if is_whole else json.dumps(value)
    redaction = _redact_named(digits, actions, name)
    return (redaction.text, redaction.spans) if redaction.spans else (value, ())


def _redact_named(text: str, actions: Mapping[str, str], name: str) -> Redaction:
    """Redacts the text as the value of `name: text`, so that the name can say what it is."""
    if not name:
        return redact(text, actions)
    prefix = f"{re.sub('[_.-]+|(?<=[a-z])(?=[A-Z])', ' ', name)}: "
    found = (span for span in find(prefix + text) if _masks(span, actions) and span.start >= len(prefix))
    masks = _merged(Span(s.start - len(prefix), s.end - len(prefix), s.category, s.detector) for s in found)
    return _repeated(text, masks, actions)


def _masks(span: Span, actions: Mapping[str, str]) -> bool:
    return span.category not in CARE and actions.get(span.category, "review") in MASKING


def _placed(span: Span, origin: list[tuple[int, int]]) -> Span:
    return Span(origin[span.start][0], origin[span.end - 1][1], span.category, span.detector)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Overlapping spans as one, of the category that weighs most."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.start, each.end)):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            heavier = min(last, span, key=lambda each: _RANK[each.category])
            span = Span(last.start, max(last.end, span.end), heavier.category, heavier.detector)
        merged.append(span)
    return merged


def _rendered(text: str, masks: list[Span]) -> tuple[str, list[tuple[int, int]]]:
    """The text with placeholders, and for each of its characters the stretch of the original it stands for."""
    pieces: list[str] = []
    origin: list[tuple[int, int]] = []
    for piece, start, end in _pieces(text, masks):
        pieces.append(piece)
        kept = end - start == len(piece) and text[start:end] == piece
        origin.extend(((at, at + 1) for at in range(start, end)) if kept else [(start, end)] * len(piece))
    return "".join(pieces), origin


def _pieces(text: str, masks: list[Span]) -> Iterator[tuple[str, int, int]]:
    at = 0
    for mask in masks:
        yield text[at : mask.start], at, mask.start
        yield PLACEHOLDERS[mask.category], mask.start, mask.end
        at = mask.end
    yield text[at:], at, len(text)
