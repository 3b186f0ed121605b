"""What two policies say differently, as people read it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.policies.documents import Document, paths, value_at
from governance.policies.fields import lines_of_trust
from governance.policies.sections import FIELDS, SECTION_OF, SECTIONS


@dataclass(frozen=True)
class Change:
    """One thing that is said differently: `before` and `after` as text, "" for nothing."""

    section: str
    path: str
    label: str
    before: str
    after: str
    part: str = ""  # of a rule, where only that changed


RULE_PARTS: Mapping[str, str] = {
    "pattern": "pattern",
    "labels": "names",
    "aliases": "other names",
    "cardinality": "values",
    "half_life_days": "half-life in days",
    "authority": "authority",
    "trust": "order of trust",
}
_TITLES = {s.id: s.title for s in SECTIONS}


def compare(before: Document, after: Document) -> tuple[Change, ...]:
    """Return what changed from one policy to another, in the order of the sections."""
    changes = [*_fields(before, after), *_rules(before.get("key_rules", []), after.get("key_rules", []))]
    order = list(_TITLES.values())
    return tuple(sorted(changes, key=lambda change: order.index(change.section)))


def _fields(before: Document, after: Document) -> Iterator[Change]:
    for path, field in FIELDS.items():
        old, new = value_at(before, path), value_at(after, path)
        if old != new:
            yield Change(SECTION_OF[path].title, path, field.label, shown(old), shown(new))
    known = {path for path, _ in paths(before)} | {path for path, _ in paths(after)}
    for path in sorted(known - set(FIELDS)):
        if not any(path.startswith(f"{name}.") for name in FIELDS) and value_at(before, path) != value_at(after, path):
            yield Change(_TITLES["retention"], path, path, shown(value_at(before, path)), shown(value_at(after, path)))


def _rules(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[Change]:
    old, new = {r["id"]: r for r in before}, {r["id"]: r for r in after}
    for name in [*old, *(n for n in new if n not in old)]:
        if name not in new:
            yield Change(_TITLES["keys"], f"key_rules.{name}", name, old[name]["pattern"], "")
        elif name not in old:
            yield Change(_TITLES["keys"], f"key_rules.{name}", name, "", new[name]["pattern"])
        else:
            yield from _rule(name, old[name], new[name])
    kept_before, kept_after = [n for n in old if n in new], [n for n in new if n in old]
    if kept_before != kept_after:
        moved = next(n for n, o in zip(kept_after, kept_before, strict=True) if n != o)
        where = str(kept_before.index(moved) + 1), str(kept_after.index(moved) + 1)
        yield Change(_TITLES["keys"], f"key_rules.{moved}", moved, *where, "place")


def _rule(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for part, called in RULE_PARTS.items():
        if (old.get(part) or None) != (new.get(part) or None):
            said = shown(old.get(part)), shown(new.get(part))
            yield Change(_TITLES["keys"], f"key_rules.{name}", name, *said, called)


def shown(value: Any) -> str:
    """Return a value of a policy as text."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        if value and all(isinstance(rank, int) for rank in value.values()):
            return lines_of_trust(value).replace("\n", " > ")
        return ", ".join(f"{name}: {said}" for name, said in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")
