"""Forgetting as compliance staff meet it: intake, plan, refusal of one's own approval, a second person, the report."""

import secrets
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings

from governance.erasure.models import ForgetRequest
from governance.ledger.outbox import drain
from tests.factories import a_memory, a_tenant, an_agent
from tests.isolation import fresh_index
from tests.web.people import a_member, a_proposal

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "keyring"]),
]


def worked() -> None:
    while drain():
        pass


@pytest.fixture
def ann(live_server, settings: Settings, tmp_path) -> Iterator[None]:
    """A person of whom something is remembered, and two compliance officers."""
    settings.JOURNAL_FILE = tmp_path / "journal.jsonl"
    index = fresh_index(settings, tmp_path)
    next(index)
    tenant = a_tenant("acme")
    for name in ("cora", "carl"):
        a_member(tenant, name, "compliance")
    agent = an_agent(tenant)
    # Words nobody else in this run uses: files that other tests left in the same folder hold none of their vectors.
    mark = secrets.token_hex(3)
    for i, text in enumerate(("works at night", "uses PostgreSQL", "is allergic to nuts")):
        a_memory(agent, f"Ann {text} in {mark}.", key=f"profile.fact{i}", value=text)
    a_proposal(agent, f"Ann may move to {mark}.", said=f"I may move to {mark}.", key="profile.plan")
    worked()
    yield
    next(index, None)


@pytest.fixture
def second(browser: Browser) -> Iterator[Page]:
    """The second person's browser, a phone in the dark."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(10_000)
    yield page
    context.close()


def test_from_intake_to_a_printed_report(
    live_server, page: Page, second: Page, ann, sign_in: Callable[..., Page], assert_accessible, tmp_path
):
    sign_in(page, "cora").get_by_role("link", name="Forget requests").click()
    expect(page.get_by_text("Nobody waits to be forgotten")).to_be_visible()
    assert_accessible(page)

    page.get_by_role("link", name="File a request").first.click()
    assert_accessible(page)
    page.get_by_role("textbox", name="Person").fill("ann")
    page.get_by_role("textbox", name="Who asks").fill("Ann Smith, by letter")
    page.get_by_label("In their words").fill("Please forget all about me.")
    page.get_by_role("button", name="File it").click()
    page.get_by_label("How was it shown who asks?").select_option("document")
    page.get_by_role("button", name="Note it and make the plan").click()
    expect(page.get_by_text("The plan is being made.")).to_be_visible()
    worked()
    expect(page.get_by_text("Waits for another person to approve the plan.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("another person has to approve it")).to_be_visible()
    expect(page.get_by_role("button", name="Erase it")).to_have_count(0)
    assert_accessible(page)

    request = ForgetRequest.objects.get()
    sign_in(second, "carl").goto(f"{live_server.url}/forget/{request.id}/")
    assert second.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert_accessible(second)
    second.on("dialog", lambda dialog: dialog.accept())
    second.get_by_role("button", name="Erase it").click()
    expect(second.get_by_text("it begins as soon as the worker is free")).to_be_visible()
    worked()
    proof = request.written.get().document["proof"]
    assert {name: part for name, part in proof.items() if not part["holds"]} == {}
    expect(second.get_by_text("Everything it reached is gone, and that was shown.")).to_be_visible()
    assert_accessible(second)

    second.get_by_role("link", name="Report 1").click()
    expect(second.get_by_text("signature checks")).to_be_visible()
    assert second.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert_accessible(second)
    page.goto(f"{live_server.url}/forget/{request.id}/reports/1/")
    assert_accessible(page)
    printed = page.pdf(path=tmp_path / "report.pdf")
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
