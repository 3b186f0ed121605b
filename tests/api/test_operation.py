"""What surrounds the calls: limits, health, metrics, the document and its page."""

import re

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from governance.api import candidates as candidate_calls
from governance.api import representation
from governance.index.chroma import IndexDown
from governance.ledger import triggers
from tests.api.told import LIN, language
from tests.flows.world import Agent


def test_a_key_is_told_what_is_left_of_its_minute(agent: Agent, settings):
    settings.API_REQUESTS_PER_MINUTE = 10

    first, second = agent.send("get", "keys"), agent.send("get", "nothing")

    assert first["RateLimit-Policy"] == '"key";q=10;w=60'
    assert re.fullmatch(r'"key";r=9;t=\d+', first["RateLimit"])
    assert second["RateLimit"].startswith('"key";r=8;')


def test_beyond_it_nothing_is_done(agent: Agent, settings):
    settings.API_REQUESTS_PER_MINUTE = 1
    agent.send("get", "keys")

    response = agent.send("post", "candidates", {"scope": LIN, "kind": "semantic", "key": "a", "value": 1})

    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 60
    assert response.json()["type"] == "urn:problem:rate-limited"


def test_it_is_alive_and_ready():
    assert Client().get("/healthz").json() == {"status": "alive"}
    ready = Client().get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["status"] == "ready", ready.json()
    assert set(ready.json()["checks"]) >= {"database-default", "database-keyring", "triggers", "outbox", "index"}


def test_without_its_triggers_it_is_not_ready():
    triggers.remove()

    response = Client().get("/readyz")

    triggers.install()
    assert response.status_code == 503
    assert response.json()["status"] == "unready"


def test_without_its_index_it_serves_with_less(monkeypatch):
    def down() -> None:
        raise IndexDown

    monkeypatch.setattr("governance.index.chroma.ping", down)

    response = Client().get("/readyz")

    assert (response.status_code, response.json()["status"]) == (200, "degraded")


def test_without_a_database_it_is_not_ready(monkeypatch):
    class Down:
        def cursor(self) -> None:
            raise DatabaseError("connection to 10.0.0.1 refused")

    monkeypatch.setattr("governance.overview.health.connections", {"default": Down(), "keyring": Down()})

    response = Client().get("/readyz")

    assert response.status_code == 503
    assert "10.0.0.1" not in response.content.decode()


def test_metrics_count_by_route_and_hold_no_ids_or_words(agent: Agent):
    memory = language(agent)

    text = Client().get("/metrics").content.decode()

    assert 'route="api/v1/memories/<own:id>"' in text
    assert 'outbox_owed{topic="index"}' in text
    assert memory["id"] not in text
    assert "lin" not in re.findall(r'="([^"]*)"', text)


def test_the_document_has_no_warnings(capsys, tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))

    assert "Warning" not in capsys.readouterr().err


def test_every_operation_has_a_name_and_only_documented_answers():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    validate_schema(schema)
    operations = [o for path in schema["paths"].values() for o in path.values()]

    names = [o["operationId"] for o in operations]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z_]+", n) for n in names)
    assert all("default" not in o["responses"] and "401" in o["responses"] for o in operations)


@pytest.mark.parametrize("suffix", ["", "?format=json"])
def test_the_document_is_there_for_anyone(suffix: str):
    response = Client().get(f"/api/v1/schema/{suffix}")

    assert response.status_code == 200


def test_the_page_to_try_it_takes_nothing_from_elsewhere():
    response = Client().get("/api/v1/docs/")
    text = response.content.decode()

    assert response.status_code == 200
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert "unsafe-eval" not in response["Content-Security-Policy"]
    assert "<script>" not in text
    assert Client().get("/api/v1/docs/?script=").status_code == 200


def test_what_is_documented_is_what_is_answered(agent: Agent):
    memory = language(agent)
    candidate = agent.ask("get", f"candidates/{memory['candidate']}")

    assert set(memory) == set(representation.MemoryShape().fields) - {"authorises"}
    assert set(candidate) == set(representation.CandidateShape().fields) - {"lane"}
    assert set(candidate_calls.CandidateIn().fields) >= {"scope", "kind", "key", "value", "evidence"}
