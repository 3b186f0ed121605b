"""Changing what is remembered: each change is a candidate that names its memory, and policy answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from governance.candidates import events, rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.commit import commit
from governance.candidates.actions.propose import Gathered, hear, said_at_of, store, whose_of, with_stated_times
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.errors import Gone, Invalid, NotAllowed, NotFound, Retracted, Stale
from governance.ledger import ids, sealing
from governance.ledger.writing import writing
from governance.memories.models import Memory, Version
from governance.memories.rules import is_empty, shown
from governance.policies import queries as policies
from governance.scopes.models import Scope
from governance.scopes.queries import reaches
from governance.scopes.rules import Actor, ScopeSpec

# What a revision may change; everything else of the memory is carried over.
CHANGEABLE = ("value", "content", "context", "kind", "confidence", "tags", "always", "retention", "note")


@dataclass(frozen=True)
class Change:
    """A change of a memory: against which version, from which source, and the fields that become different."""

    expected: int
    fields: Mapping[str, Any] | None = None
    source_type: str = "agent_guess"
    source_ref: str = ""
    observation: str = ""
    quote: str = ""
    reason: str = ""
    observed_at: datetime | None = None
    valid_from: datetime | date | None = None
    valid_to: datetime | date | None = None
    validity: str = ""
    note: str = ""


def revise(memory: Memory, change: Change, *, by: Actor) -> Candidate:
    """Return the candidate that revises a memory: committed as its next version, or waiting for a person.

    Without new `content` the sentence is rendered from label and new value. Raises Stale, Invalid, NotFound.
    """
    _allow(memory, "revise", by)
    expect(memory, change.expected)
    held = readable(memory)
    fields = dict(change.fields or {})
    if not fields and change.valid_from is None and change.valid_to is None and not change.validity:
        raise Invalid({"": "names nothing to change"})
    if is_empty(fields.get("content", "-")):
        raise Invalid({"/content": "is empty; leave it out, and it is worded anew from key and value"})
    draft = replace(draft_of_memory(memory, held, change), **fields)
    if "value" in fields and "content" not in fields:
        draft = replace(draft, content="")
    rules.check(draft)
    return store(_gathered(memory, draft, change, by, "revise"), by=by)


def retract(memory: Memory, change: Change, *, by: Actor) -> Candidate:
    """Return the candidate that retracts a memory: committed as a tombstone, or waiting for a person."""
    _allow(memory, "retract", by)
    expect(memory, change.expected)
    held = readable(memory)
    base = _gathered(memory, draft_of_memory(memory, held, change), change, by, "retract")
    return store(gather_retraction(memory, change, base), by=by)


def gather_retraction(memory: Memory, change: Change, base: Gathered) -> Gathered:
    """Return a gathered draft turned into the retraction of a memory."""
    return replace(base, operation="retract", target=memory.id, expected=change.expected)


def restore(memory: Memory, change: Change, number: int, *, by: Actor) -> Candidate:
    """Return the candidate that states an old version anew. Raises Invalid for a version there is not."""
    _allow(memory, "revise", by)
    expect(memory, change.expected)
    old = Version.objects.filter(memory=memory, number=number, tombstone=False).first()
    if old is None:
        raise Invalid({"/number": "is no version that can be restored"})
    words = sealing.unseal([old.content_id or ""]).get(old.content_id or "", sealing.NO_WORDS)
    if words.erased:
        raise Gone()
    held = judging.Holder(memory, old, words)
    draft = replace(
        draft_of_memory(memory, held, change),
        reason="restored",
        valid_from=shown(old.valid_from),
        valid_to=old.valid_to,
    )
    gathered = _gathered(memory, draft, change, by, "restore")
    return store(replace(gathered, restores=number), by=by)


def bind(scope: Scope, draft: Draft, *, by: Actor) -> Candidate:
    """Return the binding rule that an administrator sets for a tenant, or a member of `system` for everybody."""
    if not by.may("set-binding"):
        raise NotAllowed()
    if scope.tenant_id != by.tenant or scope.level not in ("tenant", "global"):
        raise NotFound()
    rules.check(draft)
    policy = policies.current(by.tenant)
    clean, masked = judging.redacted(draft, policy)
    if masked and "reject" in {policy.sensitivity.get(m) for m in masked}:
        raise Invalid({"/content": "holds something that may not be stored"})
    clean = judging.with_sentence(clean, policy)
    words = {name: value for name, value in clean.words().items() if value not in ("", [], None)}
    sealed = sealing.seal(words, tenant=by.tenant, scope=scope.id)
    rule = policy.key_rule(clean.key)
    verdict = {"stage": "person", "code": "set-by-administrator", "detail": "Set by a person.", "outcome": "commit"}
    now = timezone.now()
    proposed = events.CandidateProposed(
        status="pending",
        outcome="commit",
        lane="",
        operation="remember",
        scope=scope.id,
        kind="procedural",
        key_rule=rule.id if rule else "",
        claimed_source="reviewer",
        source_type="reviewer",
        confidence=rules.capped(None, "reviewer"),
        agent=None,
        observation=None,
        observed_at=now,
        valid_from=None,
        valid_to=None,
        validity="until_replaced",
        retention="standard",
        reason="",
        always=False,
        binding=True,
        subjects=(),
        policy_version=policy.number,
        score={},
        verdicts=(verdict,),
        target=None,
        target_version=None,
        restores=None,
        duplicate_of="",
        level=scope.level,
        risk="high",
    )
    with writing(by.tenant, by=by.id) as w:
        candidate: Candidate = w.record(proposed, stream=ids.new("cand"), contents=[sealed])
        return commit(w, candidate, decided_by=by.id, policy=policy, reason="set")


def _allow(memory: Memory, action: str, by: Actor) -> None:
    """Raise NotAllowed without the action at all, NotFound for a memory out of reach."""
    if by.is_agent:
        if not by.holds(action):
            raise NotAllowed(f"This key does not grant {action}.")
        if not reaches(by, memory.scope, action) or memory.binding:
            raise NotFound()
    elif memory.tenant_id != by.tenant:
        raise NotFound()
    elif not by.may("set-binding" if memory.binding else "decide"):
        raise NotAllowed()


def expect(memory: Memory, expected: int) -> None:
    """Raise Stale when somebody has written to a memory since it was read."""
    if memory.latest != expected:
        raise Stale(memory.latest)


def readable(memory: Memory) -> judging.Holder:
    """Return the memory with its latest words. Raises Retracted, Gone once erased."""
    held = judging.opened(memory)
    if held.version.tombstone and not memory.erased:
        raise Retracted(current_version=memory.latest)
    if held.words.erased:
        raise Gone()
    return held


def draft_of_memory(memory: Memory, held: judging.Holder, change: Change) -> Draft:
    """Return the memory as a draft, with the change's source and times, before its fields change."""
    words, version = held.words, held.version
    return Draft(
        scope=ScopeSpec(level=memory.scope.level),
        kind=version.kind,
        key=words.get("key", ""),
        value=words.get("value"),
        content=words.get("content", ""),
        context=words.get("context", ""),
        about=words.get("about", ""),
        source_type=change.source_type,
        source_ref=change.source_ref,
        observation=change.observation,
        quote=change.quote,
        observed_at=change.observed_at,
        valid_from=change.valid_from,
        valid_to=change.valid_to,
        validity=change.validity,
        always=version.always,
        tags=tuple(words.get("tags", ())),
        retention=version.retention,
        reason=change.reason,
        note=change.note,
        lasting=None if _is_for_its_words_to_say(memory, version, change) else True,
    )


def _is_for_its_words_to_say(memory: Memory, version: Version, change: Change) -> bool:
    """Return whether the quote says if a change lasts: "this time" changes nothing that held without an end."""
    ends = change.valid_to is not None or version.valid_to is not None or memory.scope.level == "session"
    return change.source_type == "user_explicit" and bool(change.quote.strip()) and not ends


def _gathered(memory: Memory, draft: Draft, change: Change, by: Actor, operation: str) -> Gathered:
    policy = policies.current(by.tenant)
    clean, masked = judging.redacted(draft, policy)
    clean = judging.with_sentence(clean, policy)
    tends = judging.begin_tending(clean, by) if operation == "revise" else None
    heard = hear(clean.observation, by) if clean.observation else None
    said_at = said_at_of(clean, heard, by)
    if operation == "revise":
        clean = with_stated_times(clean, heard, said_at)
    times = rules.resolve_times(clean, said_at=said_at, now=timezone.now())
    return Gathered(
        clean,
        times,
        memory.scope,
        heard,
        masked,
        policy,
        operation=operation,
        target=memory.id,
        expected=change.expected,
        whose=whose_of(memory.scope, ()),
        tends=tends,
    )
