"""SQLite learns how its tables are filled, every hour, in numbers alone; PostgreSQL keeps no copies of values."""

import pytest
from django.db import connection, connections

from governance.ledger import statistics
from governance.ledger.erasing import destroy_keys, wipe
from governance.ledger.models import ContentKey
from tests.factories import a_tenant, an_agent
from tests.web.people import some_proposals

both = pytest.mark.django_db(databases=["default", "keyring"])
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="others learn by themselves")
on_postgresql = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite keeps numbers alone")


def known() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE name = 'sqlite_stat1'")
        if not cursor.fetchone():
            return {}
        cursor.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'governance_candidate'")
        return dict(cursor.fetchall())


@both
@on_sqlite
def test_it_learns_once_an_hour_and_keeps_numbers_alone(monkeypatch):
    some_proposals(an_agent(a_tenant("acme")), 2)
    monkeypatch.setattr(statistics, "_due", 0.0)
    times = []
    monkeypatch.setattr(statistics, "learn", lambda learn=statistics.learn: (times.append(1), learn()))

    statistics.keep_statistics()
    statistics.keep_statistics()

    assert times == [1]
    assert "candidate_shown" in known()
    assert all(number.isdigit() for stat in known().values() for number in stat.split())


@both
@on_sqlite
def test_the_queue_is_read_in_order_once_it_has_learned():
    some_proposals(an_agent(a_tenant("acme")), 12)

    statistics.learn()

    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN QUERY PLAN SELECT * FROM governance_candidate WHERE tenant_id = 'x' AND status = 'pending'"
            " AND held_back IN (0) AND (aside_until IS NULL OR aside_until <= '2026') AND aside_role IN ('', 'reviewer')"
            " ORDER BY created_seq LIMIT 6"
        )
        plan = " ".join(str(row) for row in cursor.fetchall())
    assert "candidate_shown" in plan
    assert "TEMP B-TREE" not in plan


def sampled(alias: str, table: str) -> dict[str, int]:
    """Return how many values PostgreSQL keeps of each column."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT attname, coalesce(array_length(histogram_bounds::text::text[], 1), 0)"
            " + coalesce(array_length(most_common_vals::text::text[], 1), 0) FROM pg_stats WHERE tablename = %s",
            [table],
        )
        return dict(cursor.fetchall())


@on_postgresql
@pytest.mark.parametrize("alias", ["default", "keyring"])
@pytest.mark.django_db(databases=["default", "keyring"])
def test_no_column_of_bytes_that_nothing_is_looked_up_by_is_sampled(alias):
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
            " WHERE relname LIKE 'governance_%%' AND relkind = 'r' AND attnum > 0 AND attstattarget = 0"
        )
        assert set(cursor.fetchall()) == set(statistics.unsampled(alias))
    columns = {column for _, column in statistics.unsampled(alias)}
    assert columns >= ({"vector", "tokens", "ct"} if alias == "default" else {"wrapped"})


@on_postgresql
@pytest.mark.django_db(databases=["default", "keyring"], transaction=True)
def test_a_key_that_was_sampled_before_is_not_kept_once_it_is_destroyed():
    some_proposals(an_agent(a_tenant("acme")), 2)
    table = ContentKey._meta.db_table
    with connections["keyring"].cursor() as cursor:
        cursor.execute(
            f"ALTER TABLE {table} ALTER COLUMN wrapped SET STATISTICS -1"
        )  # as a database made before has it
        cursor.execute(f"ANALYZE {table}")
        assert sampled("keyring", table)["wrapped"]
        wrapped = [bytes(raw) for raw in ContentKey.objects.values_list("wrapped", flat=True)]
        assert kept(cursor, wrapped)

        statistics.keep_no_samples("keyring")
        destroy_keys(ContentKey.objects.values_list("kid", flat=True))
        wipe("keyring", [table])

        assert "wrapped" not in sampled("keyring", table)
        assert not kept(cursor, wrapped)


def kept(cursor, values: list[bytes]) -> bool:
    """Return whether the file of PostgreSQL's statistics holds one of some values."""
    cursor.execute("CHECKPOINT")
    cursor.execute("SELECT pg_read_binary_file(pg_relation_filepath('pg_statistic'))")
    raw = bytes(cursor.fetchone()[0])
    return any(value in raw for value in values)
