"""Whether a policy document can be put in force, field by field. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from governance.policies.documents import Document, document_of, paths, value_at
from governance.policies.fields import SOURCES, Field
from governance.policies.rules import DEFAULT, normalise_key
from governance.policies.sections import FIELDS

RULE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
RULE_PARTS = frozenset({"id", "pattern", "labels", "aliases", "cardinality", "half_life_days", "authority", "trust"})
MOST_RULES, MOST_ALIASES, MOST_PATTERNS, LONGEST = 500, 50, 200, 200
LONGEST_HALF_LIFE = 36_500.0


def check(document: Document) -> dict[str, str]:
    """Return what is wrong, by JSON pointer (`/score/threshold`, `/key_rules/3/pattern`); {} when nothing is."""
    errors: dict[str, str] = {}
    for path, field in FIELDS.items():
        if problem := problem_with(field, value_at(document, path)):
            errors[pointer(path)] = problem
    errors |= {pointer(path): "is not a part of a policy" for path in _strange(document)}
    return errors | dict(_rules(document.get("key_rules")))


def pointer(path: str) -> str:
    return "/" + path.replace(".", "/")


def _strange(document: Document) -> Iterator[str]:
    """Yield paths that no policy has."""
    known = {path for path, _ in paths(document_of(DEFAULT))}
    for path, _ in paths(document):
        if path not in known and FIELDS.get(path.rpartition(".")[0], _NONE).kind != "order":
            yield path


_NONE = Field("", "", "")


def problem_with(field: Field, value: Any) -> str:
    """Return what is wrong with the value of a field, "" when nothing is."""
    return _CHECKS[field.kind](field, value)


def _number(field: Field, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return "must be a number"
    if not field.least <= value <= field.most:
        return f"must lie between {field.least:g} and {field.most:g}"
    return ""


def _optional(field: Field, value: Any) -> str:
    return "" if value is None else _number(field, value)


def _whole(field: Field, value: Any) -> str:
    return _number(field, value) or ("" if value == int(value) else "must be a whole number")


def _choice(field: Field, value: Any) -> str:
    return "" if value in field.choices else "must be one of " + ", ".join(field.choices)


def _several(field: Field, value: Any) -> str:
    if not isinstance(value, list) or any(item not in field.choices for item in value):
        return "must be a list of " + ", ".join(field.choices)
    return "names something twice" if len(set(value)) < len(value) else ""


def _patterns(field: Field, value: Any) -> str:
    if not isinstance(value, list) or len(value) > MOST_PATTERNS:
        return f"must be a list of at most {MOST_PATTERNS} patterns"
    return next((p for p in map(problem_with_pattern, value) if p), "")


def _order(field: Field, value: Any) -> str:
    if not isinstance(value, Mapping) or any(not isinstance(rank, int) for rank in value.values()):
        return "must be an order of sources"
    if set(value) - set(field.choices):
        return "names a source that does not exist; there are " + ", ".join(field.choices)
    return "" if set(value) == set(field.choices) else "must name every source: " + ", ".join(field.choices)


_CHECKS = {
    "number": _number,
    "optional": _optional,
    "whole": _whole,
    "choice": _choice,
    "several": _several,
    "patterns": _patterns,
    "order": _order,
}


def problem_with_pattern(pattern: Any) -> str:
    """Return what is wrong with a pattern of keys, "" when nothing is."""
    if not isinstance(pattern, str) or not pattern.strip():
        return "a pattern is empty"
    if len(pattern) > LONGEST:
        return f"a pattern is longer than {LONGEST} characters"
    if normalise_key(pattern) != pattern:
        return "write patterns as keys are kept: lower case, parts joined by dots, no spaces"
    return ""


def _rules(rules: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        yield "/key_rules", f"must be a list of at most {MOST_RULES} rules"
        return
    seen: set[str] = set()
    for at, rule in enumerate(rules):
        if not isinstance(rule, Mapping):
            yield f"/key_rules/{at}", "must be an object"
            continue
        for name, problem in problems_with_rule(rule).items():
            yield f"/key_rules/{at}/{name}", problem
        if rule.get("id") in seen:
            yield f"/key_rules/{at}/id", "is the name of another rule"
        seen.add(str(rule.get("id")))


def problems_with_rule(rule: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with one key rule, by the name of its part."""
    problems = {
        "id": "" if _is_text(rule.get("id"), 80) and RULE_ID.fullmatch(rule["id"]) else _ID_FORM,
        "pattern": problem_with_pattern(rule.get("pattern")),
        "labels": _labels(rule.get("labels", {})),
        "aliases": _aliases(rule.get("aliases", [])),
        "cardinality": "" if rule.get("cardinality", "single") in ("single", "multi") else "must be single or multi",
        "half_life_days": _half_life(rule.get("half_life_days")),
        "authority": "" if _is_text(rule.get("authority", ""), 80) else "must be text of at most 80 characters",
        "trust": _trust(rule.get("trust")),
    }
    problems |= dict.fromkeys(set(rule) - RULE_PARTS, "is not a part of a key rule")
    return {name: problem for name, problem in problems.items() if problem}


_ID_FORM = "must be small letters, digits and hyphens, at most 80"


def _is_text(value: Any, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest and (value.isprintable() or not value)


def _labels(labels: Any) -> str:
    if not isinstance(labels, Mapping) or not all(_is_text(k, 10) and _is_text(v, 80) for k, v in labels.items()):
        return "must name the key by language, each name at most 80 characters"
    return ""


def _aliases(aliases: Any) -> str:
    if not isinstance(aliases, list | tuple) or len(aliases) > MOST_ALIASES:
        return f"must be at most {MOST_ALIASES} other names"
    return "" if all(_is_text(a, 80) and a.strip() for a in aliases) else "a name is empty or over 80 characters"


def _half_life(days: Any) -> str:
    if days is None:
        return ""
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= LONGEST_HALF_LIFE:
        return f"must be a number of days above 0, at most {LONGEST_HALF_LIFE:g}"
    return ""


def _trust(trust: Any) -> str:
    if trust is None:
        return ""
    if not isinstance(trust, Mapping) or not all(isinstance(rank, int) for rank in trust.values()):
        return "must be an order of sources"
    return "names a source that does not exist" if set(trust) - set(SOURCES) else ""
