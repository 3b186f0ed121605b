"""Recalls, their traces, and why."""

from tests.api.told import NOBODY, language
from tests.flows.world import Agent, World


def test_a_recall_gives_memories_a_block_and_a_message_for_the_user_role(agent: Agent):
    memory = language(agent)

    answer = agent.recall(user="lin", query="which language?")

    [found] = answer["memories"]
    assert found["id"] == memory["id"]
    assert set(found["parts"]) == {"relevance", "scope", "freshness", "confidence", "kind", "risk"}
    assert isinstance(found["score"], float)
    assert answer["message"] == {"role": "user", "content": answer["context"]}
    assert memory["id"] in answer["context"]
    assert answer["tokens"] <= 800
    assert answer["omitted"] == answer["conflicts"] == []


def test_an_unseen_user_is_answered_like_one_without_memories(agent: Agent):
    agent.observe("maria", "Good morning.", extract=False)

    unseen, empty = agent.recall(user="nobody"), agent.recall(user="maria")

    names = set(unseen) - {"id", "timings"}
    assert {n: unseen[n] for n in names} == {n: empty[n] for n in names}


def test_times_without_an_offset_are_meant_in_the_tenants_zone(agent: Agent):
    language(agent)

    assert agent.recall(user="lin", as_of="2001-01-01")["memories"] == []
    assert agent.recall(user="lin", as_of="2001-01-01T10:00")["memories"] == []
    assert agent.recall(user="lin", known_at="2001-01-01T10:00:00+02:00")["memories"] == []


def test_a_recall_can_be_looked_at_again_by_its_own_agent_alone(world: World, agent: Agent, stranger: Agent):
    language(agent)
    answer = agent.recall(user="lin", query="which language?")

    trace = agent.ask("get", f"recalls/{answer['id']}")

    assert trace["query"] == "which language?"
    assert [h["fate"] for h in trace["hits"]] == ["shown"]
    for other in (stranger, world.agent("other")):
        assert other.send("get", f"recalls/{answer['id']}").status_code == 404
        assert other.send("get", f"recalls/rec_{NOBODY}").status_code == 404


def test_why_a_memory_was_or_was_not_there(agent: Agent, stranger: Agent):
    lins, marias = language(agent), language(agent, user="maria")
    recall = agent.recall(user="lin")["id"]

    there = agent.ask("get", f"recalls/{recall}/why?memory={lins['id']}")
    outside = agent.send("get", f"recalls/{recall}/why?memory={marias['id']}")
    unknown = agent.send("get", f"recalls/{recall}/why?memory=mem_{NOBODY}")
    unnamed = agent.send("get", f"recalls/{recall}/why")

    assert there["shown"] is True
    assert outside.status_code == unknown.status_code == 404
    assert outside.json()["detail"] == unknown.json()["detail"]
    assert unnamed.status_code == 422
    assert stranger.send("get", f"recalls/{recall}/why?memory={lins['id']}").status_code == 404


def test_the_catalogue_of_keys_is_there_for_every_key(agent: Agent):
    catalogue = agent.ask("get", "keys")

    rule = next(r for r in catalogue["results"] if r["id"] == "language")
    assert rule["labels"] == {"en": "language", "zh": "语言"}
    assert rule["cardinality"] == "single"
    assert "allergy.*" in catalogue["always_keys"]


def test_a_block_comes_in_sections_where_it_is_asked_for(agent: Agent):
    language(agent)

    sections = agent.recall(user="lin", query="which language?", form="sections")
    wrong = agent.send("post", "recall", {"user": "lin", "query": "which language?", "form": "prose"})

    assert "\n## User\n- [mem_" in sections["context"]
    assert wrong.status_code == 422
    assert [e["pointer"] for e in wrong.json()["errors"]] == ["/form"]
