"""Settling a conflict: people choose."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from governance.candidates import rules
from governance.candidates.actions import judge as judging
from governance.candidates.rules import Draft
from governance.conflicts import actions as conflicts
from governance.conflicts.models import Claim, Conflict
from governance.conflicts.queries import contender
from governance.conflicts.rules import Resolution, Step, problems, steps
from governance.conflicts.rules.outcome import MERGED
from governance.errors import AlreadyExists, Invalid, NotAllowed, NotFound
from governance.ledger import sealing
from governance.ledger.sealing import Sealed, Words
from governance.ledger.writing import Writing, writing
from governance.memories import actions as memories
from governance.memories.actions import Statement
from governance.memories.events import MemoryRetracted
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.policies.rules import Policy, normalise_key
from governance.scopes import actions as scopes
from governance.scopes.models import Scope
from governance.scopes.queries import find_project, find_subject
from governance.scopes.rules import Actor, ScopeSpec


@dataclass(frozen=True)
class Place:
    """Where a claim goes that leaves the key or its scope: its draft there, and its words sealed for it."""

    scope: Scope
    draft: Draft
    sealed: Sealed


@dataclass(frozen=True)
class Ready:
    """A resolution with everything it needs that was not there yet, gathered before the writing."""

    resolution: Resolution
    claims: Mapping[str, Claim]
    todo: tuple[Step, ...]
    policy: Policy
    places: Mapping[str, Place]
    merged: Sealed | None
    note: Sealed | None


def resolve(conflict: Conflict, resolution: Resolution, *, expected: int, by: Actor) -> Conflict:
    """Return the conflict, resolved or asked. Raises NotAllowed, Invalid, Stale, AlreadyDecided, AlreadyExists."""
    may_resolve(conflict, by)
    conflicts.unsettled(conflict, expected)
    ready = _ready(conflict, resolution, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = conflicts.unsettled(conflict, expected)
        if resolution.choice == "ask":
            return conflicts.ask(w, fresh, expected=expected)
        wrote = _carry_out(w, fresh, ready, by)
        return conflicts.settle(
            w,
            fresh,
            choice=resolution.choice,
            chosen=resolution.claim,
            decided_by=by.id,
            wrote=wrote,
            note=ready.note,
        )


def may_resolve(conflict: Conflict, by: Actor) -> None:
    """Raise NotAllowed without that right, NotFound for a conflict of somebody else."""
    if not by.may("resolve"):
        raise NotAllowed()
    outside = by.projects is not None and conflict.scope.project_id not in by.projects
    if conflict.tenant_id != by.tenant or outside:
        raise NotFound()


def _ready(conflict: Conflict, resolution: Resolution, by: Actor) -> Ready:
    """Return a resolution made ready, its scopes opened and its new words sealed. Raises Invalid."""
    policy = policies.current(by.tenant)
    claims = {c.id: c for c in conflicts.claims_of(conflict)}
    opened = sealing.unseal(c.content_id for c in claims.values() if c.content_id)
    words = {id_: opened.get(c.content_id or "", sealing.NO_WORDS) for id_, c in claims.items()}
    contenders = [contender(c, conflict.memory) for c in claims.values()]
    key = next((w["key"] for w in words.values() if w.get("key")), "")
    errors = problems(resolution, contenders, key=key, level=conflict.scope.level) | _unfit(resolution)
    errors |= _ordering(resolution, policy)
    if errors:
        raise Invalid(errors)
    places = {id_: _place(conflict, resolution, id_, claims[id_], words[id_], policy, by) for id_ in resolution.away}
    return Ready(
        resolution=resolution,
        claims=claims,
        todo=tuple(steps(resolution, contenders)),
        policy=policy,
        places=places,
        merged=_merged(conflict, resolution, claims, words, policy) if resolution.choice == "merge" else None,
        note=seal_for(conflict.scope, {"note": judging.redacted_text(resolution.note, policy)[0]})
        if resolution.note
        else None,
    )


def _unfit(resolution: Resolution) -> dict[str, str]:
    """Return which texts of a resolution cannot be kept."""
    said = {"content": resolution.content, "value": resolution.value, "note": resolution.note}
    errors = rules.text_errors(said)
    for key in resolution.keys.values():
        if problem := rules.text_errors({"key": key}).get("/key"):
            errors["/keys"] = problem
    return errors


def _ordering(resolution: Resolution, policy: Policy) -> dict[str, str]:
    """Return that merged words read like an order to a model, where policy wants two people for those."""
    words = {"content": resolution.content, "value": resolution.value}
    if resolution.choice != "merge" or "high" not in policy.two_people or not judging.reads_as_order(words):
        return {}
    return {"/content": "reads like an order to a model: word it otherwise, or keep one of the claims"}


def _place(
    conflict: Conflict, resolution: Resolution, id_: str, claim: Claim, words: Words, policy: Policy, by: Actor
) -> Place:
    spec = resolution.scopes.get(id_)
    scope = _opened(spec, by) if spec else conflict.scope
    key = normalise_key(judging.redacted_text(resolution.keys[id_], policy)[0]) if id_ in resolution.keys else ""
    payload = {**words, **({"key": key} if key else {})}
    draft = Draft(
        scope=ScopeSpec(scope.level),
        kind=claim.kind,
        key=payload.get("key", ""),
        value=payload.get("value"),
        content=payload.get("content", ""),
        about=payload.get("about", ""),
    )
    return Place(scope, draft, seal_for(scope, payload))


def _opened(spec: ScopeSpec, by: Actor) -> Scope:
    """Return a scope that a resolver names among those there are. Raises Invalid for nobody and no project."""
    if spec.level == "user" and find_subject(by.tenant, spec.user) is None:
        raise Invalid({"/scopes": "names a user never seen here"})
    if spec.level == "project" and find_project(by.tenant, spec.project) is None:
        raise Invalid({"/scopes": "names a project that is not here"})
    if spec.level not in ("user", "project"):
        raise Invalid({"/scopes": "a claim moves to a user or to a project"})
    return scopes.open_scope(spec, by=by)


def _merged(
    conflict: Conflict, resolution: Resolution, claims: Mapping[str, Claim], words: Mapping[str, Words], policy: Policy
) -> Sealed:
    held = next((words[id_] for id_, c in claims.items() if c.held_version), sealing.NO_WORDS)
    draft = Draft(scope=ScopeSpec(conflict.scope.level), kind="semantic", key=held.get("key", ""))
    draft = replace(draft, value=resolution.value, content=resolution.content)
    clean = judging.with_sentence(judging.redacted(draft, policy)[0], policy)
    return seal_for(conflict.scope, {**held, "value": clean.value, "content": clean.content, "quote": ""})


def seal_for(scope: Scope, words: Mapping[str, Any]) -> Sealed:
    """Return words sealed for a scope, without those that say nothing."""
    kept = {name: value for name, value in words.items() if value not in ("", [], None)}
    return sealing.seal(kept, tenant=scope.tenant_id, scope=scope.id, subject=scope.subject_id or "")


def _carry_out(w: Writing, conflict: Conflict, ready: Ready, by: Actor) -> list[tuple[str, int]]:
    """Write each step; what a claim is at its new place first, then the memory itself."""
    memory, wrote = conflict.memory, []
    for step in ready.todo:
        if step.act == "remember":
            wrote.append(_written(_remember(w, ready, step, by)))
            continue
        if step.act == "retract":
            memory = memories.retract(w, memory, tombstone(memory, by), expected=memory.latest)
        else:
            memory = memories.revise(w, memory, _revision(w, memory, ready, step, by), expected=memory.latest)
        wrote.append(_written(memory))
    return wrote


def _revision(w: Writing, memory: Memory, ready: Ready, step: Step, by: Actor) -> Statement:
    """Return the next version of the memory: a claim as it was made, or the words of the person; said now.

    Whether it accompanies every recall, and how long it is kept, is the memory's, whoever wins.
    """
    if step.claim == MERGED:
        assert ready.merged is not None
        w.keep(ready.merged)
        stated = replace(
            _stated(next(iter(ready.claims.values())), by), content=ready.merged.id, source_type="reviewer"
        )
    else:
        stated = _stated(ready.claims[step.claim], by)
    latest = memories.version_of(memory, memory.latest)
    bounded = (
        "until_date" if step.valid_to else "until_replaced" if stated.validity == "until_date" else stated.validity
    )
    return replace(
        stated,
        observed_at=timezone.now(),
        valid_from=step.valid_from,
        valid_to=step.valid_to,
        validity=bounded,
        key_rule=memory.key_rule,
        retention=latest.retention,
        always=latest.always,
        binding=latest.binding,
    )


def _remember(w: Writing, ready: Ready, step: Step, by: Actor) -> Memory:
    """Return a claim as a memory at its own place. Raises AlreadyExists when that is taken."""
    place = ready.places[step.claim]
    if judging.holding(place.scope, place.draft, ready.policy) is not None:
        raise AlreadyExists("Another memory has that key there; choose another key.")
    w.keep(place.sealed)
    rule = ready.policy.key_rule(place.draft.key)
    statement = replace(
        _stated(ready.claims[step.claim], by),
        content=place.sealed.id,
        key_rule=rule.id if rule else "",
        multi=ready.policy.is_multi(place.draft.key),
    )
    subjects = [place.scope.subject_id] if place.scope.subject_id else []
    return memories.remember(w, place.scope.id, statement, subjects=subjects)


def _written(memory: Memory) -> tuple[str, int]:
    return memory.id, memory.latest


def _stated(claim: Claim, by: Actor) -> Statement:
    """Return a claim as the next version that a resolution writes."""
    return Statement(
        content=claim.content_id or "",
        kind=claim.kind,
        source_type=claim.source_type,
        confidence=claim.confidence,
        reason="resolution",
        observed_at=claim.observed_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        validity=claim.validity,
        created_by=by.id,
        agent=claim.agent_id,
        candidate=claim.candidate,
        observation=claim.observation_id,
    )


def tombstone(memory: Memory, by: Actor, reason: str = "resolution") -> MemoryRetracted:
    """Return the tombstone that a resolution, or its reversal, writes."""
    return MemoryRetracted(
        number=0,
        kind=memory.kind,
        source_type="reviewer",
        reason=reason,
        observed_at=timezone.now(),
        agent=None,
        created_by=by.id,
        candidate="",
        observation=None,
    )
