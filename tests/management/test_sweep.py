"""`manage.py sweep`: looked at, done, undone."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from governance.lifecycle.models import Sweep
from tests.factories import a_memory, a_tenant, an_agent

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("sweep", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def memory(db):
    return a_memory(
        an_agent(a_tenant("acme")), "Ann once liked jazz.", observed_at=timezone.now() - timedelta(days=3000)
    )


def test_a_preview_changes_nothing(memory):
    assert "acme: demote 1 (1 looked at)" in said("--preview")
    assert not Sweep.objects.exists()


def test_a_sweep_is_done_and_undone(memory):
    done = said("--tenant", "acme")
    memory.refresh_from_db()
    was_demoted = memory.demoted
    undone = said("--undo", re.search(r"sweep_\w+", done)[0])

    memory.refresh_from_db()
    assert "acme: demote 1." in done
    assert "Taken back: demote 1." in undone
    assert (was_demoted, memory.demoted) == (True, False)


def test_where_nothing_is_due_nothing_is_begun(db):
    a_tenant("acme")

    assert "acme: nothing is due" in said()
    assert not Sweep.objects.exists()


def test_an_unknown_tenant_or_sweep_is_said(memory):
    with pytest.raises(CommandError, match="no tenant of this name"):
        said("--tenant", "acme-corp")
    with pytest.raises(CommandError, match="no sweep of this id"):
        said("--undo", "sweep_0")
