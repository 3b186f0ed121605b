"""The forget desk: who asks to be forgotten, what that touches, a second person's approval, the run, the report."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_POST

from governance.erasure import actions, queries
from governance.erasure.actions.file import Wish
from governance.erasure.models import BEFORE_APPROVAL, OPEN, RUNNING, STATUSES, ForgetRequest
from governance.erasure.report import exported, public_key
from governance.erasure.rules import FOUND_AGAIN
from governance.overview import queries as overview
from governance.scopes.queries import agents_of
from governance.web.desk import desk
from governance.web.forms import AllowForm, ExtendForm, FileForm, GroundForm, IdentityForm
from governance.web.htmx import DeskRequest, page_or_fragment, show, wants_fragment
from governance.web.paging import chosen, page_of
from governance.web.pictures import store_bars

FACETS = ("status", "mode")
STEPS = ("received", "verified", "planned", "approved", "executing", "verifying")


@desk("see-log")
def queue(request: DeskRequest) -> HttpResponse:
    facets = chosen(request, FACETS)
    page = page_of(request, queries.by_due(queries.narrowed(request.actor, facets)), "rank", newest_first=False)
    context = {
        "page": page,
        "requests": page.rows,
        "cases": queries.cases_of(page.rows, request.actor),
        "facets": facets,
        "trail": f"?{urlencode(facets)}" if facets else "",
        "counts": queries.counts_by_status(request.actor, facets.get("mode", "")),
        "statuses": STATUSES,
        "open": OPEN,
        "now": timezone.now(),
    }
    return page_or_fragment(request, "governance/forget/page.html", "governance/forget/_queue.html", context)


@desk("erase")
def intake(request: DeskRequest) -> HttpResponse:
    return show(request, "governance/forget/new.html", {"form": FileForm(request.POST or None)})


@require_POST
@desk("erase", again=intake)
def file(request: DeskRequest) -> HttpResponse:
    said = FileForm(request.POST).wish()
    filed = actions.file_request(Wish(**said, channel="page"), by=request.actor)
    if filed.joined:
        messages.success(request, "The same is asked for already: this was joined to it.")
    elif filed.status == "refused":
        messages.warning(request, "Nothing matches what was named; the request is refused and kept.")
    else:
        messages.success(request, "Filed. Its time runs from now.")
    return redirect("forget-request", id=filed.id)


@desk("see-log")
def item(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    stores, reports = queries.stores_of(row), queries.reports_of(row)
    context = {
        "row": row,
        "moves": row.status in (*RUNNING, "verified"),
        "stores": stores,
        "done": sum(s.state == "done" for s in stores),
        "steps": _steps(row),
        "failed": queries.failure_of(row),
        "overdue": queries.is_overdue(row),
        "reports": reports,
        "recipients": queries.recipients_of(row),
        "agents": _agents(row),
        "found_again": [r for r in reports if r.result == FOUND_AGAIN],
    }
    fragment = wants_fragment(request)
    rest = {} if fragment else _case(request, row)
    answer = page_or_fragment(
        request, "governance/forget/item.html", "governance/forget/_run.html", {**context, **rest}
    )
    if fragment and not context["moves"]:  # what may be done next stands beside it
        answer["HX-Refresh"] = "true"
    return answer


def _agents(row: ForgetRequest) -> dict[str, str]:
    """Return what the agents of a request's tenant are called."""
    return dict(agents_of(row.tenant_id).values_list("pk", "name"))


def _case(request: DeskRequest, row: ForgetRequest) -> dict[str, Any]:
    """Return what stands beside the run: the case file, the plan, what may be done next."""
    may = request.actor.may("erase")
    plan = queries.plan_of(row, request.actor)
    return {
        "case": queries.cases_of([row], request.actor).get(row.id),
        "plan": plan,
        "bars": store_bars(plan.document["stores"]) if plan else (),
        "may": may,
        "is_own": queries.is_own(row, request.actor),
        "approvers": queries.approvers_of(row),
        "waits": row.status in BEFORE_APPROVAL,
        "is_open": row.status in OPEN,
        "identity": IdentityForm(),
        "ground": GroundForm(),
        "extend": ExtendForm(),
        "allow": AllowForm(),
        "blocks": queries.blocks(row),
        "names": overview.names_of([row.filed_by, row.verified_by, row.approved_by]),
        "events": overview.entries(overview.events_of(row.id)),
    }


def _steps(row: ForgetRequest) -> list[tuple[str, str]]:
    """Return the way of a request as (step, state): done, here, ahead."""
    last = row.status if row.status in ("complete", "partial", "refused") else "complete"
    if row.status == "refused":
        way: tuple[str, ...] = ("received", "refused")
    else:
        way = (*STEPS, last)
    here = way.index(row.status)
    return [(step, "done" if i < here else "here" if i == here else "ahead") for i, step in enumerate(way)]


@require_POST
@desk("erase", again=item)
def verify(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    method = IdentityForm(request.POST).clean_values()["method"]
    actions.verify_identity(row, method=method, by=request.actor)
    messages.success(request, "Noted. The plan is being made; this page follows it.")
    return redirect("forget-request", id=id)


@require_POST
@desk("erase", again=item)
def narrow(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    actions.narrow(row, memories=request.POST.getlist("memory"), by=request.actor)
    messages.success(request, "Only what you ticked; the plan is being made anew.")
    return redirect("forget-request", id=id)


@require_POST
@desk("erase", again=item)
def approve(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    actions.approve(row, plan_hash=request.POST.get("plan_hash", ""), by=request.actor)
    messages.success(request, "Approved. It runs by itself; this page follows it.")
    return redirect("forget-request", id=id)


@require_POST
@desk("erase", again=item)
def refuse(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    actions.refuse(row, ground=GroundForm(request.POST).clean_values()["ground"], by=request.actor)
    messages.success(request, "Refused, with its ground.")
    return redirect("forget-request", id=id)


@require_POST
@desk("erase", again=item)
def extend(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    actions.extend(row, reason=ExtendForm(request.POST).clean_values()["reason"], by=request.actor)
    messages.success(request, "Two months more. Tell the person, and why.")
    return redirect("forget-request", id=id)


@require_POST
@desk("erase", again=item)
def allow(request: DeskRequest, id: str) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    actions.allow_again(row, basis=AllowForm(request.POST).clean_values()["basis"], by=request.actor)
    messages.success(request, "Allowed anew: what it erased is taken in again when somebody sends it.")
    return redirect("forget-request", id=id)


@desk("see-log")
def report(request: DeskRequest, id: str, number: int) -> HttpResponse:
    row = queries.request_for(request.actor, id)
    found = queries.report_of(row, number)
    context = {
        "row": row,
        "report": found,
        "document": found.document,
        "genuine": queries.is_genuine(found),
        "key": public_key(),
        "agents": _agents(row),
        "plain_words": _readers_first(found.document.get("for_the_person", {})),
        "names": overview.names_of([row.filed_by, row.approved_by]),
    }
    return show(request, "governance/forget/report.html", context)


def _readers_first(said: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Return what is said in several languages, the reader's first."""
    return sorted(said.items(), key=lambda pair: not (get_language() or "").startswith(pair[0][:2]))


@desk("see-log")
def report_file(request: DeskRequest, id: str, number: int) -> HttpResponse:
    """Hand out a report as the file that `verify_report` checks."""
    found = queries.report_of(queries.request_for(request.actor, id), number)
    answer = JsonResponse(exported(found.document, found.sha256, found.signature))
    answer["Content-Disposition"] = f'attachment; filename="{id}-report-{number}.json"'
    return answer
