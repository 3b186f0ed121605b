"""The way into every desk: signed in, in a tenant, with a role that permits it; nothing of it is kept by a browser."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect

from governance.errors import NotAllowed, VersionMissing
from governance.scopes.models import Tenant
from governance.scopes.queries import actor_of_member, tenants_of
from governance.web.htmx import wants_fragment
from governance.web.text import whole

View = Callable[..., HttpResponse]
SEEN_EVERY = 300  # seconds
TENANT = "tenant"  # where the session keeps the tenant's id


def desk(permission: str = "", *, again: View | None = None) -> Callable[[View], View]:
    """Let a view in only for people whose roles permit it, read anew at each request.

    A refused POST is answered with the view `again`: the page as it is now, the refusal above it.
    """

    def wrap(view: View) -> View:
        @wraps(view)
        def entered(request: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return _to_the_door(request)
            _note_seen(request)
            request.tenant = _tenant(request)
            request.actor = actor_of_member(request.user, request.tenant.id)
            if permission and not request.actor.may(permission):
                raise NotAllowed("None of your roles in this tenant permits this.")
            with timezone.override(ZoneInfo(request.tenant.zone)):
                response = view(request, **kwargs)
            add_never_cache_headers(response)
            response["Cache-Control"] = "no-store, private"
            return response

        entered.again = again  # type: ignore[attr-defined]
        return entered

    return wrap


def _note_seen(request: HttpRequest) -> None:
    """Have the session saved now and then, which notes when it was last used."""
    now = int(time.time())
    if now - request.session.get("seen", 0) > SEEN_EVERY:
        request.session["seen"] = now


def _to_the_door(request: HttpRequest) -> HttpResponse:
    if wants_fragment(request):
        return HttpResponseClientRedirect(resolve_url("sign-in"))
    back = request.get_full_path() if request.method == "GET" else page_of_form(request) or resolve_url("dashboard")
    return redirect_to_login(back)


def page_of_form(request: HttpRequest) -> str:
    """Return the address of the page whose form is sent to this address; "" when there is none of its own."""
    match = request.resolver_match
    again = getattr(match.func, "again", None) if match else None
    if match is None or again is None:
        return ""
    try:
        path = reverse(again, kwargs=match.kwargs)
    except NoReverseMatch:  # the form is about one thing on a page of many
        path = reverse(again)
    query = request.META.get("QUERY_STRING", "")
    return f"{path}?{query}" if query else path


def _tenant(request: HttpRequest) -> Tenant:
    """Return the tenant chosen in this session, else the first one with a role. Raises NotAllowed without any."""
    tenants = tenants_of(request.user)  # type: ignore[arg-type]
    if not tenants:
        raise NotAllowed("You have no role in any tenant yet; ask an administrator for one.")
    chosen = request.session.get(TENANT)
    return next((t for t in tenants if t.id == chosen), tenants[0])


def version_of(request: HttpRequest, name: str = "version") -> int:
    """Return the version of the item that was on the screen. Raises VersionMissing."""
    version = whole(request.POST.get(name, ""))
    if version is None:
        raise VersionMissing("The form did not say which version it shows; open the item again.")
    return version
