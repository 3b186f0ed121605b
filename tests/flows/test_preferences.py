"""Flow 2: a preference, a one-off, a guess, a change of mind, and the question what was once preferred."""

from datetime import UTC, datetime

import pytest

from tests.flows.world import Agent

MARIA = {"level": "user", "user": "maria"}
KEY = "preference.code.language"
FIRST, LATER = datetime(2026, 3, 2, 9, tzinfo=UTC), datetime(2026, 5, 20, 9, tzinfo=UTC)


@pytest.fixture
def told(agent: Agent) -> Agent:
    """Maria said in March that she wants Python examples from now on."""
    heard = agent.observe("maria", "From now on give me Python examples.", at=FIRST)
    assert [(c["key"], c["value"], c["status"]) for c in heard["candidates"]] == [(KEY, "Python", "committed")]
    return agent


def test_from_now_on_commits_and_the_agent_s_own_proposal_of_it_is_the_same_memory(told: Agent):
    same = told.state("maria", "From now on give me Python examples.", key=KEY, value="Python")

    assert same["status"] == "merged"
    assert told.values(user="maria", query="which language for examples?") == ["Python"]


def test_this_time_becomes_no_preference(told: Agent):
    heard = told.observe("maria", "Use Go this time.")
    quote = {"observation": heard["id"], "quote": "Use Go this time."}
    proposed = told.propose(MARIA, key=KEY, value="Go", source_type="user_explicit", evidence=quote)

    assert {c["status"] for c in heard["candidates"]} <= {"event_only"}
    assert proposed["status"] == "event_only"
    assert any(r["code"] == "one-off" for r in proposed["reasons"])
    assert told.values(user="maria", query="which language for examples?") == ["Python"]


def test_asking_three_times_is_a_low_confidence_candidate(told: Agent):
    guess = told.state(
        "maria",
        "How do I read a file in Python?",
        kind="episodic",
        content="Maria asked about Python three times.",
        source_type="inferred_behaviour",
        confidence=0.9,
    )

    assert (guess["status"], guess["outcome"], guess["memory"]) == ("pending", "review", None)
    assert guess["confidence"] <= 0.5
    recalled = told.recall(user="maria", query="What did Maria ask about Python?")["memories"]
    assert [m["key"] for m in recalled] == [KEY]


def test_a_change_of_mind_supersedes(told: Agent):
    told.observe("maria", "We moved to TypeScript. I prefer TypeScript.", at=LATER)

    [memory] = told.recall(user="maria", query="which language for examples?")["memories"]

    assert (memory["value"], memory["version"], memory["supersedes"]) == ("TypeScript", 2, 1)
    assert [v["status"] for v in told.versions(memory["id"])] == ["superseded", "active"]


def test_did_i_once_prefer_python_is_answered_with_dates(told: Agent):
    told.observe("maria", "We moved to TypeScript. I prefer TypeScript.", at=LATER)

    answer = told.recall(user="maria", query="Did I once prefer Python?", history=True)

    then = next(m for m in answer["memories"] if m["value"] == "Python")
    assert (then["version"], then["status"]) == (1, "superseded")
    assert datetime.fromisoformat(then["observed_at"]) == FIRST
    assert "2026-03-02" in answer["context"]
    assert "2026-05-20" in answer["context"]


def test_without_history_the_old_one_is_not_given(told: Agent):
    told.observe("maria", "We moved to TypeScript. I prefer TypeScript.", at=LATER)

    answer = told.recall(user="maria", query="Did I once prefer Python?")

    assert "Python" not in [m["value"] for m in answer["memories"]]
