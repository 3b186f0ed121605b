"""To forget, and to show it. State: ForgetRequest. Work: ForgetPlan, StoreRow, Survey, Needle; ForgetReport is work
that is kept: its hash is in the ledger. Keyring: ErasureJournal."""

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q

from governance.erasure.rules import FOUND_AGAIN
from governance.ledger.models import Content, State, StateQuerySet
from governance.scopes.models import Scope, Subject, Tenant

STATUSES = (
    "received",
    "verified",
    "planned",
    "approved",
    "executing",
    "verifying",
    "complete",
    "partial",
    "refused",
)
OPEN = ("received", "verified", "planned", "approved", "executing", "verifying", "partial")
BEFORE_APPROVAL = ("received", "verified", "planned")
RUNNING = ("approved", "executing", "verifying")
MODES = ("retract", "erase")
CHANNELS = ("api", "page", "command", "tool")
METHODS = ("signed-in", "agent-attested", "document", "call-back", "known-contact", "court-order", "not-needed")
REFUSALS = (
    "nothing-matched",
    "already-erased",
    "identity-not-shown",
    "legal-obligation",
    "legal-claims",
    "unfounded",
    "withdrawn",
)
EXTENSIONS = ("complexity", "number-of-requests")


class ForgetRequestQuerySet(StateQuerySet):
    def open(self) -> "ForgetRequestQuerySet":
        return self.filter(status__in=OPEN)

    def with_found_again(self) -> "ForgetRequestQuerySet":
        """With `found_again`: whether a look found something, and none since then found nothing."""
        return self.annotate(found_again=Exists(_found_again()))

    def to_be_seen(self) -> "ForgetRequestQuerySet":
        """Open ones, and those of which something was found again."""
        return self.with_found_again().filter(Q(status__in=OPEN) | Q(found_again=True))


def _found_again() -> models.QuerySet[Any]:
    """Return the looks at a request (of an outer query) that found something, none after them finding nothing."""
    looks = ForgetReport.objects.filter(kind="again")
    later = looks.filter(request=OuterRef("request"), number__gt=OuterRef("number"), document__sound=True)
    return looks.filter(~Exists(later), request=OuterRef("pk"), document__grounds__0=FOUND_AGAIN)


class ForgetRequest(State):
    """A wish to be forgotten, from its receipt to its report. What names anybody is sealed in `content`, and goes."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT)
    version = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=12, choices=[(s, s) for s in STATUSES])
    mode = models.CharField(max_length=10, choices=[(m, m) for m in MODES])
    channel = models.CharField(max_length=10, choices=[(c, c) for c in CHANNELS])
    kinds = models.JSONField(default=list)  # what it names: user, scope, keys, memory_ids, words
    content = models.ForeignKey(Content, on_delete=models.PROTECT)  # {"selector", "requester", "reason"}
    selector_mac = models.BinaryField(max_length=32, default=b"")
    subject = models.ForeignKey(Subject, null=True, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, null=True, on_delete=models.PROTECT)
    whole_person = models.BooleanField(default=False)
    filed_by = models.CharField(max_length=80)
    filed_owner = models.CharField(max_length=40)  # the person answerable for it
    received_at = models.DateTimeField()
    due_at = models.DateTimeField()
    extension = models.CharField(max_length=30, default="", choices=[(e, e) for e in EXTENSIONS])
    identity = models.CharField(max_length=20, default="", choices=[(m, m) for m in METHODS])
    verified_by = models.CharField(max_length=80, default="")
    verified_at = models.DateTimeField(null=True)
    plan_hash = models.CharField(max_length=64, default="")
    planned_at = models.DateTimeField(null=True)
    planned_seq = models.BigIntegerField(null=True)
    approved_by = models.CharField(max_length=80, default="")
    approved_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    grounds = models.JSONField(default=list)  # why it is refused or partial: codes
    reports = models.PositiveIntegerField(default=0)
    report_sha256 = models.CharField(max_length=64, default="")
    joined = models.PositiveIntegerField(default=0)  # duplicates that were joined to it
    created_seq = models.BigIntegerField()

    objects = ForgetRequestQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        indexes = [models.Index(fields=["tenant", "status", "due_at"], name="forget_due")]


class ForgetPlan(models.Model):
    """What a request would touch, store by store, and which rows that is: ids, codes and counts. Work table."""

    request = models.OneToOneField(ForgetRequest, primary_key=True, on_delete=models.CASCADE, related_name="plan")
    document = models.JSONField()
    reach = models.JSONField()
    made_at = models.DateTimeField()


class StoreRow(models.Model):
    """How far one store has come in one request: counts, codes and times. Work table; the report keeps what it says."""

    STATES = ("waiting", "done", "failed")

    id = models.BigAutoField(primary_key=True)
    request = models.ForeignKey(ForgetRequest, on_delete=models.CASCADE, related_name="stores")
    place = models.PositiveSmallIntegerField()
    store = models.CharField(max_length=30)
    version = models.PositiveIntegerField(default=1)
    method = models.CharField(max_length=20, default="")
    state = models.CharField(max_length=10, default="waiting", choices=[(s, s) for s in STATES])
    passes = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    erased = models.PositiveIntegerField(default=0)
    restricted = models.PositiveIntegerField(default=0)
    retained = models.PositiveIntegerField(default=0)
    absent = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    left = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=40, default="")
    error = models.CharField(max_length=80, default="")
    worker = models.CharField(max_length=80, default="")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["place"]
        constraints = [models.UniqueConstraint(fields=["request", "store"], name="forget_store_once")]


class Survey(models.Model):
    """Hashes of every row of a table as it was before an erasure: what bystanders are compared with. Work table."""

    id = models.BigAutoField(primary_key=True)
    request = models.ForeignKey(ForgetRequest, on_delete=models.CASCADE, related_name="+")
    table = models.CharField(max_length=40)
    keys = models.BinaryField()  # 8 bytes a row, ascending
    rows = models.BinaryField()  # 8 bytes a row, in the same order

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "table"], name="forget_survey_once")]


class Needle(models.Model):
    """What is looked for afterwards: texts and vectors, sealed under a key of their request alone. Work table."""

    id = models.BigAutoField(primary_key=True)
    request = models.ForeignKey(ForgetRequest, on_delete=models.CASCADE, related_name="+")
    part = models.PositiveIntegerField()
    nonce = models.BinaryField()
    ct = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "part"], name="forget_needle_once")]


class ForgetReport(models.Model):
    """What was found, signed. No words: its SHA-256 is an event of the chain. Kept."""

    KINDS = ("erasure", "again")

    id = models.BigAutoField(primary_key=True)
    request = models.ForeignKey(ForgetRequest, on_delete=models.PROTECT, related_name="written")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=[(k, k) for k in KINDS])
    document = models.JSONField()
    sha256 = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)  # Ed25519, hex
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "number"], name="forget_report_once")]

    @property
    def result(self) -> str:
        """Return what it says in a word: complete or partial; of a look sound, or the first reason why it is not."""
        if self.kind == "erasure":
            return str(self.document["status"])
        return "sound" if self.document["sound"] else str(self.document["grounds"][0])


class ErasureJournal(models.Model):
    """What an erasure reaches, written before its first destructive step: what a restored backup replays. Ids only."""

    keyring = True

    id = models.BigAutoField(primary_key=True)
    request = models.CharField(max_length=40, unique=True)
    tenant = models.CharField(max_length=40)
    written_at = models.DateTimeField()
    entry = models.JSONField()
    sha256 = models.CharField(max_length=64)
    done_at = models.DateTimeField(null=True)
