"""Who asks: the key in the header, and nothing else."""

from dataclasses import dataclass

from django.core.cache import cache
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from governance.errors import NotSignedIn
from governance.scopes import queries, use
from governance.scopes.rules import Actor

NOTED_EVERY = 60  # seconds between two notes of a key's use


@dataclass(frozen=True)
class Caller:
    """What the framework sees of an actor."""

    actor: Actor
    is_authenticated: bool = True


class KeyAuthentication(BaseAuthentication):
    """Takes `Authorization: Bearer mgv_…`; anything else in that header is refused."""

    def authenticate(self, request: Request) -> tuple[Caller, Actor] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, text = header.partition(" ")
        if scheme.lower() != "bearer":
            raise NotSignedIn()
        actor = queries.actor_of_key(text.strip())
        if cache.add(f"key-used:{actor.key}", 1, NOTED_EVERY):
            use.note_use(actor.key)
        return Caller(actor), actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def actor_of(request: Request) -> Actor:
    """Return who holds the key of a request."""
    assert isinstance(request.auth, Actor)
    return request.auth
