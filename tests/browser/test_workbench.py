"""The Workbench in a real browser: ask, read the block and its bars, why not, and two moments side by side."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from governance.ledger import sealing
from governance.scopes.rules import Actor
from tests.factories import a_memory, a_tenant, an_agent, indexed, revised
from tests.isolation import fresh_index
from tests.web.people import a_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
SHOTS = os.environ.get("SHOTS", "")  # a folder for pictures of the page, wide and narrow, light and dark


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def agent(transactional_db) -> Actor:
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "adam", "administrator")
    return an_agent(tenant)


def pictures(page: Page, name: str) -> None:
    for scheme in ("light", "dark"):
        for width, height in ((1440, 900), (390, 844)):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=Path(SHOTS) / f"{name}-{scheme}-{width}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})


def test_an_administrator_sees_what_an_agent_would_be_given_then_and_now(
    page: Page, live_server, sign_in, assert_accessible, agent
):
    then = timezone.now() - timedelta(days=40)
    tea = a_memory(agent, "The user drinks green tea.", key="preference.tea", observed_at=then)
    revised(agent, tea, "The user drinks black tea.", key="preference.tea", observed_at=timezone.now())
    a_memory(agent, "Severe allergy to peanuts in tea cakes.", key="allergy.peanut", always=True)
    for number in range(4):
        a_memory(agent, f"Tea number {number} was too strong for the user.", kind="episodic", observed_at=then)
    indexed()

    sign_in(page, "adam").get_by_role("link", name="Workbench").click()
    assert_accessible(page)
    page.get_by_label("For user").fill("ann")
    page.get_by_label("Question").fill("Which tea?")
    page.locator("summary", has_text="Moment").click()
    page.get_by_label("Hits").fill("3")
    page.get_by_label("Expected memory").fill(tea.id)
    page.get_by_label("Beside it").select_option("moment")
    page.get_by_label("Other: what held at").fill((timezone.now() - timedelta(days=20)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Show what it would be given").click()

    asked, beside = page.get_by_label("As asked").first, page.get_by_label("Beside it", exact=True).last
    expect(asked.get_by_label("The block as the agent would get it")).to_contain_text("black tea")
    expect(beside.get_by_label("The block as the agent would get it")).to_contain_text("green tea")
    expect(asked).to_contain_text("The expected memory: It is in the block.")
    expect(asked).to_contain_text("ranked below the limit")
    expect(asked.get_by_text("freshness").first).to_be_visible()
    assert "tea" not in page.url
    assert_accessible(page)
    if SHOTS:
        pictures(page, "workbench")
    page.emulate_media(color_scheme="dark")
    assert_accessible(page)


def test_what_is_wrong_is_named_and_what_was_typed_stays(page: Page, live_server, sign_in, assert_accessible, agent):
    sign_in(page, "adam").get_by_role("link", name="Workbench").click()
    page.get_by_label("For user").fill("ann")
    page.locator("summary", has_text="Moment").click()
    page.get_by_label("Expected memory").fill("mem_1")

    page.get_by_role("button", name="Show what it would be given").click()

    expect(page.get_by_role("alert")).to_contain_text("Expected memory")
    expect(page.get_by_label("For user")).to_have_value("ann")
    assert_accessible(page)
