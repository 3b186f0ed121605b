"""Append-only by trigger, on both kinds of database; periods of one memory never overlap; and what rooms register."""

import re
from collections.abc import Mapping, Sequence

from django.db import connections

APPEND_ONLY = ("governance_event", "governance_content")
PERIOD = "governance_period"

_OVERLAP = (
    "SELECT 1 FROM governance_period p WHERE p.memory_id = NEW.memory_id AND p.id <> NEW.id "
    "AND p.starts_at < NEW.ends_at AND NEW.starts_at < p.ends_at"
)


def _sqlite() -> dict[str, str]:
    wanted = {}
    for table in APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            name = f"{table}_no_{verb.lower()}"
            wanted[name] = (
                f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {verb} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'append-only'); END"
            )
    for verb in ("INSERT", "UPDATE"):
        name = f"{PERIOD}_no_overlap_{verb.lower()}"
        wanted[name] = (
            f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {verb} ON {PERIOD} WHEN EXISTS ({_OVERLAP}) "
            "BEGIN SELECT RAISE(ABORT, 'overlapping periods'); END"
        )
    return wanted


def _postgresql() -> dict[str, str]:
    wanted = {}
    for table in APPEND_ONLY:
        wanted[f"{table}_no_change"] = (
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION governance_append_only()"
        )
        wanted[f"{table}_no_truncate"] = (
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION governance_append_only()"
        )
    wanted[f"{PERIOD}_no_overlap"] = (
        f"CREATE TRIGGER {PERIOD}_no_overlap AFTER INSERT OR UPDATE ON {PERIOD} "
        "FOR EACH ROW EXECUTE FUNCTION governance_no_overlap()"
    )
    return wanted


_FUNCTIONS = [
    "CREATE OR REPLACE FUNCTION governance_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'append-only'; END $$",
    "CREATE OR REPLACE FUNCTION governance_no_overlap() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN IF EXISTS ({_OVERLAP}) THEN RAISE EXCEPTION 'overlapping periods' USING ERRCODE = '23P01'; END IF; "
    "RETURN NEW; END $$",
]
REGISTERED: dict[str, dict[str, str]] = {"sqlite": {}, "postgresql": {}}


def register(*, sqlite: Mapping[str, str], postgresql: Mapping[str, str], functions: Sequence[str]) -> None:
    """Add the triggers of a room, name -> statement; `functions` are what those of PostgreSQL call."""
    REGISTERED["sqlite"].update(sqlite)
    REGISTERED["postgresql"].update(postgresql)
    _FUNCTIONS.extend(functions)


def wanted(alias: str = "default") -> dict[str, str]:
    """Return the triggers this database must have: name -> statement."""
    vendor = connections[alias].vendor
    return (_sqlite() if vendor == "sqlite" else _postgresql()) | REGISTERED[vendor]


def present(alias: str = "default") -> set[str]:
    """Return the names of the triggers that are there and enabled."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connections[alias].vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
    )
    with connections[alias].cursor() as cursor:
        cursor.execute(query)
        return {row[0] for row in cursor.fetchall()}


def missing(alias: str = "default") -> set[str]:
    """Return the names of the triggers that should be there and are not; empty is sound."""
    return set(wanted(alias)) - present(alias)


def install(alias: str = "default") -> None:
    """Create the triggers that are missing; safe to repeat."""
    there = present(alias)
    with connections[alias].cursor() as cursor:
        if connections[alias].vendor != "sqlite":
            for statement in _FUNCTIONS:
                cursor.execute(statement)
        for name, statement in wanted(alias).items():
            if name not in there:
                cursor.execute(statement)


def remove(alias: str = "default") -> None:
    """Drop the triggers: for a test that must empty the tables afterwards, and for nothing else."""
    there = present(alias)
    with connections[alias].cursor() as cursor:
        for name, statement in wanted(alias).items():
            if name in there:
                table = re.findall(r" ON (\w+)", statement)[0]
                on = "" if connections[alias].vendor == "sqlite" else f" ON {table}"
                cursor.execute(f"DROP TRIGGER {name}{on}")
