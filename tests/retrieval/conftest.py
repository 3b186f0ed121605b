"""Recalls on a real database and an embedded Chroma of their own, with an embedder that is fast."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests import factories
from tests.isolation import fresh_index


@pytest.fixture(autouse=True)
def index(settings: Settings, tmp_path) -> Iterator[None]:
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def tenant(db) -> Tenant:
    return factories.a_tenant()


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return factories.an_agent(tenant)
