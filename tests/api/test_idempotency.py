"""The same request twice is done once."""

import pytest

from governance.candidates.models import Candidate
from governance.errors import Busy
from governance.evidence.models import Observation
from governance.ledger.models import Event
from governance.scopes import use
from governance.scopes.models import IdempotencyRow
from tests.api.told import LIN, correction, everything, language
from tests.flows.world import Agent, World
from tests.together import at_once

BODY = {"scope": LIN, "kind": "semantic", "key": "language", "value": "English"}


def keyed(agent: Agent, path: str = "candidates", body=BODY, key: str = "turn-1"):
    return agent.send("post", path, body, Idempotency_Key=key)


def test_a_second_request_is_answered_like_the_first(agent: Agent):
    first = keyed(agent)
    before = everything()

    second = keyed(agent)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert everything() == before


def test_quotes_around_the_key_make_no_difference(agent: Agent):
    first = keyed(agent, key="turn-1")

    second = keyed(agent, key='"turn-1"')

    assert second.json()["id"] == first.json()["id"]


def test_the_order_of_fields_makes_no_difference(agent: Agent):
    first = keyed(agent)

    second = keyed(agent, body=dict(reversed(BODY.items())))

    assert second.json()["id"] == first.json()["id"]


def test_another_body_under_the_same_key_is_refused(agent: Agent):
    keyed(agent)
    before = everything()

    response = keyed(agent, body={**BODY, "value": "German"})

    assert response.status_code == 422
    assert response.json()["type"] == "urn:problem:idempotency-key-reused"
    assert everything() == before


def test_the_key_belongs_to_its_caller_and_its_address(world: World, agent: Agent, stranger: Agent):
    first = keyed(agent).json()

    colleague = keyed(world.agent("colleague"))
    foreign = keyed(stranger)
    elsewhere = keyed(agent, "observations", {"role": "user", "user": "lin", "text": "Hi."})

    ids = {first["id"], colleague.json()["id"], foreign.json()["id"], elsewhere.json()["id"]}
    assert len(ids) == 4
    assert elsewhere.status_code == 201


@pytest.mark.parametrize("key", ["", '""', "a b", "ключ", "x" * 256])
def test_a_key_of_another_form_is_refused(agent: Agent, key: str):
    before = everything()

    response = agent.http.post("/api/v1/candidates", BODY, format="json", HTTP_IDEMPOTENCY_KEY=key)

    assert response.status_code == 422
    assert everything() == before


def test_a_refusal_is_not_kept(agent: Agent):
    refused = keyed(agent, body={**BODY, "kind": "?"})

    done = keyed(agent)

    assert (refused.status_code, done.status_code) == (422, 201)
    assert "Idempotency-Replayed" not in done


def test_only_ids_are_kept(agent: Agent):
    made = keyed(agent).json()

    row = IdempotencyRow.objects.get()
    assert row.resources == [made["id"]]
    assert b"English" not in bytes(row.body_mac)
    assert "turn-1" not in row.key_hash


def test_after_a_day_the_key_is_free(agent: Agent):
    first = keyed(agent).json()
    IdempotencyRow.objects.update(expires_at="2001-01-01T00:00:00Z")

    again = keyed(agent)

    assert again.status_code == 201
    assert again.json()["id"] != first["id"]
    assert "Idempotency-Replayed" not in again


def test_old_answers_are_swept(agent: Agent, monkeypatch):
    keyed(agent)
    IdempotencyRow.objects.update(expires_at="2001-01-01T00:00:00Z")
    monkeypatch.setattr(use, "_swept_at", None)

    use.drop_old_answers()

    assert not IdempotencyRow.objects.exists()


def test_a_turn_is_kept_once_with_what_was_found_in_it(agent: Agent):
    turn = {"role": "user", "user": "lin", "text": "From now on answer in English."}
    first = keyed(agent, "observations", turn).json()

    second = keyed(agent, "observations", turn)

    assert second.json() == first
    assert Observation.objects.count() == 1
    assert len(first["candidates"]) == 1


