"""The catalogue of key rules: which keys a tenant knows, what people call them, how they behave."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.authentication import actor_of
from governance.api.endpoint import answers, endpoint
from governance.policies.fields import order_of
from governance.policies.queries import current


class KeyRuleShape(serializers.Serializer):
    """What a tenant says of the keys that match a pattern."""

    id = serializers.CharField()
    pattern = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField())
    aliases = serializers.ListField(child=serializers.CharField())
    cardinality = serializers.ChoiceField(choices=[("single", "single"), ("multi", "multi")])
    half_life_days = serializers.FloatField(allow_null=True)
    authority = serializers.CharField(allow_null=True)
    trust = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        allow_null=True,
        help_text="Sources, the most trusted first, equals together; null: the general order.",
    )


class KeysShape(serializers.Serializer):
    policy_version = serializers.IntegerField()
    results = KeyRuleShape(many=True)
    trust = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The general order of sources, the most trusted first, equals together.",
    )
    always_keys = serializers.ListField(
        child=serializers.CharField(), help_text="Patterns of keys that may be `always` without review."
    )


@extend_schema(
    operation_id="list_key_rules",
    summary="The catalogue of keys; other keys are allowed, single-valued",
    tags=["keys"],
    responses=answers({200: KeysShape}, body=False),
)
@endpoint("GET")
def keys(request: Request) -> Response:
    policy = current(actor_of(request).tenant)
    rules = [
        {
            "id": rule.id,
            "pattern": rule.pattern,
            "labels": dict(rule.labels),
            "aliases": list(rule.aliases),
            "cardinality": rule.cardinality,
            "half_life_days": rule.half_life_days,
            "authority": rule.authority or None,
            "trust": order_of(rule.trust) if rule.trust else None,
        }
        for rule in policy.key_rules
    ]
    answer = {"policy_version": policy.number, "results": rules, "trust": order_of(policy.trust)}
    return Response(answer | {"always_keys": list(policy.always_keys)})
