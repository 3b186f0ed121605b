"""Words that want to be markup, in every field through which words reach a page: they are shown, and do nothing."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from governance.candidates.models import Candidate
from governance.lifecycle.actions import Covered, place_hold
from governance.memories.models import Memory
from governance.policies.actions import publish
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes import actions as scopes
from governance.scopes.models import Tenant
from governance.scopes.queries import agent_actor
from governance.scopes.rules import Actor, ScopeSpec
from tests.browser.crawl import every_page
from tests.factories import EVERYWHERE, a_conflict, a_memory, a_project, indexed, revised
from tests.web.people import a_member, a_proposal, signed_in


def attack(name: str) -> str:
    """Return what closes an attribute and a tag, and what a template or htmx would act upon; it can be told apart."""
    return f"""at-{name}"'><b got-in hx-get="/x">{{{{7|add:7}}}}"""


class Seen(HTMLParser):
    """Reads pages: which attacks were shown as text, where one became part of a page, and what has a name twice."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: set[str] = set()
        self.broken: list[str] = []
        self.address = ""
        self.ids: set[str | None] = set()

    def read(self, address: str, response) -> None:
        page, self.address = response.content.decode(), address
        assert response.status_code == 200, address
        assert "unsafe" not in response["Content-Security-Policy"], address
        self.ids = set()
        self.reset()
        self.feed(page)
        self.shown |= set(re.findall(r"at-([a-z-]+)&quot;&#x27;&gt;&lt;b", page))

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        scripted = tag == "script" and not held.get("src") or any(name.startswith("on") for name in held)
        if "got-in" in held or held.get("hx-get") == "/x" or scripted or "style" in held:
            self.broken.append(f"{self.address}: <{tag}> {held}")
        if held.get("id") in self.ids:
            self.broken.append(f"{self.address}: a second {held['id']}")
        self.ids |= {held["id"]} if "id" in held else set()

    def handle_data(self, data):
        if 'hx-get="/x">14' in data:
            self.broken.append(f"{self.address}: {data}")


@pytest.fixture
def tenant(db) -> Tenant:
    scopes.ensure_system_tenant()
    return scopes.create_tenant(attack("tenant"))


@pytest.fixture
def rita(tenant: Tenant) -> Actor:
    return a_member(tenant, "rita", "reviewer", "administrator", "resolver", "compliance")


@pytest.fixture
def agent(tenant: Tenant, rita: Actor) -> Actor:
    made = scopes.create_agent(tenant, attack("agent"), owner=User.objects.get(username="rita"))
    return agent_actor(made, scopes.issue_key(made, grants=EVERYWHERE, users=[attack("user")])[0])


def proposed(agent: Actor) -> Candidate:
    words = {name: attack(name) for name in ("context", "about", "note")}
    return a_proposal(
        agent,
        attack("content"),
        said=attack("said"),
        user=attack("user"),
        key=f"note.{attack('key')}",
        value=attack("value"),
        source_ref=attack("source-ref"),
        tags=(attack("tag"),),
        **words,
    )


def remembered(agent: Actor) -> Memory:
    words = {"context": attack("memory-context"), "tags": [attack("memory-tag")], "note": attack("memory-note")}
    scope = ScopeSpec("user", user=attack("user"))
    key = f"fact.{attack('memory-key')}"
    return a_memory(agent, attack("memory-first"), key=key, scope=scope, value=attack("memory-value"), words=words)


def sent(browser: Client, address: str, **said) -> str:
    """Send a form that is taken, and return where it leads."""
    answer = browser.post(address, said)
    assert answer.status_code in (200, 302), (address, answer.status_code, answer.content.decode()[:2000])
    return answer.headers.get("Location", address)


def addresses(agent: Actor, rita: Actor) -> Iterator[str]:
    """Write an attack into every field, and yield where it is to be seen."""
    browser, user = signed_in("rita"), attack("user")
    waits, memory = proposed(agent), remembered(agent)
    sent(browser, f"/review/{waits.id}/aside/", version=1, aside="unsure", note=attack("aside"))
    yield f"/review/{waits.id}/"
    sent(browser, f"/review/{waits.id}/assign/", version=2, to=rita.id, note=attack("assign"))
    yield f"/review/{waits.id}/"
    yield sent(browser, "/review/filters/keep/?kind=semantic", name=attack("filter"))
    yield sent(browser, "/review/search/", words=attack("words"))
    rejected = a_proposal(agent, "Ann is sad.", key="profile.mood", user=user)
    sent(browser, f"/review/{rejected.id}/reject/", version=1, reason="not-true", note=attack("reject"))
    yield f"/review/{rejected.id}/"
    yield f"/memories/{memory.id}/"
    revised(agent, memory, attack("memory-content"), key=f"fact.{attack('memory-key')}", value=attack("memory-revised"))
    yield f"/memories/{memory.id}/"
    held = a_memory(
        agent,
        "It runs on PostgreSQL.",
        key=f"env.{attack('conflict-key')}",
        value=attack("held"),
        scope=ScopeSpec("user", user=user),
    )
    contested = a_conflict(agent, held, attack("claim"))
    yield f"/conflicts/{contested.id}/"
    a_project(agent, attack("project"), members=[user])
    project = a_proposal(
        agent, "It uses Go.", key="project.language", scope=ScopeSpec("project", project=attack("project"))
    )
    yield f"/review/{project.id}/"
    session = ScopeSpec("session", user=user, session=attack("session"))
    yield f"/memories/{a_memory(agent, 'Said today.', key='today', scope=session).id}/"
    sent(browser, "/binding-rules/set/", key=f"conduct.{attack('rule-key')}", rule=attack("rule"))
    yield "/binding-rules/"
    place_hold(Covered(user=user), ground="litigation", note=attack("hold"), by=rita)
    yield "/retention/"
    indexed()
    made = recall(Question(query=attack("query"), keys=(f"fact.{attack('asked-key')}",), user=user), by=agent).id
    yield f"/recalls/{made}/"
    yield f"/memories/{memory.id}/recalls/"
    filed = sent(
        browser, "/forget/file/", user=user, words=attack("forget-words"), mode="erase", requester=attack("requester"),
        reason=attack("forget-reason"),
    )  # fmt: skip
    yield filed
    yield sent(browser, "/people/find/", user=user)
    rule = {"id": "x", "pattern": "note.*", "labels": {"en": attack("label")}, "aliases": [attack("alias")]}
    publish({"key_rules": [rule]}, by=rita)
    sent(browser, "/policy/draft/begin/")
    yield "/policy/draft/keys/x/"
    yield from every_page(browser).values()


def test_words_that_want_to_be_markup_are_shown_in_every_field_and_do_nothing(agent, rita, tenant):
    seen, browser, sealed = Seen(), signed_in("rita"), signed_in_as_auditor(tenant)

    for address in addresses(agent, rita):
        seen.read(address, browser.get(address))
        if re.fullmatch(r"/recalls/\w+/", address):
            seen.read(address, sealed.post(f"{address}words/"))

    assert seen.broken == []
    assert FIELDS - seen.shown == set()


def signed_in_as_auditor(tenant: Tenant) -> Client:
    a_member(tenant, "ada", "auditor")
    return signed_in("ada")


SOURCE = Path(__file__).read_text()
FIELDS = set(re.findall(r"""attack\(["']([a-z-]+)["']\)""", SOURCE))
