"""Which of two claims holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from governance.policies.rules import KeyRule

EXPLICIT = frozenset({"user_explicit", "reviewer", "business_system", "project_document"})
CONTRADICTIONS = frozenset({"authority-contradicted", "business-fact-contradicted"})
DIALOGUE = frozenset({"user_explicit", "inferred_behaviour", "agent_guess", "summary"})


@dataclass(frozen=True)
class Side:
    """What precedence looks at in a claim. `authority`: it comes from the source that the key's rule names."""

    source_type: str
    observed_at: datetime
    explicit: bool
    authority: bool = False


@dataclass(frozen=True)
class Ruling:
    """Who wins (`new`, `held`, or "" for nobody) and the rule that said so."""

    winner: str
    rule: str


# Why nobody won, as people read it.
UNDECIDED: Mapping[str, str] = {
    "authority-contradicted": "One side is the authority of this key. It is contradicted, never overwritten.",
    "business-fact-contradicted": "One side is a business system. What is said in conversation does not overwrite it.",
    "undecided-trust": "The newer claim comes from a less trusted source: time leads one way, trust the other.",
    "undecided-explicitness": "The newer claim is less explicit: time leads one way, explicitness the other.",
    "denies-earlier-word": "The same person said otherwise before, and does not say that anything has changed.",
    "keys-merged": "Somebody made two keys one that meant the same, and their values differ.",
    "undecided-freshness": "The better source said it earlier: trust leads one way, time the other.",
}


def side(
    source_type: str, source_ref: str, observed_at: datetime, *, rule: KeyRule | None, explicit: bool | None = None
) -> Side:
    """Return a claim as precedence sees it."""
    return Side(
        source_type=source_type,
        observed_at=observed_at,
        explicit=source_type in EXPLICIT if explicit is None else explicit,
        authority=is_authority(source_type, source_ref, rule),
    )


class Commissioned(Protocol):
    """What a rule says about keys: who is the authority for them."""

    @property
    def authority(self) -> str: ...


def is_authority(source_type: str, source_ref: str, rule: Commissioned | None) -> bool:
    """Return whether a source is the one a key's rule names: a class of source, or a system named in the reference.

    A reference may add a version behind `@`: `deploy-platform@2026-08-20` names `deploy-platform`.
    """
    if rule is None or not rule.authority:
        return False
    named = source_ref.split("@", 1)[0].strip() == rule.authority
    return source_type == rule.authority or (named and source_type not in DIALOGUE)


def precedence(new: Side, held: Side, trust: Mapping[str, int]) -> Ruling:
    """Return which claim holds for one key, one scope and overlapping validity.

    The authority of a key counts as a business system there and is contradicted, never overwritten. Otherwise a winner
    is at least equal in trust, explicitness and freshness (scope and key are the same: neither is more specific); where
    each side leads somewhere, nobody wins.
    """
    if held.authority and not new.authority:
        return Ruling("", "authority-contradicted")
    if held.source_type == "business_system" and new.source_type in DIALOGUE:
        return Ruling("", "business-fact-contradicted")
    if new.authority and not held.authority:
        return Ruling("new", "authority")
    ranks_new, ranks_held = _ranks(new, trust), _ranks(held, trust)
    if all(n >= h for n, h in zip(ranks_new, ranks_held, strict=True)):
        return Ruling("new", "trust" if ranks_new[0] > ranks_held[0] else "later-word")
    if all(h >= n for n, h in zip(ranks_new, ranks_held, strict=True)):
        return Ruling("held", "earlier-word" if ranks_new[:2] == ranks_held[:2] else "held-leads")
    names = ("trust", "explicitness", "freshness")
    split = next(name for name, n, h in zip(names, ranks_new, ranks_held, strict=True) if n < h)
    return Ruling("", f"undecided-{split}")


def _ranks(one: Side, trust: Mapping[str, int]) -> tuple[float, ...]:
    return trust.get(one.source_type, 0), float(one.explicit), one.observed_at.timestamp()
