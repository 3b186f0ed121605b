"""The trail of a memory through the API: all that led to it and came of it, for keys that may inspect; no words."""

from governance.memories.models import Memory
from governance.overview import trail
from tests.api.told import NOBODY, correction, language
from tests.flows.world import Agent


def test_a_trail_leads_from_the_words_said_to_the_recalls_that_were_given_it(agent: Agent):
    memory = language(agent)
    agent.ask("patch", f"memories/{memory['id']}", correction(agent) | {"expected_version": 1})
    recall = agent.recall(user="lin", query="which language?")

    found = agent.ask("get", f"memories/{memory['id']}/trail")

    said = [v["source"]["evidence"][0]["observation"] for v in agent.versions(memory["id"])]
    assert [(v["version"], v["reason"]) for v in found["versions"]] == [(1, "created"), (2, "correction")]
    assert [v["observation"] for v in found["versions"]] == said
    assert found["events"] == sorted(found["events"], key=lambda e: e["seq"])
    own = [e for e in found["events"] if e["stream"] == memory["id"]]
    assert own == agent.ask("get", f"memories/{memory['id']}/events")["results"]
    assert {e["stream"] for e in found["events"]} == {memory["id"], *(v["candidate"] for v in found["versions"])}
    assert [(e["version"], e["placed"]) for e in found["index"]] == [(1, True), (2, True)]
    assert [(r["recall"], r["version"], r["fate"]) for r in found["recalls"]] == [(recall["id"], 2, "shown")]
    assert (found["summaries"], found["sources"], found["cut"]) == ([], [], [])


def test_the_same_said_again_stands_in_the_trail_as_further_evidence(agent: Agent):
    memory = language(agent)
    again = agent.state("lin", "As I said, always answer in English.", key="language", value="English")
    assert again["duplicate_of"] == memory["id"], again["reasons"]

    found = agent.ask("get", f"memories/{memory['id']}/trail")

    assert [(e["version"], e["candidate"]) for e in found["evidence"]] == [(1, again["id"])]


def test_a_trail_holds_no_words(agent: Agent):
    memory = language(agent, "Klingon")
    agent.recall(user="lin", query="which Klingon?")

    found = agent.send("get", f"memories/{memory['id']}/trail").content.decode()

    assert "Klingon" not in found and "lin" not in found.replace("line", "")


def test_of_a_long_trail_the_newest_stand_there_and_the_answer_says_so(agent: Agent, monkeypatch):
    memory = language(agent)
    agent.ask("patch", f"memories/{memory['id']}", correction(agent) | {"expected_version": 1})
    monkeypatch.setattr(trail, "MOST", 1)

    found = agent.ask("get", f"memories/{memory['id']}/trail")

    assert [v["version"] for v in found["versions"]] == [2]
    assert found["cut"] == ["versions", "events"]


def test_a_trail_takes_the_same_number_of_queries_however_long_it_is(agent: Agent, django_assert_num_queries):
    memory = language(agent)
    for version, value in enumerate(("German", "Dutch", "Danish"), 1):
        changed = correction(agent, value) | {"expected_version": version}
        agent.ask("patch", f"memories/{memory['id']}", changed)
        agent.recall(user="lin", query="which language?")
    row = Memory.objects.get(pk=memory["id"])
    with django_assert_num_queries(7):
        trail.trail_of(row)


def test_of_an_unknown_memory_and_of_another_tenants_there_is_no_trail(agent: Agent, stranger: Agent):
    memory = language(agent)

    assert stranger.send("get", f"memories/{memory['id']}/trail").status_code == 404
    assert agent.send("get", f"memories/mem_{NOBODY}/trail").status_code == 404
