"""A command beside a running server, which holds the index: it waits for the server's worker instead of failing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.server import Server

PASSWORD = "correct horse battery"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    server.make_agent()
    yield server
    server.stop()


@pytest.mark.thorough
def test_a_forget_request_is_verified_planned_approved_and_answered_by_one_command(server: Server):
    member = ("--tenant", "acme", "--username", "carl", "--role", "compliance", "--password-stdin")
    assert server.manage("create_member", *member, told=PASSWORD).returncode == 0
    said = {"role": "user", "text": "From now on answer in Dutch.", "user": "lin"}
    assert server.send("post", "observations", said)[0] == 201
    assert server.send("post", "recall", {"user": "lin", "query": "which language?"})[1]["memories"]
    filed = server.send("post", "forget-requests", {"selector": {"user": "lin"}})[1]["id"]

    done = server.manage("forget_request", filed, "--verify-identity", "document", "--approve", "--as", "carl")

    assert done.returncode == 0, done.stderr
    assert f"{filed}: complete" in done.stdout
    assert server.send("post", "recall", {"user": "lin", "query": "which language?"})[1]["memories"] == []
