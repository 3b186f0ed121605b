"""Acceptance, by behaviour: each promise to a team that installs this, through the door its user takes."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from governance.index.models import Entry
from tests.flows.world import Agent, World, drain_all
from tests.together import at_once

LIN = {"level": "user", "user": "lin"}
MONDAY = datetime(2026, 6, 1, 10, tzinfo=UTC)


# --- write -------------------------------------------------------------------------------------------------------------


def test_an_explicit_preference_is_in_force(agent: Agent):
    agent.observe("lin", "From now on answer in English.")

    [memory] = agent.recall(user="lin", query="Which language should answers be in?")["memories"]

    assert (memory["key"], memory["value"], memory["status"]) == ("language", "English", "active")


def test_a_one_off_constraint_becomes_no_preference(agent: Agent):
    made = agent.state("lin", "Just this once, answer in French.", key="language", value="Français")

    assert (made["status"], made["memory"]) == ("event_only", None)
    assert agent.values(user="lin", query="Which language?") == []


def test_a_low_confidence_inference_stays_a_candidate(agent: Agent):
    made = agent.state(
        "lin",
        "What is the weather in Oslo?",
        key="profile.home.city",
        value="Oslo",
        content="Lin probably lives in Oslo.",
        source_type="inferred_behaviour",
        confidence=0.2,
    )

    assert made["outcome"] in ("review", "event_only")
    assert made["memory"] is None
    assert agent.values(user="lin", query="Where does Lin live?") == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("My national id is 11010519491231002X.", "reject"),
        ("My password is hunter2-Correct9Horse.", "reject"),
        ("Write to me at lin@example.org.", "review"),
    ],
)
def test_what_is_sensitive_is_refused_or_asked_as_the_policy_says(agent: Agent, text: str, outcome: str):
    made = agent.state("lin", text, key="profile.contact", value=text)

    assert (made["outcome"], made["memory"]) == (outcome, None)
    assert agent.values(user="lin", query=text) == []


# --- retrieve ----------------------------------------------------------------------------------------------------------


def test_own_memories_are_found(agent: Agent):
    agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")
    agent.state("lin", "I play the cello.", key="profile.instrument", value="cello")

    assert agent.values(user="lin", query="Which instrument does Lin play?")[0] == "cello"
    assert agent.values(user="lin", keys=["profile.home.city"]) == ["Shanghai"]


@pytest.mark.parametrize("other", ["lin1", "li", "LIN", "lin:1", "lin/..", "lin%", "lin_"])
def test_a_never_gets_what_is_b_s(agent: Agent, other: str):
    agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")
    agent.state(other, "I play the cello.", key="profile.instrument", value="cello")

    assert agent.values(user=other, query="Where do I live? Shanghai?") in ([], ["cello"])
    assert agent.values(user=other, keys=["profile.home.city"]) == []


def test_another_tenant_finds_nothing_and_learns_nothing(agent: Agent, sentinel: str):
    made = agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")
    stranger = World("acme-corp", sentinel).agent()

    foreign = stranger.send("get", f"memories/{made['memory']['id']}")
    unknown = stranger.send("get", "memories/mem_00000000000000000000000000000000")

    assert stranger.values(user="lin", query="Where does Lin live?") == []
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json()["detail"] == unknown.json()["detail"]


def test_project_a_never_leaks_into_b(world: World):
    agent = world.agent(more=["manage"])
    reviewer = world.person("rae", "reviewer")
    for project in ("A", "B"):
        agent.ask("put", "projects", {"project": project})
        agent.ask("post", "project-members", {"project": project, "user": "lin", "member": True})
    scope = {"level": "project", "project": "A"}
    made = agent.state("lin", "We deploy on Tuesdays.", scope=scope, key="project.deploy.day", value="Tuesday")
    reviewer.approve(made["id"])

    assert agent.values(user="lin", project="A", query="When do we deploy?") == ["Tuesday"]
    assert agent.values(user="lin", project="B", query="When do we deploy?") == []
    assert agent.values(user="lin", query="When do we deploy?") == []


def test_what_expired_is_not_given_as_current(agent: Agent):
    with time_machine.travel(MONDAY):
        text = "Until 5 June I work from Lisbon."
        agent.state("lin", text, key="profile.works.from", value="Lisbon", valid_to="2026-06-05")
        assert agent.values(user="lin", query="Where does Lin work from?") == ["Lisbon"]

    with time_machine.travel(MONDAY + timedelta(days=5)):
        answer = agent.recall(user="lin", query="Where does Lin work from?")

        assert answer["memories"] == []
        assert "Lisbon" not in answer["context"]


# --- update ------------------------------------------------------------------------------------------------------------


def test_a_new_fact_makes_a_version_and_the_old_one_can_be_audited(world: World):
    agent = world.agent(more=["inspect"])
    first = agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")

    second = agent.state("lin", "I live in Oslo now.", key="profile.home.city", value="Oslo")

    assert second["memory"] == {"id": first["memory"]["id"], "version": 2}
    assert [v["value"] for v in agent.versions(first["memory"]["id"])] == ["Shanghai", "Oslo"]
    events = agent.ask("get", f"memories/{first['memory']['id']}/events")["results"]
    written = [e for e in events if e["type"] == "version-written"]
    assert len(written) == 2
    assert all(e["actor"].startswith("agent:") for e in written)
    assert all(datetime.fromisoformat(e["recorded_at"]) <= timezone.now() for e in written)


def test_a_concurrent_change_never_overwrites_silently(agent: Agent):
    memory = agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")["memory"]
    said = agent.observe("lin", "Oslo, no, Bergen, no, Turku.", extract=False)

    def move(city: str):
        evidence = {"observation": said["id"], "quote": city}
        body = {"expected_version": 1, "value": city, "source_type": "user_explicit", "evidence": evidence}
        return agent.again().send("patch", f"memories/{memory['id']}", body)

    answers = at_once([lambda c=c: move(c) for c in ("Oslo", "Bergen", "Turku")])

    assert sorted(a.status_code for a in answers) == [200, 409, 409]
    assert len(agent.versions(memory["id"])) == 2


def test_the_index_ends_equal_to_the_version_in_force(agent: Agent):
    memory = agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")["memory"]["id"]
    drain_all()
    agent.state("lin", "I live in Oslo now.", key="profile.home.city", value="Oslo")
    drain_all()

    [hit] = agent.recall(user="lin", query="Oslo")["memories"]

    assert (hit["id"], hit["version"]) == (memory, 2)
    assert Entry.objects.filter(memory=memory, number=2, vector__isnull=False).exists()


# --- conflict ----------------------------------------------------------------------------------------------------------


def test_dialogue_never_overwrites_a_business_fact(world: World):
    billing = world.agent("billing", sources=["business_system"])
    paid = billing.propose(LIN, key="payment.state", value="paid", source_type="business_system", content="Paid.")
    assert paid["status"] in ("committed", "pending")
    if paid["status"] == "pending":
        world.person("rae", "reviewer").approve(paid["id"])

    claimed = world.agent().state("lin", "I never paid that invoice.", key="payment.state", value="unpaid")

    assert claimed["outcome"] == "review"
    memory = billing.ask("get", f"candidates/{paid['id']}")["memory"]["id"]
    assert [v["value"] for v in billing.versions(memory)] == ["paid"]
    assert "unpaid" not in billing.values(user="lin", keys=["payment.state"])


def test_an_explicit_word_replaces_a_low_trust_inference(world: World):
    agent = world.agent()
    guess = agent.state("lin", "Which café is near?", key="drink", value="coffee", source_type="inferred_behaviour")
    world.person("rae", "reviewer").approve(guess["id"])

    made = agent.state("lin", "I always drink tea", key="drink", value="tea")

    assert (made["status"], made["memory"]["version"]) == ("committed", 2)
    assert agent.values(user="lin", keys=["drink"]) == ["tea"]


def test_what_nobody_can_decide_is_conflicted_and_a_question(world: World):
    agent = world.agent(sources=["tool_result"])
    agent.state("lin", "We use MySQL", key="team.database", value="MySQL", said={"at": MONDAY})
    scan = agent.observe("lin", "database: PostgreSQL", role="tool", extract=False)
    evidence = {"observation": scan["id"], "quote": "database: PostgreSQL"}
    agent.propose(LIN, key="team.database", value="PostgreSQL", source_type="tool_result", evidence=evidence)

    answer = agent.recall(user="lin", keys=["team.database"])

    assert answer["memories"] == []
    [rivals] = answer["conflicts"]
    assert [c["value"] for c in rivals["claims"]] == ["MySQL", "PostgreSQL"]
    assert rivals["question"].endswith("?")


def test_different_environments_never_conflict(agent: Agent):
    dev = agent.state("lin", "In dev I use SQLite.", key="env.dev.database", value="SQLite")
    prod = agent.state("lin", "In prod I use PostgreSQL.", key="env.prod.database", value="PostgreSQL")

    assert (dev["status"], prod["status"]) == ("committed", "committed")
    assert dev["memory"]["id"] != prod["memory"]["id"]
    assert set(agent.values(user="lin", query="Which database?")) == {"SQLite", "PostgreSQL"}


# --- forget ------------------------------------------------------------------------------------------------------------


def test_what_was_retracted_is_not_recalled(agent: Agent):
    memory = agent.state("lin", "I live in Shanghai.", key="profile.home.city", value="Shanghai")["memory"]
    drain_all()

    agent.ask("delete", f"memories/{memory['id']}", {"expected_version": 1})

    for question in (
        {"query": "Where does Lin live?"},
        {"keys": ["profile.home.city"]},
        {"query": "Shanghai", "history": True},
    ):
        answer = agent.recall(user="lin", **question)
        assert answer["memories"] == []
        assert "Shanghai" not in answer["context"]
