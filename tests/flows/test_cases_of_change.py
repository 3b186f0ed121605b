"""Changes that went wrong in other systems, said in conversation and read by the rules: each with its right outcome."""

from datetime import UTC, datetime

import pytest

from governance.conflicts.models import Conflict
from tests.flows.world import Agent, World


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent()


def hears(agent: Agent, *said: str) -> None:
    """Let a user say things, a month apart, and the rules read them."""
    for month, text in enumerate(said, 1):
        agent.observe("ann", text, at=datetime(2026, month, 10, tzinfo=UTC))


def told(agent: Agent, query: str, **more) -> list[str]:
    return [m["content"].casefold() for m in agent.recall(user="ann", query=query, **more)["memories"]]


def chain(agent: Agent, query: str) -> list[tuple[int, int | None]]:
    """Return number and predecessor of each version of what a question leads to."""
    memory = agent.recall(user="ann", query=query)["memories"][0]
    return [(v["version"], v["supersedes"]) for v in agent.versions(memory["id"])]


@pytest.mark.parametrize(
    ("before", "after", "query"),
    [
        ("I love mapo tofu.", "I hate mapo tofu.", "mapo tofu"),
        ("I like jazz.", "I don't like jazz anymore.", "jazz"),
        ("我喜欢爵士乐。", "我讨厌爵士乐。", "爵士乐"),
    ],
)
def test_a_taste_that_turned_is_the_new_one_alone_and_the_chain_links_both(agent: Agent, before, after, query):
    hears(agent, before, after)

    found = told(agent, query)

    assert len(found) == 1
    assert any(word in found[0] for word in ("dislike", "不喜欢"))
    assert chain(agent, query) == [(1, None), (2, 1)]
    assert not Conflict.objects.exists()


def test_who_does_not_like_to_eat_it_any_more_avoids_it_and_likes_it_no_longer(agent: Agent):
    hears(agent, "我喜欢吃香菜。", "我不喜欢吃香菜了。")

    assert sorted(told(agent, "香菜")) == ["用户不吃香菜。", "用户不喜欢吃香菜。"]


def test_a_value_corrected_twice_is_the_last_by_default_and_three_in_history(agent: Agent):
    hears(agent, "I live in Leeds.", "Sorry, I live in Bristol.", "Actually, I live in Bath.")

    query = "Where does the user live?"
    [now] = told(agent, query)
    ever = " ".join(told(agent, query, history=True))

    assert "bath" in now
    assert all(city in ever for city in ("leeds", "bristol", "bath"))
    assert chain(agent, query) == [(1, None), (2, 1), (3, 2)]


def test_a_note_that_only_mentions_it_retires_nothing(agent: Agent):
    hears(
        agent, "I live in Bristol.", "My sister moved to Bristol.", "Is Bristol larger than Leeds?", "Bristol is wet."
    )

    assert any("bristol" in one and "sister" not in one for one in told(agent, "Where does the user live?"))
    assert chain(agent, "Where does the user live?") == [(1, None)]


@pytest.mark.parametrize(
    ("before", "after", "gone", "stays"),
    [
        ("I live in Leeds.", "I moved to Bristol.", "leeds", "bristol"),
        ("I work at Brightmoor.", "I now work at Nordhaus.", "brightmoor", "nordhaus"),
        ("我住在苏州。", "我搬到杭州了。", "苏州", "杭州"),
    ],
)
def test_who_moved_on_is_given_where_they_are_now(agent: Agent, before, after, gone, stays):
    hears(agent, before, after)

    found = " ".join(told(agent, f"{before} {after}"))

    assert stays in found
    assert gone not in found


def test_last_week_is_the_week_before_it_was_said(agent: Agent):
    agent.observe("ann", "I moved to Bristol last week.", at=datetime(2024, 5, 15, tzinfo=UTC))

    [memory] = agent.recall(user="ann", query="Where does the user live?")["memories"]

    assert memory["valid_from"] is None or memory["valid_from"].startswith("2024-05-0")
    assert memory["observed_at"].startswith("2024-05-15")
