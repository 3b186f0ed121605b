"""The desks in a real browser: deciding by mouse, by keyboard and without scripts, wide and on a phone."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.candidates.models import Candidate, Lease
from governance.ledger import sealing
from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.browser.crawl import every_page
from tests.factories import a_memory, a_tenant, an_agent, revised
from tests.web.people import a_conflict, a_member, a_proposal, signed_in, some_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def agent(transactional_db) -> Actor:
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "rita", "reviewer", "administrator", "resolver", "compliance")
    a_member(tenant, "ada", "auditor")
    return an_agent(tenant)


def status_of(candidate: Candidate) -> str:
    return Candidate.objects.get(pk=candidate.pk).status


def test_a_reviewer_approves_one_and_rejects_one(agent, sign_in, page):
    good = a_proposal(agent, said="Long night again.", quote="Long night again.")
    bad = a_proposal(agent, "Ann is unhappy.", key="profile.mood")
    sign_in(page)

    page.locator(".rail-nav").get_by_role("link", name="Review").click()
    page.get_by_role("link", name="Ann works at night.").click()
    expect(page.locator("mark.span")).to_have_text("Long night again.")
    page.get_by_role("button", name="Approve", exact=False).first.click()
    expect(page.get_by_role("heading", name="Ann is unhappy.")).to_be_visible()
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Reason").select_option("not-true")
    page.locator("details[open]").get_by_label("Note").fill("She was tired.")
    page.get_by_role("button", name="Reject with this reason").click()
    expect(page.get_by_text("Nothing waits")).to_be_visible()

    assert (status_of(good), status_of(bad)) == ("committed", "rejected")
    page.get_by_role("link", name="Memories", exact=True).click()
    expect(page.get_by_text("Ann works at night.")).to_be_visible()
    expect(page.get_by_text("Ann is unhappy.")).to_have_count(0)
    page.get_by_role("link", name="Audit log", exact=True).click()
    expect(page.locator(".log > li", has_text="rita approved a proposal").locator("time")).to_be_visible()
    expect(page.locator(".log > li", has_text="rita rejected a proposal: not true").locator("time")).to_be_visible()


def test_five_are_decided_by_keys_alone(agent, sign_in, page, live_server):
    first, second, third, fourth, fifth = some_proposals(agent, 5)
    sign_in(page)

    page.goto(f"{live_server.url}/review/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ann likes number 0.")).to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Ann likes number 1.")).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Ann likes number 2.")).to_be_focused()
    page.keyboard.press("r")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.get_by_label("Reason").select_option("duplicate")
    page.keyboard.press("Tab")
    page.keyboard.type("a jar of rye")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ann likes number 3.")).to_be_focused()
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="Ann likes number 1.")).to_be_focused()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Ann likes number 3.")).to_be_focused()
    page.keyboard.press("e")
    expect(page.get_by_label("Statement")).to_be_focused()
    page.get_by_label("Statement").fill("Ann likes most numbers.")
    page.get_by_role("button", name="Approve as edited").click()
    expect(page.get_by_role("heading", name="Ann likes number 4.")).to_be_focused()

    decided = [status_of(c) for c in (first, second, third, fourth, fifth)]
    assert decided == ["committed", "pending", "rejected", "committed", "pending"]


def test_keys_are_left_alone_while_typing_composing_or_switched_off(agent, sign_in, page, live_server):
    waiting = a_proposal(agent)
    sign_in(page)
    page.goto(f"{live_server.url}/review/{waiting.id}/")

    page.keyboard.press("r")
    page.locator("details[open]").get_by_label("Note").fill("")
    page.locator("details[open]").get_by_label("Note").press_sequentially("area")
    page.keyboard.press("Backspace")
    expect(page.locator("details[open]").get_by_label("Note")).to_have_value("are")
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', isComposing: true, bubbles: true}))"
    )
    page.locator("h1").click()
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.wait_for_timeout(300)

    assert status_of(waiting) == "pending"
    expect(page.get_by_role("heading", name="Ann works at night.")).to_be_visible()


def test_single_decisions_work_without_scripts(agent, sign_in, browser: Browser, live_server):
    good, bad, edited = some_proposals(agent, 3)
    context = browser.new_context(java_script_enabled=False)
    page = sign_in(context.new_page())

    page.goto(f"{live_server.url}/review/{good.id}/")
    page.get_by_role("button", name="Approve", exact=True).click()
    page.goto(f"{live_server.url}/review/{bad.id}/")
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Reason").select_option("unclear")
    page.get_by_role("button", name="Reject with this reason").click()
    page.goto(f"{live_server.url}/review/{edited.id}/")
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("Statement").fill("Ann likes two.")
    page.get_by_role("button", name="Approve as edited").click()

    assert [status_of(c) for c in (good, bad, edited)] == ["committed", "rejected", "committed"]
    context.close()


def test_the_slower_of_two_reviewers_is_shown_what_the_other_did(agent, sign_in, page, browser, live_server):
    waiting = a_proposal(agent)
    a_member(Tenant.objects.get(name="acme"), "remy", "reviewer")
    sign_in(page)
    page.goto(f"{live_server.url}/review/{waiting.id}/")
    Lease.objects.all().delete()  # ten quiet minutes
    other = browser.new_context()
    quick = sign_in(other.new_page(), "remy")
    quick.goto(f"{live_server.url}/review/{waiting.id}/")
    quick.keyboard.press("a")
    quick.wait_for_url(f"{live_server.url}/review/")

    page.keyboard.press("a")

    expect(page.get_by_role("alert")).to_contain_text("decided already")
    expect(page.get_by_text("by remy: approved")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    other.close()


def test_several_are_previewed_then_approved_at_once(agent, sign_in, page, live_server):
    made = some_proposals(agent, 4)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")

    for candidate in made[:3]:
        page.locator(f"#row-{candidate.id} input").check()
    expect(page.locator("[data-count]")).to_have_text("3")
    page.get_by_role("button", name="Decide selected").click()
    page.get_by_role("button", name="Approve 3").click()

    expect(page.locator(".results")).to_contain_text("3 decided")
    expect(page.locator("[data-item]")).to_have_count(1)
    expect(page.locator("#review-queue-count")).to_contain_text("1")
    assert [status_of(c) for c in made] == ["committed"] * 3 + ["pending"]


def test_a_facet_changes_the_list_in_place_and_stands_in_the_address(agent, sign_in, page, live_server):
    a_proposal(agent)
    a_proposal(agent, "Ann asked twice.", kind="episodic", key="")
    sign_in(page)
    page.goto(f"{live_server.url}/review/")

    page.get_by_label("Kind").select_option("episodic")

    expect(page.locator("[data-item]")).to_have_count(1)
    assert page.url.endswith("?level=&kind=episodic&lane=&agent=") or "kind=episodic" in page.url


def test_a_candidate_s_markup_does_nothing(agent, sign_in, page, live_server):
    attack = '<img src=x onerror="document.title=1"><b hx-get="/sign-out/" hx-trigger="load">x</b><script>document.title=2</script>'
    waiting = a_proposal(agent, attack, said=attack)
    sign_in(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    for address in ("/review/", f"/review/{waiting.id}/", "/"):
        page.goto(live_server.url + address)
        page.wait_for_timeout(200)
        expect(page.get_by_text('<b hx-get="/sign-out/"').first).to_be_visible()

    assert [url for url in asked if url.endswith(("/x", "/sign-out/"))] == []


def filled(agent: Actor) -> dict[str, str]:
    """Make one of everything, with words that want to be wider than any screen, and return every page there is."""
    long = "Supercalifragilistic" * 12 + " 她喜欢在夜里工作，" * 8
    waiting = a_proposal(agent, long, key="profile." + "x" * 150, said=long)
    some_proposals(agent, 3)
    memory = a_memory(agent, long, key="number")
    revised(agent, memory, "Two " + long, key="number")
    a_conflict(agent)
    found = every_page(signed_in("rita"))
    return found | {"this-one": f"/review/{waiting.id}/", "that-one": f"/memories/{memory.id}/", "none": "/nowhere/"}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_no_page_scrolls_sideways(agent, sign_in, page, live_server, width, language):
    pages = filled(agent)
    sign_in(page)
    page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
    page.set_viewport_size({"width": width, "height": 800})

    wider = {}
    for name, address in pages.items():
        page.goto(live_server.url + address)
        wider[name] = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    assert {name: by for name, by in wider.items() if by > 0} == {}


@pytest.mark.parametrize("width", [1920, 2560])
def test_on_a_wide_screen_the_page_stands_in_the_middle_of_what_is_left(agent, sign_in, page, live_server, width):
    some_proposals(agent, 3)
    sign_in(page)
    page.set_viewport_size({"width": width, "height": 1000})
    page.goto(f"{live_server.url}/review/")

    rail, shown = page.locator(".rail").bounding_box(), page.locator("main.page").bounding_box()
    left, right = shown["x"] - rail["x"] - rail["width"], width - shown["x"] - shown["width"]
    assert abs(left - right) < 20  # the scroll bar
    assert shown["width"] <= 96 * 16


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "empty"])
def test_every_page_is_accessible(agent, sign_in, page, live_server, assert_accessible, colours, is_filled):
    pages = filled(agent) if is_filled else every_page(signed_in("rita"))
    page.emulate_media(color_scheme=colours)
    page.goto(f"{live_server.url}/sign-in/")
    assert_accessible(page)
    sign_in(page)

    for address in pages.values():
        page.goto(live_server.url + address)
        page.wait_for_load_state("networkidle")
        assert_accessible(page)


def test_an_auditor_opens_words_one_by_one(agent, sign_in, page, live_server):
    memory = a_memory(agent, "Ann drinks tea.", key="preference.drink")
    sign_in(page, "ada")

    page.goto(f"{live_server.url}/memories/{memory.id}/")
    expect(page.get_by_text("Ann drinks tea.")).to_have_count(0)
    page.get_by_role("button", name="Open the words").click()

    expect(page.get_by_role("heading", name="Ann drinks tea.")).to_be_visible()
    page.get_by_role("link", name="Audit log", exact=True).click()
    expect(page.get_by_text("ada opened the words of version 1")).to_be_visible()


def test_nothing_of_a_page_is_kept_for_going_back(agent, sign_in, page: Page, live_server) -> None:
    waiting = a_proposal(agent)
    sign_in(page)
    page.goto(f"{live_server.url}/review/")
    page.get_by_label("Kind").select_option("semantic")
    page.goto(f"{live_server.url}/review/{waiting.id}/")

    kept: Any = page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")

    assert "night" not in kept
