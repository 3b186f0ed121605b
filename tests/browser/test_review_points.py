"""The points of the review queue that only a browser shows: keys, what others do, text that is being typed."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.candidates.models import Candidate
from governance.ledger import sealing
from governance.ledger.writing import folding_allowed
from governance.policies.actions import publish
from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.factories import a_tenant, an_agent
from tests.web.people import a_member, a_proposal, some_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def tenant(transactional_db) -> Tenant:
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "rita", "reviewer")
    a_member(tenant, "remy", "reviewer")
    return tenant


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant)


@pytest.fixture
def other(browser: Browser, sign_in) -> Page:
    """Another reviewer's browser."""
    context = browser.new_context()
    page = sign_in(context.new_page(), "remy")
    yield page
    context.close()


def status_of(candidate: Candidate) -> str:
    return Candidate.objects.get(pk=candidate.pk).status


def test_02_others_see_within_two_seconds_who_has_an_item_open(agent, sign_in, page, other, live_server):
    first, _ = some_proposals(agent, 2)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")
    page.wait_for_timeout(2000)

    other.goto(f"{live_server.url}/review/{first.id}/")

    expect(page.locator(f"#row-{first.id}")).to_contain_text("remy has it open", timeout=4000)


def test_05_one_key_undoes(tenant, agent, sign_in, page, live_server, settings):
    settings.UNDO_SECONDS_MOST = 60
    publish({"undo_seconds": 15}, by=a_member(tenant, "adam", "administrator"))
    first, second = some_proposals(agent, 2)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")

    page.keyboard.press("a")
    page.wait_for_url(f"{live_server.url}/review/{second.id}/")
    assert status_of(first) == "deciding"
    page.keyboard.press("u")
    page.wait_for_url(f"{live_server.url}/review/{first.id}/")

    assert status_of(first) == "pending"


def test_06_a_key_can_be_replaced_by_another(agent, sign_in, page, live_server):
    first, second = some_proposals(agent, 2)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")

    page.keyboard.press("?")
    page.get_by_label("Another key for a", exact=True).fill("y")
    page.get_by_label("Another key for a", exact=True).blur()
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("a")
    page.wait_for_timeout(300)
    assert status_of(first) == "pending"
    page.keyboard.press("y")
    page.wait_for_url(f"{live_server.url}/review/{second.id}/")

    assert status_of(first) == "committed"
    expect(page.locator("#said")).to_be_focused()


def test_16_what_is_asked_of_a_flood_leaves_the_others_where_they_were(tenant, agent, sign_in, page, live_server):
    publish({"flood_waiting": 3}, by=a_member(tenant, "adam", "administrator"))
    loud = an_agent(tenant)
    mine = a_proposal(agent)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")
    page.wait_for_timeout(2000)
    box = page.locator(f"#row-{mine.id} input")
    box.check()

    some_proposals(loud, 8)

    expect(page.locator(".flood")).to_contain_text("5 held back", timeout=5000)
    expect(page.locator("[data-item]").first).to_have_id(f"row-{mine.id}")
    expect(box).to_be_checked()
    expect(page.locator(".flood")).to_have_count(1)


def test_19_an_erased_item_empties_an_open_screen(agent, sign_in, page, live_server):
    waits = a_proposal(agent)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{waits.id}/")
    expect(page.get_by_text("Ann works at night.").first).to_be_visible()

    with folding_allowed():
        Candidate.objects.filter(pk=waits.pk).update(status="erased", content=None)

    expect(page.locator("#problems")).to_contain_text("erased", timeout=5000)
    expect(page.get_by_text("Ann works at night.")).to_have_count(0)


def test_20_what_others_decide_disturbs_nobody_who_types(agent, sign_in, page, other, live_server):
    first, second = some_proposals(agent, 2)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")
    page.keyboard.press("r")
    page.get_by_label("Note").first.fill("Half a sent")

    other.goto(f"{live_server.url}/review/{second.id}/")
    other.keyboard.press("a")
    other.wait_for_url(f"{live_server.url}/review/")
    page.wait_for_timeout(2500)

    expect(page.get_by_label("Note").first).to_have_value("Half a sent")
    expect(page.get_by_label("Note").first).to_be_focused()


