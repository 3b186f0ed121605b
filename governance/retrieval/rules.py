"""How what was found is weighed: pure, no database."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from governance.policies.rules import KeyRule, Policy
from governance.scopes.models import LEVELS

DAY = 86_400.0

# Of relevance, what vectors and what words say. Measured on LoCoMo and MADial (zh, en), recall@10: this sum of a
# calibrated cosine and BM25's share of its best, raised a little, .654 / .765 / .666; words alone .617 / .602 / .547,
# vectors alone .622 / .736 / .663, the fusion of their ranks .636 / .708 / .642.
VECTOR_SHARE = 0.5
WORDS_RAISED = 0.6  # few words of a long question in common already say much
# Where a text has no vector (yet, or none was asked) and words found it, vectors are taken to say something middling.
UNKNOWN_VECTOR = 0.4
# A question that names a key by its label is about that key, however it is worded.
KEY_NAMED = 0.5

_CUES = (
    (
        "episodic",
        re.compile(
            r"\b(why|last time|when did|ago|happened|remember when)\b|为什么|为何|上次|上回|什么时候|何时|曾经|那次",
            re.I,
        ),
    ),
    (
        "procedural",
        re.compile(r"\b(how (should|do|to|must)|procedure|steps|rule)\b|怎么做|如何|步骤|流程|规则|应该怎么", re.I),
    ),
    (
        "semantic",
        re.compile(r"\b(what|which|where|who|prefers?|favou?rite|likes?)\b|什么|哪个|哪里|喜欢|偏好|是谁", re.I),
    ),
)

# A source's own risk of being wrong.
_DOUBTFUL = {"agent_guess": 0.4, "inferred_behaviour": 0.3, "tool_result": 0.2, "summary": 0.2}


def fused_all(words: np.ndarray, cosines: np.ndarray, calibration: tuple[float, float]) -> np.ndarray:
    """Return relevance in [0, 1] of many texts from BM25's share of its best and cosines (NaN: there is no vector)."""
    low, high = calibration
    near = np.where(np.isnan(cosines), UNKNOWN_VECTOR, np.clip((cosines - low) / (high - low), 0, 1))
    both = VECTOR_SHARE * near + (1 - VECTOR_SHARE) * np.maximum(words, 0) ** WORDS_RAISED
    found: np.ndarray = np.where(np.isnan(cosines) & (words <= 0), 0.0, both)
    return found


def freshness(age_seconds: float, half_life_days: float) -> float:
    """Return exp(-lambda x age) with lambda = ln 2 / half-life; 1 for what was observed just now or later."""
    return math.exp(-math.log(2) * max(age_seconds, 0.0) / (half_life_days * DAY))


def asked_kind(query: str) -> str:
    """Return the kind of memory a question is after: why / last time episodic, how procedural, what semantic, or ""."""
    return next((kind for kind, cue in _CUES if cue.search(query)), "")


def kind_fit(asked: str, kind: str) -> float:
    """Return 1 for the kind that is asked for, 0 for another, one half where the question does not say."""
    return 0.5 if not asked else 1.0 if asked == kind else 0.0


class Weighed(NamedTuple):
    """What the rank of one memory depends on."""

    relevance: float
    level: str
    kind: str
    key_rule: str
    confidence: float
    source_type: str
    contested: bool
    age_seconds: float


PARTS = ("relevance", "scope", "freshness", "confidence", "kind", "risk")


class Ranked(NamedTuple):
    """The score of one memory, its parts (each in [0, 1], before weights), and whether it is stale."""

    score: float
    parts: dict[str, float]
    stale: bool


def risk(w: Weighed, stale: bool) -> float:
    """Return in [0, 1] how much could go wrong by using a memory: conduct, staleness, doubt, open conflict."""
    conduct = 0.3 if w.kind == "procedural" else 0.0
    return min(
        conduct + (0.3 if stale else 0.0) + _DOUBTFUL.get(w.source_type, 0.0) + (0.5 if w.contested else 0.0), 1.0
    )


