"""What keys leave behind that is no state: when they were last used, and which answers they were given today."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError
from django.utils import timezone

from governance.ledger.outbox import every_drain
from governance.scopes.models import IdempotencyRow, KeyUse

KEPT = timedelta(hours=24)
SWEPT_EVERY = timedelta(minutes=10)
_swept_at: datetime | None = None


class AnsweredAlready(Exception):
    """Another request with the same Idempotency-Key was faster: what this one wrote is rolled back."""


def note_use(key: str) -> None:
    """Note that a key was used just now."""
    KeyUse.objects.update_or_create(key_id=key, defaults={"last_used_at": timezone.now()})


def keep_answer(key_hash: str, *, tenant: str, body_mac: bytes, status: int, resources: Sequence[str]) -> None:
    """Keep which answer a request was given, inside the transaction of its work. Raises AnsweredAlready."""
    now = timezone.now()
    IdempotencyRow.objects.filter(key_hash=key_hash, expires_at__lte=now).delete()
    try:
        IdempotencyRow.objects.create(
            key_hash=key_hash,
            tenant=tenant,
            body_mac=body_mac,
            status=status,
            resources=list(resources),
            expires_at=now + KEPT,
        )
    except IntegrityError:
        raise AnsweredAlready from None


def kept_answers(key_hashes: Sequence[str]) -> dict[str, IdempotencyRow]:
    """Return the answers of today that are known under some hashes."""
    rows = IdempotencyRow.objects.filter(key_hash__in=key_hashes, expires_at__gt=timezone.now())
    return {row.key_hash: row for row in rows}


@every_drain
def drop_old_answers() -> None:
    """Delete the answers that are older than a day."""
    global _swept_at
    now = timezone.now()
    if _swept_at is None or now - _swept_at > SWEPT_EVERY:
        _swept_at = now
        IdempotencyRow.objects.filter(expires_at__lte=now).delete()
