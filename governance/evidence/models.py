"""What was said or returned. State: Observation. Keyring: Suppression (what was erased and is not taken in again)."""

from datetime import datetime, timedelta, timezone, tzinfo

from django.db import models

from governance.ledger.models import Content, State
from governance.scopes.models import Agent, Project, Scope, Subject, Tenant


class Observation(State):
    """One turn, or one result of a tool. Its words (`text`, `source_ref`) are sealed and already redacted."""

    ROLES = ("user", "assistant", "system", "tool")

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT)
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT)
    session = models.ForeignKey(Scope, null=True, on_delete=models.PROTECT)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT)
    role = models.CharField(max_length=10, choices=[(r, r) for r in ROLES])
    content = models.ForeignKey(Content, on_delete=models.PROTECT)
    recall = models.CharField(max_length=40, default="")
    placeholders = models.JSONField(default=list)  # categories that were masked
    occurred_at = models.DateTimeField()
    utc_offset = models.IntegerField(null=True)  # minutes, as it was said; null: the tenant's zone
    recorded_at = models.DateTimeField()
    seq = models.BigIntegerField()

    def said_at(self, zone: tzinfo) -> datetime:
        """Return when it was said, in the offset it was said in, else in the tenant's zone."""
        offset = zone if self.utc_offset is None else timezone(timedelta(minutes=self.utc_offset))
        return self.occurred_at.astimezone(offset)


class Suppression(models.Model):
    """A fingerprint of something erased on request, by which it is known again: a keyed HMAC, no words.

    It lies in the keyring, so that a restored backup of the data does not bring back what it blocks.
    """

    keyring = True
    KINDS = ("turn", "fact", "person")

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=40)
    mac = models.BinaryField(max_length=32)
    kind = models.CharField(max_length=10, choices=[(k, k) for k in KINDS])
    request = models.CharField(max_length=40)
    made_at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "mac", "request"], name="suppression_once")]
        indexes = [models.Index(fields=["tenant", "mac"], name="suppression_known")]
