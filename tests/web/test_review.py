"""The queue: what an item shows, how it is decided, and what happens when somebody else was faster."""

import pytest

from governance.candidates import actions
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.ledger import sealing
from governance.memories.models import Memory, Version
from governance.memories.queries import views
from governance.scopes.queries import find_project
from governance.scopes.rules import Grant, ScopeSpec
from governance.web import paging
from tests.factories import a_project, a_tenant, an_agent
from tests.web.people import a_member, a_proposal, signed_in, some_proposals


@pytest.fixture
def waiting(agent) -> Candidate:
    found = a_proposal(agent, said="Long night again. I slept at noon.", quote="Long night again.")
    assert found.status == "pending"
    return found


def fresh(candidate: Candidate) -> Candidate:
    return Candidate.objects.get(pk=candidate.pk)


def text(response) -> str:
    return response.content.decode()


def test_the_queue_lists_what_waits(rita, waiting):
    page = text(rita.get("/review/"))

    assert "Ann works at night." in page
    assert f"/review/{waiting.id}/" in page


def test_the_queue_is_narrowed_by_facets_and_says_how_many_each_leaves(rita, agent, waiting):
    a_proposal(agent, "Ann asked twice.", kind="episodic", key="", value=None)

    page = text(rita.get("/review/?kind=episodic"))

    assert "Ann asked twice." in page
    assert "Ann works at night." not in page
    assert "episodic (1)" in page
    assert "semantic (1)" in page


def test_htmx_gets_the_list_alone(rita, waiting):
    fragment = text(rita.get("/review/", headers={"HX-Request": "true"}))

    assert fragment.lstrip().startswith('<section class="card" id="queue"')
    assert "<html" not in fragment


def test_an_item_shows_the_evidence_with_its_span_marked(rita, waiting):
    page = text(rita.get(f"/review/{waiting.id}/"))

    assert '<mark class="span">Long night again.</mark> I slept at noon.' in page


def test_an_item_shows_who_will_see_it_the_verdicts_and_the_score(rita, waiting):
    page = text(rita.get(f"/review/{waiting.id}/"))

    assert "1 agent, when serving <b>ann</b>" in page
    assert "explicitness" in page
    assert "P × U × R × A − C" in page


def test_an_item_that_changes_a_memory_shows_the_difference_word_by_word(rita, agent, waiting):
    rita.post(f"/review/{waiting.id}/approve/", {"version": 1})
    change = a_proposal(agent, "Ann works at noon.")

    page = text(rita.get(f"/review/{change.id}/"))

    assert "Ann works at <del>night</del><ins>noon</ins>." in page


def test_approving_makes_a_memory_and_goes_on_to_the_next(rita, agent, waiting):
    following = a_proposal(agent, "Ann drinks tea.", key="preference.drink")

    response = rita.post(f"/review/{waiting.id}/approve/", {"version": 1})

    assert response["Location"] == f"/review/{following.id}/"
    assert fresh(waiting).status == "committed"
    assert [m.content for m in views(Memory.objects.all())] == ["Ann works at night."]


def test_the_last_decision_leads_back_to_the_queue(rita, waiting):
    response = rita.post(f"/review/{waiting.id}/approve/", {"version": 1})

    assert response["Location"] == "/review/"


def test_rejecting_takes_a_reason_and_keeps_the_note_sealed(rita, waiting):
    rita.post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": "not-true", "note": "She was tired."})

    decided = fresh(waiting)
    assert (decided.status, decided.decision_reason) == ("rejected", "not-true")
    assert sealing.unseal([decided.decision_note_id])[decided.decision_note_id]["note"] == "She was tired."
    assert not Memory.objects.exists()


def test_rejecting_without_a_reason_changes_nothing(rita, waiting):
    response = rita.post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": ""})

    assert response.status_code == 422
    assert fresh(waiting).status == "pending"


def test_an_edited_candidate_is_committed_in_the_reviewer_s_words(rita, waiting):
    words = {"content": "Ann works mostly at night.", "value": "mostly nights", "context": ""}

    rita.post(f"/review/{waiting.id}/edit/", {"version": 1, **words})

    memory = views(Memory.objects.all())[0]
    assert (memory.content, memory.value, memory.source_type) == (
        "Ann works mostly at night.",
        "mostly nights",
        "reviewer",
    )


def test_a_value_that_is_no_text_is_edited_as_json(rita, agent):
    waiting = a_proposal(agent, "Ann has two cats.", key="profile.pets", value={"cats": 2})

    rita.post(f"/review/{waiting.id}/edit/", {"version": 1, "content": "Ann has three cats.", "value": '{"cats": 3}'})

    assert views(Memory.objects.all())[0].value == {"cats": 3}


def test_broken_json_is_refused_and_what_was_typed_is_kept(rita, agent):
    waiting = a_proposal(agent, "Ann has two cats.", key="profile.pets", value={"cats": 2})

    response = rita.post(f"/review/{waiting.id}/edit/", {"version": 1, "content": "Three cats now.", "value": "{"})

    assert response.status_code == 422
    assert "Three cats now." in text(response)
    assert "This is not JSON." in text(response)
    assert fresh(waiting).status == "pending"


@pytest.mark.parametrize("what", ["approve", "reject", "edit"])
def test_a_form_that_does_not_say_its_version_is_refused(rita, waiting, what):
    response = rita.post(f"/review/{waiting.id}/{what}/", {"reason": "not-true", "content": "Else."})

    assert response.status_code == 428
    assert fresh(waiting).status == "pending"


