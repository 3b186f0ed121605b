"""Three thousand rows of one transaction, page by page, while others write: each is met exactly once."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.ledger import ids, sealing
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.memories.events import AboutAdded
from governance.memories.models import Memory
from governance.scopes import actions as scopes
from governance.scopes import queries
from governance.scopes.models import Scope
from governance.scopes.rules import Actor, ScopeSpec
from tests.api.told import language
from tests.flows.world import Agent
from tests.ledger import bulk

ROWS = 3_000


def remembered(actor: Actor, scope: Scope) -> Iterator[bulk.Told]:
    """Yield what was proposed and what is remembered, of many things each."""
    about = {"scope": scope.id, "agent": actor.agent, "observation": None, "observed_at": timezone.now()}
    for number in range(ROWS):
        words = {"content": f"Locker {number}.", "key": f"locker.n{number}", "value": number}
        sealed = sealing.seal(words, tenant=actor.tenant, scope=scope.id, subject=str(scope.subject_id))
        candidate = ids.new("cand")
        yield bulk.proposed(subjects=(), **about), candidate, [sealed]
        yield bulk.written(candidate=candidate, valid_from=timezone.now(), **about), ids.new("mem"), [sealed]


def walked(ask: Callable[[str], Any], between: Callable[[], object]) -> Iterator[list[str]]:
    """Yield the ids of each page, from a list's first address on, with something happening between two pages."""
    page = ask("")
    while True:
        yield [row["id"] for row in page["results"]]
        if page["next"] is None:
            return
        between()
        page = ask(page["next"].partition("?")[2])


@pytest.fixture
def actor(agent: Agent) -> Actor:
    return queries.actor_of_key(agent.key)


@pytest.fixture
def another(agent: Agent) -> Callable[[], object]:
    """Return what writes one more thing, of the same agent."""
    values = count()
    return lambda: language(agent, f"L{next(values)}", user=f"user-{next(values)}")


def test_each_memory_and_candidate_is_met_once_while_others_write(agent, actor, another):
    bulk.append(actor.tenant, remembered(actor, scopes.open_scope(ScopeSpec("user", user="lin"), by=actor)))
    rebuild(apply=True, tenant=actor.tenant)

    for path, model in (("memories", Memory), ("candidates", Candidate)):
        there = list(model.objects.order_by("-created_seq").values_list("id", flat=True))

        pages = list(walked(lambda query, path=path: agent.ask("get", f"{path}?{query or 'limit=200'}"), another))

        assert len(there) >= ROWS
        assert [i for page in pages for i in page] == there


def test_each_event_of_a_memory_is_met_once_while_others_are_recorded(agent, actor, another):
    memory = language(agent)["id"]
    bulk.append(actor.tenant, ((AboutAdded(subject=ids.new("sub")), memory, ()) for _ in range(ROWS)))
    there = list(Event.objects.filter(stream=memory).order_by("seq").values_list("id", flat=True))

    def one_more() -> None:
        bulk.append(actor.tenant, [(AboutAdded(subject=ids.new("sub")), memory, ())])
        another()

    pages = list(walked(lambda query: agent.ask("get", f"memories/{memory}/events?{query or 'limit=200'}"), one_more))

    met = [i for page in pages for i in page]
    assert len(there) > ROWS
    assert met[: len(there)] == there  # oldest first: what came meanwhile stands behind
    assert len(met) == len(set(met)) > len(there)
