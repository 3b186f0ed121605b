"""What waits, how the gate is doing, what happened last."""

from django.http import HttpResponse
from django.utils import timezone

from governance.candidates import labels, waiting
from governance.candidates import queries as candidates
from governance.conflicts import queries as conflicts
from governance.erasure import queries as forgetting
from governance.overview import pace
from governance.overview import queries as overview
from governance.web.desk import desk
from governance.web.gate_pictures import gate_of
from governance.web.htmx import DeskRequest, show
from governance.web.paging import chosen, page_of
from governance.web.pictures import columns_of

LATEST = 8


@desk()
def dashboard(request: DeskRequest) -> HttpResponse:
    now = timezone.now()
    oldest = waiting.queue(request.actor).prefetch_related("scope", "agent")[:6]
    disputes = conflicts.unsettled(request.actor).select_related("memory")
    context = {
        "numbers": (numbers := overview.numbers(request.actor, now)),
        "pending": numbers.waiting,
        "unusual": pace.unusual(pace.paces(request.actor, now)),
        "today": timezone.localdate(now),
        "gate": gate_of(labels.weeks(request.actor, now)) if request.actor.may("see-queue") else None,
        "forgets": forgetting.due_first(request.actor)[:LATEST] if request.actor.may("see-log") else (),
        "now": now,
        "columns": columns_of(numbers.days),
        "oldest": candidates.views(oldest),
        "disputes": conflicts.views(disputes.order_by("opened_at")[:LATEST]),
        "latest": overview.entries(overview.log(request.actor)[:LATEST]),
    }
    return show(request, "governance/dashboard/page.html", context)


@desk()
def work(request: DeskRequest) -> HttpResponse:
    """What the index and the other followers have yet to take in."""
    rows = overview.owed(request.actor).filter(topic="index")
    facets = chosen(request, ["failing"])
    page = page_of(request, overview.failing(rows) if facets else rows, "id", newest_first=False)
    return show(request, "governance/dashboard/work.html", {"page": page, "facets": facets})
