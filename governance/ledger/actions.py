"""Signing of heads: how far a chain had come, kept apart from it."""

from datetime import datetime, timedelta

from django.utils import timezone

from governance.ledger import sealing
from governance.ledger.models import Head, SignedHead
from governance.ledger.outbox import every_drain

SLACK = timedelta(minutes=5)  # by which clocks of several machines may differ
_looked_at: datetime | None = None


def head_message(tenant: str, seq: int, hash_: bytes) -> bytes:
    """Return the bytes that a head's signature covers."""
    return b"memory-governance/head/1\n" + f"{tenant}\n{seq}\n".encode() + bytes(hash_)


@every_drain
def sign_heads() -> None:
    """Sign every head that moved since it was last signed; the first call of a process looks at all of them.

    However long ago the last call was: broker and database may be away in between.
    """
    global _looked_at
    now, heads = timezone.now(), Head.objects.all()
    if _looked_at is not None:
        heads = heads.filter(recorded_at__gte=min(_looked_at, now) - SLACK)
    signed = {s.tenant: s for s in SignedHead.objects.filter(tenant__in=[h.tenant for h in heads])}
    for head in heads:
        if head.seq and (head.tenant not in signed or signed[head.tenant].seq < head.seq):
            _sign(head)
    _looked_at = now


def _sign(head: Head) -> None:
    message = head_message(head.tenant, head.seq, head.hash)
    SignedHead.objects.update_or_create(
        tenant=head.tenant,
        defaults={
            "seq": head.seq,
            "hash": bytes(head.hash),
            "signature": sealing.signing_key().sign(message),
            "signed_at": timezone.now(),
        },
    )
