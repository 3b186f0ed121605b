"""What has the wrong shape is refused, the field named, nothing done, and no word of it said again."""

import io
import json

import pytest
from django.db import OperationalError
from drf_spectacular.generators import SchemaGenerator

from governance.api.parsing import LARGEST, StrictJSONParser
from governance.errors import TooLarge
from governance.ledger.models import Event
from governance.retrieval.models import Recall
from tests.api.test_leaks import operations
from tests.api.told import LIN, correction, everything, language, pointers
from tests.flows.world import Agent

SECRET = "sentinel-9f3c"
GOOD = {"scope": LIN, "kind": "semantic", "key": "language", "value": "English"}


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"kind": SECRET}, "/kind"),
        ({"kind": None}, "/kind"),
        ({"kind": 3}, "/kind"),
        ({"key": 17}, "/key"),
        ({"key": ""}, "/key"),
        ({"key": ["a"]}, "/key"),
        ({"value": None}, "/value"),
        ({"value": ""}, "/value"),
        ({"value": []}, "/value"),
        ({"value": {}}, "/value"),
        ({"content": SECRET * 500}, "/content"),
        ({"content": f"{SECRET}\x00"}, "/content"),
        ({"content": f"{SECRET}\ud800"}, "/content"),
        ({"value": {"a": [f"{SECRET}\x00"]}}, "/value"),
        ({"always": "true"}, "/always"),
        ({"always": 1}, "/always"),
        ({"confidence": "0.5"}, "/confidence"),
        ({"confidence": True}, "/confidence"),
        ({"confidence": 1.5}, "/confidence"),
        ({"tags": SECRET}, "/tags"),
        ({"tags": [SECRET] * 21}, "/tags"),
        ({"tags": [3]}, "/tags"),
        ({"observed_at": SECRET}, "/observed_at"),
        ({"observed_at": "2025-13-01T00:00:00Z"}, "/observed_at"),
        ({"observed_at": "2025-01-01"}, "/observed_at"),
        ({"observed_at": 1735689600}, "/observed_at"),
        ({"observed_at": "2999-01-01T00:00:00Z"}, "/observed_at"),
        ({"valid_from": "0001-01-01"}, "/valid_from"),
        ({"valid_to": "9999-12-31T23:59:59-14:00"}, "/valid_to"),
        ({"valid_to": "20250131"}, "/valid_to"),
        ({"source_type": "reviewer"}, "/source_type"),
        ({"reason": SECRET}, "/reason"),
        ({"validity": "until_date"}, "/valid_to"),
        ({"evidence": SECRET}, "/evidence"),
        ({"evidence": {"quote": 5}}, "/evidence/quote"),
        ({"evidence": {"qoute": SECRET}}, "/evidence/qoute"),
        ({"subjects": [f" {SECRET}"]}, "/subjects"),
        ({"scope": SECRET}, "/scope"),
        ({"scope": {"level": SECRET}}, "/scope/level"),
        ({"scope": {"user": SECRET}}, "/scope/level"),
        ({"scope": {"level": "user"}}, "/scope/user"),
        ({"scope": {"level": "user", "user": 5}}, "/scope/user"),
        ({"scope": {"level": "user", "user": "lin", "project": SECRET}}, "/scope/project"),
        ({"scope": {"level": "user", "user": f"{SECRET} "}}, "/scope/user"),
        ({"scope": {"level": "user", "user": f"{SECRET}\u200b"}}, "/scope/user"),
        ({"scope": {"level": "session", "user": "lin"}}, "/scope/session"),
        ({"user": SECRET}, "/user"),
        ({"obsered_at": "2025-01-01T00:00:00Z"}, "/obsered_at"),
        ({f"a {SECRET} b": 1}, ""),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_done(agent: Agent, changes: dict, pointer: str):
    before = everything()

    body = json.dumps({**GOOD, **changes})
    response = agent.http.post("/api/v1/candidates", body, content_type="application/json")

    assert response.status_code == 422
    assert pointer in pointers(response)
    assert SECRET not in response.content.decode()
    assert everything() == before


