"""Whether the ledger is what was written: edit, gap, fork, truncation, rollback and lost words told apart."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from django.db import connections, router
from django.db.models import CharField, Model
from django.db.models.functions import Cast

from governance.ledger import sealing
from governance.ledger.actions import head_message
from governance.ledger.erasing import ERASED
from governance.ledger.events import chain_hash, stamp
from governance.ledger.models import Content, ContentKey, Event, Head, SignedHead

BATCH = 2000
KINDS = ("edit", "gap", "fork", "truncation", "rollback", "lost-words")
COPIES = ("id", "tenant", "seq", "type", "stream", "actor", "correlation")  # of the header, and `recorded_at`
LENGTH_OF_A_TIME = 27  # 2026-08-31T12:05:00.000000Z
REMEMBERED = 200_000  # contents whose digest is known, so that one that many events pass on is read once

# id, seq of the event that names it, digest it names
Named = tuple[str, int, str]


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it was written; `kind` is one of KINDS."""

    kind: str
    seq: int
    detail: str


@dataclass
class Report:
    """What was checked in one tenant's chain; sound when there are no findings. `unsigned` is a valid tail."""

    tenant: str
    events: int = 0
    unsigned: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.findings

    def find(self, kind: str, seq: int, detail: str) -> None:
        self.findings.append(Finding(kind, seq, detail))


def tenants() -> list[str]:
    """Return every tenant that has a chain, or had one: by its events, its head or its signed head."""
    found = set(Event.objects.order_by("tenant").values_list("tenant", flat=True).distinct())
    found |= set(Head.objects.filter(seq__gt=0).values_list("tenant", flat=True))
    return sorted(found | set(SignedHead.objects.values_list("tenant", flat=True)))


def verify(tenant: str, progress: Callable[[int], None] = lambda done: None) -> Report:
    """Return what a tenant's chain shows, read once from its first event to its last; it may grow meanwhile."""
    report = Report(tenant)
    # In this order: what is signed is headed, what is headed is written.
    signed = SignedHead.objects.filter(tenant=tenant).first()
    before = Head.objects.filter(tenant=tenant).first()
    walk = _Walk(report, watched={row.seq: b"" for row in (signed, before) if row is not None})
    for batch in _batches(tenant):
        _check_contents(walk, walk.over(batch))
        report.events += len(batch)
        progress(report.events)
    for content, seq in walk.keyless:
        if content not in walk.erased:
            report.find("lost-words", seq, "the key of its words is missing")
    after = Head.objects.filter(tenant=tenant).first()
    _check_end(walk, before, after)
    _check_signature(walk, signed)
    if report.sound:
        _check_time(walk, after)
    return report


def _batches(tenant: str) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield rows of (copies, time as text, prev_hash, hash, header) in order, page by page: no long transaction."""
    rows = Event.objects.filter(tenant=tenant).order_by("seq")
    # The time as the database writes it: making it a datetime costs more than all the rest of its row.
    rows = rows.annotate(time=Cast("recorded_at", CharField()))
    page = rows.values_list(*COPIES, "time", "prev_hash", "hash", "header")
    batch = list(page[:BATCH])
    while batch:
        yield batch
        batch = list(page.filter(seq__gt=batch[-1][2])[:BATCH])


class _Walk:
    """A walk along a chain: where it stands, and the hashes it met at some places."""

    def __init__(self, report: Report, watched: dict[int, bytes]) -> None:
        self.report, self.watched = report, watched
        self.seq, self.hash, self.time = 0, bytes(32), ""
        self.erased: set[str] = set()  # contents that an event of this chain says were erased
        self.keyless: list[tuple[str, int]] = []
        self._known: dict[str, str] = {}

    def over(self, batch: Sequence[tuple[Any, ...]]) -> list[Named]:
        """Check some rows, each against the one before it, and return the contents they name."""
        named: list[Named] = []
        for row in batch:
            self._follow(row[2], bytes(row[8]), bytes(row[9]))
            if row[3] == ERASED:
                self.erased.update((_parsed(bytes(row[10])) or {"data": {"contents": ()}})["data"]["contents"])
            for content, digest in self._contents(row).items():
                if self._known.get(content) != digest:
                    named.append((content, row[2], digest))
                    self._known[content] = digest
        if len(self._known) > REMEMBERED:
            self._known.clear()
        return named

    def _follow(self, seq: int, prev_hash: bytes, own_hash: bytes) -> None:
        if seq != self.seq + 1:
            self.report.find("gap", seq, f"events {self.seq + 1} to {seq - 1} are missing")
        elif prev_hash != self.hash:
            self.report.find("fork", seq, "does not follow the event before it")
        self.seq, self.hash = seq, own_hash
        if seq in self.watched:
            self.watched[seq] = own_hash

    def _contents(self, row: tuple[Any, ...]) -> dict[str, str]:
        """Check an event's bytes and columns, and return the digests of the contents it names."""
        self.time, raw = row[7], bytes(row[10])
        if chain_hash(row[1], row[2], bytes(row[8]), raw) != self.hash:
            self.report.find("edit", self.seq, "its bytes do not have its hash")
            return {}
        quick = _as_written(row, raw)
        if quick is not None:
            return quick
        header = _parsed(raw)
        if header is None:
            self.report.find("edit", self.seq, "its bytes are no header")
            return {}
        if wrong := _differing(header, row):
            self.report.find("edit", self.seq, "a copied column differs: " + ", ".join(wrong))
        return dict(header["contents"])


