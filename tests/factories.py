"""What a test starts from: a tenant, agents with their actors, and memories written as the product writes them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from governance.conflicts import actions as conflicts
from governance.conflicts.models import Conflict
from governance.ledger import sealing
from governance.ledger.outbox import drain
from governance.ledger.writing import writing
from governance.memories import actions as memories
from governance.memories.events import MemoryRetracted
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.policies.rules import normalise_key
from governance.scopes import actions as scopes
from governance.scopes import queries
from governance.scopes.models import LEVELS, Tenant
from governance.scopes.rules import Actor, Grant, ScopeSpec

_numbers = count(1)
EVERYWHERE = tuple(Grant(a, level) for a in ("observe", "propose", "recall") for level in LEVELS)


def a_tenant(name: str = "") -> Tenant:
    scopes.ensure_system_tenant()
    return scopes.create_tenant(name or f"tenant-{next(_numbers)}")


def an_agent(tenant: Tenant, *, grants: Sequence[Grant] = EVERYWHERE, users: Sequence[str] | None = None) -> Actor:
    """Return an agent of a tenant as an actor."""
    number = next(_numbers)
    owner = User.objects.create_user(f"owner-{number}")
    scopes.grant_role(tenant, owner, "administrator")
    agent = scopes.create_agent(tenant, f"agent-{number}", owner=owner)
    key, _ = scopes.issue_key(agent, grants=grants, users=users)
    return queries.agent_actor(agent, key)


def a_memory(
    by: Actor,
    content: str,
    *,
    key: str = "",
    value: Any = None,
    kind: str = "semantic",
    observed_at: datetime | None = None,
    scope: ScopeSpec | None = None,
    words: dict[str, Any] | None = None,
    **stated: Any,
) -> Memory:
    """Return a memory in force; by default of the user "ann"."""
    found = scopes.open_scope(scope or ScopeSpec(level="user", user="ann"), by=by)
    statement = _statement(by, found.id, content, key, value, kind, observed_at, words or {}, stated)
    with writing(by.tenant, by=by.id) as w:
        statement.pop("sealed").row().save(force_insert=True)
        return memories.remember(w, found.id, memories.Statement(**statement))


def revised(by: Actor, memory: Memory, content: str, *, key: str = "", value: Any = None, **stated: Any) -> Memory:
    """Return the memory with a new version."""
    observed_at = stated.pop("observed_at", None)
    statement = _statement(by, memory.scope_id, content, key, value, memory.kind, observed_at, {}, stated)
    statement["reason"] = "correction"
    with writing(by.tenant, by=by.id) as w:
        statement.pop("sealed").row().save(force_insert=True)
        return memories.revise(w, memory, memories.Statement(**statement), expected=memory.latest)


def a_conflict(by: Actor, memory: Memory, value: Any) -> Conflict:
    """Return the conflict in which another value is claimed for a memory's key."""
    held = memory.versions.get(number=memory.latest)
    words = sealing.unseal([held.content_id])[held.content_id]
    sealed = sealing.seal({**words, "value": value}, tenant=by.tenant, scope=memory.scope_id)
    question = sealing.seal({"question": "Which of them holds?"}, tenant=by.tenant, scope=memory.scope_id)
    said = {"held_version": None, "observed_at": timezone.now(), "agent": by.agent or None, "made_by": by.id}
    claim = replace(conflicts.held_claim(held), content=sealed.id, **said)
    with writing(by.tenant, by=by.id) as w:
        w.keep(sealed)
        rival = conflicts.held_claim(held)
        return conflicts.contest(w, memory, rival, claim, rule="undecided-trust", question=question)


def retracted(by: Actor, memory: Memory) -> Memory:
    tombstone = MemoryRetracted(
        number=0,
        kind=memory.kind,
        source_type="user_explicit",
        reason="delete-request",
        observed_at=timezone.now(),
        agent=by.agent,
        created_by=by.id,
        candidate="",
        observation=None,
    )
    with writing(by.tenant, by=by.id) as w:
        return memories.retract(w, memory, replace(tombstone), expected=memory.latest)


def a_project(by: Actor, name: str, *, members: Sequence[str] = ()) -> str:
    """Return the id of a project as callers know it, its members taking part."""
    manager = replace(by, grants=by.grants | {Grant("manage", "project")})
    scopes.put_project(name, by=manager)
    for member in members:
        scopes.set_participant(name, member, True, by=manager)
    return name


def indexed() -> None:
    """Bring the index up to date."""
    while drain("index"):
        pass


def _statement(
    by: Actor,
    scope: str,
    content: str,
    key: str,
    value: Any,
    kind: str,
    observed_at: datetime | None,
    words: dict[str, Any],
    stated: dict[str, Any],
) -> dict[str, Any]:
    key = normalise_key(key) if key else ""
    payload = {"content": content, "key": key, "value": value if value is not None else content, **words}
    sealed = sealing.seal(payload, tenant=by.tenant, scope=scope)
    rule = policies.current(by.tenant).key_rule(key) if key else None
    return {
        "sealed": sealed,
        "content": sealed.id,
        "kind": kind,
        "source_type": "user_explicit",
        "confidence": 0.9,
        "reason": "created",
        "observed_at": observed_at or timezone.now() - timedelta(minutes=1),
        "valid_from": None,
        "valid_to": None,
        "validity": "permanent",
        "created_by": by.id,
        "agent": by.agent,
        "key_rule": rule.id if rule else "",
        "multi": bool(rule and rule.cardinality == "multi"),
        **stated,
    }
