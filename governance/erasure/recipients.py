"""Agents that were given what is erased, read off the traces that are kept: they are told, by ids."""

from datetime import timedelta

from django.utils import timezone

from governance.erasure.rules import Reach
from governance.retrieval.models import Recall

WINDOW = timedelta(days=90)


def recipients(reach: Reach) -> dict[str, list[str]]:
    """Return, by agent, the memories of a reach that recalls of the last WINDOW gave it."""
    wanted = set(reach.memories)
    found: dict[str, set[str]] = {}
    rows = Recall.objects.filter(tenant=reach.tenant, asked_at__gte=timezone.now() - WINDOW, agent__isnull=False)
    for agent, hits in rows.values_list("agent", "hits").iterator(chunk_size=500) if wanted else ():
        shown = {hit["memory"] for hit in hits if hit["fate"] == "shown"} & wanted
        if shown:
            found.setdefault(str(agent), set()).update(shown)
    return {agent: sorted(memories) for agent, memories in sorted(found.items())}
