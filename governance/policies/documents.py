"""A policy as a JSON document, and back: what is published, drafted and compared. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any

from governance.policies.rules import DEFAULT, KeyRule, Policy

Document = dict[str, Any]
# Says that `key_rules` are all there are; without it they stand before those of the default policy.
WHOLE = "whole"


def document_of(policy: Policy) -> Document:
    """Return all a policy says, so that a later default changes nothing of it."""
    document: Document = _plain(asdict(policy))
    document.pop("number")
    return document | {WHOLE: True}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def from_document(number: int, document: Document) -> Policy:
    """Return the default policy with what a document says otherwise; a part that is not named stays the default's."""
    said = {name: value for name, value in document.items() if name in _NAMES}
    rules = said.pop("key_rules", None)
    trust = dict(said.pop("trust", DEFAULT.trust))  # an order: half of one says nothing
    policy: Policy = replace(_merged(DEFAULT, said), trust=trust)
    own = tuple(_key_rule(rule) for rule in rules or ())
    if rules is None:
        own = DEFAULT.key_rules
    elif not document.get(WHOLE):
        own += DEFAULT.key_rules
    return replace(policy, number=number, key_rules=own)


_NAMES = frozenset(f.name for f in fields(Policy)) - {"number"}


def _key_rule(said: Mapping[str, Any]) -> KeyRule:
    return KeyRule(**{**said, "aliases": tuple(said.get("aliases", ()))})


def _merged(default: Any, said: Any) -> Any:
    if is_dataclass(default) and not isinstance(default, type):
        known = {name: _merged(getattr(default, name), value) for name, value in said.items() if hasattr(default, name)}
        return replace(default, **known)
    if isinstance(default, Mapping):
        like = next(iter(default.values()), None)  # a name of the tenant's own is made like its neighbours
        return {**default, **{name: _merged(default.get(name, like), value) for name, value in said.items()}}
    return tuple(said) if isinstance(said, list) else said


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """Return what a document says at a path such as `score.reuse.user`; None where it says nothing."""
    found: Any = document
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def with_value(document: Document, path: str, value: Any) -> Document:
    """Return the document with another value at a path."""
    first, _, rest = path.partition(".")
    if not rest:
        return document | {first: value}
    return document | {first: with_value(dict(document.get(first) or {}), rest, value)}


def paths(document: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every path of a document with its value, key rules and the mark of wholeness left out."""
    for name, value in document.items():
        if not before and name in ("key_rules", WHOLE):
            continue
        if isinstance(value, Mapping):
            yield from paths(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
