"""Ageing. State: Hold (what may not be erased or swept), Sweep and Swept (a run, and what it changed).
Work: Use, UseMark (what agents were given), SweepLook (what a sweep would do)."""

from django.db import models
from django.db.models import Q

from governance.ledger.models import Content, State, StateQuerySet
from governance.memories.models import Memory
from governance.scopes.models import Project, Scope, Subject, Tenant

GROUNDS = ("litigation", "regulator", "investigation", "contract", "other")
# What a sweep does to one thing, in the order in which it comes to it.
STEPS = ("end-session", "expire", "demote", "archive", "mark-due")


class HoldQuerySet(StateQuerySet):
    def in_force(self) -> "HoldQuerySet":
        return self.filter(lifted_at=None)


class Hold(State):
    """A legal hold on a person, a project or one memory; with none of them, on the whole tenant."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT, related_name="holds")
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="holds")
    memory = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="holds")
    ground = models.CharField(max_length=20, choices=[(g, g) for g in GROUNDS])
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)  # {"note": …}
    placed_by = models.CharField(max_length=80)
    placed_at = models.DateTimeField()
    lifted_by = models.CharField(max_length=80, default="")
    lifted_at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()

    objects = HoldQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        indexes = [models.Index(fields=["tenant"], name="hold_in_force", condition=Q(lifted_at=None))]


class Sweep(State):
    """One run over a tenant's memories, and its report: numbers and ids only."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    policy_version = models.PositiveIntegerField()
    begun_by = models.CharField(max_length=80)
    begun_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    counts = models.JSONField(default=dict)
    undo_by = models.CharField(max_length=80, default="")
    undo_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    undone = models.JSONField(default=dict)
    seq = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "-seq"], name="sweep_listed")]

    @property
    def is_running(self) -> bool:
        return self.finished_at is None or (self.undo_at is not None and self.undone_at is None)


class Swept(State):
    """What one sweep did to one memory, or to the session of one scope. The id is `sweep.thing`."""

    id = models.CharField(primary_key=True, max_length=90)
    sweep = models.ForeignKey(Sweep, on_delete=models.PROTECT, related_name="swept")
    memory = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="+")
    scope = models.ForeignKey(Scope, null=True, on_delete=models.PROTECT, related_name="+")
    step = models.CharField(max_length=12, choices=[(s, s) for s in STEPS])
    undone_at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["sweep", "seq"], name="swept_in_order")]


class Use(models.Model):
    """How often recalls found a memory and how often it was given to an agent. Work table, fed from the traces."""

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE, related_name="use")
    recalled = models.PositiveIntegerField(default=0)
    injected = models.PositiveIntegerField(default=0)
    last_injected_at = models.DateTimeField(null=True)


class UseMark(models.Model):
    """Up to which recall the traces are counted. Work table of one row."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    recall = models.CharField(max_length=40, default="")


class SweepLook(models.Model):
    """What a sweep would do to a tenant, as last looked. Work table."""

    tenant = models.OneToOneField(Tenant, primary_key=True, on_delete=models.CASCADE, related_name="+")
    asked_by = models.CharField(max_length=80)
    asked_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True)
    policy_version = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)
    samples = models.JSONField(default=list)  # [{step, memory, priority}]
