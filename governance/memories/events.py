"""What can happen to a memory."""

from collections.abc import Sequence
from datetime import datetime

from governance.ledger.erasing import blanks
from governance.ledger.events import Recorded, derives, event, folds
from governance.ledger.sealing import Words
from governance.memories.models import About, Derivation, Evidence, Memory, Period, Version
from governance.memories.rules import Stated, content_text, key_text, timeline, value_text


@event("version-written")
class VersionWritten:
    """A value was stated: number 1 creates the memory. `multi` says that its key holds several values."""

    scope: str
    number: int
    kind: str
    key_rule: str
    multi: bool
    source_type: str
    confidence: float
    reason: str
    corrects: bool
    supersedes: int | None
    restores: int | None
    undoes: bool
    observed_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    valid_from_assumed: bool
    validity: str
    retention: str
    always: bool
    binding: bool
    agent: str | None
    created_by: str
    candidate: str
    observation: str | None
    normaliser: int
    closes: bool = False


@event("memory-retracted")
class MemoryRetracted:
    """A tombstone: version `number` says that nothing is held any more."""

    number: int
    kind: str
    source_type: str
    reason: str
    observed_at: datetime
    agent: str | None
    created_by: str
    candidate: str
    observation: str | None


@event("evidence-added")
class EvidenceAdded:
    version: int
    observation: str | None
    candidate: str
    observed_at: datetime


@event("memory-contested")
class MemoryContested:
    """Claims disagree about it, or no longer do: while they do, its key is answered with all of them."""

    contested: bool


@event("memory-aged")
class MemoryAged:
    """It was demoted (given only where history, its key or its id is asked for), archived (given and listed no more),
    marked as due to be erased, or brought back. `sweep` says in which run; `undoes`, that it takes back what that did.
    """

    demoted: bool
    archived: bool
    due: bool
    step: str
    sweep: str = ""
    undoes: bool = False


@event("source-named")
class SourceNamed:
    """Version `version` of a summary rests on a version of another memory."""

    version: int
    source: str
    source_version: int


@event("memory-erased")
class MemoryErased:
    """Its words are destroyed; that there was one, when and by whom, stays."""

    request: str


@event("about-added")
class AboutAdded:
    subject: str


def _creates(r: Recorded) -> bool:
    return isinstance(r.event, VersionWritten) and r.event.number == 1


blanks(Version, "value_mac", stream="memory_id")


@folds(MemoryErased, into=Memory)
def erased(row: Memory, r: Recorded, words: Words) -> Memory:
    row.erased, row.contested, row.erasure_due = True, False, False
    row.slot, row.key_mac, row.key_rule = None, b"", ""
    return row


@folds(VersionWritten, MemoryRetracted, EvidenceAdded, MemoryContested, MemoryAged, into=Memory, is_new=_creates)
def memory(row: Memory | None, r: Recorded, words: Words) -> Memory:
    if isinstance(r.event, EvidenceAdded):
        assert row is not None
        row.last_observed_at = max(row.last_observed_at, r.event.observed_at)
        return _in_front(row)
    if isinstance(r.event, MemoryAged):
        assert row is not None
        return _aged(row, r)
    if isinstance(r.event, MemoryContested):
        assert row is not None
        row.contested = r.event.contested
        return row
    if isinstance(r.event, MemoryRetracted):
        assert row is not None
        row.latest, row.slot, row.shelved_at = r.event.number, None, r.recorded_at
        return row
    e = r.event
    if row is None:
        row = Memory(
            id=r.stream, tenant_id=r.tenant, scope_id=e.scope, created_seq=r.seq, last_observed_at=e.observed_at
        )
        row.key_mac = words.mac(key_text(words["key"], words.get("about", ""))) if words.get("key") else b""
    row.slot = _slot(e.multi, words)
    row.key_rule, row.kind, row.latest = e.key_rule, e.kind, e.number
    row.always, row.binding = e.always, e.binding
    if e.closes:
        return row
    row.last_observed_at = max(row.last_observed_at, e.observed_at)
    return _in_front(row)


def _in_front(row: Memory) -> Memory:
    """What is said anew is no longer demoted, archived or due."""
    row.demoted = row.archived = row.erasure_due = False
    row.shelved_at = None
    return row


