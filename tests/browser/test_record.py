"""The ledger's page follows the worker by itself; what an agent wrote is taken back after one question."""

import pytest
from playwright.sync_api import Page, expect

from governance.ledger.models import LedgerCheck
from governance.ledger.outbox import drain
from governance.memories.models import Memory
from tests.factories import a_memory, a_tenant, an_agent
from tests.web.people import PASSWORD, a_member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "keyring"]),
]


@pytest.fixture
def rogue(live_server, page: Page):
    tenant = a_tenant("acme")
    a_member(tenant, "adam", "administrator")
    rogue = an_agent(tenant)
    a_memory(rogue, "Ann is rich.", key="profile.wealth")
    page.goto(f"{live_server.url}/sign-in/")
    page.fill("[name=username]", "adam")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".rail-nav")
    return rogue


@pytest.mark.parametrize("verb", ["Verify now", "Compare now"])
def test_a_check_is_followed_to_its_end(live_server, page: Page, rogue, verb, assert_accessible):
    page.goto(f"{live_server.url}/ledger/")
    page.get_by_role("button", name=verb).click()
    expect(page.get_by_text("Waiting for the worker")).to_be_visible()

    while drain("ledger-check"):
        pass

    expect(page.get_by_text("Waiting for the worker")).to_have_count(0)
    expect(page.get_by_text("sound")).to_be_visible()
    assert LedgerCheck.objects.get().is_sound
    assert_accessible(page)


def test_what_it_wrote_is_taken_back_after_a_question(live_server, page: Page, rogue, assert_accessible):
    page.goto(f"{live_server.url}/agents/{rogue.agent}/written/")
    assert_accessible(page)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))

    page.get_by_role("button", name="Take back 1").click()

    expect(page.get_by_text("1 retracted")).to_be_visible()
    assert asked and asked[0].startswith("Take back 1 of 1 thing that ")
    assert Memory.objects.get().slot is None
