"""Agents over HTTP with real keys, on a real database."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.flows.world import Agent, World
from tests.isolation import fresh_index


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.django_db(databases=["default", "keyring"]))


@pytest.fixture(autouse=True)
def index(settings: Settings, tmp_path, request) -> Iterator[None]:
    cache.clear()
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def world(db) -> World:
    return World("acme")


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent(more=("inspect", "manage"))


@pytest.fixture
def stranger(db) -> Agent:
    """An agent of another tenant, whose name begins alike."""
    return World("acme-corp").agent(more=("inspect", "manage"))
