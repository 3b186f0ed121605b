"""What is remembered. State: Memory, About, Version (never updated), Derivation, Evidence, Period (what holds when)."""

from datetime import UTC, datetime

from django.db import models
from django.db.models import Exists, OuterRef, Q

from governance.evidence.models import Observation
from governance.ledger.models import Content, State, StateQuerySet
from governance.scopes.models import Agent, Scope, Subject, Tenant

KINDS = ("semantic", "episodic", "procedural")
SOURCES = (
    "business_system",
    "user_explicit",
    "project_document",
    "tool_result",
    "inferred_behaviour",
    "agent_guess",
    "reviewer",
    "summary",
)
REASONS = ("created", "confirmed", "correction", "delete-request", "resolution", "restored", "import")
# Those that a change may name: what is created or restored is known without being told.
NAMED_REASONS = ("confirmed", "correction", "delete-request", "resolution", "import")
# Those that only the product itself gives, beside them.
OWN_REASONS = ("invalidated", "rebuilt")
VALIDITIES = ("permanent", "until_date", "until_project_end", "until_replaced")

# The ends of time: an open bound is stored as one of these, so that no query asks about NULL.
BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
FOREVER = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


class MemoryQuerySet(StateQuerySet):
    """Named filters. What is retrievable is an allow-list: a live slot, not archived, a period that holds."""

    def of_scopes(self, scopes: list[str]) -> "MemoryQuerySet":
        return self.filter(scope__in=scopes)

    def live(self) -> "MemoryQuerySet":
        return self.filter(slot__isnull=False)

    def with_status(self, status: str, at: datetime) -> "MemoryQuerySet":
        """What has a status at a moment; none for a status that is not one (an allow-list, as everywhere)."""
        now = Period.objects.filter(memory=OuterRef("pk")).at(at)
        later = Period.objects.filter(memory=OuterRef("pk"), starts_at__gt=at)
        held = self.live().filter(erased=False, archived=False)
        closed = Q(scope__project__closed_at__lte=at)  # first: hardly ever so, and what follows has to be looked for
        with_project = closed & Exists(now.filter(version__validity="until_project_end"))  # no two periods hold at once
        ended = Q(scope__ended_at__isnull=False, scope__ended_at__lte=at)  # as `_status`: a session
        in_force = held.filter(Exists(now)).exclude(ended).exclude(with_project)
        match status:
            case "active":
                return in_force.filter(contested=False)
            case "conflicted":
                return in_force.filter(contested=True)
            case "scheduled":
                return held.filter(~Exists(now), Exists(later))
            case "expired":
                return held.exclude(Exists(later)).exclude(pk__in=in_force.values("pk"))
            case "archived":
                return self.live().filter(archived=True, erased=False)
            case "retracted":
                return self.filter(slot__isnull=True, erased=False)
            case "erased":
                return self.filter(erased=True)
        return self.none()


class Memory(State):
    """One key in one scope (or one slot of a multi-valued key), through all its versions; the id never changes."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, on_delete=models.PROTECT, related_name="memories")
    key_mac = models.BinaryField(max_length=32, default=b"")
    # '' for a single-valued key, an HMAC otherwise; NULL once retracted or erased.
    slot = models.BinaryField(max_length=32, null=True, default=b"")
    key_rule = models.CharField(max_length=80, default="")
    kind = models.CharField(max_length=10)
    latest = models.PositiveIntegerField()
    contested = models.BooleanField(default=False)
    demoted = models.BooleanField(default=False)
    archived = models.BooleanField(default=False)
    erased = models.BooleanField(default=False)
    shelved_at = models.DateTimeField(null=True)  # since when it is demoted, or retracted
    erasure_due = models.BooleanField(default=False)  # kept as long as its retention class says: to be erased
    always = models.BooleanField(default=False)
    binding = models.BooleanField(default=False)
    last_observed_at = models.DateTimeField()
    created_seq = models.BigIntegerField()

    objects = MemoryQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "key_mac", "slot"], name="memory_slot_once")]
        indexes = [
            models.Index(fields=["tenant", "-created_seq"], name="memory_listed"),
            models.Index(fields=["scope", "created_seq"], name="memory_of_scope"),
            models.Index(fields=["scope", "always"], name="memory_always", condition=Q(always=True)),
            models.Index(fields=["scope", "binding"], name="memory_binding", condition=Q(binding=True)),
        ]


class About(State):
    """A person a memory is about. The id is `memory.subject`."""

    id = models.CharField(primary_key=True, max_length=90)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="abouts")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="abouts")


class Version(State):
    """One stated value with its times and source; never updated. The id is `memory.number`."""

    id = models.CharField(primary_key=True, max_length=60)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)  # null: a tombstone
    tombstone = models.BooleanField(default=False)
    kind = models.CharField(max_length=10)
    source_type = models.CharField(max_length=20)
    confidence = models.FloatField()
    reason = models.CharField(max_length=20)
    # Nothing of the memory holds from `valid_from` on; its words are those of the version it closes.
    closes = models.BooleanField(default=False)
    # A correction says what was believed was wrong: it takes its predecessor's start.
    corrects = models.BooleanField(default=False)
    supersedes = models.PositiveIntegerField(null=True)
    restores = models.PositiveIntegerField(null=True)
    # A resolution was taken back: this takes the place of what it restores, and what came between was never so.
    undoes = models.BooleanField(default=False)
    observed_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    valid_from_assumed = models.BooleanField()
    validity = models.CharField(max_length=20)
    retention = models.CharField(max_length=20, default="standard")
    always = models.BooleanField(default=False)
    binding = models.BooleanField(default=False)
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT)
    created_by = models.CharField(max_length=80)
    candidate = models.CharField(max_length=40, default="")
    observation = models.ForeignKey(Observation, null=True, on_delete=models.PROTECT)
    value_mac = models.BinaryField(max_length=32, default=b"")
    seq = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "number"], name="version_number_once")]


class Derivation(State):
    """A version of a summary says what this version of another memory says. The id is `memory.version.source`."""

    id = models.CharField(primary_key=True, max_length=100)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="derivations")
    version = models.PositiveIntegerField()
    source = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="derived")
    source_version = models.PositiveIntegerField()


class Evidence(State):
    """One more observation that says the same; its quote is sealed. The id is that of its event."""

    id = models.CharField(primary_key=True, max_length=40)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="evidence")
    version = models.PositiveIntegerField()
    observation = models.ForeignKey(Observation, null=True, on_delete=models.PROTECT)
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)
    candidate = models.CharField(max_length=40, default="")
    added_at = models.DateTimeField()


class PeriodQuerySet(StateQuerySet):
    def at(self, moment: datetime) -> "PeriodQuerySet":
        """What holds at a moment: starts_at <= moment < ends_at."""
        return self.filter(starts_at__lte=moment, ends_at__gt=moment)


class Period(State):
    """What is now believed: this version holds from `starts_at` until just before `ends_at`. Never overlapping."""

    id = models.BigAutoField(primary_key=True)
    memory = models.ForeignKey(Memory, on_delete=models.PROTECT, related_name="periods")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="periods")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    objects = PeriodQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        indexes = [models.Index(fields=["memory", "starts_at"], name="period_of_memory")]
