"""Counting what recalls found and gave: read from their traces, once each."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.ledger.outbox import every_drain
from governance.lifecycle.models import Use, UseMark
from governance.memories.models import Memory
from governance.retrieval.models import Recall

COUNTED_EVERY = timedelta(minutes=1)
LONGEST_RECALL = timedelta(seconds=60)  # a trace is written at the end of the recall that its id begins with
AT_ONCE = 500
LEFT_OUT = ("limit", "budget", "always-share")  # found, and only room was wanting
_counted_at: datetime | None = None


@every_drain
def count_now_and_then() -> None:
    """Count the recalls that are over, once a minute."""
    global _counted_at
    now = timezone.now()
    if _counted_at is None or now - _counted_at > COUNTED_EVERY:
        _counted_at = now
        count_uses(now)


def count_uses(now: datetime) -> int:
    """Count the recalls that began more than a minute before `now` and were not counted yet; return how many."""
    total = 0
    while counted := _count_some(now - LONGEST_RECALL):
        total += counted
    return total


def _count_some(before: datetime) -> int:
    with transaction.atomic():
        UseMark.objects.get_or_create(pk=1)
        mark = UseMark.objects.select_for_update().get(pk=1)
        last = f"rec_{int(before.timestamp() * 1000):012x}"
        rows = list(Recall.objects.filter(pk__gt=mark.recall, pk__lt=last).order_by("pk")[:AT_ONCE])
        if rows:
            _add([(hit, row.asked_at) for row in rows for hit in row.hits])
            mark.recall = rows[-1].id
            mark.save()
    return len(rows)


def _add(hits: list[tuple[dict[str, Any], datetime]]) -> None:
    counted = [(h, at) for h, at in hits if h["fate"] == "shown" or h["fate"] in LEFT_OUT]
    known = Memory.objects.filter(pk__in={h["memory"] for h, _ in counted}).values_list("pk", flat=True)
    uses = {pk: Use(memory_id=pk) for pk in known}
    uses |= Use.objects.in_bulk(list(uses))
    for hit, at in counted:
        use = uses.get(hit["memory"])
        if use is not None and hit["fate"] == "shown":
            use.injected += 1
            use.last_injected_at = max(at, use.last_injected_at or at)
        elif use is not None:
            use.recalled += 1
    Use.objects.bulk_create(
        uses.values(),
        update_conflicts=True,
        unique_fields=["memory"],
        update_fields=["recalled", "injected", "last_injected_at"],
    )
