"""The policy desk in a real browser: a draft is edited, refused, tried and published; the next decision names it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from playwright.sync_api import Page, expect

from governance.candidates import actions
from governance.ledger import sealing
from governance.ledger.outbox import drain
from governance.policies import actions as policies
from governance.policies.models import PolicyDraft
from governance.policies.queries import current
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Actor
from tests.factories import a_tenant, an_agent
from tests.web.people import PASSWORD, a_member, a_proposal, some_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def agent(transactional_db) -> Actor:
    sealing.forget_known_keys()
    cache.clear()
    tenant = a_tenant("acme")
    a_member(tenant, "adam", "administrator")
    return an_agent(tenant)


@pytest.fixture
def adam(live_server, agent, page) -> Page:
    page.goto(f"{live_server.url}/sign-in/")
    page.fill("[name=username]", "adam")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".rail-nav")
    page.on("dialog", lambda dialog: dialog.accept())
    return page


def worked() -> None:
    while drain("policy-trial"):
        pass


def test_a_draft_is_edited_refused_tried_published_and_named(live_server, agent, adam: Page):
    some_proposals(agent, 2)
    a_proposal(agent, "Ann works at night, and on most weekends as well, from home.")
    adam.locator(".rail-nav").get_by_role("link", name="Policy").click()
    adam.get_by_role("button", name="Draft the next policy").click()
    adam.get_by_role("link", name="Review and trust").first.click()

    adam.get_by_label("Longest statement").fill("7")
    adam.get_by_role("button", name="Save in the draft").click()
    expect(adam.get_by_label("Longest statement")).to_have_value("7")
    expect(adam.locator(".setting.is-wrong .field-error")).to_have_text("Must lie between 50 and 4000.")
    adam.get_by_label("Longest statement").fill("50")
    adam.get_by_role("button", name="Save in the draft").click()
    expect(adam.locator(".changes ins")).to_have_text("50")

    adam.get_by_role("button", name="Try the draft").click()
    expect(adam.get_by_text("Waiting for the worker")).to_be_visible()
    worked()
    expect(adam.get_by_role("heading", name="1 of 3 would change")).to_be_visible()
    adam.get_by_role("link", name="Ann works at night").wait_for()
    adam.get_by_role("link", name="Back to the draft").click()
    adam.get_by_role("button", name="Publish as policy 2").click()
    expect(adam.get_by_role("heading", name="Policy 2", exact=True)).to_be_visible()

    decided = a_proposal(agent, "Ann drinks tea.", key="preference.drink")
    adam.goto(f"{live_server.url}/review/{decided.id}/")
    adam.get_by_role("link", name="policy 2").click()
    expect(adam.get_by_role("heading", name="Policy 2", exact=True)).to_be_visible()
    expect(adam.locator(".changes ins")).to_have_text("50")
    assert current(agent.tenant).max_content_chars == 50


def test_a_draft_is_edited_and_published_without_scripts(live_server, agent, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/sign-in/")
    page.fill("[name=username]", "adam")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/")
    page.goto(f"{live_server.url}/policy/")
    page.get_by_role("button", name="Draft the next policy").click()
    page.get_by_role("link", name="Value score").first.click()
    page.get_by_label("Threshold").fill("0.5")
    page.get_by_role("button", name="Save in the draft").click()
    page.get_by_role("button", name="Publish as policy 2").click()
    expect(page.get_by_role("heading", name="Policy 2", exact=True)).to_be_visible()

    assert current(agent.tenant).score.threshold == 0.5
    context.close()


def every_page(agent: Actor, adam: Actor) -> dict[str, str]:
    """Make one of everything, some of it wanting to be wider than any screen, and return where it is shown."""
    good, bad, late = some_proposals(agent, 3)
    actions.approve(good, expected=1, by=adam)
    actions.reject(bad, expected=1, by=adam, reason="unclear")
    actions.approve(late, expected=1, by=adam)
    a_proposal(agent, "Ann works at night, and on most weekends as well. " + "Supercalifragilistic" * 9)
    policies.publish({"score": {"threshold": 0.3}, "sensitivity": {"phone": "reject"}}, by=adam)
    policies.begin_draft(by=adam)
    rule = {
        "id": "x" * 80,
        "pattern": "preference." + "x" * 150,
        "labels": {"en": "x" * 80, "zh": "茶"},
        "aliases": ["茶"],
    }
    policies.set_key_rule(rule, was="", place=1, expected=1, by=adam)
    policies.set_fields({"max_content_chars": 60, "always_keys": ["y" * 190]}, expected=2, by=adam)
    return {
        "dashboard": "/",
        "page": "/policy/",
        "version": "/policy/versions/2/",
        "draft": "/policy/draft/",
        "score": "/policy/draft/sections/score/",
        "sensitivity": "/policy/draft/sections/sensitivity/",
        "review": "/policy/draft/sections/review/",
        "keys": "/policy/draft/sections/keys/",
        "always": "/policy/draft/sections/always/",
        "ranking": "/policy/draft/sections/ranking/",
        "retention": "/policy/draft/sections/retention/",
        "key": f"/policy/draft/keys/{'x' * 80}/",
        "new": "/policy/draft/new-key/",
    }


def a_trial(live_server, page: Page) -> str:
    page.goto(f"{live_server.url}/policy/draft/")
    page.get_by_role("button", name="Try the draft").click()
    page.wait_for_url("**/policy/trials/*/")
    worked()
    return page.url.removeprefix(live_server.url)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_page_is_accessible_and_as_wide_as_its_screen(
    live_server, agent, adam: Page, assert_accessible: Callable[[Page], None], colours
):
    pages = every_page(agent, a_member_again(agent))
    adam.emulate_media(color_scheme=colours)
    pages["trial"] = a_trial(live_server, adam)
    wider = {}
    for name, address in pages.items():
        adam.goto(live_server.url + address)
        adam.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert_accessible(adam)
        for width in (1440, 768, 360):
            adam.set_viewport_size({"width": width, "height": 900})
            wide = adam.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wider |= {f"{name} at {width}": wide} if wide > 0 else {}
        shoot(adam, f"{name}-{colours}")
    assert wider == {}


def test_errors_are_accessible_too(live_server, agent, adam: Page, assert_accessible):
    policies.begin_draft(by=a_member_again(agent))
    adam.goto(f"{live_server.url}/policy/draft/sections/score/")
    adam.get_by_label("Threshold").fill("7")
    adam.get_by_role("button", name="Save in the draft").click()
    expect(adam.get_by_label("Threshold")).to_have_attribute("aria-invalid", "true")

    assert_accessible(adam)
    assert PolicyDraft.objects.get().version == 1


def a_member_again(agent: Actor) -> Actor:
    return actor_of_member(User.objects.get(username="adam"), agent.tenant)


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the page in the folder that SCREENS names, for people to look at."""
    folder = os.environ.get("SCREENS", "")
    if not folder:
        return
    for width, called in ((1440, "wide"), (390, "phone")):
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=Path(folder, f"{name}-{called}.png"), full_page=True)
    page.set_viewport_size({"width": 1440, "height": 900})
