"""An index of its own for a test: a folder and collections that nobody used, no copies in memory, the quick embedder."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from pytest_django import Settings

from governance.index import chroma, embedding, entries
from governance.ledger import ids, sealing
from governance.retrieval import beliefs
from tests.fakes import TURN


def fresh_index(settings: Settings, folder: Path) -> Iterator[None]:
    chroma.close()  # a test without an index of its own may have left one open elsewhere
    settings.EMBEDDER = "tests.fakes.HashedWords"
    os.environ[TURN] = str(secrets.randbelow(2**32))
    settings.DATA_DIR = folder
    settings.CHROMA_PREFIX = f"{settings.CHROMA_PREFIX}-{ids.new('t')[-12:]}"
    yield
    chroma.close()
    embedding.forget_queries()
    entries.forget_entries()
    beliefs.forget_beliefs()
    sealing.forget_known_keys()
