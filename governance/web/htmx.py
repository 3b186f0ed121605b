"""One view, two answers: the whole page, or the part of it that htmx swaps."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from governance.candidates import waiting
from governance.conflicts import queries as conflicts
from governance.erasure import queries as erasure
from governance.overview.queries import counted
from governance.scopes.models import Tenant
from governance.scopes.queries import tenants_of
from governance.scopes.rules import ROLE_PERMITS, Actor


class DeskRequest(HttpRequest):
    """A request that `desk` has let in: who asks, in which tenant."""

    actor: Actor
    tenant: Tenant
    htmx: Any


def page_or_fragment(
    request: HttpRequest, page: str, fragment: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return the fragment to htmx, the page that includes it to everybody else."""
    if wants_fragment(request):
        return render(request, fragment, context | _asking(request) | {"is_fragment": True}, status=status)
    return show(request, page, context, status=status)


def show(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """Return a whole page inside the frame."""
    return render(
        request, template, context | _asking(request) | _frame(request, context.get("pending")), status=status
    )


def wants_fragment(request: HttpRequest) -> bool:
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def _asking(request: HttpRequest) -> dict[str, Any]:
    """Return what every template may ask of the one who asks: permissions, and the refusal being answered."""
    actor: Actor | None = getattr(request, "actor", None)
    roles = actor.roles if actor else frozenset()
    return {
        "permits": frozenset().union(*(ROLE_PERMITS[r] for r in roles)),
        "problem": getattr(request, "problem", None),
    }


def _frame(request: HttpRequest, pending: int | None = None) -> dict[str, Any]:
    actor: Actor | None = getattr(request, "actor", None)
    if actor is None:
        return {}
    if pending is None:
        pending = counted(waiting.queue(actor)) if actor.may("see-queue") else 0
    unsettled = counted(conflicts.unsettled(actor)) if actor.may("see-memories") else 0
    return {
        "tenant": getattr(request, "tenant", None),
        "tenants": tenants_of(request.user),  # type: ignore[arg-type]
        "pending": pending,
        "unsettled": unsettled,
        "places": _places(actor),
        "forgetting": erasure.waiting_for_people(actor) if actor.may("see-log") else 0,
    }


# Page -> its name, its icon, the permission it needs ("": none).
PLACES = (
    ("dashboard", "Dashboard", "layout-dashboard", ""),
    ("review-queue", "Review", "inbox", "see-queue"),
    ("proposals", "All proposals", "list-details", "see-queue"),
    ("review-quality", "Quality of review", "scale", "see-queue"),
    ("conflicts", "Conflicts", "git-merge", "see-memories"),
    ("memories", "Memories", "database", "see-memories"),
    ("recalls", "Recalls", "quote", "see-memories"),
    ("binding-rules", "Binding rules", "shield-lock", "see-memories"),
    ("workbench", "Workbench", "bulb", "act-as-agent"),
    ("agents", "Agents & keys", "robot", "manage-agents"),
    ("roles", "Roles", "users-group", "manage-roles"),
    ("forget-requests", "Forget requests", "eye-off", "see-log"),
    ("policy", "Policy", "scale", ""),
    ("audit-log", "Audit log", "timeline", "see-log"),
    ("people", "A person's rights", "user", "erase"),
    ("retention", "Retention", "archive", "see-log"),
    ("ledger", "Ledger", "shield-check", "see-log"),
    ("index-work", "Index lag", "hourglass", ""),
)


def _places(actor: Actor) -> list[dict[str, str]]:
    """Return the pages that somebody may open: what the palette lists."""
    return [
        {"url": reverse(name), "text": text, "icon": icon}
        for name, text, icon, permission in PLACES
        if not permission or actor.may(permission)
    ]
