"""Everything commits, as it does in life; each test has an index and a sentinel of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as ours
from pytest_django import Settings

from governance.index import chroma
from governance.index.embedding import forget_queries
from governance.index.entries import forget_entries
from governance.ledger import ids, sealing
from governance.retrieval.beliefs import forget_beliefs
from tests.flows import sentinel as sentinels
from tests.flows.world import Agent, World

# Where the test databases lie; the index of a test lies in a folder of the test.
DATABASES = ours.DATA_DIR


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.django_db(transaction=True, databases=["default", "keyring"]))


@pytest.fixture
def folders(settings: Settings, tmp_path: Path, transactional_db) -> Iterator[list[Path]]:
    """Every folder in which something of this test may be kept."""
    settings.DATA_DIR = tmp_path
    settings.CHROMA_PREFIX = f"{settings.CHROMA_PREFIX}-{ids.new('t')[-12:]}"
    for forget in (sealing.forget_known_keys, forget_entries, forget_queries, forget_beliefs):
        forget()
    yield [DATABASES, tmp_path, settings.KEY_DIR, settings.JOURNAL_FILE.parent]
    chroma.close()


@pytest.fixture
def sentinel(folders: list[Path]) -> Iterator[str]:
    """A word that goes along with everything a flow sends; afterwards it stands in clear in no file."""
    invented = sentinels.invent()
    yield invented
    assert sentinels.files_holding(invented, folders) == []


@pytest.fixture
def world(sentinel: str) -> World:
    return World(sentinel=sentinel)


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent()
