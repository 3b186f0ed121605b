"""Each number on the dashboard is the length of the list it leads to; lists ask as much for thirty rows as for three."""

import re

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.ledger.events import TYPES
from governance.overview.rules import SENTENCES
from governance.scopes.models import Tenant
from tests.factories import a_memory, an_agent, revised
from tests.web.people import a_proposal, some_proposals


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