@pytest.mark.parametrize("missing", ["scope", "kind", "key", "value"])
def test_a_missing_field_is_named(agent: Agent, missing: str):
    response = agent.send("post", "candidates", {k: v for k, v in GOOD.items() if k != missing})

    assert response.status_code == 422
    assert pointers(response) == [f"/{missing}"]


@pytest.mark.parametrize("value", [0, False, 0.0, {"a": 0}, [False]])
def test_zero_and_false_are_values(agent: Agent, value):
    assert agent.propose(LIN, key="limit", value=value)["value"] == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'"text"',
        b"null",
        b"3",
        b'{"kind": NaN}',
        b'{"value": -Infinity}',
        b'{"value": 1e999}',
        b'{"kind": "semantic", "kind": "episodic"}',
        b'{"value": {"a": 1, "a": 2}}',
        b'{"value": ' + b"[" * 50 + b"]" * 50 + b"}",
        b"[" * 100_000,
        b'{"value": ' + b"9" * 5000 + b"}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
    ],
)
def test_what_two_readers_could_read_differently_is_refused(agent: Agent, body: bytes):
    before = everything()

    response = agent.http.post("/api/v1/candidates", body, content_type="application/json")

    assert response.status_code == 422, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert everything() == before


def test_a_body_over_two_megabytes_is_413(agent: Agent):
    body = json.dumps({**GOOD, "value": "x" * 2_000_001})

    response = agent.http.post("/api/v1/candidates", body, content_type="application/json")

    assert response.status_code == 413
    assert response.json()["type"] == "urn:problem:too-large"


def test_a_form_is_415(agent: Agent):
    response = agent.http.post("/api/v1/candidates", "a=b", content_type="application/x-www-form-urlencoded")

    assert response.status_code == 415


def test_another_method_is_405(agent: Agent):
    response = agent.http.delete("/api/v1/candidates")
    options = agent.http.options("/api/v1/candidates")

    assert (response.status_code, options.status_code) == (405, 405)
    assert response["Allow"] == options["Allow"]
    assert set(response["Allow"].split(", ")) == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize(
    "path",
    [
        "memories/mem_1",
        f"memories/{'x' * 500}",
        "memories/mem_%00",
        "memories/../me",
        "nothing",
        "memories/",
        f"memories/MEM_{'0' * 32}",
        "notices/x",
    ],
)
def test_an_address_that_is_none_is_404(agent: Agent, path: str):
    response = agent.http.get(f"/api/v1/{path}")

    assert response.status_code == 404
    assert response.json()["type"] == "urn:problem:not-found"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=ten", "/limit"),
        ("limit=1&limit=2", "/limit"),
        ("status=gone", "/status"),
        ("stauts=active", "/stauts"),
        ("cursor=abc", "/cursor"),
        ("cursor=WzFd", "/cursor"),
        ("cursor=%F0", "/cursor"),
        ("as_of=yesterday", "/as_of"),
        ("user=lin", "/user"),
        ("level=users", "/level"),
        ("known_at=2025-01-01&status=active", "/status"),
    ],
)
def test_a_wrong_parameter_is_named(agent: Agent, query: str, pointer: str):
    response = agent.http.get(f"/api/v1/memories?{query}")

    assert response.status_code == 422
    assert pointers(response) == [pointer]


@pytest.mark.parametrize(
    ("question", "pointer"),
    [
        ({}, "/user"),
        ({"query": "language?"}, "/user"),
        ({"session": "s-1"}, "/user"),
        ({"user": ""}, "/user"),
        ({"user": "lin", "limit": 0}, "/limit"),
        ({"user": "lin", "limit": "6"}, "/limit"),
        ({"user": "lin", "kinds": ["semantics"]}, "/kinds"),
        ({"user": "lin", "usr": "maria"}, "/usr"),
        ({"user": "lin", "history": "yes"}, "/history"),
        ({"user": "lin", "token_budget": -1}, "/token_budget"),
        ({"user": "lin", "as_of": "soon"}, "/as_of"),
    ],
)
def test_a_question_of_the_wrong_shape_is_refused(agent: Agent, question: dict, pointer: str):
    response = agent.send("post", "recall", question)

    assert response.status_code == 422
    assert pointers(response) == [pointer]


