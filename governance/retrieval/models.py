"""Traces of recalls. Work table, kept for the retention window."""

from django.db import models

from governance.ledger.models import Content
from governance.scopes.models import Agent, Subject, Tenant

GIVEN = ("shown", "binding")  # fates of what an agent was given: in the block, or a rule above it


class Recall(models.Model):
    """One retrieval: what was asked (sealed), in which scopes, what was found, what was given and why not the rest."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.CASCADE)
    key = models.CharField(max_length=40, default="")
    request_id = models.CharField(max_length=80, default="")
    subject = models.ForeignKey(Subject, null=True, on_delete=models.SET_NULL)
    content = models.ForeignKey(Content, null=True, on_delete=models.SET_NULL)  # {"query": …, "keys": […]}
    scopes = models.JSONField(default=list)
    policy_version = models.PositiveIntegerField()
    asked_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True)
    known_at = models.DateTimeField(null=True)
    # [{memory, version, via, found_by, parts, score, fate, detail, values}]; ids, codes and numbers only
    hits = models.JSONField(default=list)
    tokens = models.PositiveIntegerField(default=0)
    timings = models.JSONField(default=dict)
    degraded = models.CharField(max_length=40, default="")

    class Meta:
        indexes = [models.Index(fields=["tenant", "-id"], name="recall_listed")]

    @property
    def given(self) -> int:
        """How many memories the agent was given."""
        return sum(hit["fate"] in GIVEN for hit in self.hits)
