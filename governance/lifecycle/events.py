"""What can happen to memories as they age."""

from typing import Any

from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words
from governance.lifecycle.models import Hold, Sweep, Swept
from governance.memories.events import MemoryAged
from governance.scopes.events import SessionEnded, SessionReopened


@event("hold-placed")
class HoldPlaced:
    """Nothing it covers is erased or swept until it is lifted; its note is sealed."""

    ground: str
    subject: str | None = None
    project: str | None = None
    memory: str | None = None


@event("hold-lifted")
class HoldLifted:
    pass


@event("sweep-begun")
class SweepBegun:
    policy_version: int


@event("sweep-finished")
class SweepFinished:
    """`counts`: how many things each step changed, how many memories were looked at and how many are held."""

    counts: dict[str, Any]


@event("sweep-undo-begun")
class SweepUndoBegun:
    pass


@event("sweep-undone")
class SweepUndone:
    """`counts`: how many changes of each step were taken back, and `left`: what has moved on since."""

    counts: dict[str, Any]


@folds(HoldPlaced, HoldLifted, into=Hold)
def hold(row: Hold | None, r: Recorded, words: Words) -> Hold:
    if row is not None:
        row.lifted_by, row.lifted_at = r.actor, r.recorded_at
        return row
    return Hold(
        id=r.stream,
        tenant_id=r.tenant,
        subject_id=r.event.subject,
        project_id=r.event.project,
        memory_id=r.event.memory,
        ground=r.event.ground,
        content_id=r.contents[0] if r.contents else None,
        placed_by=r.actor,
        placed_at=r.recorded_at,
        seq=r.seq,
    )


@folds(SweepBegun, SweepFinished, SweepUndoBegun, SweepUndone, into=Sweep)
def sweep(row: Sweep | None, r: Recorded, words: Words) -> Sweep:
    e = r.event
    if row is None:
        return Sweep(
            id=r.stream,
            tenant_id=r.tenant,
            policy_version=e.policy_version,
            begun_by=r.actor,
            begun_at=r.recorded_at,
            seq=r.seq,
        )
    if isinstance(e, SweepFinished):
        row.finished_at, row.counts = r.recorded_at, dict(e.counts)
    elif isinstance(e, SweepUndoBegun):
        row.undo_by, row.undo_at = r.actor, r.recorded_at
    else:
        row.undone_at, row.undone = r.recorded_at, dict(e.counts)
    return row


def _is_first(r: Recorded) -> bool:
    return not (isinstance(r.event, SessionReopened) or getattr(r.event, "undoes", False))


@folds(
    MemoryAged,
    SessionEnded,
    SessionReopened,
    into=Swept,
    key=lambda r: f"{r.event.sweep}.{r.stream}",
    is_new=_is_first,
)
def swept(row: Swept | None, r: Recorded, words: Words) -> Swept | None:
    """Return what a sweep did; None for what no sweep did."""
    if row is not None:
        row.undone_at = r.recorded_at
        return row
    if not r.event.sweep:
        return None
    is_memory = isinstance(r.event, MemoryAged)
    return Swept(
        id=f"{r.event.sweep}.{r.stream}",
        sweep_id=r.event.sweep,
        memory_id=r.stream if is_memory else None,
        scope_id=None if is_memory else r.stream,
        step=r.event.step if is_memory else "end-session",
        seq=r.seq,
    )
