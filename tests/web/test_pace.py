"""An agent that suddenly proposes much, or ever the same, stands on the dashboard."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.candidates import actions
from governance.candidates.actions.observe import Said
from governance.candidates.models import Candidate
from governance.ledger.writing import folding_allowed
from governance.overview import pace
from governance.overview.pace import Pace, unusual
from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.factories import an_agent
from tests.web.people import a_member, a_proposal


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


def a_loud_agent(tenant: Tenant, *, before: int = 0) -> Actor:
    """Return an agent with two proposals of now, and some of three days ago."""
    agent = an_agent(tenant)
    proposals = [a_proposal(agent, f"Ann works at night {n}.").id for n in range(before + 2)]
    with folding_allowed():
        Candidate.objects.filter(pk__in=proposals[:before]).update(created_at=timezone.now() - timedelta(days=3))
    return agent


def test_the_past_of_a_loud_agent_is_counted_up_to_where_its_hour_is_nothing_much(tenant, monkeypatch):
    monkeypatch.setattr(pace, "LEAST_MUCH", 2)
    rita = a_member(tenant, "rita", "reviewer")
    new, known, busy = (a_loud_agent(tenant, before=n).agent for n in (0, 3, 12))

    usual = {one.agent: one.usual * 14 for one in pace.paces(rita, timezone.now())}

    assert usual == {new: 0, known: 3, busy: 10}


def test_three_loud_agents_cost_the_dashboard_no_more_queries_than_one(tenant, rita, monkeypatch):
    monkeypatch.setattr(pace, "LEAST_MUCH", 2)
    a_loud_agent(tenant)
    rita.get("/")

    with CaptureQueriesContext(connection) as of_one:
        rita.get("/")
    for _ in range(2):
        a_loud_agent(tenant)
    with CaptureQueriesContext(connection) as of_three:
        rita.get("/")

    assert len(of_three) == len(of_one)
