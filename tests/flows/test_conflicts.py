"""Claims that cannot hold together: an honest question instead of one value, answered by the user or by a person."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.policies.actions import publish
from governance.scopes.queries import actor_of_member
from tests.flows.world import Agent, World

ANN = {"level": "user", "user": "ann"}
KEY = "environment.prod.database"
EARLIER = datetime.now(UTC) - timedelta(days=30)


@pytest.fixture
def agent(world: World) -> Agent:
    """An agent whose key may list conflicts and speak for business systems, where the deployment platform is the authority of a key."""
    rules = [
        {"id": "deployed", "pattern": "environment.*.database", "labels": {"en": "database", "zh": "数据库"}},
        {"id": "order-state", "pattern": "order.*.state", "labels": {"en": "order state", "zh": "订单状态"}},
    ]
    rules[0]["authority"], rules[1]["authority"] = "deploy-platform", "payment-system"
    publish({"key_rules": rules}, by=actor_of_member(world.owner, world.tenant.id))
    return world.agent(more=["inspect"], sources=["business_system", "project_document", "tool_result"])


def reported(agent: Agent, key: str, value: str, **draft) -> dict:
    """Let the agent pass on what a system says."""
    text = f"{key} = {value}"
    heard = agent.observe("ann", text, role="tool", extract=False)
    evidence = {"observation": heard["id"], "quote": text}
    source = {"source_type": "business_system", "source_ref": "deploy-platform@41", "confidence": 0.95}
    said = {"observed_at": EARLIER.isoformat(), "evidence": evidence, "key": key, "value": value}
    return agent.propose(draft.pop("scope", ANN), **{**source, **said, **draft})


@pytest.fixture
def contested(agent: Agent) -> dict:
    """The platform says MySQL (.95), the user PostgreSQL (.90), about the same environment."""
    assert reported(agent, KEY, "MySQL")["status"] == "committed"
    said = agent.state("ann", "We use PostgreSQL in production", key=KEY, value="PostgreSQL", confidence=0.9)
    assert said["status"] == "merged"
    return agent.ask("get", f"conflicts/{said['conflict']}")


def test_an_authority_is_contradicted_and_both_claims_are_given_with_a_question(agent: Agent, contested: dict):
    answer = agent.recall(user="ann", query="Which database is used in production?")

    assert KEY not in [m["key"] for m in answer["memories"]]
    [rivals] = answer["conflicts"]
    assert rivals["id"] == contested["id"]
    assert [c["value"] for c in rivals["claims"]] == ["MySQL", "PostgreSQL"]
    assert "MySQL" in rivals["question"]
    assert "PostgreSQL" in rivals["question"]
    assert "moved from" in rivals["question"]
    assert rivals["question"] in answer["context"]


def test_the_memory_itself_says_that_it_is_conflicted(agent: Agent, contested: dict):
    assert agent.ask("get", f"memories/{contested['memory']}")["status"] == "conflicted"


def test_a_chat_remark_does_not_change_an_order(agent: Agent):
    reported(agent, "order.77.state", "paid", source_ref="payment-system@9")

    agent.state("ann", "I think order 77 was refunded", key="order.77.state", value="refunded")

    [rivals] = agent.recall(user="ann", keys=["order.77.state"])["conflicts"]
    assert [c["value"] for c in rivals["claims"]] == ["paid", "refunded"]


def test_a_document_is_replaced_by_the_users_later_word_where_nobody_is_the_authority(agent: Agent):
    reported(agent, "team.database", "MySQL", source_type="project_document", source_ref="wiki")

    agent.state("ann", "We use PostgreSQL now", key="team.database", value="PostgreSQL")

    assert agent.values(user="ann", keys=["team.database"]) == ["PostgreSQL"]
    assert agent.ask("get", "conflicts")["results"] == []


def test_dev_and_prod_never_conflict(agent: Agent):
    reported(agent, "environment.dev.database", "MySQL")
    reported(agent, "environment.prod.database", "PostgreSQL")

    found = agent.values(user="ann", keys=["environment.dev.database", "environment.prod.database"])

    assert sorted(found) == ["MySQL", "PostgreSQL"]
    assert agent.ask("get", "conflicts")["results"] == []


def test_the_users_answer_settles_what_no_authority_holds(agent: Agent):
    agent.state("ann", "We use MySQL", key="team.database", value="MySQL", said={"at": EARLIER})
    later = (EARLIER + timedelta(days=5)).isoformat()
    reported(agent, "team.database", "PostgreSQL", source_type="tool_result", source_ref="scan", observed_at=later)
    [conflict] = agent.ask("get", "conflicts")["results"]
    heard = agent.observe("ann", "PostgreSQL is right", extract=False)
    claim = next(c["id"] for c in conflict["claims"] if c["value"] == "PostgreSQL")
    body = {"expected_version": conflict["version"], "choice": claim}
    body |= {"observation": heard["id"], "quote": "PostgreSQL is right"}

    settled = agent.ask("post", f"conflicts/{conflict['id']}/answer", body)

    assert settled["status"] == "resolved"
    assert agent.values(user="ann", keys=["team.database"]) == ["PostgreSQL"]


def test_the_users_answer_about_an_authoritys_key_waits_for_a_person(world: World, agent: Agent, contested: dict):
    heard = agent.observe("ann", "It is PostgreSQL, we migrated", extract=False)
    claim = next(c["id"] for c in contested["claims"] if c["value"] == "PostgreSQL")
    body = {"expected_version": contested["version"], "choice": claim}
    body |= {"observation": heard["id"], "quote": "It is PostgreSQL"}

    asked = agent.ask("post", f"conflicts/{contested['id']}/answer", body)

    assert asked["status"] == "asked"
    [waiting] = agent.ask("get", "candidates?status=pending")["results"]
    world.person("rae", "reviewer").approve(waiting["id"])
    assert agent.values(user="ann", keys=[KEY]) == ["PostgreSQL"]
    assert agent.ask("get", f"conflicts/{contested['id']}")["status"] == "resolved"


@pytest.mark.parametrize("choice", ["none", "claim"])
@pytest.mark.parametrize(
    ("speaker", "role", "text", "quote"),
    [
        ("eve", "user", "PostgreSQL is right", "PostgreSQL is right"),
        ("ann", "assistant", "PostgreSQL is right", "PostgreSQL is right"),
        ("ann", "user", "The weather is nice", "PostgreSQL is right"),
        ("ann", "user", "It is not PostgreSQL", "PostgreSQL"),
    ],
    ids=["a stranger", "the assistant", "never said", "denied"],
)
def test_what_the_person_did_not_say_settles_nothing(agent: Agent, choice, speaker, role, text, quote):
    agent.state("ann", "We use MySQL", key="team.database", value="MySQL", said={"at": EARLIER})
    later = (EARLIER + timedelta(days=5)).isoformat()
    reported(agent, "team.database", "PostgreSQL", source_type="tool_result", source_ref="scan", observed_at=later)
    [conflict] = agent.ask("get", "conflicts")["results"]
    claim = next(c["id"] for c in conflict["claims"] if c["value"] == "PostgreSQL")
    heard = agent.observe(speaker, text, role=role, extract=False)
    body = {"expected_version": conflict["version"], "choice": claim if choice == "claim" else "none"}

    agent.send("post", f"conflicts/{conflict['id']}/answer", {**body, "observation": heard["id"], "quote": quote})

    assert agent.ask("get", f"conflicts/{conflict['id']}")["status"] in ("open", "asked")
    assert agent.values(user="ann", keys=["team.database"]) == []


@pytest.mark.parametrize("quote", ["not there at all", " . "])
def test_an_answer_whose_quote_was_never_said_is_refused_and_leaves_nothing(agent: Agent, contested: dict, quote):
    heard = agent.observe("ann", "It is PostgreSQL", extract=False)
    before = agent.ask("get", "candidates")["results"]
    body = {"expected_version": contested["version"], "choice": "both", "observation": heard["id"], "quote": quote}

    refused = agent.send("post", f"conflicts/{contested['id']}/answer", body)

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/quote"
    assert agent.ask("get", "candidates")["results"] == before
    assert agent.ask("get", f"conflicts/{contested['id']}")["version"] == contested["version"]


def test_an_answer_to_a_conflict_that_moved_is_refused(agent: Agent, contested: dict):
    heard = agent.observe("ann", "PostgreSQL", extract=False)
    body = {"choice": contested["claims"][0]["id"], "observation": heard["id"], "quote": "PostgreSQL"}

    missing = agent.send("post", f"conflicts/{contested['id']}/answer", body)
    stale = agent.send("post", f"conflicts/{contested['id']}/answer", {**body, "expected_version": 99})

    assert missing.status_code == 428
    assert stale.status_code == 409
    assert stale.json()["current_version"] == contested["version"]


def test_somebody_elses_conflict_is_not_there(world: World, contested: dict):
    stranger = World("globex").agent(more=["inspect"])

    assert stranger.send("get", f"conflicts/{contested['id']}").status_code == 404
    assert stranger.ask("get", "conflicts")["results"] == []


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("profile.commute.distance", "5 km", "5000 m"),
        ("project.runtime", "3.9", "Python 3.9"),
        ("project.start", "5 March 2026", "2026-03-05"),
        ("project.budget", "1,000", "1000"),
        ("profile.editor", "ＶＩＭ", "Vim"),
    ],
)
def test_one_value_in_two_spellings_is_one_claim_whoever_says_it(agent: Agent, key: str, one: str, other: str):
    first = reported(agent, key, one, source_ref="", content=f"It is {one}.")

    again = agent.state("ann", f"It is {other}.", key=key, value=other)

    assert again["status"] == "merged"
    assert again["duplicate_of"] == first["memory"]["id"]
    assert agent.values(user="ann", keys=[key]) == [one]
    assert agent.ask("get", "conflicts")["results"] == []


def test_another_number_of_the_same_name_replaces_it(agent: Agent):
    agent.state("ann", "It runs on Python 3.9.", key="project.runtime", value="3.9")
    agent.state("ann", "It runs on Python 3.10.", key="project.runtime", value="Python 3.10")

    assert agent.values(user="ann", keys=["project.runtime"]) == ["Python 3.10"]


def test_what_a_rival_said_before_is_no_third_claim(agent: Agent, contested: dict):
    again = agent.state("ann", "Production runs on postgresql", key=KEY, value="postgresql")

    assert again["conflict"] == contested["id"]
    assert len(agent.ask("get", f"conflicts/{contested['id']}")["claims"]) == 2


def given(agent: Agent, **clocks: str) -> tuple[list, list]:
    """Return the values of the key, and the values in dispute, as an agent is given them."""
    answer = agent.recall(user="ann", keys=[KEY], **clocks)
    return [m["value"] for m in answer["memories"]], [
        [c["value"] for c in one["claims"]] for one in answer["conflicts"]
    ]


def test_what_was_known_before_the_rival_spoke_was_no_dispute_and_during_it_was(agent: Agent):
    made = reported(agent, KEY, "MySQL")
    before = datetime.now(UTC).isoformat()
    said = agent.state("ann", "We use PostgreSQL in production", key=KEY, value="PostgreSQL")
    during = datetime.now(UTC).isoformat()
    later = datetime.now(UTC) + timedelta(seconds=1)
    reported(agent, KEY, "MariaDB", observed_at=later.isoformat(), source_ref="deploy-platform@42")
    assert made["memory"]
    assert said["conflict"]

    assert given(agent, known_at=before) == (["MySQL"], [])
    assert given(agent, known_at=during) == ([], [["MySQL", "PostgreSQL"]])
    assert given(agent, as_of=(later + timedelta(seconds=1)).isoformat()) == (["MariaDB"], [])


def test_only_the_time_that_is_claimed_twice_is_in_dispute(agent: Agent):
    reported(agent, KEY, "MySQL", valid_from="2026-01-01", valid_to="2026-03-31")
    spring = {"valid_from": "2026-04-01", "valid_to": "2026-06-30"}
    agent.state("ann", "From 1 April 2026 until 30 June 2026 it is PostgreSQL", key=KEY, value="PostgreSQL", **spring)
    week = {"valid_from": "2026-03-25", "valid_to": "2026-03-31"}
    agent.state("ann", "From 25 March 2026 until 31 March 2026 it was PostgreSQL", key=KEY, value="PostgreSQL", **week)

    assert given(agent, as_of="2026-02-01T00:00:00Z") == (["MySQL"], [])
    assert given(agent, as_of="2026-03-27T00:00:00Z") == ([], [["MySQL", "PostgreSQL"]])
    assert given(agent, as_of="2026-05-01T00:00:00Z") == (["PostgreSQL"], [])


def test_the_question_names_every_rival(agent: Agent, contested: dict):
    reported(agent, KEY, "Oracle", source_type="tool_result", source_ref="scan@1")

    question = agent.ask("get", f"conflicts/{contested['id']}")["question"]

    assert all(f"“{value}”" in question for value in ("MySQL", "PostgreSQL", "Oracle"))