def test_a_stale_decision_shows_the_item_as_it_is_now(rita, tenant, waiting):
    a_member(tenant, "remy", "reviewer")
    rita.post(f"/review/{waiting.id}/approve/", {"version": 1})

    late = signed_in("remy").post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": "not-true"})

    assert late.status_code == 409
    assert "by <b>rita</b>" in text(late)
    assert fresh(waiting).status == "committed"
    assert Version.objects.count() == 1


def test_an_item_whose_ground_has_moved_says_so_first(rita, tenant, agent, waiting):
    rival = a_proposal(agent, "Ann works at noon.")
    rita.post(f"/review/{waiting.id}/approve/", {"version": 1})

    response = rita.post(f"/review/{rival.id}/approve/", {"version": 1})

    assert response.status_code == 409
    assert "Ann works at <del>night</del><ins>noon</ins>." in text(response)
    assert 'name="version" value="2"' in text(response)
    assert fresh(rival).status == "pending"


def test_several_are_approved_at_once_and_the_failed_stay_selected(rita, agent):
    first, second, third = some_proposals(agent, 3)

    response = rita.post("/review/several/", {"item": [f"{first.id}:1", f"{second.id}:9"]})

    page = text(response)
    assert "1 decided, 1 not" in page
    assert [fresh(c).status for c in (first, second, third)] == ["committed", "pending", "pending"]
    row = page[page.index(f'value="{second.id}:1"') :]
    assert "checked" in row[: row.index(">")]


def test_an_auditor_decides_nothing(ada, waiting):
    response = ada.post(f"/review/{waiting.id}/approve/", {"version": 1})

    assert response.status_code == 403
    assert fresh(waiting).status == "pending"


def test_another_tenant_s_item_looks_like_none(agent, waiting):
    a_member(a_tenant("zenith"), "zoe", "reviewer")

    client = signed_in("zoe")

    assert client.get(f"/review/{waiting.id}/").status_code == 404
    assert client.post(f"/review/{waiting.id}/approve/", {"version": 1}).status_code == 404
    assert text(client.get(f"/review/{waiting.id}/")).count(waiting.id) == 0


def test_a_reviewer_limited_to_a_project_sees_its_items_alone(tenant, agent, waiting):
    a_project(agent, "apollo", members=["ann"])
    inside = a_proposal(agent, "Apollo uses Go.", key="project.language", scope=ScopeSpec("project", project="apollo"))
    a_member(tenant, "lim", "reviewer", projects=[find_project(tenant.id, "apollo").id])

    page = text(signed_in("lim").get("/review/"))

    assert inside.id in page
    assert waiting.id not in page
    assert signed_in("lim").get(f"/review/{waiting.id}/").status_code == 404


def test_words_of_a_candidate_stay_text(rita, agent):
    attack = 'Ann lives in <img src=x onerror=alert(1)><b hx-get="/sign-out/" hx-trigger="load">x</b>{{ 7|add:7 }}'
    waiting = a_proposal(agent, attack, key="profile.note", said=attack)

    for page in ("/review/", f"/review/{waiting.id}/", "/proposals/", "/"):
        shown = text(rita.get(page))
        assert "<img src=x" not in shown
        assert '<b hx-get="/sign-out/"' not in shown
        assert "{{ 7|add:7 }}" in shown


def test_what_hides_in_a_text_is_made_visible(rita, agent):
    waiting = a_proposal(agent, "Pay\u200b the p\u0430yroll.\u202e", key="profile.note")

    page = text(rita.get(f"/review/{waiting.id}/"))

    assert "U+200B" in page
    assert "U+202E" in page
    assert 'title="cyrillic small letter a"' in page


def test_every_outcome_is_listed_with_who_decided(rita, waiting):
    rita.post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": "not-true"})

    page = text(rita.get("/proposals/?status=rejected"))

    assert "Ann works at night." in page
    assert "rita" in page
    assert "not true" in page


def test_pages_of_the_queue_meet_without_gap_or_overlap(rita, agent, monkeypatch):
    made = [c.id for c in some_proposals(agent, 7)]
    monkeypatch.setattr("governance.web.review.page_of", small_pages(3))

    seen, address = [], "/review/"
    while address:
        page = rita.get(address).context["page"]
        seen += [row.id for row in page.rows]
        address = f"/review/{page.next}" if page.next else ""

    assert seen == made


def small_pages(size: int):
    return lambda *args, **kwargs: paging.page_of(*args, **{**kwargs, "size": size})


def test_another_agent_s_name_stands_beside_its_item(rita, tenant):
    other = an_agent(tenant)
    a_proposal(other)

    assert "agent-" in text(rita.get("/review/"))


def test_a_proposal_made_twice_is_one_item_with_a_count(rita, agent, waiting):
    a_proposal(agent)

    page = text(rita.get("/review/"))

    assert page.count("data-item") == 1
    assert "proposed 2 times" in page


def test_a_retraction_that_waits_says_what_it_would_take_away(rita, tenant, agent):
    a_project(agent, "apollo", members=["ann"])
    scope = ScopeSpec("project", project="apollo")
    made = a_proposal(agent, "Apollo uses Go.", key="project.language", scope=scope)
    rita.post(f"/review/{made.id}/approve/", {"version": 1})
    by = an_agent(tenant, grants=[Grant("retract", "project")])
    asked = actions.retract(Memory.objects.get(), Change(expected=1), by=by)

    page = text(rita.get(f"/review/{asked.id}/"))

    assert "Proposed retraction" in page
    assert "<del>Apollo uses Go.</del>" in page
