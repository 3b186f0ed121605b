"""Who may do what, where. State: Tenant, Project, Participation, Subject, Scope, Agent, ApiKey, Membership.
Work: KeyUse, IdempotencyRow."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from governance.ledger.models import Content, State

LEVELS = ("session", "user", "agent", "project", "tenant", "global")  # narrow to wide
SYSTEM = "system"  # the reserved tenant that `global` belongs to


class Tenant(State):
    id = models.CharField(primary_key=True, max_length=40)
    name = models.CharField(max_length=80, unique=True)
    zone = models.CharField(max_length=60, default="UTC")


class Subject(State):
    """A person memories are about; the id a caller knows them by is sealed, found by its HMAC."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    external_mac = models.BinaryField(max_length=32)
    content = models.ForeignKey(Content, on_delete=models.PROTECT)
    # Grows when forgetting begins and when it has happened: work that began before, and ends after, is dropped.
    generation = models.PositiveIntegerField(default=1)
    fence = models.CharField(max_length=40, default="")  # the forget request under which nothing is written
    opted_out_at = models.DateTimeField(null=True)  # since when they want nothing to be remembered

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "external_mac"], condition=~Q(external_mac=b""), name="subject_once"
            )
        ]


class Project(State):
    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    external_mac = models.BinaryField(max_length=32)
    content = models.ForeignKey(Content, on_delete=models.PROTECT)  # {"project": id the caller uses, "name": shown}
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "external_mac"], condition=~Q(external_mac=b""), name="project_once"
            )
        ]


class Participation(State):
    """A subject belonging to a project. The id is `project.subject`, so that it is there once."""

    id = models.CharField(primary_key=True, max_length=90)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="participations")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="participations")


class Agent(State):
    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    suspended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="agent_name_once")]


class ApiKey(State):
    """A key of an agent. `grants`: a list of [action, level, project id or ""]; `users`: subject ids, null for all."""

    id = models.CharField(primary_key=True, max_length=40)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="keys")
    secret_hash = models.CharField(max_length=64)
    grants = models.JSONField(default=list)
    users = models.JSONField(null=True)
    sources = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class KeyUse(models.Model):
    """When a key was last used, to the minute. Work table."""

    key = models.OneToOneField(ApiKey, primary_key=True, on_delete=models.CASCADE, related_name="use")
    last_used_at = models.DateTimeField()


class Scope(State):
    """Where a memory holds: a level and exactly the parts that level needs, never a concatenated string."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    level = models.CharField(max_length=10, choices=[(x, x) for x in LEVELS])
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT)
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT)
    session_mac = models.BinaryField(max_length=32, default=b"")
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)  # {"session": …} of a session scope
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        # Asked of at every recall: neither how many people a tenant has nor how many sessions a person may count.
        indexes = [
            models.Index(fields=["tenant", "level"], name="scope_by_tenant"),
            models.Index(fields=["subject", "level", "session_mac"], name="scope_by_subject"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["subject", "session_mac"],
                condition=Q(level="session") & ~Q(session_mac=b""),
                name="session_scope_once",
            ),
            models.UniqueConstraint(fields=["subject"], condition=Q(level="user"), name="user_scope_once"),
            models.UniqueConstraint(fields=["agent"], condition=Q(level="agent"), name="agent_scope_once"),
            models.UniqueConstraint(fields=["project"], condition=Q(level="project"), name="project_scope_once"),
            models.UniqueConstraint(
                fields=["tenant", "level"], condition=Q(level__in=["tenant", "global"]), name="wide_scope_once"
            ),
        ]


class Membership(State):
    """A person's role in a tenant; `projects` limits a reviewer (null: all). The id is `tenant.user.role`."""

    ROLES = ("reviewer", "resolver", "compliance", "auditor", "administrator", "operator")

    id = models.CharField(primary_key=True, max_length=90)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=[(r, r) for r in ROLES])
    projects = models.JSONField(null=True)


class IdempotencyRow(models.Model):
    """The answer to a request that carried an Idempotency-Key: ids only, kept a day. Work table."""

    id = models.BigAutoField(primary_key=True)
    key_hash = models.CharField(max_length=64, unique=True)  # SHA-256 over API key, method, route and Idempotency-Key
    tenant = models.CharField(max_length=40)
    body_mac = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    resources = models.JSONField()  # list of ids, in the order of the answer
    expires_at = models.DateTimeField(db_index=True)
