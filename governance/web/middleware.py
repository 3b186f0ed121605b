"""What surrounds every request: its id, and the one place where people are told of a refusal."""

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from governance.errors import Refusal, outcome
from governance.ledger.writing import correlation
from governance.web.desk import page_of_form
from governance.web.htmx import show, wants_fragment
from governance.web.unavailable import DOWN, unavailable

# Forms that no name and no token has: a UUID, 32 hex digits, a W3C trace.
SAFE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"
)
ECHOED = re.compile(r"[A-Za-z0-9._-]{1,64}")
Answer = Callable[[HttpRequest], HttpResponse]


class RequestId:
    """Gives a request its id: `request.request_id`, the events' correlation, what the log names.

    It is the id that was sent where its form is safe to keep for ever, else a new one; what was sent comes back in the
    answer's header and is kept nowhere.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get("X-Request-ID", "")
        request_id = sent if SAFE.fullmatch(sent) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]
        token = correlation.set(request_id)
        response = self.get_response(request)
        correlation.reset(token)
        response["X-Request-ID"] = sent if ECHOED.fullmatch(sent) else request_id
        return response


@dataclass(frozen=True)
class Problem:
    """A refusal as a page shows it: its own words only, never those that were sent."""

    title: str
    detail: str
    status: int
    request_id: str
    errors: list[dict[str, str]] = field(default_factory=list)


class Refusals:
    """Answers a refusal raised by a page: the page it came from as it is now, else a page of its own.

    Where only forms are sent to, whoever comes back without one (by another language, a bookmark) is led to their page.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and request.method == "GET" and (page := page_of_form(request)):
            return redirect(page)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, DOWN):
            return unavailable(request)
        if not isinstance(exception, Refusal):
            return None
        problem = Problem(
            title=exception.title,
            detail=exception.detail,
            status=exception.status,
            request_id=getattr(request, "request_id", ""),
            errors=getattr(exception, "errors", []),
        )
        response = _again(request, problem) or _alone(request, problem)
        response.status_code = exception.status
        if exception.retry_after is not None:
            response["Retry-After"] = str(exception.retry_after)
        response["Cache-Control"] = "no-store, private"
        return response


def _again(request: HttpRequest, problem: Problem) -> HttpResponse | None:
    """Return the page that a refused form came from, as it stands now; None when there is none to show."""
    match = request.resolver_match
    again: Any = getattr(match.func, "again", None) if match else None
    if again is None or match is None or request.method != "POST":
        return None
    request.problem = problem  # type: ignore[attr-defined]
    answer = outcome(lambda: again(request, **match.kwargs))
    return None if isinstance(answer, Refusal) else answer


def _alone(request: HttpRequest, problem: Problem) -> HttpResponse:
    if wants_fragment(request):
        response = render(request, "components/problem.html", {"problem": problem})
        response["HX-Retarget"], response["HX-Reswap"] = "#problems", "innerHTML"
        return response
    request.problem = problem  # type: ignore[attr-defined]
    return show(request, "governance/refused.html", {})
