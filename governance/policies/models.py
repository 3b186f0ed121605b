"""A tenant's versioned policy. State: PolicyVersion. Work: PolicyDraft."""

from django.db import models

from governance.ledger.models import State
from governance.scopes.models import Tenant


class PolicyVersion(State):
    """One published policy; `document` is configuration and names no person. The id is `tenant.number`."""

    id = models.CharField(primary_key=True, max_length=60)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    number = models.PositiveIntegerField()
    document = models.JSONField()
    published_by = models.CharField(max_length=80)
    published_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "number"], name="policy_number_once")]


class PolicyDraft(models.Model):
    """What administrators of a tenant work on until it is published. `version` grows with each change. Work table."""

    tenant = models.OneToOneField(Tenant, primary_key=True, on_delete=models.CASCADE, related_name="+")
    based_on = models.PositiveIntegerField()  # the policy it was begun from
    version = models.PositiveIntegerField(default=1)
    document = models.JSONField()
    edited_by = models.CharField(max_length=80)
    edited_at = models.DateTimeField()
