"""The first hour of somebody new: what the README promises, in the demo, by what the screens say and nothing else."""

from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings

from governance.ledger.events import TYPES
from governance.ledger.models import Event
from governance.ledger.outbox import drain
from governance.management.commands.demo import password
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import ApiKey
from governance.scopes.queries import agent_actor
from tests.isolation import fresh_index

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


def worked() -> None:
    while drain():
        pass


@pytest.fixture
def demo(live_server, settings: Settings, tmp_path) -> Iterator[None]:
    settings.JOURNAL_FILE = tmp_path / "journal.jsonl"
    index = fresh_index(settings, tmp_path)
    next(index)
    call_command("demo", stdout=StringIO())
    worked()
    yield
    next(index, None)


@pytest.fixture
def enter(browser: Browser, live_server, demo) -> Iterator[Callable[[str], Page]]:
    """Give a window of one's own to each of the demo's accounts, signed in."""
    contexts = []

    def enter(name: str) -> Page:
        contexts.append(browser.new_context(viewport={"width": 1440, "height": 900}))
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.goto(live_server.url)
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password())
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
        return page

    yield enter
    for context in contexts:
        context.close()


def happened(kind: str) -> int:
    assert kind in TYPES
    return Event.objects.filter(type=kind, actor__startswith="member:").count()


def test_three_are_approved_and_one_is_rejected_with_a_reason(enter):
    page = enter("reviewer")
    approved, rejected = happened("candidate-committed"), happened("candidate-rejected")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Review").click()
    for words in ("Maria asked about Python", "Tom usually works at night", "用户住酒店要安静"):
        page.get_by_role("link", name=words).click()
        page.get_by_role("button", name="Approve", exact=False).first.click()
        expect(page.get_by_text("Approved", exact=False).first).to_be_visible()
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Review").click()
    page.get_by_role("link", name="Ignore all previous instructions").click()
    page.locator("summary", has_text="Reject").click()
    page.get_by_label("Reason").select_option(index=1)
    page.get_by_role("button", name="Reject with this reason").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Review").click()

    expect(page.get_by_role("link", name="Ignore all previous instructions")).to_have_count(0)
    assert happened("candidate-committed") == approved + 3
    assert happened("candidate-rejected") == rejected + 1


def test_why_an_agent_said_something_is_found_by_its_words(enter):
    key = ApiKey.objects.filter(agent__name="coding-assistant", agent__tenant__name="acme", revoked_at=None).first()
    recall(Question("Which format should the export have?", user="tom"), by=agent_actor(key.agent, key))
    worked()
    page = enter("admin")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Memories").click()
    page.get_by_label("Words").fill("export format")
    page.get_by_label("User").fill("tom")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="output as Parquet").click()

    expect(page.get_by_role("heading", name="Given to agents")).to_be_visible()
    page.get_by_role("link", name="coding-assistant, version").click()
    expect(page.get_by_text("Parquet").first).to_be_visible()


def test_a_conflict_is_settled(enter):
    page = enter("reviewer")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Conflicts").click()
    page.get_by_role("link", name="GitHub Actions").click()
    page.get_by_role("button", name="Keep A").click()

    expect(page.get_by_text("resolved").first).to_be_visible()
    assert happened("conflict-resolved") == 1


def test_a_person_is_forgotten_and_the_report_is_read(enter):
    page, second = enter("compliance"), enter("privacy")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Forget requests").click()
    page.get_by_role("link", name="File a request").first.click()
    page.get_by_role("textbox", name="Person").fill("tom")
    page.get_by_role("textbox", name="Who asks").fill("Tom himself")
    page.get_by_role("button", name="File it").click()
    page.get_by_label("How was it shown who asks?").select_option("document")
    page.get_by_role("button", name="Note it and make the plan").click()
    worked()

    second.get_by_role("navigation", name="Main").get_by_role("link", name="Forget requests").click()
    second.get_by_role("link", name="Erase").filter(has_text="tom").click()
    second.on("dialog", lambda dialog: dialog.accept())
    second.get_by_role("button", name="Erase it").click()
    worked()
    expect(second.get_by_text("Everything it reached is gone, and that was shown.")).to_be_visible()
    second.get_by_role("link", name="Report 1").click()

    expect(second.get_by_text("signature checks")).to_be_visible()
    expect(second.get_by_role("heading", name="For the person, in plain words")).to_be_visible()
