"""A part that is stopped: refused with `Retry-After` where it must be, less where it can be, and well again by itself."""

import threading
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import psycopg
import pytest

from tests.on_services import POSTGRES_URL
from tests.services.outage import Production, two_databases, within

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("outages")]  # one production for all of them
MOST = 40  # connections the product may hold together
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    with two_databases(MOST) as (name, password):
        made = Production(tmp_path_factory.mktemp("production"), name, password)
        try:
            made.start()
            made.make_agent()
            yield made
        finally:
            made.stop()


class Browser:
    """A person who is signed in."""

    def __init__(self, production: Production) -> None:
        self.at = f"http://127.0.0.1:{production.port}"
        self.cookies = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))

    def sign_in(self, username: str) -> None:
        self.opener.open(f"{self.at}/sign-in/").read()
        token = next(c.value for c in self.cookies if c.name == "csrftoken")
        form = {"csrfmiddlewaretoken": token, "username": username, "password": PASSWORD}
        assert self.opener.open(f"{self.at}/sign-in/", urlencode(form).encode()).status == 200

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        try:
            answer = self.opener.open(Request(f"{self.at}{path}", headers=headers), timeout=30)
        except HTTPError as refused:
            answer = refused
        return answer.status, dict(answer.headers), answer.read().decode()


@pytest.fixture(scope="module")
def browser(production: Production) -> Browser:
    made = production.manage(
        "create_member",
        "--tenant",
        "acme",
        "--username",
        "rea",
        "--role",
        "reviewer",
        "--password-stdin",
        told=PASSWORD,
    )
    assert made.returncode == 0, made.stderr
    browser = Browser(production)
    browser.sign_in("rea")
    return browser


def said(n: int) -> dict:
    return {"role": "user", "text": f"I want shelf {n} for volume {n}.", "user": "lin", "extract": False}


def propose(production: Production, n: int, value: str) -> tuple[int, dict]:
    """Say and propose one thing; return status and body of the first answer that was no 201, else of the last."""
    status, heard = production.send("post", "observations", said(n) | {"text": f"I want {value} {n}."})
    if status != 201:
        return status, heard
    draft = {
        "scope": {"level": "user", "user": "lin"},
        "kind": "semantic",
        "key": f"shelf.{n}",
        "value": f"{value} {n}",
        "source_type": "user_explicit",
        "evidence": {"observation": heard["id"], "quote": f"{value} {n}"},
    }
    return production.send("post", "candidates", draft)


def recalled(production: Production, query: str) -> dict:
    status, answer = production.send("post", "recall", {"user": "lin", "query": query})
    assert status == 200
    return answer


def signed(production: Production) -> int:
    """Return up to which event the chain of the tenant is signed."""
    with psycopg.connect(production.keyring_url) as keyring:
        row = keyring.execute("SELECT max(seq) FROM governance_signedhead").fetchone()
    return row[0] or 0 if row else 0


def test_without_redis_requests_are_counted_and_answered_and_work_waits(production: Production, browser: Browser):
    assert propose(production, 1, "novels")[0] == 201
    before = signed(production)
    production.redis.stop()

    status, made = propose(production, 2, "novels")

    assert (status, made["status"]) == (201, "committed")
    quotas = [browser.get("/api/v1/keys", Authorization=f"Bearer {production.key}")[1]["RateLimit"] for _ in range(2)]
    left = [int(quota.split("r=")[1].split(";")[0]) for quota in quotas]
    assert left[0] - left[1] in (1, 1 - 30_000)  # a minute may end in between
    ready = browser.get("/readyz")
    assert ready[0] == 200
    assert '"broker": "does not answer"' in ready[2]
    production.redis.start()
    assert within(60, lambda: signed(production) > before + 2)
    assert within(5, lambda: '"broker": "ok"' in browser.get("/readyz")[2])
    assert production.worker is not None
    assert production.worker.poll() is None


def test_without_chroma_recall_answers_with_less_and_the_index_catches_up(production: Production, browser: Browser):
    assert propose(production, 3, "maps")[0] == 201
    assert within(90, lambda: production.manage("index_drift").returncode == 0)
    production.chroma.stop()

    status, made = propose(production, 4, "maps")
    answer = recalled(production, "which maps on which shelf")

    assert (status, made["status"]) == (201, "committed")
    assert "maps 3" in {m["value"] for m in answer["memories"]}
    assert answer["degraded"] == "index"
    assert '"status": "degraded"' in browser.get("/readyz")[2]
    production.chroma.start()
    assert within(30, lambda: "degraded" not in recalled(production, "which maps on which shelf"))
    assert within(90, lambda: production.manage("index_drift").returncode == 0)


