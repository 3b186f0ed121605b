"""Whatever field a secret is sent in, it stands in clear nowhere afterwards, and no agent is told it again."""

import copy
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from governance.api.schema import examples
from tests.flows import sentinel as sentinels
from tests.flows.server import Server
from tests.flows.world import Agent, World

CARD, TOKEN, PASSWORD = "4929876543212347", "ghp_" + "q7Rt2Yx9" * 4 + "Wk3z", "Zq9rabbit77"
PLANTED = (f"My card is {CARD}.", f"Use {TOKEN} for it.", f"My password is {PASSWORD}.")
SECRETS = (CARD, TOKEN, PASSWORD)
LIN = {"level": "user", "user": "lin"}
SCOPES = {
    "user": LIN,
    "session": {"level": "session", "user": "lin", "session": "s1"},
    "project": {"level": "project", "project": "atlas"},
}
GRANTS = [f"{a}:{s}" for a in "observe propose recall inspect revise retract forget manage".split() for s in SCOPES]
WITH_AN_AUTHORITY = """
from governance.policies.actions import publish
from governance.scopes.actions import first_administrator
from governance.scopes.models import Tenant
from governance.scopes.queries import actor_of_member
tenant = Tenant.objects.get(name="acme")
rule = {"id": "db", "pattern": "db.*", "labels": {"en": "database"}, "authority": "platform"}
publish({"key_rules": [rule]}, by=actor_of_member(first_administrator(tenant), tenant.id))
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    sources = ("--source", "business_system")
    server.make_agent(*(part for grant in GRANTS for part in ("--grant", grant)), *sources)
    published = server.manage("shell", "-c", WITH_AN_AUTHORITY)
    assert published.returncode == 0, published.stderr
    yield server
    server.stop()


class Talk:
    """What is said to a server, and every answer; an answer that holds a secret fails the test."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.status = 0  # of the last answer
        self.number = 0
        for path, body in (("projects", {"project": "atlas"}), ("project-members", self.member())):
            self.send("put" if path == "projects" else "post", path, body)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        self.status, answer = self.server.send(method, path, body, headers)
        assert self.status < 500, (method, path, body, answer)
        told = json.dumps(answer, ensure_ascii=False)
        assert [s for s in SECRETS if s in told] == [], (method, path, body)
        return answer

    def member(self) -> dict[str, Any]:
        return {"project": "atlas", "user": "lin", "member": True}

    def heard(self, text: str) -> dict[str, str]:
        """Return the evidence of something that Lin said just now."""
        said = self.send("post", "observations", {"role": "user", "text": text, "user": "lin", "extract": False})
        return {"observation": said["id"], "quote": text}

    def stated(self, key: str, value: str, **more: Any) -> Any:
        """Return the answer to a proposal that has its evidence."""
        evidence = self.heard(f"My {key} is {value} from now on.")
        body = {"scope": LIN, "kind": "semantic", "key": key, "value": value, "source_type": "user_explicit"}
        return self.send("post", "candidates", {**body, "evidence": evidence, **more})

    def memory(self) -> str:
        self.number += 1
        memory: str = self.stated(f"boat.n{self.number}", f"Gull {self.number}")["memory"]["id"]
        return memory

    def pending(self) -> str:
        self.number += 1
        guess = {"scope": LIN, "kind": "semantic", "key": f"tea.n{self.number}", "value": "green"}
        pending: str = self.send("post", "candidates", {**guess, "source_type": "agent_guess"})["id"]
        return pending

    def conflict(self) -> dict[str, Any]:
        """Return a conflict that is open: a system says one thing, the user another."""
        self.number += 1
        key = f"db.n{self.number}"
        system = {"source_type": "business_system", "source_ref": "platform@41", "confidence": 0.95}
        self.stated(key, "MySQL", observed_at="2026-08-01T00:00:00Z", **system)
        said = self.stated(key, "PostgreSQL", confidence=0.9)
        conflict: dict[str, Any] = self.send("get", f"conflicts/{said['conflict']}")
        return conflict


