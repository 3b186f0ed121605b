"""What the desks are tried on: people with roles, and proposals that wait for them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.conflicts.models import Conflict
from governance.scopes import actions as scopes
from governance.scopes.models import Tenant
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Actor, ScopeSpec

PASSWORD = "a-long-enough-one"


def a_member(tenant: Tenant, name: str, *roles: str, projects: list[str] | None = None) -> Actor:
    """Return a person with roles in a tenant, as an actor."""
    known = User.objects.filter(username=name).exists()  # a password set anew would end their sessions
    for role in roles:
        scopes.add_member(tenant, name, role, password=None if known else PASSWORD, projects=projects)
        known = True
    return actor_of_member(User.objects.get(username=name), tenant.id)


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def a_proposal(
    by: Actor,
    content: str = "Ann works at night.",
    *,
    said: str = "",
    quote: str = "",
    user: str = "ann",
    **fields: Any,
) -> Candidate:
    """Return what an agent guesses, waiting for a person; with `said`, resting on a turn."""
    heard = candidates.observe(Said(role="user", text=said, user=user, extract=False), by=by) if said else None
    draft = Draft(
        scope=fields.pop("scope", None) or ScopeSpec("user", user=user),
        kind=fields.pop("kind", "semantic"),
        key=fields.pop("key", "profile.working_hours"),
        value=fields.pop("value", content),
        content=content,
        observation=heard.observation.id if heard else fields.pop("observation", ""),
        quote=quote or said,
        **fields,
    )
    return candidates.propose(draft, by=by)


def a_conflict(by: Actor, key: str = "environment.prod.database", user: str = "ann", **fields: Any) -> Conflict:
    """Return a conflict: the user said PostgreSQL, a tool has since found MySQL; neither leads in both."""
    sides = (("PostgreSQL", "user_explicit", "user", 20), ("MySQL", "tool_result", "tool", 2))
    source = replace(by, sources=frozenset({"tool_result"}))
    for value, source_type, role, days in sides:
        text = f"We always use {value} in production, by the way."
        at = timezone.now() - timedelta(days=days)
        said = Said(role=role, text=text, user=user, extract=False, occurred_at=at)
        heard = candidates.observe(said, by=source).observation
        draft = Draft(
            scope=ScopeSpec("user", user=user),
            kind="semantic",
            key=key,
            value=value,
            source_type=source_type,
            source_ref="scan@7" if role == "tool" else "",
            observation=heard.id,
            quote=f"use {value} in production",
            **fields,
        )
        last = candidates.propose(draft, by=source)
    return Conflict.objects.get(pk=last.conflict)


def some_proposals(by: Actor, n: int) -> list[Candidate]:
    return [a_proposal(by, f"Ann likes number {i}.", key=f"preference.number.n{i}", value=i) for i in range(n)]
