"""What people answer: approve, edit then approve, reject, confirm; and what time answers."""

import time
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from governance.candidates import events, queries, rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions import leases
from governance.candidates.actions.commit import commit
from governance.candidates.models import REOPENABLE, Candidate
from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound, Stale
from governance.ledger import sealing
from governance.ledger.outbox import every_drain
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing, writing
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes.models import Tenant
from governance.scopes.queries import check_unfenced
from governance.scopes.rules import Actor

REJECT_REASONS = ("not-true", "not-lasting", "wrong-person", "sensitive", "duplicate", "unclear", "other")


@dataclass(frozen=True)
class Answer:
    """What a person answers, made ready: its words sealed before any lock is taken."""

    verb: str  # approve, edit, reject
    reason: str
    sealed: Sealed | None = None  # the edited words, or the note
    alone: Sealed | None = None  # why one person decides what policy wants two for
    is_order: bool = False  # the edited words read like an order to a model


def approve(candidate: Candidate, *, expected: int, by: Actor, alone: str = "") -> Candidate:
    """Return the candidate: a memory once the window to undo is over, or waiting for the second person.

    `alone` is the reason why an administrator decides what policy wants two people for: an event and an alert.
    Raises Stale when the item or what it would change has moved, Leased, NotAllowed, AlreadyDecided.
    """
    may_decide(candidate, by)
    return _answered(candidate, Answer("approve", "approved", alone=seal_note(candidate, alone, by)), expected, by)


def edit_and_approve(
    candidate: Candidate, *, expected: int, by: Actor, changes: dict[str, Any], alone: str = ""
) -> Candidate:
    """Return the candidate, approved in other words; the reviewer answers for them, the evidence stays."""
    may_decide(candidate, by)
    policy = policies.current(by.tenant)
    words = sealing.unseal([candidate.content_id or ""])[candidate.content_id or ""]
    draft = replace(queries.draft_of(candidate, words), **changes)
    rules.check(replace(draft, source_type="agent_guess"))
    clean, masked = judging.redacted(draft, policy)
    if "reject" in {policy.sensitivity.get(m) for m in masked}:
        raise Invalid({"/content": "holds something that may not be stored"})
    sealed, why = _sealed(candidate, clean.words()), seal_note(candidate, alone, by)
    is_order = judging.reads_as_order(clean.words())
    return _answered(candidate, Answer("edit", "edited", sealed, alone=why, is_order=is_order), expected, by)


def reject(candidate: Candidate, *, expected: int, by: Actor, reason: str, note: str = "") -> Candidate:
    """Return the candidate, rejected with a reason; it stays countable. Raises Invalid, Stale, AlreadyDecided."""
    may_decide(candidate, by)
    if reason not in REJECT_REASONS:
        raise Invalid({"/reason": "must be one of " + ", ".join(REJECT_REASONS)})
    return _answered(candidate, Answer("reject", reason, seal_note(candidate, note, by)), expected, by)


def seal_note(candidate: Candidate, note: str, by: Actor) -> Sealed | None:
    """Return a free text sealed, None for an empty one. Raises Invalid."""
    if problem := rules.unfit_text(note):
        raise Invalid({"/note": problem})
    if not note.strip():
        return None
    return _sealed(candidate, {"note": judging.redacted_text(note, policies.current(by.tenant))[0]})


def _sealed(candidate: Candidate, words: dict[str, Any]) -> Sealed:
    kept = {name: value for name, value in words.items() if value not in ("", [], None)}
    scope = candidate.scope
    return sealing.seal(kept, tenant=candidate.tenant_id, scope=scope.id, subject=scope.subject_id or "")


def _answered(candidate: Candidate, answer: Answer, expected: int, by: Actor) -> Candidate:
    """Write an answer down under the lock: the first of two, or the decision; where the ground moved, that instead."""
    policy = policies.current(by.tenant)
    with writing(by.tenant, by=by.id) as w:
        fresh = pending(candidate.id, expected)
        took = leases.end(fresh, by)
        ground = (fresh.target_id, fresh.target_version) if answer.verb == "reject" else ground_of(fresh)
        if ground == (fresh.target_id, fresh.target_version):
            if answer.verb != "reject" and _is_first_of_two(fresh, answer, policy, by):
                return _approved_once(w, fresh, answer, policy, by)
            if answer.alone:
                alone = events.CandidateApprovedAlone(approved_by=by.id, risk=fresh.risk)
                w.record(alone, stream=fresh.id, contents=[answer.alone])
            return _decided(w, fresh, answer, took, policy, by)
        row = w.record(moved(fresh, ground), stream=fresh.id, row=fresh, keeping=[fresh.content_id or ""])
    raise Stale(row.version, "What this would change has changed meanwhile; look at it again.", reason="ground-moved")


