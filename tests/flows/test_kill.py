"""Flow 9: the power goes in the middle of sixty proposals; every answer that was given holds."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.flows.server import ROOT, Server

PROPOSALS, THREADS, BEFORE = 60, 4, 25


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    server.make_agent()
    yield server
    server.stop()


def propose(server: Server, i: int) -> str:
    """Propose one thing a user said and return the candidate's id; "" when the server was gone."""
    text = f"My shelf number {i} is for volume {i}."
    try:
        _, heard = server.send(
            "post", "observations", {"role": "user", "text": text, "user": f"u{i % 7}", "extract": False}
        )
        status, made = server.send(
            "post",
            "candidates",
            {
                "scope": {"level": "user", "user": f"u{i % 7}"},
                "kind": "semantic",
                "key": f"profile.shelf.{i}",
                "value": i,
                "source_type": "user_explicit",
                "evidence": {"observation": heard["id"], "quote": text},
            },
        )
    except (OSError, HTTPException):
        return ""
    return made["id"] if status == 201 else ""


def propose_until_killed(server: Server) -> set[str]:
    """Send sixty proposals from several threads, kill the server on the way; return the ids that were answered."""
    answered: set[str] = set()
    numbers, lock, enough = iter(range(PROPOSALS)), threading.Lock(), threading.Event()

    def work() -> None:
        while True:
            with lock:
                i = next(numbers, None)
            if i is None:
                return
            made = propose(server, i)
            with lock:
                answered.update({made} - {""})
                if len(answered) >= BEFORE:
                    enough.set()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    server.kill()
    for thread in threads:
        thread.join()
    return answered


@pytest.mark.thorough
def test_every_answer_holds_and_everything_agrees_after_a_restart(server: Server):
    answered = propose_until_killed(server)
    assert BEFORE <= len(answered) < PROPOSALS

    server.start()

    for candidate in answered:
        status, found = server.send("get", f"candidates/{candidate}")
        assert (status, found["status"]) == (200, "committed")
        assert server.send("get", f"memories/{found['memory']['id']}")[0] == 200
    status, answer = server.send("post", "recall", {"user": "u1", "query": "Which shelf is for which volume?"})
    assert status == 200
    assert answer["memories"]
    server.stop()
    drift, chain = server.manage("index_drift"), server.manage("verify_ledger")
    assert drift.returncode == 0, drift.stdout + drift.stderr
    assert chain.returncode == 0, chain.stdout + chain.stderr


@pytest.mark.thorough
def test_a_process_killed_while_it_writes_indexes_or_rebuilds_loses_nothing(tmp_path: Path):
    store = Server(tmp_path)
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.kill",
        "--times",
        "3",
    ]  # `manage.py bench kill` does it more often

    done = subprocess.run(command, cwd=ROOT, env=store.environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing was lost" in done.stdout
