"""What happened, in order, for ever; the words, sealed; and the keys that open them, in a database of their own.

Classes of table: *ledger* Event, Content, Head · *work* Outbox, LedgerCheck · *keyring* ContentKey, NamedKey,
SignedHead, PastHead, Quarantine.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import models
from django.db.models.base import ModelState
from django.db.models.fields import NOT_PROVIDED

folding: ContextVar[bool] = ContextVar("folding", default=False)


class NotFolded(RuntimeError):
    """Somebody tried to write state without an event: a fault of the program, never of its user."""


class StateQuerySet(models.QuerySet):
    """Reads only: state is written by `Writing.record`, one event at a time."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        if not folding.get():
            raise NotFolded(f"{self.model.__name__} is written through ledger.writing() alone")

    def update(self, **values: Any) -> int:
        self._refuse()
        return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        self._refuse()
        return super().delete()

    def bulk_create(self, objs: Any, *args: Any, **kwargs: Any) -> Any:
        self._refuse()
        return super().bulk_create(objs, *args, **kwargs)

    def bulk_update(self, objs: Any, *args: Any, **kwargs: Any) -> Any:
        self._refuse()
        return super().bulk_update(objs, *args, **kwargs)


@dataclass(frozen=True)
class Made:
    """What a new row of a model holds where nothing is said: values, and makers of values that can be changed."""

    names: frozenset[str]
    values: dict[str, Any]
    makers: dict[str, Callable[[], Any]]


@cache
def _made_of(model: type[models.Model]) -> Made:
    fields = {f.attname: f for f in model._meta.concrete_fields}
    makers = {name: f.default for name, f in fields.items() if callable(f.default) and f.default is not NOT_PROVIDED}
    values = {name: f.get_default() for name, f in fields.items() if name not in makers}
    return Made(frozenset(fields), values, makers)


class State(models.Model):
    """A row that is exactly the fold of the ledger; saving it outside a fold raises NotFolded."""

    objects = StateQuerySet.as_manager()

    class Meta:
        abstract = True

    def __init__(self, *args: Any, **columns: Any) -> None:
        """Take columns by name as folds give them; anything else as every model does, at three times the cost."""
        made = _made_of(type(self))
        if args or not columns.keys() <= made.names:
            super().__init__(*args, **columns)
            return
        self._state = ModelState()
        self.__dict__.update(made.values)
        self.__dict__.update({name: make() for name, make in made.makers.items() if name not in columns})
        self.__dict__.update(columns)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not folding.get():
            raise NotFolded(f"{type(self).__name__} is written through ledger.writing() alone")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        if not folding.get():
            raise NotFolded(f"{type(self).__name__} is written through ledger.writing() alone")
        return super().delete(*args, **kwargs)


class Content(models.Model):
    """Words, sealed once (AES-256-GCM); everything that needs them refers to this row. Ledger table."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.CharField(max_length=40)
    kid = models.CharField(max_length=40)
    nonce = models.BinaryField()
    ct = models.BinaryField()


class Event(models.Model):
    """One change of state. `header` is what the hash covers; the other columns are copies for filtering."""

    id = models.CharField(primary_key=True, max_length=40)
    tenant = models.CharField(max_length=40)
    seq = models.BigIntegerField()
    prev_hash = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    header = models.BinaryField()
    type = models.CharField(max_length=60)
    stream = models.CharField(max_length=40)
    actor = models.CharField(max_length=80)
    correlation = models.CharField(max_length=80)
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["seq"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "seq"], name="event_seq_once"),
            models.UniqueConstraint(fields=["tenant", "prev_hash"], name="event_no_fork"),
        ]
        indexes = [
            models.Index(fields=["tenant", "stream", "seq"], name="event_stream"),
            models.Index(fields=["tenant", "type", "seq"], name="event_type"),
            models.Index(fields=["tenant", "actor", "seq"], name="event_actor"),
        ]


class Head(models.Model):
    """The last event of a tenant's chain: the row every writer locks first."""

    tenant = models.CharField(primary_key=True, max_length=40)
    seq = models.BigIntegerField(default=0)
    hash = models.BinaryField(max_length=32, default=bytes(32))
    recorded_at = models.DateTimeField(null=True)


class Outbox(models.Model):
    """Where to look, for work that follows a commit: ids only, disposable, repeatable. Work table."""

    id = models.BigAutoField(primary_key=True)
    topic = models.CharField(max_length=20)
    tenant = models.CharField(max_length=40)
    scope = models.CharField(max_length=40, default="")
    ref = models.CharField(max_length=80)
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=80, default="")

    class Meta:
        indexes = [
            models.Index(fields=["topic", "due_at"], name="outbox_due"),
            models.Index(fields=["topic", "scope"], name="outbox_scope"),
            models.Index(fields=["topic", "ref"], name="outbox_ref"),
        ]


class LedgerCheck(models.Model):
    """One look at a tenant's chain, or at the state folded from it: codes, ids and numbers. Work table."""

    KINDS = ("chain", "state")

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=[(k, k) for k in KINDS])
    asked_by = models.CharField(max_length=80)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    events = models.BigIntegerField(default=0)  # read so far
    total = models.BigIntegerField(default=0)  # to read, as counted at the start
    unsigned = models.BigIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    findings = models.JSONField(default=list)  # the first of them: [{kind, at, detail}]

    class Meta:
        indexes = [models.Index(fields=["tenant", "kind", "-id"], name="check_of_tenant")]

    @property
    def is_sound(self) -> bool:
        return self.finished_at is not None and not self.found

    @property
    def percent(self) -> int:
        return min(99, 100 * self.events // self.total) if self.total else 0


class ContentKey(models.Model):
    """The data key of one Content, wrapped by the master key. Deleting it erases the words."""

    keyring = True

    kid = models.CharField(primary_key=True, max_length=40)
    subject = models.CharField(max_length=40, default="")
    scope = models.CharField(max_length=40, default="")
    wrapped = models.BinaryField()
    created = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["subject"], name="key_subject")]


class NamedKey(models.Model):
    """A key with a purpose: the HMAC key of a scope or tenant, the signing key; wrapped by the master key."""

    keyring = True

    name = models.CharField(primary_key=True, max_length=80)
    subject = models.CharField(max_length=40, default="")
    wrapped = models.BinaryField()
    created = models.DateTimeField()


class SignedHead(models.Model):
    """How far a tenant's chain had come when it was last signed (Ed25519): what truncation is detected by."""

    keyring = True

    tenant = models.CharField(primary_key=True, max_length=40)
    seq = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)
    signature = models.BinaryField()
    signed_at = models.DateTimeField()


class PastHead(models.Model):
    """A signed head that a restored database no longer reaches: kept, so that nobody can hide what was there."""

    keyring = True

    id = models.BigAutoField(primary_key=True)
    tenant = models.CharField(max_length=40)
    seq = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)
    signature = models.BinaryField()
    signed_at = models.DateTimeField()
    restored_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "seq", "hash"], name="past_head_once")]


class Quarantine(models.Model):
    """A restored database that nobody may be served from until erasures are replayed and all is verified. One row."""

    keyring = True

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    backup = models.CharField(max_length=80)
    began_at = models.DateTimeField()
