"""The log, as sentences."""

from django.http import HttpResponse

from governance.ledger.events import TYPES
from governance.overview import queries as overview
from governance.web.desk import desk
from governance.web.htmx import DeskRequest, page_or_fragment
from governance.web.paging import chosen, page_of

FACETS = ("type", "actor", "stream", "correlation")


@desk("see-log")
def log(request: DeskRequest) -> HttpResponse:
    facets = chosen(request, FACETS)
    page = page_of(request, overview.log(request.actor, **facets), "seq")
    context = {
        "page": page,
        "entries": overview.entries(page.rows),
        "facets": facets,
        "types": sorted(TYPES),
        "actors": overview.actors(request.tenant.id),
    }
    return page_or_fragment(request, "governance/audit/page.html", "governance/audit/_log.html", context)
