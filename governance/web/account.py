"""One's own account: password, mail address, sessions, second factor; and the way back in by mail."""

import hashlib
import re
from typing import Any

from allauth.account.utils import perform_login
from allauth.mfa.models import Authenticator
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import LoginView
from django.core.cache import cache
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Invalid
from governance.scopes import actions as scopes
from governance.scopes import sessions
from governance.web.desk import desk
from governance.web.forms import MESSAGES, Plain, SignInForm
from governance.web.htmx import DeskRequest, show
from governance.web.second_factor import keys_work_at

BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
MAIL_EVERY = 60  # seconds between two mails to one address


class SignIn(LoginView):
    """A name and a password; then the second factor, where there is one."""

    template_name = "governance/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = perform_login(self.request, form.get_user(), redirect_url=self.get_success_url())
        return response


def locked_out(request: HttpRequest, original_response: Any, credentials: Any) -> HttpResponse:
    """Say that too many sign-ins failed, and when to try again."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "governance/account/locked.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(minutes * 60)
    return response


@receiver(user_logged_in)
def _note_browser(sender: object, request: HttpRequest, **kwargs: object) -> None:
    request.session[sessions.BROWSER] = browser_of(request.META.get("HTTP_USER_AGENT", ""))
    request.session[sessions.STARTED] = timezone.now().isoformat()


def browser_of(agent: str) -> str:
    """Return what to call a browser: its name and its system, nothing that tells one apart from its like."""
    name = next((called for sign, called in BROWSERS if sign in agent), "A browser")
    system = next((called for sign, called in SYSTEMS if sign in agent), "")
    return f"{name} on {system}" if system else name


# --- the page ------------------------------------------------------------------------------------------------------


class MailForm(Plain):
    email = forms.EmailField(
        max_length=200, required=False, label="Mail address", help_text="Used for one thing: a new password."
    )


class NewPasswordForm(PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(self)


class ChosenPasswordForm(SetPasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(self)

    def save(self, commit: bool = True) -> User:
        return scopes.set_password(self.user, self.cleaned_data["new_password1"])


class ResetForm(PasswordResetForm):
    """Asks for a mail with a way back in; the answer is the same whoever asks for whom, and one address gets few."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(self)

    def save(self, *args: Any, **kwargs: Any) -> None:
        address = self.cleaned_data["email"].casefold()
        asked = "reset-" + hashlib.sha256(address.encode()).hexdigest()[:32]
        if cache.add(asked, 1, MAIL_EVERY):
            super().save(*args, **kwargs)


def _dress(form: Any) -> None:
    for name, field in form.fields.items():
        field.widget.attrs["class"] = "form-control"
        field.widget.attrs.pop("autofocus", None)
        if name == "new_password1":
            field.help_text = "At least ten characters, and not a common one."
        field.error_messages.update({k: v for k, v in MESSAGES.items() if k in field.error_messages})


def _person(request: DeskRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


@desk()
def account(request: DeskRequest) -> HttpResponse:
    person = _person(request)
    factors = list(Authenticator.objects.filter(user=person).order_by("pk"))
    codes = next((f for f in factors if f.type == Authenticator.Type.RECOVERY_CODES), None)
    context = {
        "mail": MailForm(request.POST if "email" in request.POST else None, initial={"email": person.email}),
        "password": NewPasswordForm(person, request.POST if "old_password" in request.POST else None),
        "sessions": sessions.sessions_of(person.pk),
        "here": sessions.reference(request.session.session_key or ""),
        "authenticator": next((f for f in factors if f.type == Authenticator.Type.TOTP), None),
        "security_keys": [f for f in factors if f.type == Authenticator.Type.WEBAUTHN],
        "keys_work": keys_work_at(request.get_host(), secure=request.is_secure()),
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
    }
    return show(request, "governance/account/page.html", context)


@require_POST
@desk(again=account)
def set_mail(request: DeskRequest) -> HttpResponse:
    scopes.set_mail(_person(request), MailForm(request.POST).clean_values()["email"])
    messages.success(request, "The mail address was saved.")
    return redirect("account")


@require_POST
@desk(again=account)
def set_password(request: DeskRequest) -> HttpResponse:
    """Set a new password; every other session of this person ends."""
    person = _person(request)
    form = NewPasswordForm(person, request.POST)
    if not form.is_valid():
        raise Invalid({f"/{name}": " ".join(map(str, errors)) for name, errors in form.errors.items()})
    scopes.set_password(person, form.cleaned_data["new_password1"], session=request.session.session_key or "")
    update_session_auth_hash(request, person)
    messages.success(request, "The password was changed; other sessions have ended.")
    return redirect("account")


@require_POST
@desk(again=account)
def end_session(request: DeskRequest) -> HttpResponse:
    """End one of one's own sessions, or all but this one."""
    ref = request.POST.get("session", "")
    refs = {ref} if re.fullmatch("[0-9a-f]{24}", ref) else None if ref == "others" else set()
    ended = sessions.end(_person(request).pk, refs=refs, but=request.session.session_key or "")
    messages.success(request, gettext("Sessions ended: %s") % ended)
    return redirect("account")