def rank(rows: Sequence[Weighed], asked: str, policy: Policy) -> list[Ranked]:
    """Return how memories rank for a question after one kind, in their order.

    rank = a relevance + b scope + c freshness + d confidence + e kind fit - l risk, weights from the policy.
    """
    if not rows:
        return []
    fresh = [freshness(w.age_seconds, policy.half_life(w.key_rule, w.kind)) for w in rows]
    stale = [f < policy.stale_below for f in fresh]
    weights = policy.rank
    parts = np.array(
        [
            (w.relevance, weights.scope_match[w.level], f, w.confidence, kind_fit(asked, w.kind), risk(w, s))
            for w, f, s in zip(rows, fresh, stale, strict=True)
        ]
    )
    weighed = np.array(
        [weights.relevance, weights.scope, weights.freshness, weights.confidence, weights.kind, -weights.risk]
    )
    scores, rounded = (parts @ weighed).tolist(), np.round(parts, 4).tolist()
    return [
        Ranked(score, dict(zip(PARTS, row, strict=True)), s)
        for score, row, s in zip(scores, rounded, stale, strict=True)
    ]


def specificity(level: str) -> int:
    """Return how narrow a level is: 0 for a session, growing with width."""
    return LEVELS.index(level)


def rules_named(query: str, key_rules: Sequence[KeyRule]) -> list[str]:
    """Return the ids of key rules whose label or alias a question uses, in English or Chinese.

    Of overlapping names the longest counts: "programming language" does not name "language".
    """
    text = f" {_folded(query)} "
    spans: list[tuple[int, int, str]] = []
    for rule in key_rules:
        for name in {_label(n) for n in (*rule.labels.values(), *rule.aliases) if n}:
            if name in text:  # most are not, and that is told faster
                spans += [(m.start(), m.end(), rule.id) for m in _named(name).finditer(text)]
    longest = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[1] - o[0] > s[1] - s[0] for o in spans)]
    return list(dict.fromkeys(rule for _, _, rule in longest))


@lru_cache(maxsize=1024)
def _label(text: str) -> str:
    """Return the folded name of a key: policies are no words, so these may be kept."""
    return _folded(text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _named(name: str) -> re.Pattern[str]:
    spaced = name[0].isascii()  # Chinese stands between other characters without spaces
    return re.compile(rf"(?<!\w){re.escape(name)}s?(?!\w)" if spaced else re.escape(name))


# --- precedence ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keyed:
    """A memory with its key in clear, where it holds, and what it is."""

    id: str
    name: str  # key and companion, as compared
    level: str
    kind: str
    multi: bool = False


def overruled(memories: Iterable[Keyed]) -> dict[str, str]:
    """Return which memories give way to which: of one single-valued key the most specific scope wins.

    What happened is no preference: episodic memories never give way.
    """
    best: dict[str, Keyed] = {}
    rows = [m for m in memories if m.name and not m.multi and m.kind != "episodic"]
    for memory in rows:
        held = best.get(memory.name)
        if held is None or specificity(memory.level) < specificity(held.level):
            best[memory.name] = memory
    return {m.id: best[m.name].id for m in rows if specificity(m.level) > specificity(best[m.name].level)}


# --- budget --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """Something that could stand in the block, and what it costs."""

    id: str
    tokens: int


@dataclass
class Packed:
    """What fits, in order; and what does not, with its reason."""

    binding: list[str] = field(default_factory=list)
    always: list[str] = field(default_factory=list)
    ranked: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    tokens: int = 0


def pack(
    *,
    frame: int,
    binding: Sequence[Piece],
    always: Sequence[Piece],
    ranked: Sequence[Piece],
    budget: int,
    share: float,
) -> Packed:
    """Fill a budget of tokens: the frame, then binding rules, then `always` within their share, then by rank.

    Nothing is dropped silently, and the sum never exceeds the budget. Where a rule finds no room, no memory does: none
    stands in a block without all the rules above it.
    """
    packed = Packed()
    if frame > budget:
        packed.left_out = {p.id: "budget" for p in (*binding, *always, *ranked)}
        return packed
    packed.tokens = frame
    _fill(packed, packed.binding, binding, budget, "budget")
    if packed.left_out:
        packed.left_out |= {p.id: "budget" for p in (*always, *ranked)}
        return packed
    room = max(int(budget * share), 0)
    _fill(packed, packed.always, always, min(budget, packed.tokens + room), "always-share")
    _fill(packed, packed.ranked, ranked, budget, "budget")
    return packed


def _fill(packed: Packed, into: list[str], pieces: Sequence[Piece], most: int, reason: str) -> None:
    for piece in pieces:
        if packed.tokens + piece.tokens <= most:
            into.append(piece.id)
            packed.tokens += piece.tokens
        else:
            packed.left_out[piece.id] = reason


def grouped(left_out: Mapping[str, str]) -> dict[str, list[str]]:
    """Return ids by the reason they were left out for, in order."""
    groups: dict[str, list[str]] = {}
    for memory, reason in left_out.items():
        groups.setdefault(reason, []).append(memory)
    return groups
