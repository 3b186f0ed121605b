"""What a sweep would do: read once, judged by rules, nothing written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet

from governance.candidates.models import Candidate
from governance.lifecycle.models import STEPS, Swept
from governance.lifecycle.queries import held, held_memories
from governance.lifecycle.rules import Ageing, next_step, priority
from governance.memories.models import Derivation, Version
from governance.memories.queries import SESSION_IDLE, living_sessions
from governance.policies import queries as policies
from governance.policies.rules import RETENTION, Policy
from governance.scopes.models import Scope

FEWEST_EPISODES, MOST_EPISODES, MOST_SUMMARIES = 3, 20, 20
AT_ONCE = 500

_COLUMNS = (
    "memory",
    "memory__scope",
    "memory__key_mac",
    "memory__latest",
    "observed_at",
    "kind",
    "memory__key_rule",
    "retention",
    "confidence",
    "memory__last_observed_at",
    "memory__always",
    "memory__binding",
    "memory__contested",
    "memory__demoted",
    "memory__archived",
    "tombstone",
    "closes",
    "memory__erasure_due",
    "memory__shelved_at",
    "memory__use__recalled",
    "memory__use__injected",
    "memory__use__last_injected_at",
)


@dataclass(frozen=True)
class Item:
    """One memory and the step that is due for it, as it stood when it was looked at."""

    memory: str
    step: str
    latest: int
    priority: float
    group: tuple[Any, ...] = ()  # of an episode: those it can be summarised with


@dataclass
class Plan:
    """Everything a sweep would do to a tenant."""

    policy: Policy
    items: list[Item] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)  # scopes
    episodes: list[list[str]] = field(default_factory=list)  # memories, summary by summary
    examined: int = 0
    held: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Return how many things each step changes, and what else was found; zeros left out."""
        found = Counter(i.step for i in self.items)
        found["end-session"] = len(self.sessions)
        ordered = {step: found[step] for step in STEPS}
        ordered |= {"summaries": len(self.episodes), "held": self.held}
        return {name: n for name, n in ordered.items() if n}

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.sessions or self.episodes)


def plan(tenant: str, now: datetime) -> Plan:
    """Return what a sweep would do to a tenant at a moment; a fixed number of queries but for sessions and groups."""
    found = Plan(policies.current(tenant))
    spared = _undone_lately(tenant, found.policy, now)
    kept = set(held_memories(tenant).values_list("pk", flat=True)) if held(tenant) else set()
    for row in _rows(tenant, found.policy, now).iterator(chunk_size=2000):
        found.examined += 1
        item = _judged(row, found.policy, now)
        if item.step and item.memory in kept:
            found.held += 1
        elif item.step and item.memory not in spared:
            found.items.append(item)
    found.sessions = [s for s in _idle_sessions(tenant, now) if s not in spared]
    found.episodes = _episodes(found.items)
    return found


def _rows(tenant: str, policy: Policy, now: datetime) -> "QuerySet[Version, tuple[Any, ...]]":
    """Return the latest versions of what can be due at all: shelved, or not observed for some time."""
    expiries = [d for name in RETENTION if (d := policy.retention_class(name).expire_after_days)]
    before = now - timedelta(days=min([policy.sweep.grace_days, *expiries]))
    old = Q(memory__shelved_at__isnull=False) | Q(memory__last_observed_at__lte=before)
    rows = Version.objects.filter(old, memory__tenant=tenant, number=F("memory__latest"), memory__erased=False)
    rows = rows.exclude(memory__erasure_due=True)
    return rows.order_by("memory__created_seq").values_list(*_COLUMNS)


def _judged(row: tuple[Any, ...], policy: Policy, now: datetime) -> Item:
    memory, scope, key_mac, latest, observed_at, *known = row
    kind, key_rule, retention, confidence, last_observed, always, binding, contested, demoted, archived, *more = known
    tombstone, closes, due, shelved_at, recalled, injected, last_injected = more
    ageing = Ageing(
        kind=kind,
        key_rule=key_rule,
        retention=retention,
        confidence=confidence,
        last_observed_at=last_observed,
        is_safe=always or binding or contested,
        demoted=demoted,
        archived=archived,
        retracted=tombstone,
        closed=closes,
        due=due,
        shelved_at=shelved_at,
        recalled=recalled or 0,
        injected=injected or 0,
        last_injected_at=last_injected,
    )
    step = next_step(ageing, policy, now)
    group: tuple[Any, ...] = ()
    if step == "demote" and kind == "episodic":
        quarter = (observed_at.year, (observed_at.month - 1) // 3)
        group = (scope, bytes(key_mac)) if key_mac else (scope, *quarter)
    return Item(memory, step, latest, round(priority(ageing, policy, now), 4) if step else 0.0, group)


def _undone_lately(tenant: str, policy: Policy, now: datetime) -> set[str]:
    """Return the memories and scopes of which a sweep was undone: people want them left alone for some time."""
    since = now - timedelta(days=policy.sweep.grace_days)
    rows = Swept.objects.filter(sweep__tenant=tenant, undone_at__gt=since).values_list("memory", "scope")
    return {memory or scope for memory, scope in rows}


def _idle_sessions(tenant: str, now: datetime) -> list[str]:
    """Return the scopes of sessions that are open and in which nothing was said for a day; of held people none."""
    hold = held(tenant)
    rows = Scope.objects.filter(tenant=tenant, level="session", ended_at=None, opened_at__lte=now - SESSION_IDLE)
    rows = rows.none() if hold.everything else rows.exclude(subject__in=hold.subjects)
    idle: list[str] = []
    for batch in _batches(list(rows.order_by("pk"))):
        living = {s.id for s in living_sessions(batch, now)}
        idle += [s.id for s in batch if s.id not in living]
    return idle


def _batches(rows: Sequence[Scope]) -> Iterable[Sequence[Scope]]:
    return (rows[i : i + AT_ONCE] for i in range(0, len(rows), AT_ONCE))


def _episodes(items: Sequence[Item]) -> list[list[str]]:
    """Return the episodes that go together and out of sight: what a summary may say of them in their stead."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for item in items:
        if item.group:
            groups.setdefault(item.group, []).append(item.memory)
    large = [members[:MOST_EPISODES] for members in groups.values() if len(members) >= FEWEST_EPISODES]
    if not large:
        return []
    open_ones = Candidate.objects.open().filter(source_type="summary").values_list("derived_from", flat=True)
    said = {memory for pairs in open_ones for memory, _ in pairs}
    named = {memory for members in large for memory in members}
    said |= set(Derivation.objects.filter(source__in=named).values_list("source", flat=True))
    return [members for members in large if not said & {*members}][:MOST_SUMMARIES]
