"""Grant x action x level x endpoint, through HTTP: the table of who may do what to a memory, and to a list."""

import pytest
from django.core.cache import cache

from governance.scopes import actions as scopes
from governance.scopes import queries
from governance.scopes.models import LEVELS, Project
from governance.scopes.rules import ACTIONS, Actor, Grant, ScopeSpec
from tests.factories import EVERYWHERE, a_memory, a_project, a_tenant, an_agent
from tests.flows.world import Agent

# Method and path -> the actions of which one is needed, and what is answered to a key that has it.
OF_A_MEMORY = {
    ("get", "memories/{id}"): ({"recall", "inspect"}, 200),
    ("get", "memories/{id}/versions"): ({"recall", "inspect"}, 200),
    ("get", "memories/{id}/events"): ({"inspect"}, 200),
    ("get", "memories/{id}/trail"): ({"inspect"}, 200),
    ("patch", "memories/{id}"): ({"revise"}, 428),
    ("delete", "memories/{id}"): ({"retract"}, 428),
    ("post", "memories/{id}/restore"): ({"revise"}, 428),
}
OF_A_SCOPE = {
    ("post", "candidates?dry_run=true"): ({"propose"}, 200),
}
OF_A_KEY = {
    ("get", "memories"): {"inspect"},
    ("get", "candidates"): {"propose"},
    ("get", "conflicts"): set(ACTIONS),
    ("get", "keys"): set(ACTIONS),
    ("get", "me"): set(ACTIONS),
}
SPECS = {
    "session": {"level": "session", "user": "ann", "session": "s1"},
    "user": {"level": "user", "user": "ann"},
    "agent": {"level": "agent"},
    "project": {"level": "project", "project": "p1"},
    "tenant": {"level": "tenant"},
}


@pytest.fixture
def bot(db) -> Actor:
    bot = an_agent(a_tenant("acme"), grants=EVERYWHERE)
    a_project(bot, "p1", members=["ann"])
    a_project(bot, "p2", members=["ann"])
    return bot


@pytest.fixture
def memories(bot) -> dict[str, str]:
    return {
        level: a_memory(bot, f"Ann's {level} word.", key="profile.word", scope=ScopeSpec(**spec)).id
        for level, spec in SPECS.items()
    }


def a_key(bot: Actor, *grants: Grant, users: list[str] | None = None) -> Agent:
    agent = queries.agent_of(bot.tenant, bot.agent)
    return Agent(scopes.issue_key(agent, grants=grants, users=users)[1])


def refused(action: str, wanted: set[str], is_within: bool, good: int) -> int:
    return 403 if action not in wanted else good if is_within else 404


@pytest.mark.parametrize("action", ACTIONS)
def test_a_memory_is_reached_by_the_right_action_at_its_own_level_alone(bot, memories, action):
    wrong = []
    for granted in LEVELS:
        key = a_key(bot, Grant(action, granted))
        for level, memory in memories.items():
            for (method, path), (wanted, good) in OF_A_MEMORY.items():
                expected = refused(action, wanted, granted == level, good)
                got = key.send(method, path.format(id=memory), {} if method != "get" else None).status_code
                wrong += [(granted, method, path, level, expected, got)] if got != expected else []

    assert wrong == []


@pytest.mark.parametrize("action", ACTIONS)
def test_a_scope_is_written_to_by_the_right_action_at_its_level_alone(bot, action):
    draft = {
        "kind": "semantic",
        "key": "profile.word",
        "value": "x",
        "content": "Ann's word is x.",
        "source_type": "agent_guess",
    }
    wrong = []
    for granted in LEVELS:
        key = a_key(bot, Grant(action, granted))
        for level, spec in SPECS.items():
            for (method, path), (wanted, good) in OF_A_SCOPE.items():
                expected = refused(action, wanted, granted == level, good)
                got = key.send(method, path, {**draft, "scope": spec}).status_code
                wrong += [(granted, method, path, level, expected, got)] if got != expected else []

    assert wrong == []


@pytest.mark.parametrize("action", ACTIONS)
def test_a_list_is_open_to_keys_that_hold_its_action(bot, action):
    key = a_key(bot, Grant(action, "user"))

    got = {call: key.send(*call).status_code for call in OF_A_KEY}

    assert got == {call: 200 if action in wanted else 403 for call, wanted in OF_A_KEY.items()}


def test_a_grant_for_one_project_reaches_no_other(bot, memories):
    own = {p: queries.find_project(bot.tenant, p).id for p in ("p1", "p2")}

    for (method, path), (wanted, good) in OF_A_MEMORY.items():
        for project, expected in (("p1", good), ("p2", 404)):
            key = a_key(bot, *(Grant(action, "project", own[project]) for action in wanted))
            body = {} if method != "get" else None
            assert key.send(method, path.format(id=memories["project"]), body).status_code == expected
    assert Project.objects.count() == 2


@pytest.mark.parametrize(("users", "is_served"), [(["ann"], True), (["bob"], False), ([], False)])
def test_a_key_bound_to_people_reaches_what_is_theirs_alone(bot, memories, users, is_served):
    grants = [Grant(action, level) for action in ACTIONS for level in LEVELS]
    key = a_key(bot, *grants, users=users)
    cache.clear()

    for (method, path), (_, good) in OF_A_MEMORY.items():
        for level in ("session", "user"):
            got = key.send(method, path.format(id=memories[level]), {} if method != "get" else None).status_code
            assert got == (good if is_served else 404), (method, path, level)


def test_an_agent_s_own_conduct_is_no_other_agent_s(bot, memories):
    grants = [Grant(action, level) for action in ACTIONS for level in LEVELS]
    owner = queries.agent_of(bot.tenant, bot.agent).owner
    other = scopes.create_agent(queries.own_key(bot).agent.tenant, "other", owner=owner)
    key = Agent(scopes.issue_key(other, grants=grants)[1])

    for method, path in OF_A_MEMORY:
        got = key.send(method, path.format(id=memories["agent"]), {} if method != "get" else None).status_code
        assert got == 404, (method, path)
