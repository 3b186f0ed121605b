"""The log, as sentences."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

from django.http import HttpResponse

from governance.ledger.events import TYPES
from governance.overview import queries as overview
from governance.web.desk import desk
from governance.web.forms import day_of
from governance.web.htmx import DeskRequest, page_or_fragment
from governance.web.paging import chosen, page_of

FACETS = ("type", "actor", "stream", "correlation")


@desk("see-log")
def log(request: DeskRequest) -> HttpResponse:
    facets = chosen(request, FACETS)
    rows, since = overview.log(request.actor, **facets), day_of(request.GET.get("since", ""))
    if since:
        rows = overview.log_since(rows, datetime.combine(since, time(), tzinfo=ZoneInfo(request.tenant.zone)))
        facets["since"] = since.isoformat()
    page = page_of(request, rows, "seq")
    context = {
        "page": page,
        "entries": overview.entries(page.rows),
        "facets": facets,
        "types": sorted(TYPES),
        "actors": overview.actors(request.tenant.id),
    }
    return page_or_fragment(request, "governance/audit/page.html", "governance/audit/_log.html", context)
