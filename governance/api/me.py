"""Who a key is: its tenant, its agent, and what it may do."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import answers, endpoint
from governance.ledger.events import stamp
from governance.scopes.models import LEVELS
from governance.scopes.queries import names_of, own_key
from governance.scopes.rules import ACTIONS


class TenantShape(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    zone = serializers.CharField()


class AgentShape(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()


class GrantShape(serializers.Serializer):
    action = serializers.ChoiceField(choices=[(a, a) for a in ACTIONS])
    level = serializers.ChoiceField(choices=[(level, level) for level in LEVELS])
    project = serializers.CharField(allow_null=True, help_text="The only project, null for all.")


class MeShape(serializers.Serializer):
    """What a key is and may do."""

    key = serializers.CharField()
    tenant = TenantShape()
    agent = AgentShape()
    grants = GrantShape(many=True)
    users = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="The only users it serves, null for all."
    )
    sources = serializers.ListField(child=serializers.CharField(), help_text="Sources it may speak for, beside users.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)


@extend_schema(
    operation_id="me",
    summary="Who this key is and what it may do",
    tags=["keys"],
    responses=answers({200: MeShape}, body=False),
)
@endpoint("GET")
def me(request: Request) -> Response:
    by = actor_of(request)
    key = own_key(by)
    tenant = key.agent.tenant
    names = names_of(by, subjects=key.users or (), projects=[project for _, _, project in key.grants if project])
    return Response(
        {
            "key": key.id,
            "tenant": {"id": tenant.id, "name": tenant.name, "zone": tenant.zone},
            "agent": {"id": key.agent_id, "name": key.agent.name},
            "grants": [{"action": a, "level": level, "project": names.get(p) or None} for a, level, p in key.grants],
            "users": None if key.users is None else [names.get(user, "") for user in key.users],
            "sources": key.sources,
            "created_at": stamp(key.created_at),
            "expires_at": stamp(key.expires_at),
        }
    )
