"""Work that follows a commit: rooms register handlers, the worker (thread or Celery) drains them."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from governance.ledger.models import Outbox

log = logging.getLogger(__name__)

# topic -> handler(refs): repeatable; an exception leaves the rows for a later attempt.
Handler = Callable[[Sequence[Outbox]], None]
HANDLERS: dict[str, Handler] = {}
TIMERS: list[Callable[[], None]] = []

LEASE = timedelta(seconds=60)
LONGEST_WAIT = 300


def handles(topic: str) -> Callable[[Handler], Handler]:
    """Register the handler of a topic."""

    def register(handler: Handler) -> Handler:
        HANDLERS[topic] = handler
        return handler

    return register


def every_drain(function: Callable[[], None]) -> Callable[[], None]:
    """Register something short that runs at each drain (it decides itself whether it is due)."""
    TIMERS.append(function)
    return function


def drain(topic: str | None = None, *, beside: str = "", limit: int = 64) -> int:
    """Work off what is owed and return how many rows were handled; 0 means nothing is due now.

    `beside` is a topic to leave out: that of long work which lets the rest have its turn.
    """
    done = 0
    for name in [topic] if topic else [name for name in HANDLERS if name != beside]:
        done += attempt(name, _claim(name, limit))
    if topic is None:
        for timer in TIMERS:
            timer()
    return done


def take_over(topic: str | None = None) -> None:
    """Make what is owed due now: for the only worker there is, since nobody else can be at work on it any more."""
    rows = Outbox.objects.filter(due_at__gt=timezone.now())
    (rows.filter(topic=topic) if topic else rows).update(due_at=timezone.now())


def owed(topic: str | None = None) -> int:
    """Return how many rows wait, due or not."""
    rows = Outbox.objects.all()
    return (rows.filter(topic=topic) if topic else rows).count()


def _claim(topic: str, limit: int) -> list[Outbox]:
    """Take due rows for a minute: should this process die, another finds them due again."""
    now = timezone.now()
    due = Outbox.objects.filter(topic=topic, due_at__lte=now).order_by("id")
    if not due.exists():  # no write transaction for nothing
        return []
    with transaction.atomic():
        if connection.features.has_select_for_update_skip_locked:
            due = due.select_for_update(skip_locked=True)
        rows = list(due[:limit])
        Outbox.objects.filter(id__in=[r.id for r in rows]).update(due_at=now + LEASE)
    return rows


def attempt(topic: str, rows: Sequence[Outbox]) -> int:
    """Run a topic's handler on claimed rows: done rows go, failed ones wait longer each time."""
    if not rows:
        return 0
    error = failure_of(lambda: HANDLERS[topic](rows))
    if error:
        if len(rows) > 1:  # one that cannot be done must not hold up the others
            return sum(attempt(topic, [row]) for row in rows)
        _postpone(rows, error)
        return 0
    Outbox.objects.filter(id__in=[r.id for r in rows]).delete()
    return len(rows)


def failure_of(work: Callable[[], object]) -> str:
    """Do something and return the class of the error it ended with, "" when it was done.

    The class alone: a message may quote what was being worked on.
    """
    try:
        work()
    except Exception as error:
        return type(error).__name__
    return ""


def _postpone(rows: Sequence[Outbox], error: str) -> None:
    log.warning("work postponed topic=%s rows=%d error=%s", rows[0].topic, len(rows), error)
    now = timezone.now()
    for row in rows:
        row.attempts += 1
        row.error = error[:80]
        row.due_at = now + timedelta(seconds=min(2**row.attempts, LONGEST_WAIT))
    Outbox.objects.bulk_update(rows, ["attempts", "error", "due_at"])
