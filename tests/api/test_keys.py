"""The catalogue of keys says all that the policy in force says of them."""

from dataclasses import fields

from governance.policies import actions as policies
from governance.policies.queries import current
from governance.policies.rules import DEFAULT, KeyRule
from governance.scopes.queries import actor_of_member
from tests.flows.world import Agent, World


def test_the_default_catalogue_is_whole(agent: Agent):
    answer = agent.ask("GET", "keys")

    assert answer["policy_version"] == 1
    assert [rule["id"] for rule in answer["results"]] == [rule.id for rule in DEFAULT.key_rules]
    assert all(set(rule) == {f.name for f in fields(KeyRule)} for rule in answer["results"])
    language = next(rule for rule in answer["results"] if rule["id"] == "language")
    assert language["labels"] == {"en": "language", "zh": "语言"}
    assert "what language" in language["aliases"]
    assert answer["always_keys"] == list(DEFAULT.always_keys)
    assert answer["trust"][:2] == [["business_system"], ["reviewer", "user_explicit"]]


def test_a_published_rule_is_in_the_catalogue_at_once(world: World, agent: Agent):
    rule = {
        "id": "deployed",
        "pattern": "deployed.*",
        "labels": {"en": "what runs", "zh": "已部署"},
        "aliases": ["running version"],
        "cardinality": "multi",
        "half_life_days": 2.0,
        "authority": "deploy-platform",
        "trust": {"business_system": 2, "tool_result": 2, "agent_guess": 1},
    }
    policies.publish({"key_rules": [rule]}, by=actor_of_member(world.owner, world.tenant.id))

    answer = agent.ask("GET", "keys")

    assert answer["policy_version"] == current(world.tenant.id).number == 2
    assert answer["results"][0] == {**rule, "trust": [["business_system", "tool_result"], ["agent_guess"]]}
