"""Conflicts: keys about which claims disagree, and the user's answer to the question."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.candidates import ConfirmIn
from governance.api.endpoint import IDEMPOTENCY_KEY, Answer, answers, endpoint
from governance.api.fields import AnyValue, Choice, ScopeField, Text, Whole, read, read_query
from governance.api.idempotency import Work, claims, once
from governance.api.pagination import PageQuery, page_body, page_of, page_shape
from governance.api.representation import AnyJSON
from governance.candidates import actions, events
from governance.conflicts import queries
from governance.conflicts.models import STATUSES, Conflict
from governance.conflicts.queries import ConflictView
from governance.errors import VersionMissing
from governance.memories.models import SOURCES


class ClaimShape(serializers.Serializer):
    """One side of a conflict."""

    id = serializers.CharField()
    value = AnyJSON()
    source = serializers.ChoiceField(choices=[(s, s) for s in SOURCES])  # type: ignore[assignment]
    confidence = serializers.FloatField()
    observed_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)


class ConflictShape(serializers.Serializer):
    """A key that is not answered with one value: its rival claims, and the question to ask."""

    id = serializers.CharField()
    version = serializers.IntegerField()
    status = serializers.ChoiceField(choices=[(s, s) for s in STATUSES])
    scope = ScopeField()
    memory = serializers.CharField()
    key = serializers.CharField()
    kind = serializers.CharField()
    claims = ClaimShape(many=True)
    question = serializers.CharField()
    rule = serializers.CharField(help_text="The rule of precedence that could not decide.")


class ConflictsQuery(PageQuery):
    status = Choice(STATUSES)


class AnswerIn(ConfirmIn):
    """What the user said to the question; it goes through policy like any proposal."""

    expected_version = Whole(least=1)
    choice = Text(longest=60, optional=False, help_text="The id of a claim, `both` or `none`.")
    value = AnyValue(help_text="What holds instead of the claim's value, where the user said so.")


def conflict_body(view: ConflictView) -> dict[str, Any]:
    row = view.row
    return {
        "id": row.id,
        "version": row.version,
        "status": row.status,
        "scope": dict(view.scope),
        "memory": row.memory_id,
        "key": view.key,
        "kind": row.kind,
        "claims": [
            {
                "id": c.row.id,
                "value": c.value,
                "source": c.row.source_type,
                "confidence": c.row.confidence,
                "observed_at": c.row.observed_at,
                "valid_from": c.row.valid_from,
                "valid_to": c.row.valid_to,
            }
            for c in view.claims
        ],
        "question": view.question,
        "rule": row.rule,
    }


def _body(conflict: Conflict) -> dict[str, Any]:
    return conflict_body(queries.views([conflict])[0])


@extend_schema(
    operation_id="list_conflicts",
    summary="Keys about which claims disagree, in scopes this key may inspect, newest first",
    tags=["conflicts"],
    parameters=[ConflictsQuery],
    responses=answers({200: page_shape("Conflict", ConflictShape)}, body=False),
)
@endpoint("GET", reads_query=True)
def conflicts(request: Request) -> Response:
    wanted = read_query(ConflictsQuery, request.query_params)
    page = page_of(queries.within(actor_of(request), "inspect", status=wanted.get("status", "")), "created_seq", wanted)
    return Response(page_body(request, page, [conflict_body(v) for v in queries.views(page.rows)]))


@extend_schema(
    operation_id="get_conflict",
    summary="One conflict",
    tags=["conflicts"],
    responses=answers({200: ConflictShape}, 404, body=False),
)
@endpoint("GET")
def conflict(request: Request, id: str) -> Response:
    return Response(_body(queries.conflict_for_agent(actor_of(request), id)))


@extend_schema(
    operation_id="answer_conflict",
    summary="Bring the user's answer to the question",
    description="Settled at once where policy lets the answer suffice; otherwise a person decides, and it is `asked`.",
    tags=["conflicts"],
    parameters=[IDEMPOTENCY_KEY],
    request=AnswerIn,
    responses=answers({200: ConflictShape}, 404, 409, 428),
)
@endpoint("POST")
def answer(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = queries.conflict_for_agent(by, id)
    fields = read(AnswerIn, request.data)
    if "expected_version" not in fields:
        raise VersionMissing()

    def do() -> Answer:
        after = actions.answer(
            found,
            choice=fields["choice"],
            value=fields.get("value"),
            observation=fields["observation"],
            quote=fields["quote"],
            expected=fields["expected_version"],
            by=by,
        )
        return Answer(200, _body(after))

    work = Work(
        event=events.CandidateProposed,
        status=lambda w: 200,
        again=lambda made, status: Answer(status, _body(queries.conflict_for_agent(by, id))),
    )
    return once(claims(request, [fields])[0], work, do).response
