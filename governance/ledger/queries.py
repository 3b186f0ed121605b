"""The log as it is read: skeletons, never words."""

from typing import Any

import orjson
from django.db.models import QuerySet

from governance.ledger.models import Event


def events_of(tenant: str, stream: str) -> QuerySet[Event]:
    """Return what happened to one thing, oldest first."""
    return Event.objects.filter(tenant=tenant, stream=stream).order_by("seq")


def described(event: Event) -> dict[str, Any]:
    """Return an event as its header tells it: ids, codes, numbers and times."""
    header = orjson.loads(bytes(event.header))
    return {
        "id": event.id,
        "seq": event.seq,
        "type": event.type,
        "stream": event.stream,
        "actor": event.actor,
        "occurred_at": header["occurred_at"],
        "recorded_at": header["recorded_at"],
        "causation_id": header["causation"] or None,
        "correlation_id": header["correlation"] or None,
        "data": header["data"],
    }
