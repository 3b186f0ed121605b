"""Numbers and days that nobody means, in the forms and addresses of the desks; and what the log says of a fault."""

import pytest

from governance.ledger.models import Event
from governance.scopes.models import Agent, ApiKey
from tests.web.people import a_proposal

HUGE = "9" * 5_000


@pytest.mark.parametrize("verb", ["approve", "reject", "edit", "undo", "revert", "reopen", "aside"])
def test_a_version_that_is_no_number_of_ours_counts_as_none(rita, agent, verb):
    waiting = a_proposal(agent)
    before = Event.objects.count()

    answers = [rita.post(f"/review/{waiting.id}/{verb}/", {"version": v}) for v in (HUGE, "²", "-1", "1" * 10)]

    assert {r.status_code for r in answers} == {428}
    assert Event.objects.count() == before


def test_in_bulk_it_is_a_version_that_has_changed(rita, agent):
    waiting = a_proposal(agent)

    preview = rita.post("/review/several/preview/", {"item": [f"{waiting.id}:{HUGE}", f"{waiting.id}:²"]})
    decided = rita.post("/review/several/", {"item": [f"{waiting.id}:{HUGE}"]})

    assert (preview.status_code, decided.status_code) == (200, 200)
    assert "changed since the list was shown" in preview.content.decode()
    waiting.refresh_from_db()
    assert waiting.status == "pending"


@pytest.mark.parametrize("day", ["9999-12-31", "9000-01-01", "0001-01-01"])
def test_a_last_day_beyond_the_calendar_is_refused(adam, agent, day):
    agent_id = Agent.objects.get().id
    before = ApiKey.objects.count()

    said = {"actions": "recall", "levels": "user", "expires": day}
    response = adam.post(f"/agents/{agent_id}/keys/", said)

    assert response.status_code == 422
    assert "beyond the calendar" in response.content.decode()
    assert ApiKey.objects.count() == before


@pytest.mark.parametrize(
    "address",
    [
        "/memories/?as_of=9999-12-31T23:59&known_at=0001-01-01T00:00",
        f"/review/?after={HUGE}",
        f"/review/?proposed_on={HUGE}",
        "/review/?proposed_on=9999-12-31",
        f"/policy/versions/{HUGE}/",
        f"/audit-log/?before={HUGE}&actor=²",
        f"/memories/?policy={HUGE}",
        f"/proposals/?policy_version={HUGE}&policy=²",
        f"/forget/forget_x/reports/{HUGE}/",
    ],
)
def test_an_address_with_numbers_that_nobody_means_is_answered(adam, agent, address):
    response = adam.get(address)

    assert response.status_code in (200, 403, 404)


def test_a_fault_of_a_page_leaves_a_line_with_its_place_and_no_word_of_the_request(adam, monkeypatch, caplog):
    def fail(*args, **named):
        raise RuntimeError("sentinel-9f3c")

    monkeypatch.setattr("governance.web.agents.agents_of", fail)
    adam.raise_request_exception = False

    response = adam.get("/agents/?words=sentinel-9f3c")

    (line,) = [r.getMessage() for r in caplog.records if r.levelname == "ERROR" and r.name.startswith("governance")]
    assert response.status_code == 500
    assert response["X-Request-ID"] in line and "RuntimeError" in line and "agents.py" in line
    assert "sentinel" not in line + response.content.decode()
