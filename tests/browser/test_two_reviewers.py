"""Two people at one queue, by keys alone and at the same time: nothing is decided twice, nothing said that is not so.

`QUEUE=200` says how many proposals wait for them, 60 without it; where they race for each, a third of that.
"""

import os
from contextlib import ExitStack
from datetime import timedelta
from random import Random

import pytest
from playwright.sync_api import Browser, Page, Response

from governance.candidates.actions import leases
from governance.candidates.models import Candidate
from governance.ledger.models import Event
from governance.policies.actions import publish
from governance.scopes.models import Tenant
from governance.scopes.rules import Actor
from tests.factories import a_tenant, an_agent
from tests.web.people import a_member, some_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]

QUEUE = int(os.environ.get("QUEUE", "60"))
DECIDED = ("candidate-committed", "candidate-rejected", "candidate-merged")


class Reviewer:
    """A person who approves whatever is before them, and what their browser was told of it."""

    def __init__(self, page: Page, actor: Actor) -> None:
        self.page, self.actor = page, actor
        self.told: list[tuple[str, int]] = []
        page.on("response", self._note)

    def _note(self, response: Response) -> None:
        if response.request.method == "POST" and response.url.endswith("/approve/"):
            self.told.append((response.url.split("/")[-3], response.status))

    @property
    def done(self) -> list[tuple[str, str]]:
        """What they decided as far as they know, and who they are."""
        return [(candidate, self.actor.id) for candidate, status in self.told if status == 302]

    def key(self) -> str:
        """Return the key that decides, else the one that goes on, else the one that goes back; "" where none is."""
        return next((key for key in "ajk" if self.page.locator(f"main [data-key={key}]").count()), "")


@pytest.fixture
def tenant(transactional_db) -> Tenant:
    return a_tenant("acme")


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    """An agent that may propose as much at once as is asked for here."""
    publish({"flood_waiting": 1000, "flood_per_minute": 1000}, by=a_member(tenant, "adam", "administrator"))
    return an_agent(tenant)


@pytest.fixture
def reviewers(tenant, page, browser: Browser, sign_in):
    """Two people, each signed in in a browser of their own."""
    context = browser.new_context()
    actors = {name: a_member(tenant, name, "reviewer") for name in ("rita", "remy")}
    pages = {"rita": page, "remy": context.new_page()}
    yield [Reviewer(sign_in(pages[name], name), actors[name]) for name in pages]
    context.close()


def race(reviewers: list[Reviewer], address: str) -> None:
    """Have them decide until nothing waits; now one is the first to press, now the other."""
    random = Random(1)
    for _ in range(5 * QUEUE):
        if not Candidate.objects.filter(status="pending").exists():
            return
        for reviewer in reviewers:
            if not reviewer.key():
                open_the_first(reviewer.page, address)
        press_at_once(random.sample(reviewers, len(reviewers)))


def open_the_first(page: Page, address: str) -> None:
    page.goto(f"{address}/review/")
    if page.locator("[data-item]").count():
        page.keyboard.press("j")
        with page.expect_navigation():
            page.keyboard.press("Enter")


def press_at_once(reviewers: list[Reviewer]) -> None:
    """Have everybody press the key that leads on from where they are, nobody waiting for the other's answer."""
    pressed = [(reviewer.page, key) for reviewer in reviewers if (key := reviewer.key())]
    with ExitStack() as answers:
        for page, _ in pressed:
            answers.enter_context(page.expect_navigation())
        for page, key in pressed:
            page.keyboard.press(key)


def assert_decided_once(made: list[Candidate], reviewers: list[Reviewer]) -> None:
    """Check that the log holds one decision of each item, and just those that somebody was told are theirs."""
    decided = Event.objects.filter(type__in=DECIDED).values_list("stream", "actor")
    assert sorted(stream for stream, _ in decided) == sorted(candidate.id for candidate in made)
    assert sorted(decided) == sorted(one for reviewer in reviewers for one in reviewer.done)


def test_01_two_reviewers_at_one_queue_decide_nothing_twice(agent, reviewers, live_server, server_times):
    made = some_proposals(agent, QUEUE)

    race(reviewers, live_server.url)

    assert_decided_once(made, reviewers)
    assert all(reviewer.done for reviewer in reviewers)


def test_01_two_reviewers_who_race_for_each_item_decide_nothing_twice(
    agent, reviewers, live_server, server_times, monkeypatch
):
    monkeypatch.setattr(leases, "QUIET", timedelta(0))  # nobody holds what they have open
    made = some_proposals(agent, QUEUE // 3)

    race(reviewers, live_server.url)

    assert_decided_once(made, reviewers)
    assert {status for reviewer in reviewers for _, status in reviewer.told} == {302, 409}
