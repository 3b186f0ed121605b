"""A tenant with an agent, a reviewer, an administrator and an auditor, each signed in."""

import pytest
from django.test import Client

from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.factories import a_tenant, an_agent
from tests.web.people import a_member, signed_in


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.django_db(databases=["default", "keyring"]))


@pytest.fixture
def tenant(db) -> Tenant:
    return a_tenant("acme")


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant)


@pytest.fixture
def rita(tenant: Tenant) -> Client:
    """A reviewer's browser."""
    a_member(tenant, "rita", "reviewer")
    return signed_in("rita")


@pytest.fixture
def adam(tenant: Tenant) -> Client:
    """An administrator's browser."""
    a_member(tenant, "adam", "administrator")
    return signed_in("adam")


@pytest.fixture
def ada(tenant: Tenant) -> Client:
    """An auditor's browser."""
    a_member(tenant, "ada", "auditor")
    return signed_in("ada")
