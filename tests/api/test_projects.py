"""Projects, who takes part, and the end of sessions."""

from governance.scopes import actions as scopes
from governance.scopes.models import Participation, Project
from governance.scopes.queries import find_project
from governance.scopes.rules import Grant, default_grants
from tests.api.told import everything, pointers
from tests.flows.world import Agent, World


def test_a_project_is_made_and_renamed_by_the_same_call(agent: Agent):
    made = agent.ask("put", "projects", {"project": "apollo"})

    renamed = agent.ask("put", "projects", {"project": "apollo", "name": "Apollo data platform"})

    assert (made["name"], renamed["name"]) == ("apollo", "Apollo data platform")
    assert made["id"] == renamed["id"]
    assert Project.objects.count() == 1


def test_who_takes_part_may_leave_again(agent: Agent):
    agent.ask("put", "projects", {"project": "apollo"})
    member = {"project": "apollo", "user": "lin"}

    assert agent.ask("post", "project-members", {**member, "member": True})["member"] is True
    assert Participation.objects.count() == 1
    assert agent.send("post", "recall", member).status_code == 200
    agent.ask("post", "project-members", {**member, "member": False})

    assert not Participation.objects.exists()
    assert agent.send("post", "recall", member).status_code == 404


def test_membership_is_said_with_a_real_boolean(agent: Agent):
    agent.ask("put", "projects", {"project": "apollo"})
    before = everything()

    response = agent.send("post", "project-members", {"project": "apollo", "user": "lin", "member": "false"})

    assert response.status_code == 422
    assert pointers(response) == ["/member"]
    assert everything() == before


def test_a_closed_project_takes_nothing_more(agent: Agent):
    agent.ask("put", "projects", {"project": "apollo"})

    closed = agent.ask("post", "projects/close", {"project": "apollo"})
    scope = {"level": "project", "project": "apollo"}
    refused = agent.send("post", "candidates", {"scope": scope, "kind": "semantic", "key": "a", "value": 1})

    assert closed["closed_at"]
    assert refused.status_code == 422
    assert pointers(refused) == ["/scope/project"]


def test_an_unknown_project_is_404_everywhere(agent: Agent, stranger: Agent):
    stranger.ask("put", "projects", {"project": "apollo"})
    before = everything()

    answers = [
        agent.send("post", "projects/close", {"project": "apollo"}),
        agent.send("post", "project-members", {"project": "apollo", "user": "lin", "member": True}),
        agent.send("post", "recall", {"project": "apollo", "user": "lin"}),
        agent.send("post", "observations", {"role": "user", "text": "Hi", "user": "lin", "project": "apollo"}),
    ]

    assert [a.status_code for a in answers] == [404] * 4
    assert everything() == before


def test_a_key_for_one_project_manages_no_other(world: World, agent: Agent):
    agent.ask("put", "projects", {"project": "apollo"})
    agent.ask("put", "projects", {"project": "billing"})
    only = Grant("manage", "project", find_project(world.tenant.id, "apollo").id)
    made = scopes.create_agent(world.tenant, "limited", owner=world.owner)
    limited = Agent(scopes.issue_key(made, grants=[*default_grants(), only])[1])
    before = everything()

    assert limited.send("put", "projects", {"project": "billing", "name": "Mine"}).status_code == 404
    assert limited.send("put", "projects", {"project": "new"}).status_code == 404
    assert limited.send("post", "projects/close", {"project": "billing"}).status_code == 404
    assert limited.send("post", "sessions/end", {"user": "lin", "session": "s"}).status_code == 404
    assert everything() == before
    assert limited.send("put", "projects", {"project": "apollo", "name": "Apollo"}).status_code == 200


def test_a_session_ends_and_its_memories_with_it(agent: Agent):
    scope = {"level": "session", "user": "lin", "session": "s-1"}
    agent.state("lin", "For this chat call me Captain.", scope=scope, key="name", value="Captain")
    where = {"user": "lin", "session": "s-1"}
    before = [m["value"] for m in agent.recall(**where)["memories"]]

    ended = agent.ask("post", "sessions/end", where)

    assert before == ["Captain"]
    assert ended["ended_at"]
    assert agent.recall(**where)["memories"] == []


def test_a_session_that_never_was_is_404(agent: Agent):
    assert agent.send("post", "sessions/end", {"user": "lin", "session": "s-9"}).status_code == 404
