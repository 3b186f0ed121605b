"""The policy desk through HTTP: a draft is edited, refused at its field, compared, tried, published; decisions name it."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.utils import timezone

from governance.candidates.models import Candidate, PolicyTrial
from governance.ledger.models import Event
from governance.ledger.outbox import drain
from governance.policies.documents import value_at
from governance.policies.fields import lines_of_trust
from governance.policies.models import PolicyDraft, PolicyVersion
from governance.policies.queries import current
from governance.policies.rules import DEFAULT
from governance.policies.sections import SECTIONS, fields_of, section
from tests.factories import a_tenant
from tests.web.people import a_member, a_proposal, signed_in, some_proposals
from tests.web.test_numbers import queries


def text(response) -> str:
    return response.content.decode()


@pytest.fixture
def drafting(adam):
    cache.clear()
    assert adam.post("/policy/draft/begin/").status_code == 302
    return adam


def as_shown(name: str, **changes) -> dict:
    """Return a section as its form posts it, with some fields changed."""
    said = {}
    document = PolicyDraft.objects.get().document
    for field in fields_of(section(name)):
        value = value_at(document, field.path)
        if field.kind == "order":
            value = lines_of_trust(value)
        elif field.kind == "patterns":
            value = "\n".join(value)
        said[field.path] = "" if value is None else value
    return said | {"version": PolicyDraft.objects.get().version} | {k.replace("__", "."): v for k, v in changes.items()}


def test_everybody_reads_the_policy_in_force(rita, ada):
    for client in (rita, ada):
        page = text(client.get("/policy/"))
        assert "Policy 1" in page
        assert "Order of trust" in page
        assert "Draft the next policy" not in page
        assert client.get("/policy/draft/").status_code == 403
        assert client.post("/policy/draft/begin/").status_code == 403


@pytest.mark.parametrize("name", [s.id for s in SECTIONS if s.groups])
def test_a_section_saved_as_it_is_shown_changes_nothing(drafting, name):
    before = PolicyDraft.objects.get().document
    page = text(drafting.get(f"/policy/draft/sections/{name}/"))
    for field in fields_of(section(name)):
        assert f'name="{field.path}"' in page
        assert f"id_{field.path}_helptext" in page or field.kind == "several"

    assert drafting.post(f"/policy/draft/sections/{name}/save/", as_shown(name)).status_code == 302

    assert PolicyDraft.objects.get().document == before
    assert "Nothing yet" in text(drafting.get("/policy/draft/"))


def test_an_error_stands_at_its_field_and_nothing_is_saved(drafting):
    response = drafting.post(
        "/policy/draft/sections/score/save/", as_shown("score", score__threshold="1.5", score__one_off="x")
    )

    assert response.status_code == 422
    at = re.search(r'id="id_score.threshold_error">.*?</p>', text(response), re.DOTALL)
    assert at and "Must lie between 0 and 1." in at[0]
    assert 'id="id_score.one_off_error"' in text(response)
    assert "/score/threshold" not in text(response)
    assert "<b>Threshold:</b>" in text(response)
    assert PolicyDraft.objects.get().version == 1


def test_an_order_of_trust_with_an_unknown_source_is_told(drafting):
    response = drafting.post("/policy/draft/sections/review/save/", as_shown("review", trust="moon\nreviewer"))

    assert response.status_code == 422
    assert "There is no source moon." in text(response)


def test_a_draft_is_edited_compared_and_published(drafting, agent, tenant):
    drafting.post("/policy/draft/sections/score/save/", as_shown("score", score__threshold="0.9"))
    drafting.post("/policy/draft/sections/always/save/", as_shown("always", always_keys="allergy.*\nmedicine.*"))
    page = text(drafting.get("/policy/draft/"))
    assert "<del>0.2</del>" in page
    assert "<ins>0.9</ins>" in page
    assert "in force: 0.2" in text(drafting.get("/policy/draft/sections/score/"))
    assert current(tenant.id) == DEFAULT

    drafting.post("/policy/draft/publish/", {"version": 3})

    assert current(tenant.id).always_keys == ("allergy.*", "medicine.*")
    assert Event.objects.filter(type="policy-published").count() == 1
    decided = a_proposal(agent)
    assert decided.policy_version == 2
    item = text(drafting.get(f"/review/{decided.id}/"))
    assert '<a href="/policy/versions/2/">policy 2</a>' in item
    assert "<ins>0.9</ins>" in text(drafting.get("/policy/versions/2/"))
    assert drafting.get("/proposals/?policy=2").context["page"].total == 1
    assert drafting.get("/proposals/?policy=1").context["page"].total == 0


def test_a_version_is_compared_with_any_other_and_drafted_from(drafting, tenant):
    for threshold in ("0.3", "0.4"):
        drafting.post("/policy/draft/begin/")
        drafting.post("/policy/draft/sections/score/save/", as_shown("score", score__threshold=threshold))
        drafting.post("/policy/draft/publish/", {"version": PolicyDraft.objects.get().version})

    assert "<del>0.2</del>" in text(drafting.get("/policy/versions/3/?against=1"))
    assert "<del>0.3</del>" in text(drafting.get("/policy/versions/3/"))
    assert drafting.get("/policy/versions/9/").status_code == 404
    assert drafting.get("/policy/versions/3/?against=nothing").status_code == 404
    drafting.post("/policy/draft/begin/", {"number": "2"})
    assert PolicyDraft.objects.get().document["score"]["threshold"] == 0.3


def test_a_draft_is_tried_and_says_what_would_change(drafting, agent, tenant):
    some_proposals(agent, 3)
    beat = a_proposal(agent, "Heartbeat: all systems nominal.")
    drafting.post("/policy/draft/sections/review/save/", as_shown("review", max_content_chars="50"))
    a_proposal(agent, "Ann works at night, and on most weekends as well, from home.")
    asked = drafting.post("/policy/draft/try/", {"last": "100"})
    where = asked.headers["Location"]
    assert "Waiting for the worker" in text(drafting.get(where))
    assert 'hx-trigger="every 1s"' in text(drafting.get(where))

    while drain("policy-trial"):
        pass

    page = text(drafting.get(where))
    assert "1 of 5 would change" in page
    assert "Ann works at night, and on most weekends" in page
    assert beat.id not in page
    assert drafting.get(f"{where}?move=review%3Ereject").context["changed"]
    assert drafting.get(f"{where}?move=reject%3Ecommit").context["changed"] == []
    assert 'hx-trigger="every 1s"' not in text(drafting.get(where))
    drafting.post("/policy/draft/publish/", {"version": 2})
    assert PolicyTrial.objects.get().published_as == 2
    assert "On the last 5 candidates it changed 1." in text(drafting.get("/policy/versions/2/"))
    cache.clear()
    assert "Only the counts of a trial are kept" in text(drafting.get(where))
    assert Candidate.objects.filter(policy_version=2).count() == 0


def test_of_two_who_edit_the_second_is_told(drafting):
    one = as_shown("score", score__threshold="0.3")
    drafting.post("/policy/draft/sections/score/save/", one)

    response = drafting.post("/policy/draft/sections/score/save/", one | {"score.threshold": "0.4"})

    assert response.status_code == 409
    assert PolicyDraft.objects.get().document["score"]["threshold"] == 0.3
    assert drafting.post("/policy/draft/publish/", {"version": 1}).status_code == 409
    assert drafting.post("/policy/draft/publish/", {}).status_code == 428
    assert not PolicyVersion.objects.exists()


RULE = {
    "id": "tea",
    "pattern": "preference.tea",
    "en": "tea",
    "zh": "茶",
    "aliases": "chai\n奶茶",
    "cardinality": "multi",
    "half_life_days": "30",
    "authority": "",
    "trust": "reviewer = user_explicit\nagent_guess",
    "place": "1",
}


def test_a_key_rule_is_added_changed_and_taken_out(drafting):
    drafting.post("/policy/draft/new-key/save/", RULE | {"version": 1})
    assert "茶" in text(drafting.get("/policy/draft/sections/keys/"))
    rule = PolicyDraft.objects.get().document["key_rules"][0]
    assert (rule["labels"], rule["aliases"], rule["half_life_days"]) == (
        {"en": "tea", "zh": "茶"},
        ["chai", "奶茶"],
        30.0,
    )
    assert rule["trust"] == {"reviewer": 20, "user_explicit": 20, "agent_guess": 10}
    assert "reviewer = user_explicit" in text(drafting.get("/policy/draft/keys/tea/"))

    drafting.post("/policy/draft/keys/tea/save/", RULE | {"id": "drink", "version": 2})
    drafting.post("/policy/draft/keys/drink/drop/", {"version": 3})

    assert "Nothing yet" in text(drafting.get("/policy/draft/"))
    assert drafting.get("/policy/draft/keys/drink/").status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("pattern", "My Tea", "Write patterns as keys are kept"),
        ("id", "Tea!", "Must be small letters"),
        ("id", "seat", "Is the name of another rule."),
        ("half_life_days", "0", "Must be a number of days above 0"),
        ("trust", "moon", "There is no source moon."),
        ("aliases", "\n".join(str(i) for i in range(60)), "Must be at most 50 other names."),
    ],
)
def test_a_wrong_key_rule_is_told_at_its_field(drafting, field, value, told):
    response = drafting.post("/policy/draft/new-key/save/", RULE | {field: value, "version": 1})

    assert response.status_code == 422
    assert re.search(rf'id="id_{field}_error">.*?{re.escape(told)}', text(response), re.DOTALL)
    assert PolicyDraft.objects.get().version == 1


def test_a_draft_behind_says_so_and_follows_when_it_was_compared(drafting, tenant):
    drafting.post("/policy/draft/sections/score/save/", as_shown("score", score__threshold="0.9"))
    PolicyDraft.objects.update(based_on=0)
    page = text(drafting.get("/policy/draft/"))
    assert "was published since this draft" in page
    assert "Publish as policy" not in page

    drafting.post("/policy/draft/rebase/", {"version": 2})

    assert "Publish as policy 2" in text(drafting.get("/policy/draft/"))


def test_a_draft_is_thrown_away(drafting):
    drafting.post("/policy/draft/discard/", {"version": 1})

    assert not PolicyDraft.objects.exists()
    assert drafting.get("/policy/draft/").headers["Location"] == "/policy/"


def test_another_tenant_s_policy_and_trials_are_unknown(drafting):
    drafting.post("/policy/draft/sections/score/save/", as_shown("score", score__threshold="0.9"))
    where = drafting.post("/policy/draft/try/", {"last": "100"}).headers["Location"]
    drafting.post("/policy/draft/publish/", {"version": 2})
    a_member(a_tenant("other"), "olga", "administrator")
    olga = signed_in("olga")

    assert olga.get(where).status_code == 404
    assert olga.get("/policy/versions/2/").status_code == 404
    assert "Policy 1" in text(olga.get("/policy/"))


def test_the_gate_is_measured_against_people(drafting, agent):
    good, bad = some_proposals(agent, 2)
    drafting.post(f"/review/{good.id}/approve/", {"version": 1})
    drafting.post(f"/review/{bad.id}/reject/", {"version": 1, "reason": "not-true"})

    for address in ("/policy/", "/"):
        page = text(drafting.get(address))
        assert "2</b></a> answers" in page
        assert "line-recall" not in page


def test_a_course_is_drawn_once_two_weeks_have_answers(drafting, agent):
    first, second = some_proposals(agent, 2)
    drafting.post(f"/review/{first.id}/approve/", {"version": 1})

    with time_machine.travel(timezone.now() + timedelta(days=7)):
        adam = signed_in("adam")
        adam.post(f"/review/{second.id}/approve/", {"version": 1})
        page = text(adam.get("/policy/"))

    assert "line-recall" in page


@pytest.mark.parametrize(
    "address", ["/policy/", "/policy/draft/", "/policy/draft/sections/keys/", "/policy/versions/1/"]
)
def test_pages_cost_the_same_number_of_queries_however_many(drafting, agent, address):
    def decide(made):
        for candidate in made:
            drafting.post(f"/review/{candidate.id}/reject/", {"version": 1, "reason": "not-true"})

    decide(some_proposals(agent, 2))
    few = queries(drafting, address)
    decide([a_proposal(agent, f"Ann has {i}.", key=f"thing.n{i}") for i in range(8)])

    assert queries(drafting, address) <= few


def test_a_trial_s_page_costs_the_same_number_of_queries_however_much_changes(drafting, agent):
    drafting.post("/policy/draft/sections/review/save/", as_shown("review", max_content_chars="50"))

    def cost(n: int) -> int:
        for i in range(n):
            a_proposal(agent, f"Ann works at night, and on most weekends as well, number {n}.{i}.", key=f"k.n{n}x{i}")
        where = drafting.post("/policy/draft/try/", {"last": "100"}).headers["Location"]
        while drain("policy-trial"):
            pass
        assert len(drafting.get(where).context["changed"]) >= n
        return queries(drafting, where)

    assert cost(8) >= cost(20)
