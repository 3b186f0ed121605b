"""Notices: what happened that concerns an agent, and was not its own doing."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import answers, endpoint
from governance.api.fields import Id, Shape, read, read_query
from governance.api.pagination import PageQuery, page_body, page_of, page_shape
from governance.ledger.events import stamp
from governance.overview import notices as overview
from governance.overview.notices import CONFLICTS, DECISIONS, ERASED, Notice


class NoticeShape(serializers.Serializer):
    """One event that concerns this agent: by ids and codes."""

    id = serializers.CharField()
    type = serializers.ChoiceField(choices=[(t, t) for t in (*DECISIONS, *CONFLICTS, ERASED)])
    at = serializers.DateTimeField()
    candidate = serializers.CharField(allow_null=True)
    conflict = serializers.CharField(allow_null=True)
    memory = serializers.CharField(allow_null=True)
    version = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    memories = serializers.ListField(child=serializers.CharField())


class AcknowledgedShape(serializers.Serializer):
    id = serializers.CharField()
    acknowledged_at = serializers.DateTimeField()


class NoticesQuery(PageQuery):
    after = Id("evt", help_text="Only notices later than this one.")


class NothingIn(Shape):
    """No field is taken."""


@extend_schema(
    operation_id="list_notices",
    summary="Decisions and conflicts that concern this agent and wait to be acknowledged, oldest first",
    tags=["notices"],
    parameters=[NoticesQuery],
    responses=answers({200: page_shape("Notice", NoticeShape)}, 404, body=False),
)
@endpoint("GET", reads_query=True)
def notices(request: Request) -> Response:
    wanted = read_query(NoticesQuery, request.query_params)
    rows = overview.unread(actor_of(request), after=wanted.get("after", ""))
    page = page_of(rows, "seq", wanted, newest_first=False)
    return Response(page_body(request, page, [_body(n) for n in overview.notices(page.rows)]))


@extend_schema(
    operation_id="acknowledge_notice",
    summary="Take notice: it is listed no more",
    tags=["notices"],
    request=None,
    responses=answers({200: AcknowledgedShape}, 404),
)
@endpoint("POST")
def acknowledge(request: Request, id: str) -> Response:
    read(NothingIn, request.data)
    row = overview.acknowledge(id, by=actor_of(request))
    return Response({"id": row.event, "acknowledged_at": stamp(row.at)})


def _body(notice: Notice) -> dict[str, Any]:
    return {
        "id": notice.id,
        "type": notice.type,
        "at": stamp(notice.at),
        "candidate": notice.candidate or None,
        "conflict": notice.conflict or None,
        "memory": notice.memory or None,
        "version": notice.version,
        "reason": notice.reason or None,
        "memories": list(notice.memories),
    }
