"""What an agent wrote, taken back: listed, previewed, carried out memory by memory, and who was given it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.conflicts.models import Conflict
from governance.errors import AlreadyDecided
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.memories.models import Memory
from governance.memories.queries import views
from governance.overview import queries as overview
from governance.retrieval import actions as retrieval
from governance.retrieval.answers import Question
from governance.retrieval.queries import given
from governance.scopes.models import Agent
from tests.factories import a_conflict, a_memory, a_tenant, an_agent, indexed, retracted, revised
from tests.isolation import fresh_index
from tests.web.people import a_member, a_proposal


def text(response) -> str:
    return response.content.decode()


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def rogue(tenant):
    return an_agent(tenant)


@pytest.fixture
def since() -> str:
    return f"{timezone.now() - timedelta(minutes=5):%Y-%m-%dT%H:%M}"


def take_back(client, rogue, since: str, count: int):
    return client.post(f"/agents/{rogue.agent}/written/take-back/", {"since": since, "count": count})


def said(memory: Memory) -> tuple[str, str]:
    view = views([Memory.objects.get(pk=memory.pk)])[0]
    return view.content, view.status


def test_all_it_wrote_is_listed_with_what_taking_back_means(adam, agent, rogue, since):
    revised(rogue, a_memory(agent, "Ann lives in Rome.", key="profile.city"), "Ann lives in Oslo.", key="profile.city")
    a_memory(rogue, "Ann is rich.", key="profile.wealth")
    a_proposal(rogue, "Ann works at night.")

    page = text(adam.get(f"/agents/{rogue.agent}/written/", {"since": since}))

    assert "2 memories and 1 proposal" in page
    assert "returns to version 1" in page and "is retracted" in page and "is withdrawn" in page
    assert "Take back 3" in page


def test_its_claims_in_unsettled_conflicts_are_listed_and_left_to_people(adam, agent, rogue, since):
    conflict = a_conflict(agent, a_memory(agent, "Ann lives in Rome.", key="profile.city", value="Rome"), "Oslo")
    contest = a_conflict(rogue, a_memory(agent, "Ann drinks tea.", key="drink", value="tea"), "gin")
    a_proposal(rogue, "Ann works at night.")

    page = text(adam.get(f"/agents/{rogue.agent}/written/", {"since": since}))
    after = text(take_back(adam, rogue, since, 1))

    for shown in (page, after):
        assert "Its claims in 1 unsettled conflict<" in shown
        assert contest.id in shown and "gin" in shown
        assert conflict.id not in shown
    assert Conflict.objects.get(pk=contest.pk).status == "open"


def test_taken_back_each_memory_is_as_it_was_before(adam, agent, rogue, since):
    city = revised(
        rogue, a_memory(agent, "Ann lives in Rome.", key="profile.city"), "Ann lives in Oslo.", key="profile.city"
    )
    wealth = a_memory(rogue, "Ann is rich.", key="profile.wealth")
    waiting = a_proposal(rogue, "Ann works at night.")
    own = a_memory(agent, "Ann sings.", key="profile.hobby")

    page = text(take_back(adam, rogue, since, 3))

    assert "1 memory restored, 1 retracted, 1 proposal withdrawn." in page
    assert said(city) == ("Ann lives in Rome.", "active")
    assert said(wealth)[1] == "retracted"
    assert said(own) == ("Ann sings.", "active")
    assert Candidate.objects.get(pk=waiting.pk).status == "withdrawn"
    assert rebuild(apply=False).differences == []


def test_each_is_the_act_of_the_person_with_its_reason(adam, agent, rogue, since):
    a_memory(rogue, "Ann is rich.", key="profile.wealth")

    take_back(adam, rogue, since, 1)

    last = Event.objects.filter(type="memory-retracted").get()
    assert last.actor.startswith("member:")
    assert overview.entries([last])[0].data["reason"] == "delete-request"


def test_several_versions_of_the_agent_return_to_the_last_that_is_not_its(adam, agent, rogue, since):
    memory = a_memory(agent, "Ann lives in Rome.", key="profile.city")
    for city in ("Oslo", "Bonn"):
        memory = revised(rogue, memory, f"Ann lives in {city}.", key="profile.city")

    take_back(adam, rogue, since, 1)

    assert said(memory) == ("Ann lives in Rome.", "active")


def test_what_it_retracted_comes_back(adam, agent, rogue, since):
    memory = a_memory(agent, "Ann lives in Rome.", key="profile.city")
    retracted(rogue, memory)

    take_back(adam, rogue, since, 1)

    assert said(memory) == ("Ann lives in Rome.", "active")


def test_what_somebody_else_has_changed_since_stays(adam, agent, rogue, since):
    memory = revised(agent, a_memory(rogue, "Ann is rich.", key="profile.wealth"), "Ann is poor.", key="profile.wealth")

    page = text(adam.get(f"/agents/{rogue.agent}/written/", {"since": since}))

    assert "Nothing to take back" in page
    assert said(memory) == ("Ann is poor.", "active")


def test_what_it_wrote_earlier_stays(adam, rogue):
    memory = a_memory(rogue, "Ann is rich.", key="profile.wealth")
    later = f"{timezone.now() + timedelta(minutes=2):%Y-%m-%dT%H:%M}"

    assert take_back(adam, rogue, later, 1).status_code == AlreadyDecided.status
    assert said(memory)[1] == "active"


def test_another_number_than_was_shown_changes_nothing(adam, rogue, since):
    memory = a_memory(rogue, "Ann is rich.", key="profile.wealth")

    assert take_back(adam, rogue, since, 7).status_code == 409
    assert said(memory)[1] == "active"


def test_who_was_given_it_is_counted_from_the_traces(adam, agent, rogue, tenant, since):
    a_memory(rogue, "Ann is rich.", key="profile.wealth")
    a_memory(agent, "Ann sings.", key="profile.hobby")
    indexed()
    for _ in range(2):
        retrieval.recall(Question(user="ann", keys=("profile.wealth",)), by=agent)
    retrieval.recall(Question(user="ann", keys=("profile.hobby",)), by=an_agent(tenant))

    page = text(adam.get(f"/agents/{rogue.agent}/written/", {"since": since}))

    name = Agent.objects.get(pk=agent.agent).name
    assert f">{name}</a></td>" in page
    rows = given(
        tenant.id,
        frozenset({(Memory.objects.get(versions__agent=rogue.agent).id, 1)}),
        timezone.now() - timedelta(minutes=5),
    )
    assert [(g.agent, g.recalls, g.people, g.memories) for g in rows] == [(agent.agent, 2, 1, 1)]


@pytest.mark.parametrize("since", ["", "yesterday", "2026-13-01T00:00"])
def test_a_moment_that_is_none_is_refused(adam, rogue, since):
    memory = a_memory(rogue, "Ann is rich.", key="profile.wealth")

    assert take_back(adam, rogue, since, 1).status_code == 422
    assert said(memory)[1] == "active"


def test_a_reviewer_neither_sees_nor_takes_back(rita, rogue, since):
    memory = a_memory(rogue, "Ann is rich.", key="profile.wealth")

    assert rita.get(f"/agents/{rogue.agent}/written/").status_code == 403
    assert take_back(rita, rogue, since, 1).status_code == 403
    assert said(memory)[1] == "active"


def test_an_agent_of_another_tenant_is_unknown(adam, since):
    other = an_agent(a_tenant("acme-corp"))
    a_member(a_tenant("third"), "tess", "administrator")

    assert adam.get(f"/agents/{other.agent}/written/").status_code == 404
    assert take_back(adam, other, since, 1).status_code == 404


@pytest.mark.parametrize("moment", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_a_moment_beyond_the_calendar_is_refused(adam, rogue, moment):
    assert adam.get(f"/agents/{rogue.agent}/written/", {"since": moment}).status_code == 422
