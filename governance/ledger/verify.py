"""Whether the ledger is what was written: edit, gap, fork, truncation, rollback and lost words told apart."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from django.db.models import Model

from governance.ledger import pages, sealing
from governance.ledger.actions import head_message
from governance.ledger.erasing import ERASED
from governance.ledger.events import chain_hash
from governance.ledger.models import Content, ContentKey, Event, Head, SignedHead
from governance.ledger.pages import Row

KINDS = ("edit", "gap", "fork", "truncation", "rollback", "lost-words")
COPIES = ("id", "type", "stream", "actor", "correlation", "recorded_at")  # of the header, beside seq and tenant
COLUMNS = ("prev_hash", "hash", "header", *COPIES)
_ERASED = ERASED.encode()
_NOTHING = (b"", "", b"", b"")
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
    signed = _mark(report, SignedHead, "signature")
    before = _mark(report, Head, "recorded_at")
    walk = _Walk(report, watched={row.seq: b"" for row in (signed, before) if row is not None})
    for page in pages.log(tenant, COLUMNS):
        _check_contents(walk, walk.over(page))
        report.events += len(page)
        progress(report.events)
    for content, seq in walk.keyless:
        if content not in walk.erased:
            report.find("lost-words", seq, "the key of its words is missing")
    after = _mark(report, Head, "recorded_at")
    _check_end(walk, before, after)
    _check_signature(walk, signed)
    if report.sound:
        _check_time(walk, after)
    return report


@dataclass(frozen=True)
class Mark:
    """Where a chain stands, as a row says: `extra` is its time or its signature."""

    seq: int
    hash: bytes
    extra: bytes


def _mark(report: Report, model: type[Model], extra: str) -> Mark | None:
    """Return what a head says; None where there is none."""
    for _, seq, own_hash, more in pages.found(model, ("tenant", "seq", "hash", extra), [report.tenant]):
        if isinstance(seq, int):
            return Mark(seq, own_hash, more)
        report.find("edit", 0, "a head has no number")
    return None


class _Walk:
    """A walk along a chain: where it stands, and the hashes it met at some places."""

    def __init__(self, report: Report, watched: dict[int, bytes]) -> None:
        self.report, self.watched = report, watched
        self.seq, self.hash, self.time = 0, bytes(32), b""
        self.erased: set[str] = set()  # contents that an event of this chain says were erased
        self.keyless: list[tuple[str, int]] = []
        self._known: dict[str, str] = {}
        self._tenant = report.tenant.encode()

    def over(self, page: Sequence[Row]) -> list[Named]:
        """Check some rows, each against the one before it, and return the contents they name."""
        named: list[Named] = []
        for row in page:
            self._follow(row)
            if row[5] == _ERASED:
                self.erased.update(_erased_by(row[3]))
            for content, digest in self._contents(row).items():
                if self._known.get(content) != digest:
                    named.append((content, row[0], digest))
                    self._known[content] = digest
        if len(self._known) > REMEMBERED:
            self._known.clear()
        return named

    def _follow(self, row: Row) -> None:
        seq, prev_hash, own_hash, *_ = row
        if seq != self.seq + 1:
            self.report.find("gap", seq, f"events {self.seq + 1} to {seq - 1} are missing")
        elif prev_hash != self.hash:
            self.report.find("fork", seq, "does not follow the event before it")
        self.seq, self.hash, self.time = seq, own_hash, row[9]
        if seq in self.watched:
            self.watched[seq] = own_hash

    def _contents(self, row: Row) -> dict[str, str]:
        """Check an event's bytes and columns, and return the digests of the contents it names."""
        raw = row[3]
        if chain_hash(self.report.tenant, self.seq, row[1], raw) != self.hash:
            self.report.find("edit", self.seq, "its bytes do not have its hash")
            return {}
        quick = _as_written(row, self._tenant)
        if quick is not None:
            return quick
        header = _parsed(raw)
        if header is None:
            self.report.find("edit", self.seq, "its bytes are no header")
            return {}
        if wrong := _differing(header, self.report.tenant, row):
            self.report.find("edit", self.seq, "a copied column differs: " + ", ".join(wrong))
        return dict(header["contents"])


