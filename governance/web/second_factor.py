"""How second factors are kept and named; the flows themselves are django-allauth's."""

import base64
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest
from fido2.webauthn import RegistrationResponse

from governance.ledger.master import derive


def _box() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(derive(settings.MASTER_KEY, b"second-factor")))


class SecondFactor(DefaultMFAAdapter):
    """Secrets of authenticators are kept encrypted under a key of the master key, which the database does not hold."""

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _box().decrypt(encrypted_text.encode()).decode()

    def get_totp_issuer(self) -> str:
        return "Memory governance"

    def generate_authenticator_name(self, user: AbstractUser, type: Authenticator.Type) -> str:
        """Return the number of a person's next security key: one more than their highest."""
        taken = Authenticator.objects.filter(user_id=user.pk, type=type).values_list("data__name", flat=True)
        return str(1 + max((int(name) for name in taken), default=0))

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return super().get_public_key_credential_rp_entity() | {"name": "Memory governance"}


class AddKey(AddWebAuthnForm):
    """Takes a security key and numbers it: nothing that somebody types is kept with it."""

    def clean_credential(self) -> dict[str, Any]:
        """Return what a key answered. Raises ValidationError for what no key answers: the library parses it unasked."""
        credential: dict[str, Any] = self.cleaned_data["credential"]
        try:
            RegistrationResponse.from_dict(credential)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise SecondFactor().validation_error("incorrect_code") from None
        return credential

    def clean_name(self) -> str:
        return str(SecondFactor().generate_authenticator_name(self.user, Authenticator.Type.WEBAUTHN))


def keys_work_at(host: str, *, secure: bool) -> bool:
    """Return whether browsers let a page of this host ask for a security key: https under a name, or http://localhost.

    Web Authentication Level 2, 5.1.2: the effective domain is a valid domain, never an IP address.
    """
    name = host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
    return name == "localhost" or (secure and not _is_address(name.strip("[]")))


def _is_address(name: str) -> bool:
    return ":" in name or name.replace(".", "").isdigit()


class Members(DefaultAccountAdapter):
    """Nobody signs up: administrators make members. What allauth would say in passing is said by the pages."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        return None

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        return None
