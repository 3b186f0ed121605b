"""A prepared query answers as the query it was made of."""

import pytest
from django.db.models import QuerySet

from governance.ledger.models import Head, NamedKey
from governance.ledger.prepared import LONGEST, Prepared, insert

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def heads(tenants: list[str]) -> QuerySet:
    return Head.objects.filter(tenant__in=tenants).order_by("tenant").values_list("tenant", "seq")


@pytest.fixture
def _three_heads():
    Head.objects.bulk_create(Head(tenant=f"ten_{i}", seq=i, hash=bytes([i]) * 32) for i in range(3))


@pytest.mark.usefixtures("_three_heads")
@pytest.mark.parametrize("asked", [[0], [1, 2], [0, 1, 2], [2, 7], [7], [*range(LONGEST + 1)]])
def test_lists_of_every_length_find_what_is_there(asked):
    texts = [f"ten_{i}" for i in asked]

    found = Prepared(heads)(tenants=texts)

    assert found == list(heads(texts))


@pytest.mark.usefixtures("_three_heads")
def test_the_second_question_is_answered_for_its_own_texts(django_assert_num_queries):
    query = Prepared(heads)
    query(tenants=["ten_0"])

    with django_assert_num_queries(1):
        assert query(tenants=["ten_2"]) == [("ten_2", 2)]


@pytest.mark.usefixtures("_three_heads")
def test_an_empty_list_asks_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Prepared(heads)(tenants=[]) == []


@pytest.mark.usefixtures("_three_heads")
def test_bytes_are_asked_for_as_bytes_and_rows_come_whole():
    query = Prepared(lambda hash: Head.objects.filter(hash=hash))
    query(hash=bytes(32))

    (found,) = query(hash=bytes([2]) * 32)

    assert (found.tenant, found.seq, bytes(found.hash)) == ("ten_2", 2, bytes([2]) * 32)


@pytest.mark.usefixtures("_three_heads")
def test_what_is_left_out_changes_the_query():
    def build(tenant: str, other: str | None) -> QuerySet:
        return Head.objects.filter(tenant__in=[tenant] if other is None else [tenant, other]).order_by("tenant")

    query = Prepared(build)

    assert [h.tenant for h in query(tenant="ten_0", other=None)] == ["ten_0"]
    assert [h.tenant for h in query(tenant="ten_0", other="ten_1")] == ["ten_0", "ten_1"]


@pytest.mark.usefixtures("_three_heads")
def test_a_text_is_a_value_and_nothing_else():
    assert Prepared(heads)(tenants=["ten_0' OR '1'='1", "%s", "\x02tenants.0\x03"]) == []


def test_the_keyring_is_asked_for_what_lies_there():
    NamedKey.objects.create(name="mac:x", wrapped=b"w", created="2025-01-01T00:00:00Z")

    assert Prepared(lambda names: NamedKey.objects.filter(name__in=names))(names=["mac:x"])[0].name == "mac:x"


@pytest.mark.usefixtures("_three_heads")
def test_one_column_alone_comes_as_values():
    query = Prepared(lambda tenants: Head.objects.filter(tenant__in=tenants).values_list("seq", flat=True))

    assert query(tenants=["ten_1"]) == [1]


@pytest.mark.parametrize("number", [1, 3])
def test_new_rows_are_read_as_they_were_written(number):
    rows = [Head(tenant=f"ten_{i}", seq=i, hash=bytes([i]) * 32) for i in range(number)]

    insert(rows)

    assert list(Head.objects.order_by("tenant").values_list("tenant", "seq")) == [(r.tenant, r.seq) for r in rows]
    assert [bytes(h.hash) for h in Head.objects.order_by("tenant")] == [r.hash for r in rows]
