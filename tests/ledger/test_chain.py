"""The chain through its one writer, and what verification tells of every kind of damage."""

from datetime import timedelta

import pytest
import time_machine
from django.db import Error, connection, transaction
from django.utils import timezone

from governance.ledger import actions as ledger_actions
from governance.ledger import triggers
from governance.ledger.models import Event, Head, NotFolded
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.ledger.writing import writing
from governance.scopes import events
from governance.scopes.actions import create_tenant
from governance.scopes.models import Scope, Tenant

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


@pytest.fixture
def tenant() -> Tenant:
    made = create_tenant("acme")
    for number in range(8):
        with writing(made.id, by="tester") as w:
            w.record(events.ScopeOpened(level="user"), stream=f"scope_{number}")
    ledger_actions.sign_heads()
    return made


@pytest.fixture
def unguarded() -> object:
    """Let a test damage what the triggers protect."""
    triggers.remove()
    yield
    triggers.install()


def kinds(tenant: Tenant) -> set[str]:
    return {f.kind for f in verify(tenant.id).findings}


def test_a_chain_that_nobody_touched_is_sound(tenant):
    report = verify(tenant.id)

    assert report.sound
    assert report.events == 10
    assert report.unsigned == 0


def test_times_strictly_grow_along_the_chain(tenant):
    times = list(Event.objects.filter(tenant=tenant.id).values_list("recorded_at", flat=True))

    assert times == sorted(set(times))


def test_a_valid_tail_past_the_signed_head_is_sound_and_counted(tenant):
    with writing(tenant.id, by="tester") as w:
        w.record(events.ScopeOpened(level="user"), stream="scope_more")

    report = verify(tenant.id)

    assert report.sound
    assert report.unsigned == 1


def test_what_nobody_signed_for_an_hour_is_signed_afterwards(tenant):
    with writing(tenant.id, by="tester") as w:
        w.record(events.ScopeOpened(level="user"), stream="scope_9")

    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        ledger_actions.sign_heads()

    assert verify(tenant.id).unsigned == 0


@pytest.mark.parametrize("verb", ["UPDATE governance_event SET actor = 'eve'", "DELETE FROM governance_event"])
def test_the_database_refuses_to_change_an_event(tenant, verb):
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(verb)

    assert verify(tenant.id).sound


def test_a_changed_header_is_an_edit(tenant, unguarded):
    row = Event.objects.get(tenant=tenant.id, seq=4)
    Event.objects.filter(pk=row.pk).update(header=bytes(row.header).replace(b"tester", b"nobody"))

    assert "edit" in kinds(tenant)


@pytest.mark.parametrize("column", ["actor", "type", "stream", "correlation"])
def test_a_changed_copy_of_a_header_field_is_an_edit(tenant, unguarded, column):
    Event.objects.filter(tenant=tenant.id, seq=4).update(**{column: "other"})

    assert kinds(tenant) == {"edit"}


def test_a_removed_event_is_a_gap(tenant, unguarded):
    Event.objects.filter(tenant=tenant.id, seq=4).delete()

    assert kinds(tenant) == {"gap"}


def test_an_event_after_another_past_is_a_fork(tenant, unguarded):
    Event.objects.filter(tenant=tenant.id, seq=4).update(prev_hash=b"x" * 32)

    assert "fork" in kinds(tenant)


def test_a_shortened_chain_is_a_truncation(tenant, unguarded):
    Event.objects.filter(tenant=tenant.id, seq__gt=6).delete()

    assert kinds(tenant) == {"truncation"}


def test_a_database_from_yesterday_is_a_rollback(tenant, unguarded):
    Event.objects.filter(tenant=tenant.id, seq__gt=6).delete()
    last = Event.objects.get(tenant=tenant.id, seq=6)
    Head.objects.filter(tenant=tenant.id).update(seq=6, hash=bytes(last.hash))

    assert kinds(tenant) == {"rollback"}


def test_state_cannot_be_written_without_an_event(tenant):
    scope = Scope.objects.filter(tenant=tenant.id).first()

    with pytest.raises(NotFolded):
        scope.save()
    with pytest.raises(NotFolded):
        Scope.objects.filter(pk=scope.pk).update(level="user")
    with pytest.raises(NotFolded):
        scope.delete()


def test_a_refusal_inside_a_writing_leaves_nothing(tenant):
    before = Event.objects.count()

    with pytest.raises(ZeroDivisionError):
        _write_and_fail(tenant)

    assert Event.objects.count() == before
    assert not Scope.objects.filter(pk="scope_never").exists()


def _write_and_fail(tenant: Tenant) -> None:
    with writing(tenant.id, by="tester") as w:
        w.record(events.ScopeOpened(level="user"), stream="scope_never")
        raise ZeroDivisionError


def test_state_is_the_fold_of_the_ledger(tenant):
    assert rebuild(apply=False).differences == []


def test_a_rebuild_finds_and_mends_a_row_that_somebody_changed(tenant):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE governance_scope SET level = 'agent' WHERE id = 'scope_3'")
        cursor.execute("DELETE FROM governance_scope WHERE id = 'scope_4'")

    found = {(d.key, d.what) for d in rebuild(apply=True).differences}

    assert found == {("scope_3", "level"), ("scope_4", "missing")}
    assert rebuild(apply=False).differences == []


def test_missing_triggers_are_named(unguarded):
    assert triggers.missing() == set(triggers.wanted())


def test_one_tenant_s_check_leaves_out_what_is_another_s(tenant):
    other = create_tenant("acme-corp")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE governance_tenant SET zone = 'Asia/Tokyo' WHERE id = %s", [other.id])

    assert rebuild(apply=False, tenant=tenant.id).differences == []
    assert [d.key for d in rebuild(apply=False, tenant=other.id).differences] == [other.id]


def test_what_is_written_while_a_check_reads_is_no_difference(tenant):
    def meanwhile(done: int) -> None:
        if not Scope.objects.filter(pk="scope_meanwhile").exists():
            with writing(tenant.id, by="tester") as w:
                w.record(events.ScopeOpened(level="user"), stream="scope_meanwhile")

    result = rebuild(apply=False, tenant=tenant.id, progress=meanwhile)

    assert Scope.objects.filter(pk="scope_meanwhile").exists()
    assert result.differences == []


def test_a_row_nobody_wrote_is_extra_and_goes(tenant):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO governance_scope (id, tenant_id, level, session_mac, opened_at) "
            "SELECT 'scope_forged', tenant_id, 'user', session_mac, opened_at FROM governance_scope WHERE id = 'scope_3'"
        )

    found = rebuild(apply=True, tenant=tenant.id).differences

    assert [(d.key, d.what) for d in found] == [("scope_forged", "extra")]
    assert not Scope.objects.filter(pk="scope_forged").exists()
