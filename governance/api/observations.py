"""Observations: what happened, as agents tell it."""

from dataclasses import asdict, replace
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.batches import BatchShape, each
from governance.api.candidates import bodies
from governance.api.endpoint import IDEMPOTENCY_KEY, Answer, answers, endpoint
from governance.api.fields import Choice, Flag, Id, Name, Shape, Text, When, read
from governance.api.idempotency import Claim, Work, once
from governance.api.representation import CandidateShape
from governance.candidates import actions
from governance.candidates.actions.observe import Observed, Said, observed_before
from governance.candidates.rules import LONGEST
from governance.candidates.unproposed import Missed
from governance.candidates.unproposed import unproposed as missed_in
from governance.evidence import events
from governance.evidence.models import Observation
from governance.evidence.queries import not_erased, observation_for
from governance.ledger.events import stamp
from governance.retrieval.queries import trace
from governance.scopes.rules import Actor


class ObservationIn(Shape):
    """One turn, or one result of a tool."""

    role = Choice(Observation.ROLES, optional=False)
    text = Text(optional=False)
    user = Name()
    project = Name()
    session = Name()
    occurred_at = When()
    source_ref = Text(longest=LONGEST["source_ref"])
    recall = Id("rec", help_text="The recall that this turn was given.")
    extract = Flag(help_text="Whether rules look for explicit statements; true by default.")


class ExtractionShape(serializers.Serializer):
    state = serializers.ChoiceField(choices=[(s, s) for s in ("done", "pending", "failed", "off")])


class ObservationShape(serializers.Serializer):
    """A turn that was kept, and what the rules found in it."""

    id = serializers.CharField()
    role = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    recorded_at = serializers.DateTimeField()
    placeholders = serializers.ListField(
        child=serializers.CharField(), help_text="Kinds of words that were replaced before anything was stored."
    )
    candidates = CandidateShape(many=True)
    extraction = ExtractionShape()


@extend_schema(
    operation_id="observe",
    summary="Tell what happened: one turn, or up to 100",
    description="A list is answered with 207, item by item: `{status, body}`, the body an observation or a problem.",
    tags=["observations"],
    parameters=[IDEMPOTENCY_KEY],
    request=PolymorphicProxySerializer(
        component_name="ObservationOrList",
        serializers=[ObservationIn, ObservationIn(many=True)],
        resource_type_field_name=None,
        many=False,
    ),
    responses=answers({201: ObservationShape, 207: BatchShape}, 404, 409, 410),
)
@endpoint("POST")
def observations(request: Request) -> Response:
    by = actor_of(request)
    return each(request, lambda item, claim: _observed(item, claim, by)).response


class StatementShape(serializers.Serializer):
    """Something a user stated, in the fields of a candidate: it can be proposed as it stands."""

    scope = serializers.DictField(child=serializers.CharField())
    kind = serializers.CharField()
    key = serializers.CharField()
    value = serializers.JSONField(allow_null=True)
    content = serializers.CharField()
    about = serializers.CharField()
    quote = serializers.CharField()
    lasting = serializers.BooleanField(help_text="False: it holds this once.")


class UnproposedShape(serializers.Serializer):
    observation = serializers.CharField()
    unproposed = StatementShape(many=True)


@extend_schema(
    operation_id="list_unproposed",
    summary="At the end of a turn: what the user stated in it that nobody has proposed",
    description="For agents that propose themselves. The rules read the turn again; nothing is stored.",
    tags=["observations"],
    responses=answers({200: UnproposedShape}, 404, 410, body=False),
)
@endpoint("GET")
def unproposed(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = missed_in(not_erased(observation_for(by, id)), by=by)
    return Response({"observation": id, "unproposed": [_statement(m) for m in found]})


def _statement(missed: Missed) -> dict[str, Any]:
    draft = missed.draft
    return {
        "scope": {name: part for name, part in asdict(draft.scope).items() if part},
        "kind": draft.kind,
        "key": draft.key,
        "value": draft.value,
        "content": draft.content,
        "about": draft.about,
        "quote": draft.quote,
        "lasting": missed.lasting,
    }


def _observed(item: Any, claim: Claim | None, by: Actor) -> Answer:
    said = Said(**read(ObservationIn, item))
    work = Work(
        event=events.Observed,
        status=lambda w: 201,
        again=lambda made, status: Answer(status, body_of(observed_before(said, made, by=by))),
    )
    return once(claim, work, lambda: Answer(201, body_of(actions.observe(_checked(said, by), by=by))))


def _checked(said: Said, by: Actor) -> Said:
    """Return the turn when the recall it names is the agent's own. Raises NotFound."""
    return replace(said, recall=trace(said.recall, by).id) if said.recall else said


def body_of(observed: Observed) -> dict[str, Any]:
    row = observed.observation
    return {
        "id": row.id,
        "role": row.role,
        "occurred_at": stamp(row.occurred_at),
        "recorded_at": stamp(row.recorded_at),
        "placeholders": list(row.placeholders),
        "candidates": bodies(observed.candidates),
        "extraction": {"state": observed.extraction},
    }