def _as_written(row: tuple[Any, ...], raw: bytes) -> dict[str, str] | None:
    """Return the contents of a header whose canonical bytes say what the columns say; None where that needs parsing.

    The order of the names is that of `canonical`; what lies between, the data, is nobody's copy.
    """
    id_, tenant, seq, type_, stream, actor, correlation, time, *_ = row
    text = raw.decode(errors="replace")
    first = f'{{"actor":"{actor}","causation":"'
    place = f'"seq":{seq},"stream":"{stream}","tenant":"{tenant}","type":"{type_}"}}'
    last = f'","recorded_at":"{time[:10]}T{time[11:26]}Z",{place}'
    opens = text.find('","contents":{', len(first)) + 14
    closes = text.find("}", opens)
    if not (
        text.startswith(first)
        and text.endswith(last)
        and text.endswith(f',"id":"{id_}","occurred_at":"', 0, len(text) - len(last) - LENGTH_OF_A_TIME)
        and text.startswith(f'}},"correlation":"{correlation}","data":{{', closes)
    ):
        return None
    return orjson.loads(text[opens - 1 : closes + 1]) if closes > opens else {}


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        header = orjson.loads(raw)
    except ValueError:
        return None
    whole = isinstance(header, dict) and header.keys() >= {*COPIES, "recorded_at", "contents"}
    return header if whole and isinstance(header["contents"], dict) else None


def _differing(header: dict[str, Any], row: tuple[Any, ...]) -> list[str]:
    wrong = [name for name, value in zip(COPIES, row, strict=False) if header[name] != value]
    return wrong if _same_time(header["recorded_at"], row[7]) else [*wrong, "recorded_at"]


def _same_time(canonical: str, column: str) -> bool:
    """Return whether a header's time is that of a column, as its database writes it."""
    if column[:10] == canonical[:10] and column[11:26] == canonical[11:26]:
        return True
    moment = _moment(column)
    return moment is not None and stamp(moment) == canonical


def _moment(text: str) -> datetime | None:
    """Return a time that a database wrote, in UTC; SQLite says no offset, PostgreSQL `+00`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _check_contents(walk: _Walk, named: Sequence[Named]) -> None:
    report = walk.report
    rows = {row[0]: row for row in _found(Content, ("id", "tenant", "kid", "nonce", "ct"), {n[0] for n in named})}
    keys = {row[0] for row in _found(ContentKey, ("kid",), {row[2] for row in rows.values()})}
    for content, seq, digest in named:
        _, tenant, kid, nonce, ct = rows.get(content, ("", "", "", b"", b""))
        if content not in rows:
            report.find("lost-words", seq, "its sealed words are missing")
        elif tenant != report.tenant or sealing.digest(kid, nonce, ct) != digest:
            report.find("edit", seq, "its sealed words were changed")
        elif kid not in keys:
            walk.keyless.append((content, seq))  # sound where the chain says so, here or further on


def _found(model: type[Model], columns: Sequence[str], ids: Collection[str]) -> list[tuple[Any, ...]]:
    """Return the rows with some ids (the first column). In SQL: thousands of parameters, a hundred times a second."""
    if not ids:
        return []
    connection = connections[router.db_for_read(model)]
    told: list[Any] = list(ids)
    is_listed = f"IN ({', '.join(['%s'] * len(ids))})"
    if connection.vendor == "postgresql":  # takes them as one
        is_listed, told = "= ANY(%s)", [told]
    query = f"SELECT {', '.join(columns)} FROM {model._meta.db_table} WHERE {columns[0]} {is_listed}"
    with connection.cursor() as cursor:
        cursor.execute(query, told)
        return list(cursor.fetchall())


def _check_end(walk: _Walk, before: Head | None, after: Head | None) -> None:
    """Check the head: as it was before the walk, an event on the way; as it is after it, no earlier than the end."""
    report, seq = walk.report, walk.seq
    if after is None:
        if seq:
            report.find("edit", seq, "the chain has no head")
        return
    if before is not None and before.seq > seq:
        report.find("truncation", seq, f"the chain ends here, its head stands at {before.seq}")
    elif after.seq < seq or before is not None and before.seq and walk.watched[before.seq] != bytes(before.hash):
        report.find("edit", seq, "the head is not that of the last event")


def _check_time(walk: _Walk, head: Head | None) -> None:
    if head is not None and head.seq == walk.seq > 0 and not _same_time(stamp(head.recorded_at) or "", walk.time):
        walk.report.find("edit", walk.seq, "the head does not have the time of the last event")


def _check_signature(walk: _Walk, signed: SignedHead | None) -> None:
    report, seq = walk.report, walk.seq
    if signed is None:
        report.unsigned = seq
        return
    try:
        message = head_message(signed.tenant, signed.seq, signed.hash)
        sealing.signing_key().public_key().verify(bytes(signed.signature), message)
    except InvalidSignature:
        report.find("edit", signed.seq, "the signature of the head is not ours")
        return
    if signed.seq > seq:
        already = any(f.kind == "truncation" for f in report.findings)
        if not already:
            report.find("rollback", seq, f"signed up to {signed.seq}, the database ends at {seq}")
    elif walk.watched[signed.seq] != bytes(signed.hash):
        report.find("fork", signed.seq, "is not the event that was signed here")
    report.unsigned = max(0, seq - signed.seq)
