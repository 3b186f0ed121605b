"""What was kept out stays to be seen: with its reason, counted, narrowed to, and opened again."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from governance.candidates import actions
from governance.candidates.models import Candidate
from governance.ledger.rebuild import rebuild
from tests.web.people import a_member, a_proposal


def text(response) -> str:
    return response.content.decode()


def fresh(candidate: Candidate) -> Candidate:
    return Candidate.objects.get(pk=candidate.pk)


@pytest.fixture
def heartbeat(agent) -> Candidate:
    found = a_proposal(agent, "Heartbeat: all systems nominal.")
    assert found.status == "rejected"
    return found


def test_why_policy_kept_it_out_is_listed_counted_and_narrowed_to(rita, agent, heartbeat):
    a_proposal(agent, "Ann's card is 4111 1111 1111 1111.", key="payment.card")
    a_proposal(agent)

    page = rita.get("/proposals/?reason=heartbeat")

    assert page.context["page"].total == 1
    assert re.search(r'value="heartbeat" selected>heartbeat \(1\)', text(page))
    assert "sensitive card (1)" in text(page)
    assert "4111" not in text(rita.get("/proposals/"))


def test_it_is_opened_again_and_committed(rita, agent, heartbeat):
    rita.post(f"/review/{heartbeat.id}/reopen/", {"version": heartbeat.version})
    opened = fresh(heartbeat)
    assert (opened.status, opened.decided_by, opened.decision_reason) == ("pending", "", "")
    assert heartbeat.id in text(rita.get("/review/"))

    rita.post(f"/review/{heartbeat.id}/approve/", {"version": opened.version})

    assert fresh(heartbeat).status == "committed"
    assert "opened a proposal again" in text(rita.get(f"/review/{heartbeat.id}/"))
    assert not rebuild(apply=False).differences


def test_what_a_person_rejected_is_opened_again_too(rita, agent):
    waiting = a_proposal(agent)
    rita.post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": "not-true", "note": "She said no."})
    assert "Open again" in text(rita.get(f"/review/{waiting.id}/"))

    rita.post(f"/review/{waiting.id}/reopen/", {"version": 2})

    assert (fresh(waiting).status, fresh(waiting).decision_note) == ("pending", None)


def test_it_is_opened_at_the_version_one_has_seen_and_only_once(rita, heartbeat):
    assert rita.post(f"/review/{heartbeat.id}/reopen/", {"version": 7}).status_code == 409
    assert rita.post(f"/review/{heartbeat.id}/reopen/", {}).status_code == 428
    assert fresh(heartbeat).status == "rejected"
    rita.post(f"/review/{heartbeat.id}/reopen/", {"version": 1})

    assert rita.post(f"/review/{heartbeat.id}/reopen/", {"version": 2}).status_code == 409


def test_an_auditor_sees_it_and_opens_nothing(ada, heartbeat):
    assert "Open again" not in text(ada.get(f"/review/{heartbeat.id}/"))
    assert ada.post(f"/review/{heartbeat.id}/reopen/", {"version": 1}).status_code == 403


def test_what_is_opened_late_waits_its_full_time_again(tenant, heartbeat):
    rita = a_member(tenant, "rita", "reviewer")
    with time_machine.travel(timezone.now() + timedelta(days=40), tick=False):
        actions.reopen(heartbeat, expected=1, by=rita)
        assert actions.expire_due() == 0
    with time_machine.travel(timezone.now() + timedelta(days=71), tick=False):
        assert actions.expire_due() == 1