def test_the_order_of_refusals_is_428_then_409_then_422(agent: Agent):
    memory = language(agent)
    wrong = {**correction(agent), "valeu": 1}
    before = everything()

    missing = agent.send("patch", f"memories/{memory['id']}", wrong)
    stale = agent.send("patch", f"memories/{memory['id']}", {**wrong, "expected_version": 7})
    shape = agent.send("patch", f"memories/{memory['id']}", {**wrong, "expected_version": 1})

    assert [r.status_code for r in (missing, stale, shape)] == [428, 409, 422]
    assert everything() == before


def test_half_of_a_surrogate_pair_in_a_session_is_refused(agent: Agent):
    body = b'{"role": "user", "text": "Hi", "user": "lin", "session": "\\ud83d"}'

    response = agent.http.post("/api/v1/observations", body, content_type="application/json")

    assert response.status_code == 422
    assert pointers(response) == ["/session"]


def test_a_fault_of_ours_is_500_without_its_text(agent: Agent, monkeypatch, caplog):
    def fail(*args, **named):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("governance.api.keys.current", fail)

    response = agent.send("get", "keys")

    assert response.status_code == 500
    assert response.json()["type"] == "urn:problem:internal-error"
    assert SECRET not in response.content.decode() + caplog.text
    assert "RuntimeError" in caplog.text
    assert response.json()["request_id"] in caplog.text


def test_a_database_that_does_not_answer_is_503(agent: Agent, monkeypatch):

    def fail(*args, **named):
        raise OperationalError("database is locked")

    monkeypatch.setattr("governance.api.keys.current", fail)

    response = agent.send("get", "keys")

    assert response.status_code == 503
    assert response["Retry-After"] == "1"


@pytest.mark.parametrize(
    "sent",
    [
        "0198f2c0-4a7b-7c3e-9d21-aa54b0c7d9e1",
        "0198f2c04a7b7c3e9d21aa54b0c7d9e1",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ],
)
def test_the_request_id_comes_back_and_stands_in_the_log(agent: Agent, sent: str):
    response = agent.send("post", "candidates", GOOD, X_Request_Id=sent)

    candidate = response.json()["id"]

    assert response["X-Request-ID"] == sent
    assert Event.objects.get(stream=candidate, type="candidate-proposed").correlation == sent


@pytest.mark.parametrize(
    "sent", ["ghp_a8Kd93jfLq02mZx7Yt5Rv1Bn6Wc4Hs0Pq2Te", "11010519491231002X", "u-82-turn-7", "4111111111111111"]
)
def test_a_request_id_that_may_tell_something_comes_back_and_is_kept_nowhere(agent: Agent, sent: str):
    response = agent.send("post", "candidates", GOOD, X_Request_Id=sent)
    recall = agent.send("post", "recall", {"user": "lin", "query": "language"}, X_Request_Id=sent)
    refused = agent.send("get", "nothing", X_Request_Id=sent)

    assert {r["X-Request-ID"] for r in (response, recall, refused)} == {sent}
    assert sent not in refused.content.decode()
    assert sent not in {e.correlation for e in Event.objects.all()} | {r.request_id for r in Recall.objects.all()}
    assert not any(sent.encode() in bytes(e.header) for e in Event.objects.all())
    assert len(Event.objects.get(stream=response.json()["id"], type="candidate-proposed").correlation) == 32


