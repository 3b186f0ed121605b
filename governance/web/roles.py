"""Who may do what in a tenant."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.scopes import actions
from governance.scopes.queries import membership_of, memberships_of, person_named, projects_of
from governance.scopes.rules import ROLE_PERMITS
from governance.web.desk import desk
from governance.web.forms import RoleForm
from governance.web.htmx import DeskRequest, show

MEANS = {
    "reviewer": "decides what agents propose",
    "resolver": "settles what contradicts itself",
    "compliance": "answers requests to forget",
    "auditor": "reads the log; opens words one by one",
    "administrator": "sets rules, agents, keys and roles",
    "operator": "runs the installation",
}


@desk("manage-roles")
def listed(request: DeskRequest) -> HttpResponse:
    projects = projects_of(request.tenant.id)
    rows = memberships_of(request.tenant.id)
    people: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        only = None if row.projects is None else [projects.get(p, p) for p in row.projects]
        people.setdefault(row.user.username, []).append({"row": row, "projects": only})
    context = {
        "people": people,
        "means": [(role, MEANS[role]) for role in ROLE_PERMITS],
        "form": RoleForm(request.POST if "username" in request.POST else None, projects=list(projects.items())),
    }
    return show(request, "governance/roles/page.html", context)


@require_POST
@desk("manage-roles", again=listed)
def grant(request: DeskRequest) -> HttpResponse:
    said = RoleForm(request.POST, projects=list(projects_of(request.tenant.id).items())).clean_values()
    person = person_named(said["username"])
    only = said["projects"] if said["role"] == "reviewer" and said["projects"] else None
    actions.grant_role(request.tenant, person, said["role"], projects=only, by=request.actor.id)
    messages.success(request, "The role holds from the next request on.")
    return redirect("roles")


@require_POST
@desk("manage-roles", again=listed)
def withdraw(request: DeskRequest) -> HttpResponse:
    membership = membership_of(request.tenant.id, request.POST.get("membership", ""))
    actions.withdraw_role(membership, by=request.actor)
    messages.success(request, "The role was withdrawn.")
    return redirect("roles")
