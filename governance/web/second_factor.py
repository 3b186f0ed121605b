"""How second factors are kept and named; the flows themselves are django-allauth's."""

import base64
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.http import HttpRequest

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


class Members(DefaultAccountAdapter):
    """Nobody signs up: administrators make members. What allauth would say in passing is said by the pages."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        return None

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        return None