# Where free text is taken: there a secret is no reason to refuse.
TAKEN = {
    "propose": "key value content context about source_ref evidence.quote tags.0 note",
    "revise_memory": "value content context tags.0 source_ref evidence.quote note",
    "restore_memory": "note",
    "observe": "text source_ref",
    "file_forget_request": "selector.words selector.keys.0 reason requester",
    "recall": "query keys.0",
    "search_memories": "key",
}


@pytest.mark.thorough
def test_a_secret_sent_in_any_field_stands_in_clear_nowhere_and_is_told_to_nobody(server: Server):
    talk, taken = Talk(server), set()

    for secret, sentence in zip(SECRETS, PLANTED, strict=True):
        for name, method, path, field, has_key in places():
            id_, body = sound(talk, name, field)
            if field[-1] == "quote":
                put(body, (*field[:-1], "observation"), talk.heard(sentence)["observation"])
            put(body, field, sentence)
            place = f"{name} {'.'.join(map(str, field))}"
            headers = {"Idempotency-Key": f"{secret}/{place.replace(' ', '/')}"} if has_key else {}
            talk.send(method, path.replace("{id}", id_), body, **headers)
            taken |= {place} if talk.status < 300 else set()
    listen(talk)

    folders = [f for f in (server.data, server.keys, server.journal.parent, server.log) if f.exists()]
    assert [f for s in SECRETS for f in sentinels.files_holding(s, folders)] == []
    server.stop()
    assert [f for s in SECRETS for f in sentinels.files_holding(s, folders)] == []
    assert {f"{name} {field}" for name, names in TAKEN.items() for field in names.split()} - taken == set()


def listen(talk: Talk) -> None:
    """Ask for everything that an agent is told."""
    for question in ("What is my card?", "Which token?", "What is the password?", *PLANTED):
        for where in ({}, {"session": "s1"}, {"project": "atlas"}):
            asked = {"user": "lin", "query": question, "explain": True, "history": True, "limit": 50}
            talk.send("post", "recall", {**asked, **where})
            assert talk.status == 200
    for listed in ("memories", "candidates", "conflicts", "notices"):
        page = talk.send("get", f"{listed}?limit=100")
        assert talk.status == 200, page


def places() -> Iterator[tuple[str, str, str, tuple[str | int, ...], bool]]:
    """Yield every field of every body: its operation's name, method and path, its way, whether there is a key to send."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    for path, item in document["paths"].items():
        for method in {"post", "put", "patch"} & set(item):
            body = item[method].get("requestBody", {}).get("content", {}).get("application/json")
            has_key = "Idempotency-Key" in {p["name"] for p in item[method].get("parameters", ())}
            for field in fields(resolved(document, body["schema"])) if body else ():
                yield item[method]["operationId"], method, path.removeprefix("/api/v1/"), field, has_key


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a shape without references; of several, the one of a single thing."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            return resolved(document, schema[several][0])
    inner = {name: resolved(document, field) for name, field in schema.get("properties", {}).items()}
    items = {"items": resolved(document, schema["items"])} if "items" in schema else {}
    return {**schema, **({"properties": inner} if inner else {}), **items}


def fields(schema: dict[str, Any], at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where a shape takes text, codes, ids and times among it, or any value."""
    if "properties" in schema:
        for name, field in schema["properties"].items():
            yield from fields(field, (*at, name))
    elif schema.get("type") == "array":
        yield from fields(schema["items"], (*at, 0))
    elif schema.get("type", "string") == "string":
        yield at


