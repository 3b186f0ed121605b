"""The one way to change state: lock the head, record events, save what their folds return."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from governance.errors import Busy
from governance.ledger import ids, sealing
from governance.ledger.events import DERIVED, FOLDS, Derived, Recorded, canonical, chain_hash, data_of, stamp
from governance.ledger.models import Content, Event, Head, Outbox, State, folding
from governance.ledger.sealing import NO_WORDS, Sealed, Words

# Set by a door for the length of a request.
correlation: ContextVar[str] = ContextVar("correlation", default="")
# What a door wants committed in the same transaction as the work it asked for (its idempotency row).
companions: ContextVar[tuple[Callable[["Writing"], None], ...]] = ContextVar("companions", default=())

T = TypeVar("T")


class Moved(Exception):
    """What was judged has changed before it could be written: judge again."""


@dataclass
class Writing:
    """An open transaction on one tenant's chain."""

    tenant: str
    by: str
    head: Head
    now: datetime
    recorded: list[Recorded] = field(default_factory=list)
    _events: list[Event] = field(default_factory=list)
    _debts: list[Outbox] = field(default_factory=list)
    _kept: dict[str, Sealed] = field(default_factory=dict)

    def record(
        self,
        event: Any,
        *,
        stream: str,
        contents: Sequence[Sealed] = (),
        keeping: Sequence[str] = (),
        row: State | None = None,
        occurred_at: datetime | None = None,
    ) -> Any:
        """Record one event and return the row it folds into first (None for an event without state).

        `contents` are words sealed for this event; `keeping` are ids of words already recorded that it passes on.
        `row` saves the read when the caller holds the row already.
        """
        for sealed in contents:
            self.keep(sealed)
        digests = {s.id: s.digest for s in contents} | self._digests(keeping)
        recorded = self._chain(event, stream, digests, occurred_at)
        words = self.words(recorded.contents[0]) if recorded.contents else NO_WORDS
        folded = [self._fold(target, recorded, words, row) for target in FOLDS.get(recorded.type, [])]
        if recorded.type in DERIVED:
            derive(DERIVED[recorded.type], recorded.stream, folded)
        return folded[0] if folded else None

    def keep(self, sealed: Sealed) -> str:
        """Store words that a later event of this writing passes on, and return their id."""
        sealed.row().save(force_insert=True)
        self._kept[sealed.id] = sealed
        return sealed.id

    def words(self, content: str) -> Words:
        """Return some words opened, without asking for those that this writing stored itself."""
        if content in self._kept:
            return sealing.words_of(self._kept[content])
        return sealing.unseal([content]).get(content, NO_WORDS)

    def owe(self, topic: str, ref: str, *, scope: str = "", due_at: datetime | None = None) -> None:
        """Note work that follows the commit; it commits with the fact, or neither does."""
        self._debts.append(
            Outbox(topic=topic, tenant=self.tenant, scope=scope, ref=ref, due_at=due_at or timezone.now())
        )

    def _chain(self, event: Any, stream: str, digests: dict[str, str], occurred_at: datetime | None) -> Recorded:
        head, now = self.head, max(timezone.now(), self.now)
        if head.recorded_at is not None:
            now = max(now, head.recorded_at + timedelta(microseconds=1))
        recorded = Recorded(
            id=ids.new("evt"),
            tenant=self.tenant,
            seq=head.seq + 1,
            type=event.TYPE,
            stream=stream,
            actor=self.by,
            occurred_at=occurred_at or now,
            recorded_at=now,
            causation=self.recorded[-1].id if self.recorded else "",
            correlation=correlation.get(),
            event=event,
            contents=tuple(digests),
        )
        header = header_of(recorded, digests)
        prev = bytes(head.hash)
        head.seq, head.hash, head.recorded_at = recorded.seq, chain_hash(self.tenant, recorded.seq, prev, header), now
        self._events.append(event_row(recorded, header, prev, head.hash))
        self.recorded.append(recorded)
        return recorded

    def _digests(self, content_ids: Sequence[str]) -> dict[str, str]:
        known = {i: self._kept[i].digest for i in content_ids if i in self._kept}
        asked = [i for i in content_ids if i not in known]
        rows = Content.objects.filter(id__in=asked) if asked else []
        return known | {row.id: sealing.digest(row.kid, row.nonce, row.ct) for row in rows}

    def _fold(self, target: Any, recorded: Recorded, words: Words, row: State | None) -> State:
        key = target.key(recorded)
        if target.is_new(recorded):
            row = None
        elif not (isinstance(row, target.model) and row.pk == key):
            row = target.model.objects.filter(pk=key).first()
        known = row is not None
        folded: State = target.fold(row, recorded, words)
        with folding_allowed():
            if folded is None:
                if row is not None:
                    row.delete()
            else:
                folded.save(force_insert=not known)
        return folded

    def finish(self) -> None:
        Event.objects.bulk_create(self._events)
        Outbox.objects.bulk_create(self._debts)
        self.head.save()
        for companion in companions.get():
            companion(self)


