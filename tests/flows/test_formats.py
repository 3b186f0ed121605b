"""Flow 6: an output format, another a week later."""

from datetime import UTC, datetime, timedelta

from tests.flows.world import Agent

MONDAY = datetime(2026, 6, 1, 10, tzinfo=UTC)
QUERY = "Export the table: which file format?"


def told(agent: Agent) -> dict:
    """Tom asks for CSV, and a week later for Parquet; the second observation is returned."""
    agent.observe("tom", "From now on give me the output as CSV.", at=MONDAY)
    return agent.observe("tom", "From now on give me the output as Parquet.", at=MONDAY + timedelta(days=7))


def test_only_the_later_one_is_recalled_with_its_source(agent: Agent):
    heard = told(agent)

    [memory] = agent.recall(user="tom", query=QUERY)["memories"]

    assert memory["value"] == "Parquet"
    assert memory["source"]["type"] == "user_explicit"
    assert [e["observation"] for e in memory["source"]["evidence"]] == [heard["id"]]
    assert datetime.fromisoformat(memory["observed_at"]) == MONDAY + timedelta(days=7)


def test_the_earlier_one_is_in_its_history(agent: Agent):
    told(agent)
    [memory] = agent.recall(user="tom", query=QUERY)["memories"]

    assert [(v["version"], v["value"], v["status"]) for v in agent.versions(memory["id"])] == [
        (1, "CSV", "superseded"),
        (2, "Parquet", "active"),
    ]


def test_the_block_says_nothing_of_the_earlier_one(agent: Agent):
    told(agent)

    answer = agent.recall(user="tom", query=QUERY)

    assert "Parquet" in answer["context"]
    assert "CSV" not in answer["context"]
