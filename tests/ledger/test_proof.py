"""A log in which somebody changed one thing: found, and called what it is.

`LEDGER_LENGTH=1000 make test ARGS=tests/ledger` does the same to a log of a thousand events.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.ledger import actions as ledger
from governance.ledger import triggers
from governance.ledger.events import chain_hash
from governance.ledger.models import Content, ContentKey, Event, Head, SignedHead
from governance.ledger.verify import tenants, verify
from governance.scopes import actions as scopes
from governance.scopes.models import Tenant
from tests.ledger.bulk import a_long_log

pytestmark = [pytest.mark.django_db(databases=["default", "keyring"]), pytest.mark.xdist_group("proof")]

LENGTH = int(os.environ.get("LEDGER_LENGTH", "200"))
ELSEWHERE = "ten_00000000000000000000000000000000"
SEQS = st.integers(1, LENGTH)
BYTES = st.binary(min_size=1, max_size=40)
TEXTS = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_characters="\x7f"), min_size=1, max_size=30
)

# Field -> what it is changed to, and what that may be called.
EDITS = {
    "id": (TEXTS, {"edit"}),
    "type": (TEXTS, {"edit"}),
    "stream": (TEXTS, {"edit"}),
    "actor": (TEXTS, {"edit"}),
    "correlation": (TEXTS, {"edit"}),
    "header": (BYTES, {"edit"}),
    "hash": (BYTES, {"edit", "fork"}),
    "prev_hash": (BYTES, {"edit", "fork"}),
    "seq": (st.integers(LENGTH + 1, 10**9), {"gap", "edit", "fork", "truncation"}),
    "tenant": (st.just(ELSEWHERE), {"gap", "truncation"}),
}
CONTENT_EDITS = {
    "id": (TEXTS, {"lost-words"}),
    "tenant": (st.just(ELSEWHERE), {"edit"}),
    "kid": (TEXTS, {"edit"}),
    "nonce": (BYTES, {"edit"}),
    "ct": (BYTES, {"edit"}),
}
often = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def chain(db) -> Iterator[Tenant]:
    tenant = a_long_log("acme", LENGTH)
    ledger.sign_heads()
    triggers.remove()
    yield tenant
    triggers.install()


@contextmanager
def undone() -> Iterator[None]:
    """Let what is done inside be as if it had not been."""
    with transaction.atomic(), transaction.atomic(using="keyring"):
        yield
        transaction.set_rollback(True)
        transaction.set_rollback(True, using="keyring")


def kinds(tenant: Tenant) -> set[str]:
    return {f.kind for f in verify(tenant.id).findings}


def at(tenant: Tenant, seq: int):
    return Event.objects.filter(tenant=tenant.id, seq=seq)


def test_the_log_as_it_was_written_is_sound(chain):
    report = verify(chain.id)

    assert (report.findings, report.events, report.unsigned) == ([], LENGTH, 0)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_any_field_of_any_event_is_found(chain, name):
    values, wanted = EDITS[name]

    @often
    @given(SEQS, values)
    def holds(seq, value):
        with suppress(IntegrityError), undone():  # a fork on the very same event the database itself refuses
            changed = at(chain, seq).exclude(**{name: value}).update(**{name: value})
            found = kinds(chain)

            assert bool(found) is bool(changed)
            assert found <= wanted

    holds()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL keeps to the type of a column")
@pytest.mark.parametrize(
    ("table", "change", "wanted"),
    [
        ("event", "header = replace(header, 'agent:', 'agent_')", {"edit"}),
        ("event", "header = CAST(header AS TEXT)", {"edit"}),
        ("event", "header = header || x'ff'", {"edit"}),
        ("event", "hash = 'abc'", {"edit", "fork"}),
        ("event", "prev_hash = 'abc'", {"edit", "fork"}),
        ("event", "recorded_at = 'never'", {"edit"}),
        ("event", "recorded_at = x'00ff'", {"edit"}),
        ("event", "actor = CAST(actor AS BLOB)", {"edit"}),
        ("event", "actor = CAST(x'ff41' AS TEXT)", {"edit"}),
        ("event", "type = 'contents-erased'", {"edit"}),
        ("event", "seq = 'seventh'", {"gap"}),
        ("event", "seq = 7.5", {"gap"}),
        ("event", "seq = -7", {"gap", "edit"}),
        ("content", "ct = 'abc'", {"edit"}),
        ("content", "nonce = 'abc'", {"edit"}),
        ("content", "kid = x'00'", {"edit"}),
        ("content", "tenant = CAST(x'ff41' AS TEXT)", {"edit"}),
        ("head", "hash = 'abc'", {"edit"}),
        ("head", "seq = 'many'", {"edit"}),
        ("head", "recorded_at = 'never'", {"edit"}),
        ("head", "recorded_at = x'00ff'", {"edit"}),
    ],
)
def test_an_edit_that_leaves_another_type_behind_is_found_as_any_other(chain, table, change, wanted):
    which = {
        "event": f"tenant = '{chain.id}' AND seq = 7",
        "content": f"id = (SELECT MIN(id) FROM governance_content WHERE tenant = '{chain.id}')",
        "head": f"tenant = '{chain.id}'",
    }
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE governance_{table} SET {change} WHERE {which[table]}")

    assert kinds(chain) == wanted


def test_a_second_without_a_fraction_is_the_time_that_was_written(db):
    with time_machine.travel(datetime(2026, 8, 31, 12, 5, tzinfo=UTC), tick=False):
        tenant = scopes.create_tenant("acme")

    assert Event.objects.get(tenant=tenant.id, seq=1).recorded_at.microsecond == 0
    assert kinds(tenant) == set()


@pytest.mark.parametrize("third", range(3))
@pytest.mark.parametrize("name", ["type", "stream", "actor", "correlation", "header", "recorded_at"])
def test_every_third_event_edited_is_every_third_event_named(chain, name, third):
    edited = Event.objects.filter(tenant=chain.id).annotate(third=F("seq") % 3).filter(third=third)
    seqs = set(edited.values_list("seq", flat=True))
    values = {"header": b"{}", "recorded_at": F("recorded_at") + timedelta(microseconds=7)}

    edited.update(**{name: values.get(name, "other")})

    found = verify(chain.id).findings
    assert {f.seq for f in found if f.kind == "edit"} >= seqs
    assert {f.kind for f in found} == {"edit"}


@pytest.mark.parametrize("name", CONTENT_EDITS)
def test_an_edit_of_any_field_of_any_sealed_words_is_found(chain, name):
    values, wanted = CONTENT_EDITS[name]
    contents = list(Content.objects.filter(tenant=chain.id).values_list("pk", flat=True))

    @often
    @given(st.sampled_from(contents), values)
    def holds(content, value):
        with undone():
            changed = Content.objects.filter(pk=content).exclude(**{name: value}).update(**{name: value})
            found = kinds(chain)

        assert found == (wanted if changed else set())

    holds()


@often
@given(data=st.data())
def _some_flipped_bit(chain: Tenant, data: st.DataObject) -> None:
    seq = data.draw(SEQS)
    header = bytearray(at(chain, seq).get().header)
    header[data.draw(st.integers(0, len(header) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with undone():
        at(chain, seq).update(header=bytes(header))

        assert kinds(chain) == {"edit"}


def test_one_flipped_bit_of_any_header_is_found(chain):
    _some_flipped_bit(chain)


def _rewritten(tenant: Tenant, first: int) -> None:
    """Write history anew from one event on, as one who knows the form but not the signing key."""
    prev = bytes(at(tenant, first).get().prev_hash)
    for event in Event.objects.filter(tenant=tenant.id, seq__gte=first).order_by("seq"):
        header = bytes(event.header).replace(b'"agent:bulk"', b'"agent:evil"')
        own = chain_hash(tenant.id, event.seq, prev, header)
        Event.objects.filter(pk=event.pk).update(
            header=header, hash=own, prev_hash=prev, actor=event.actor.replace("bulk", "evil")
        )
        prev = own
    Head.objects.filter(tenant=tenant.id).update(hash=prev)


def _swapped(tenant: Tenant, one: int, other: int) -> None:
    at(tenant, one).update(seq=-1)
    at(tenant, other).update(seq=one)
    at(tenant, -1).update(seq=other)


def _cut(tenant: Tenant, last: int) -> None:
    Event.objects.filter(tenant=tenant.id, seq__gt=last).delete()


def _rolled_back(tenant: Tenant, last: int) -> None:
    _cut(tenant, last)
    event = at(tenant, last).get()
    Head.objects.filter(tenant=tenant.id).update(seq=last, hash=bytes(event.hash), recorded_at=event.recorded_at)


@pytest.mark.parametrize(
    ("damage", "wanted"),
    [
        (lambda t, seq: at(t, seq).delete(), {"gap"}),
        (lambda t, seq: _swapped(t, seq, seq + 1), {"edit", "fork"}),
        (lambda t, seq: _swapped(t, seq, LENGTH), {"edit", "fork"}),
        (_rewritten, {"fork"}),
        (_cut, {"truncation"}),
        (_rolled_back, {"rollback"}),
        (lambda t, seq: _cut(t, 0), {"truncation"}),
    ],
    ids=["removed", "swapped", "swapped-far", "forked", "truncated", "rolled-back", "emptied"],
)
def test_damage_to_the_order_of_events_is_found_wherever_it_begins(chain, damage: Callable, wanted):
    @settings(often, max_examples=12)
    @given(st.integers(1, LENGTH - 2))
    def holds(seq):
        with undone():
            damage(chain, seq)

            assert kinds(chain) == wanted

    holds()


def test_a_chain_that_is_gone_altogether_is_still_asked_for(chain):
    Event.objects.filter(tenant=chain.id).delete()
    Head.objects.filter(tenant=chain.id).delete()

    assert chain.id in tenants()
    assert kinds(chain) == {"rollback"}


@pytest.mark.parametrize(
    ("model", "values", "wanted"),
    [
        (Head, {"hash": b"x" * 32}, {"edit"}),
        (Head, {"seq": LENGTH + 1}, {"truncation"}),
        (Head, {"seq": LENGTH - 1}, {"edit"}),
        (Head, {"recorded_at": None}, {"edit"}),
        (SignedHead, {"hash": b"x" * 32}, {"edit"}),
        (SignedHead, {"seq": LENGTH - 1}, {"edit"}),
        (SignedHead, {"signature": b"x" * 64}, {"edit"}),
    ],
)
def test_an_edit_of_either_head_is_found(chain, model, values, wanted):
    model.objects.filter(tenant=chain.id).update(**values)

    assert kinds(chain) == wanted


def test_a_chain_without_its_head_is_found(chain):
    Head.objects.filter(tenant=chain.id).delete()

    assert kinds(chain) == {"edit"}


def test_words_without_their_key_are_lost(chain):
    content = Content.objects.filter(tenant=chain.id).order_by("pk")[7]
    ContentKey.objects.filter(pk=content.kid).delete()

    assert kinds(chain) == {"lost-words"}


def test_a_header_that_is_no_json_is_an_edit_though_its_hash_is_right(chain):
    last = at(chain, LENGTH).get()
    own = chain_hash(chain.id, LENGTH, bytes(last.prev_hash), b"no json")
    at(chain, LENGTH).update(header=b"no json", hash=own)
    Head.objects.filter(tenant=chain.id).update(hash=own)

    assert "edit" in kinds(chain)
