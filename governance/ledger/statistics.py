"""What a database knows of its tables. SQLite is told to learn: without it the queue is sorted, not read in order.
PostgreSQL learns by itself, and is kept from copying what an erasure has to reach."""

import time

from django.apps import apps
from django.db import connection, connections, router
from django.db.models import BinaryField

from governance.ledger.outbox import every_drain

FIRST, EVERY = 60, 3600  # seconds
LOOKED_AT = 1000  # rows of each index
_due = time.monotonic() + FIRST


@every_drain
def keep_statistics() -> None:
    """Have the tables looked at every hour of a process."""
    global _due
    if connection.vendor == "sqlite" and time.monotonic() >= _due:
        _due = time.monotonic() + EVERY
        learn()


def learn() -> None:
    """Have SQLite look at how its tables are filled: numbers alone. Where it was built to keep samples of values, among
    them HMACs that erasing has to reach, it is left alone."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA compile_options")
        if ("ENABLE_STAT4",) in cursor.fetchall():
            return
        cursor.execute(f"PRAGMA analysis_limit = {LOOKED_AT}")
        cursor.execute("ANALYZE")


def keep_no_samples(alias: str) -> None:
    """Have PostgreSQL keep no values of our binary columns in its statistics, nor those it has; safe to repeat.

    `pg_statistic` holds up to a hundred values of every column, each up to 1,024 bytes: vectors and wrapped keys
    among them, and analysing a table that was emptied leaves the old ones. Nothing is looked up by these columns;
    HMACs and hashes, which have a `max_length`, are: those are blanked by erasing, and then analysed anew.
    """
    if connections[alias].vendor == "sqlite":
        return
    with connections[alias].cursor() as cursor:
        for table, column in unsampled(alias):
            cursor.execute(_TARGET, [table, column])
            if cursor.fetchone() not in (None, (0,)):
                cursor.execute(  # a column that gets its own type loses the values kept of it, and is not written anew
                    f"ALTER TABLE {table} ALTER COLUMN {column} TYPE bytea, ALTER COLUMN {column} SET STATISTICS 0"
                )


_TARGET = "SELECT attstattarget FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s"


def unsampled(alias: str) -> list[tuple[str, str]]:
    """Return (table, column) of the binary columns of a database that nothing is looked up by."""
    return [
        (model._meta.db_table, field.column)
        for model in apps.get_app_config("governance").get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, BinaryField) and field.max_length is None and router.db_for_write(model) == alias
    ]
