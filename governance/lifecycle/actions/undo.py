"""Taking a sweep back: everything that has not moved on since, until something is erased."""

from collections import Counter
from collections.abc import Callable, Sequence

from governance.candidates.events import CandidateExpired
from governance.candidates.models import Candidate
from governance.errors import AlreadyDecided, InProgress, NotAllowed
from governance.ledger.writing import Writing, writing
from governance.lifecycle.events import SweepUndoBegun, SweepUndone
from governance.lifecycle.models import Sweep, Swept
from governance.memories import actions as memories
from governance.memories.events import MemoryAged
from governance.memories.models import Memory, Version
from governance.scopes import actions as scopes
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

TOPIC = "sweep"
AT_ONCE = 200


def begin_undo(sweep: Sweep, *, by: Actor) -> Sweep:
    """Return the sweep that the worker will take back. Raises NotAllowed, InProgress, AlreadyDecided once it was."""
    if not by.may("sweep") or sweep.tenant_id != by.tenant:
        raise NotAllowed()
    return begin_undo_for(sweep, by=by.id)


def begin_undo_for(sweep: Sweep, *, by: str) -> Sweep:
    """Return the sweep that will be taken back for somebody or an operator."""
    with writing(sweep.tenant_id, by=by) as w:
        fresh = Sweep.objects.get(pk=sweep.pk)
        if fresh.is_running:
            raise InProgress("This sweep is still under way.")
        if fresh.undone_at is not None:
            raise AlreadyDecided("This sweep was undone already.")
        begun: Sweep = w.record(SweepUndoBegun(), stream=fresh.id, row=fresh)
        w.owe(TOPIC, fresh.id)
    return begun


def carry_out(sweep: Sweep, note: Callable[[], None] = lambda: None) -> Sweep:
    """Return the sweep, taken back; what has moved on since is left as it is, and counted."""
    ids = list(Swept.objects.filter(sweep=sweep, undone_at=None).order_by("-seq").values_list("pk", flat=True))
    total = Counter[str]()
    for start in range(0, len(ids), AT_ONCE):
        total += _take_back(sweep, ids[start : start + AT_ONCE])
        note()
    with writing(sweep.tenant_id, by=sweep.undo_by) as w:
        if closed := _close_summaries(w, sweep):
            total["summaries"] = closed
        done: Sweep = w.record(SweepUndone(counts=dict(total)), stream=sweep.id)
    return done


def _take_back(sweep: Sweep, chunk: Sequence[str]) -> Counter[str]:
    counts = Counter[str]()
    with writing(sweep.tenant_id, by=sweep.undo_by) as w:
        rows = list(Swept.objects.filter(pk__in=chunk, undone_at=None).select_related("memory", "scope"))
        latest = _closing([row.memory for row in rows if row.step == "expire" and row.memory])
        for row in rows:
            if row.memory is not None:
                undone = _bring_back(w, sweep, row.memory, row.step, is_closed=row.memory.id in latest)
            else:
                undone = _reopen(w, sweep, row.scope)
            counts[row.step if undone else "left"] += 1
    return counts


def _closing(rows: Sequence[Memory]) -> set[str]:
    """Return which of some memories are closed by their latest version."""
    ids = [f"{m.id}.{m.latest}" for m in rows]
    return set(Version.objects.filter(pk__in=ids, closes=True).values_list("memory", flat=True))


def _reopen(w: Writing, sweep: Sweep, scope: Scope | None) -> bool:
    if scope is None or scope.ended_at is None:
        return False
    scopes.reopen_session(w, scope, sweep=sweep.id)
    return True


def _bring_back(w: Writing, sweep: Sweep, memory: Memory, step: str, *, is_closed: bool) -> bool:
    """Return whether a step was taken back: only where the memory is still as the step left it."""
    demoted, archived, due = memory.demoted, memory.archived, memory.erasure_due
    as_left = {
        "demote": demoted and not archived and not due,
        "archive": archived and not due,
        "mark-due": due,
        "expire": is_closed and not demoted,
    }
    if memory.erased or not as_left[step] or (memory.slot is None and step != "mark-due"):
        return False
    if step == "expire":
        memory = memories.reopen(w, memory, expected=memory.latest, by=sweep.undo_by)
    back = MemoryAged(
        demoted=demoted and step != "demote",
        archived=archived and step != "archive",
        due=False,
        step=step,
        sweep=sweep.id,
        undoes=True,
    )
    memories.age(w, memory, back)
    return True


def _close_summaries(w: Writing, sweep: Sweep) -> int:
    """Close the proposals that say what this sweep put out of sight, as long as nobody decided about them."""
    swept = set(Swept.objects.filter(sweep=sweep).values_list("memory", flat=True))
    rows = Candidate.objects.open().filter(tenant=sweep.tenant_id, source_type="summary", proposed_by="system:sweep")
    closed = [row for row in rows if all(memory in swept for memory, _ in row.derived_from)]
    for row in closed:
        w.record(CandidateExpired(), stream=row.id, row=row)
    return len(closed)
