"""Recalls: what an agent may know that bears on a question, and why it was given just that."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import answers, endpoint
from governance.api.fields import (
    Choice,
    Flag,
    Id,
    Items,
    Name,
    QueryShape,
    Shape,
    Text,
    When,
    Whole,
    aware,
    read,
    read_query,
)
from governance.api.representation import MemoryShape, memory_body
from governance.candidates.rules import LONGEST
from governance.ledger.events import stamp
from governance.memories.models import KINDS
from governance.policies.rules import Policy
from governance.retrieval import actions, queries
from governance.retrieval.answers import LONGEST_QUERY, MOST, MOST_NAMED, MOST_TOKENS, Answer, Question, Recalled
from governance.retrieval.block import FORMS
from governance.retrieval.models import Recall
from governance.scopes.queries import zone_of
from governance.scopes.rules import Actor


class RecallIn(Shape):
    """A question, and for whom, where and when it is asked."""

    query = Text(longest=LONGEST_QUERY)
    user = Name()
    project = Name()
    session = Name()
    keys = Items(Text(longest=LONGEST["key"]), most=MOST_NAMED)
    kinds = Items(Choice(KINDS), most=len(KINDS))
    memory_ids = Items(Id("mem"), most=MOST_NAMED)
    cursor = Id("rec", help_text="From an earlier answer: what it left out for want of room.")
    limit = Whole(least=1, most=MOST, help_text="Ranked hits; 6 by default.")
    token_budget = Whole(least=1, most=MOST_TOKENS, help_text="Tokens of the whole block; 800 by default.")
    as_of = When(dates=True)
    known_at = When(dates=True)
    history = Flag(help_text="Superseded and expired versions too.")
    form = Choice(FORMS, help_text="Of the block: lines, or sections under four Markdown headings.")
    explain = Flag(help_text="Every candidate that was left out, and why.")


class WhyQuery(QueryShape):
    memory = Id("mem", optional=False)


class PartsShape(serializers.Serializer):
    relevance = serializers.FloatField()
    scope = serializers.FloatField()
    freshness = serializers.FloatField()
    confidence = serializers.FloatField()
    kind = serializers.FloatField()
    risk = serializers.FloatField()


class RecalledShape(MemoryShape):
    """A memory, and what brought it here."""

    score = serializers.FloatField()
    parts = PartsShape(help_text="Each between 0 and 1, before the policy's weights.")
    via = serializers.ListField(child=serializers.CharField())
    found_by = serializers.CharField(allow_null=True, help_text="`chroma` or `exact`, where a vector led here.")
    overridden_by_binding = serializers.BooleanField(help_text="A rule on the same key wins over it.")


class NamedShape(serializers.Serializer):
    id = serializers.CharField()
    version = serializers.IntegerField()
    key = serializers.CharField()


class OmittedShape(serializers.Serializer):
    reason = serializers.CharField()
    count = serializers.IntegerField()
    memories = NamedShape(many=True)


class RivalsShape(serializers.Serializer):
    id = serializers.CharField(allow_null=True)
    memory = serializers.CharField()
    key = serializers.CharField()
    question = serializers.CharField()
    claims = serializers.ListField(child=serializers.DictField())


class MessageShape(serializers.Serializer):
    role = serializers.ChoiceField(choices=[("user", "user")])
    content = serializers.CharField()


class HitShape(serializers.Serializer):
    """One candidate of a recall: ids, codes and numbers."""

    memory = serializers.CharField()
    version = serializers.IntegerField()
    via = serializers.ListField(child=serializers.CharField())
    found_by = serializers.CharField()
    score = serializers.FloatField()
    parts = serializers.DictField(child=serializers.FloatField())
    fate = serializers.CharField()
    detail = serializers.CharField()
    values = serializers.DictField(child=serializers.FloatField(), help_text="The numbers in `detail`.")


class RecallShape(serializers.Serializer):
    """What an agent may know that bears on a question."""

    id = serializers.CharField()
    memories = RecalledShape(many=True)
    binding = MemoryShape(many=True)
    conflicts = RivalsShape(many=True)
    omitted = OmittedShape(many=True)
    context = serializers.CharField(  # type: ignore[assignment]
        help_text="A block for the user role, never for the system prompt."
    )
    message = MessageShape(allow_null=True)
    tokens = serializers.IntegerField()
    timings = serializers.DictField(child=serializers.FloatField(), help_text="Milliseconds.")
    reason = serializers.CharField(allow_null=True, help_text="Why nothing was found.")
    cursor = serializers.CharField(allow_null=True)
    degraded = serializers.CharField(required=False, help_text="Which part did not answer.")
    left_out = HitShape(many=True, required=False, help_text="With `explain`.")


class TraceShape(serializers.Serializer):
    """What was asked, found and given."""

    id = serializers.CharField()
    request_id = serializers.CharField()
    agent = serializers.CharField(allow_null=True)
    query = serializers.CharField()
    keys = serializers.ListField(child=serializers.CharField())
    scopes = serializers.ListField(child=serializers.CharField())
    policy_version = serializers.IntegerField()
    asked_at = serializers.DateTimeField()
    as_of = serializers.DateTimeField(allow_null=True)
    known_at = serializers.DateTimeField(allow_null=True)
    hits = HitShape(many=True)
    tokens = serializers.IntegerField()
    timings = serializers.DictField(child=serializers.FloatField())
    degraded = serializers.CharField(allow_null=True)


class WhyShape(serializers.Serializer):
    shown = serializers.BooleanField()
    stage = serializers.CharField()
    reason = serializers.CharField()
    detail = serializers.CharField()


@extend_schema(
    operation_id="recall",
    summary="Ask what is remembered that bears on a question",
    tags=["recall"],
    request=RecallIn,
    responses=answers({200: RecallShape}, 404),
)
@endpoint("POST")
def recall(request: Request) -> Response:
    by = actor_of(request)
    return Response(recall_body(actions.recall(question_of(read(RecallIn, request.data), by), by=by)))


def question_of(fields: dict[str, Any], by: Actor) -> Question:
    """Return what was asked; times without an offset are meant in the tenant's zone."""
    times = {n: aware(fields[n], zone_of(by.tenant)) for n in ("as_of", "known_at") if n in fields}
    listed = {n: tuple(fields[n]) for n in ("keys", "kinds", "memory_ids") if n in fields}
    return Question(**{**fields, **times, **listed})


