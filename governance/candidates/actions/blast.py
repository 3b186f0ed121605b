"""Taking back what an agent wrote since a moment: memory by memory, as the act of the person who asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.candidates import events, queries
from governance.candidates.actions.decide import pending
from governance.candidates.actions.revise import Change, restore, retract
from governance.candidates.models import Candidate
from governance.candidates.queries import Written
from governance.errors import AlreadyDecided, NotAllowed, Refusal, outcome
from governance.ledger.writing import writing
from governance.scopes.models import Agent
from governance.scopes.rules import Actor

MOST = 200  # taken back in one go


@dataclass(frozen=True)
class Reversed:
    """What became of it: memories restored and retracted, proposals withdrawn, and what was refused, by id."""

    restored: int
    retracted: int
    withdrawn: int
    refused: Sequence[tuple[str, Refusal]]
    left: int  # for the next time


def reverse_all(agent: Agent, since: datetime, *, expected: int, by: Actor) -> Reversed:
    """Take back what an agent wrote since a moment; at most so many things, the latest first.

    Each memory returns to the version before, or is retracted where there is none; what waits is withdrawn. Raises
    NotAllowed, and AlreadyDecided when there is another number of things than the person was shown.
    """
    if not by.may("manage-agents") or agent.tenant_id != by.tenant:
        raise NotAllowed()
    found = queries.blast(agent, since)
    if found.count != expected:
        raise AlreadyDecided("There is another number of things now; look at the list again.", count=found.count)
    memories, waiting = found.written[:MOST], found.waiting[: max(0, MOST - len(found.written))]
    done: list[tuple[str, Candidate | Refusal]] = [
        *((w.memory.id, outcome(lambda w=w: _take_back(w, by))) for w in memories),  # type: ignore[misc]
        *((c.id, outcome(lambda c=c: withdraw(c, by=by))) for c in waiting),  # type: ignore[misc]
    ]
    refused = [(id_, answer) for id_, answer in done if isinstance(answer, Refusal)]
    taken = [answer for _, answer in done if isinstance(answer, Candidate)]
    return Reversed(
        restored=sum(c.operation == "restore" for c in taken),
        retracted=sum(c.operation == "retract" for c in taken),
        withdrawn=sum(c.status == "withdrawn" for c in taken),
        refused=refused,
        left=found.count - len(done),
    )


def _take_back(written: Written, by: Actor) -> Candidate:
    memory = written.memory
    if written.returns_to is None:
        return retract(memory, Change(expected=memory.latest, reason="delete-request"), by=by)
    return restore(memory, Change(expected=memory.latest, reason="restored"), written.returns_to, by=by)


def withdraw(candidate: Candidate, *, by: Actor) -> Candidate:
    """Return a proposal, withdrawn for the agent that made it. Raises AlreadyDecided."""
    if not by.may("manage-agents"):
        raise NotAllowed()
    with writing(by.tenant, by=by.id) as w:
        fresh = pending(candidate.id, candidate.version)
        row: Candidate = w.record(events.CandidateWithdrawn(decided_by=by.id), stream=fresh.id, row=fresh)
    return row
