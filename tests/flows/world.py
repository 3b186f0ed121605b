"""The product as its users meet it: agents over HTTP with a real key, people in a browser's session."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from rest_framework.test import APIClient

from governance.ledger.outbox import drain
from governance.scopes import actions as scopes
from governance.scopes.models import Tenant
from governance.scopes.rules import Grant, default_grants

PASSWORD = "a-long-enough-word"


class Agent:
    """An agent as a program: it holds a key and speaks HTTP.

    The sentinel of its world goes along in what no test looks at: user and session ids, source, tags and context.
    """

    def __init__(self, key: str, sentinel: str = "") -> None:
        self.key = key
        self.sentinel = sentinel
        self.http = APIClient()
        self.http.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")

    def again(self) -> "Agent":
        """Return the same agent with a connection of its own, for another thread."""
        return Agent(self.key, self.sentinel)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Return the response, whatever its status."""
        named = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        call = getattr(self.http, method.lower())
        if body is None:
            return call(f"/api/v1/{path}", **named)
        return call(f"/api/v1/{path}", self._marked(body), format="json", **named)

    def _marked(self, body: Any) -> Any:
        """Return a body whose user and session ids carry the sentinel."""
        if not self.sentinel:
            return body
        if isinstance(body, Mapping):
            names = ("user", "session")
            return {
                k: f"{v}-{self.sentinel}" if k in names and isinstance(v, str) and v else self._marked(v)
                for k, v in body.items()
            }
        return [self._marked(item) for item in body] if isinstance(body, list) else body

    def ask(self, method: str, path: str, body: Any = None, *, status: int = 200, **headers: str) -> Any:
        """Return the answer's body; anything but the expected status fails the test."""
        response = self.send(method, path, body, **headers)
        assert response.status_code == status, response.content.decode()
        return response.json()

    def observe(self, user: str, text: str, *, role: str = "user", at: datetime | None = None, **more: Any) -> dict:
        body = {"role": role, "text": text, "source_ref": self.sentinel, **({"user": user} if user else {}), **more}
        if at is not None:
            body["occurred_at"] = at.isoformat()
        return self.ask("post", "observations", body, status=201)

    def propose(self, scope: Mapping[str, str], *, status: int = 201, **draft: Any) -> dict:
        marks = {"source_ref": self.sentinel, "tags": [self.sentinel], "context": self.sentinel}
        return self.ask("post", "candidates", {"scope": scope, "kind": "semantic", **marks, **draft}, status=status)

    def state(
        self,
        user: str,
        text: str,
        *,
        scope: Mapping[str, str] | None = None,
        said: Mapping[str, Any] = {},
        **draft: Any,
    ) -> dict:
        """Observe what a user said without the rules, and propose from it what a model would, quoting all of it."""
        heard = self.observe(user, text, extract=False, **said)
        evidence = {"observation": heard["id"], "quote": text}
        scope = scope or {"level": "user", "user": user}
        return self.propose(scope, **{"source_type": "user_explicit", "evidence": evidence, **draft})

    def recall(self, *, status: int = 200, **question: Any) -> dict:
        drain_all()
        return self.ask("post", "recall", question, status=status)

    def values(self, **question: Any) -> list[Any]:
        """Return the values of what is recalled, in order."""
        return [m["value"] for m in self.recall(**question)["memories"]]

    def versions(self, memory: str) -> list[dict]:
        return self.ask("get", f"memories/{memory}/versions")["results"]


class Person:
    """A member signed in to the pages."""

    def __init__(self, tenant: Tenant, username: str, *roles: str) -> None:
        for role in roles:
            scopes.add_member(tenant, username, role, password=PASSWORD)
        self.username = username
        self.http = Client()

    def sign_in(self) -> None:
        response = self.http.post("/sign-in/", {"username": self.username, "password": PASSWORD})
        assert response.status_code == 302, response.status_code

    def approve(self, candidate: str) -> None:
        """Approve an item; when what it would change has moved meanwhile, look again and approve that."""
        response = self.decide(candidate, "approve")
        if response.status_code == 409:
            response = self.decide(candidate, "approve")
        assert response.status_code == 302, response.content.decode()

    def reject(self, candidate: str, reason: str, note: str = "") -> None:
        response = self.decide(candidate, "reject", reason=reason, note=note)
        assert response.status_code == 302, response.content.decode()

    def decide(self, candidate: str, what: str, **fields: str) -> Any:
        """Open an item and send one of its forms."""
        version = version_field(self.page(f"/review/{candidate}/"))
        return self.http.post(f"/review/{candidate}/{what}/", {"version": version, **fields})

    def page(self, path: str) -> str:
        response = self.http.get(path)
        assert response.status_code == 200, (path, response.status_code)
        return response.content.decode()


class World:
    """A tenant with its administrator; agents are made on demand."""

    def __init__(self, name: str = "acme", sentinel: str = "") -> None:
        self.sentinel = sentinel
        self.tenant = scopes.create_tenant(name)
        self.owner: User = scopes.first_administrator(self.tenant)

    def agent(
        self,
        name: str = "assistant",
        *,
        more: Sequence[str] = (),
        users: list[str] | None = None,
        sources: Sequence[str] = (),
    ) -> Agent:
        """Return an agent with the default grants and some actions more."""
        levels = ("session", "user", "agent", "project")
        grants = (*default_grants(), *(Grant(action, level) for action in more for level in levels))
        made = scopes.create_agent(self.tenant, name, owner=self.owner)
        return Agent(scopes.issue_key(made, grants=grants, users=users, sources=sources)[1], self.sentinel)

    def person(self, username: str, *roles: str) -> Person:
        person = Person(self.tenant, username, *roles)
        person.sign_in()
        return person


def drain_all() -> None:
    """Let the worker's work be done."""
    while drain():
        pass


def version_field(page: str) -> str:
    """Return the version that a form on a page sends along."""
    match = re.search(r'name="(?:version|expected_version)"[^>]*value="(\d+)"', page)
    assert match, "no version in the form"
    return match[1]
