"""The points of the review queue as people meet them: each by mouse and form in a real browser."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from governance.candidates.models import Candidate
from governance.conflicts.models import Conflict
from governance.ledger import sealing
from governance.ledger.models import Event
from governance.memories.models import Memory
from governance.policies.actions import publish
from governance.scopes.models import Tenant
from governance.scopes.rules import Actor, ScopeSpec
from tests.factories import a_conflict, a_memory, a_project, a_tenant, an_agent
from tests.web.people import a_member, a_proposal, some_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def tenant(transactional_db) -> Tenant:
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "rita", "reviewer", "resolver")
    a_member(tenant, "remy", "reviewer")
    return tenant


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant)


@pytest.fixture
def desk(agent, sign_in, page, live_server) -> Page:
    """Rita's browser."""
    return sign_in(page)


@pytest.fixture
def other(browser: Browser, agent, sign_in) -> Page:
    """Another reviewer's browser."""
    context = browser.new_context()
    yield sign_in(context.new_page(), "remy")
    context.close()


@pytest.fixture
def go(live_server):
    """Give the way to a page."""

    def to(page: Page, address: str) -> Page:
        page.goto(live_server.url + address)
        return page

    return to


def fresh(candidate: Candidate) -> Candidate:
    return Candidate.objects.get(pk=candidate.pk)


def reject(page: Page, reason: str = "Not true", note: str = "") -> None:
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Reason").first.select_option(label=reason)
    page.locator("details[open]").get_by_label("Note").fill(note)
    page.get_by_role("button", name="Reject with this reason").click()


def wide(by: Actor, content: str = "Acme pays in euro.") -> Candidate:
    """Return a proposal that would hold for the whole tenant, which two people decide."""
    return a_proposal(by, content, key="company.currency", scope=ScopeSpec("tenant"))


def test_01_who_comes_second_is_told_what_was_decided(agent, desk, go):
    waits = a_proposal(agent)
    go(desk, f"/review/{waits.id}/")
    second = go(desk.context.new_page(), f"/review/{waits.id}/")

    reject(desk)
    desk.wait_for_url("**/review/")
    second.locator("[data-key=a]").click()

    expect(second.get_by_role("alert").first).to_contain_text("decided")
    assert fresh(waits).status == "rejected"
    assert Event.objects.filter(stream=waits.id, type="candidate-rejected").count() == 1
    assert not Event.objects.filter(type="candidate-committed").exists()


def test_03_a_crash_in_between_leaves_nothing_half_done(agent, other, go, monkeypatch):
    waits = a_proposal(agent)
    go(other, f"/review/{waits.id}/")

    with monkeypatch.context() as broken:
        broken.setattr("governance.memories.actions.remember", lambda *args, **kwargs: 1 / 0)
        other.locator("[data-key=a]").click()
        expect(other.get_by_role("heading", level=1)).to_contain_text("Something broke here")

    assert (fresh(waits).status, Memory.objects.count()) == ("pending", 0)
    assert not Event.objects.filter(type="candidate-committed").exists()
    go(other, f"/review/{waits.id}/").locator("[data-key=a]").click()
    other.wait_for_url("**/review/")
    assert fresh(waits).status == "committed"


def test_04_several_are_previewed_confirmed_by_number_and_answered_one_by_one(agent, desk, other, go):
    first, second, third = some_proposals(agent, 3)
    go(other, f"/review/{third.id}/")
    go(desk, "/review/")
    for row in (first, second, third):
        desk.locator(f"#row-{row.id} input").check()

    desk.get_by_role("button", name="Decide selected").click()
    expect(desk.get_by_role("heading", name="2 can be decided")).to_be_visible()
    expect(desk.get_by_text("somebody else has it open")).to_be_visible()
    desk.get_by_role("button", name="Approve 2").click()

    expect(desk.locator(".results")).to_contain_text("2 decided")
    assert [fresh(row).status for row in (first, second, third)] == ["committed", "committed", "pending"]


def test_07_everything_a_decision_needs_stands_beside_the_item(agent, desk, go):
    a_project(agent, "payments", members=["ann"])
    scope = ScopeSpec("project", project="payments")
    waits = a_proposal(
        agent, "Payments uses Rust.", key="project.language", scope=scope, said="We moved to Rust.", quote="to Rust"
    )

    go(desk, f"/review/{waits.id}/")

    expect(desk.locator("mark.span")).to_have_text("to Rust")
    expect(desk.get_by_text("for 1 participant")).to_be_visible()
    expect(desk.locator(".verdicts li")).not_to_have_count(0)
    expect(desk.locator(".verdict-grid")).to_contain_text("P × U × R × A − C")
    expect(desk.get_by_role("heading", name="Similar memories")).to_be_visible()


def test_08_text_that_looks_like_a_page_stays_text(agent, desk, go):
    attack = '<b id="got-in" hx-get="/sign-out/" hx-trigger="load">x</b><img src=x onerror="document.title=1">'
    waits = a_proposal(agent, attack, said=attack)

    for address in ("/review/", f"/review/{waits.id}/", "/proposals/", "/"):
        go(desk, address)
        desk.wait_for_timeout(300)
        expect(desk.locator("#got-in")).to_have_count(0)
        expect(desk.locator("main img")).to_have_count(0)

    expect(go(desk, "/").get_by_role("heading", name="Dashboard")).to_be_visible()


