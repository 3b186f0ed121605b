"""A person's rights, in the browser: found, copied, not remembered."""

import json

import pytest

from governance.ledger.models import Event
from governance.scopes.queries import find_subject
from tests.factories import a_memory, a_tenant, an_agent
from tests.web.people import a_member, signed_in


def text(response) -> str:
    return response.content.decode()


@pytest.fixture
def ann(agent):
    a_memory(agent, "Ann works at night.", key="profile.hours")
    return find_subject(agent.tenant, "ann")


@pytest.fixture
def cora(tenant):
    a_member(tenant, "cora", "compliance")
    return signed_in("cora")


def test_somebody_is_found_by_their_id_which_stands_in_no_address(cora, ann):
    answer = cora.post("/people/find/", {"user": "ann"})

    assert answer.headers["Location"] == f"/people/{ann.id}/"
    assert "memories" in text(cora.get(f"/people/{ann.id}/"))
    assert cora.post("/people/find/", {"user": "nobody"}).status_code == 404


def test_the_copy_is_streamed_kept_nowhere_and_noted(cora, ann):
    answer = cora.post(f"/people/{ann.id}/export/")
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]

    assert answer.streaming
    assert "no-store" in answer.headers["Cache-Control"]
    assert any(line.get("words", {}).get("content") == "Ann works at night." for line in lines)
    assert Event.objects.filter(type="person-exported", stream=ann.id).count() == 1


def test_the_wish_not_to_be_remembered_is_noted_and_taken_back(cora, ann):
    cora.post(f"/people/{ann.id}/remember/", {"remembered": "no"})
    ann.refresh_from_db()
    was_out = ann.opted_out_at is not None
    page = text(cora.get(f"/people/{ann.id}/"))
    cora.post(f"/people/{ann.id}/remember/", {"remembered": "yes"})

    ann.refresh_from_db()
    assert was_out and ann.opted_out_at is None
    assert "Remember again" in page


def test_another_tenants_person_is_not_there(cora):
    other = an_agent(a_tenant("acme-corp"))
    a_memory(other, "Ann works at night.")
    theirs = find_subject(other.tenant, "ann")

    assert cora.get(f"/people/{theirs.id}/").status_code == 404
    assert cora.post(f"/people/{theirs.id}/export/").status_code == 404
    assert not Event.objects.filter(type="person-exported").exists()