def test_a_list_is_answered_again_and_what_was_not_done_is_done(agent: Agent):
    items = [{**BODY, "key": f"k.{n}"} for n in range(3)]
    first = keyed(agent, body=items).json()["results"]
    last = IdempotencyRow.objects.order_by("-id").first()
    last.delete()
    before = Candidate.objects.count()

    second = keyed(agent, body=items)

    again = second.json()["results"]
    assert [r["body"]["id"] for r in again[:2]] == [r["body"]["id"] for r in first[:2]]
    assert again[2]["body"]["id"] != first[2]["body"]["id"]
    assert Candidate.objects.count() == before + 1
    assert keyed(agent, body=items)["Idempotency-Replayed"] == "true"


def test_another_list_under_the_same_key_is_refused(agent: Agent):
    keyed(agent, body=[BODY, {**BODY, "key": "b"}])

    assert keyed(agent, body=[BODY]).status_code == 422
    assert keyed(agent).status_code == 422


def test_a_restoration_is_done_once(agent: Agent):
    memory = language(agent)
    agent.ask("patch", f"memories/{memory['id']}", {**correction(agent), "expected_version": 1})
    body = {"expected_version": 2, "number": 1}

    first = keyed(agent, f"memories/{memory['id']}/restore", body)
    second = keyed(agent, f"memories/{memory['id']}/restore", body)

    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["version"] == second.json()["version"] == 3
    assert second["ETag"] == '"3"'


def test_a_confirmation_is_done_once(agent: Agent):
    waiting = agent.propose(LIN, key="language", value="English")
    heard = agent.observe("lin", "Yes, answer in English.", extract=False)
    body = {"observation": heard["id"], "quote": "answer in English"}

    first = keyed(agent, f"candidates/{waiting['id']}/confirm", body)
    second = keyed(agent, f"candidates/{waiting['id']}/confirm", body)

    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json() == first.json()


def test_twenty_at_once_make_one(transactional_db, agent: Agent):
    answers = at_once([lambda: keyed(agent.again())] * 20)

    assert {a.status_code for a in answers} == {201}
    assert len({a.json()["id"] for a in answers}) == 1
    assert Candidate.objects.count() == 1
    assert Event.objects.filter(type="candidate-proposed").count() == 1
    assert sum("Idempotency-Replayed" not in a for a in answers) == 1


def test_two_lists_at_once_under_one_key_are_not_both_done(transactional_db, agent: Agent):
    lists = [
        [{"role": "user", "user": "lin", "text": f"{n} of {size}.", "extract": False} for n in range(size)]
        for size in (1, 30)
    ]

    answers = at_once([lambda b=body: keyed(agent.again(), "observations", b) for body in lists])

    assert sorted(a.status_code for a in answers) == [207, 422]
    (done,) = [len(a.json()["results"]) for a in answers if a.status_code == 207]
    assert Observation.objects.count() == done


def test_a_second_request_that_waited_too_long_is_409(agent: Agent, monkeypatch):
    monkeypatch.setattr("governance.api.candidates.actions.propose", busy)
    monkeypatch.setattr("governance.api.idempotency.cache", Cache(first=False))

    response = keyed(agent)

    assert response.status_code == 409
    assert response.json()["type"] == "urn:problem:in-progress"
    assert response["Retry-After"] == "1"


def test_a_first_request_that_waited_too_long_is_503(agent: Agent, monkeypatch):
    monkeypatch.setattr("governance.api.candidates.actions.propose", busy)

    response = keyed(agent)

    assert (response.status_code, response["Retry-After"]) == (503, "1")
    assert not IdempotencyRow.objects.exists()


def busy(*args, **named):
    raise Busy(retry_after=1)


class Cache:
    """One in which somebody else has, or has not, said that the request is in progress."""

    def __init__(self, first: bool) -> None:
        self.first = first

    def add(self, name: str, value: int, seconds: int) -> bool:
        return self.first

    def get(self, name: str, default: bytes) -> bytes:
        return default

    def delete(self, name: str) -> None:
        pass
