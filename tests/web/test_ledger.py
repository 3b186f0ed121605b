"""The page on which the ledger proves itself: asked, made by the worker, followed, told."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from governance.ledger import actions as ledger
from governance.ledger import checks, triggers
from governance.ledger.models import Event, LedgerCheck, Outbox
from governance.ledger.outbox import drain
from tests.factories import a_memory, a_tenant

FRAGMENT = {"headers": {"HX-Request": "true"}}


def text(response) -> str:
    return response.content.decode()


def checked() -> None:
    while drain("ledger-check"):
        pass


@pytest.fixture(autouse=True)
def memory(agent):
    made = a_memory(agent, "Ann works at night.")
    ledger.sign_heads()
    return made


@pytest.fixture
def unguarded():
    triggers.remove()
    yield
    triggers.install()


def test_before_anybody_asked_nothing_is_claimed(ada):
    page = text(ada.get("/ledger/"))

    assert page.count("Not looked at yet.") == 2
    assert "every 1s" not in page


@pytest.mark.parametrize("kind", LedgerCheck.KINDS)
def test_a_check_is_asked_made_and_told(ada, tenant, kind):
    assert ada.post("/ledger/check/", {"kind": kind}).status_code == 302
    waiting = text(ada.get("/ledger/", **FRAGMENT))
    checked()
    told = text(ada.get("/ledger/", **FRAGMENT))

    assert "Waiting for the worker" in waiting and "every 1s" in waiting
    assert "Sound" in told or "sound" in told
    assert "every 1s" not in told
    assert LedgerCheck.objects.get().events == Event.objects.filter(tenant=tenant.id).count()


def test_asking_twice_makes_one_check(ada):
    ada.post("/ledger/check/", {"kind": "chain"})
    ada.post("/ledger/check/", {"kind": "chain"})

    assert Outbox.objects.filter(topic="ledger-check").count() == 1


def test_damage_is_named(ada, tenant, unguarded):
    Event.objects.filter(tenant=tenant.id, seq=3).update(actor="eve")
    ada.post("/ledger/check/", {"kind": "chain"})

    checked()

    kinds = {f["kind"] for f in LedgerCheck.objects.get().findings}
    assert kinds == {"edit", "trigger"}
    assert "a copied column differs: actor" in text(ada.get("/ledger/"))


def test_a_row_that_somebody_changed_is_named(ada, memory):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE governance_memory SET latest = 7 WHERE id = %s", [memory.id])
    ada.post("/ledger/check/", {"kind": "state"})

    checked()

    assert LedgerCheck.objects.get().findings == [{"kind": "Memory", "at": memory.id, "detail": "latest"}]
    assert memory.id in text(ada.get("/ledger/"))


def test_a_check_of_one_tenant_is_no_other_s(ada):
    other = a_tenant("acme-corp")
    checks.ask(other.id, "chain", by="system:night")

    checked()

    assert text(ada.get("/ledger/")).count("Not looked at yet.") == 2


def test_a_reviewer_neither_sees_nor_asks(rita):
    assert rita.get("/ledger/").status_code == 403
    assert rita.post("/ledger/check/", {"kind": "chain"}).status_code == 403
    assert not LedgerCheck.objects.exists()


def test_a_check_there_is_not_is_refused(ada):
    assert ada.post("/ledger/check/", {"kind": "moon"}).status_code == 422
    assert not LedgerCheck.objects.exists()


@pytest.mark.parametrize("kind", LedgerCheck.KINDS)
def test_while_a_check_is_made_what_else_is_owed_gets_done(ada, tenant, memory, kind, monkeypatch):
    monkeypatch.setattr("governance.ledger.checks.TURN_EVERY", 0)
    ada.post("/ledger/check/", {"kind": kind})
    owed = Outbox.objects.create(topic="index", tenant=tenant.id, ref=memory.id, due_at=timezone.now())
    done: list[bool] = []
    monkeypatch.setattr(LedgerCheck, "save", lambda self, **named: done.append(_is_done(owed)) or SAVE(self, **named))

    drain("ledger-check")

    assert done[0] is False  # as it begins
    assert done[-1] is True  # as it ends


SAVE = LedgerCheck.save


def _is_done(owed: Outbox) -> bool:
    return not Outbox.objects.filter(pk=owed.pk).exists()


def test_each_night_asks_once_for_what_was_there(tenant, monkeypatch):
    monkeypatch.setattr(checks, "_looked_at", None)
    checks.every_night()
    assert not LedgerCheck.objects.exists()

    tomorrow = timezone.now() + timedelta(days=1)
    for hour in (4, 5):
        monkeypatch.setattr(checks, "_looked_at", None)
        monkeypatch.setattr(timezone, "now", lambda h=hour: tomorrow.replace(hour=h))
        checks.every_night()

    assert LedgerCheck.objects.filter(tenant=tenant.id).count() == 2


def test_only_the_last_checks_are_kept(tenant, monkeypatch):
    monkeypatch.setattr(checks, "KEPT", 3)

    for _ in range(5):
        checks.ask(tenant.id, "chain", by="tester")
        checked()

    assert LedgerCheck.objects.count() == 3


def test_without_a_key_in_the_browser_nobody_gets_there():
    assert Client().get("/ledger/").status_code == 302