def recall_body(answer: Answer) -> dict[str, Any]:
    policy, now = answer.policy, timezone.now()
    body = {
        "id": answer.id,
        "memories": [_recalled(hit, policy) for hit in answer.memories],
        "binding": [memory_body(view, policy, now) for view in answer.binding],
        "conflicts": [
            {"id": c.id or None, "memory": c.memory, "key": c.key, "question": c.question, "claims": list(c.claims)}
            for c in answer.conflicts
        ],
        "omitted": [
            {"reason": o.reason, "count": o.count, "memories": [dict(m) for m in o.memories]} for o in answer.omitted
        ],
        "context": answer.context,
        "message": answer.message,
        "tokens": answer.tokens,
        "timings": dict(answer.timings),
        "reason": answer.reason or None,
        "cursor": answer.cursor or None,
    }
    optional: Mapping[str, Any] = {"degraded": answer.degraded, "left_out": [dict(m) for m in answer.left_out]}
    return body | {name: value for name, value in optional.items() if value}


def _recalled(hit: Recalled, policy: Policy) -> dict[str, Any]:
    return {
        **memory_body(hit.view, policy),
        "score": hit.score,
        "parts": dict(hit.parts),
        "via": list(hit.via),
        "found_by": hit.found_by or None,
        "stale": hit.stale,
        "overridden_by_binding": hit.overridden_by_binding,
    }


@extend_schema(
    operation_id="get_recall",
    summary="The trace of one of this agent's recalls",
    tags=["recall"],
    responses=answers({200: TraceShape}, 404, body=False),
)
@endpoint("GET")
def trace(request: Request, id: str) -> Response:
    return Response(trace_body(queries.trace(id, actor_of(request))))


def trace_body(row: Recall) -> dict[str, Any]:
    asked = queries.asked(row)
    return {
        "id": row.id,
        "request_id": row.request_id,
        "agent": row.agent_id,
        "query": asked.get("query", ""),
        "keys": asked.get("keys", []),
        "scopes": row.scopes,
        "policy_version": row.policy_version,
        "asked_at": stamp(row.asked_at),
        "as_of": stamp(row.as_of),
        "known_at": stamp(row.known_at),
        "hits": row.hits,
        "tokens": row.tokens,
        "timings": row.timings,
        "degraded": row.degraded or None,
    }


@extend_schema(
    operation_id="why",
    summary="Why one memory was, or was not, in a recall",
    tags=["recall"],
    parameters=[WhyQuery],
    responses=answers({200: WhyShape}, 404, body=False),
)
@endpoint("GET", reads_query=True)
def why(request: Request, id: str) -> Response:
    memory = read_query(WhyQuery, request.query_params)["memory"]
    found = queries.why(id, memory, actor_of(request))
    return Response({"shown": found.shown, "stage": found.stage, "reason": found.reason, "detail": found.detail})
