"""What is worth keeping in front: pure, no database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from governance.memories.rules import normalise_text
from governance.policies.rules import Policy
from governance.retrieval.rules import freshness

RECALLED_SHARE = 0.25  # of what being given counts, being found and left out for want of room counts so much


@dataclass(frozen=True)
class Ageing:
    """What a sweep needs to know of a memory."""

    kind: str
    key_rule: str
    retention: str
    confidence: float
    last_observed_at: datetime
    is_safe: bool = False  # always, binding or contested: never shelved by its age
    demoted: bool = False
    archived: bool = False
    retracted: bool = False
    closed: bool = False
    due: bool = False
    shelved_at: datetime | None = None
    recalled: int = 0
    injected: int = 0
    last_injected_at: datetime | None = None


def utility(a: Ageing, policy: Policy) -> float:
    """Return in [0, 1] how useful a memory is: its kind's worth, a share of which it earns by being used.

    worth x (unused + (1 - unused) x (1 - 2^-n)), n = times given + a quarter of the times found and not given.
    """
    times = a.injected + RECALLED_SHARE * a.recalled
    earned = 1.0 - 2.0 ** -min(times, 60.0)
    unused = policy.sweep.unused
    return min(1.0, policy.score.utility.get(a.kind, 0.5)) * (unused + (1.0 - unused) * earned)


def priority(a: Ageing, policy: Policy, now: datetime) -> float:
    """Return utility x confidence x freshness: what decides whether a memory stays in front."""
    age = (now - a.last_observed_at).total_seconds()
    return utility(a, policy) * a.confidence * freshness(age, policy.half_life(a.key_rule, a.kind))


def next_step(a: Ageing, policy: Policy, now: datetime) -> str:
    """Return the one step that is due for a memory, "" for none; a later sweep takes the next."""
    limits = policy.retention_class(a.retention)
    if a.is_safe and not a.retracted:
        return ""
    if (a.archived or a.retracted) and not a.due and _past(a.shelved_at, limits.erase_after_days, now):
        return "mark-due"
    if a.retracted or a.archived:
        return ""
    if a.demoted:
        return "archive" if _past(a.shelved_at, limits.archive_after_days, now) else ""
    if not a.closed and _past(a.last_observed_at, limits.expire_after_days, now):
        return "expire"
    if _is_spared(a, policy, now):
        return ""
    return "demote" if priority(a, policy, now) < limits.demote_below else ""


def _is_spared(a: Ageing, policy: Policy, now: datetime) -> bool:
    """Return whether it is too new to be judged, or was given to somebody lately."""
    spared = timedelta(days=policy.sweep.spared_after_use_days)
    used = a.last_injected_at is not None and now - a.last_injected_at < spared
    return used or now - a.last_observed_at < timedelta(days=policy.sweep.grace_days)


def _past(moment: datetime | None, days: float, now: datetime) -> bool:
    """Return whether so many days have passed since a moment; 0 days never do."""
    return moment is not None and days > 0 and now - moment >= timedelta(days=days)


# --- summaries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A version of a memory that a summary may say."""

    memory: str
    number: int
    content: str


def extract(sources: Sequence[Source], most: int) -> tuple[str, tuple[Source, ...]]:
    """Return the sentences of some memories as one text of at most `most` characters, and which of them it says.

    Extractive: nothing is worded anew. What repeats another sentence counts as said.
    """
    text, said, seen = "", [], set[str]()
    for source in sources:
        sentence = source.content.strip()
        added = f"{text} {sentence}".strip()
        if normalise_text(sentence) in seen:
            said.append(source)
        elif sentence and len(added) <= most:
            text = added
            said.append(source)
            seen.add(normalise_text(sentence))
    return text, tuple(said)
