"""Candidates: what agents propose, one at a time or as a list, and what became of it."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.batches import BatchShape, each
from governance.api.endpoint import IDEMPOTENCY_KEY, Answer, answers, endpoint
from governance.api.fields import (
    AnyValue,
    Choice,
    Flag,
    Id,
    Items,
    Name,
    Number,
    QueryFlag,
    QueryShape,
    ScopeField,
    Shape,
    Text,
    When,
    read,
    read_query,
)
from governance.api.idempotency import Claim, Work, claims, once
from governance.api.pagination import PageQuery, page_body, page_of, page_shape
from governance.api.representation import OUTCOMES, CandidateShape, candidate_body
from governance.candidates import actions, events, queries
from governance.candidates.models import STATUSES, Candidate
from governance.candidates.rules import LONGEST, LONGEST_TAG, MOST_TAGS, Draft
from governance.memories.models import KINDS, REASONS, VALIDITIES
from governance.policies.rules import RETENTION
from governance.scopes.rules import Actor

CLAIMABLE = ("business_system", "user_explicit", "project_document", "tool_result", "inferred_behaviour", "agent_guess")


class EvidenceIn(Shape):
    observation = Id("obs")
    quote = Text(longest=LONGEST["quote"])


class CandidateIn(Shape):
    """A proposed memory."""

    scope = ScopeField(optional=False)
    kind = Choice(KINDS, optional=False)
    key = Text(longest=LONGEST["key"], help_text="Needed for all but episodic memories.")
    value = AnyValue()
    content = Text(longest=LONGEST["content"], help_text="One sentence; rendered from key and value without it.")
    context = Text(longest=LONGEST["context"])  # type: ignore[assignment]
    about = Text(longest=LONGEST["about"], help_text="A companion it is about, such as mother.")
    source_type = Choice(CLAIMABLE, help_text="As claimed; the server decides what it counts as.")
    source_ref = Text(longest=LONGEST["source_ref"])
    evidence = EvidenceIn(required=False, allow_null=True)
    confidence = Number()
    observed_at = When()
    valid_from = When(dates=True)
    valid_to = When(dates=True, help_text="A plain date is included.")
    validity = Choice(VALIDITIES)
    subjects = Items(Name(), most=50)
    always = Flag()
    tags = Items(Text(longest=LONGEST_TAG), most=MOST_TAGS)
    retention = Choice(RETENTION)
    reason = Choice(REASONS)
    note = Text(longest=LONGEST["note"])


class ProposeQuery(QueryShape):
    dry_run = QueryFlag(help_text="The verdict, and nothing is stored.")


class CandidatesQuery(PageQuery):
    status = Choice(STATUSES)
    outcome = Choice(OUTCOMES)
    observation = Id("obs")


class ConfirmIn(Shape):
    observation = Id("obs", optional=False, help_text="What the user said to it.")
    quote = Text(longest=LONGEST["quote"], optional=False)


@extend_schema(
    methods=["GET"],
    operation_id="list_candidates",
    summary="What this agent proposed, newest first",
    tags=["candidates"],
    parameters=[CandidatesQuery],
    responses=answers({200: page_shape("Candidate", CandidateShape)}, body=False),
)
@extend_schema(
    methods=["POST"],
    operation_id="propose",
    summary="Propose a memory, or up to 100 of them",
    description="A list is answered with 207, item by item: `{status, body}`, the body a candidate or a problem.",
    tags=["candidates"],
    parameters=[ProposeQuery, IDEMPOTENCY_KEY],
    request=PolymorphicProxySerializer(
        component_name="CandidateOrList",
        serializers=[CandidateIn, CandidateIn(many=True)],
        resource_type_field_name=None,
        many=False,
    ),
    responses=answers({200: CandidateShape, 201: CandidateShape, 207: BatchShape}, 404, 409, 410),
)
@endpoint("GET", "POST", reads_query=True)
def candidates(request: Request) -> Response:
    return _propose(request) if request.method == "POST" else _listed(request)


def _listed(request: Request) -> Response:
    wanted = read_query(CandidatesQuery, request.query_params)
    facets = {name: wanted[name] for name in ("status", "outcome", "observation") if name in wanted}
    page = page_of(queries.listed_for_agent(actor_of(request), **facets), "created_seq", wanted)
    return Response(page_body(request, page, bodies(page.rows)))


def _propose(request: Request) -> Response:
    dry_run = read_query(ProposeQuery, request.query_params).get("dry_run", False)
    by = actor_of(request)
    if dry_run:
        return each(request, lambda item, _: _previewed(item, by)).response
    return each(request, lambda item, claim: _proposed(item, claim, by)).response


def _previewed(item: Any, by: Actor) -> Answer:
    return Answer(200, body_of(actions.propose(draft_of(item), by=by, dry_run=True)))


def _proposed(item: Any, claim: Claim | None, by: Actor) -> Answer:
    work = Work(
        event=events.CandidateProposed,
        status=lambda w: 201,
        again=lambda made, status: Answer(status, body_of(queries.candidate_for_agent(by, made))),
    )
    return once(claim, work, lambda: Answer(201, body_of(actions.propose(draft_of(item), by=by))))


def draft_of(item: Any) -> Draft:
    """Return what one proposal says. Raises Invalid."""
    fields = read(CandidateIn, item)
    evidence = fields.pop("evidence", {})
    fields |= {name: tuple(fields[name]) for name in ("subjects", "tags") if name in fields}
    return Draft(
        **fields,
        observation=evidence.get("observation") or "",
        quote=evidence.get("quote") or "",
    )


@extend_schema(
    operation_id="get_candidate",
    summary="One candidate",
    tags=["candidates"],
    responses=answers({200: CandidateShape}, 404, 410, body=False),
)
@endpoint("GET")
def candidate(request: Request, id: str) -> Response:
    return Response(body_of(queries.candidate_for_agent(actor_of(request), id)))


@extend_schema(
    operation_id="confirm_candidate",
    summary="Bring the user's own word for a candidate",
    tags=["candidates"],
    parameters=[IDEMPOTENCY_KEY],
    request=ConfirmIn,
    responses=answers({200: CandidateShape}, 404, 409, 410),
)
@endpoint("POST")
def confirm(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = queries.candidate_for_agent(by, id)
    fields = read(ConfirmIn, request.data)
    work = Work(
        event=events.CandidateJudgedAgain,
        status=lambda w: 200,
        again=lambda made, status: Answer(status, body_of(queries.candidate_for_agent(by, made))),
    )
    (claim,) = claims(request, [fields])
    return once(claim, work, lambda: Answer(200, body_of(actions.confirm(found, **fields, by=by)))).response


def bodies(rows: Any) -> list[dict[str, Any]]:
    return [candidate_body(view) for view in queries.views(rows)]


def body_of(row: Candidate) -> dict[str, Any]:
    return bodies([row])[0]
