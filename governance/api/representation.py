"""What agents are shown of memories, candidates and events: the one form of each, and its documentation."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from governance.api.fields import ScopeField
from governance.candidates.models import OPERATIONS
from governance.candidates.models import STATUSES as CANDIDATE_STATUSES
from governance.candidates.queries import CandidateView
from governance.ledger.events import stamp
from governance.memories.models import KINDS, OWN_REASONS, REASONS, SOURCES, VALIDITIES
from governance.memories.queries import MemoryView
from governance.policies.rules import Policy
from governance.retrieval.rules import freshness

STATUSES = ("active", "scheduled", "conflicted", "superseded", "expired", "archived", "retracted", "erased")
OUTCOMES = ("commit", "review", "event_only", "reject")


def is_stale(view: MemoryView, policy: Policy, now: datetime) -> bool:
    """Return whether a memory was observed so long ago that its policy calls it stale."""
    age = (now - view.last_observed_at).total_seconds()
    return freshness(age, policy.half_life(view.key_rule, view.kind)) < policy.stale_below


def memory_body(view: MemoryView, policy: Policy, now: datetime | None = None) -> dict[str, Any]:
    """Return a memory as it is answered."""
    body = {
        "id": view.id,
        "version": view.version,
        "latest_version": view.latest_version,
        "status": view.status,
        "scope": dict(view.scope),
        "subjects": list(view.subjects),
        "about": view.about,
        "kind": view.kind,
        "key": view.key,
        "key_rule": view.key_rule,
        "value": view.value,
        "content": view.content,
        "context": view.context,
        "confidence": view.confidence,
        "source": {
            "type": view.source_type,
            "ref": view.source_ref,
            "agent": view.agent or None,
            "evidence": [{"observation": e["observation"] or None, "quote": e["quote"]} for e in view.evidence],
        },
        "reason": view.reason,
        "note": view.note,
        "always": view.always,
        "binding": view.binding,
        "demoted": view.demoted,
        "tags": list(view.tags),
        "retention": view.retention,
        "observed_at": stamp(view.observed_at),
        "last_observed_at": stamp(view.last_observed_at),
        "recorded_at": stamp(view.recorded_at),
        "valid_from": stamp(view.valid_from),
        "valid_to": stamp(view.valid_to),
        "valid_from_assumed": view.valid_from_assumed,
        "validity": view.validity,
        "supersedes": view.supersedes,
        "superseded_by": view.superseded_by,
        "derived_from": list(view.derived_from),
        "candidate": view.candidate or None,
        "stale": is_stale(view, policy, now or timezone.now()),
    }
    return {**body, "authorises": False} if view.kind == "procedural" else body


def memory_bodies(views: Iterable[MemoryView], policy: Policy) -> list[dict[str, Any]]:
    now = timezone.now()
    return [memory_body(view, policy, now) for view in views]


def candidate_body(view: CandidateView) -> dict[str, Any]:
    """Return a candidate as it is answered: what was proposed, and what became of it."""
    row, score = view.row, view.row.score
    body = {
        "id": row.id or None,
        "version": row.version,
        "status": row.status,
        "outcome": row.outcome,
        "operation": row.operation,
        "policy_version": row.policy_version,
        "score": score or None,
        "reasons": [_reason(v) for v in row.verdicts],
        "memory": {"id": row.memory_id, "version": row.memory_version} if row.memory_id else None,
        "target": {"id": row.target_id, "version": row.target_version} if row.target_id else None,
        "duplicate_of": row.duplicate_of or None,
        "conflict": row.conflict or None,
        "scope": dict(view.scope),
        "kind": row.kind,
        "key": view.field("key"),
        "key_rule": row.key_rule,
        "value": view.field("value", None),
        "content": view.field("content"),
        "context": view.field("context"),
        "about": view.field("about"),
        "source_type": row.source_type,
        "claimed_source_type": row.claimed_source,
        "source_ref": view.field("source_ref"),
        "evidence": {"observation": row.observation_id, "quote": view.field("quote")},
        "confidence": row.confidence,
        "observed_at": stamp(row.observed_at),
        "valid_from": stamp(row.valid_from),
        "valid_to": stamp(row.valid_to),
        "validity": row.validity,
        "subjects": list(view.subjects),
        "always": row.always,
        "tags": list(view.field("tags", [])),
        "retention": row.retention,
        "reason": row.reason,
        "note": view.field("note"),
        "created_at": stamp(row.created_at),
        "decided_at": stamp(row.decided_at),
        "decision_reason": row.decision_reason,
        "decision_note": view.note,
    }
    return {**body, "lane": row.lane} if row.lane else body


def _reason(verdict: Mapping[str, Any]) -> dict[str, Any]:
    values = verdict.get("values") or {}
    detail = verdict["detail"].format(**values) if values else verdict["detail"]
    return {"stage": verdict["stage"], "code": verdict["code"], "detail": detail, "outcome": verdict["outcome"]}


# --- documentation -------------------------------------------------------------------------------------------------


@extend_schema_field({"description": "Any JSON.", "nullable": True})
class AnyJSON(serializers.JSONField):
    pass


def _code(choices: Iterable[str], **options: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=[(c, c) for c in choices], **options)


class EvidenceShape(serializers.Serializer):
    observation = serializers.CharField(allow_null=True)
    quote = serializers.CharField()


class SourceShape(serializers.Serializer):
    type = _code(SOURCES)
    ref = serializers.CharField()
    agent = serializers.CharField(allow_null=True)
    evidence = EvidenceShape(many=True)


class MemoryShape(serializers.Serializer):
    """One memory as one of its versions."""

    id = serializers.CharField()
    version = serializers.IntegerField(help_text="The one shown: in force at the asked moment.")
    latest_version = serializers.IntegerField(help_text="What `expected_version` and the ETag mean.")
    status = _code(STATUSES)
    scope = ScopeField()
    subjects = serializers.ListField(child=serializers.CharField())
    about = serializers.CharField()
    kind = _code(KINDS)
    key = serializers.CharField()
    key_rule = serializers.CharField()
    value = AnyJSON()
    content = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]
    confidence = serializers.FloatField()
    source = SourceShape()  # type: ignore[assignment]
    reason = _code((*REASONS, *OWN_REASONS))
    note = serializers.CharField()
    always = serializers.BooleanField()
    binding = serializers.BooleanField()
    demoted = serializers.BooleanField()
    tags = serializers.ListField(child=serializers.CharField())
    retention = serializers.CharField()
    observed_at = serializers.DateTimeField()
    last_observed_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)
    valid_from_assumed = serializers.BooleanField()
    validity = _code(VALIDITIES)
    supersedes = serializers.IntegerField(allow_null=True)
    superseded_by = serializers.IntegerField(allow_null=True)
    derived_from = serializers.ListField(child=serializers.CharField())
    candidate = serializers.CharField(allow_null=True)
    stale = serializers.BooleanField()
    authorises = serializers.BooleanField(required=False, help_text="Of procedural memories: always false.")


class ScoreShape(serializers.Serializer):
    value = serializers.FloatField()
    threshold = serializers.FloatField()
    probability = serializers.FloatField()
    utility = serializers.FloatField()
    reuse = serializers.FloatField()
    validity = serializers.FloatField()
    cost = serializers.FloatField()


class ReasonShape(serializers.Serializer):
    stage = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()
    outcome = _code(OUTCOMES, allow_null=True)


class MemoryVersionShape(serializers.Serializer):
    id = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)


class OneQuoteShape(serializers.Serializer):
    observation = serializers.CharField(allow_null=True)
    quote = serializers.CharField()


class CandidateShape(serializers.Serializer):
    """What was proposed, and what policy and people answered."""

    id = serializers.CharField(allow_null=True, help_text="Null in a dry run.")
    version = serializers.IntegerField()
    status = _code(CANDIDATE_STATUSES)
    outcome = _code(OUTCOMES)
    lane = serializers.CharField(required=False, help_text="`quarantine`, where a person must look first.")
    operation = _code(OPERATIONS)
    policy_version = serializers.IntegerField()
    score = ScoreShape(allow_null=True)
    reasons = ReasonShape(many=True)
    memory = MemoryVersionShape(allow_null=True)
    target = MemoryVersionShape(allow_null=True)
    duplicate_of = serializers.CharField(allow_null=True)
    conflict = serializers.CharField(allow_null=True)
    scope = ScopeField()
    kind = _code(KINDS)
    key = serializers.CharField()
    key_rule = serializers.CharField()
    value = AnyJSON()
    content = serializers.CharField()
    context = serializers.CharField()  # type: ignore[assignment]
    about = serializers.CharField()
    source_type = _code(SOURCES, help_text="As the server took it.")
    claimed_source_type = _code(SOURCES)
    source_ref = serializers.CharField()
    evidence = OneQuoteShape()
    confidence = serializers.FloatField()
    observed_at = serializers.DateTimeField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)
    validity = _code(VALIDITIES)
    subjects = serializers.ListField(child=serializers.CharField())
    always = serializers.BooleanField()
    tags = serializers.ListField(child=serializers.CharField())
    retention = serializers.CharField()
    reason = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField()
    decision_note = serializers.CharField()


class EventShape(serializers.Serializer):
    """One change of state; never words."""

    id = serializers.CharField()
    seq = serializers.IntegerField()
    type = serializers.CharField()
    stream = serializers.CharField()
    actor = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()
    causation_id = serializers.CharField(allow_null=True)
    correlation_id = serializers.CharField(allow_null=True)
    data = serializers.DictField()  # type: ignore[assignment]


class TrailVersionShape(serializers.Serializer):
    version = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    reason = _code((*REASONS, *OWN_REASONS))
    source_type = _code(SOURCES)
    observation = serializers.CharField(allow_null=True)
    candidate = serializers.CharField(allow_null=True)


class TrailEvidenceShape(serializers.Serializer):
    """What says the same once more."""

    version = serializers.IntegerField()
    observation = serializers.CharField(allow_null=True)
    candidate = serializers.CharField(allow_null=True)
    added_at = serializers.DateTimeField()


class TrailEntryShape(serializers.Serializer):
    version = serializers.IntegerField()
    model = serializers.CharField()
    dimension = serializers.IntegerField()
    placed = serializers.BooleanField(help_text="Whether it stands in Chroma by now.")


class TrailSourceShape(serializers.Serializer):
    version = serializers.IntegerField(help_text="Of the memory this trail is of.")
    memory = serializers.CharField()
    memory_version = serializers.IntegerField()


class TrailRecallShape(serializers.Serializer):
    recall = serializers.CharField()
    asked_at = serializers.DateTimeField()
    version = serializers.IntegerField()
    fate = serializers.CharField()


class TrailShape(serializers.Serializer):
    """All that belongs to one memory, each kind oldest first."""

    memory = serializers.CharField()
    versions = TrailVersionShape(many=True)
    evidence = TrailEvidenceShape(many=True)
    events = EventShape(many=True)
    index = TrailEntryShape(many=True)
    sources = TrailSourceShape(many=True, help_text="What a summary rests on.")
    summaries = TrailSourceShape(many=True, help_text="Which summaries rest on it.")
    recalls = TrailRecallShape(many=True, help_text="Among the latest recalls of the tenant.")
    cut = serializers.ListField(child=serializers.CharField(), help_text="Kinds of which there are more.")
