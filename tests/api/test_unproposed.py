"""At the end of a turn an agent learns what the user stated and it did not propose."""

from tests.api.told import NOBODY
from tests.flows.world import Agent, World

TURN = "I live in Ghent. I prefer window seats. Can you check the weather?"


def test_what_was_stated_and_not_proposed_is_listed(agent: Agent):
    heard = agent.observe("lin", TURN, extract=False)
    evidence = {"observation": heard["id"], "quote": "I live in Ghent"}
    agent.propose(
        {"level": "user", "user": "lin"},
        key="home",
        value="Ghent",
        content="Lives in Ghent.",
        source_type="user_explicit",
        evidence=evidence,
    )

    found = agent.ask("get", f"observations/{heard['id']}/unproposed")["unproposed"]

    assert [(s["key"], s["value"], s["quote"]) for s in found] == [
        ("preference.travel.seat", "window", "I prefer window seats")
    ]


def test_what_is_listed_can_be_proposed_as_it_stands(agent: Agent):
    heard = agent.observe("lin", "I prefer window seats.", extract=False)
    [missed] = agent.ask("get", f"observations/{heard['id']}/unproposed")["unproposed"]
    told = {name: missed[name] for name in ("kind", "key", "value", "content")}

    made = agent.propose(
        missed["scope"],
        **told,
        source_type="user_explicit",
        evidence={"observation": heard["id"], "quote": missed["quote"]},
    )

    assert made["status"] == "committed"
    assert agent.ask("get", f"observations/{heard['id']}/unproposed")["unproposed"] == []


def test_a_turn_that_the_rules_read_leaves_nothing_over(agent: Agent):
    heard = agent.observe("lin", TURN)

    assert agent.ask("get", f"observations/{heard['id']}/unproposed")["unproposed"] == []


def test_nobody_reads_another_agents_turn(world: World, agent: Agent):
    heard = agent.observe("lin", TURN, extract=False)
    other = world.agent("other")

    foreign = other.send("get", f"observations/{heard['id']}/unproposed")
    unknown = other.send("get", f"observations/obs_{NOBODY}/unproposed")

    assert (foreign.status_code, unknown.status_code) == (404, 404)
