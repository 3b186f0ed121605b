"""State: the rows of every stream that was touched since the approval are what the log says of them.

All other rows are, byte for byte, what they were before (`survey`): so an erasure leaves state as sound as it was, and
what it shows does not grow with what others store. All of it is compared every night (`ledger.checks`).
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
    """Return how the rows of the tenant that were touched since a request was approved compare with its chain."""
    streams = streams_of(request)
    found = rebuild.compare(request.tenant_id, streams, progress=progress)
    return Folded(len(streams), found.events, tuple(found.differences))


def streams_of(request: ForgetRequest) -> set[str]:
    """Return the streams of what a request reached, of the events since its approval, and of the words these erased."""
    reach = reach_of(ForgetPlan.objects.get(request=request).reach)
    named = {*reach.memories, *reach.derived, *reach.candidates, *reach.conflicts, *reach.observations, *reach.scopes}
    return named | ({reach.subject} if reach.subject else set()) | _since_approval(request)


def _since_approval(request: ForgetRequest) -> set[str]:
    since = Event.objects.filter(tenant=request.tenant_id, stream=request.id).filter(type="forget-approved")
    rows = Event.objects.filter(tenant=request.tenant_id, seq__gt=since.latest("seq").seq)
    streams, erased = set(), set()
    for stream, kind, header in rows.values_list("stream", "type", "header").iterator(chunk_size=2000):
        streams.add(stream)
        if kind == ERASED:
            erased.update(orjson.loads(bytes(header))["data"]["contents"])
    for some in several(sorted(erased)):
        for blank in BLANKS:
            told = blank.model.objects.filter(**{f"{blank.content}__in": some})
            streams.update(told.values_list(blank.stream, flat=True))
    return streams
