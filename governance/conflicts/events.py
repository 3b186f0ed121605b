"""What can happen to a conflict."""

from datetime import datetime
from typing import Any

from governance.conflicts.models import Claim, Conflict
from governance.ledger.erasing import blanks
from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words
from governance.memories.rules import value_text


@event("conflict-opened")
class ConflictOpened:
    scope: str
    memory: str
    key_rule: str
    kind: str
    rule: str


@event("claim-made")
class ClaimMade:
    claim: str
    kind: str
    source_type: str
    confidence: float
    observed_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    validity: str
    held_version: int | None
    candidate: str
    agent: str | None
    observation: str | None
    made_by: str


@event("question-written")
class QuestionWritten:
    """The clarifying question, asked of people or agents from now on when `asked`."""

    asked: bool


@event("conflict-resolved")
class ConflictResolved:
    choice: str
    chosen: str
    wrote: tuple[Any, ...]
    decided_by: str


@event("conflict-reversed")
class ConflictReversed:
    pass


@event("conflict-erased")
class ConflictErased:
    """The words of its claims are destroyed; there is nothing left to settle."""

    request: str


blanks(Claim, "value_mac", stream="conflict_id")


@folds(ConflictErased, into=Conflict)
def erased(row: Conflict, r: Recorded, words: Words) -> Conflict:
    row.version += 1
    row.status, row.key_rule = "erased", ""
    return row


@folds(ConflictOpened, ClaimMade, QuestionWritten, ConflictResolved, ConflictReversed, into=Conflict)
def conflict(row: Conflict | None, r: Recorded, words: Words) -> Conflict:
    e = r.event
    if isinstance(e, ConflictOpened):
        return Conflict(
            id=r.stream,
            tenant_id=r.tenant,
            scope_id=e.scope,
            memory_id=e.memory,
            key_rule=e.key_rule,
            kind=e.kind,
            rule=e.rule,
            status="open",
            opened_at=r.recorded_at,
            created_seq=r.seq,
        )
    assert row is not None
    row.version += 1
    if isinstance(e, QuestionWritten):
        row.question_id = r.contents[0] if r.contents else row.question_id
        row.status = "asked" if e.asked else row.status
    elif isinstance(e, ConflictResolved):
        row.status, row.choice, row.chosen = "resolved", e.choice, e.chosen
        row.resolved_at, row.resolved_by = r.recorded_at, e.decided_by
        row.wrote = [list(pair) for pair in e.wrote]
        row.note_id = r.contents[0] if r.contents else None
    elif isinstance(e, ConflictReversed):
        row.status = "reversed"
    return row


@folds(ClaimMade, into=Claim, key=lambda r: r.event.claim, is_new=lambda r: True)
def claim(row: Claim | None, r: Recorded, words: Words) -> Claim:
    e = r.event
    return Claim(
        id=e.claim,
        conflict_id=r.stream,
        content_id=r.contents[0] if r.contents else None,
        value_mac=words.mac(value_text(words["value"], words.get("key", ""))) if "value" in words else b"",
        kind=e.kind,
        source_type=e.source_type,
        confidence=e.confidence,
        observed_at=e.observed_at,
        valid_from=e.valid_from,
        valid_to=e.valid_to,
        validity=e.validity,
        held_version=e.held_version,
        candidate=e.candidate,
        agent_id=e.agent,
        observation_id=e.observation,
        made_by=e.made_by,
        seq=r.seq,
    )
