"""State: the rows of every stream that was touched since the approval are what the log says of them.

All other rows of state are, byte for byte, what they were before (`survey`): so an erasure leaves state as sound as it
was, and what it shows does not grow with what others store. All of it is compared every night (`ledger.checks`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import orjson

from governance.erasure.models import ForgetPlan, ForgetRequest
from governance.erasure.rules import reach_of
from governance.ledger import rebuild
from governance.ledger.erasing import BLANKS, ERASED, several
from governance.ledger.models import Event
from governance.ledger.rebuild import Difference


@dataclass(frozen=True)
class Folded:
    """How many streams and events were folded anew, and which rows are not what that gives."""

    streams: int
    events: int
    differences: tuple[Difference, ...]


def compare(request: ForgetRequest, *, progress: Callable[[int], None]) -> Folded:
    """Return how the rows that were touched since a request was approved compare with their chains; of all tenants."""
    streams, events, differences = 0, 0, []
    for tenant, named in streams_of(request).items():
        found = rebuild.compare(tenant, named, progress=progress)
        streams, events = streams + len(named), events + found.events
        differences += found.differences
    return Folded(streams, events, tuple(differences))


def streams_of(request: ForgetRequest) -> dict[str, set[str]]:
    """Return by tenant the streams of what a request reached, of events since its approval, of words these erased."""
    reach = reach_of(ForgetPlan.objects.get(request=request).reach)
    named = {*reach.memories, *reach.derived, *reach.candidates, *reach.conflicts, *reach.observations, *reach.scopes}
    streams = {request.tenant_id: named | ({reach.subject} if reach.subject else set())}
    erased: dict[str, set[str]] = {}
    rows = Event.objects.filter(recorded_at__gte=request.approved_at).order_by()
    for tenant, stream, kind, header in rows.values_list("tenant", "stream", "type", "header").iterator():
        streams.setdefault(tenant, set()).add(stream)
        if kind == ERASED:
            erased.setdefault(tenant, set()).update(orjson.loads(bytes(header))["data"]["contents"])
    for tenant, contents in erased.items():
        for some in several(sorted(contents)):
            for blank in BLANKS:
                told = blank.model.objects.filter(**{f"{blank.content}__in": some})
                streams[tenant].update(told.values_list(blank.stream, flat=True))
    return streams
