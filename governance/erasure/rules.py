"""What a request names, what a plan says, when it is complete: pure, no database."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

import orjson

from governance.candidates.rules import LONGEST, is_visible
from governance.errors import Invalid
from governance.scopes.rules import ScopeSpec, clean_name, has_unseen, parse_scope

ANSWERED_WITHIN = timedelta(days=30)  # "within one month of receipt", GDPR Art. 12(3)
EXTENDED_BY = timedelta(days=60)  # "may be extended by two further months", the same
LONGEST_WORDS = 500
MOST_NAMED = 500
FOUND_AGAIN, LOOK_FAILED = "found-again", "look-failed"
VERIFIED_AGAIN_AFTER = (timedelta(days=1), timedelta(days=7), timedelta(days=30))


@dataclass(frozen=True)
class Selector:
    """What is to be forgotten, as its caller names it: everything of a user or a scope, or of that what the rest says.

    `keys` and `words` need a user or a scope; `memory_ids` stand for themselves.
    """

    user: str = ""
    scope: ScopeSpec | None = None
    keys: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()
    words: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(name for name in ("user", "scope", "keys", "memory_ids", "words") if getattr(self, name))

    @property
    def whole(self) -> bool:
        """Return whether everything of a user or a scope is meant."""
        return not (self.keys or self.memory_ids or self.words)

    def document(self) -> dict[str, Any]:
        """Return it as it is sealed."""
        told = {k: v for k, v in asdict(self).items() if v}
        if self.scope is not None:
            told["scope"] = {k: v for k, v in asdict(self.scope).items() if v}
        return told


def parse_selector(raw: Any, pointer: str = "/selector") -> Selector:
    """Return the selector a caller named. Raises Invalid naming the field."""
    if not isinstance(raw, Mapping):
        raise Invalid({pointer: 'must be an object such as {"user": "…"}'})
    known = {"user", "scope", "keys", "memory_ids", "words"}
    if set(map(str, raw)) - known:
        raise Invalid({pointer: "holds a field that no selector has; it knows " + ", ".join(sorted(known))})
    selector = Selector(
        user=clean_name(raw["user"], f"{pointer}/user") if raw.get("user") is not None else "",
        scope=parse_scope(raw["scope"], f"{pointer}/scope") if raw.get("scope") is not None else None,
        keys=_several(raw.get("keys"), f"{pointer}/keys", _visible_key),
        memory_ids=_several(raw.get("memory_ids"), f"{pointer}/memory_ids", clean_name),
        words=_visible(raw["words"], f"{pointer}/words", LONGEST_WORDS) if raw.get("words") is not None else "",
    )
    check_selector(selector, pointer)
    return selector


def check_selector(selector: Selector, pointer: str = "/selector") -> None:
    """Raise Invalid when a selector names nothing, or words and keys of nobody."""
    if not selector.kinds:
        raise Invalid({pointer: "names nothing: give a user, a scope, keys, memory_ids or words"})
    if selector.user and selector.scope is not None:
        raise Invalid({f"{pointer}/scope": "give a user or a scope, not both"})
    if selector.words and selector.keys:
        raise Invalid({f"{pointer}/words": "give keys or words, not both"})
    for name in ("keys", "words"):
        if getattr(selector, name) and not (selector.user or selector.scope):
            raise Invalid({f"{pointer}/{name}": "needs a user or a scope"})
    if selector.memory_ids and len(selector.kinds) > 1:
        raise Invalid({f"{pointer}/memory_ids": "stands alone: ids name their scope themselves"})


def _several(raw: Any, pointer: str, read: Callable[[Any, str], str]) -> tuple[str, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list | tuple) or not raw or len(raw) > MOST_NAMED:
        raise Invalid({pointer: f"must be a list of 1 to {MOST_NAMED}"})
    return tuple(dict.fromkeys(read(item, f"{pointer}/{i}") for i, item in enumerate(raw)))


def _visible_key(raw: Any, pointer: str) -> str:
    return _visible(raw, pointer, LONGEST["key"])


def _visible(raw: Any, pointer: str, longest: int) -> str:
    """Return a text that says something, trimmed: what narrows a request never falls away because it is blank."""
    if not isinstance(raw, str):
        raise Invalid({pointer: "must be text"})
    if not any(is_visible(c) and not has_unseen(c) for c in raw):
        raise Invalid({pointer: "holds nothing that can be seen; leave it out, or say something"})
    if len(raw) > longest:
        raise Invalid({pointer: f"is longer than {longest} characters"})
    return raw.strip()


def selector_of(document: Mapping[str, Any]) -> Selector:
    """Return the selector that was sealed."""
    scope = document.get("scope")
    return Selector(
        user=document.get("user", ""),
        scope=ScopeSpec(**scope) if scope else None,
        keys=tuple(document.get("keys", ())),
        memory_ids=tuple(document.get("memory_ids", ())),
        words=document.get("words", ""),
    )


def selector_text(document: Mapping[str, Any], mode: str) -> str:
    """Return what the HMAC is taken over by which the same request is known again."""
    return f"forget/{mode}/" + canonical(document).decode()


def canonical(document: Any) -> bytes:
    """Return the one byte form of a document: sorted keys, no spaces, UTF-8."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def digest(document: Any) -> str:
    """Return the SHA-256 of a document's canonical form, as hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


GROUPS = ("memories", "observations", "candidates", "conflicts", "recalls", "derived", "identity")


@dataclass(frozen=True)
class Reach:
    """Everything a request touches, by id: no words, no HMACs. `contents` are ids of sealed words, by group."""

    request: str
    tenant: str
    subject: str = ""  # the person, when it is the whole of them
    scopes: tuple[str, ...] = ()  # of that person; they go with them
    memories: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()  # summaries of other memories too, that say some of it
    candidates: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    recalls: tuple[str, ...] = ()
    contents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kids: tuple[str, ...] = ()  # data keys of those contents, and orphans of the person
    entries: tuple[int, ...] = ()  # of the index
    shards: tuple[int, ...] = ()  # that hold them, or held them
    shared: int = 0  # memories among them that are about others too
    kept: int = 0  # contents that others' memories rest on, and stay

    def all_contents(self) -> tuple[str, ...]:
        return tuple(c for group in GROUPS for c in self.contents.get(group, ()))

    @property
    def is_empty(self) -> bool:
        return not (self.subject or self.memories or self.candidates or self.observations or self.conflicts)

    def document(self) -> dict[str, Any]:
        """Return it as JSON values, in a stable order."""
        told = asdict(self)
        return {k: sorted(v) if isinstance(v, tuple) else v for k, v in told.items()} | {
            "contents": {k: sorted(v) for k, v in self.contents.items()}
        }

    def covers_the_same(self, other: "Reach") -> bool:
        """Return whether both name the same things. That they were recalled meanwhile, or came into the index, changes
        nothing of what is named."""

        def named(reach: Reach) -> dict[str, Any]:
            told = reach.document()
            told["contents"] = {group: ids for group, ids in told["contents"].items() if group != "recalls"}
            return {name: value for name, value in told.items() if name not in ("recalls", "kids", "entries", "shards")}

        return named(self) == named(other)

    def joined(self, other: "Reach") -> "Reach":
        """Return what either of two reaches."""
        both: dict[str, Any] = {}
        for name, mine in self.__dict__.items():
            theirs = getattr(other, name)
            both[name] = tuple(sorted({*mine, *theirs})) if isinstance(mine, tuple) else mine or theirs
        groups = {*self.contents, *other.contents}
        both["contents"] = {
            g: tuple(sorted({*self.contents.get(g, ()), *other.contents.get(g, ())})) for g in sorted(groups)
        }
        return Reach(**both)


def reach_of(document: Mapping[str, Any]) -> Reach:
    """Return the reach that `document` wrote down."""
    told: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items()}
    told["contents"] = {k: tuple(v) for k, v in document["contents"].items()}
    return Reach(**told)


@dataclass(frozen=True)
class Planned:
    """One store's line of a plan: how many are erased, restricted (blocked until they expire) and kept, and why."""

    store: str
    erase: int = 0
    restrict: int = 0
    retain: int = 0
    reason: str = ""


