"""Two web processes on one database and one Chroma server: what is gone for one is gone for the other at once."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.flows.server import Server
from tests.on_services import POSTGRES_URL
from tests.services.outage import chroma_server, two_databases, within

pytestmark = pytest.mark.services


class Web(Server):
    """`manage.py serve` on a database and a Chroma server that it shares."""

    def __init__(self, folder: Path, keys: Path, database: str, chroma: int) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.keys = keys
        self.shared = {
            "DATABASE_URL": database,
            "KEYRING_URL": f"{database}_keyring",
            "CHROMA_URL": f"http://127.0.0.1:{chroma}",
            "EMBEDDER": "tests.fakes.HashedWords",
        }

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.shared}

    def recall(self, query: str) -> list[dict]:
        status, answer = self.send("post", "recall", {"user": "lin", "query": query})
        assert status == 200, answer
        assert "degraded" not in answer
        memories: list[dict] = answer["memories"]
        return memories


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Web]]:
    folder = tmp_path_factory.mktemp("two")
    host = urlsplit(POSTGRES_URL)
    chroma = chroma_server(folder / "chroma")
    with two_databases(40) as (name, password):
        database = f"postgresql://{name}:{password}@{host.hostname}:{host.port or 5432}/{name}"
        first, second = (Web(folder / n, folder / "keys", database, chroma.port) for n in ("first", "second"))
        chroma.start()
        try:
            first.start()
            first.make_agent()
            second.start()
            second.key = first.key
            yield first, second
        finally:
            for web in (first, second):
                if web.process is not None:
                    web.stop()
            chroma.stop()


def stated(web: Web, text: str, key: str) -> dict:
    _, heard = web.send("post", "observations", {"role": "user", "text": text, "user": "lin", "extract": False})
    body = {
        "scope": {"level": "user", "user": "lin"},
        "kind": "semantic",
        "key": key,
        "value": text,
        "content": text,
        "source_type": "user_explicit",
        "evidence": {"observation": heard["id"], "quote": text},
    }
    status, made = web.send("post", "candidates", body)
    assert (status, made["status"]) == (201, "committed"), made
    return made["memory"]


def test_what_one_process_retracts_the_other_no_longer_gives(two: tuple[Web, Web]):
    first, second = two
    memory = stated(first, "From now on book seats by the window.", "preference.travel.seat")
    assert within(20, lambda: any(m["found_by"] == "chroma" for m in second.recall("seats by the window")))

    status, _ = first.send("delete", f"memories/{memory['id']}", {"expected_version": memory["version"]})

    assert status == 200
    assert second.recall("seats by the window") == []


def test_what_one_process_writes_the_other_finds_before_it_is_indexed(two: tuple[Web, Web]):
    first, second = two

    memory = stated(first, "From now on I drink oolong tea.", "preference.drink")

    assert memory["id"] in [m["id"] for m in second.recall("oolong tea")]