def test_20_a_list_is_brought_up_to_date_in_place(agent, sign_in, page, other, live_server):
    first, second, third = some_proposals(agent, 3)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")
    page.wait_for_timeout(2000)
    page.locator(f"#row-{third.id} input").check()

    other.goto(f"{live_server.url}/review/{second.id}/")
    other.keyboard.press("a")

    expect(page.locator(f"#row-{second.id}")).to_have_count(0, timeout=6000)
    expect(page.locator(f"#row-{third.id} input")).to_be_checked()
    expect(page.locator(f"#row-{first.id}")).to_be_visible()


def test_the_palette_goes_to_any_page_and_any_id(agent, sign_in, page, live_server):
    waits = a_proposal(agent)
    sign_in(page)

    page.keyboard.press("g")
    page.locator("#palette-words").fill("confl")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/conflicts/")
    page.keyboard.press("g")
    page.locator("#palette-words").fill(waits.id)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/review/{waits.id}/")

    expect(page.get_by_role("heading", name="Ann works at night.")).to_be_visible()


def test_22_fifty_items_are_decided_by_keys_alone(agent, sign_in, page, live_server, server_times):
    made = some_proposals(agent, 50)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{made[0].id}/")

    for following in made[1:]:
        page.keyboard.press("a")
        page.wait_for_url(f"{live_server.url}/review/{following.id}/")
    page.keyboard.press("a")
    page.wait_for_url(f"{live_server.url}/review/")

    took = json.loads(
        page.evaluate("JSON.stringify(performance.getEntriesByType('navigation').map((n) => n.duration))")
    )
    assert took[0] < 6000
    assert {status_of(c) for c in made} == {"committed"}
    assert len(server_times) == len(made)


def test_06_a_key_held_down_decides_one_item(agent, sign_in, page, live_server):
    first, second, _ = some_proposals(agent, 3)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")

    page.keyboard.down("a")
    page.wait_for_url(f"{live_server.url}/review/{second.id}/")
    for _ in range(5):
        page.keyboard.down("a")
        page.wait_for_timeout(100)
    page.keyboard.up("a")

    assert (status_of(first), status_of(second)) == ("committed", "pending")
    expect(page.locator("#problems")).to_be_empty()


def test_06_of_two_acts_on_one_key_the_last_holds_and_pages_show_it(agent, sign_in, page, live_server):
    (first,) = some_proposals(agent, 1)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")

    page.keyboard.press("?")
    page.get_by_label("Another key for r", exact=True).fill("y")
    page.get_by_label("Another key for a", exact=True).fill("y")
    page.get_by_label("Another key for a", exact=True).blur()

    expect(page.get_by_label("Another key for r", exact=True)).to_have_value("")
    expect(page.locator("[data-key=a] > kbd")).to_have_text("y")
    expect(page.locator("[data-key=r] > kbd")).to_have_text("r")
    expect(page.locator(".keys kbd", has_text=re.compile("^a$"))).to_be_hidden()


def test_20_the_counts_of_a_list_are_brought_up_to_date_with_it(agent, sign_in, page, other, live_server):
    first, *_ = some_proposals(agent, 3)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")
    page.wait_for_timeout(2000)

    other.goto(f"{live_server.url}/review/{first.id}/")
    other.keyboard.press("a")

    expect(page.locator(".pager-summary")).to_have_text("2 in all", timeout=6000)
    expect(page.locator("#facet-level option").nth(1)).to_have_text("user (2)")
    expect(page.locator("#review-queue-count > .visually-hidden")).to_have_text("waiting")


def test_06_a_form_that_was_just_sent_is_not_sent_twice(agent, sign_in, page, live_server):
    first, second = some_proposals(agent, 2)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{first.id}/")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    page.evaluate("() => { const b = document.querySelector('[data-key=a]'); b.click(); b.click(); }")
    page.wait_for_url(f"{live_server.url}/review/{second.id}/")

    assert sent == [f"{live_server.url}/review/{first.id}/approve/"]
    assert status_of(first) == "committed"
