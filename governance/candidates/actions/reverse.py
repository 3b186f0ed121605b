"""Taking a resolution back: what it wrote is undone, and the question is open again."""

from collections.abc import Sequence
from dataclasses import replace

from governance.candidates import rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.resolve import may_resolve, seal_for, tombstone
from governance.conflicts import actions as conflicts
from governance.conflicts.models import Claim, Conflict
from governance.errors import AlreadyDecided, Invalid, Stale
from governance.ledger import sealing
from governance.ledger.writing import Writing, writing
from governance.memories import actions as memories
from governance.memories.actions import Statement
from governance.memories.models import Memory, Version
from governance.policies import queries as policies
from governance.scopes.rules import Actor


def reverse(conflict: Conflict, *, note: str, expected: int, by: Actor) -> Conflict:
    """Return the conflict, taken back: what it wrote is undone, its claims are unsettled again in a new conflict.

    Raises NotAllowed, Invalid, Stale, and AlreadyDecided when what it wrote has been changed since.
    """
    may_resolve(conflict, by)
    if conflict.status != "resolved":
        raise AlreadyDecided("Only a resolved conflict can be taken back.", status_now=conflict.status)
    if problem := rules.unfit_text(note) or ("" if note.strip() else "is empty: say why"):
        raise Invalid({"/note": problem})
    sealed = seal_for(conflict.scope, {"note": judging.redacted_text(note, policies.current(by.tenant))[0]})
    with writing(by.tenant, by=by.id) as w:
        fresh = Conflict.objects.select_related("memory").get(pk=conflict.pk)
        if fresh.status != "resolved":
            raise AlreadyDecided(status_now=fresh.status)
        if fresh.version != expected:
            raise Stale(fresh.version)
        _unchanged_since(fresh)
        for memory_id in reversed(list(dict.fromkeys(memory for memory, _ in fresh.wrote))):
            undo_version(w, memory_id, min(n for m, n in fresh.wrote if m == memory_id), by)
        done = conflicts.reverse(w, fresh, sealed)
        _contest_again(w, fresh)
    return done


def _unchanged_since(conflict: Conflict) -> None:
    """Raise AlreadyDecided when somebody has written to a memory after the resolution did: undoing would hide that."""
    last = {memory: max(n for m, n in conflict.wrote if m == memory) for memory, _ in conflict.wrote}
    now = dict(Memory.objects.filter(pk__in=last).values_list("pk", "latest"))
    if now != last or Memory.objects.filter(pk=conflict.memory_id, contested=True).exists():
        raise AlreadyDecided("What it wrote has been changed since; change the memory itself.", status_now="changed")


def undo_version(w: Writing, memory_id: str, number: int, by: Actor) -> None:
    """Undo what was written from a version on: all of it is retracted, or its predecessor is stated anew."""
    memory = Memory.objects.get(pk=memory_id)
    if number == 1:
        if memory.slot is not None:
            memories.retract(w, memory, tombstone(memory, by, "restored"), expected=memory.latest)
        return
    before = Version.objects.filter(memory=memory, number__lt=number, tombstone=False).order_by("-number").first()
    assert before is not None
    statement = Statement(
        content=before.content_id or "",
        kind=before.kind,
        source_type=before.source_type,
        confidence=before.confidence,
        reason="restored",
        observed_at=before.observed_at,
        valid_from=None if before.valid_from_assumed else before.valid_from,
        valid_to=before.valid_to,
        validity=before.validity,
        created_by=by.id,
        key_rule=memory.key_rule,
        restores=before.number,
        undoes=True,
        retention=before.retention,
        always=before.always,
        binding=before.binding,
        agent=before.agent_id,
        candidate=before.candidate,
        observation=before.observation_id,
    )
    memories.restore(w, memory, statement, expected=memory.latest)


def _contest_again(w: Writing, conflict: Conflict) -> None:
    """Open the same question anew: the claims that were not held, against what the memory says now."""
    memory = Memory.objects.get(pk=conflict.memory_id)
    words = sealing.unseal([conflict.question_id or ""]).get(conflict.question_id or "", sealing.NO_WORDS)
    claims = conflicts.claims_of(conflict)
    held = _held_again(Version.objects.get(memory=memory, number=memory.latest), claims)
    for claim in claims:
        if claim.held_version is None:
            question = seal_for(conflict.scope, {"question": words.get("question", "")})
            conflicts.contest(w, memory, held, _made(claim), rule=conflict.rule, question=question)


def _held_again(now: Version, claims: Sequence[Claim]) -> conflicts.Made:
    """Return what the memory says as a claim, with the times at which it was first said: it was only stated anew."""
    first = next((c for c in claims if c.held_version is not None), None)
    held = conflicts.held_claim(now)
    return replace(held, observed_at=first.observed_at, valid_from=first.valid_from) if first else held


def _made(claim: Claim) -> conflicts.Made:
    return conflicts.Made(
        content=claim.content_id or "",
        kind=claim.kind,
        source_type=claim.source_type,
        confidence=claim.confidence,
        observed_at=claim.observed_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        validity=claim.validity,
        made_by=claim.made_by,
        candidate=claim.candidate,
        agent=claim.agent_id,
        observation=claim.observation_id,
    )
