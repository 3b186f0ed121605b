"""Answers that decide nothing yet: unsure, for another role, later, for somebody; and letting a flood in."""

from datetime import datetime

from django.utils import timezone

from governance.candidates import events
from governance.candidates.actions import leases
from governance.candidates.actions.decide import may_decide, pending, seal_note
from governance.candidates.models import Candidate
from governance.errors import Invalid, NotAllowed
from governance.ledger.writing import writing
from governance.scopes.queries import may_still
from governance.scopes.rules import ROLE_PERMITS, Actor

ASIDES = ("unsure", "needs-role", "snoozed")
DECIDING_ROLES = tuple(role for role, permits in ROLE_PERMITS.items() if "decide" in permits)


def set_aside(
    candidate: Candidate,
    aside: str,
    *,
    expected: int,
    by: Actor,
    until: datetime | None = None,
    role: str = "",
    note: str = "",
) -> Candidate:
    """Return the item, put aside: "unsure", "needs-role" with a role, "snoozed" until a time; "" takes it up again.

    Raises Invalid, Stale, AlreadyDecided, Leased.
    """
    may_decide(candidate, by)
    if aside not in (*ASIDES, ""):
        raise Invalid({"/aside": "must be one of " + ", ".join(ASIDES)})
    if aside == "snoozed" and (until is None or until <= timezone.now()):
        raise Invalid({"/until": "must lie ahead"})
    if aside == "needs-role" and role not in DECIDING_ROLES:
        raise Invalid({"/role": "must be one of " + ", ".join(DECIDING_ROLES)})
    sealed = seal_note(candidate, note, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = pending(candidate.id, expected)
        leases.end(fresh, by)
        put = events.CandidateSetAside(
            aside=aside,
            until=until if aside == "snoozed" else None,
            role=role if aside == "needs-role" else "",
        )
        row: Candidate = w.record(put, stream=fresh.id, row=fresh, contents=[sealed] if sealed else [])
    return row


def assign(candidate: Candidate, to: str, *, expected: int, by: Actor, note: str = "") -> Candidate:
    """Return the item, handed to a member (`member:ID`), or to nobody (""). Raises Invalid, Stale, Leased."""
    may_decide(candidate, by)
    if to and not may_still(to, by.tenant, "decide"):
        raise Invalid({"/to": "names nobody who decides here"})
    sealed = seal_note(candidate, note, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = pending(candidate.id, expected)
        leases.end(fresh, by)
        handed = events.CandidateAssigned(assigned_to=to)
        row: Candidate = w.record(handed, stream=fresh.id, row=fresh, contents=[sealed] if sealed else [])
    return row


def let_in(agent: str, *, by: Actor, most: int = 100) -> int:
    """Let the oldest of an agent's held back proposals into the queue; return how many. Raises NotAllowed."""
    if not by.may("decide"):
        raise NotAllowed()
    with writing(by.tenant, by=by.id) as w:
        held = Candidate.objects.open().filter(tenant=by.tenant, agent=agent, held_back=True)
        rows = list(held.order_by("created_seq")[:most])
        for row in rows:
            w.record(events.CandidateLetIn(), stream=row.id, row=row)
    return len(rows)
