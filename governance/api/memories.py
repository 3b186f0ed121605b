"""Memories: looking them up, changing them, and what happened to them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.candidates import CLAIMABLE, EvidenceIn
from governance.api.candidates import body_of as candidate_body_of
from governance.api.endpoint import IDEMPOTENCY_KEY, IF_MATCH, Answer, answers, endpoint
from governance.api.fields import (
    AnyValue,
    Choice,
    Flag,
    Items,
    Name,
    Number,
    QueryShape,
    QueryWhole,
    Shape,
    Text,
    When,
    Whole,
    aware,
    read,
    read_query,
)
from governance.api.idempotency import Work, claims, once
from governance.api.pagination import PageQuery, page_body, page_of, page_shape
from governance.api.preconditions import etag, expect
from governance.api.representation import STATUSES, CandidateShape, EventShape, MemoryShape, TrailShape, memory_bodies
from governance.candidates import actions, events, queries
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import LONGEST, LONGEST_TAG, MOST_TAGS
from governance.errors import NotFound
from governance.ledger.queries import described, events_of
from governance.ledger.writing import Writing
from governance.memories.inspection import Wanted, for_agents, listed_for_agent, memory_for_agent
from governance.memories.models import KINDS, NAMED_REASONS, VALIDITIES, Memory
from governance.memories.queries import Moment, memory_for, versions_of, views, views_of_versions
from governance.overview.trail import trail_of
from governance.policies.queries import current
from governance.scopes.models import LEVELS
from governance.scopes.queries import zone_of
from governance.scopes.rules import Actor

CHANGED = ("value", "content", "context", "kind", "confidence", "tags", "always")


class MomentQuery(QueryShape):
    """The two clocks."""

    as_of = When(dates=True, help_text="What held then; now by default.")
    known_at = When(dates=True, help_text="As far as was known then; now by default.")


class MemoriesQuery(PageQuery, MomentQuery):
    level = Choice(LEVELS)
    kind = Choice(KINDS)
    status = Choice(STATUSES)


class MemoriesSearch(Shape):
    """Facets and words; with a session its user is needed, with a key a user, a project, or level agent or tenant."""

    as_of = When(dates=True)
    known_at = When(dates=True)
    level = Choice(LEVELS)
    kind = Choice(KINDS)
    status = Choice(STATUSES)
    user = Name()
    project = Name()
    session = Name()
    key = Text(longest=LONGEST["key"])
    cursor = Text(longest=200)
    limit = Whole(least=1, most=200)


class MemoryPatch(Shape):
    """What becomes different, and from which source; without `content` the sentence is rendered anew."""

    expected_version = Whole(least=1, help_text="Or `If-Match`.")
    value = AnyValue()
    content = Text(longest=LONGEST["content"])
    context = Text(longest=LONGEST["context"])  # type: ignore[assignment]
    kind = Choice(KINDS)
    confidence = Number()
    tags = Items(Text(longest=LONGEST_TAG), most=MOST_TAGS)
    always = Flag()
    source_type = Choice(CLAIMABLE)
    source_ref = Text(longest=LONGEST["source_ref"])
    evidence = EvidenceIn(required=False, allow_null=True)
    observed_at = When()
    valid_from = When(dates=True)
    valid_to = When(dates=True)
    validity = Choice(VALIDITIES)
    reason = Choice(NAMED_REASONS)
    note = Text(longest=LONGEST["note"])


class MemoryDelete(Shape):
    expected_version = Whole(least=1)
    reason = Choice(NAMED_REASONS)
    note = Text(longest=LONGEST["note"])


class DeleteQuery(QueryShape):
    expected_version = QueryWhole(least=1)
    reason = Choice(NAMED_REASONS)


class MemoryRestore(Shape):
    expected_version = Whole(least=1, help_text="Or `If-Match`.")
    number = Whole(least=1, optional=False, help_text="The version to state anew.")
    note = Text(longest=LONGEST["note"])


class ExpectQuery(QueryShape):
    expected_version = QueryWhole(least=1)


# --- lists ---------------------------------------------------------------------------------------------------------


@extend_schema(
    operation_id="list_memories",
    summary="The memories this key may inspect, newest first",
    tags=["memories"],
    parameters=[MemoriesQuery],
    responses=answers({200: page_shape("Memory", MemoryShape)}, 404, body=False),
)
@endpoint("GET", reads_query=True)
def memories(request: Request) -> Response:
    return _listed(request, read_query(MemoriesQuery, request.query_params))


@extend_schema(
    operation_id="search_memories",
    summary="The same by words too, which never stand in an address",
    description="Send the same body to the address in `next` for the next page.",
    tags=["memories"],
    parameters=[PageQuery],
    request=MemoriesSearch,
    responses=answers({200: page_shape("Memory", MemoryShape)}, 404),
)
@endpoint("POST", reads_query=True)
def search(request: Request) -> Response:
    page = read_query(PageQuery, request.query_params)
    return _listed(request, read(MemoriesSearch, request.data) | page)


def _listed(request: Request, fields: dict[str, Any]) -> Response:
    by = actor_of(request)
    facets = {n: fields[n] for n in ("level", "kind", "status", "user", "project", "session", "key") if n in fields}
    moment = moment_of(fields, by)
    page = page_of(listed_for_agent(by, Wanted(**facets, moment=moment)), "created_seq", fields)
    return Response(page_body(request, page, bodies(page.rows, by, moment)))


def moment_of(fields: dict[str, Any], by: Actor) -> Moment:
    """Return the two clocks of a question; times without an offset are meant in the tenant's zone."""
    named = {name: fields[name] for name in ("as_of", "known_at") if name in fields}
    if not named:
        return Moment()
    zone = zone_of(by.tenant)
    return Moment(**{name: aware(value, zone) for name, value in named.items()})


