"""The time in which a decision can be undone, what the worker makes of it then, and taking it back later."""

from collections.abc import Sequence

from django.utils import timezone

from governance.candidates import events
from governance.candidates.actions.commit import commit
from governance.candidates.actions.decide import edited, ground_of, may_decide, moved, seal_note
from governance.candidates.actions.reverse import undo_version
from governance.candidates.models import Candidate
from governance.errors import AlreadyDecided, Invalid, NotAllowed, Refusal, Stale, outcome
from governance.ledger.models import Outbox
from governance.ledger.outbox import handles
from governance.ledger.writing import Writing, writing
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.scopes.queries import may_still
from governance.scopes.rules import Actor


def undo(candidate: Candidate, *, expected: int, by: Actor) -> Candidate:
    """Return the item, waiting again: its decision was undone before it took effect, by who made it.

    Raises AlreadyDecided once it has taken effect, Stale, NotAllowed for somebody else's decision.
    """
    may_decide(candidate, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = Candidate.objects.select_related("scope").get(pk=candidate.pk)
        if fresh.status != "deciding":
            raise AlreadyDecided(
                "It has taken effect; it can be taken back with a reason.",
                status_now=fresh.status,
                decided_by=fresh.decided_by,
                current_version=fresh.version,
            )
        if fresh.version != expected:
            raise Stale(fresh.version)
        if fresh.decided_by != by.id:
            raise NotAllowed("Somebody else decided this; they can undo it, and you can take it back later.")
        row: Candidate = w.record(events.DecisionUndone(decided_by=by.id, reason="undone"), stream=fresh.id, row=fresh)
    return row


def undo_quietly(candidate: Candidate, *, by: Actor) -> Candidate | Refusal:
    """Return the item, waiting again, or why its decision could not be undone."""
    return outcome(lambda: undo(candidate, expected=candidate.version, by=by))


@handles("decisions")
def _settle_due(debts: Sequence[Outbox]) -> None:
    for debt in debts:
        settle(debt.ref)


def settle(candidate: str, *, at_once: bool = False) -> None:
    """Let a decision take effect whose time has come, after looking again; where it cannot, the item waits again.

    `at_once`: whatever its time, for stories that are told.
    """
    row = Candidate.objects.get(pk=candidate)
    if not _is_due(row, at_once):
        return
    answer = outcome(lambda: _settle(row, at_once))
    if isinstance(answer, Refusal):
        _put_back(row, answer.type)


def _is_due(row: Candidate, at_once: bool = False) -> bool:
    over = row.takes_effect_at is not None and row.takes_effect_at <= timezone.now()
    return row.status == "deciding" and (over or at_once)


def _settle(row: Candidate, at_once: bool) -> None:
    policy = policies.current(row.tenant_id)
    with writing(row.tenant_id, by="system:decisions") as w:
        fresh = Candidate.objects.select_related("scope", "target", "agent").get(pk=row.pk)
        if not _is_due(fresh, at_once):
            return
        if not may_still(fresh.decided_by, fresh.tenant_id, "decide"):
            raise NotAllowed()
        if fresh.verb == "reject":
            rejected = events.CandidateRejected(decided_by=fresh.decided_by, reason=fresh.decision_reason)
            w.record(rejected, stream=fresh.id, row=fresh)
            return
        ground = ground_of(fresh)
        if ground != (fresh.target_id, fresh.target_version):
            w.record(moved(fresh, ground), stream=fresh.id, row=fresh, keeping=[fresh.content_id or ""])
            return
        by, reason = fresh.decided_by, fresh.decision_reason
        ready = edited(w, fresh, policy, sealed=None) if fresh.verb == "edit" else fresh
        commit(w, ready, decided_by=by, policy=policy, reason=reason)


def _put_back(row: Candidate, why: str) -> None:
    """Let an item wait again whose decision cannot take effect."""
    with writing(row.tenant_id, by="system:decisions") as w:
        fresh = Candidate.objects.get(pk=row.pk)
        if _is_due(fresh):
            w.record(events.DecisionUndone(decided_by=fresh.decided_by, reason=why), stream=fresh.id, row=fresh)


def revert(candidate: Candidate, *, expected: int, note: str, by: Actor) -> Candidate:
    """Return the item, waiting again: a decision that took effect is taken back, and what it wrote is undone.

    Raises Invalid without a reason, Stale, and AlreadyDecided when what it wrote has been changed since.
    """
    may_decide(candidate, by)
    sealed = seal_note(candidate, note, by)
    if sealed is None:
        raise Invalid({"/note": "is empty: say why"})
    with writing(by.tenant, by=by.id) as w:
        fresh = Candidate.objects.select_related("scope", "target", "agent").get(pk=candidate.pk)
        if fresh.status not in ("committed", "rejected"):
            raise AlreadyDecided("Only what was approved or rejected can be taken back.", status_now=fresh.status)
        if fresh.version != expected:
            raise Stale(fresh.version)
        if fresh.status == "committed":
            _unwrite(w, fresh, by)
        target, version = _new_ground(fresh)
        done = events.DecisionReverted(decided_by=fresh.decided_by, target=target, target_version=version)
        row: Candidate = w.record(done, stream=fresh.id, row=fresh, contents=[sealed])
    return row


def _unwrite(w: Writing, row: Candidate, by: Actor) -> None:
    memory = Memory.objects.get(pk=row.memory_id)
    if memory.latest != row.memory_version or memory.contested:
        raise AlreadyDecided("What it wrote has been changed since; change the memory itself.", status_now="changed")
    undo_version(w, memory.id, memory.latest, by)


def _new_ground(row: Candidate) -> tuple[str | None, int | None]:
    """Return what an item would change now that its decision is undone."""
    if row.operation != "remember" and row.target_id:
        return row.target_id, Memory.objects.get(pk=row.target_id).latest
    return ground_of(row)
