"""Every id of one tenant tried with the key of another, on every operation and in every field that takes an id.

Generated from the OpenAPI document: what answers to a stranger's id answers word for word as to one that nobody has.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator

from governance.conflicts.models import Claim
from governance.ledger.models import Event
from governance.scopes.queries import actor_of_key
from governance.scopes.rules import ScopeSpec
from tests.api.told import everything, language
from tests.factories import a_conflict, a_memory
from tests.flows.world import Agent, World

METHODS = ("get", "post", "put", "patch", "delete")
FORM = re.compile(r"^[a-z]+_0198f2c04a7b7c3e9d21aa54b0c7d9e1$")  # what `Id` gives as its example
TOLD = re.compile(r"(mem|cand|obs|rec|conf|evt)_[0-9a-f]{32}")
LITERAL = re.compile(r"X?'[^']*'|\b\d+(\.\d+)?\b")  # in a question to a database
# What a stranger's name stands beside; whatever else an operation needs.
ALONG = {"expected_version": 1, "reason": "correction", "number": 1, "quote": "Yes.", "choice": "none"}


@pytest.fixture
def theirs() -> dict[str, str]:
    """One id of each kind, of a tenant `acme-corp` in which everything there is has happened."""
    return one_of_each(World("acme-corp"), "lin")


def one_of_each(world: World, user: str) -> dict[str, str]:
    """Return one id of each kind, all of one user."""
    agent = world.agent("another", more=("inspect", "manage"))
    memory = language(agent, user=user)
    actor, scope = actor_of_key(agent.key), ScopeSpec("user", user=user)
    city = a_memory(actor, "They live in Rome.", key="profile.city", value="Rome", scope=scope)
    conflict = a_conflict(actor, city, "Oslo")
    return {
        "mem": memory["id"],
        "cand": agent.ask("get", "candidates")["results"][0]["id"],
        "obs": agent.observe(user, "Yes.", extract=False)["id"],
        "rec": agent.ask("post", "recall", {"user": user})["id"],
        "conf": conflict.id,
        "claim": Claim.objects.filter(conflict=conflict).first().id,
        "evt": Event.objects.filter(tenant=world.tenant.id, type="conflict-opened").get().id,
    }


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item and not path.endswith(("/schema/", "/docs/")):
                yield method, path.removeprefix("/api/v1/"), item[method]


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            return resolved(document, schema[name][0])
    return schema


def body_of(document: dict[str, Any], schema: dict[str, Any], id_: str) -> tuple[Any, bool]:
    """Return a value of a shape, `id_` in every field that takes an id, and whether there was one."""
    schema = resolved(document, schema)
    if schema.get("type") == "array":
        value, found = body_of(document, schema["items"], id_)
        return [value], found
    if "properties" in schema:
        made, found = {}, False
        for name, field in schema["properties"].items():
            if name == "scope":
                made[name] = {"level": "user", "user": "lin"}
                continue
            value, has_id = body_of(document, field, id_)
            if has_id or name in schema.get("required", ()) or name in ALONG:
                made[name] = ALONG.get(name, value)
            found = found or has_id
        return made, found
    if FORM.match(str(schema.get("example", ""))):
        return id_, True
    plain = {"integer": 1, "number": 0.5, "boolean": False, "string": schema.get("enum", ["lin"])[0]}
    return plain.get(str(schema.get("type")), "lin"), False


def calls(document: dict[str, Any], id_: str) -> Iterator[tuple[str, str, Any]]:
    """Yield every operation with an id wherever it takes one: in its path, its query, its body."""
    for method, path, operation in operations(document):
        taken = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        body, in_body = body_of(document, taken, id_) if taken else (None, False)
        queries = [
            p["name"]
            for p in operation.get("parameters", ())
            if p["in"] == "query" and FORM.match(str(p["schema"].get("example", "")))
        ]
        query = "?" + "&".join(f"{name}={id_}" for name in queries) if queries else ""
        if "{id}" in path or in_body or query:
            yield method, path.replace("{id}", id_) + query, body


def answer(agent: Agent, call: tuple[str, str, Any], id_: str) -> tuple[int, str, list[str]]:
    """Return status, body and the questions asked of both databases, all without what is new in every answer.

    A different number of questions, or others, would be seen by the clock.
    """
    with CaptureQueriesContext(connections["default"]) as ours, CaptureQueriesContext(connections["keyring"]) as keys:
        response = agent.send(*call)
    text = response.content.decode().replace(id_, "ID")
    asked = [LITERAL.sub("?", query["sql"]) for query in (*ours.captured_queries, *keys.captured_queries)]
    return response.status_code, re.sub(r'"request_id":"[^"]*"', "", TOLD.sub("OWN", text)), asked


def unknown(id_: str) -> str:
    prefix, _, digits = id_.rpartition("_")
    return f"{prefix}_{digits[:-4]}{'0000' if digits[-4:] != '0000' else '1111'}"


def test_the_document_has_operations_that_take_ids(document):
    found = list(calls(document, "mem_" + "0" * 32))

    assert len(found) >= 18
    assert any(path.startswith("memories/mem_") for _, path, _ in found)
    assert any("why?memory=" in path for _, path, _ in found)


@pytest.mark.parametrize("kind", ["mem", "cand", "obs", "rec", "conf", "claim", "evt"])
def test_an_id_of_another_tenant_is_answered_like_one_that_nobody_has(agent, theirs, document, kind):
    assert told_apart(agent, document, theirs[kind]) == []


@pytest.mark.parametrize("kind", ["mem", "cand", "obs", "rec", "conf", "claim", "evt"])
def test_an_id_of_a_user_beyond_the_key_is_answered_like_one_that_nobody_has(world, document, kind):
    out_of_reach = one_of_each(world, "ann")
    bound = world.agent(more=("inspect", "manage"), users=["lin"])

    assert told_apart(bound, document, out_of_reach[kind]) == []


def told_apart(agent: Agent, document: dict[str, Any], known: str) -> list[Any]:
    """Return every call on which an id that is out of reach is answered otherwise than one that nobody has."""
    wrong = []
    agent.send("get", "keys")  # the first use of a key is noted
    for call, other in zip(calls(document, known), calls(document, unknown(known)), strict=True):
        there, nowhere = answer(agent, call, known), answer(agent, other, unknown(known))
        if there != nowhere:
            wrong.append((call, there, nowhere))
    return wrong


@pytest.mark.parametrize("kind", ["mem", "cand", "obs", "rec", "conf", "evt"])
def test_beside_what_is_one_s_own_a_stranger_s_id_changes_nothing(agent, theirs, document, kind):
    own = {"mem": language(agent)["id"], "rec": agent.ask("post", "recall", {"user": "lin"})["id"]}
    fields = {
        "why": ("get", f"recalls/{own['rec']}/why?memory={theirs[kind]}", None),
        "patch": (
            "patch",
            f"memories/{own['mem']}",
            {"expected_version": 1, "value": "x", "source_type": "user_explicit", "reason": "correction",
             "evidence": {"observation": theirs[kind], "quote": "Yes."}},
        ),
        "propose": (
            "post",
            "candidates",
            {"scope": {"level": "user", "user": "lin"}, "kind": "semantic", "value": "x", "content": "Lin is x.",
             "source_type": "user_explicit", "evidence": {"observation": theirs[kind], "quote": "Yes."}},
        ),
        "observe": ("post", "observations", {"role": "user", "text": "Yes.", "user": "lin", "recall": theirs[kind]}),
    }  # fmt: skip
    before = everything()
    nobody = unknown(theirs[kind])

    for name, (method, path, body) in fields.items():
        other = json.loads(json.dumps((path, body)).replace(theirs[kind], nobody))
        there = answer(agent, (method, path, body), theirs[kind])
        nowhere = answer(agent, (method, *other), nobody)
        assert there == nowhere, name
        assert there[0] in (404, 422), (name, there)
    assert everything() == before


def test_names_of_another_tenant_s_people_and_projects_are_unknown(agent, theirs):
    assert agent.ask("post", "recall", {"user": "lin"})["memories"] == []
    agent.ask("post", "recall", {"user": "lin", "project": "p1"}, status=404)
    assert agent.ask("get", "memories")["results"] == []
