"""An agent that suddenly proposes much, or ever the same, stands on the dashboard."""

import re

import pytest
from django.test import Client

from governance.candidates import actions
from governance.candidates.actions.observe import Said
from governance.overview.pace import Pace, unusual
from governance.scopes.rules import Actor


def a_pace(**changes: float) -> Pace:
    return Pace(**{"agent": "a", "name": "bot", "hour": 0, "day": 0, "repeated": 0, "usual": 10.0, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pace", "much", "same"),
    [
        (a_pace(hour=40, day=40), True, False),
        (a_pace(hour=29, day=60), False, False),
        (a_pace(hour=40, day=400, usual=200.0), False, False),
        (a_pace(hour=60, day=60, usual=0.0), False, False),
        (a_pace(hour=120, day=120, usual=0.0), True, False),
        (a_pace(hour=5, day=25, repeated=21), False, True),
        (a_pace(hour=5, day=25, repeated=10), False, False),
        (a_pace(hour=3, day=3, repeated=3), False, False),
    ],
)
def test_much_and_the_same_are_told_apart_from_a_usual_day(pace: Pace, much: bool, same: bool):
    assert (pace.is_much, pace.is_same) == (much, same)
    assert bool(unusual([pace])) == (much or same)


def test_what_an_agent_says_again_is_counted_and_shown(rita: Client, agent: Actor):
    for _ in range(21):
        actions.observe(Said(role="user", text="I live in Ghent.", user="lin"), by=agent)

    page = " ".join(re.sub(r"<[^>]+>", "", rita.get("/").content.decode()).split())

    assert "proposes ever the same" in page
    assert "In the last day: 21, of which said already: 20." in page