def test_a_hostile_request_id_is_replaced(agent: Agent):
    response = agent.send("get", "nothing", X_Request_Id="a b<script>")

    assert "script" not in response["X-Request-ID"]
    assert response.json()["request_id"] == response["X-Request-ID"]


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/api/v1/me", "evil.example", 400),
        ("/api/v1/me", "a b", 400),
        ("/api/v2/me", "testserver", 404),
        ("/memoriez", "testserver", 404),
        ("/api", "testserver", 404),
    ],
)
def test_what_is_answered_before_an_endpoint_is_reached_is_a_problem_too(
    agent: Agent, path: str, host: str, status: int
):
    response = agent.http.generic("GET", path, HTTP_HOST=host)

    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == status
    assert "evil" not in response.content.decode()


def test_a_fault_outside_an_endpoint_is_a_problem_and_a_line_in_the_log(agent: Agent, monkeypatch, caplog):
    def fail(*args, **named):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("governance.api.limits.tell", fail)
    agent.http.raise_request_exception = False

    response = agent.send("get", "me")

    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert "RuntimeError" in caplog.text and response.json()["request_id"] in caplog.text
    assert SECRET not in response.content.decode()


@pytest.mark.parametrize(
    "name",
    [
        "ghp_a8Kd93jfLq02mZx7Yt5Rv1Bn6Wc4Hs0Pq2Te",
        "Maria",
        "u17",
        "npm_abcdefghijklmnopqrstuvwxyzabcdefghij",
        "my_password_is_hunter",
        "a" * 41,
        "my name is Lin",
    ],
)
def test_the_name_of_an_unknown_field_is_repeated_only_where_it_tells_nothing(agent: Agent, name: str):
    answers = [agent.send("post", path, {**GOOD, name: "x"}) for path in ("candidates", "recall", "observations")]
    asked = agent.http.get("/api/v1/memories", {name: "x"})

    assert {r.status_code for r in (*answers, asked)} == {422}
    assert all(name not in r.content.decode() for r in (*answers, asked))


def test_what_is_left_of_a_body_that_is_too_large_is_taken_off_the_connection():
    sent = io.BytesIO(b"x" * (LARGEST + 3_000_000))

    with pytest.raises(TooLarge):
        StrictJSONParser().parse(sent)

    assert sent.read() == b""


@pytest.mark.parametrize(
    "name",
    [
        "4111 1111 1111 1111",
        "card 4111-1111-1111-1111",
        "passport 533401245",
        "110105 19491231 002X",
        "password: hunter2xx",
    ],
)
def test_a_name_that_tells_a_card_a_passport_an_id_or_a_password_is_refused(agent: Agent, name):
    before = everything()
    bodies = {
        "observations": {"role": "user", "text": "Hello.", "user": name},
        "recall": {"user": "lin", "session": name},
        "candidates": {**GOOD, "scope": {"level": "project", "project": name}},
        "memories/search": {"user": name},
    }

    answers = {path: agent.send("post", path, body) for path, body in bodies.items()}

    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(bodies, 422)
    assert not any(name in answer.content.decode() for answer in answers.values())
    assert everything() == before


@pytest.mark.parametrize("name", ["u-17", "E12345678", "4111111111111112", "lin@example.com"])
def test_an_ordinary_name_passes(agent: Agent, name):
    agent.ask("post", "observations", {"role": "user", "text": "Hello.", "user": name}, status=201)


DOCUMENT = SchemaGenerator().get_schema(request=None, public=True)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        (method, path)
        for method, path, operation in operations(DOCUMENT)
        if not any(p["name"] == "dry_run" for p in operation.get("parameters", ()))
    ],
)
def test_a_dry_run_where_there_is_none_is_refused_and_nothing_done(agent, method, path):
    memory = language(agent)
    before = Event.objects.count(), Recall.objects.count()

    answered = agent.send(method, path.replace("{id}", memory["id"]) + "?dry_run=true", {})

    assert answered.status_code == 422 or (answered.status_code, "{id}" in path) in {(404, True), (428, True)}
    assert answered.status_code != 422 or "/dry_run" in pointers(answered)
    assert (Event.objects.count(), Recall.objects.count()) == before
