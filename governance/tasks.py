"""The door for Celery: in production its workers drain what a commit left to do."""

from celery import shared_task

from governance.ledger import quarantine
from governance.ledger.outbox import drain


@shared_task(name="governance.drain")
def drain_all(topic: str | None = None) -> None:
    """Work off everything that is due, of one topic or of all."""
    while quarantine.current() is None and drain(topic):
        pass
