"""What can happen to a forget request."""

from datetime import datetime
from typing import Any

from governance.erasure.models import ForgetRequest
from governance.erasure.rules import FOUND_AGAIN, selector_text
from governance.ledger.erasing import blanks
from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words


@event("forget-filed")
class ForgetFiled:
    mode: str
    channel: str
    kinds: tuple[str, ...]
    subject: str | None
    scope: str | None
    whole_person: bool
    owner: str
    due_at: datetime


@event("forget-joined")
class ForgetJoined:
    """The same was asked for again: one request answers both."""

    channel: str


@event("forget-verified")
class ForgetVerified:
    """Whoever asks is who they say they are; `method` says how that was seen."""

    method: str


@event("forget-narrowed")
class ForgetNarrowed:
    """Of what the words found, these memories are meant."""

    memories: tuple[str, ...]


@event("forget-planned")
class ForgetPlanned:
    plan_hash: str
    counts: dict[str, Any]


@event("forget-approved")
class ForgetApproved:
    plan_hash: str


@event("forget-extended")
class ForgetExtended:
    until: datetime
    reason: str


@event("forget-refused")
class ForgetRefused:
    ground: str


@event("forget-started")
class ForgetStarted:
    """The journal entry is written; from here on things are destroyed."""

    journal_sha256: str


@event("forget-checked")
class ForgetChecked:
    """Every store was worked off; what is left is looked for."""


@event("forget-resumed")
class ForgetResumed:
    """What stood in its way is gone, or may be: it goes on, its clock not restarted."""

    why: str


@event("forget-allowed")
class ForgetAllowed:
    """The person consented anew: what the request blocks may be taken in again."""

    basis: str


@event("recipient-told")
class RecipientTold:
    """An agent (the stream) was given some memories that are erased by now: it must let go of them too."""

    request: str
    memories: tuple[str, ...]


@event("recipient-acknowledged")
class RecipientAcknowledged:
    """An agent (the stream) took notice that what it was given is erased; `told` is the event that said so."""

    request: str
    told: str


@event("forget-answered")
class ForgetAnswered:
    """The report says what was found; the status is computed from it."""

    status: str
    grounds: tuple[str, ...]
    report_sha256: str


@event("forget-verified-again")
class ForgetVerifiedAgain:
    """The erased was looked for again later; `grounds` say why it is not sound: codes."""

    sound: bool
    report_sha256: str
    grounds: tuple[str, ...] = (FOUND_AGAIN,)


blanks(ForgetRequest, "selector_mac")


@folds(ForgetFiled, into=ForgetRequest, is_new=lambda r: True)
def filed(row: ForgetRequest | None, r: Recorded, words: Words) -> ForgetRequest:
    e = r.event
    return ForgetRequest(
        id=r.stream,
        tenant_id=r.tenant,
        status="received",
        mode=e.mode,
        channel=e.channel,
        kinds=list(e.kinds),
        content_id=r.contents[0],
        selector_mac=words.mac(selector_text(words.get("selector", {}), e.mode)),
        subject_id=e.subject,
        scope_id=e.scope,
        whole_person=e.whole_person,
        filed_by=r.actor,
        filed_owner=e.owner,
        received_at=r.recorded_at,
        due_at=e.due_at,
        created_seq=r.seq,
    )


@folds(
    ForgetJoined,
    ForgetVerified,
    ForgetNarrowed,
    ForgetPlanned,
    ForgetApproved,
    ForgetExtended,
    ForgetResumed,
    into=ForgetRequest,
)
def prepared(row: ForgetRequest, r: Recorded, words: Words) -> ForgetRequest:
    e = r.event
    row.version += 1
    if isinstance(e, ForgetJoined):
        row.joined += 1
    elif isinstance(e, ForgetVerified):
        row.status, row.identity, row.verified_by, row.verified_at = "verified", e.method, r.actor, r.recorded_at
    elif isinstance(e, ForgetNarrowed):
        row.status, row.plan_hash = "verified", ""
    elif isinstance(e, ForgetPlanned):
        row.status, row.plan_hash, row.planned_at, row.planned_seq = "planned", e.plan_hash, r.recorded_at, r.seq
        row.approved_by, row.approved_at = "", None
    elif isinstance(e, ForgetApproved):
        row.status, row.approved_by, row.approved_at = "approved", r.actor, r.recorded_at
    elif isinstance(e, ForgetResumed):
        row.status, row.grounds, row.answered_at = "executing" if row.started_at else "approved", [], None
    else:
        row.due_at, row.extension = e.until, e.reason
    return row


@folds(ForgetRefused, ForgetStarted, ForgetChecked, ForgetAnswered, ForgetVerifiedAgain, into=ForgetRequest)
def carried_out(row: ForgetRequest, r: Recorded, words: Words) -> ForgetRequest:
    e = r.event
    row.version += 1
    if isinstance(e, ForgetRefused):
        row.status, row.grounds, row.answered_at = "refused", [e.ground], r.recorded_at
    elif isinstance(e, ForgetStarted):
        row.status, row.started_at = "executing", row.started_at or r.recorded_at
    elif isinstance(e, ForgetChecked):
        row.status = "verifying"
    elif isinstance(e, ForgetAnswered):
        row.status, row.grounds, row.answered_at = e.status, list(e.grounds), r.recorded_at
        row.report_sha256 = e.report_sha256
        row.reports += 1
    else:
        row.report_sha256 = e.report_sha256
        row.reports += 1
        if not e.sound and FOUND_AGAIN in e.grounds:  # one that could not look says nothing
            row.status, row.grounds = "partial", list(e.grounds)
    return row


@event("erasure-replayed")
class ErasureReplayed:
    """A backup was put back, and what the journal says was erased from it again."""

    journal_sha256: str


@event("person-exported")
class PersonExported:
    """Everything held of a person was opened and handed out: how many texts, and how many things each store held."""

    contents: int
    stores: dict[str, Any]
