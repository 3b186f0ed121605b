"""How reviewers decide: numbers only, no words."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from governance.candidates.models import Candidate
from governance.ledger.models import Event
from governance.ledger.queries import described
from governance.scopes.rules import Actor


@dataclass(frozen=True)
class Quality:
    """One reviewer over a time."""

    who: str
    decided: int
    approved: int
    edited: int
    rejected: int
    reversed: int  # taken back later, by whomever
    undone: int  # by themselves, within the window
    median_seconds: float | None  # from opening an item to deciding it; None where nobody took the time

    @property
    def agreement(self) -> float | None:
        """Return the share of decisions that stood, None without any."""
        return None if not self.decided else max(0.0, 1 - self.reversed / self.decided)


def quality(actor: Actor, since: datetime) -> list[Quality]:
    """Return how each reviewer of a tenant decided since a time, who decided most first; two queries."""
    rows = Candidate.objects.filter(
        tenant=actor.tenant, decided_by__startswith="member:", decided_at__gte=since
    ).values_list("decided_by", "status", "verb", "decision_reason", "took_ms")
    taken = _taken_back(actor.tenant, since)
    by_who: dict[str, list[tuple[str, str, str, int | None]]] = {who: [] for who, _ in taken}
    for who, *rest in rows:
        by_who.setdefault(who, []).append(tuple(rest))
    found = [_of(who, decisions, taken) for who, decisions in by_who.items()]
    return sorted(found, key=lambda q: (-q.decided, q.who))


def _of(who: str, decisions: list[tuple[str, str, str, int | None]], taken: dict[tuple[str, str], int]) -> Quality:
    times = [ms / 1000 for _, _, _, ms in decisions if ms is not None]
    rejected = sum(status == "rejected" or verb == "reject" for status, verb, _, _ in decisions)
    reversed_ = taken.get((who, "decision-reverted"), 0)
    return Quality(
        who=who,
        decided=len(decisions) + reversed_,
        approved=len(decisions) - rejected,
        edited=sum(reason == "edited" for _, _, reason, _ in decisions),
        rejected=rejected,
        reversed=reversed_,
        undone=taken.get((who, "decision-undone"), 0),
        median_seconds=round(median(times), 1) if times else None,
    )


def _taken_back(tenant: str, since: datetime) -> dict[tuple[str, str], int]:
    """Return how many decisions of each person were undone and reverted."""
    types = ("decision-undone", "decision-reverted")
    counts: dict[tuple[str, str], int] = {}
    for event in Event.objects.filter(tenant=tenant, type__in=types, recorded_at__gte=since):
        at = (described(event)["data"]["decided_by"], event.type)
        counts[at] = counts.get(at, 0) + 1
    return counts