def _aged(row: Memory, r: Recorded) -> Memory:
    e = r.event
    if row.slot is not None and e.demoted != row.demoted:
        row.shelved_at = r.recorded_at if e.demoted else None
    row.demoted, row.archived, row.erasure_due = e.demoted, e.archived, e.due
    return row


def _slot(multi: bool, words: Words) -> bytes:
    if not words.get("key"):
        return words.mac(content_text(words.get("content", "")))
    return words.mac(value_text(words["value"], words.get("key", ""))) if multi else b""


@folds(
    VersionWritten,
    MemoryRetracted,
    into=Version,
    key=lambda r: f"{r.stream}.{r.event.number}",
    is_new=lambda r: True,
)
def version(row: Version | None, r: Recorded, words: Words) -> Version:
    e = r.event
    shared = Version(
        id=f"{r.stream}.{e.number}",
        memory_id=r.stream,
        number=e.number,
        kind=e.kind,
        source_type=e.source_type,
        reason=e.reason,
        observed_at=e.observed_at,
        recorded_at=r.recorded_at,
        agent_id=e.agent,
        created_by=e.created_by,
        candidate=e.candidate,
        observation_id=e.observation,
        seq=r.seq,
    )
    if isinstance(e, MemoryRetracted):
        shared.tombstone, shared.supersedes = True, e.number - 1
        shared.confidence, shared.valid_from, shared.valid_from_assumed = 1.0, e.observed_at, True
        shared.validity = "permanent"
        return shared
    shared.content_id = r.contents[0]
    shared.value_mac = words.mac(value_text(words["value"], words.get("key", ""))) if "value" in words else b""
    for name in (
        "confidence",
        "corrects",
        "supersedes",
        "restores",
        "undoes",
        "closes",
        "valid_from",
        "valid_to",
        "valid_from_assumed",
        "validity",
        "retention",
        "always",
        "binding",
    ):
        setattr(shared, name, getattr(e, name))
    return shared


@folds(EvidenceAdded, into=Evidence, key=lambda r: r.id, is_new=lambda r: True)
def evidence(row: Evidence | None, r: Recorded, words: Words) -> Evidence:
    return Evidence(
        id=r.id,
        memory_id=r.stream,
        version=r.event.version,
        observation_id=r.event.observation,
        content_id=r.contents[0] if r.contents else None,
        candidate=r.event.candidate,
        added_at=r.recorded_at,
    )


@folds(SourceNamed, into=Derivation, key=lambda r: f"{r.stream}.{r.event.version}.{r.event.source}")
def derivation(row: Derivation | None, r: Recorded, words: Words) -> Derivation:
    e = r.event
    return Derivation(
        id=f"{r.stream}.{e.version}.{e.source}",
        memory_id=r.stream,
        version=e.version,
        source_id=e.source,
        source_version=e.source_version,
    )


@folds(AboutAdded, into=About, key=lambda r: f"{r.stream}.{r.event.subject}")
def about(row: About | None, r: Recorded, words: Words) -> About:
    return About(id=f"{r.stream}.{r.event.subject}", memory_id=r.stream, subject_id=r.event.subject)


def stated(version: Version) -> Stated:
    return Stated(
        number=version.number,
        observed_at=version.observed_at,
        valid_from=version.valid_from,
        valid_to=version.valid_to,
        corrects=version.corrects,
        supersedes=version.supersedes,
        tombstone=version.tombstone,
        undoes=version.undoes,
        restores=version.restores,
        closes=version.closes,
    )


@derives(
    VersionWritten,
    MemoryRetracted,
    into=Period,
    source=Version,
    group="memory_id",
    is_first=lambda version: version.number == 1,
)
def periods(versions: Sequence[Version]) -> list[Period]:
    """Return what is believed to hold when, from all versions of one memory."""
    return [
        Period(
            memory_id=versions[0].memory_id,
            version_id=f"{versions[0].memory_id}.{span.number}",
            starts_at=span.starts_at,
            ends_at=span.ends_at,
        )
        for span in timeline(stated(v) for v in versions)
    ]
