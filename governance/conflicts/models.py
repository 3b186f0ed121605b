"""Claims that cannot hold together. State."""

from django.db import models

from governance.evidence.models import Observation
from governance.ledger.models import Content, State
from governance.memories.models import Memory
from governance.scopes.models import Agent, Scope, Tenant

STATUSES = ("open", "asked", "resolved", "reversed", "erased")
UNSETTLED = ("open", "asked")
CHOICES = ("keep", "both", "merge", "none", "ask")


class Conflict(State):
    """One key of one scope about which claims disagree; `version` grows with every change of the item."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, on_delete=models.PROTECT)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="conflicts")
    key_rule = models.CharField(max_length=80, default="")
    kind = models.CharField(max_length=10, default="fact")  # fact, scope, time
    status = models.CharField(max_length=10, choices=[(s, s) for s in STATUSES])
    version = models.PositiveIntegerField(default=1)
    rule = models.CharField(max_length=40)  # the rule of precedence that could not decide
    question = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)  # {"question": …}
    opened_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.CharField(max_length=80, default="")
    choice = models.CharField(max_length=10, default="")
    chosen = models.CharField(max_length=40, default="")  # the claim kept
    wrote = models.JSONField(default=list)  # [[memory, version]]: what the resolution wrote, so that it can be undone
    note = models.ForeignKey(Content, null=True, on_delete=models.PROTECT, related_name="+")
    created_seq = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["memory"], condition=models.Q(status__in=UNSETTLED), name="conflict_open_once"
            )
        ]
        indexes = [models.Index(fields=["tenant", "status", "created_seq"], name="conflict_queue")]


class Claim(State):
    """One side of a conflict; its words are the content it was proposed with."""

    id = models.CharField(primary_key=True, max_length=40)
    conflict = models.ForeignKey(Conflict, on_delete=models.PROTECT, related_name="claims")
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)
    value_mac = models.BinaryField(max_length=32, default=b"")
    kind = models.CharField(max_length=10)
    source_type = models.CharField(max_length=20)
    confidence = models.FloatField()
    observed_at = models.DateTimeField()
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    validity = models.CharField(max_length=20)
    held_version = models.PositiveIntegerField(null=True)  # the memory's version this claim is; null: proposed
    candidate = models.CharField(max_length=40, default="")
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT)
    observation = models.ForeignKey(Observation, null=True, on_delete=models.PROTECT)
    made_by = models.CharField(max_length=80)
    seq = models.BigIntegerField()