def _is_first_of_two(fresh: Candidate, answer: Answer, policy: Policy, by: Actor) -> bool:
    """Return whether another person has to approve as well. Raises NotAllowed for who may not be one of them."""
    risk = "high" if answer.is_order else fresh.risk
    two, barred = risk in policy.two_people, is_barred(fresh, policy, by, risk)
    if answer.alone is not None and (two or barred):
        if not by.may("set-policy"):
            raise NotAllowed("Only an administrator may decide this alone.")
        return False
    if barred:
        raise NotAllowed("You proposed this or answer for the agent that did; somebody else decides it.")
    if two and fresh.approved_by == by.id and answer.verb == "approve":
        raise NotAllowed("You approved this already; another person has to approve it as well.")
    return two and (not first_of_two(fresh) or answer.verb == "edit")


def first_of_two(candidate: Candidate) -> str:
    """Return who stands for an item already: who approved it once, or the person who proposed it; "" for nobody."""
    return candidate.approved_by or (candidate.proposed_by if candidate.proposed_by.startswith("member:") else "")


def is_barred(candidate: Candidate, policy: Policy, by: Actor, risk: str = "") -> bool:
    """Return whether somebody may not approve an item for being on its side, its risk being more than normal."""
    risk = risk or candidate.risk
    return answers_for(candidate, by) and (risk != "normal" or risk in policy.two_people)


def answers_for(candidate: Candidate, by: Actor) -> bool:
    """Return whether a person proposed an item, or owns the agent that did."""
    owner = str(candidate.agent.owner_id) if candidate.agent else ""
    return by.id == candidate.proposed_by or (bool(owner) and owner == str(by.owner))


def _approved_once(w: Writing, fresh: Candidate, answer: Answer, policy: Policy, by: Actor) -> Candidate:
    row = edited(w, fresh, policy, sealed=answer.sealed) if answer.verb == "edit" else fresh
    once = events.CandidateApprovedOnce(approved_by=by.id, scope=row.scope_id)
    approved: Candidate = w.record(once, stream=row.id, row=row, keeping=[row.content_id or ""])
    return approved


def _decided(w: Writing, fresh: Candidate, answer: Answer, took: int | None, policy: Policy, by: Actor) -> Candidate:
    seconds = window_of(policy)
    contents = [answer.sealed] if answer.sealed else []
    if seconds:
        due = w.now + timedelta(seconds=seconds)
        made = events.DecisionMade(
            verb=answer.verb, decided_by=by.id, reason=answer.reason, takes_effect_at=due, took_ms=took
        )
        w.owe("decisions", fresh.id, due_at=due)
        row: Candidate = w.record(made, stream=fresh.id, row=fresh, contents=contents)
        return row
    if answer.verb == "reject":
        rejected = events.CandidateRejected(decided_by=by.id, reason=answer.reason)
        rejection: Candidate = w.record(rejected, stream=fresh.id, row=fresh, contents=contents)
        return rejection
    if answer.verb == "edit":
        fresh = edited(w, fresh, policy, sealed=answer.sealed)
    return commit(w, fresh, decided_by=by.id, policy=policy, reason=answer.reason)


def edited(w: Writing, row: Candidate, policy: Policy, *, sealed: Sealed | None) -> Candidate:
    """Return the item in other words: just sealed, or those that a decision has kept until now."""
    words = sealing.words_of(sealed) if sealed else w.words(row.edited_id or "")
    rule = policy.key_rule(words["key"]) if words.get("key") else None
    called = {"lane": "quarantine", "risk": "high"} if judging.reads_as_order(words) else {}
    row_now: Candidate = w.record(
        events.CandidateEdited(key_rule=rule.id if rule else "", **called),
        stream=row.id,
        row=row,
        contents=[sealed] if sealed else (),
        keeping=() if sealed else [row.edited_id or ""],
    )
    return row_now