def test_a_chroma_that_hangs_is_waited_for_once_and_not_for_ever(production: Production):
    assert propose(production, 7, "maps")[0] == 201
    assert within(90, lambda: production.manage("index_drift").returncode == 0)
    production.chroma.hang()

    try:
        start = time.monotonic()
        first = recalled(production, "which maps then")
        between = time.monotonic()
        second = recalled(production, "which maps now")
        end = time.monotonic()
    finally:
        production.chroma.go_on()

    assert [answer.get("degraded") for answer in (first, second)] == ["index", "index"], (first, second)
    assert between - start < 15
    assert end - between < 5
    assert within(30, lambda: "degraded" not in recalled(production, "which maps on which shelf"))


def test_without_postgresql_everything_is_503_with_retry_after_until_it_is_back(
    production: Production, browser: Browser
):
    assert browser.get("/review/")[0] == 200
    production.line.cut()

    key = {"Authorization": f"Bearer {production.key}"}
    read = browser.get("/api/v1/keys", **key)
    wrote, recall = propose(production, 5, "plays"), production.send("post", "recall", {"user": "lin", "query": "maps"})
    page, part = browser.get("/review/"), browser.get("/review/", **{"HX-Request": "true"})

    for status, headers, body in (read, page, part):
        assert (status, headers["Retry-After"]) == (503, "1"), body
    assert {wrote[1]["type"], recall[1]["type"]} == {"urn:problem:unavailable"}
    assert "Not answering just now" in page[2]
    assert "<html" not in part[2]
    assert "127.0.0.1" not in read[2] + page[2] + part[2]
    assert browser.get("/healthz")[0] == 200
    assert browser.get("/metrics")[0] == 200
    ready = browser.get("/readyz")
    assert (ready[0], ready[1]["Retry-After"]) == (503, "1")
    assert '"database-default": "does not answer"' in ready[2]
    production.line.start()
    assert within(10, lambda: browser.get("/review/")[0] == 200)
    assert propose(production, 5, "plays")[0] == 201
    before = signed(production)
    assert within(60, lambda: propose(production, 6, "plays")[0] == 201 and signed(production) > before)


def test_what_was_answered_before_the_line_was_cut_is_there_afterwards(production: Production):
    answered: dict[str, str] = {}
    statuses: set[int] = set()
    stop = threading.Event()

    def work(first: int) -> None:
        n = first
        while not stop.is_set():
            status, made = propose(production, n, "atlas")
            statuses.add(status)
            if status == 201:
                answered[made["id"]] = made["memory"]["id"]
            n += 4

    threads = [threading.Thread(target=work, args=[100 + i]) for i in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.7)
        production.line.cut()
        time.sleep(0.3)
        production.line.start()
    time.sleep(0.5)
    stop.set()
    for thread in threads:
        thread.join()

    assert statuses == {201, 503}
    assert len(answered) > 4
    for candidate, memory in answered.items():
        assert production.send("get", f"candidates/{candidate}")[1]["memory"]["id"] == memory
        assert production.send("get", f"memories/{memory}")[0] == 200
    assert production.manage("verify_ledger").returncode == 0
    assert production.manage("rebuild_state", "--check").returncode == 0
    assert within(90, lambda: production.manage("index_drift").returncode == 0)


def test_too_many_clients_of_postgresql_are_503_until_there_is_room(production: Production, browser: Browser):
    url = production.services["DATABASE_URL"]
    with psycopg.connect(f"{POSTGRES_URL}/postgres", autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [production.role])
    held: list[psycopg.Connection] = []
    with pytest.raises(psycopg.OperationalError, match="too many connections"):
        held.extend(psycopg.connect(url) for _ in range(MOST + 1))

    refused = browser.get("/api/v1/keys", Authorization=f"Bearer {production.key}")
    page = browser.get("/review/")

    for connection in held:
        connection.close()
    assert held
    assert (refused[0], refused[1]["Retry-After"]) == (503, "1")
    assert (page[0], page[1]["Retry-After"]) == (503, "1")
    assert within(10, lambda: browser.get("/review/")[0] == 200)
    assert within(10, lambda: production.send("get", "keys")[0] == 200)
