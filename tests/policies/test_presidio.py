"""A Presidio analyzer besides our detectors: a server that speaks its REST interface."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said
from governance.candidates.models import Candidate
from governance.errors import Unavailable
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.policies.detectors import find, presidio, redact
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.retrieval.models import Recall
from governance.scopes.rules import Actor
from tests.factories import a_memory, a_tenant, an_agent
from tests.isolation import fresh_index

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])

NUMBER = "zorbo seven"  # no detector of ours knows it


class Analyzer:
    """Finds one word wherever it stands."""

    def __init__(self) -> None:
        self.entity, self.score, self.status = "KR_RRN", 0.85, 200
        self.answer: Any = None
        self.asked: list[dict[str, Any]] = []

    def found_in(self, text: str) -> Any:
        at = text.find(NUMBER)
        one = {"entity_type": self.entity, "start": at, "end": at + len(NUMBER), "score": self.score}
        return self.answer if self.answer is not None else [one] if at >= 0 else []


@pytest.fixture
def analyzer(settings: Settings) -> Iterator[Analyzer]:
    made = Analyzer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(made.status if self.path == "/analyze" else 404)
            self.end_headers()
            self.wfile.write(json.dumps(made.found_in(made.asked[-1]["text"])).encode())

        def log_message(self, *args: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.PRESIDIO_URL = f"http://127.0.0.1:{server.server_port}/"
    presidio.forget_answers()
    yield made
    server.shutdown()
    presidio.forget_answers()


@pytest.fixture
def agent(settings: Settings, tmp_path: Path) -> Iterator[Actor]:
    for _ in fresh_index(settings, tmp_path):
        yield an_agent(a_tenant())


def test_what_it_finds_is_cut_out_before_anything_is_stored(analyzer: Analyzer, agent: Actor):
    heard = candidates.observe(Said(role="user", text=f"I live in Oslo. My id is {NUMBER}.", user="ann"), by=agent)

    kept = Observation.objects.get(pk=heard.observation.id)
    text = sealing.unseal([kept.content_id])[kept.content_id]["text"]
    assert text == "I live in Oslo. My id is [national id]."
    assert analyzer.asked[0]["language"] == "en" and "KR_RRN" in analyzer.asked[0]["entities"]


@pytest.mark.parametrize("before", ["", "鹮 😀 ", "ＡＢＣ\u200b", "\ud800"])
def test_the_place_it_names_is_that_of_the_text_as_it_was_said(analyzer: Analyzer, before: str):
    assert redact(f"{before}id {NUMBER}!").text == f"{before}id [national id]!"


@pytest.mark.parametrize(("entity", "score"), [("PERSON", 0.99), ("KR_RRN", 0.4)])
def test_names_and_what_it_is_not_sure_of_are_left(analyzer: Analyzer, entity: str, score: float):
    analyzer.entity, analyzer.score = entity, score

    assert find(f"My id is {NUMBER}.") == []


def test_a_text_is_asked_about_once_and_in_each_language(analyzer: Analyzer, settings: Settings):
    settings.PRESIDIO_LANGUAGES = ["en", "zh"]

    for _ in range(3):
        find(f"My id is {NUMBER}.")

    assert [asked["language"] for asked in analyzer.asked] == ["en", "zh"]


def test_without_one_nobody_is_asked(analyzer: Analyzer, settings: Settings):
    settings.PRESIDIO_URL = ""

    assert find(f"My id is {NUMBER}.") == []
    assert analyzer.asked == []


BROKEN = ["no list", [1], [{"entity_type": "US_SSN"}], {"error": "No matching recognizers"}]


@pytest.mark.parametrize("answer", [*BROKEN, None])
def test_what_it_could_not_look_at_is_not_stored(analyzer: Analyzer, agent: Actor, answer: Any):
    analyzer.answer, analyzer.status = answer, 200 if answer is not None else 500

    with pytest.raises(Unavailable) as refused:
        candidates.observe(Said(role="user", text=f"My id is {NUMBER}.", user="ann"), by=agent)

    assert NUMBER not in str(refused.value)
    assert (Observation.objects.count(), Candidate.objects.count()) == (0, 0)


def test_while_it_is_away_recalls_go_on_and_keep_no_question(analyzer: Analyzer, agent: Actor):
    a_memory(agent, "Ann lives in Oslo.", key="profile.home.city", value="Oslo")
    analyzer.status = 500

    found = recall(Question(query="Where does Ann live?", keys=("profile.home.city",), user="ann"), by=agent)

    asked = Recall.objects.get()
    assert [m.view.value for m in found.memories] == ["Oslo"]
    assert sealing.unseal([asked.content_id])[asked.content_id] == {"query": "", "keys": []}
