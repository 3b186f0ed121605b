"""Projects, who takes part in them, and the end of sessions: for keys that may manage."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import answers, endpoint
from governance.api.fields import Flag, Name, Shape, read
from governance.errors import NotFound
from governance.ledger.events import stamp
from governance.scopes import actions
from governance.scopes.models import Project
from governance.scopes.queries import project_names
from governance.scopes.rules import ScopeSpec


class ProjectIn(Shape):
    project = Name(optional=False)
    name = Name(help_text="As people call it; the id without one.")


class ProjectNamed(Shape):
    project = Name(optional=False)


class MemberIn(Shape):
    project = Name(optional=False)
    user = Name(optional=False)
    member = Flag(optional=False, help_text="Whether the person takes part from now on.")


class SessionNamed(Shape):
    user = Name(optional=False)
    session = Name(optional=False)


class ProjectShape(serializers.Serializer):
    id = serializers.CharField()
    project = serializers.CharField()
    name = serializers.CharField()
    closed_at = serializers.DateTimeField(allow_null=True)


class MemberShape(ProjectShape):
    member = serializers.BooleanField()


class SessionShape(serializers.Serializer):
    level = serializers.ChoiceField(choices=[("session", "session")])
    user = serializers.CharField()
    session = serializers.CharField()
    ended_at = serializers.DateTimeField()


@extend_schema(
    operation_id="put_project",
    summary="Make a project, or rename it",
    tags=["projects"],
    request=ProjectIn,
    responses=answers({200: ProjectShape}, 404),
)
@endpoint("PUT")
def projects(request: Request) -> Response:
    return Response(body_of(actions.put_project(**read(ProjectIn, request.data), by=actor_of(request))))


@extend_schema(
    operation_id="close_project",
    summary="Close a project: what held until it ends, holds no more",
    tags=["projects"],
    request=ProjectNamed,
    responses=answers({200: ProjectShape}, 404),
)
@endpoint("POST")
def close(request: Request) -> Response:
    return Response(body_of(actions.close_project(**read(ProjectNamed, request.data), by=actor_of(request))))


@extend_schema(
    operation_id="set_project_member",
    summary="Let a person take part in a project, or no longer",
    tags=["projects"],
    request=MemberIn,
    responses=answers({200: MemberShape}, 404),
)
@endpoint("POST")
def members(request: Request) -> Response:
    fields = read(MemberIn, request.data)
    project = actions.set_participant(**fields, by=actor_of(request))
    return Response({**body_of(project), "member": fields["member"]})


@extend_schema(
    operation_id="end_session",
    summary="End a session: what it remembered is recalled no more",
    tags=["projects"],
    request=SessionNamed,
    responses=answers({200: SessionShape}, 404),
)
@endpoint("POST")
def end_session(request: Request) -> Response:
    fields = read(SessionNamed, request.data)
    ended = actions.end_session(ScopeSpec("session", **fields), by=actor_of(request))
    if ended is None:
        raise NotFound()
    return Response({"level": "session", **fields, "ended_at": stamp(ended.ended_at)})


def body_of(project: Project) -> dict[str, str | None]:
    names = project_names(project)
    return {"id": project.id, **names, "closed_at": stamp(project.closed_at)}
