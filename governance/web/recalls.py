"""Recalls, and one looked into: what an agent asked, what it was given, and why not the rest."""

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from governance.overview import actions, recalls
from governance.overview import queries as overview
from governance.retrieval import queries
from governance.scopes.queries import agents_of
from governance.web.desk import desk
from governance.web.htmx import DeskRequest, page_or_fragment, show
from governance.web.paging import an_id, chosen, page_of
from governance.web.recall_words import reason_in_words


@desk("see-memories")
def listed(request: DeskRequest) -> HttpResponse:
    """What agents were given, recall by recall: by ids and numbers, never the words."""
    facets = chosen(request, ["agent"])
    page = page_of(request, queries.listed(request.actor, **facets), "pk", cursor=an_id)
    context = {"page": page, "facets": facets, "agents": agents_of(request.tenant.id)}
    return page_or_fragment(request, "governance/recalls/page.html", "governance/recalls/_list.html", context)


@desk("see-memories")
def item(request: DeskRequest, id: str) -> HttpResponse:
    return _item(request, id)


@require_POST
@desk("open-words", again=item)
def open_words(request: DeskRequest, id: str) -> HttpResponse:
    """Show the question to an auditor; that it was opened is an event."""
    actions.open_question(recalls.look_into(id, request.actor).row, by=request.actor)
    return _item(request, id, opened=True)


def _item(request: DeskRequest, id: str, *, opened: bool = False) -> HttpResponse:
    looked = recalls.look_into(id, request.actor)
    context = {
        "looked": looked,
        "row": looked.row,
        "asked": queries.asked(looked.row) if opened else {},
        "opened": opened,
        "milliseconds": round(sum(looked.row.timings.values())),
        "left_out": [(view, hit, reason_in_words(hit)) for view, hit in looked.left_out],
        "events": overview.entries(overview.events_of(looked.row.id)),
    }
    return show(request, "governance/recalls/item.html", context)
