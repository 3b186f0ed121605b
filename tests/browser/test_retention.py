"""The retention desk in a real browser: looked at, swept, taken back; a hold placed and lifted; wide, on a phone, dark."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from governance.ledger import sealing
from governance.ledger.outbox import drain
from governance.lifecycle.models import Hold, Sweep
from tests.factories import a_memory, a_tenant, an_agent
from tests.web.people import a_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def memory(transactional_db):
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "cora", "compliance", "reviewer")
    old = timezone.now() - timedelta(days=3000)
    agent = an_agent(tenant)
    for i in range(3):
        a_memory(agent, f"Ann once liked song {i}.", key=f"preference.song.n{i}", observed_at=old)
    return a_memory(agent, "Ann once liked jazz.", observed_at=old)


def worked() -> None:
    while drain("sweep"):
        pass


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_looked_at_swept_and_taken_back(memory, sign_in, page, live_server, assert_accessible):
    sign_in(page, "cora")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator(".rail-nav").get_by_role("link", name="Retention").click()
    assert_accessible(page)
    page.get_by_role("button", name="Look now").click()
    worked()
    expect(page.get_by_role("button", name="Sweep now")).to_be_visible()
    page.get_by_text("Some of them").click()
    assert_accessible(page)
    shot(page, "retention-wide")
    page.get_by_role("button", name="Sweep now").click()
    expect(page.get_by_text("under way")).to_be_visible()
    worked()
    expect(page.get_by_role("button", name="Undo the sweep")).to_be_visible()
    page.get_by_label("Person").fill("ann")
    page.get_by_label("Note").fill("Case 12, until the court has decided.")
    page.get_by_role("button", name="Hold", exact=True).click()
    expect(page.get_by_text("Case 12, until the court has decided.")).to_be_visible()
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "retention-phone")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert_accessible(page)
    shot(page, "retention-phone-dark")
    page.set_viewport_size({"width": 1440, "height": 900})
    shot(page, "retention-dark")
    page.get_by_role("button", name="Undo the sweep").click()
    worked()
    expect(page.get_by_text("Taken back by cora")).to_be_visible()
    page.get_by_role("button", name="Lift the hold").click()
    expect(page.get_by_text("lifted just now by cora")).to_be_visible()

    assert Sweep.objects.get().undone == {"demote": 4}
    assert not Hold.objects.in_force().exists()


def test_one_memory_is_set_aside(memory, sign_in, page, live_server, assert_accessible):
    sign_in(page, "cora")

    page.goto(f"{live_server.url}/memories/{memory.id}/")
    assert_accessible(page)
    shot(page, "memory-change")
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("Archived: neither given nor listed.")).to_be_visible()

    memory.refresh_from_db()
    assert memory.archived


def test_a_persons_rights(memory, sign_in, page, assert_accessible):
    sign_in(page, "cora")

    page.locator(".rail-nav").get_by_role("link", name="A person's rights").click()
    assert_accessible(page)
    page.get_by_label("Person").fill("ann")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="ann")).to_be_visible()
    assert_accessible(page)
    shot(page, "person-wide")
    with page.expect_download() as copy:
        page.get_by_role("button", name="Download the copy").click()
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "person-phone-dark")
    page.get_by_role("button", name="Do not remember").click()
    expect(page.get_by_text("Nothing is written about them from now on.")).to_be_visible()

    assert b"Ann once liked jazz." in Path(copy.value.path()).read_bytes()