def derive(derived: Derived, group: str, folded: Sequence[Any] = ()) -> None:
    """Lay the rows of one group anew; where `folded` shows its only source, there is nothing to look for."""
    first = [row for row in folded if isinstance(row, derived.source) and derived.is_first(row)]
    source = first or list(derived.source.objects.filter(**{derived.group: group}))
    with folding_allowed():
        if not first:
            derived.into.objects.filter(**{derived.group: group}).delete()
        derived.into.objects.bulk_create(derived.compute(source))


def header_of(recorded: Recorded, digests: dict[str, str]) -> bytes:
    """Return the canonical bytes of an event: ids, codes, numbers and times; of its words only their digests."""
    return canonical(
        {
            "id": recorded.id,
            "tenant": recorded.tenant,
            "seq": recorded.seq,
            "type": recorded.type,
            "stream": recorded.stream,
            "actor": recorded.actor,
            "occurred_at": stamp(recorded.occurred_at),
            "recorded_at": stamp(recorded.recorded_at),
            "causation": recorded.causation,
            "correlation": recorded.correlation,
            "data": data_of(recorded.event),
            "contents": digests,
        }
    )


def event_row(recorded: Recorded, header: bytes, prev_hash: bytes, own_hash: bytes) -> Event:
    return Event(
        id=recorded.id,
        tenant=recorded.tenant,
        seq=recorded.seq,
        prev_hash=prev_hash,
        hash=own_hash,
        header=header,
        type=recorded.type,
        stream=recorded.stream,
        actor=recorded.actor,
        correlation=recorded.correlation,
        recorded_at=recorded.recorded_at,
    )


@contextmanager
def folding_allowed() -> Iterator[None]:
    """Let state be written: for folds, and for a rebuild from them."""
    token = folding.set(True)
    try:
        yield
    finally:
        folding.reset(token)


def _locked_head(tenant: str) -> Head:
    heads = Head.objects.select_for_update().filter(tenant=tenant)
    head = heads.first()
    if head is None:
        Head.objects.get_or_create(tenant=tenant)
        head = heads.get()
    return head


# SQLite has one writer, and who finds it taken sleeps ever longer; threads of one process wait in line instead.
_line = threading.RLock()
LINE_SECONDS = 5
AGAIN_SECONDS = 2 * LINE_SECONDS  # for judging and writing


@contextmanager
def _in_line(seconds: float = LINE_SECONDS) -> Iterator[None]:
    """Let one thread of this process in at a time, others after it. Raises Busy."""
    if not _line.acquire(timeout=seconds):
        raise Busy(retry_after=1)
    try:
        yield
    finally:
        _line.release()


def _turn() -> AbstractContextManager[None]:
    return _in_line() if connection.vendor == "sqlite" else nullcontext()


@contextmanager
def writing(tenant: str, *, by: str) -> Iterator[Writing]:
    """Open the transaction in which state may change: atomic, the tenant's head locked first.

    Yields a Writing. Raises Busy when the lock is not had within the database's time limit.
    """
    try:
        with _turn(), transaction.atomic():
            open_writing = Writing(tenant=tenant, by=by, head=_locked_head(tenant), now=timezone.now())
            yield open_writing
            if open_writing.recorded:
                open_writing.finish()
    except OperationalError as error:
        if "locked" in str(error) or "timeout" in str(error):
            raise Busy(retry_after=1) from error
        raise


def judged_again(work: Callable[[], T]) -> T:
    """Run gather-judge-act, again when what was judged moved in between.

    Where many write to one thing, all would judge and all but one would have judged in vain: who has to judge again
    does so in line, one of this process after the other. Raises Busy after AGAIN_SECONDS in line, and as long there.
    """
    try:
        return work()
    except Moved:
        pass
    with _in_line(AGAIN_SECONDS):
        end = time.monotonic() + AGAIN_SECONDS
        while time.monotonic() < end:
            try:
                return work()
            except Moved:
                continue  # another process wrote
    raise Busy(retry_after=1)
