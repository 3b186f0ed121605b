"""Hostile values in every field of every body that the OpenAPI document names: a clear refusal, nothing half done."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from governance.scopes.queries import actor_of_key
from governance.scopes.rules import ScopeSpec
from tests.api.test_leaks import operations, resolved
from tests.api.told import LIN, correction, everything, language
from tests.factories import a_conflict, a_memory
from tests.flows.world import Agent

# As it stands in the body, and whether some field may take it.
HOSTILE = {
    "NUL": ('"a\\u0000b"', False),
    "half of a surrogate pair": ('"\\ud800"', False),
    "a megabyte of text": (f'"{"x" * 1_000_000}"', False),
    "fifty levels": ("[" * 50 + "]" * 50, False),
    "a hundred thousand levels": ("[" * 100_000 + "]" * 100_000, False),
    "a number of five thousand digits": ("9" * 5_000, False),
    "a number beyond all": ("1e999", False),
    "not a number": ("NaN", False),
    "ten thousand tags": (json.dumps(["tag"] * 10_000), False),
    "ten thousand names": (json.dumps({f"n{i}": i for i in range(10_000)}), False),
    "a number of forty digits": ("9" * 40, True),
    "less than nothing": ("-1", True),
    "a fraction": ("1.5", True),
    "a text that turns around": ('"\\u202eevil\\u202c"', True),
    "text of nothing to see": ('"\\u200b\\u2060"', True),
    "the year 1": ('"0001-01-01T00:00:00Z"', True),
    "the year 9999": ('"9999-12-31T23:59:59-14:00"', True),
    "a list of lists": ("[[[]]]", True),
    "an object": ('{"a": {"b": null}}', True),
    "yes": ("true", True),
}
PLACE = '"HERE"'
# Refused before any field is looked at: tried in one field of each body.
UNREAD = {"a hundred thousand levels", "a number of five thousand digits", "a number beyond all", "not a number"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture
def good(agent: Agent) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """A request of each operation that would be carried out."""
    memory = language(agent)
    actor = actor_of_key(agent.key)
    city = a_memory(actor, "Lin lives in Rome.", key="profile.city", value="Rome", scope=ScopeSpec(**LIN))
    conflict = a_conflict(actor, city, "Oslo")
    said = agent.observe("lin", "I live in Oslo.", extract=False)
    evidence = {"observation": said["id"], "quote": "I live in Oslo"}
    guess = agent.propose(LIN, key="drink", value="tea")
    agent.ask("put", "projects", {"project": "p1"})
    draft = {"scope": LIN, "kind": "semantic", "key": "a.b", "value": "c", "evidence": evidence}
    return {
        "observe": ("post", "observations", {"role": "user", "text": "Hello.", "user": "lin"}),
        "propose": ("post", "candidates", draft),
        "confirm_candidate": ("post", f"candidates/{guess['id']}/confirm", evidence),
        "recall": ("post", "recall", {"user": "lin", "query": "Where?"}),
        "search_memories": ("post", "memories/search", {"user": "lin"}),
        "revise_memory": ("patch", f"memories/{memory['id']}", {"expected_version": 1, **correction(agent)}),
        "restore_memory": ("post", f"memories/{memory['id']}/restore", {"expected_version": 1, "number": 1}),
        "answer_conflict": ("post", f"conflicts/{conflict.id}/answer", {
            "expected_version": 1, "choice": "none", **evidence,
        }),
        "put_project": ("put", "projects", {"project": "p2"}),
        "set_project_member": ("post", "project-members", {"project": "p1", "user": "lin", "member": True}),
        "close_project": ("post", "projects/close", {"project": "p1"}),
        "end_session": ("post", "sessions/end", {"user": "lin", "session": "s1"}),
    }  # fmt: skip


def fields_of(document: dict[str, Any], name: str) -> Iterator[tuple[str, ...]]:
    """Yield the path of every field that an operation's body takes, those of objects within it too."""
    described = next(o for _, _, o in operations(document) if o["operationId"] == name)
    shape = resolved(document, described["requestBody"]["content"]["application/json"]["schema"])
    if shape.get("type") == "array":
        shape = resolved(document, shape["items"])
    for field, inner in shape["properties"].items():
        yield (field,)
        for within in resolved(document, inner).get("properties", {}):
            yield field, within


def with_hostile(body: dict[str, Any], path: tuple[str, ...], text: str) -> str:
    """Return the JSON of a body in which one field is something else."""
    changed = json.loads(json.dumps(body))
    holder = changed
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = "HERE"
    return json.dumps(changed).replace(PLACE, text)


NAMES = (
    "observe propose confirm_candidate recall search_memories revise_memory restore_memory answer_conflict put_project "
    "set_project_member close_project end_session"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_hostile_is_refused_and_nothing_is_half_done(agent: Agent, document, good, name: str, settings):
    settings.API_REQUESTS_PER_MINUTE = 10**6
    method, path, body = good[name]
    send, wrong = getattr(agent.http, method), []
    for number, field in enumerate(fields_of(document, name)):
        for said, (text, may_be_taken) in HOSTILE.items():
            if number and said in UNREAD:
                continue
            before = everything()

            response = send(f"/api/v1/{path}", with_hostile(body, field, text), content_type="application/json")

            is_refused = 400 <= response.status_code < 500 and response["Content-Type"] == "application/problem+json"
            if not (is_refused or may_be_taken and response.status_code < 300):
                wrong.append((field, said, response.status_code))
            if is_refused and everything() != before:
                wrong.append((field, said, "half done"))
            if is_refused and len(response.content) > 2_000:
                wrong.append((field, said, response.content[:300]))

    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "Answer in English until 31 December 9999.",
        "From 31.12.9999 on I live in Rome.",
        "I was in Rome until 1 January 0001.",
        "到9999年12月31日之前请用中文回答。",
        "Answer in English until 99 December 99999.",
        "In 10000000000 days I move to Rome.",
        "Call me at 9999-12-31T23:59:59-14:00.",
    ],
)
def test_a_day_beyond_the_calendar_is_heard_all_the_same(agent: Agent, text: str):
    response = agent.send("post", "observations", {"role": "user", "text": text, "user": "lin"})

    assert response.status_code == 201, response.content
    assert response.json()["extraction"]["state"] == "done"


NINES = "9" * 5_000


@pytest.mark.parametrize(
    "value",
    [
        "²",
        NINES,
        f"{NINES} km",
        f"{NINES}:00",
        f"{NINES}k",
        f"{'9' * 400} million",
        f"-{NINES}",
        f"1/{NINES}",
        f"2026-01-{NINES}",
        "٤" * 5_000,
        "一" * 5_000,
        "亿" * 2_000,
        "hundred " * 2_400 + "euros",
        {"deep": [NINES]},
    ],
    ids=lambda value: str(value)[:8],
)
def test_a_number_of_any_length_or_script_is_read_as_words_where_it_is_none(agent: Agent, value: Any):
    quote = f"I like {value} best."[:19_000]
    heard = agent.observe("lin", quote, extract=False)
    evidence = {"observation": heard["id"], "quote": quote[:4_000]}
    claim = {"scope": LIN, "kind": "semantic", "key": "likes.number", "value": value, "evidence": evidence}

    answers = [agent.send("post", "candidates", {**claim, "source_type": s}) for s in ("user_explicit", "agent_guess")]
    asked = agent.send("post", "recall", {"user": "lin", "query": str(value)[:1_000]})

    assert [r.status_code for r in (*answers, asked)] == [201, 201, 200], [r.content for r in (*answers, asked)]
