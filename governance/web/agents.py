"""Agents, and the keys they come with."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.scopes import actions
from governance.scopes.models import ApiKey
from governance.scopes.queries import agent_of, agents_of, key_of, keys_of, memberships_of, projects_of, users_of
from governance.web.desk import desk
from governance.web.forms import AgentForm, KeyForm
from governance.web.htmx import DeskRequest, show
from governance.web.tags import spaced


@desk("manage-agents")
def listed(request: DeskRequest) -> HttpResponse:
    owners = {m.user.pk: m.user.username for m in memberships_of(request.tenant.id)}
    form = AgentForm(request.POST if "name" in request.POST else None, owners=owners.items())
    form.fields["owner"].initial = str(request.user.pk)
    return show(request, "governance/agents/page.html", {"agents": agents_of(request.tenant.id), "form": form})


@require_POST
@desk("manage-agents", again=listed)
def create(request: DeskRequest) -> HttpResponse:
    people = {str(m.user.pk): m.user for m in memberships_of(request.tenant.id)}
    form = AgentForm(request.POST, owners=((u.pk, u.username) for u in people.values()))
    said = form.clean_values()
    agent = actions.create_agent(request.tenant, said["name"], owner=people[said["owner"]], by=request.actor.id)
    messages.success(request, "The agent was created; give it a key.")
    return redirect("agent", id=agent.id)


@desk("manage-agents")
def detail(request: DeskRequest, id: str, secret: str = "") -> HttpResponse:
    agent = agent_of(request.tenant.id, id)
    keys = keys_of(agent)
    projects = projects_of(request.tenant.id)
    users = users_of(u for k in keys for u in k.users or ())
    context = {
        "agent": agent,
        "keys": [_shown(k, projects, users) for k in keys],
        "secret": secret,
        "form": KeyForm(
            request.POST if "levels" in request.POST and not secret else None, projects=list(projects.items())
        ),
    }
    return show(request, "governance/agents/detail.html", context)


def _shown(key: ApiKey, projects: dict[str, str], users: dict[str, str]) -> dict[str, Any]:
    """Return a key with its grants as one line for each level, and its people by name."""
    by_level: dict[str, list[str]] = {}
    for action, level, project in key.grants:
        where = gettext("project {name}").format(name=projects.get(project, project)) if project else spaced(level)
        by_level.setdefault(where, []).append(action)
    lines: dict[tuple[str, ...], list[str]] = {}
    for where, granted in by_level.items():
        lines.setdefault(tuple(granted), []).append(where)
    return {
        "row": key,
        "grants": list(lines.items()),
        "users": None if key.users is None else [users.get(u, "erased") for u in key.users],
        "expired": key.expires_at is not None and key.expires_at <= timezone.now(),
        "used_at": key.use.last_used_at if hasattr(key, "use") else None,
    }


@require_POST
@desk("manage-agents", again=detail)
def issue(request: DeskRequest, id: str) -> HttpResponse:
    """Issue a key; its text is on this answer and nowhere else."""
    agent = agent_of(request.tenant.id, id)
    form = KeyForm(request.POST, projects=list(projects_of(request.tenant.id).items()))
    said = form.clean_values()
    _, secret = actions.issue_key(
        agent,
        by=request.actor.id,
        grants=form.grants(),
        users=form.bound_users(),
        sources=said["sources"],
        expires_at=said["expires"],
    )
    return detail(request, id=id, secret=secret)


@require_POST
@desk("manage-agents", again=detail)
def revoke(request: DeskRequest, id: str) -> HttpResponse:
    key = key_of(agent_of(request.tenant.id, id), request.POST.get("key", ""))
    actions.revoke_key(key, by=request.actor)
    messages.success(request, "The key was revoked; it is refused from now on.")
    return redirect("agent", id=id)


@require_POST
@desk("manage-agents", again=detail)
def suspend(request: DeskRequest, id: str) -> HttpResponse:
    agent = agent_of(request.tenant.id, id)
    wanted = request.POST.get("suspended") == "yes"
    actions.suspend_agent(agent, wanted, by=request.actor)
    messages.success(request, "Its keys are refused from now on." if wanted else "Its keys are accepted again.")
    return redirect("agent", id=id)
