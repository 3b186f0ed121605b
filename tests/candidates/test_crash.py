"""An extraction that crashes leaves the turn answered; a later run finds the rest, and writes nothing twice."""

import importlib

import pytest

from governance.candidates import actions
from governance.candidates.actions.observe import TOPIC, Said
from governance.candidates.models import Candidate
from governance.ledger.models import Outbox
from governance.ledger.outbox import drain, take_over
from governance.memories.models import Memory
from tests.factories import a_tenant, an_agent

TURN = "I live in Ghent. I prefer window seats. I prefer Python."


observing = importlib.import_module("governance.candidates.actions.observe")  # the package has an action of that name
pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_crash_after_some_statements_costs_the_agent_nothing(monkeypatch: pytest.MonkeyPatch, done: int):
    agent = an_agent(a_tenant())
    kept: list[int] = []
    keep = observing._keep

    def crashing(*args, **more):
        if len(kept) == done:
            raise RuntimeError
        kept.append(1)
        return keep(*args, **more)

    monkeypatch.setattr(observing, "_keep", crashing)
    observed = actions.observe(Said(role="user", text=TURN, user="lin"), by=agent)
    monkeypatch.setattr(observing, "_keep", keep)

    assert (observed.extraction, len(observed.candidates)) == ("pending", done)
    for _ in range(2):
        take_over(TOPIC)
        drain(TOPIC)
        again = observed.observation  # the work is owed once more, as after a crash behind the last write
        Outbox.objects.create(topic=TOPIC, tenant=agent.tenant, ref=again.id, due_at=again.recorded_at)
    assert (Candidate.objects.count(), Memory.objects.count()) == (3, 3)
