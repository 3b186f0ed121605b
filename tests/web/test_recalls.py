"""A recall, looked into: ids and links for whoever sees memories; the question is sealed, and opened as an event."""

from functools import partial

import pytest

from governance.candidates.actions import observe
from governance.candidates.actions.observe import Said
from governance.ledger.models import ContentKey, Event
from governance.memories.models import Memory
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.retrieval.models import Recall
from governance.scopes.models import Project
from governance.scopes.rules import ScopeSpec
from governance.web.paging import page_of
from tests.factories import a_memory, a_project, a_tenant, an_agent, indexed
from tests.web.people import a_member, a_proposal, signed_in


@pytest.fixture
def memory(agent) -> Memory:
    return a_memory(agent, "Ann drinks tea.", key="preference.drink", value="tea")


def text(response) -> str:
    return response.content.decode()


def a_recall(agent, query="tea") -> str:
    indexed()
    return recall(Question(query=query, user="ann"), by=agent).id


def test_a_recall_names_each_memory_and_leads_to_it(rita, agent, memory):
    made = a_recall(agent)

    page = rita.get(f"/recalls/{made}/")

    assert f'href="/recalls/{made}/"' in rita.get(f"/memories/{memory.id}/recalls/").content.decode()
    assert f'href="/memories/{memory.id}/"' in page.content.decode()
    assert memory.id in text(page) and "Ann drinks tea." in text(page)


def test_the_question_of_a_recall_is_opened_as_an_event(ada, rita, agent, memory):
    made = a_recall(agent, "what does she sip?")

    closed = [text(browser.get(f"/recalls/{made}/")) for browser in (ada, rita)]
    refused = rita.post(f"/recalls/{made}/words/")
    opened = ada.post(f"/recalls/{made}/words/")

    assert not any("sip" in page for page in closed)
    assert refused.status_code == 403
    assert "what does she sip?" in text(opened)
    assert Event.objects.filter(type="question-opened", stream=made).count() == 1


def test_an_auditor_sees_of_a_recall_the_skeleton(ada, agent, memory):
    page = text(ada.get(f"/recalls/{a_recall(agent)}/"))

    assert memory.id in page
    assert "Ann drinks tea." not in page


def test_a_binding_rule_is_given_in_every_recall_and_its_own_page_says_so(rita, agent, memory):
    rule = a_memory(
        agent,
        "Never quote a salary.",
        key="conduct.salaries",
        scope=ScopeSpec("tenant"),
        kind="procedural",
        binding=True,
    )
    made = a_recall(agent)

    assert f'href="/memories/{rule.id}/"' in text(rita.get(f"/recalls/{made}/"))
    assert f'href="/recalls/{made}/"' in text(rita.get(f"/memories/{rule.id}/recalls/"))


def test_a_question_that_is_erased_is_not_said_to_be_sealed(rita, ada, agent, memory):
    made = a_recall(agent, "what does she sip?")
    ContentKey.objects.filter(kid=Recall.objects.get(pk=made).content.kid).delete()

    for browser in (rita, ada):
        page = text(browser.get(f"/recalls/{made}/"))
        assert "No words of it are held" in page
        assert "Open the words" not in page and "Sealed." not in page


def test_a_recall_lists_what_came_of_it(rita, agent, memory):
    made = a_recall(agent)
    said = Said(role="user", text="I work at night.", user="ann", recall=made, extract=False)
    led_to = a_proposal(agent, observation=observe(said, by=agent).observation.id)

    assert led_to.id in text(rita.get(f"/recalls/{made}/"))


def test_the_recalls_of_another_tenant_are_not_found(ada, memory):
    theirs = a_recall(an_agent(a_tenant("other")))

    assert ada.get(f"/recalls/{theirs}/").status_code == 404
    assert ada.post(f"/recalls/{theirs}/words/").status_code == 404
    assert not Event.objects.filter(type="question-opened").exists()


def test_a_reviewer_of_one_project_sees_no_memory_of_others_in_a_recall(tenant, agent, memory):
    a_project(agent, "apollo")
    a_member(tenant, "pia", "reviewer", projects=[Project.objects.get().id])

    page = text(signed_in("pia").get(f"/recalls/{a_recall(agent)}/"))

    assert memory.id not in page
    assert '<span class="card-link number">1</span>' in page  # given, as the list of recalls says
    assert "Not listed here: 1. It holds for everybody, or is not for your role to see." in page


def test_recalls_are_listed_newest_first_without_a_word_of_them(rita, agent, memory):
    made = [a_recall(agent, "what does she sip?") for _ in range(3)]

    page = rita.get("/recalls/")

    assert [row.id for row in page.context["page"].rows] == made[::-1]
    assert all(f'href="/recalls/{one}/"' in text(page) for one in made)
    assert "sip" not in text(page) and "Ann drinks tea." not in text(page)
    assert '<a class="rail-link" href="/recalls/"' in text(rita.get("/"))


def test_recalls_are_listed_by_agent_and_of_one_tenant_alone(rita, tenant, agent, memory):
    mine, theirs = a_recall(agent), a_recall(an_agent(tenant))
    a_recall(an_agent(a_tenant("other")))

    everything = rita.get("/recalls/").context["page"]
    of_one = rita.get(f"/recalls/?agent={agent.agent}").context["page"]

    assert ([row.id for row in everything.rows], everything.total) == ([theirs, mine], 2)
    assert [row.id for row in of_one.rows] == [mine]


def test_pages_of_recalls_meet_without_gap_or_overlap(rita, agent, memory, monkeypatch):
    monkeypatch.setattr("governance.web.recalls.page_of", partial(page_of, size=2))
    made = [a_recall(agent) for _ in range(5)]

    first = rita.get("/recalls/").context["page"]
    second = rita.get(f"/recalls/{first.next}").context["page"]
    back = rita.get(f"/recalls/{second.previous}").context["page"]

    assert [row.id for row in [*first.rows, *second.rows]] == made[:0:-1]
    assert [row.id for row in back.rows] == [row.id for row in first.rows]
    assert rita.get("/recalls/?after=9&before=recall_x").context["page"].rows == first.rows
