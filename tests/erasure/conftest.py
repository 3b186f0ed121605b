"""A tenant with an agent, two compliance officers and somebody who will be forgotten."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from governance.scopes.models import Tenant
from governance.scopes.rules import Actor, Grant
from tests.factories import EVERYWHERE, a_tenant, an_agent
from tests.isolation import fresh_index
from tests.web.people import a_member

FORGETTING = (*EVERYWHERE, *(Grant("forget", level) for level in ("session", "user", "agent", "project")))


@pytest.fixture(autouse=True)
def index(settings: Settings, tmp_path) -> Iterator[None]:
    settings.JOURNAL_FILE = tmp_path / "journal.jsonl"
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def tenant(db) -> Tenant:
    return a_tenant("acme")


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant, grants=FORGETTING)


@pytest.fixture
def cora(tenant: Tenant) -> Actor:
    """A compliance officer."""
    return a_member(tenant, "cora", "compliance")


@pytest.fixture
def carl(tenant: Tenant) -> Actor:
    """Another compliance officer."""
    return a_member(tenant, "carl", "compliance")
