"""What SQLite knows of its tables: without it the queue is sorted, not read in order. Others learn by themselves."""

import time

from django.db import connection

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
