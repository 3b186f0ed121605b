"""The demo: told once, through the same actions as everything else."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from governance.candidates.models import Candidate
from governance.conflicts.models import Conflict
from governance.erasure.models import ForgetRequest
from governance.ledger.models import Event
from governance.management.commands.demo import password
from governance.memories.models import Memory
from governance.retrieval.models import GIVEN, Recall
from governance.scopes.actions import create_tenant
from governance.scopes.models import Membership, Project, Tenant
from governance.scopes.queries import actor_of_key

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def demo() -> str:
    out = io.StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def test_it_shows_something_of_each_outcome():
    demo()

    assert set(Tenant.objects.values_list("name", flat=True)) == {"acme", "globex", "system"}
    assert Project.objects.count() == 3
    assert {"committed", "pending", "event_only", "rejected"} <= set(Candidate.objects.values_list("status", flat=True))
    waiting = Candidate.objects.open().filter(tenant__name="acme")
    assert waiting.filter(lane="quarantine").exists()
    assert waiting.filter(scope__level="project", lane="").exists()
    assert waiting.filter(confidence__lt=0.5).exists()
    assert waiting.filter(kind="procedural", lane="").exists()
    assert Memory.objects.filter(slot__isnull=True).exists()
    assert Memory.objects.filter(binding=True).count() == 2
    assert Conflict.objects.filter(status="open").exists()
    assert ForgetRequest.objects.get().status == "planned"


def test_its_accounts_sign_in_with_the_password_it_prints():
    printed = demo()

    assert password() in printed
    for name in ("admin", "reviewer", "compliance", "privacy", "auditor", "operator"):
        assert User.objects.get(username=name).check_password(password()), name
        assert name in printed


def test_its_key_works_and_is_printed_the_first_time_only():
    first = demo()

    second = demo()

    key = next(word for word in first.split() if word.startswith("mgv_"))
    assert actor_of_key(key).holds("recall", "user")
    assert f"Bearer {key}" in first
    assert "mgv_" not in second
    assert password() in second


def test_told_again_it_changes_nothing():
    demo()
    events = Event.objects.count()

    demo()

    assert Event.objects.count() == events


def test_it_is_not_loaded_beside_somebody_s_own_data():
    create_tenant("ours")

    printed = demo()

    assert "not loaded" in printed
    assert not Membership.objects.exists()


def test_there_is_a_recall_to_look_into():
    demo()

    met = Recall.objects.get().hits
    said = {hit["memory"] for hit in met if hit["fate"] in GIVEN}
    assert Memory.objects.filter(pk__in=said, scope__level="user").exists()
    assert Memory.objects.filter(pk__in=said, scope__level="project").exists()
