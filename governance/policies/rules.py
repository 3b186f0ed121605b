"""A policy as rules read it: frozen, complete, with the default that a new tenant starts with."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from governance.policies.detectors import DEFAULT_ACTIONS
from governance.policies.scoring import ScoreWeights

DAYS = 86_400.0


@dataclass(frozen=True)
class KeyRule:
    """What a tenant says of the keys that match `pattern`: how people call them and how they behave."""

    id: str
    pattern: str
    labels: Mapping[str, str] = field(default_factory=dict)  # language -> label
    aliases: tuple[str, ...] = ()
    cardinality: str = "single"  # or "multi"
    half_life_days: float | None = None
    authority: str = ""
    trust: Mapping[str, int] | None = None


@dataclass(frozen=True)
class RankWeights:
    """Rank = a relevance + b scope + c freshness + d confidence + e kind fit - l risk."""

    relevance: float = 1.0
    scope: float = 0.10
    freshness: float = 0.10
    confidence: float = 0.10
    kind: float = 0.10
    risk: float = 0.10
    floor: float = 0.20
    vectors: str = "on"  # off: nothing is compared by meaning, all in scope is listed
    scope_match: Mapping[str, float] = field(
        default_factory=lambda: {
            "session": 1.0,
            "user": 0.9,
            "agent": 0.7,
            "project": 0.8,
            "tenant": 0.5,
            "global": 0.4,
        }
    )


@dataclass(frozen=True)
class RetentionClass:
    """How long memories of a class are kept; 0: for ever. Days count from demotion, those to expiry from when it was
    last observed."""

    demote_below: float = 0.1  # of priority = utility x confidence x freshness
    archive_after_days: float = 180.0
    erase_after_days: float = 730.0
    expire_after_days: float = 0.0


@dataclass(frozen=True)
class Retention:
    """The retention classes there are."""

    standard: RetentionClass = field(default_factory=RetentionClass)
    short: RetentionClass = field(default_factory=lambda: RetentionClass(0.1, 30.0, 365.0, 30.0))
    keep: RetentionClass = field(default_factory=lambda: RetentionClass(0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class SweepRules:
    """What sweeps leave alone, and how much of its utility a memory has that nobody was ever given."""

    grace_days: float = 30.0  # since it was last observed, or a sweep of it was undone
    spared_after_use_days: float = 90.0
    unused: float = 0.5


RETENTION = ("standard", "short", "keep")


@dataclass(frozen=True)
class Policy:
    """One version of a tenant's policy."""

    number: int
    sensitivity: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_ACTIONS))
    always_keys: tuple[str, ...] = ("allergy.*", "accessibility.*", "diet.*", "payment.limit*")
    trust: Mapping[str, int] = field(
        default_factory=lambda: {
            "business_system": 60,
            "reviewer": 50,
            "user_explicit": 50,
            "project_document": 40,
            "tool_result": 30,
            "inferred_behaviour": 20,
            "summary": 15,
            "agent_guess": 10,
        }
    )
    score: ScoreWeights = field(default_factory=ScoreWeights)
    rank: RankWeights = field(default_factory=RankWeights)
    review_levels: tuple[str, ...] = ("project", "tenant", "global")
    max_content_chars: int = 1000
    half_life_days: Mapping[str, float] = field(
        default_factory=lambda: {"semantic": 365.0, "episodic": 90.0, "procedural": 365.0}
    )
    stale_below: float = 0.25
    always_share: float = 0.5
    pending_days: int = 30
    # The review desk. Seconds in which a decision can be undone (0: at once); hours until an
    # item of a risk class is late; classes that two people decide; when an agent's proposals are held back.
    undo_seconds: int = 15
    due_hours: Mapping[str, float] = field(default_factory=lambda: {"high": 24.0, "raised": 72.0, "normal": 168.0})
    two_people: tuple[str, ...] = ("high",)
    flood_waiting: int = 200
    flood_per_minute: int = 60
    tired_per_minute: int = 20
    retention: Retention = field(default_factory=Retention)
    sweep: SweepRules = field(default_factory=SweepRules)
    key_rules: tuple[KeyRule, ...] = ()

    def key_rule(self, key: str) -> KeyRule | None:
        """Return the first rule whose pattern matches a key, in whatever spelling."""
        key = normalise_key(key)
        return next((r for r in self.key_rules if fnmatchcase(key, r.pattern)), None)

    def is_multi(self, key: str) -> bool:
        rule = self.key_rule(key)
        return rule is not None and rule.cardinality == "multi"

    def may_be_always(self, key: str) -> bool:
        return any(fnmatchcase(normalise_key(key), pattern) for pattern in self.always_keys)

    def retention_class(self, name: str) -> RetentionClass:
        """Return a retention class; one there is not counts as the standard one."""
        found: RetentionClass = getattr(self.retention, name if name in RETENTION else "standard")
        return found

    def half_life(self, key_rule: str, kind: str) -> float:
        """Return the half-life in days of a memory's freshness."""
        rule = next((r for r in self.key_rules if r.id == key_rule), None)
        if rule is not None and rule.half_life_days is not None:
            return rule.half_life_days
        return self.half_life_days[kind]


def normalise_key(key: str) -> str:
    """Return the one spelling of a key: NFKC, lower case, parts joined by dots, spaces as underscores."""
    text = unicodedata.normalize("NFKC", key).strip().casefold()
    return ".".join("_".join(part.split()) for part in text.split("."))


def _rule(id_: str, pattern: str, en: str, zh: str, *aliases: str, **more: Any) -> KeyRule:
    return KeyRule(id=id_, pattern=pattern, labels={"en": en, "zh": zh}, aliases=aliases, **more)


DEFAULT_KEY_RULES = (
    _rule("language", "language", "language", "语言", "what language", "which language", "语种", "说什么语言"),
    _rule(
        "code-language", "preference.code.language", "programming language", "编程语言", "coding language", "代码语言"
    ),
    _rule("output-format", "preference.output.format", "output format", "输出格式", "file format", "格式"),
    _rule("home-city", "profile.home.city", "home city", "居住城市", "where does the user live", "住在哪里", "家在哪"),
    _rule("seat", "preference.travel.seat", "seat preference", "座位偏好", "aisle or window", "靠窗", "靠过道"),
    _rule("allergy", "allergy.*", "allergy", "过敏", "allergies", "allergic"),
    _rule("accessibility", "accessibility.*", "accessibility need", "无障碍需求", "accessibility", "无障碍"),
    _rule("diet", "diet.*", "dietary need", "饮食要求", "diet", "忌口"),
    _rule("payment-limit", "payment.limit*", "payment limit", "支付限额", "spending limit", "限额"),
    _rule("database", "*database", "database", "数据库", "which database", "db"),
    _rule("runtime", "*python.version", "Python version", "Python 版本", "which python"),
    _rule("projects", "profile.projects", "projects taken part in", "参与的项目", cardinality="multi"),
)

DEFAULT = Policy(number=1, key_rules=DEFAULT_KEY_RULES)
