"""Memories: found by facets and by words that never stand in an address; changed at the version one has seen."""

import pytest

from governance.ledger.models import Event
from governance.memories.models import Memory
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import Subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_project, a_tenant, indexed, retracted, revised
from tests.web.people import a_member, signed_in


@pytest.fixture
def memory(agent) -> Memory:
    return a_memory(agent, "Ann drinks tea.", key="preference.drink", value="tea")


def text(response) -> str:
    return response.content.decode()


def latest(memory: Memory) -> int:
    return Memory.objects.get(pk=memory.pk).latest


def test_the_list_shows_words_scope_and_status(rita, memory):
    page = text(rita.get("/memories/"))

    assert "Ann drinks tea." in page
    assert "preference.drink" in page
    assert "user <b>ann</b>" in page
    assert "active" in page


@pytest.mark.parametrize(
    ("facets", "shown"),
    [
        ("status=active", True),
        ("status=retracted", False),
        ("level=user", True),
        ("level=project", False),
        ("kind=semantic", True),
        ("kind=procedural", False),
        ("status=no-such", False),
    ],
)
def test_facets_narrow_the_list(rita, memory, facets, shown):
    assert ("Ann drinks tea." in text(rita.get(f"/memories/?{facets}"))) is shown


def test_a_key_rule_narrows_the_list(rita, agent, memory):
    a_memory(agent, "Answer in Chinese.", key="language", value="zh")

    page = text(rita.get("/memories/?rule=language"))

    assert "Answer in Chinese." in page
    assert "Ann drinks tea." not in page


def test_a_user_is_looked_for_in_the_body_and_goes_on_as_an_id(rita, agent, memory):
    a_memory(agent, "Bob drinks beer.", key="preference.drink", scope=ScopeSpec("user", user="bob"))

    response = rita.post("/memories/search/", {"user": "bob"}, follow=True)

    subject = Subject.objects.get(
        scope__memories__key_rule="", scope__memories__in=Memory.objects.exclude(pk=memory.pk)
    )
    assert response.redirect_chain == [(f"/memories/?subject={subject.id}", 302)]
    assert "Bob drinks beer." in text(response)
    assert "Ann drinks tea." not in text(response)


def test_a_user_never_seen_has_no_memories(rita, memory):
    response = rita.post("/memories/search/", {"user": "nobody-ever"}, follow=True)

    assert "nobody-ever" not in response.redirect_chain[0][0]
    assert "No memory is like that" in text(response)


def test_a_key_is_found_exactly_and_stays_in_the_body(rita, agent, memory):
    a_memory(agent, "Ann drinks it hot.", key="preference.drink.temperature")

    response = rita.post("/memories/search/", {"user": "ann", "key": "Preference.Drink"})

    assert response.status_code == 200
    assert "Ann drinks tea." in text(response)
    assert "Ann drinks it hot." not in text(response)


def test_a_key_without_a_user_is_looked_for_among_projects(rita, agent, memory):
    a_project(agent, "apollo", members=["ann"])
    a_memory(agent, "Apollo drinks mate.", key="preference.drink", scope=ScopeSpec("project", project="apollo"))

    page = text(rita.post("/memories/search/", {"key": "preference.drink"}))

    assert "Apollo drinks mate." in page
    assert "Ann drinks tea." not in page


def test_a_memory_shows_versions_with_their_difference(rita, agent, memory):
    revised(agent, memory, "Ann drinks coffee.", key="preference.drink", value="coffee")

    page = text(rita.get(f"/memories/{memory.id}/"))

    assert "Ann drinks <del>tea</del><ins>coffee</ins>." in page
    assert "Version 2" in page
    assert "Version 1" in page
    assert "<svg" in page
    assert "wrote version 2 of a memory" in page


def test_a_reviewer_retracts_and_restores(rita, memory):
    rita.post(f"/memories/{memory.id}/retract/", {"version": 1})
    assert "Retracted: nothing is held any more." in text(rita.get(f"/memories/{memory.id}/"))

    rita.post(f"/memories/{memory.id}/restore/", {"version": 2, "number": 1})

    page = text(rita.get(f"/memories/{memory.id}/"))
    assert latest(memory) == 3
    assert 'id="said" hx-disable>Ann drinks tea.</h2>' in page


@pytest.mark.parametrize(("sent", "status"), [({}, 428), ({"version": "7"}, 409)])
def test_retracting_at_another_version_changes_nothing(rita, memory, sent, status):
    response = rita.post(f"/memories/{memory.id}/retract/", sent)

    assert response.status_code == status
    assert "Ann drinks tea." in text(response)
    assert latest(memory) == 1


def test_who_may_not_decide_may_not_retract(tenant, memory):
    a_member(tenant, "carl", "compliance")

    response = signed_in("carl").post(f"/memories/{memory.id}/retract/", {"version": 1})

    assert response.status_code == 403
    assert latest(memory) == 1


def test_an_auditor_sees_the_skeleton_and_opens_words_as_an_event(ada, memory):
    assert "Ann drinks tea." not in text(ada.get("/memories/"))
    assert "Ann drinks tea." not in text(ada.get(f"/memories/{memory.id}/"))
    assert "ann" not in text(ada.get(f"/memories/{memory.id}/")).lower().split()

    opened = ada.post(f"/memories/{memory.id}/words/")

    assert "Ann drinks tea." in text(opened)
    assert Event.objects.filter(type="words-opened", stream=memory.id).count() == 1


