"""A tenant with an agent, its compliance officer and its administrator."""

import pytest

from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.factories import a_tenant, an_agent
from tests.web.people import a_member


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.django_db(databases=["default", "keyring"]))


@pytest.fixture
def tenant(db) -> Tenant:
    return a_tenant("acme")


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant)


@pytest.fixture
def cora(tenant: Tenant) -> Actor:
    """A compliance officer."""
    return a_member(tenant, "cora", "compliance")


@pytest.fixture
def rita(tenant: Tenant) -> Actor:
    """A reviewer."""
    return a_member(tenant, "rita", "reviewer")
