"""Keys of one scope that may mean the same: offered to a person, never merged alone. Values that are one claim."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

from governance.memories.rules import normalise_text
from governance.memories.spelling import numbers_name
from governance.policies.rules import KeyRule, normalise_key

NEAR = 0.84  # of a part: "favourite" / "favorite" .95, "colour" / "color" .91, "prod" / "dev" .29
FILLING = frozenset({"profile", "preference", "preferences", "user", "personal", "info", "setting", "settings", "my"})
SYNONYMS = (
    {"city", "town", "location", "residence"},
    {"favourite", "favorite", "preferred", "liked"},
    {"phone", "mobile", "telephone", "cell"},
    {"mail", "email"},
    {"job", "occupation", "profession", "role", "title"},
    {"lang", "language"},
    {"db", "database"},
    {"employer", "company", "workplace"},
    {"spouse", "partner", "wife", "husband"},
)


def alike(keys: Sequence[str], rules: Iterable[KeyRule] = ()) -> list[tuple[str, str]]:
    """Return the pairs of keys that look like one, in the order of the keys.

    They are compared part by part (dots, underscores and hyphens part a key): every part of either has its like in the
    other, by letters or as a synonym (a rule's labels and aliases are such), but for parts that only fill. What tells
    `environment.dev.database` from `environment.prod.database` has no like, and numbers must be equal.
    """
    synonyms = (*SYNONYMS, *(_names(rule) for rule in rules))
    parted = {key: _parts(key) for key in dict.fromkeys(normalise_key(k) for k in keys)}
    return [(a, b) for a, b in combinations(parted, 2) if _same(parted[a], parted[b], synonyms)]


def _names(rule: KeyRule) -> set[str]:
    said = (rule.id, *rule.labels.values(), *rule.aliases)
    return {name.casefold() for name in said if " " not in name and "*" not in name}


def _parts(key: str) -> list[str]:
    parts = [p for p in re.split(r"[._\-\s]+", key) if p]
    return [p for p in parts if p not in FILLING] or parts


def _same(a: Sequence[str], b: Sequence[str], synonyms: Sequence[set[str]]) -> bool:
    return bool(a and b) and all(_has_like(p, b, synonyms) for p in a) and all(_has_like(p, a, synonyms) for p in b)


def _has_like(part: str, others: Sequence[str], synonyms: Sequence[set[str]]) -> bool:
    return any(part == other or _near(part, other) or _synonymous(part, other, synonyms) for other in others)


def _near(a: str, b: str) -> bool:
    if any(c.isdigit() for c in a + b) or min(len(a), len(b)) < 4:
        return False
    return SequenceMatcher(None, a, b).ratio() >= NEAR


def _synonymous(a: str, b: str, synonyms: Sequence[set[str]]) -> bool:
    return any(a in group and b in group for group in synonyms)


# What stands before a number and names nothing.
_NO_NAME = frozenset(
    "a about an and are around as at by exactly for from has have in is it its needs now of on only or our runs the to "
    "under use used uses using v ver version versions was we with 是 用 版本 为".split()
)


def is_one_claim(value: Any, said: str, other: Any, said_of_other: str, key: str = "") -> bool:
    """Return whether one value is the other with its name before it, `Python 3.9` and `3.9`.

    The texts beside them tell what the bare number is a number of: where these name something else, `Ruby 3.9` and the
    `3.9` of Python, they are two. Spellings of one value (`5 km`, `5000 m`) are equal before anybody asks this.
    """
    if not (isinstance(value, str) and isinstance(other, str)):
        return False
    (name, number), (name_of_other, number_of_other) = (
        numbers_name(normalise_text(value)),
        numbers_name(normalise_text(other)),
    )
    if not number or number != number_of_other or bool(name) == bool(name_of_other):
        return False
    named = _names_before(number, said if name_of_other else said_of_other) - set(re.split(r"[._\-]", key.casefold()))
    return not named or (name or name_of_other) in named


def _names_before(number: str, text: str) -> set[str]:
    found = re.findall(rf"([^\W\d_][\w+#-]*)[ =:]+v?{re.escape(number)}(?![\d.]*\d)", normalise_text(text))
    return set(found) - _NO_NAME
