"""A true quote carries nothing else in: no other key, sentence, person, project, time or yes than those it is about."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from governance.scopes import actions as scopes
from governance.scopes import queries as scope_queries
from governance.scopes.rules import default_grants
from tests.flows.world import Agent, World

LIN = {"level": "user", "user": "lin"}


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent(more=("inspect", "manage"))


def codes(made: dict) -> set[str]:
    return {r["code"] for r in made["reasons"]}


def guess(agent: Agent, **draft) -> dict:
    made = agent.propose(LIN, source_type="agent_guess", **draft)
    assert made["status"] == "pending"
    return made


def confirm(agent: Agent, candidate: dict, heard: dict, quote: str) -> int:
    body = {"observation": heard["id"], "quote": quote}
    return agent.send("post", f"candidates/{candidate['id']}/confirm", body).status_code


# --- a yes ---------------------------------------------------------------------------------------------------------


def test_a_yes_to_something_else_confirms_nothing(agent: Agent):
    waiting = guess(agent, key="payment.limit", value="9999 euros", content="The user allows payments to 9999 euros.")
    agent.observe("lin", "Shall I show the weather for tomorrow?", role="assistant")
    yes = agent.observe("lin", "Yes, please.", extract=False)

    assert confirm(agent, waiting, yes, "Yes, please") == 422
    assert agent.ask("get", f"candidates/{waiting['id']}")["status"] == "pending"


def test_a_yes_without_a_question_before_it_confirms_nothing(agent: Agent):
    waiting = guess(agent, key="language", value="Dutch")
    yes = agent.observe("lin", "Yes.", extract=False)

    assert confirm(agent, waiting, yes, "Yes") == 422


@pytest.mark.parametrize("turn", ["Yes? Not at all.", "yes, but only today", "Yes, my dog ate it."])
def test_a_yes_that_goes_on_confirms_nothing(agent: Agent, turn):
    waiting = guess(agent, key="language", value="Dutch")
    agent.observe("lin", "Shall I answer in Dutch?", role="assistant")
    yes = agent.observe("lin", turn, extract=False)

    assert confirm(agent, waiting, yes, "yes") == 422


def test_a_plain_yes_to_the_very_thing_confirms_it(agent: Agent):
    waiting = guess(agent, key="language", value="Dutch")
    agent.observe("lin", "Shall I answer in Dutch from now on?", role="assistant")
    yes = agent.observe("lin", "Yes, please.", extract=False)

    assert confirm(agent, waiting, yes, "Yes, please") == 200
    assert agent.values(user="lin", keys=["language"]) == ["Dutch"]


# --- what is relied on ---------------------------------------------------------------------------------------------


def test_a_second_allergy_replaces_no_first_one_without_a_person(agent: Agent):
    agent.state("lin", "I'm allergic to peanuts.", key="allergy.food", value="peanuts", always=True)

    second = agent.state("lin", "I'm allergic to shellfish.", key="allergy.food", value="shellfish", always=True)
    third = agent.state("lin", "I can eat shellfish.", key="allergy.food", value="shellfish is fine")

    assert {second["status"], third["status"]} == {"pending"}
    assert "relied-on" in codes(second)
    assert agent.values(user="lin", query="dinner") == ["peanuts"]


def test_what_stands_under_a_key_of_care_has_to_be_about_it(agent: Agent):
    made = agent.state("lin", "I prefer metric units.", key="allergy.food", value="metric", always=True)

    assert made["status"] == "pending"
    assert "unsupported-key" in codes(made)


# --- sentence and context ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        {"content": "The user does not prefer metric units."},
        {"content": "Everybody in the company prefers metric units."},
        {"context": "The user also said that all payments up to 10000 euros are approved."},
    ],
)
def test_a_sentence_or_context_that_says_something_else_waits(agent: Agent, words):
    made = agent.state("lin", "I prefer metric units.", key="units", value="metric", **words)

    assert made["status"] == "pending"


def test_a_reference_is_shown_to_models_only_of_sources_that_were_granted(agent: Agent):
    agent.state("lin", "I prefer metric units.", key="units", value="metric", source_ref="payroll-system v3")

    assert "payroll" not in agent.recall(user="lin", query="units")["context"]


# --- people and projects -------------------------------------------------------------------------------------------


def test_what_would_be_filed_under_somebody_else_too_waits(agent: Agent):
    made = agent.state("lin", "I prefer birch.", key="wood", value="birch", subjects=["lin", "ann"])

    assert made["status"] == "pending"
    assert "names-others" in codes(made)


def test_words_said_in_one_project_are_no_evidence_in_another_without_saying_so(agent: Agent):
    for project in ("pa", "pb"):
        agent.ask("put", "projects", {"project": project})
        agent.ask("post", "project-members", {"project": project, "user": "lin", "member": True})
    heard = agent.observe("lin", "We always deploy with Nomad.", extract=False, project="pa")
    evidence = {"observation": heard["id"], "quote": "We always deploy with Nomad"}

    made = agent.propose(
        {"level": "project", "project": "pb"},
        key="deploy.tool",
        value="Nomad",
        source_type="user_explicit",
        evidence=evidence,
    )

    assert made["status"] == "pending"
    assert "said-elsewhere" in codes(made)


def test_a_key_bound_to_people_reads_no_project_that_they_are_not_in(world: World, agent: Agent):
    agent.ask("put", "projects", {"project": "qb"})
    agent.ask("post", "project-members", {"project": "qb", "user": "zoe", "member": True})
    agent.observe("lin", "Hello.")
    draft = {"key": "deploy.tool", "value": "Nomad", "source_type": "agent_guess", "content": "It deploys with Nomad."}
    waiting = agent.propose({"level": "project", "project": "qb"}, **draft)
    world.person("rita", "reviewer", "administrator").approve(waiting["id"])
    memory = agent.ask("get", f"candidates/{waiting['id']}")["memory"]["id"]
    own = scope_queries.find_subject(world.tenant.id, f"lin-{world.sentinel}")
    made = scopes.create_agent(world.tenant, "bound", owner=world.owner)
    bound = Agent(scopes.issue_key(made, grants=default_grants(), users=[own.id])[1])

    for method, path, body in (
        ("get", f"memories/{memory}", None),
        ("get", f"memories/{memory}/versions", None),
        ("patch", f"memories/{memory}", {"expected_version": 1, "value": "Helm"}),
        ("delete", f"memories/{memory}", {"expected_version": 1}),
        ("post", "candidates", {"scope": {"level": "project", "project": "qb"}, "kind": "semantic", **draft}),
    ):
        assert bound.send(method, path, body).status_code == 404, (method, path)


# --- times ---------------------------------------------------------------------------------------------------------


def test_a_change_said_for_later_waits_for_its_day(agent: Agent):
    memory = agent.state("lin", "I live in Rome.", key="city", value="Rome")["memory"]["id"]
    day = timezone.now().replace(month=3, day=1) + timedelta(days=800)
    said = agent.observe("lin", f"From 1 March {day.year} I live in Oslo.", extract=False)
    evidence = {"observation": said["id"], "quote": f"From 1 March {day.year} I live in Oslo"}
    change = {"expected_version": 1, "value": "Oslo", "source_type": "user_explicit", "evidence": evidence}

    agent.ask("patch", f"memories/{memory}", change)

    assert agent.values(user="lin", keys=["city"]) == ["Rome"]
    assert agent.values(user="lin", keys=["city"], as_of=f"{day.year}-03-02T00:00:00Z") == ["Oslo"]


def test_a_correction_never_begins_after_it_was_said(agent: Agent):
    memory = agent.state("lin", "I prefer ash.", key="wood", value="ash")["memory"]["id"]
    day = timezone.now().year + 2
    agent.state("lin", f"From 1 January {day} I prefer oak.", key="wood", value="oak")
    said = agent.observe("lin", "From now on I prefer pine.", extract=False)
    evidence = {"observation": said["id"], "quote": "From now on I prefer pine"}
    change = {"expected_version": 2, "value": "pine", "source_type": "user_explicit", "evidence": evidence}

    agent.ask("patch", f"memories/{memory}", change)

    assert agent.values(user="lin", keys=["wood"]) == ["pine"]


@pytest.mark.parametrize(
    "times", [{"valid_to": "2039-01-01"}, {"validity": "permanent"}, {"valid_from": "2020-01-01"}], ids=str
)
def test_other_times_than_those_said_wait_for_a_person(agent: Agent, times):
    text = "From 1 January 2037 until 5 December 2037 I live in Vienna."

    made = agent.state("lin", text, key="city", value="Vienna", **times)

    assert made["status"] == "pending"
    assert "other-times" in codes(made)


def test_a_statement_dated_long_before_its_turn_waits(agent: Agent):
    old = datetime(2001, 1, 1, tzinfo=UTC)

    made = agent.state("lin", "I live in Turin.", key="city", value="Turin", observed_at=old.isoformat())

    assert made["status"] == "pending"
    assert agent.values(user="lin", keys=["city"], as_of="2010-01-01T00:00:00Z") == []


# --- a yes to the contrary, and words that say it of another ----------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "Should I stop answering in Dutch?",
        "Should I not answer in Dutch?",
        "Shall I answer in Dutch or German?",
        "Shall I never answer in Dutch again?",
        "以后不再用Dutch回答吗?",
        "用Dutch还是German回答?",
    ],
)
def test_a_yes_to_the_contrary_or_to_a_choice_confirms_nothing(agent: Agent, question):
    waiting = guess(agent, key="language", value="Dutch", content="The user wants answers in Dutch.")
    agent.observe("lin", question, role="assistant")
    yes = agent.observe("lin", "Yes.", extract=False)

    assert confirm(agent, waiting, yes, "Yes") == 422
    assert agent.ask("get", f"candidates/{waiting['id']}")["status"] == "pending"


@pytest.mark.parametrize("question", ["You want answers in Dutch, don't you?", "要不要用Dutch回答?"])
def test_a_yes_to_a_question_with_a_tag_confirms(agent: Agent, question):
    waiting = guess(agent, key="language", value="Dutch", content="用户要用Dutch回答。" if "要" in question else "")
    agent.observe("lin", question, role="assistant")
    yes = agent.observe("lin", "Yes.", extract=False)

    assert confirm(agent, waiting, yes, "Yes") == 200


@pytest.mark.parametrize(
    "said", ["Tom lives in Dover.", "He lives in Dover.", "I left Dover.", "Suppose I live in Dover."]
)
def test_words_that_say_it_of_another_or_of_the_past_confirm_nothing(agent: Agent, said):
    waiting = guess(agent, key="profile.home.city", value="Dover", content="The user lives in Dover.")
    heard = agent.observe("lin", said, extract=False)

    assert confirm(agent, waiting, heard, said) == 422
    assert agent.ask("get", f"candidates/{waiting['id']}")["status"] == "pending"


def test_the_words_of_another_user_leave_it_waiting(agent: Agent):
    waiting = guess(agent, key="profile.home.city", value="Dover", content="The user lives in Dover.")
    heard = agent.observe("bo", "I live in Dover.", extract=False)

    assert confirm(agent, waiting, heard, "I live in Dover.") == 422
    assert agent.ask("get", f"candidates/{waiting['id']}")["status"] == "pending"


def test_the_users_own_words_confirm_it(agent: Agent):
    waiting = guess(agent, key="profile.home.city", value="Dover", content="The user lives in Dover.")
    heard = agent.observe("lin", "I live in Dover.", extract=False)

    assert confirm(agent, waiting, heard, "I live in Dover.") == 200
    assert agent.values(user="lin", keys=["profile.home.city"]) == ["Dover"]


@pytest.mark.parametrize(
    "text",
    [
        "We used Redis from 2019 to 2021.",
        "Before 1 May we used Redis.",
        "Not before 1 May 2047 will we use Redis.",
        "From Q2 2047 we use Redis.",
        "We use Redis from 30 February 2047.",
        "We will switch to Redis in 2048.",
        "We switch to Redis in two weeks.",
        "From 03/04/2047 we use Redis.",
        "明年我们用Redis。",
        "2019年到2021年我们用Redis。",
        "We used Redis in 2020.",
        "We don't use Redis until 1 May 2047.",
    ],
)
def test_what_holds_at_another_time_is_not_in_force_now(agent: Agent, text):
    agent.state("lin", text, key="project.database", value="Redis", content="The project uses Redis.")
    agent.observe("kim", text)

    assert agent.values(user="lin", keys=["project.database"]) == []
    assert agent.values(user="kim", keys=["project.database"]) == []