def _as_written(row: Row, tenant: bytes) -> dict[str, str] | None:
    """Return the contents of a header whose canonical bytes say what the columns say; None where that needs parsing.

    The order of the names is that of `canonical`; what lies between, the data, is nobody's copy.
    """
    seq, _, _, raw, id_, type_, stream, actor, correlation, time = row
    first = b'{"actor":"' + actor + b'","causation":"'
    place = b'","seq":%d,"stream":"' % seq + stream + b'","tenant":"' + tenant + b'","type":"' + type_ + b'"}'
    last = b'","recorded_at":"' + time + place
    opens = raw.find(b'","contents":{', len(first)) + 14
    closes = raw.find(b"}", opens)
    if not (
        raw.startswith(first)
        and raw.endswith(last)
        and raw.endswith(b',"id":"' + id_ + b'","occurred_at":"', 0, len(raw) - len(last) - LENGTH_OF_A_TIME)
        and raw.startswith(b'},"correlation":"' + correlation + b'","data":{', closes)
    ):
        return None
    return orjson.loads(raw[opens - 1 : closes + 1]) if closes > opens else {}


def _erased_by(raw: bytes) -> Collection[str]:
    data = (_parsed(raw) or {}).get("data")
    told = data.get("contents") if isinstance(data, dict) else None
    return [content for content in told if isinstance(content, str)] if isinstance(told, list) else ()


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        header = orjson.loads(raw)
    except ValueError:
        return None
    whole = isinstance(header, dict) and header.keys() >= {*COPIES, "tenant", "contents"}
    return header if whole and isinstance(header["contents"], dict) else None


def _differing(header: dict[str, Any], tenant: str, row: Row) -> list[str]:
    """Return the names of the columns that say something else than the header."""
    there = {"tenant": tenant, "seq": row[0]}
    there |= {name: value.decode(errors="replace") for name, value in zip(COPIES, row[4:], strict=True)}
    wrong = [name for name, value in there.items() if header[name] != value]
    return wrong if f"{there['recorded_at'][:-1]}.000000Z" != header["recorded_at"] else wrong[:-1]


def _check_contents(walk: _Walk, named: Sequence[Named]) -> None:
    report, own = walk.report, walk.report.tenant.encode()
    found = pages.found(Content, ("id", "tenant", "kid", "nonce", "ct"), {content for content, _, _ in named})
    rows = {id_: (tenant, kid.decode(errors="replace"), nonce, ct) for id_, tenant, kid, nonce, ct in found}
    keys = {kid for (kid,) in pages.found(ContentKey, ("kid",), {row[1] for row in rows.values()})}
    for content, seq, digest in named:
        tenant, kid, nonce, ct = rows.get(content, _NOTHING)
        if content not in rows:
            report.find("lost-words", seq, "its sealed words are missing")
        elif tenant != own or sealing.digest(kid, nonce, ct) != digest:
            report.find("edit", seq, "its sealed words were changed")
        elif kid not in keys:
            walk.keyless.append((content, seq))  # sound where the chain says so, here or further on


def _check_end(walk: _Walk, before: Mark | None, after: Mark | None) -> None:
    """Check the head: as it was before the walk, an event on the way; as it is after it, no earlier than the end."""
    report, seq = walk.report, walk.seq
    if after is None:
        if seq:
            report.find("edit", seq, "the chain has no head")
        return
    if before is not None and before.seq > seq:
        report.find("truncation", seq, f"the chain ends here, its head stands at {before.seq}")
    elif after.seq < seq or before is not None and before.seq and walk.watched[before.seq] != before.hash:
        report.find("edit", seq, "the head is not that of the last event")


def _check_time(walk: _Walk, head: Mark | None) -> None:
    if head is not None and head.seq == walk.seq > 0 and head.extra != walk.time:
        walk.report.find("edit", walk.seq, "the head does not have the time of the last event")


def _check_signature(walk: _Walk, signed: Mark | None) -> None:
    report, seq = walk.report, walk.seq
    if signed is None:
        report.unsigned = seq
        return
    try:
        message = head_message(report.tenant, signed.seq, signed.hash)
        sealing.signing_key().public_key().verify(signed.extra, message)
    except InvalidSignature:
        report.find("edit", signed.seq, "the signature of the head is not ours")
        return
    if signed.seq > seq:
        already = any(f.kind == "truncation" for f in report.findings)
        if not already:
            report.find("rollback", seq, f"signed up to {signed.seq}, the database ends at {seq}")
    elif walk.watched[signed.seq] != signed.hash:
        report.find("fork", signed.seq, "is not the event that was signed here")
    report.unsigned = max(0, seq - signed.seq)
