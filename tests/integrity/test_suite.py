"""The public suite `agent-memory-integrity`: nine edits of a store at rest, T1 to T9, each noticed."""

import pytest
from agmi.attacks import at_rest

from governance.ledger import triggers
from governance.ledger.verify import verify
from tests.integrity.adapter import LedgerAdapter

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])

EDITS = {
    "T1": (at_rest.TamperAttack, {"edit"}),
    "T2": (at_rest.TruncateAttack, {"truncation"}),
    "T3": (at_rest.DeleteMiddleAttack, {"gap"}),
    "T4": (at_rest.ReorderAttack, {"edit"}),
    "T5": (at_rest.ForgeAttack, {"edit"}),
    "T6": (at_rest.CrossContextReplayAttack, {"edit"}),
    "T7": (at_rest.RollbackReplayAttack, {"edit"}),
    "T8": (at_rest.MetadataTamperAttack, {"edit"}),
    "T9": (at_rest.SnapshotRollbackAttack, {"rollback"}),
}


@pytest.fixture(autouse=True)
def unguarded():
    triggers.remove()
    yield
    triggers.install()


@pytest.mark.parametrize("name", EDITS)
def test_the_edit_is_reported_and_called_what_it_is(name):
    attack, kinds = EDITS[name]
    adapter = LedgerAdapter()

    result = attack().run(adapter)

    assert result.error is None
    assert result.detected, result
    assert {f.kind for f in verify(adapter._own.tenant).findings} == kinds


def test_every_edit_of_the_suite_is_here():
    assert {attack for attack, _ in EDITS.values()} == set(at_rest.AT_REST_ATTACKS_WITH_SNAPSHOT)


def test_what_nobody_edited_is_sound():
    adapter = LedgerAdapter()
    adapter.setup()
    adapter.seed(5)
    adapter.seed_other(5)

    assert adapter.verify()
