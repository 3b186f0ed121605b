"""Both clocks through the API: what held at T, what was known at T, whatever the order in which it was said."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from tests.flows.world import Agent, World

KEY = "project.database"


def on(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent()


def held(agent: Agent, user: str, at: str, **more: str):
    """Return what an agent is given for the key as of a day; None for nothing, the values for a conflict."""
    answer = agent.recall(user=user, keys=[KEY], as_of=on(at).isoformat(), **more)
    if answer["conflicts"]:
        return sorted(c["value"] for c in answer["conflicts"][0]["claims"])
    return answer["memories"][0]["value"] if answer["memories"] else None


SAID = [
    ("MySQL", "2026-01-10", {}),
    ("PostgreSQL", "2026-03-10", {}),
    ("SQLite", "2026-05-10", {}),
]


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_whatever_arrives_first_the_same_holds_at_every_time(agent: Agent, order: tuple[int, ...]):
    for n in order:
        value, day, times = SAID[n]
        agent.state("ann", f"We moved to {value} now", key=KEY, value=value, said={"at": on(day)}, **times)

    at = ("2026-01-01", "2026-02-01", "2026-04-01", "2026-06-01")
    assert [held(agent, "ann", day) for day in at] == [None, "MySQL", "PostgreSQL", "SQLite"]


def test_periods_that_come_back_are_two_versions_of_one_memory(agent: Agent):
    for value, since, until in (
        ("MySQL", "2026-01-01", "2026-03-31"),
        ("PostgreSQL", "2026-04-01", "2026-08-31"),
        ("MySQL", "2026-09-01", "2026-11-30"),
    ):
        times = {"valid_from": since, "valid_to": until, "said": {"at": on("2026-01-01")}}
        made = agent.state("ann", f"We use {value} from {since} until {until}", key=KEY, value=value, **times)
        assert made["status"] == "committed", made

    at = ("2026-02-01", "2026-03-31", "2026-05-01", "2026-10-01", "2026-11-30", "2026-12-01")
    assert [held(agent, "ann", day) for day in at] == ["MySQL", "MySQL", "PostgreSQL", "MySQL", "MySQL", None]
    assert [v["value"] for v in agent.versions(made["memory"]["id"])] == ["MySQL", "PostgreSQL", "MySQL"]


def test_the_middle_of_a_period_that_comes_back_may_be_said_last(agent: Agent):
    whole = {"valid_from": "2026-01-01", "valid_to": "2026-11-30"}
    agent.state(
        "ann",
        "From 1 January 2026 until 30 November 2026 we use MySQL",
        key=KEY,
        value="MySQL",
        said={"at": on("2026-01-02")},
        **whole,
    )
    summer = {"valid_from": "2026-04-01", "valid_to": "2026-08-31"}
    agent.state(
        "ann",
        "From 1 April 2026 until 31 August 2026 we use PostgreSQL",
        key=KEY,
        value="PostgreSQL",
        said={"at": on("2026-02-01")},
        **summer,
    )

    at = ("2026-03-31", "2026-04-01", "2026-08-31", "2026-09-01", "2026-12-01")
    assert [held(agent, "ann", day) for day in at] == ["MySQL", "PostgreSQL", "PostgreSQL", "MySQL", None]


def test_the_same_value_for_another_time_is_a_version_and_no_duplicate(agent: Agent):
    agent.state(
        "ann",
        "From 1 January 2026 until 31 March 2026 we use MySQL",
        key=KEY,
        value="MySQL",
        valid_from="2026-01-01",
        valid_to="2026-03-31",
    )
    later = agent.state(
        "ann",
        "From 1 September 2026 until 30 November 2026 we use MySQL",
        key=KEY,
        value="MySQL",
        valid_from="2026-09-01",
        valid_to="2026-11-30",
    )

    assert later["status"] == "committed"
    assert [held(agent, "ann", day) for day in ("2026-02-01", "2026-06-01", "2026-10-01")] == ["MySQL", None, "MySQL"]


def test_what_was_believed_wrongly_and_corrected_is_answered_as_it_was_believed(agent: Agent):
    first = agent.state("ann", "We use MySQL", key=KEY, value="MySQL", said={"at": on("2026-01-10")})
    before = datetime.now(UTC)
    heard = agent.observe("ann", "Sorry, I meant PostgreSQL", extract=False)
    change = {"expected_version": 1, "value": "PostgreSQL", "content": "We use PostgreSQL", "reason": "correction"}
    evidence = {"observation": heard["id"], "quote": "Sorry, I meant PostgreSQL"}
    patch = {**change, "source_type": "user_explicit", "evidence": evidence}
    agent.ask("patch", f"memories/{first['memory']['id']}", patch)

    assert held(agent, "ann", "2026-02-01") == "PostgreSQL"
    assert held(agent, "ann", "2026-02-01", known_at=before.isoformat()) == "MySQL"
    early = before - timedelta(days=1)
    assert held(agent, "ann", "2026-02-01", known_at=early.isoformat()) is None


def test_a_retracted_value_is_given_for_no_time_but_was_known_then_to_nobody_who_asks(agent: Agent):
    made = agent.state("ann", "We use MySQL", key=KEY, value="MySQL", said={"at": on("2026-01-10")})
    before = datetime.now(UTC)
    agent.ask("delete", f"memories/{made['memory']['id']}", {"expected_version": 1})

    assert held(agent, "ann", "2026-02-01") is None
    assert held(agent, "ann", "2026-02-01", known_at=before.isoformat()) is None


def test_a_change_for_the_future_waits_and_the_end_of_a_day_is_inclusive(agent: Agent):
    said = {"at": on("2026-08-20")}
    agent.state("ann", "MySQL until 31 August", key=KEY, value="MySQL", valid_to="2026-08-31", said=said)
    agent.state("ann", "PostgreSQL from 1 September", key=KEY, value="PostgreSQL", valid_from="2026-09-01", said=said)

    at = ("2026-08-25", "2026-08-31T23:59:59", "2026-09-01", "2026-09-02")
    assert [held(agent, "ann", day) for day in at] == ["MySQL", "MySQL", "PostgreSQL", "PostgreSQL"]
