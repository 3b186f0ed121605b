"""Signing in and out, and the tenant one works in."""

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.contrib.auth.views import LogoutView
from django.dispatch import receiver
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.errors import NotFound
from governance.scopes.queries import tenants_of
from governance.web.account import SignIn
from governance.web.desk import TENANT, desk
from governance.web.htmx import DeskRequest

sign_in = never_cache(SignIn.as_view())
sign_out = never_cache(LogoutView.as_view())


@receiver(user_logged_out)
def _give_back(sender: object, user: User | None, **kwargs: object) -> None:
    """Whoever signs out holds no item of the queue any more."""
    if user is not None:
        actions.release_all(f"member:{user.pk}")


@require_POST
@desk()
def switch_tenant(request: DeskRequest) -> HttpResponse:
    """Work in another tenant from now on. Raises NotFound for one without a role of mine."""
    wanted = request.POST.get("tenant", "")
    if wanted not in {t.id for t in tenants_of(request.user)}:  # type: ignore[arg-type]
        raise NotFound()
    request.session[TENANT] = wanted
    return redirect("dashboard")
