"""Who asks is told by the key alone; who may not, learns nothing."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from governance.scopes import actions as scopes
from governance.scopes.models import Agent as AgentRow
from governance.scopes.models import ApiKey, KeyUse
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Grant
from tests.api.told import LIN, everything, language
from tests.flows.world import Agent, World


def administrator(world: World):
    return actor_of_member(world.owner, world.tenant.id)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer mgv_unknown",
        "Basic bGluOnNlY3JldA==",
        "Token mgv_000000000000_" + "0" * 38,
        "Bearer \x00",
    ],
)
def test_without_a_valid_key_nothing_is_answered(agent: Agent, header: str | None):
    http = APIClient()
    if header is not None:
        http.credentials(HTTP_AUTHORIZATION=header)

    response = http.get("/api/v1/me")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response["Content-Type"] == "application/problem+json"


def test_a_mistyped_key_is_refused_before_any_look_up(agent: Agent, django_assert_num_queries):
    mistyped = agent.key[:-1] + ("a" if agent.key[-1] != "a" else "b")

    with django_assert_num_queries(0):
        response = Agent(mistyped).send("get", "me")

    assert response.status_code == 401


def test_a_revoked_key_is_refused_at_the_next_request(world: World, agent: Agent):
    scopes.revoke_key(ApiKey.objects.get(), by=administrator(world))

    assert agent.send("get", "me").status_code == 401


def test_the_keys_of_a_suspended_agent_are_refused(world: World, agent: Agent):
    scopes.suspend_agent(AgentRow.objects.get(), True, by=administrator(world))

    assert agent.send("get", "me").status_code == 401


def test_an_expired_key_is_refused(world: World):
    made = scopes.create_agent(world.tenant, "late", owner=world.owner)
    _, text = scopes.issue_key(made, expires_at=timezone.now() - timedelta(seconds=1))

    assert Agent(text).send("get", "me").status_code == 401


def test_the_use_of_a_key_is_noted_once_a_minute(agent: Agent):
    agent.ask("get", "me")
    first = KeyUse.objects.get().last_used_at

    agent.ask("get", "me")

    assert KeyUse.objects.get().last_used_at == first


def test_a_key_learns_what_it_is(world: World):
    agent = world.agent("bound", users=["lin"])

    me = agent.ask("get", "me")

    assert me["tenant"]["name"] == "acme"
    assert me["agent"]["name"] == "bound"
    assert me["users"] == ["lin"]
    assert {"action": "recall", "level": "user", "project": None} in me["grants"]
    assert agent.key not in str(me)


@pytest.mark.parametrize(
    ("action", "method", "path", "body"),
    [
        ("observe", "post", "observations", {"role": "user", "text": "Hello.", "user": "lin"}),
        ("propose", "post", "candidates", {"scope": LIN, "kind": "semantic", "key": "a", "value": 1}),
        ("propose", "get", "candidates", None),
        ("recall", "post", "recall", {"user": "lin"}),
        ("inspect", "get", "memories", None),
        ("inspect", "post", "memories/search", {}),
        ("manage", "put", "projects", {"project": "p"}),
        ("manage", "post", "projects/close", {"project": "p"}),
        ("manage", "post", "sessions/end", {"user": "lin", "session": "s"}),
    ],
)
def test_an_action_that_was_not_granted_at_all_is_403(world: World, action: str, method: str, path: str, body):
    grants = [Grant(a, "user") for a in ("observe", "propose", "recall", "inspect", "manage") if a != action]
    made = scopes.create_agent(world.tenant, "narrow", owner=world.owner)
    narrow = Agent(scopes.issue_key(made, grants=grants)[1])
    before = everything()

    response = narrow.send(method, path, body)

    assert response.status_code == 403
    assert everything() == before


def test_another_agent_s_own_conduct_is_unknown(world: World, agent: Agent):
    other = world.agent("other")
    made = agent.propose({"level": "agent"}, key="habit", value="tests first")

    assert other.send("get", f"candidates/{made['id']}").status_code == 404
    assert other.ask("get", "candidates")["results"] == []


def test_a_key_bound_to_users_reaches_no_other(world: World, agent: Agent):
    memory = language(agent, user="lin")
    bound = world.agent("bound", users=["maria"], more=("inspect",))
    before = everything()

    assert bound.send("get", f"memories/{memory['id']}").status_code == 404
    assert bound.send("delete", f"memories/{memory['id']}", {"expected_version": 1}).status_code == 404
    assert bound.send("post", "recall", {"user": "lin"}).status_code == 404
    assert bound.send("post", "memories/search", {"user": "lin"}).status_code == 404
    assert bound.ask("get", "memories")["results"] == []
    assert everything() == before
