"""Flow 8: a reviewer approves one and rejects one; the agent's next recall has the one; the log shows who and when."""

import pytest
from django.utils import timezone

from governance.candidates.models import Candidate
from tests.flows.world import Agent, Person, World

QUERY = "What do we know of Tom's working habits?"


@pytest.fixture
def reviewer(world: World) -> Person:
    return world.person("rae", "reviewer", "administrator")


@pytest.fixture
def waiting(agent: Agent) -> tuple[str, str]:
    """Two guesses of an agent, waiting for a person."""
    pair = (("profile.working_hours", "nights", "Tom works at night."), ("profile.mood", "unhappy", "Tom is unhappy."))
    made = [
        agent.state("tom", "Long night again.", key=key, value=value, content=content, source_type="agent_guess")
        for key, value, content in pair
    ]
    assert [m["status"] for m in made] == ["pending", "pending"]
    return made[0]["id"], made[1]["id"]


def test_the_queue_shows_both(reviewer: Person, waiting: tuple[str, str]):
    page = reviewer.page("/review/")

    assert "Tom works at night." in page
    assert "Tom is unhappy." in page


def test_an_item_shows_its_evidence(reviewer: Person, waiting: tuple[str, str]):
    page = reviewer.page(f"/review/{waiting[0]}/")

    assert "Long night again." in page


def test_the_next_recall_has_the_approved_one_only(agent: Agent, reviewer: Person, waiting: tuple[str, str]):
    assert agent.values(user="tom", query=QUERY) == []

    reviewer.approve(waiting[0])
    reviewer.reject(waiting[1], "not-true", "He was tired.")

    assert agent.values(user="tom", query=QUERY) == ["nights"]
    assert agent.ask("get", f"candidates/{waiting[0]}")["status"] == "committed"
    rejected = agent.ask("get", f"candidates/{waiting[1]}")
    assert (rejected["status"], rejected["memory"]) == ("rejected", None)


def test_the_audit_log_shows_who_and_when(reviewer: Person, waiting: tuple[str, str]):
    reviewer.approve(waiting[0])
    reviewer.reject(waiting[1], "not-true", "He was tired.")

    page = reviewer.page("/audit-log/")

    assert "rae" in page
    assert "candidate-committed" in page or "approved" in page.lower()
    assert "candidate-rejected" in page or "rejected" in page.lower()
    assert f"{timezone.now():%Y-%m-%d}" in page


def test_the_log_holds_no_words(reviewer: Person, waiting: tuple[str, str]):
    reviewer.reject(waiting[1], "not-true", "He was tired.")

    page = reviewer.page("/audit-log/")

    assert "unhappy" not in page
    assert "tired" not in page


def test_an_item_that_was_decided_meanwhile_says_so_and_changes_nothing(
    world: World, reviewer: Person, waiting: tuple[str, str]
):
    other = world.person("pat", "reviewer")
    reviewer.approve(waiting[0])

    late = other.http.post(f"/review/{waiting[0]}/reject/", {"version": "1", "reason": "not-true"})

    assert late.status_code == 409
    assert Candidate.objects.get(pk=waiting[0]).status == "committed"


def test_somebody_without_a_role_decides_nothing(world: World, waiting: tuple[str, str]):
    auditor = world.person("ada", "auditor")

    refused = auditor.http.post(f"/review/{waiting[0]}/approve/", {"version": "1"})

    assert refused.status_code == 403
    assert Candidate.objects.get(pk=waiting[0]).status == "pending"


def test_several_are_approved_at_once_with_a_result_for_each(agent: Agent, reviewer: Person, waiting: tuple[str, str]):
    stale = f"{waiting[1]}:7"

    answer = reviewer.http.post("/review/several/", {"item": [f"{waiting[0]}:1", stale]})

    assert answer.status_code == 200
    assert Candidate.objects.get(pk=waiting[0]).status == "committed"
    assert Candidate.objects.get(pk=waiting[1]).status == "pending"
