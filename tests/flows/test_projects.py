"""Flow 4: a decision of a project is its participants', in every session, and nobody else's."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from tests.flows.world import Agent, World

MONDAY = datetime(2026, 6, 1, 10, tzinfo=UTC)
QUERY = "Which Python version do we use?"


@pytest.fixture
def agent(world: World) -> Agent:
    """Ann takes part in P and Q, Bo in Q alone; in a session of P it was decided to stay on Python 3.9."""
    agent = world.agent(more=["manage"])
    reviewer = world.person("rae", "reviewer")
    with time_machine.travel(MONDAY):
        for project in ("P", "Q"):
            agent.ask("put", "projects", {"project": project, "name": project})
        for project, user in (("P", "ann"), ("Q", "ann"), ("Q", "bo")):
            agent.ask("post", "project-members", {"project": project, "user": user, "member": True})
        decided = agent.state(
            "ann",
            "Stay on Python 3.9.",
            scope={"level": "project", "project": "P"},
            said={"project": "P", "session": "monday"},
            key="project.python.version",
            value="3.9",
        )
        assert (decided["status"], decided["outcome"]) == ("pending", "review")
        reviewer.approve(decided["id"])
    with time_machine.travel(MONDAY + timedelta(days=1)):
        yield agent


def test_it_is_recalled_in_a_new_session_of_the_project_the_next_day(agent: Agent):
    assert agent.values(user="ann", project="P", session="tuesday", query=QUERY) == ["3.9"]


def test_it_is_not_recalled_in_another_project(agent: Agent):
    assert agent.values(user="ann", project="Q", session="tuesday", query=QUERY) == []
    assert agent.values(user="bo", project="Q", query=QUERY) == []


def test_it_is_not_recalled_without_the_project(agent: Agent):
    assert agent.values(user="ann", query=QUERY) == []


def test_somebody_outside_the_project_gets_what_an_unknown_project_gets(agent: Agent):
    outsider = agent.send("post", "recall", {"user": "bo", "project": "P", "query": QUERY})
    unknown = agent.send("post", "recall", {"user": "bo", "project": "no-such", "query": QUERY})

    assert outsider.status_code == unknown.status_code == 404
    assert _told(outsider) == _told(unknown)


def test_leaving_the_user_out_is_refused(agent: Agent):
    refused = agent.send("post", "recall", {"project": "P", "query": QUERY})

    assert refused.status_code == 422
    assert [e["pointer"] for e in refused.json()["errors"]] == ["/user"]


def _told(response) -> dict:
    return {name: value for name, value in response.json().items() if name != "request_id"}
