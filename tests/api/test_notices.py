"""What an agent is told of: decisions of others on its proposals, conflicts in which it made a claim; until it says so."""

import pytest

from governance.candidates import actions as candidates
from governance.candidates.models import Candidate
from governance.overview.models import NoticeAck
from governance.scopes.queries import actor_of_key
from tests.api.told import NOBODY
from tests.factories import a_conflict, a_memory
from tests.flows.world import Agent, World
from tests.web.people import a_member


@pytest.fixture
def rita(world: World):
    return a_member(world.tenant, "rita", "reviewer")


def guess(agent: Agent, key: str = "profile.working_hours") -> dict:
    return agent.propose(
        {"level": "user", "user": "lin"},
        key=key,
        value="night",
        content="Lin works at night.",
        source_type="agent_guess",
    )


def told(agent: Agent, path: str = "notices") -> list[dict]:
    return agent.ask("get", path)["results"]


def approve(candidate: dict, by) -> None:
    candidates.approve(Candidate.objects.get(pk=candidate["id"]), expected=candidate["version"], by=by)


def test_a_person_s_decision_is_told(agent, rita):
    made = guess(agent)
    approve(made, rita)

    (notice,) = told(agent)

    assert notice["type"] == "candidate-committed"
    assert notice["candidate"] == made["id"]
    assert agent.ask("get", f"memories/{notice['memory']}")["version"] == notice["version"]


def test_a_rejection_is_told_with_its_reason(agent, rita):
    made = guess(agent)
    candidates.reject(Candidate.objects.get(pk=made["id"]), expected=1, by=rita, reason="not-true", note="Lin said so.")

    (notice,) = told(agent)

    assert (notice["type"], notice["reason"]) == ("candidate-rejected", "not-true")
    assert "Lin" not in str(notice)


def test_what_it_did_itself_is_no_news(agent):
    agent.state("lin", "From now on answer in German.", key="language", value="German")

    assert told(agent) == []


def test_a_notice_goes_once_it_is_acknowledged(agent, rita):
    for number in range(3):
        approve(guess(agent, f"profile.n{number}"), rita)
    first, second, third = told(agent)

    answer = agent.ask("post", f"notices/{second['id']}/ack")

    assert answer["id"] == second["id"]
    assert [n["id"] for n in told(agent)] == [first["id"], third["id"]]
    assert [n["id"] for n in told(agent, f"notices?after={first['id']}")] == [third["id"]]


def test_acknowledging_twice_is_once(agent, rita):
    approve(guess(agent), rita)
    (notice,) = told(agent)

    once, twice = (agent.ask("post", f"notices/{notice['id']}/ack") for _ in range(2))

    assert once == twice
    assert NoticeAck.objects.count() == 1


def test_another_agent_is_told_nothing_of_it(agent, world, stranger, rita):
    approve(guess(agent), rita)
    (notice,) = told(agent)

    for other in (world.agent("other"), stranger):
        assert told(other) == []
        other.ask("post", f"notices/{notice['id']}/ack", status=404)
        other.ask("get", f"notices?after={notice['id']}", status=404)
    assert not NoticeAck.objects.exists()


def test_an_unknown_notice_is_not_found(agent):
    agent.ask("post", f"notices/evt_{NOBODY}/ack", status=404)
    agent.ask("get", f"notices?after=evt_{NOBODY}", status=404)


def test_pages_of_notices_hold_all(agent, rita):
    for number in range(3):
        approve(guess(agent, f"profile.n{number}"), rita)

    page = agent.ask("get", "notices?limit=2")

    rest = agent.ask("get", page["next"].split("/api/v1/")[1])
    assert len({n["id"] for n in page["results"] + rest["results"]}) == 3


def test_a_conflict_about_what_it_wrote_is_told(agent, world):
    memory = a_memory(actor_of_key(agent.key), "Lin lives in Rome.", key="profile.city", value="Rome")
    conflict = a_conflict(actor_of_key(world.agent("other").key), memory, "Oslo")

    news = told(agent)

    assert [n["type"] for n in news][:1] == ["conflict-opened"]
    assert {n["conflict"] for n in news} == {conflict.id}
