"""Setting one memory aside by hand: it holds no longer, is given only when asked for, or neither given nor listed."""

from datetime import datetime

from django.utils import timezone

from governance.errors import Invalid, NotAllowed, Retracted, Stale
from governance.ledger.writing import writing
from governance.memories import actions as memories
from governance.memories.events import MemoryAged
from governance.memories.models import Memory
from governance.scopes.rules import Actor

# Where a memory can be put: (demoted, archived).
PLACES = {"front": (False, False), "demote": (True, False), "archive": (True, True)}


def invalidate(memory: Memory, *, expected: int, by: Actor, at: datetime | None = None) -> Memory:
    """Return the memory, of which nothing holds from `at` (default: now) on; history keeps it.

    Raises NotAllowed, Stale, Retracted, Invalid for a time to come: that is a revision with `valid_to`.
    """
    _may_set_aside(memory, by)
    now = timezone.now()
    if at is not None and at > now:
        raise Invalid({"/at": "lies ahead"})
    with writing(by.tenant, by=by.id) as w:
        return memories.close(w, memory, at=at or now, said_at=now, expected=expected, by=by.id)


def put(memory: Memory, place: str, *, expected: int, by: Actor) -> Memory:
    """Return the memory, demoted, archived, or back in front. Raises NotAllowed, Stale, Retracted, Invalid."""
    _may_set_aside(memory, by)
    if place not in PLACES:
        raise Invalid({"/place": "must be one of " + ", ".join(PLACES)})
    demoted, archived = PLACES[place]
    with writing(by.tenant, by=by.id) as w:
        fresh = Memory.objects.get(pk=memory.pk)
        if fresh.latest != expected:
            raise Stale(fresh.latest)
        if fresh.slot is None:
            raise Retracted(current_version=fresh.latest)
        if (fresh.demoted, fresh.archived) == (demoted, archived):
            return fresh
        return memories.age(w, fresh, MemoryAged(demoted=demoted, archived=archived, due=False, step=place))


def _may_set_aside(memory: Memory, by: Actor) -> None:
    if not by.may("set-binding" if memory.binding else "decide") or memory.tenant_id != by.tenant:
        raise NotAllowed()
    if by.projects is not None and memory.scope.project_id not in by.projects:
        raise NotAllowed()
