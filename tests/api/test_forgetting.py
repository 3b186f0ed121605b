"""Forget requests through the API: filed once, joined, followed, reported; nothing of others."""

import pytest

from governance.erasure import actions
from governance.erasure.models import ForgetRequest
from governance.ledger.models import Event
from governance.ledger.outbox import drain
from tests.flows.world import Agent, World
from tests.web.people import a_member, signed_in

# What is erased is looked for on another connection: it has to be committed.
COMMITTED = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])


def worked() -> None:
    while drain():
        pass


def wish(user: str = "lin", **more) -> dict:
    return {"selector": {"user": user}, "identity_verified": "agent-attested", **more}


@COMMITTED
def test_a_wish_is_filed_planned_approved_by_a_person_and_reported(agent: Agent, world: World):
    memory = agent.state("lin", "From now on answer in English.", key="language", value="English")["memory"]
    filed = agent.send("post", "forget-requests", wish(reason="please"))
    worked()
    planned = ForgetRequest.objects.get()
    actions.approve(planned, plan_hash=planned.plan_hash, by=a_member(world.tenant, "carl", "compliance"))
    worked()

    state = agent.send("get", f"forget-requests/{filed.json()['id']}").json()
    report = agent.send("get", f"forget-requests/{filed.json()['id']}/report").json()
    answer = agent.recall(user="lin", query="which language?")

    assert filed.status_code == 202 and filed.json()["status"] == "verified"
    assert state["status"] == "complete" and state["reports"] == 1
    assert all(s["state"] == "done" and s["left"] == 0 for s in state["stores"])
    assert report["report"]["status"] == "complete" and report["integrity"]["signature"]
    assert answer["memories"] == []
    assert agent.send("get", f"memories/{memory['id']}").status_code in (404, 410)


def test_the_same_wish_is_joined_and_with_one_key_answered_again(agent: Agent):
    agent.state("lin", "From now on answer in English.", key="language", value="English")

    first = agent.send("post", "forget-requests", wish(), idempotency_key="k1")
    again = agent.send("post", "forget-requests", wish(), idempotency_key="k1")
    other = agent.send("post", "forget-requests", wish(), idempotency_key="k2")

    assert first.json()["id"] == again.json()["id"] == other.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in other.headers
    assert ForgetRequest.objects.get().joined == 1


def test_what_matches_nothing_is_refused_with_its_ground(agent: Agent):
    answer = agent.send("post", "forget-requests", wish("nobody"))

    assert answer.status_code == 202
    assert (answer.json()["status"], answer.json()["grounds"]) == ("refused", ["nothing-matched"])


def test_another_agents_request_is_unknown(agent: Agent, stranger: Agent):
    agent.state("lin", "From now on answer in English.", key="language", value="English")
    filed = agent.send("post", "forget-requests", wish()).json()["id"]

    assert stranger.send("get", f"forget-requests/{filed}").status_code == 404
    assert stranger.send("get", f"forget-requests/{filed}/report").status_code == 404


def test_a_selector_that_names_nothing_or_too_much_is_422(agent: Agent):
    for selector in ({}, {"keys": ["language"]}, {"user": "lin", "scope": {"level": "agent"}}, {"users": "lin"}):
        answer = agent.send("post", "forget-requests", {"selector": selector})

        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"].startswith("/selector")
    assert not ForgetRequest.objects.exists()


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u200b", "\u2060 \u3164"])
@pytest.mark.parametrize("name", ["words", "keys", "memory_ids"])
def test_what_narrows_a_request_and_is_blank_never_widens_it_to_the_whole_person(agent: Agent, name, blank):
    agent.state("lin", "From now on answer in English.", key="language", value="English")
    narrowed = {"user": "lin", name: blank if name == "words" else [blank]}

    answer = agent.send("post", "forget-requests", {"selector": narrowed})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith(f"/selector/{name}")
    assert not ForgetRequest.objects.exists()


@COMMITTED
def test_what_was_erased_is_turned_away_until_staff_note_new_consent_on_the_page(agent: Agent, world: World):
    agent.state("lin", "From now on answer in English.", key="language", value="English")
    filed = agent.send("post", "forget-requests", wish()).json()["id"]
    worked()
    planned = ForgetRequest.objects.get()
    a_member(world.tenant, "ada", "auditor")
    officer = a_member(world.tenant, "carl", "compliance")
    actions.approve(planned, plan_hash=planned.plan_hash, by=officer)
    worked()
    turn = {"role": "user", "user": "lin", "text": "From now on answer in English.", "extract": False}
    carl, ada, page = signed_in("carl"), signed_in("ada"), f"/forget/{filed}/"
    before = agent.send("post", "observations", turn)

    refused = ada.post(f"{page}allow/", {"basis": "person-said-so"})
    unsaid = carl.post(f"{page}allow/", {"basis": ""})
    still = agent.send("post", "observations", turn)
    offered, hidden = carl.get(page).content.decode(), ada.get(page).content.decode()
    allowed = carl.post(f"{page}allow/", {"basis": "signed-form"})
    after = agent.send("post", "observations", turn)
    again = carl.post(f"{page}allow/", {"basis": "signed-form"})

    assert (before.status_code, still.status_code, after.status_code) == (409, 409, 201)
    assert before.json()["request"] == filed
    assert (refused.status_code, unsaid.status_code, allowed.status_code, again.status_code) == (403, 422, 302, 409)
    assert "Allow it again" in offered and "Allow it again" not in hidden
    assert "Allow it again" not in carl.get(page).content.decode()
    assert [e.actor for e in Event.objects.filter(type="forget-allowed", stream=filed)] == [officer.id]


@COMMITTED
def test_a_turn_that_was_erased_is_gone_also_for_who_sends_it_again(agent: Agent, world: World):
    turn = {"role": "user", "user": "lin", "text": "I am from Turku.", "extract": False}
    heard = agent.ask("post", "observations", turn, status=201, idempotency_key="once")
    agent.send("post", "forget-requests", wish())
    worked()
    planned = ForgetRequest.objects.get()
    actions.approve(planned, plan_hash=planned.plan_hash, by=a_member(world.tenant, "carl", "compliance"))
    worked()

    assert agent.send("post", "observations", turn, idempotency_key="once").status_code == 410
    assert agent.send("get", f"observations/{heard['id']}/unproposed").status_code == 410