def test_a_reviewer_needs_no_such_door(rita, memory):
    assert rita.post(f"/memories/{memory.id}/words/").status_code == 403
    assert not Event.objects.filter(type="words-opened").exists()


def test_a_retracted_memory_leaves_the_list_of_those_in_force(rita, agent, memory):
    retracted(agent, memory)

    assert "No memory is like that" in text(rita.get("/memories/?status=active"))
    assert memory.id in text(rita.get("/memories/?status=retracted"))


def test_another_tenant_s_memory_looks_like_none(memory):
    a_member(a_tenant("zenith"), "zoe", "reviewer", "administrator")

    for method in ("get", "post"):
        assert getattr(signed_in("zoe"), method)(f"/memories/{memory.id}/").status_code == 404


def test_words_find_memories_through_the_recall_engine(rita, agent, memory):
    a_memory(agent, "Ann lives in Lisbon.", key="profile.home.city", value="Lisbon")
    indexed()

    response = rita.post("/memories/search/", {"words": "what does she drink? tea", "user": "ann"})

    assert response.status_code == 200
    assert response.context["memories"][0].content == "Ann drinks tea."


def test_words_stay_within_what_one_may_see(tenant, agent, memory):
    a_member(a_tenant("zenith"), "zoe", "reviewer")
    indexed()

    assert signed_in("zoe").post("/memories/search/", {"words": "tea", "user": "ann"}).context["memories"] == []


@pytest.mark.parametrize(
    ("facets", "shown"),
    [("source=user_explicit", True), ("source=tool_result", False), ("age=day", True), ("always=1", False)],
)
def test_source_age_and_always_narrow_the_list(rita, memory, facets, shown):
    assert ("Ann drinks tea." in text(rita.get(f"/memories/?{facets}"))) is shown


def test_the_agent_narrows_the_list(rita, agent, memory):
    assert "Ann drinks tea." in text(rita.get(f"/memories/?agent={agent.agent}"))
    assert "Ann drinks tea." not in text(rita.get("/memories/?agent=agent_none"))


def test_a_memory_is_edited_as_a_new_version(rita, memory):
    said = {"version": 1, "content": "Ann drinks coffee.", "value": "coffee", "context": "", "note": "She told me."}

    response = rita.post(f"/memories/{memory.id}/edit/", said)

    assert response.status_code == 302
    assert latest(memory) == 2
    assert "Ann drinks <del>tea</del><ins>coffee</ins>." in text(rita.get(f"/memories/{memory.id}/"))


def test_a_stale_edit_writes_nothing(rita, agent, memory):
    revised(agent, memory, "Ann drinks mate.", key="preference.drink", value="mate")

    response = rita.post(f"/memories/{memory.id}/edit/", {"version": 1, "content": "Ann drinks coffee.", "value": "c"})

    assert response.status_code == 409
    assert latest(memory) == 2


def test_a_memory_is_pinned_and_unpinned(rita, memory):
    rita.post(f"/memories/{memory.id}/pin/", {"version": 1, "always": "1"})
    assert Memory.objects.get().always

    rita.post(f"/memories/{memory.id}/pin/", {"version": 2, "always": "0"})
    assert not Memory.objects.get().always


def test_an_administrator_widens_a_memory_as_an_event_of_its_own(rita, adam, agent, memory):
    said = {"version": 1, "level": "tenant", "note": "Everybody here drinks tea."}

    refused = rita.post(f"/memories/{memory.id}/widen/", said)
    adam.post(f"/memories/{memory.id}/widen/", said)

    assert refused.status_code == 403
    assert sorted(m.scope.level for m in Memory.objects.select_related("scope")) == ["tenant", "user"]
    assert Event.objects.filter(type="scope-widened", stream=memory.id).count() == 1


@pytest.mark.parametrize(
    "said", [{"level": "tenant", "note": ""}, {"level": "project", "project": "none", "note": "x"}]
)
def test_widening_needs_a_reason_and_a_place(adam, memory, said):
    assert adam.post(f"/memories/{memory.id}/widen/", {"version": 1, **said}).status_code == 422
    assert Memory.objects.count() == 1
    assert not Event.objects.filter(type="scope-widened").exists()


def test_the_trail_goes_on_to_the_index_and_the_recalls(rita, agent, memory):
    indexed()
    recall(Question(query="tea", user="ann"), by=agent)

    assert "found by" in text(rita.get(f"/memories/{memory.id}/"))
    assert "given" in text(rita.get(f"/memories/{memory.id}/recalls/"))


def test_many_versions_are_folded_but_all_there(rita, agent, memory):
    for number in range(12):
        revised(agent, Memory.objects.get(pk=memory.pk), f"Ann drinks {number} cups.")

    page = rita.get(f"/memories/{memory.id}/")

    assert (len(page.context["versions"]), len(page.context["earlier"])) == (10, 3)
    assert "Earlier versions (3)" in text(page)
    assert "<b>Version 1</b>" in text(page)
