"""The retention desk: looked at first, swept, followed, taken back; holds placed and lifted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.ledger.outbox import drain
from governance.lifecycle.models import Hold, Sweep
from governance.memories.models import Memory
from tests.factories import a_memory, a_tenant
from tests.web.people import a_member, signed_in

FRAGMENT = {"headers": {"HX-Request": "true"}}


def text(response) -> str:
    return response.content.decode()


def worked() -> None:
    while drain("sweep"):
        pass


@pytest.fixture
def memory(agent) -> Memory:
    return a_memory(agent, "Ann once liked jazz.", observed_at=timezone.now() - timedelta(days=3000))


@pytest.fixture
def cora(tenant):
    """A compliance officer's browser."""
    a_member(tenant, "cora", "compliance")
    return signed_in("cora")


def test_a_look_is_asked_made_and_told(cora, memory):
    before = text(cora.get("/retention/"))
    cora.post("/retention/look/")
    waiting = text(cora.get("/retention/", **FRAGMENT))
    worked()
    told = text(cora.get("/retention/", **FRAGMENT))

    assert "Not looked yet" in before
    assert "The worker looks" in waiting and "every 1s" in waiting
    assert "Demoted" in told and memory.id in told and "every 1s" not in told
    assert "Ann once liked jazz." not in told


def test_a_sweep_is_followed_reported_and_undone(cora, memory):
    cora.post("/retention/sweep/")
    under_way = text(cora.get("/retention/", **FRAGMENT))
    worked()
    done = text(cora.get("/retention/", **FRAGMENT))
    sweep = Sweep.objects.get()
    cora.post(f"/retention/sweeps/{sweep.id}/undo/")
    worked()
    undone = text(cora.get("/retention/"))

    memory.refresh_from_db()
    assert "under way" in under_way
    assert "Undo" in done and "cora" in done
    assert "Taken back by cora" in undone
    assert not memory.demoted


def test_a_hold_is_placed_shown_and_lifted(cora, memory):
    cora.post("/retention/holds/", {"user": "ann", "ground": "litigation", "note": "Case 12."})
    shown = text(cora.get("/retention/"))
    hold = Hold.objects.get()
    cora.post(f"/retention/holds/{hold.id}/lift/")

    assert "Case 12." in shown and "<b>ann</b>" in shown
    assert "lifted" in text(cora.get("/retention/"))
    assert not Hold.objects.in_force().exists()


def test_a_hold_on_somebody_unknown_is_refused_on_the_page(cora, memory):
    response = cora.post("/retention/holds/", {"user": "nobody", "ground": "litigation"})

    assert response.status_code == 404
    assert not Hold.objects.exists()


def test_an_auditor_sees_ids_and_no_words(cora, ada, memory):
    cora.post("/retention/holds/", {"user": "ann", "ground": "litigation", "note": "Case 12."})

    page = text(ada.get("/retention/"))

    assert Hold.objects.get().subject_id in page
    assert "Case 12." not in page and ">ann<" not in page
    assert "Sweep now" not in page and "Lift" not in page.replace("Lift</span></th>", "")


def test_another_tenants_hold_and_sweep_are_not_there(cora, memory):
    other = a_tenant("acme-corp")
    a_member(other, "zoe", "compliance")
    zoe = signed_in("zoe")
    cora.post("/retention/holds/", {"user": "ann", "ground": "litigation"})
    cora.post("/retention/sweep/")
    worked()

    assert zoe.post(f"/retention/holds/{Hold.objects.get().id}/lift/").status_code == 404
    assert zoe.post(f"/retention/sweeps/{Sweep.objects.get().id}/undo/").status_code == 404
    assert "No sweep yet" in text(zoe.get("/retention/"))


def test_a_reviewer_sets_one_memory_aside(rita, memory):
    version = {"version": memory.latest}
    rita.post(f"/memories/{memory.id}/put/", {**version, "place": "archive"})
    memory.refresh_from_db()
    was_archived = memory.archived
    rita.post(f"/memories/{memory.id}/put/", {**version, "place": "front"})
    rita.post(f"/memories/{memory.id}/end/", version)

    memory.refresh_from_db()
    assert was_archived and not memory.archived
    assert memory.latest == 2
    assert "expired" in text(rita.get(f"/memories/{memory.id}/"))
    assert rita.post(f"/memories/{memory.id}/put/", {**version, "place": "demote"}).status_code == 409
