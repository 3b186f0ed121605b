"""Each number on the dashboard is the length of the list it leads to; lists ask as much for thirty rows as for three."""

import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser

import pytest
import time_machine
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.candidates.events import CandidateApprovedAlone
from governance.ledger.events import TYPES
from governance.ledger.models import Outbox
from governance.ledger.writing import writing
from governance.overview import queries as overview
from governance.overview.rules import SENTENCES
from governance.policies.queries import current
from governance.scopes.models import Tenant
from governance.web import paging
from tests.factories import a_conflict, a_memory, an_agent, revised
from tests.web.people import a_member, a_proposal, signed_in, some_proposals


def text(response) -> str:
    return response.content.decode()


def queries(client, address: str) -> int:
    client.get(address)  # keys of scopes are read once in the life of a process
    with CaptureQueriesContext(connections["default"]) as ours, CaptureQueriesContext(connections["keyring"]) as keys:
        assert client.get(address).status_code == 200
    return len(ours) + len(keys)


@pytest.mark.parametrize("address", ["/", "/review/", "/proposals/"])
def test_proposals_cost_the_same_number_of_queries_however_many(adam, agent, address):
    some_proposals(agent, 3)
    few = queries(adam, address)
    some_proposals(an_agent(agent_tenant(agent)), 27)

    assert queries(adam, address) <= few


def agent_tenant(agent):
    return Tenant.objects.get(pk=agent.tenant)


@pytest.mark.parametrize(
    "address", ["/memories/", "/memories/?status=active", "/audit-log/", "/index-work/", "/agents/"]
)
def test_memories_cost_the_same_number_of_queries_however_many(adam, agent, address):
    for i in range(3):
        a_memory(agent, f"Number {i}.", key=f"number.n{i}")
    few = queries(adam, address)
    for i in range(3, 30):
        a_memory(agent, f"Number {i}.", key=f"number.n{i}")

    assert queries(adam, address) <= few


def test_a_long_history_costs_as_much_as_a_short_one(adam, agent):
    memory = a_memory(agent, "One.", key="number")
    revised(agent, memory, "Two.", key="number")
    few = queries(adam, f"/memories/{memory.id}/")
    for i in range(10):
        memory.refresh_from_db()
        revised(agent, memory, f"More {i}.", key="number")

    assert queries(adam, f"/memories/{memory.id}/") <= few


def test_every_number_is_the_length_of_its_list(adam, agent):
    some_proposals(agent, 4)
    for i in range(3):
        a_memory(agent, f"Number {i}.", key=f"number.n{i}")

    board = adam.get("/")

    numbers = board.context["numbers"]
    assert numbers.waiting == adam.get("/review/").context["page"].total == 4
    assert numbers.in_force == adam.get("/memories/?status=active").context["page"].total == 3
    assert numbers.owed == adam.get("/index-work/").context["page"].total
    assert numbers.mine == adam.get("/review/?assigned=me").context["page"].total
    assert numbers.overdue == adam.get("/review/?due=overdue").context["page"].total
    days = re.findall(r'/proposals/\?on=([\d-]+)" aria-label="[^:]+: (\d+)"', text(board))
    assert [int(n) for day, n in days] == [adam.get(f"/proposals/?on={d}").context["page"].total for d, _ in days]
    assert len(days) == 14
    links = re.findall(r"/proposals/\?outcome=(\w+)&amp;since=([\d-]+)", text(board))
    assert [outcome for outcome, _ in links] == ["commit", "review", "event_only", "reject"]
    for outcome, since in links:
        listed = adam.get(f"/proposals/?outcome={outcome}&since={since}").context["page"].total
        assert numbers.outcomes[outcome] == listed


def test_where_a_list_is_longer_than_is_counted_number_and_list_say_the_same(adam, agent, monkeypatch):
    monkeypatch.setattr(overview, "MOST_COUNTED", 2)
    monkeypatch.setattr(paging, "MOST_COUNTED", 2)
    some_proposals(agent, 4)
    for i in range(3):
        a_memory(agent, f"Number {i}.", key=f"number.n{i}")

    board = text(adam.get("/"))
    listed = text(adam.get("/memories/?status=active"))

    assert '<p class="tile-value">2+</p>' in board
    assert re.search(r'pager-summary">[^<]*2\+', listed)
    assert adam.get("/review/").context["page"].total == 4  # what waits is counted to its end
    assert '<p class="tile-value">4</p>' in board


