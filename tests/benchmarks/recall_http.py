"""The recall endpoint from outside: a `manage.py serve` of its own on the store, asked over HTTP."""

import http.client
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from governance.index import chroma, embedding, shards
from governance.scopes.models import Scope
from tests.benchmarks.measure import Row, Times, percentile
from tests.flows.server import Server

CALLERS, SECONDS = 4, 4.0
KEPT = 8  # questions that are asked again and again


class Caller:
    """One agent on one connection."""

    def __init__(self, port: int, secret: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def recall(self, user: str, query: str) -> dict[str, Any]:
        body = json.dumps({"user": user, "query": query})
        self.connection.request("POST", "/api/v1/recall", body, self.headers)
        answer = self.connection.getresponse()
        said: dict[str, Any] = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"Error: recall answered {answer.status}: {said}")
        return said


def over_http(secret: str, user: str, texts: Sequence[str], *, full: bool) -> Iterator[Row]:
    """Yield what the whole answer costs beside its embedding and a bare vector search of the same scope."""
    bare = _bare_search(user_scope=_scope_of(texts))
    chroma.close()  # the server holds the embedded index from here on
    os.environ["EMBEDDER"] = "tests.benchmarks.hashed.Paid"
    server = Server(Path(os.environ["DATA_DIR"]).parent)
    server.start()
    try:
        yield from _answered(server, secret, user, texts, bare, 100 if full else 30)
    finally:
        server.stop()
        os.environ["EMBEDDER"] = "tests.benchmarks.hashed.Hashed"


def _scope_of(texts: Sequence[str]) -> Scope:
    return Scope.objects.filter(level="user").order_by("opened_at", "id").first() or Scope()


def _bare_search(user_scope: Scope) -> float:
    places = shards.places([user_scope.id], model=embedding.model_name())
    times = Times()
    for i in range(40):
        vector = embedding.embed_query(f"Bare {i}?")
        with times.one():
            for place in places:
                chroma.query(place.collection, vector, scopes=place.numbers, limit=10)
    return percentile(times.taken, 50)


def _answered(
    server: Server, secret: str, user: str, texts: Sequence[str], bare: float, questions: int
) -> Iterator[Row]:
    caller, whole, embeds, without = Caller(server.port, secret), [], [], []
    for i in range(questions + 5):
        times = Times()
        with times.one():
            answer = caller.recall(user, f"Asked {i}: {texts[i % len(texts)]}")
        if i >= 5:
            whole.append(times.taken[0])
            embeds.append(answer["timings"].get("embed", 0.0))
            without.append(times.taken[0] - embeds[-1])
    least = percentile(embeds, 50) + bare
    ratio, p95 = percentile(whole, 50) / least, percentile(without, 95)
    seen = f"{ratio:.2f}x ({percentile(whole, 50):.1f} / {least:.1f} ms)"
    yield Row("POST recall to its embedding and a bare search", seen, "<= 1.5x", ratio <= 1.5)
    yield Row("  p95 without the embedding", f"{p95:.1f} ms", "<= 60 ms", p95 <= 60)
    for i in range(KEPT):  # embedded once, and kept from here on
        caller.recall(user, _kept(texts, i))
    worked, asked = _worked(server), time.process_time()
    number = _asked(server.port, secret, user, texts)
    rate = number / SECONDS
    yield Row("  recalls a second, embeddings cached", f"{rate:.0f}", ">= 100", rate >= 100)
    spent = [(_worked(server) - worked) * 1000 / number, (time.process_time() - asked) * 1000 / number]
    yield Row("  processor time of one, server / client", f"{spent[0]:.1f} / {spent[1]:.1f} ms")


def _kept(texts: Sequence[str], number: int) -> str:
    return f"Again: {texts[number % KEPT]}"


def _worked(server: Server) -> float:
    """Return the processor seconds of the server's processes so far."""
    assert server.process is not None
    found = 0.0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended while we looked
            columns = file.read_text().rpartition(")")[2].split()
            if int(columns[3]) == server.process.pid:  # the session it began
                found += (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")
    return found


def _asked(port: int, secret: str, user: str, texts: Sequence[str]) -> int:
    """Return how many recalls several callers got answered in `SECONDS`."""
    end, counts = time.monotonic() + SECONDS, [0] * CALLERS

    def work(number: int) -> None:
        caller = Caller(port, secret)
        while time.monotonic() < end:
            caller.recall(user, _kept(texts, counts[number]))
            counts[number] += 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)