def plan_document(reach: Reach, mode: str, lines: Sequence[Planned], held: bool) -> dict[str, Any]:
    """Return the plan a person approves; its hash covers every id it reaches."""
    return {
        "request": reach.request,
        "tenant": reach.tenant,
        "mode": mode,
        "whole_person": bool(reach.subject),
        "stores": [asdict(line) for line in lines],
        "held": held,
        "also_about_others": reach.shared,
        "kept_for_others": reach.kept,
        "items_sha256": digest(reach.document()),
    }


@dataclass(frozen=True)
class Outcome:
    """What became of one store: the line of the report from which the status is computed."""

    store: str
    found: int = 0
    erased: int = 0
    restricted: int = 0
    retained: int = 0
    absent: int = 0
    failed: int = 0
    left: int = 0  # found again when looked for afterwards
    error: str = ""
    done: bool = False


def computed_status(
    outcomes: Sequence[Outcome], registered: Sequence[str], *, held: bool, proofs: Mapping[str, bool]
) -> tuple[str, tuple[str, ...]]:
    """Return (complete or partial, why): complete only when every registered store answered, nothing is left, nothing
    failed or is held, and every proof holds. An error is never complete, whatever was counted; where a legal hold
    stands in the way, no store is reproached for having done nothing."""
    grounds = []
    named = {o.store for o in outcomes}
    waiting = [o.store for o in outcomes if not o.done and not o.error and not o.failed]
    grounds += [f"store-missing:{name}" for name in registered if name not in named and not held]
    grounds += [f"store-failed:{o.store}" for o in outcomes if o.error or o.failed]
    grounds += [f"store-unfinished:{name}" for name in waiting if not held]
    grounds += [f"left:{o.store}" for o in outcomes if o.left]
    grounds += ["held"] if held else []
    grounds += [f"proof:{name}" for name, holds in proofs.items() if not holds]
    return ("partial", tuple(grounds)) if grounds else ("complete", ())


def grounds_of_look(left: Mapping[str, int], errors: Mapping[str, str], proofs: Mapping[str, bool]) -> tuple[str, ...]:
    """Return why a later look is not sound; none: everything is still gone. That something could not be looked at is
    another ground than that it was found."""
    where = [f"left:{store}" for store, n in left.items() if n]
    where += [f"proof:{name}" for name, holds in proofs.items() if not holds]
    failed = [f"store-failed:{store}" for store, error in errors.items() if error]
    return (*([FOUND_AGAIN] if where else [LOOK_FAILED] if failed else []), *where, *failed)
