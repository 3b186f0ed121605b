"""What people are told when the database does not answer, or a page failed: pages that ask nothing of it."""

import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

from governance.errors import Unavailable, fault
from governance.web.htmx import wants_fragment

log = logging.getLogger(__name__)

DOWN = (OperationalError, InterfaceError)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return 503 with `Retry-After`, as a page or as the notice of a fragment."""
    refusal = Unavailable(retry_after=1)
    request_id = getattr(request, "request_id", "")
    problem = {"title": refusal.title, "request_id": request_id}
    fragment = wants_fragment(request)
    template = "components/problem.html" if fragment else "503.html"
    response = HttpResponse(render_to_string(template, {"problem": problem}), status=refusal.status)
    if fragment:
        response["HX-Retarget"], response["HX-Reswap"] = "#problems", "innerHTML"
    response["Retry-After"] = str(refusal.retry_after)
    response["Cache-Control"] = "no-store, private"
    return response


def failed(request: HttpRequest) -> HttpResponse:
    """Answer what no middleware answered: 503 where the database is why, else 500 and a line in the log."""
    exception = sys.exc_info()[1]
    if isinstance(exception, DOWN):
        return unavailable(request)
    if exception is not None:
        log.error("page failed id=%s %s", getattr(request, "request_id", ""), fault(exception))
    return server_error(request)
