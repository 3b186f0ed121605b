"""What is proposed, and what policy and people answered. State: Candidate. Work: Waiting, Lease, PolicyTrial."""

from django.db import models

from governance.evidence.models import Observation
from governance.ledger.models import Content, State, StateQuerySet
from governance.memories.models import Memory
from governance.scopes.models import Agent, Scope, Tenant

STATUSES = (
    "pending",
    "deciding",
    "committed",
    "event_only",
    "rejected",
    "merged",
    "expired",
    "withdrawn",
    "erased",
)
OPEN = ("pending",)
REOPENABLE = ("rejected", "event_only", "expired")
RISKS = ("normal", "raised", "high")
OPERATIONS = ("remember", "revise", "retract", "restore")


class CandidateQuerySet(StateQuerySet):
    def open(self) -> "CandidateQuerySet":
        return self.filter(status__in=OPEN)


class Candidate(State):
    """A proposed memory with every stage's verdict. `version` grows with each change of the item itself."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, on_delete=models.PROTECT)
    version = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=12, choices=[(s, s) for s in STATUSES])
    outcome = models.CharField(max_length=12)
    lane = models.CharField(max_length=12, default="")
    level = models.CharField(max_length=10, default="")  # of its scope: what lists are narrowed by
    risk = models.CharField(max_length=8, default="normal", choices=[(r, r) for r in RISKS])
    held_back = models.BooleanField(default=False)  # one of a flood: kept out of the queue's list
    operation = models.CharField(max_length=10, default="remember")
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)
    kind = models.CharField(max_length=10)
    key_rule = models.CharField(max_length=80, default="")
    key_mac = models.BinaryField(max_length=32, default=b"")
    value_mac = models.BinaryField(max_length=32, default=b"")
    # As claimed, and as the server took it (never from the payload).
    claimed_source = models.CharField(max_length=20)
    source_type = models.CharField(max_length=20)
    confidence = models.FloatField()
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT)
    proposed_by = models.CharField(max_length=80)
    observation = models.ForeignKey(Observation, null=True, on_delete=models.PROTECT, related_name="candidates")
    observed_at = models.DateTimeField()
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    validity = models.CharField(max_length=20)
    retention = models.CharField(max_length=20, default="standard")
    reason = models.CharField(max_length=20)
    always = models.BooleanField(default=False)
    binding = models.BooleanField(default=False)
    subjects = models.JSONField(default=list)
    derived_from = models.JSONField(default=list)  # of a summary: [[memory, version], …]
    policy_version = models.PositiveIntegerField()
    score = models.JSONField(default=dict)
    verdicts = models.JSONField(default=list)  # [{stage, code, detail, outcome, values}]: never words of the proposal
    # What it means to change: the memory and the version it was judged against.
    target = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="proposals")
    target_version = models.PositiveIntegerField(null=True)
    restores = models.PositiveIntegerField(null=True)
    # What it became.
    memory = models.ForeignKey(Memory, null=True, on_delete=models.PROTECT, related_name="candidates")
    memory_version = models.PositiveIntegerField(null=True)
    conflict = models.CharField(max_length=40, default="")  # the conflict in which it is a claim
    duplicate_of = models.CharField(max_length=40, default="")
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=80, default="")
    decision_reason = models.CharField(max_length=40, default="")
    reopened_at = models.DateTimeField(null=True)  # last opened again after it was rejected or had expired
    decision_note = models.ForeignKey(Content, null=True, on_delete=models.PROTECT, related_name="+")
    created_seq = models.BigIntegerField()
    # A decision waits until it takes effect; until then nothing has come of it.
    verb = models.CharField(max_length=8, default="")  # approve, edit, reject
    takes_effect_at = models.DateTimeField(null=True)
    edited = models.ForeignKey(Content, null=True, on_delete=models.PROTECT, related_name="+")
    took_ms = models.PositiveIntegerField(null=True)  # from opening the item to deciding it
    # The first of two people; void once the item changes.
    approved_by = models.CharField(max_length=80, default="")
    # Put aside: "unsure", "needs-role", "snoozed".
    aside = models.CharField(max_length=10, default="")
    aside_by = models.CharField(max_length=80, default="")
    aside_until = models.DateTimeField(null=True)
    aside_role = models.CharField(max_length=20, default="")
    assigned_to = models.CharField(max_length=80, default="")

    objects = CandidateQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "status", "created_seq"], name="candidate_queue"),
            models.Index(fields=["tenant", "created_seq"], name="candidate_listed"),
            models.Index(fields=["scope", "key_mac", "status"], name="candidate_same"),
            models.Index(fields=["tenant", "operation", "created_at"], name="candidate_changes"),
            models.Index(fields=["tenant", "status", "decision_reason"], name="candidate_kept_out"),
            models.Index(fields=["tenant", "status", "held_back", "created_seq"], name="candidate_shown"),
            # What a day brought, by outcome and by agent, and what of it had been said already.
            models.Index(
                fields=["tenant", "created_at", "outcome", "agent", "duplicate_of", "status", "conflict"],
                name="candidate_by_day",
            ),
            models.Index(fields=["tenant", "decided_by", "decided_at"], name="candidate_decided"),
            models.Index(fields=["agent", "created_seq"], name="candidate_of_agent"),
            models.Index(fields=["duplicate_of"], name="candidate_echo"),
            # Every column that the queue is narrowed by, those first by which the few put aside and the hour in which
            # items become late are found: what the tally does not hold is counted without a look at a row.
            models.Index(
                fields=[
                    *("tenant", "status", "held_back", "aside_role", "aside_until", "created_at"),
                    *("level", "kind", "lane", "risk", "agent", "assigned_to"),
                ],
                name="candidate_facets",
            ),
        ]


class Waiting(models.Model):
    """How many proposals wait that were not put aside, by what the queue is narrowed by and the hour they came in.

    Work table: kept by triggers (`tally.py`), so it is as true as the rows it counts.
    """

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=40)
    hour = models.CharField(max_length=13)  # "2027-03-01 09", UTC
    level = models.CharField(max_length=10)
    kind = models.CharField(max_length=10)
    lane = models.CharField(max_length=12)
    risk = models.CharField(max_length=8)
    agent = models.CharField(max_length=40)
    assigned_to = models.CharField(max_length=80)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "hour", "level", "kind", "lane", "risk", "agent", "assigned_to"],
                name="waiting_counted_once",
            )
        ]


class Lease(models.Model):
    """Who has an item open to decide it. Work: no event, gone when it is not renewed."""

    candidate = models.CharField(primary_key=True, max_length=40)
    tenant = models.CharField(max_length=40)
    holder = models.CharField(max_length=80)
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "expires_at"], name="lease_living")]


class SavedFilter(State):
    """A way of looking at the queue that somebody keeps: facets in clear, name and words sealed."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    owner = models.CharField(max_length=80)
    is_shared = models.BooleanField(default=False)
    is_kept = models.BooleanField(default=True)  # False: made by a search, shown in no list
    facets = models.JSONField(default=dict)
    content = models.ForeignKey(Content, null=True, on_delete=models.PROTECT)
    created_seq = models.BigIntegerField()


class PolicyTrial(models.Model):
    """A draft tried on the last candidates: counts alone. Work table."""

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=40)
    based_on = models.PositiveIntegerField()  # the policy in force it was compared with
    draft_version = models.PositiveIntegerField()
    published_as = models.PositiveIntegerField(null=True)
    last = models.PositiveIntegerField()  # how many candidates it was asked for
    asked_by = models.CharField(max_length=80)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, default="")  # done; moved: the draft was changed before it could be tried
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["tenant", "-id"], name="trial_of_tenant")]

    @property
    def percent(self) -> int:
        return min(99, 100 * self.done // self.total) if self.total else 0

    @property
    def changed(self) -> int:
        return sum(self.counts.get("moves", {}).values())