def bodies(rows: Sequence[Memory], by: Actor, moment: Moment) -> list[dict[str, Any]]:
    return memory_bodies(for_agents(views(rows, moment), rows), current(by.tenant))


# --- one memory ----------------------------------------------------------------------------------------------------


@extend_schema(
    methods=["GET"],
    operation_id="get_memory",
    summary="One memory, as the version in force",
    tags=["memories"],
    parameters=[MomentQuery],
    responses=answers({200: MemoryShape}, 404, 410, body=False),
)
@extend_schema(
    methods=["PATCH"],
    operation_id="revise_memory",
    summary="Correct a memory: a superseding version, or a candidate where a person decides",
    tags=["memories"],
    parameters=[ExpectQuery, IF_MATCH],
    request=MemoryPatch,
    responses=answers({200: MemoryShape, 202: CandidateShape}, 404, 409, 410, 428),
)
@extend_schema(
    methods=["DELETE"],
    operation_id="retract_memory",
    summary="Retract a memory: a tombstone, or a candidate where a person decides",
    tags=["memories"],
    parameters=[DeleteQuery, IF_MATCH],
    request=MemoryDelete,
    responses=answers({200: MemoryShape, 202: CandidateShape}, 404, 409, 410, 428),
)
@endpoint("GET", "PATCH", "DELETE", reads_query=True)
def memory(request: Request, id: str) -> Response:
    return {"PATCH": _revised, "DELETE": _retracted}.get(str(request.method), _shown)(request, id)