def sound(talk: Talk, name: str, field: tuple[str | int, ...]) -> tuple[str, dict[str, Any]]:
    """Return an id and a body that an operation accepts, into which a field is then written."""
    body = copy.deepcopy(examples()[name]["request"])
    id_ = ""
    if name == "propose":
        talk.number += 1
        body |= {"key": f"cat.n{talk.number}", "value": "Tom", "evidence": talk.heard(f"I call cat {talk.number} Tom.")}
    if name in ("revise_memory", "restore_memory"):
        id_ = talk.memory()
        body["expected_version"] = 1
    if name == "revise_memory":
        body["evidence"] = talk.heard("No, answer in German.")
    if name == "confirm_candidate":
        id_ = talk.pending()
        body |= talk.heard("Yes, tea.")
    if name == "answer_conflict":
        conflict = talk.conflict()
        id_, claim = conflict["id"], conflict["claims"][0]["id"]
        body |= {"expected_version": conflict["version"], "choice": claim, **talk.heard("It is MySQL.")}
    if "scope" in field:
        put(body, field[: field.index("scope") + 1], dict(SCOPES.get(str(field[-1]), LIN)))
    if name == "file_forget_request" and field[0] == "selector" and field[1] in ("scope", "memory_ids"):
        body["selector"] = {k: v for k, v in body["selector"].items() if k != "user"}
    return id_, body


def put(body: Any, field: tuple[str | int, ...], value: Any) -> None:
    """Write a value into a body, making what is missing on the way."""
    for name, after in pairwise(field):
        body = body.setdefault(name, [None] if after == 0 else {}) if isinstance(body, dict) else body[name]
        if body == []:
            body.append(None)
    body[field[-1]] = value


def test_a_secret_in_a_form_of_a_person_is_told_to_no_agent(world: World, folders: list[Path]):
    agent = world.agent(more=["inspect", "manage"])
    rita, adam = world.person("rita", "reviewer"), world.person("adam", "administrator")
    cora = world.person("cora", "compliance")

    for number, sentence in enumerate(PLANTED):
        waiting = [guess(agent, f"tea.n{number}-{i}") for i in range(3)]
        rita.decide(waiting[0], "aside", aside="unsure", note=sentence)
        words = dict.fromkeys(("content", "value", "context"), sentence)
        edited = rita.decide(waiting[1], "edit", **words)
        rita.reject(waiting[2], "other", note=sentence)
        rita.page(f"/review/{waiting[0]}/")
        broken = adam.http.post(f"/review/{waiting[0]}/break/", {"why": sentence})
        said = agent.state("lin", f"My boat {number} is called Gull.", key=f"boat.n{number}", value="Gull")
        memory = said["memory"]["id"]
        widened = adam.http.post(f"/memories/{memory}/widen/", {"version": 1, "level": "tenant", "note": sentence})
        changed = rita.http.post(f"/memories/{memory}/edit/", {"version": 1, "note": sentence, **words})
        ruled = adam.http.post("/binding-rules/set/", {"key": f"conduct.n{number}", "rule": sentence})
        wish = {"mode": "erase", "user": f"lin-{world.sentinel}", "requester": sentence, "reason": sentence}
        asked = cora.http.post("/forget/file/", {**wish, "words": sentence})
        held = cora.http.post("/retention/holds/", {"ground": "litigation", "note": sentence})
        assert {answer.status_code for answer in (broken, widened, changed, asked, held)} == {302}
        assert {answer.status_code for answer in (edited, ruled)} == {422}  # may not be stored, even by a person

    told = [agent.recall(user="lin", query=q, history=True, explain=True) for q in ("What?", *PLANTED)]
    told += [agent.ask("get", listed) for listed in ("memories", "candidates", "notices")]
    assert [s for s in SECRETS if s in json.dumps(told, ensure_ascii=False)] == []
    assert "[card]" in json.dumps(told)
    assert [f for s in SECRETS for f in sentinels.files_holding(s, folders)] == []


def guess(agent: Agent, key: str) -> str:
    made = agent.propose({"level": "user", "user": "lin"}, key=key, value="green", source_type="agent_guess")
    candidate: str = made["id"]
    return candidate
