"""The searchable copy; disposable, rebuilt from the database. Work tables: Shard, ScopeShard, Entry, Mark, Removal,
Errand."""

from django.db import models

from governance.memories.models import Memory
from governance.scopes.models import Scope, Tenant


class Shard(models.Model):
    """A Chroma collection holding entries of some scopes of one tenant; `generation` grows when it is rebuilt."""

    id = models.BigAutoField(primary_key=True)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    model = models.CharField(max_length=80)
    dimension = models.PositiveIntegerField()
    generation = models.PositiveIntegerField(default=1)
    size = models.PositiveIntegerField(default=0)
    # Entries left it since it was last filled: what they were lies in its files until it is filled anew.
    dirty = models.BooleanField(default=False)
    own = models.BooleanField(default=False)  # holds one large scope and is asked without a filter

    @property
    def room(self) -> int:
        """Return the number that entries of this shard may still be added."""
        return max((LARGEST_OWN if self.own else LARGEST_SHARED) - self.size, 0)


LARGEST_SHARED = 2_500
LARGEST_OWN = 50_000


class ScopeShard(models.Model):
    """Which shard a scope's entries lie in. The id is the number that stands for the scope in that collection."""

    id = models.BigAutoField(primary_key=True)
    scope = models.ForeignKey(Scope, on_delete=models.CASCADE)
    shard = models.ForeignKey(Shard, on_delete=models.CASCADE, related_name="scopes")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "shard"], name="scope_shard_once")]


class Entry(models.Model):
    """One text made searchable: a version of a memory. Never changed but for its place: new bytes are a new row.

    The id in Chroma is `id`; no words here.
    """

    id = models.BigAutoField(primary_key=True)
    scope = models.ForeignKey(Scope, on_delete=models.CASCADE)
    shard = models.ForeignKey(Shard, null=True, on_delete=models.SET_NULL)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    vector = models.BinaryField(null=True)  # float16, unit length; null until embedded
    tokens = models.BinaryField()  # 8-byte keyed token hashes, in order
    model = models.CharField(max_length=80, default="")
    dimension = models.PositiveIntegerField(default=0)
    placed = models.BooleanField(default=False)  # Chroma has it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "number"], name="entry_once")]
        indexes = [models.Index(fields=["scope"], name="entry_of_scope")]


class Mark(models.Model):
    """Grows with every change of a scope's entries: what copies in memory are checked by."""

    scope = models.OneToOneField(Scope, primary_key=True, on_delete=models.CASCADE)
    epoch = models.PositiveBigIntegerField(default=0)


class Removal(models.Model):
    """An entry that is gone from the database and has yet to leave its collection."""

    id = models.BigAutoField(primary_key=True)
    shard = models.ForeignKey(Shard, on_delete=models.CASCADE)
    entry = models.BigIntegerField()


class Errand(models.Model):
    """Something a command asks of the process that holds the embedded index, and its answer: counts only."""

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)  # rebuild, drift
    asked_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)
    result = models.JSONField(default=dict)