class Numbers(HTMLParser):
    """Reads a page: the numbers in its main part that are no date, share or detail, each with the link around it."""

    APART = ("page-sub", "chart-axis", "gate-table", "gate-frame", "lines", "log")  # details, not counts
    VOID = ("meta", "link", "input", "img", "br", "use", "rect", "circle", "line")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.found: list[tuple[int, str]] = []
        self.feed("<main" + page.partition("<main")[2].partition("</main>")[0])

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while tag not in self.VOID and self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        classes = {c for _, attrs in self.open for c in (attrs.get("class") or "").split()}
        if classes & set(self.APART) or any(t in ("time", "title") or "data-average" in a for t, a in self.open):
            return
        link = next((a["href"] or "" for t, a in reversed(self.open) if t == "a"), "")
        self.found += [(int(n), link) for n in re.findall(r"(?<![\w-])\d+\b(?! ?%)", data)]


@pytest.fixture
def busy(tenant, agent) -> Iterator[Client]:
    """An administrator's browser in a tenant in which everything that the dashboard counts is there."""
    me = a_member(tenant, "adam", "administrator")
    late = a_proposal(agent, "Ann is late.", key="profile.habit")
    due = timedelta(hours=current(tenant.id).due_hours[late.risk])
    with time_machine.travel(late.created_at + 0.3 * due):
        a_proposal(agent, "Ann is soon late.", key="profile.mood")
    with time_machine.travel(late.created_at + 1.1 * due):
        adam = signed_in("adam")
        handed, kept, turned_down, *_ = some_proposals(agent, 5)
        a_conflict(agent, a_memory(agent, "PostgreSQL.", key="env.database", value="PostgreSQL"), "MySQL")
        for i in range(3):
            a_memory(agent, f"Number {i}.", key=f"number.n{i}")
        adam.post(f"/review/{kept.id}/approve/", {"version": 1})
        adam.post(f"/review/{turned_down.id}/reject/", {"version": 1, "reason": "not-true"})
        adam.post(f"/review/{handed.id}/assign/", {"version": 1, "to": me.id})
        with writing(tenant.id, by="system:test") as w:
            w.record(CandidateApprovedAlone(approved_by="member:1", risk="normal"), stream=handed.id)
        Outbox.objects.filter(pk__in=Outbox.objects.filter(topic="index").values("pk")[:1]).update(attempts=3)
        some_proposals(an_agent(tenant), 101)
        yield adam


def test_every_number_on_the_dashboard_leads_to_the_list_it_counts(busy):
    found = Numbers(text(busy.get("/"))).found

    wrong = [(n, link) for n, link in found if not link or busy.get(link).context["page"].total != n]
    assert wrong == []
    links = " ".join(link for _, link in found)
    assert all(what in links for what in ("due=overdue", "due=soon", "assigned=me", "failing", "since=", "within=hour"))
    assert all(what in links for what in ("/conflicts/", "/memories/", "answered=people", "outcome=reject"))


def test_the_log_says_who_did_what_and_when(adam, agent):
    waiting = a_proposal(agent)
    adam.post(f"/review/{waiting.id}/approve/", {"version": 1})

    page = text(adam.get("/audit-log/?type=candidate-committed"))

    assert "<b>adam</b> approved a proposal" in page
    assert f"{timezone.now():%Y-%m-%d}" in page
    assert "Ann works at night." not in page


def test_the_log_is_narrowed_by_actor_and_thing(adam, agent):
    waiting = a_proposal(agent)
    adam.post(f"/review/{waiting.id}/reject/", {"version": 1, "reason": "not-true"})

    assert adam.get(f"/audit-log/?actor={agent.id}").context["page"].total >= 1
    entries = adam.get(f"/audit-log/?stream={waiting.id}").context["entries"]
    assert [e.type for e in entries] == ["candidate-rejected", "candidate-proposed"]


def test_every_event_has_a_sentence():
    assert sorted(set(TYPES) - set(SENTENCES)) == []