def test_09_a_rejection_has_a_reason_of_the_list_and_free_text(agent, desk, go):
    waits = a_proposal(agent)
    go(desk, f"/review/{waits.id}/")

    reject(desk, "Not lasting", "only this week")

    go(desk, f"/review/{waits.id}/")
    expect(desk.get_by_text("only this week")).to_be_visible()
    assert (fresh(waits).status, fresh(waits).decision_reason) == ("rejected", "not-lasting")


def test_10_two_people_approve_what_is_of_high_risk(agent, desk, other, go):
    waits = wide(agent)

    go(desk, f"/review/{waits.id}/").locator("[data-key=a]").click()
    expect(go(desk, "/review/").locator(f"#row-{waits.id}")).to_contain_text("one of two approved")
    assert fresh(waits).status == "pending"
    go(other, f"/review/{waits.id}/").locator("[data-key=a]").click()
    other.wait_for_url("**/review/")

    assert fresh(waits).status == "committed"


def test_11_an_edit_voids_the_first_approval(agent, desk, other, go):
    waits = wide(agent)
    go(desk, f"/review/{waits.id}/").locator("[data-key=a]").click()
    go(desk, "/review/")

    go(other, f"/review/{waits.id}/").locator("summary", has_text="Edit, then approve").click()
    other.get_by_label("Statement").fill("Acme pays in francs.")
    other.get_by_role("button", name="Approve as edited").click()
    other.wait_for_load_state()

    assert (fresh(waits).status, fresh(waits).approved_by) == (
        "pending",
        f"member:{User.objects.get(username='remy').pk}",
    )
    assert not Memory.objects.exists()


def test_12_the_same_said_twice_is_one_item_with_a_counter(agent, desk, go):
    waits = a_proposal(agent)
    a_proposal(agent)

    go(desk, "/review/")

    expect(desk.locator("[data-item]")).to_have_count(1)
    expect(desk.locator(f"#row-{waits.id}")).to_contain_text("proposed 2 times")


def test_13_not_now_is_a_decision_too(agent, desk, go):
    waits = a_proposal(agent)
    go(desk, f"/review/{waits.id}/").locator("summary", has_text="Not now").click()

    desk.get_by_label("What", exact=True).select_option(label="Later")
    desk.get_by_role("button", name="Put aside").click()
    go(desk, "/review/")

    expect(desk.get_by_text("1 snoozed")).to_be_visible()
    assert fresh(waits).status == "pending"


def test_14_what_is_late_says_so_in_words_and_has_a_filter(agent, sign_in, page, go):
    wide(agent)

    with time_machine.travel(timezone.now() + timedelta(hours=30)):
        sign_in(page)
        expect(page.locator(".tile-bad", has_text="Overdue")).to_contain_text("1")
        page.locator(".tile-bad", has_text="Overdue").click()
        expect(page.locator("[data-item]")).to_contain_text("overdue")

    assert "due=overdue" in page.url


def test_15_a_filter_stands_in_the_address_and_words_never_do(agent, desk, go):
    a_proposal(agent)
    a_proposal(agent, "Ann drinks tea.", key="preference.drink", kind="episodic")
    go(desk, "/review/")

    desk.get_by_label("Kind").select_option("episodic")
    expect(desk.locator("[data-item]")).to_have_count(1)
    assert "kind=episodic" in desk.url
    go(desk, "/review/").locator("#id_words").fill("drinks")
    desk.get_by_role("button", name="Find").click()

    expect(desk.locator("[data-item]")).to_contain_text("Ann drinks tea.")
    assert "filter=" in desk.url and "drinks" not in desk.url


def test_17_somebody_who_only_approves_is_warned(tenant, agent, desk, go):
    publish({"tired_per_minute": 2}, by=a_member(tenant, "adam", "administrator"))
    first, *_ = some_proposals(agent, 4)
    go(desk, f"/review/{first.id}/")

    for _ in range(3):
        at = desk.url
        desk.keyboard.press("a")
        desk.wait_for_url(lambda url, at=at: url != at)
    go(desk, "/review/")

    expect(desk.get_by_text("You decide very fast")).to_be_visible()


def test_18_a_conflict_shows_all_rivals_and_is_settled_and_taken_back(agent, desk, go):
    memory = a_memory(agent, "PostgreSQL.", key="environment.prod.database", value="PostgreSQL")
    conflict = a_conflict(agent, memory, "MySQL")
    go(desk, f"/conflicts/{conflict.id}/")
    for said in ("PostgreSQL", "MySQL", "Trust"):
        expect(desk.get_by_text(said).first).to_be_visible()

    desk.get_by_role("button", name="Keep B").click()
    expect(desk.get_by_text("Settled by")).to_be_visible()
    assert Conflict.objects.get(pk=conflict.pk).status == "resolved"
    desk.locator("summary", has_text="Reverse").click()
    desk.get_by_label("Why it is taken back").fill("asked the wrong team")
    desk.get_by_role("button", name="Reverse the resolution").click()

    expect(desk.get_by_text("the claims are open again")).to_be_visible()
    assert Conflict.objects.get(pk=conflict.pk).status == "reversed"


def test_21_an_item_is_handed_over_with_a_note(agent, desk, other, go):
    waits = a_proposal(agent)
    go(desk, f"/review/{waits.id}/").locator("summary", has_text="Hand over").click()

    desk.get_by_label("To", exact=True).select_option(label="remy")
    desk.locator("form[action*=assign] [name=note]").fill("You know Ann.")
    desk.get_by_role("button", name="Hand over", exact=True).click()
    desk.wait_for_load_state()

    go(other, "/").locator(".tile", has_text="Handed to you").click()
    expect(other.locator(f"#row-{waits.id}")).to_contain_text("for remy")
