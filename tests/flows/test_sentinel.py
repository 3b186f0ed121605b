"""Flow 10: a word that is in everything one can say stands in clear in no file, at no time."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.apps import apps
from django.db import models

from tests.flows import sentinel as sentinels
from tests.flows.server import Server
from tests.flows.world import World, drain_all


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    server.make_agent("--grant", *_grants())
    yield server
    server.stop()


def _grants() -> list[str]:
    actions = ("observe", "propose", "recall", "inspect", "revise", "retract", "manage", "forget")
    pairs = [f"{action}:{level}" for action in actions for level in ("session", "user", "project")]
    return [part for pair in pairs for part in ("--grant", pair)][1:]


def steps(word: str) -> Iterator[tuple]:
    """Everything an agent can say, the word in every field that takes words; the caller sends back each answer."""
    user, session, project = f"user {word}", f"session {word}", f"project {word}"
    yield "put", "projects", {"project": project, "name": f"named {word}"}
    yield "post", "project-members", {"project": project, "user": user, "member": True}
    text = f"I call my boat {word}. From now on give me Python examples. I live in {word}."
    heard = yield (
        "post",
        "observations",
        {
            "role": "user",
            "text": text,
            "user": user,
            "session": session,
            "project": project,
            "source_ref": f"ref {word}",
        },
    )
    made = yield (
        "post",
        "candidates",
        {
            "scope": {"level": "user", "user": user},
            "kind": "semantic",
            "key": f"boat.{word}",
            "value": {"name": word},
            "content": f"The boat is called {word}.",
            "context": f"Talking of {word}.",
            "about": word,
            "tags": [word],
            "note": f"note {word}",
            "source_ref": f"ref {word}",
            "source_type": "user_explicit",
            "evidence": {"observation": heard["id"], "quote": f"I call my boat {word}"},
        },
    )
    memory = made["memory"]["id"]
    yield "post", "recall", {"user": user, "session": session, "project": project, "query": f"What is {word}?"}
    yield "post", "recall", {"user": user, "keys": [f"boat.{word}"]}
    yield "post", "memories/search", {"user": user, "key": f"boat.{word}"}
    yield (
        "patch",
        f"memories/{memory}",
        {
            "expected_version": 1,
            "value": {"name": f"{word} II"},
            "note": word,
            "source_type": "user_explicit",
            "evidence": {"observation": heard["id"], "quote": f"I call my boat {word}"},
        },
    )
    yield "delete", f"memories/{memory}", {"expected_version": 2, "reason": "delete-request"}
    yield "post", "recall", {"user": user, "query": word, "history": True}
    guess = {"scope": {"level": "user", "user": user}, "kind": "semantic", "source_type": "agent_guess"}
    waiting = yield "post", "candidates", {**guess, "key": "profile.wish", "value": f"a {word}", "note": word}
    assert waiting["status"] == "pending"
    once = {"role": "user", "text": f"I sail {word} twice.", "user": user}
    first = yield "post", "observations", once, {"Idempotency-Key": "k1"}
    again = yield "post", "observations", once, {"Idempotency-Key": "k1"}
    assert first["id"] == again["id"]
    forgotten = {"selector": {"user": user, "words": f"forget {word}"}, "requester": word, "reason": word}
    yield "post", "forget-requests", forgotten
    # Refusals must not echo either.
    yield "post", "observations", {**once, "text": f"I sail {word} thrice."}, {"Idempotency-Key": "k1"}
    yield "post", "observations", f'{{"role": "user", "text": "{word}'.encode()
    yield "post", "observations", once, {"Authorization": f"Bearer {quote(word)}"}
    yield "post", f"recall?q={quote(word)}", {"user": word, "query": [word], word: word}
    yield "get", f"memories/{quote(word)}?next={quote(word)}", None
    yield "post", "recall", {"user": f" {word}", "query": word}
    yield "post", "candidates", {"scope": {"level": word}, "kind": word, "value": word}
    yield "get", f"memories/{word}".encode().decode("ascii", "ignore") or "memories/none", None


@pytest.mark.thorough
def test_nothing_said_stands_in_clear_in_any_file_at_any_time(server: Server):
    word = sentinels.invent()
    folders = (server.data, server.keys, server.journal.parent, server.log)
    talk = steps(word)
    step = next(talk)

    while step is not None:
        status, answer = server.send(*step)
        assert status < 500, (step[:2], answer)
        if status >= 400:
            assert word not in str(answer)
        assert sentinels.files_holding(word, [f for f in folders if f.exists()]) == [], step[:2]
        try:
            step = talk.send(answer)
        except StopIteration:
            step = None
    server.stop()
    assert sentinels.files_holding(word, [f for f in folders if f.exists()]) == []


def test_a_planted_file_shows_that_the_search_sees(tmp_path: Path):
    word = sentinels.invent()
    (tmp_path / "below").mkdir()
    for i, form in enumerate(sentinels.forms(word)):
        (tmp_path / "below" / f"planted-{i}").write_bytes(b"\0\1 before " + form + b" after \xff")

    found = sentinels.files_holding(word, [tmp_path])

    assert len(found) == len(sentinels.forms(word))


def test_no_column_of_any_table_holds_a_word(world: World, sentinel: str):
    agent = world.agent(more=["manage"])
    agent.ask("put", "projects", {"project": sentinel, "name": sentinel})
    agent.state(
        "lin",
        f"My boat is called {sentinel}.",
        said={"session": "one"},
        key=f"boat.{sentinel}",
        value=sentinel,
        content=f"The boat is called {sentinel}.",
    )
    agent.recall(user="lin", session="one", query=f"Which boat is {sentinel}?")
    drain_all()

    held = [model.__name__ for model in apps.get_models() if _holds(model, sentinel)]

    assert held == []


def _holds(model: type[models.Model], word: str) -> bool:
    rows = model._default_manager.using("keyring" if getattr(model, "keyring", False) else "default").values_list()
    forms = sentinels.forms(word)
    for row in rows:
        for value in row:
            raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
            if any(form in raw for form in forms):
                return True
    return False
