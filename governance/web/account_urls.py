"""Addresses of one's own account and of the way in; names with underscores are looked up by allauth and Django."""

from allauth.account import views as allauth
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.contrib.auth import views as auth
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from governance.web import account, session

_RESET = "governance/account/"

own = [
    path("account/", account.account, name="account"),
    path("account/mail/", account.set_mail, name="set-mail"),
    path("account/password/", account.set_password, name="set-password"),
    path("account/sessions/end/", account.end_session, name="end-session"),
]
urlpatterns: list[URLPattern] = [
    *own,
    path("account/", account.account, name="mfa_index"),
    path("sign-in/", session.sign_in, name="account_login"),
    path("sign-in/code/", never_cache(mfa.authenticate), name="mfa_authenticate"),
    path("account/confirm/", never_cache(allauth.reauthenticate), name="account_reauthenticate"),
    path("account/confirm/code/", never_cache(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("account/authenticator/add/", never_cache(totp.activate_totp), name="mfa_activate_totp"),
    path("account/authenticator/remove/", never_cache(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/", account.account, name="mfa_list_webauthn"),
    path("account/key/add/", never_cache(webauthn.add_webauthn), name="mfa_add_webauthn"),
    path("account/key/<int:pk>/remove/", never_cache(webauthn.remove_webauthn), name="mfa_remove_webauthn"),
    path("account/confirm/key/", never_cache(webauthn.reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path("account/recovery-codes/", never_cache(recovery_codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "account/recovery-codes/new/",
        never_cache(recovery_codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "password/",
        auth.PasswordResetView.as_view(
            template_name=_RESET + "forgotten.html",
            email_template_name=_RESET + "mail.txt",
            subject_template_name=_RESET + "mail_subject.txt",
            form_class=account.ResetForm,
        ),
        name="password_reset",
    ),
    path(
        "password/sent/", auth.PasswordResetDoneView.as_view(template_name=_RESET + "sent.html"),
        name="password_reset_done",
    ),
    path(
        "password/<uidb64>/<token>/",
        auth.PasswordResetConfirmView.as_view(
            template_name=_RESET + "choose.html", form_class=account.ChosenPasswordForm
        ),
        name="password_reset_confirm",
    ),
    path(
        "password/done/", auth.PasswordResetCompleteView.as_view(template_name=_RESET + "done.html"),
        name="password_reset_complete",
    ),
]  # fmt: skip
