"""Flow 1: a preference is stated, corrected, taken back; every step a version with its source."""

from tests.flows.world import Agent

USER = {"level": "user", "user": "lin"}


def stated(agent: Agent) -> dict:
    made = agent.state("lin", "以后请用中文回答。", key="language", value="中文")
    assert made["status"] == "committed"
    return made["memory"]


def corrected(agent: Agent, memory: dict) -> dict:
    said = agent.observe("lin", "Sorry, I meant English.", extract=False)
    body = {
        "expected_version": memory["version"],
        "value": "English",
        "source_type": "user_explicit",
        "reason": "correction",
        "evidence": {"observation": said["id"], "quote": "I meant English"},
    }
    return agent.ask("patch", f"memories/{memory['id']}", body) | {"observation": said["id"]}


def test_what_is_stated_becomes_version_1(agent: Agent):
    memory = stated(agent)

    [version] = agent.versions(memory["id"])

    assert (version["version"], version["reason"], version["value"]) == (1, "created", "中文")


def test_a_correction_makes_version_2_and_history_keeps_both_with_their_sources(agent: Agent):
    memory = stated(agent)

    revised = corrected(agent, memory)

    history = agent.versions(memory["id"])
    assert [(v["version"], v["reason"]) for v in history] == [(1, "created"), (2, "correction")]
    assert [v["value"] for v in history] == ["中文", "English"]
    assert history[1]["source"]["evidence"] == [{"observation": revised["observation"], "quote": "I meant English"}]
    assert (history[1]["supersedes"], history[0]["superseded_by"]) == (1, 2)
    assert agent.values(user="lin", query="which language?") == ["English"]


def test_the_sentence_follows_the_new_value(agent: Agent):
    memory = stated(agent)

    revised = corrected(agent, memory)

    assert "English" in revised["content"]
    assert "中文" not in revised["content"]


def test_another_user_finds_nothing(agent: Agent):
    corrected(agent, stated(agent))
    agent.observe("maria", "Good morning.")

    assert agent.values(user="maria", query="which language?") == []


def test_a_retraction_is_version_3_and_recall_is_empty(agent: Agent):
    memory = stated(agent)
    corrected(agent, memory)

    tombstone = agent.ask("delete", f"memories/{memory['id']}", {"expected_version": 2})

    assert (tombstone["version"], tombstone["status"]) == (3, "retracted")
    assert agent.versions(memory["id"])[-1]["reason"] == "delete-request"
    assert agent.values(user="lin", query="which language?") == []
    assert agent.values(user="lin", keys=["language"]) == []


def test_a_stale_version_is_409_with_the_latest_and_none_is_428(agent: Agent):
    memory = stated(agent)
    corrected(agent, memory)
    path, change = f"memories/{memory['id']}", {"value": "Deutsch", "source_type": "user_explicit"}

    stale = agent.send("patch", path, change | {"expected_version": 1})
    missing = agent.send("patch", path, change)
    stale_deletion = agent.send("delete", f"{path}?expected_version=1")

    assert (stale.status_code, stale.json()["current_version"]) == (409, 2)
    assert missing.status_code == 428
    assert stale_deletion.status_code == 409
    assert [v["value"] for v in agent.versions(memory["id"])] == ["中文", "English"]


def test_a_need_that_is_no_more_waits_to_be_taken_back(agent: Agent):
    agent.observe("lin", "I'm vegetarian.")

    (found,) = agent.observe("lin", "I'm no longer vegetarian.")["candidates"]

    assert (found["status"], found["value"]) == ("pending", "vegetarian")
    assert "relied-on" in {r["code"] for r in found["reasons"]}
    assert agent.values(user="lin", keys=["diet.type"]) == ["vegetarian"]


def test_what_is_no_more_is_taken_back_where_it_is_what_is_remembered(agent: Agent):
    agent.observe("lin", "I live in Rome.")
    agent.observe("lin", "I no longer live in Berlin.")
    before = agent.values(user="lin", keys=["profile.home.city"])

    agent.observe("lin", "I no longer live in Rome.")

    assert before == ["Rome"]
    assert agent.values(user="lin", keys=["profile.home.city"]) == []
