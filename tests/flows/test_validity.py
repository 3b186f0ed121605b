"""Flow 7: one database until the end of August, another from September, both said on 20 August."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
import time_machine

from tests.flows.world import Agent, World

HERE = timezone(timedelta(hours=8))
SAID = datetime(2026, 8, 20, 15, tzinfo=HERE)
TEXT = "We use MySQL until 31 August, then PostgreSQL from 1 September."
QUERY = "Which database do we use?"


def august(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 8, day, hour, tzinfo=HERE)


def september(day: int, hour: int = 12, minute: int = 0) -> datetime:
    return datetime(2026, 9, day, hour, minute, tzinfo=HERE)


@pytest.fixture
def agent(world: World) -> Iterator[Agent]:
    with time_machine.travel(SAID):
        agent = world.agent(more=["manage"])
        agent.ask("put", "projects", {"project": "P"})
        agent.ask("post", "project-members", {"project": "P", "user": "ann", "member": True})
        reviewer = world.person("rae", "reviewer")
        found = agent.observe("ann", TEXT, at=SAID, project="P")["candidates"]
        assert {(c["value"], c["outcome"]) for c in found} == {("MySQL", "review"), ("PostgreSQL", "review")}
        for candidate in found:
            reviewer.approve(candidate["id"])
        yield agent


def recalled(agent: Agent, **clocks: str) -> list:
    return agent.values(user="ann", project="P", query=QUERY, **clocks)


@pytest.mark.parametrize(
    ("moment", "value"),
    [
        (august(25), "MySQL"),
        (august(31, 23), "MySQL"),
        (september(1, 0), "PostgreSQL"),
        (september(2), "PostgreSQL"),
    ],
)
def test_each_holds_in_its_time(agent: Agent, moment: datetime, value: str):
    with time_machine.travel(moment):
        assert recalled(agent) == [value]


@pytest.mark.parametrize(("moment", "value"), [(august(25), "MySQL"), (september(2), "PostgreSQL")])
def test_any_day_can_be_asked_about(agent: Agent, moment: datetime, value: str):
    assert recalled(agent, as_of=moment.isoformat()) == [value]


def test_what_was_known_before_it_was_said_is_nothing(agent: Agent):
    assert recalled(agent, as_of=september(2).isoformat(), known_at=august(19).isoformat()) == []


def test_the_times_are_those_of_the_utterance(agent: Agent):
    with time_machine.travel(august(25)):
        [memory] = agent.recall(user="ann", project="P", query=QUERY)["memories"]

    assert datetime.fromisoformat(memory["valid_to"]) == datetime(2026, 9, 1, tzinfo=HERE)
    assert memory["valid_from_assumed"]
