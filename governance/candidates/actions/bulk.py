"""Many items at once: a preview that says what can be done, then each decided by itself, with a result for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from governance.candidates import queries, waiting
from governance.candidates.actions import decide
from governance.candidates.models import Candidate
from governance.errors import Refusal, outcome
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes.rules import Actor

MOST = 500  # in one go

Items = Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Foreseen:
    """What would become of one item, and why not where it cannot be done; `row` is None for one that is not there."""

    row: Candidate | None
    problem: str  # "" when it can be done
    is_first: bool = False  # it would wait for a second person


def preview(items: Items, *, by: Actor) -> list[Foreseen]:
    """Return what approving would do to each item; nothing is written."""
    rows = queries.visible_to(by).select_related("scope", "target", "agent").in_bulk([id for id, _ in items])
    held = waiting.leases(rows)
    policy = policies.current(by.tenant)
    return [_foreseen(rows.get(id), version, held, policy, by) for id, version in items]


def _foreseen(row: Candidate | None, version: int, held: waiting.Leases, policy: Policy, by: Actor) -> Foreseen:
    if row is None:
        return Foreseen(None, "not there (any more)")
    two = row.risk in policy.two_people
    first = two and not decide.first_of_two(row)
    lease = held.get(row.id)
    if row.status != "pending":
        problem = "decided already"
    elif row.version != version:
        problem = "changed since the list was shown"
    elif lease is not None and lease.holder != by.id:
        problem = "somebody else has it open"
    elif row.target is not None and row.target.contested:
        problem = "what it would change is in conflict"
    elif row.target is not None and row.target.latest != row.target_version:
        problem = "what it would change has changed"
    elif row.lane == "quarantine":
        problem = "in quarantine: open it and look"
    elif decide.is_barred(row, policy, by):
        problem = "you answer for the agent that proposed it"
    elif two and row.approved_by == by.id:
        problem = "needs a second person"
    else:
        problem = ""
    return Foreseen(row, problem, first and not problem)


def approve_many(items: Items, *, by: Actor) -> list[Candidate | Refusal]:
    """Return, item by item, the approved candidate or why it was not."""
    return [outcome(lambda i=i, v=v: _approve_one(i, v, by)) for i, v in items[:MOST]]  # type: ignore[misc]


def _approve_one(candidate: str, expected: int, by: Actor) -> Candidate:
    return decide.approve(queries.candidate_for_member(by, candidate), expected=expected, by=by)


def reject_many(items: Items, reason: str, *, by: Actor) -> list[Candidate | Refusal]:
    """Return, item by item, the rejected candidate or why it was not."""
    return [outcome(lambda i=i, v=v: _reject_one(i, v, reason, by)) for i, v in items[:MOST]]  # type: ignore[misc]


def _reject_one(candidate: str, expected: int, reason: str, by: Actor) -> Candidate:
    return decide.reject(queries.candidate_for_member(by, candidate), expected=expected, by=by, reason=reason)
