"""Thirty-two writers on one key: one value holds, the chain of versions is unbroken, and whoever lost was told."""

from itertools import pairwise

import pytest

from governance.candidates import actions
from governance.candidates.actions import Resolution
from governance.candidates.actions.observe import Said
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.conflicts.models import Claim, Conflict
from governance.errors import AlreadyDecided, Busy, Stale, outcome
from governance.ledger import sealing
from governance.ledger.verify import verify
from governance.memories import queries as memories
from governance.memories.models import Memory, Period, Version
from governance.scopes.rules import Actor, Grant, ScopeSpec
from tests.factories import a_tenant, an_agent
from tests.flows.world import World
from tests.together import at_once
from tests.web.people import a_conflict, a_member
from tests.writers import run_processes

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
WRITERS = 32
KEY = "profile.home.city"


@pytest.fixture
def agent(transactional_db) -> Actor:
    sealing.forget_known_keys()
    grants = [Grant(action, "user") for action in ("observe", "propose", "recall", "revise")]
    return an_agent(a_tenant("acme"), grants=grants)


def all_at_once(works: list) -> list:
    """Return what each of works that began together returned or was refused with, in order."""
    return at_once([lambda work=work: outcome(work) for work in works])


def a_draft(agent: Actor, city: str) -> Draft:
    text = f"I live in {city}."
    turn = actions.observe(Said(role="user", text=text, user="ann", extract=False), by=agent).observation
    said = {"source_type": "user_explicit", "observation": turn.id, "quote": text}
    return Draft(scope=ScopeSpec("user", user="ann"), kind="semantic", key=KEY, value=city, **said)


def assert_one_unbroken_chain(memory: Memory) -> None:
    versions = list(Version.objects.filter(memory=memory).order_by("number"))
    assert [v.number for v in versions] == list(range(1, memory.latest + 1))
    assert [v.supersedes for v in versions] == [None, *range(1, memory.latest)]
    periods = list(Period.objects.filter(memory=memory).order_by("starts_at"))
    assert all(a.ends_at <= b.starts_at for a, b in pairwise(periods))
    assert memories.views([memory])[0].status == "active"
    assert verify(memory.tenant_id).sound


def test_of_thirty_two_that_revise_the_same_version_one_wins_and_the_rest_are_told(agent):
    memory = actions.propose(a_draft(agent, "Shanghai"), by=agent).memory
    drafts = [a_draft(agent, f"City {i}") for i in range(WRITERS)]

    def revise(draft: Draft):
        said = {"source_type": "user_explicit", "observation": draft.observation, "quote": draft.quote}
        change = Change(expected=1, reason="correction", fields={"value": draft.value}, **said)
        return actions.revise(memory, change, by=agent)

    answers = all_at_once([lambda d=d: revise(d) for d in drafts])

    lost = [a for a in answers if isinstance(a, Stale)]
    assert len(lost) == WRITERS - 1
    assert {a.extra["current_version"] for a in lost} == {2}
    memory.refresh_from_db()
    assert memory.latest == 2
    assert_one_unbroken_chain(memory)


def test_thirty_two_that_propose_other_values_make_one_chain_and_who_must_try_again_is_told(agent):
    drafts = [a_draft(agent, f"City {i}") for i in range(WRITERS)]

    answers = all_at_once([lambda d=d: actions.propose(d, by=agent) for d in drafts])

    told = [a for a in answers if isinstance(a, Busy)]
    written = [a for a in answers if not isinstance(a, Busy)]
    assert len(written) + len(told) == WRITERS
    assert {a.status for a in written} == {"committed"}
    memory = Memory.objects.get()
    assert sorted(a.memory_version for a in written) == list(range(1, memory.latest + 1))
    assert_one_unbroken_chain(memory)


def test_of_thirty_two_that_settle_a_conflict_one_does_and_the_rest_are_told(agent):
    conflict = a_conflict(agent)
    claims = list(Claim.objects.filter(conflict=conflict).order_by("seq"))
    people = [a_member(conflict.tenant, f"resolver-{i}", "resolver") for i in range(WRITERS)]

    def settle(i: int):
        choice = Resolution("keep", claim=claims[i % 2].id)
        return actions.resolve(conflict, choice, expected=conflict.version, by=people[i])

    answers = all_at_once([lambda i=i: settle(i) for i in range(WRITERS)])

    won = [a for a in answers if isinstance(a, Conflict)]
    lost = [a for a in answers if isinstance(a, AlreadyDecided)]
    assert (len(won), len(lost)) == (1, WRITERS - 1)
    assert {a.extra["decided_by"] for a in lost} == {won[0].resolved_by}
    memory = Memory.objects.get(pk=conflict.memory_id)
    assert memory.latest <= 2
    assert_one_unbroken_chain(memory)


def test_writers_of_two_processes_make_one_linear_chain_and_none_waits_for_ever(transactional_db):
    sealing.forget_known_keys()
    world = World("acme")

    counted = run_processes(world.agent().key, processes=2, threads=6, each=2)

    refused = counted.pop("busy", 0)
    assert set(counted) <= {"committed", "merged"}
    assert sum(counted.values()) + refused == 2 * 6 * 2
    assert Candidate.objects.filter(status__in=counted).count() == sum(counted.values())
    assert verify(world.tenant.id).sound