def window_of(policy: Policy) -> int:
    """Return for how many seconds a decision can be undone, 0: it takes effect at once."""
    return min(policy.undo_seconds, settings.UNDO_SECONDS_MOST)


def reopen(candidate: Candidate, *, expected: int, by: Actor) -> Candidate:
    """Return a candidate that policy or a person kept out, or that expired, waiting for a person again.

    Words that were cut out as sensitive stay out. Raises NotAllowed, NotFound, Stale, AlreadyDecided.
    """
    may_decide(candidate, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = Candidate.objects.select_related("scope").get(pk=candidate.pk)
        if fresh.status not in REOPENABLE:
            raise AlreadyDecided(f"It is {fresh.status}.", status_now=fresh.status, current_version=fresh.version)
        if fresh.version != expected:
            raise Stale(fresh.version)
        row: Candidate = w.record(events.CandidateReopened(), stream=fresh.id, row=fresh)
    return row


_looked_at: list[float] = [0.0]
HOUR = 3600.0


@every_drain
def _expire_hourly() -> None:
    if time.monotonic() - _looked_at[0] > HOUR or not _looked_at[0]:
        _looked_at[0] = time.monotonic()
        expire_due()


def expire_due() -> int:
    """Close candidates that waited longer than their tenant's policy allows; return how many."""
    expired = 0
    for tenant in Tenant.objects.all():
        before = timezone.now() - timedelta(days=policies.current(tenant.id).pending_days)
        waiting = Candidate.objects.open().filter(tenant=tenant, created_at__lt=before)
        due = list(waiting.exclude(reopened_at__gte=before)[:500])
        if due:
            with writing(tenant.id, by="system:policy") as w:
                for row in due:
                    w.record(events.CandidateExpired(), stream=row.id, row=row)
        expired += len(due)
    return expired


def may_decide(candidate: Candidate, by: Actor) -> None:
    """Raise NotAllowed without that right, NotFound for an item out of a reviewer's reach."""
    if not by.may("decide"):
        raise NotAllowed()
    outside = by.projects is not None and candidate.scope.project_id not in by.projects
    if candidate.tenant_id != by.tenant or outside:
        raise NotFound()


def pending(candidate: str, expected: int) -> Candidate:
    """Return the item under the lock. Raises AlreadyDecided (saying by whom), Stale."""
    fresh = Candidate.objects.select_related("scope", "target", "agent").get(pk=candidate)
    check_unfenced([fresh.scope.subject_id, *fresh.subjects])
    if fresh.status != "pending":
        raise AlreadyDecided(
            "A decision about it has been made." if fresh.status == "deciding" else f"It is {fresh.status} already.",
            status_now=fresh.status,
            decided_by=fresh.decided_by,
            current_version=fresh.version,
        )
    if fresh.version != expected:
        raise Stale(fresh.version)
    return fresh


def ground_of(candidate: Candidate) -> tuple[str | None, int | None]:
    """Return the memory and version that a candidate would change as things stand."""
    if candidate.operation != "remember":
        assert candidate.target is not None
        return candidate.target_id, candidate.target.latest
    policy = policies.current(candidate.tenant_id)
    words = sealing.unseal([candidate.content_id or ""])[candidate.content_id or ""]
    multi = not candidate.key_mac or policy.is_multi(words.get("key", ""))
    slot = bytes(candidate.value_mac) if multi else b""
    found = Memory.objects.filter(scope=candidate.scope_id, key_mac=bytes(candidate.key_mac), slot=slot).first()
    return (found.id, found.latest) if found else (None, None)


def moved(candidate: Candidate, ground: tuple[str | None, int | None]) -> events.CandidateJudgedAgain:
    verdict = {"stage": "ground", "code": "moved", "detail": "What this would change has changed.", "outcome": "review"}
    return events.CandidateJudgedAgain(
        status="pending",
        outcome=candidate.outcome,
        lane=candidate.lane,
        source_type=candidate.source_type,
        confidence=candidate.confidence,
        observation=candidate.observation_id,
        policy_version=candidate.policy_version,
        score=candidate.score,
        verdicts=(*(v for v in candidate.verdicts if v["stage"] != "ground"), verdict),
        target=ground[0],
        target_version=ground[1],
    )