def _shown(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = memory_for_agent(by, id, "recall", "inspect")
    moment = moment_of(read_query(MomentQuery, request.query_params), by)
    return Response(shown(found, by, moment), headers=etag(found.latest))


def shown(found: Memory, by: Actor, moment: Moment) -> dict[str, Any]:
    """Return one memory as it is answered. Raises NotFound where nothing of it was known at the asked moment."""
    return only(bodies([found], by, moment))


def only(found: list[dict[str, Any]]) -> dict[str, Any]:
    if not found:
        raise NotFound()
    return found[0]


def _revised(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = memory_for_agent(by, id, "revise")
    expected = expect(found, request)
    read_query(ExpectQuery, request.query_params)
    fields = read(MemoryPatch, request.data, keeping=("value",))
    change = Change(
        expected=expected,
        fields={n: tuple(v) if n == "tags" else v for n, v in fields.items() if n in CHANGED},
        observation=fields.get("evidence", {}).get("observation") or "",
        quote=fields.get("evidence", {}).get("quote") or "",
        **{n: v for n, v in fields.items() if n not in (*CHANGED, "evidence", "expected_version")},
    )
    return changed(actions.revise(found, change, by=by), by).response


def _retracted(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = memory_for_agent(by, id, "retract")
    expected = expect(found, request)
    fields = read_query(DeleteQuery, request.query_params) | read(MemoryDelete, request.data)
    named = {n: v for n, v in fields.items() if n != "expected_version"}
    return changed(actions.retract(found, Change(expected=expected, **named), by=by), by).response


def changed(candidate: Candidate, by: Actor) -> Answer:
    """Return 200 and the memory when a change was made, 202 and the candidate when it was not, or not yet."""
    if candidate.status != "committed" or candidate.memory_id is None:
        return Answer(202, candidate_body_of(candidate))
    row = memory_for(by.tenant, candidate.memory_id)
    return Answer(200, shown(row, by, Moment()), etag(row.latest))


@extend_schema(
    operation_id="restore_memory",
    summary="State an old version anew",
    tags=["memories"],
    parameters=[ExpectQuery, IF_MATCH, IDEMPOTENCY_KEY],
    request=MemoryRestore,
    responses=answers({200: MemoryShape, 202: CandidateShape}, 404, 409, 410, 428),
)
@endpoint("POST", reads_query=True)
def restore(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = memory_for_agent(by, id, "revise")
    (claim,) = claims(request, [request.data])
    work = Work(
        event=events.CandidateProposed,
        status=lambda w: 200 if _has_committed(w) else 202,
        again=lambda made, status: changed(queries.candidate_for_agent(by, made), by),
    )
    return once(claim, work, lambda: _restored(request, found, by)).response


def _restored(request: Request, found: Memory, by: Actor) -> Answer:
    expected = expect(found, request)
    read_query(ExpectQuery, request.query_params)
    fields = read(MemoryRestore, request.data)
    change = Change(expected=expected, note=fields.get("note", ""))
    return changed(actions.restore(found, change, fields["number"], by=by), by)


def _has_committed(writing: Writing) -> bool:
    made: Any = events.CandidateCommitted
    return any(r.type == made.TYPE for r in writing.recorded)


# --- what happened to it -------------------------------------------------------------------------------------------


@extend_schema(
    operation_id="list_versions",
    summary="Every version of a memory, oldest first",
    tags=["memories"],
    parameters=[PageQuery],
    responses=answers({200: page_shape("Version", MemoryShape)}, 404, 410, body=False),
)
@endpoint("GET", reads_query=True)
def versions(request: Request, id: str) -> Response:
    by = actor_of(request)
    found = memory_for_agent(by, id, "recall", "inspect")
    wanted = read_query(PageQuery, request.query_params)
    page = page_of(versions_of(found), "number", wanted, newest_first=False)
    stated = for_agents(views_of_versions(page.rows, Moment()), [found])
    return Response(page_body(request, page, memory_bodies(stated, current(by.tenant))))


@extend_schema(
    operation_id="list_events",
    summary="Everything that happened to a memory, oldest first",
    tags=["memories"],
    parameters=[PageQuery],
    responses=answers({200: page_shape("Event", EventShape)}, 404, 410, body=False),
)
@endpoint("GET", reads_query=True)
def events_of_memory(request: Request, id: str) -> Response:
    found = memory_for_agent(actor_of(request), id, "inspect")
    wanted = read_query(PageQuery, request.query_params)
    page = page_of(events_of(found.tenant_id, found.id), "seq", wanted, newest_first=False)
    return Response(page_body(request, page, [described(event) for event in page.rows]))


@extend_schema(
    operation_id="get_trail",
    summary="What led to a memory, what happened to it, and which recalls it was part of",
    description="Ids, codes and times, never words. The newest 200 of each kind; `cut` names those that had more.",
    tags=["memories"],
    responses=answers({200: TrailShape}, 404, 410, body=False),
)
@endpoint("GET")
def trail(request: Request, id: str) -> Response:
    found = memory_for_agent(actor_of(request), id, "inspect")
    return Response({"memory": found.id, **asdict(trail_of(found))})
