"""The one place where agents are told of a refusal: RFC 9457, without a word of what was sent."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from django.core.exceptions import DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from rest_framework import exceptions as drf
from rest_framework.request import Request
from rest_framework.response import Response

from governance.errors import (
    Failed,
    Invalid,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Refusal,
    TooLarge,
    TooMany,
    Unavailable,
    WrongHost,
    WrongMediaType,
    WrongMethod,
    fault,
)

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
TYPES = "urn:problem:"  # before a refusal's own name: a stable type, compared as a whole
SAID = "said"  # the code of messages that are our own and quote nothing

# What DRF's codes mean here; its own messages may quote what was sent.
MEANINGS = {
    "required": "is needed",
    "null": "must not be null",
    "invalid": "has the wrong form",
    "not_a_list": "must be a list",
    "empty": "must not be empty",
    "max_length": "is too long",
    "min_length": "is too short",
}
REFUSALS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], type[Refusal]], ...] = (
    ((drf.NotAuthenticated, drf.AuthenticationFailed), NotSignedIn),
    (drf.PermissionDenied, NotAllowed),
    ((drf.NotFound, Http404), NotFound),
    (drf.MethodNotAllowed, WrongMethod),
    (drf.UnsupportedMediaType, WrongMediaType),
    (drf.Throttled, TooMany),
    (RequestDataTooBig, TooLarge),
)
R = TypeVar("R", bound=HttpResponse)


def problem(exception: Exception, context: Mapping[str, Any]) -> Response:
    """Return the answer to whatever an endpoint raised; a fault of ours is logged by class and place alone."""
    request: Request = context["request"]
    refusal = refusal_of(exception)
    response = Response(_told(refusal, request, exception), status=refusal.status, content_type=MEDIA_TYPE)
    return _headed(response, refusal)


def problem_early(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to what was raised before any endpoint was reached, or after it had answered."""
    refusal = refusal_of(exception)
    response = JsonResponse(_told(refusal, request, exception), status=refusal.status, content_type=MEDIA_TYPE)
    response["Cache-Control"] = "no-store, private"
    return _headed(response, refusal)


def is_for_agents(request: HttpRequest) -> bool:
    """Return whether a request, whatever its address, came to this door: under `/api/`, or with a key."""
    sent_a_key = request.headers.get("Authorization", "").startswith("Bearer ")
    return sent_a_key or request.path_info.lstrip("/").startswith("api/")


def _told(refusal: Refusal, request: HttpRequest | Request, exception: Exception) -> dict[str, Any]:
    request_id = getattr(request, "request_id", "")
    if isinstance(refusal, Failed):
        log.error("request failed id=%s %s", request_id, fault(exception))
    return body_of(refusal, request_id)


def _headed(response: R, refusal: Refusal) -> R:
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    if isinstance(refusal, NotSignedIn):
        response["WWW-Authenticate"] = "Bearer"
    return response


def body_of(refusal: Refusal, request_id: str) -> dict[str, Any]:
    """Return a refusal as a problem's members."""
    return {
        **refusal.extra,
        "type": TYPES + refusal.type,
        "title": refusal.title,
        "status": refusal.status,
        "detail": refusal.detail,
        "request_id": request_id,
        "errors": getattr(refusal, "errors", []),
    }


def refusal_of(exception: Exception) -> Refusal:
    """Return any exception as a refusal."""
    if isinstance(exception, Refusal):
        return exception
    if isinstance(exception, drf.ValidationError):
        return Invalid(list(pointers(exception.detail)))
    if isinstance(exception, DisallowedHost):
        return WrongHost()
    if isinstance(exception, drf.ParseError | SuspiciousOperation) and not isinstance(exception, RequestDataTooBig):
        return Invalid({"": "cannot be read"})
    if isinstance(exception, OperationalError | InterfaceError):
        return Unavailable(retry_after=1)
    return next((refusal() for kinds, refusal in REFUSALS if isinstance(exception, kinds)), Failed())


def pointers(detail: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield (JSON pointer, what is wrong) for each error of a shape, however deep it lies."""
    if isinstance(detail, drf.ErrorDetail):
        yield at, str(detail) if detail.code == SAID else MEANINGS.get(detail.code or "", "is wrong")
        return
    pairs = detail.items() if isinstance(detail, Mapping) else ((i, d) for i, d in enumerate(detail))
    for name, inner in pairs:
        here = isinstance(inner, drf.ErrorDetail) or name in ("", "non_field_errors")
        yield from pointers(inner, at if here else f"{at}/{escaped(str(name))}")


def escaped(name: str) -> str:
    """Return a name as one step of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
