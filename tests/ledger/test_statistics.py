"""SQLite learns how its tables are filled, every hour, in numbers alone."""

import pytest
from django.db import connection

from governance.ledger import statistics
from tests.factories import a_tenant, an_agent
from tests.web.people import some_proposals

pytestmark = [
    pytest.mark.django_db(databases=["default", "keyring"]),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="others learn by themselves"),
]


def known() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE name = 'sqlite_stat1'")
        if not cursor.fetchone():
            return {}
        cursor.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'governance_candidate'")
        return dict(cursor.fetchall())


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
