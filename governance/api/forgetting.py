"""Forget requests: filed by agents, planned, approved by people, carried out; and the signed report."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import IDEMPOTENCY_KEY, Answer, answers, endpoint
from governance.api.fields import Choice, Id, Items, Name, ScopeField, Shape, Text, read
from governance.api.idempotency import Work, claims, once
from governance.candidates.rules import LONGEST
from governance.erasure import actions, events, queries
from governance.erasure.actions.file import LONGEST as LONGEST_REASON
from governance.erasure.actions.file import Wish
from governance.erasure.models import METHODS, MODES, STATUSES, ForgetRequest, StoreRow
from governance.erasure.report import exported
from governance.erasure.rules import LONGEST_WORDS, MOST_NAMED, parse_selector
from governance.ledger.events import stamp


class SelectorIn(Shape):
    """What is to be forgotten: all of a user or a scope, of that these keys or what says these words; or memories."""

    user = Name()
    scope = ScopeField()
    keys = Items(Text(longest=LONGEST["key"]), least=1, most=MOST_NAMED)
    memory_ids = Items(Id("mem"), least=1, most=MOST_NAMED)
    words = Text(longest=LONGEST_WORDS, help_text="As the person put it. With a user or a scope.")


class ForgetIn(Shape):
    """A wish to be forgotten."""

    selector = SelectorIn()
    mode = Choice(MODES, help_text="`erase` by default: the words are destroyed. `retract`: no longer recalled.")
    reason = Text(longest=LONGEST_REASON, help_text="Kept sealed; gone once it is done, or 30 days after a refusal.")
    requester = Text(
        longest=LONGEST_REASON, help_text="Who asks. Kept sealed; gone once it is done, or 30 days after a refusal."
    )
    identity_verified = Choice(METHODS, help_text="How it was shown who asks, where this agent saw it.")


class StoreShape(serializers.Serializer):
    """How far one store has come."""

    store = serializers.CharField()
    state = serializers.ChoiceField(choices=[(s, s) for s in StoreRow.STATES])
    found = serializers.IntegerField()
    erased = serializers.IntegerField()
    retained = serializers.IntegerField()
    left = serializers.IntegerField()


class ForgetShape(serializers.Serializer):
    """A forget request: where it stands, and how far each store has come."""

    id = serializers.CharField()
    version = serializers.IntegerField()
    status = serializers.ChoiceField(choices=[(s, s) for s in STATUSES])
    mode = serializers.ChoiceField(choices=[(m, m) for m in MODES])
    kinds = serializers.ListField(child=serializers.CharField(), help_text="What the selector names.")
    grounds = serializers.ListField(child=serializers.CharField(), help_text="Why it is refused or partial.")
    received_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)
    reports = serializers.IntegerField()
    stores = StoreShape(many=True)


class IntegrityShape(serializers.Serializer):
    algorithm = serializers.CharField()
    sha256 = serializers.CharField()
    signature = serializers.CharField()
    public_key = serializers.CharField()


class ReportShape(serializers.Serializer):
    """The latest report, signed; `manage.py verify_report` checks it offline."""

    report = serializers.DictField()
    integrity = IntegrityShape()


def body_of(row: ForgetRequest) -> dict[str, Any]:
    return {
        "id": row.id,
        "version": row.version,
        "status": row.status,
        "mode": row.mode,
        "kinds": row.kinds,
        "grounds": row.grounds,
        "received_at": stamp(row.received_at),
        "due_at": stamp(row.due_at),
        "answered_at": stamp(row.answered_at),
        "reports": row.reports,
        "stores": [
            {name: getattr(s, name) for name in ("store", "state", "found", "erased", "retained", "left")}
            for s in queries.stores_of(row)
        ],
    }


@extend_schema(
    operation_id="file_forget_request",
    summary="Ask that something be forgotten",
    description="Nothing is touched before another person has approved what it reaches. What matches nothing is "
    "`refused`, with the ground `nothing-matched`; who asks for the same again is joined to the request there is.",
    tags=["forgetting"],
    parameters=[IDEMPOTENCY_KEY],
    request=ForgetIn,
    responses=answers({202: ForgetShape}, 404, 409),
)
@endpoint("POST")
def forget_requests(request: Request) -> Response:
    by = actor_of(request)
    fields = read(ForgetIn, request.data)
    work = Work(
        event=events.ForgetFiled,
        or_event=events.ForgetJoined,
        status=lambda w: 202,
        again=lambda made, status: Answer(status, body_of(queries.request_for(by, made))),
    )
    wish = Wish(**{**fields, "selector": parse_selector(request.data["selector"])})
    return once(
        claims(request, [fields])[0], work, lambda: Answer(202, body_of(actions.file_request(wish, by=by)))
    ).response


@extend_schema(
    operation_id="get_forget_request",
    summary="One of this agent's forget requests",
    tags=["forgetting"],
    responses=answers({200: ForgetShape}, 404, body=False),
)
@endpoint("GET")
def forget_request(request: Request, id: str) -> Response:
    return Response(body_of(queries.request_for(actor_of(request), id)))


@extend_schema(
    operation_id="get_erasure_report",
    summary="The signed report of one of this agent's forget requests",
    tags=["forgetting"],
    responses=answers({200: ReportShape}, 404, body=False),
)
@endpoint("GET")
def report(request: Request, id: str) -> Response:
    row = queries.request_for(actor_of(request), id)
    found = queries.report_of(row, row.reports)
    return Response(exported(found.document, found.sha256, found.signature))
