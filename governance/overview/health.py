"""Whether this process can do its work: asked anew each time, told in codes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import Error, connections
from django.db.models import Count
from django.utils import timezone
from kombu.connection import Connection
from kombu.exceptions import OperationalError as BrokerDown

from governance.index import chroma
from governance.index.chroma import IndexDown
from governance.ledger import triggers
from governance.ledger.models import Outbox

LAGGING = timedelta(minutes=5)


@dataclass(frozen=True)
class Check:
    """One part: ok, or why not. Without a part that is not `needed` work goes on, with less."""

    name: str
    ok: bool
    reason: str = ""
    needed: bool = True


def checks() -> list[Check]:
    """Return the state of every part."""
    found = [_database("default"), _database("keyring")]
    if found[0].ok:
        found += [_triggers(), _outbox()]
    return [*found, _index(), *([_broker()] if settings.CELERY_BROKER_URL else [])]


def owed_by_topic() -> dict[str, int]:
    """Return how much work waits, by topic."""
    return dict(Outbox.objects.values_list("topic").annotate(n=Count("id")).order_by())


def _database(alias: str) -> Check:
    return _answers(f"database-{alias}", lambda: connections[alias].cursor().execute("SELECT 1"), Error)


def _answers(name: str, ask: Callable[[], object], *failures: type[Exception], needed: bool = True) -> Check:
    try:
        ask()
    except failures:
        return Check(name, False, "does not answer", needed)
    return Check(name, True, needed=needed)


def _triggers() -> Check:
    missing = triggers.missing()
    return Check("triggers", not missing, f"{len(missing)} missing" if missing else "")


def _outbox() -> Check:
    """Return whether work that is due gets done; what only waits for its time is no lag."""
    late = Outbox.objects.filter(due_at__lt=timezone.now() - LAGGING).count()
    return Check("outbox", not late, f"{late} rows wait longer than five minutes" if late else "", needed=False)


def _index() -> Check:
    return _answers("index", chroma.ping, IndexDown, needed=False)


def _broker() -> Check:
    def ask() -> None:
        with Connection(settings.CELERY_BROKER_URL, connect_timeout=1) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=1)

    return _answers("broker", ask, BrokerDown, OSError, needed=False)
