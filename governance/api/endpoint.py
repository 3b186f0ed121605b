"""What every endpoint has in common: its methods, its answers as documented, what is counted of it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api import health, limits
from governance.api.errors import MEDIA_TYPE
from governance.api.fields import QueryShape, read_query

View = Callable[..., Any]


@dataclass(frozen=True)
class Answer:
    """What an endpoint answers, before it is an HTTP response."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def response(self) -> Response:
        return Response(self.body, status=self.status, headers=dict(self.headers))


def endpoint(*methods: str, reads_query: bool = False) -> Callable[[View], View]:
    """Make a function the endpoint of some methods: counted, limited, never cached; one that reads no parameters of
    its address refuses them, so that nobody takes `dry_run` for heard where it is not."""

    def decorate(function: View) -> View:
        taken = [*methods, *(["HEAD"] if "GET" in methods else [])]
        view = api_view(taken)(function if reads_query else _without_query(function))
        view.cls.http_method_names = [method.lower() for method in taken]  # `api_view` adds OPTIONS, which we refuse

        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
            start = time.perf_counter()
            response = view(request, *args, **named)
            limits.tell(request, response)
            response["Cache-Control"] = "no-store, private"
            health.count(request, response.status_code, time.perf_counter() - start)
            return response

        return answer

    return decorate


def _without_query(function: View) -> View:
    @wraps(function)
    def view(request: Request, *args: Any, **named: Any) -> Any:
        read_query(QueryShape, request.query_params)
        return function(request, *args, **named)

    return view


class FieldProblem(serializers.Serializer):
    pointer = serializers.CharField(help_text="JSON pointer into the body; empty for the whole of it.")
    detail = serializers.CharField()


class Problem(serializers.Serializer):
    """RFC 9457. Never quotes what was sent."""

    type = serializers.CharField(help_text="Stable; what to tell one refusal from another by.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    request_id = serializers.CharField()
    errors = FieldProblem(many=True)  # type: ignore[assignment]
    current_version = serializers.IntegerField(required=False, help_text="With 409: the latest version.")


REASONS = {
    401: "No valid key.",
    403: "The key does not grant this at all.",
    404: "Unknown, or out of this key's reach.",
    405: "This address does not take that method.",
    409: "It has changed, or was decided, since you read it.",
    410: "It was erased.",
    413: "The body is larger than 2 MB.",
    415: "The body is no JSON.",
    422: "A field is missing or wrong; `errors` names it.",
    428: "The version you read is needed.",
    429: "Too many requests of this key.",
    500: "A fault of ours; report the request id.",
    503: "A part is busy or not answering; try again after `Retry-After`.",
}
ALWAYS = (401, 403, 422, 429, 500, 503)
WITH_BODY = (413, 415)


def answers(good: Mapping[int, Any], *bad: int, body: bool = True) -> dict[Any, Any]:
    """Return the documented answers of an operation: its own, its refusals, and those that any may give."""
    refusals = {*ALWAYS, *bad, *(WITH_BODY if body else ())}
    documented: dict[Any, Any] = dict(good)
    for status in sorted(refusals):
        documented[(status, MEDIA_TYPE)] = OpenApiResponse(Problem, REASONS[status])
    return documented


IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The same key and body again within 24 hours give the same answer, with `Idempotency-Replayed: true`.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='The ETag you read, such as `"3"`; beside `expected_version` it must say the same.',
)
