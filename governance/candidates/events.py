"""What can happen to a candidate."""

from datetime import datetime
from typing import Any

from governance.candidates.models import Candidate, SavedFilter
from governance.ledger.erasing import blanks
from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words
from governance.memories.rules import content_text, key_text, value_text


@event("candidate-proposed")
class CandidateProposed:
    status: str
    outcome: str
    lane: str
    operation: str
    scope: str
    kind: str
    key_rule: str
    claimed_source: str
    source_type: str
    confidence: float
    agent: str | None
    observation: str | None
    observed_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    validity: str
    retention: str
    reason: str
    always: bool
    binding: bool
    subjects: tuple[str, ...]
    policy_version: int
    score: dict[str, Any]
    verdicts: tuple[Any, ...]
    target: str | None
    target_version: int | None
    restores: int | None
    duplicate_of: str
    level: str = ""
    risk: str = "normal"
    held_back: bool = False
    derived_from: tuple[Any, ...] = ()


@event("candidate-judged-again")
class CandidateJudgedAgain:
    """Its ground has moved: the memory it would change, or what the user has said since."""

    status: str
    outcome: str
    lane: str
    source_type: str
    confidence: float
    observation: str | None
    policy_version: int
    score: dict[str, Any]
    verdicts: tuple[Any, ...]
    target: str | None
    target_version: int | None


@event("candidate-edited")
class CandidateEdited:
    key_rule: str
    lane: str = ""  # with its risk, where the new words call for another one
    risk: str = ""


@event("candidate-committed")
class CandidateCommitted:
    memory: str
    memory_version: int
    decided_by: str
    reason: str


@event("candidate-merged")
class CandidateMerged:
    """It became evidence of a memory that says the same, or a claim in a conflict about one that does not."""

    memory: str
    memory_version: int
    conflict: str
    decided_by: str


@event("candidate-rejected")
class CandidateRejected:
    decided_by: str
    reason: str


@event("candidate-withdrawn")
class CandidateWithdrawn:
    """Taken back for the agent that proposed it."""

    decided_by: str


@event("candidate-expired")
class CandidateExpired:
    pass


@event("candidate-reopened")
class CandidateReopened:
    """Waits for a person again, after it was rejected, kept as an event only, or had expired."""


@event("decision-made")
class DecisionMade:
    """Somebody decided; it takes effect later, and until then it can be undone."""

    verb: str
    decided_by: str
    reason: str
    takes_effect_at: datetime
    took_ms: int | None


@event("decision-undone")
class DecisionUndone:
    """By a person within the window, or by the worker that found its ground gone."""

    decided_by: str
    reason: str


@event("decision-reverted")
class DecisionReverted:
    """Taken back after it took effect: what it wrote is undone, the item waits again."""

    decided_by: str
    target: str | None
    target_version: int | None


@event("candidate-approved-once")
class CandidateApprovedOnce:
    """The first of two people approved these very words in this scope."""

    approved_by: str
    scope: str


@event("candidate-approved-alone")
class CandidateApprovedAlone:
    """One person decided what policy wants two for: an alert."""

    approved_by: str
    risk: str


@event("candidate-set-aside")
class CandidateSetAside:
    aside: str
    until: datetime | None
    role: str


@event("candidate-assigned")
class CandidateAssigned:
    assigned_to: str


@event("candidate-let-in")
class CandidateLetIn:
    """One of a flood, let into the queue by a person."""


@event("lease-broken")
class LeaseBroken:
    """An administrator took an item from who had it open."""

    holder: str


@event("scope-widened")
class ScopeWidened:
    """A person let a memory hold in a wider scope as well; the stream is the memory it was taken from."""

    version: int
    scope: str
    level: str


@event("filter-saved")
class FilterSaved:
    owner: str
    is_shared: bool
    is_kept: bool
    facets: dict[str, Any]


@event("filter-dropped")
class FilterDropped:
    pass


@event("candidate-erased")
class CandidateErased:
    """Its words are destroyed; that something was proposed, when and by whom, stays."""

    request: str


blanks(Candidate, "key_mac", "value_mac")


# Fields that an event and its row have in common.
PLAIN = (
    "status outcome lane operation kind key_rule claimed_source source_type confidence observed_at valid_from valid_to "
    "validity retention reason always binding policy_version score target_version restores duplicate_of "
    "level risk held_back"
).split()


@folds(CandidateProposed, into=Candidate, is_new=lambda r: True)
def proposed(row: Candidate | None, r: Recorded, words: Words) -> Candidate:
    e = r.event
    plain = {name: getattr(e, name) for name in PLAIN}
    candidate = Candidate(
        id=r.stream,
        tenant_id=r.tenant,
        scope_id=e.scope,
        agent_id=e.agent,
        observation_id=e.observation,
        target_id=e.target,
        content_id=r.contents[0] if r.contents else None,
        proposed_by=r.actor,
        subjects=list(e.subjects),
        derived_from=[list(pair) for pair in e.derived_from],
        verdicts=[dict(v) for v in e.verdicts],
        created_at=r.recorded_at,
        created_seq=r.seq,
        **plain,
    )
    if e.status in ("rejected", "event_only", "merged"):
        candidate.decided_at, candidate.decided_by = r.recorded_at, f"policy:{e.policy_version}"
        candidate.decision_reason = _reason(e)
    return _with_macs(candidate, words)


def _reason(e: CandidateProposed) -> str:
    """Return the code of the first verdict that asked for the outcome, "" where none did (it was said twice)."""
    asked = (v["code"] for v in e.verdicts if v["outcome"] == e.outcome and e.status != "merged")
    return str(next(asked, ""))[:40]


def _with_macs(row: Candidate, words: Words) -> Candidate:
    row.key_mac = words.mac(key_text(words["key"], words.get("about", ""))) if words.get("key") else b""
    said = (
        value_text(words["value"], words.get("key", "")) if words.get("key") else content_text(words.get("content", ""))
    )
    row.value_mac = words.mac(said)
    return row


@folds(CandidateJudgedAgain, into=Candidate)
def judged_again(row: Candidate, r: Recorded, words: Words) -> Candidate:
    e = r.event
    for name in "status outcome lane source_type confidence policy_version score target_version".split():
        setattr(row, name, getattr(e, name))
    row.observation_id, row.target_id = e.observation, e.target
    row.verdicts = [dict(v) for v in e.verdicts]
    if r.contents:
        row.content_id = r.contents[0]
    row.approved_by = ""
    row.version += 1
    return _undecided(row)


@folds(CandidateEdited, into=Candidate)
def edited(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.content_id, row.key_rule = r.contents[0], r.event.key_rule
    row.lane, row.risk = r.event.lane or row.lane, r.event.risk or row.risk
    row.source_type = "summary" if row.derived_from else "reviewer"  # a summary goes with its sources, whoever words it
    row.duplicate_of = row.approved_by = ""  # with other words it says something else
    row.version += 1
    return _with_macs(row, words)


@folds(CandidateCommitted, CandidateMerged, CandidateRejected, CandidateWithdrawn, CandidateExpired, into=Candidate)
def decided(row: Candidate, r: Recorded, words: Words) -> Candidate:
    e = r.event
    row.version += 1
    row.decided_at = r.recorded_at
    row.decided_by = getattr(e, "decided_by", r.actor)
    row.verb, row.takes_effect_at, row.edited_id = "", None, None
    row.status = {
        CandidateCommitted: "committed",
        CandidateMerged: "merged",
        CandidateRejected: "rejected",
        CandidateWithdrawn: "withdrawn",
        CandidateExpired: "expired",
    }[type(e)]
    if isinstance(e, CandidateCommitted | CandidateMerged):
        row.memory_id, row.memory_version = e.memory, e.memory_version
    if isinstance(e, CandidateMerged):
        row.conflict = e.conflict
    if isinstance(e, CandidateRejected | CandidateCommitted):
        row.decision_reason = e.reason
    if isinstance(e, CandidateRejected) and r.contents:
        row.decision_note_id = r.contents[0]
    return row


@folds(CandidateReopened, into=Candidate)
def reopened(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.version += 1
    row.status = "pending"
    row.decided_at, row.decided_by, row.decision_reason, row.decision_note_id = None, "", "", None
    row.approved_by = ""
    row.reopened_at = r.recorded_at
    return row


def _undecided(row: Candidate) -> Candidate:
    """Return an item that waits again, nothing decided about it."""
    row.verb, row.takes_effect_at, row.edited_id, row.took_ms = "", None, None, None
    row.decided_at, row.decided_by, row.decision_reason = None, "", ""
    return row


@folds(DecisionMade, into=Candidate)
def deciding(row: Candidate, r: Recorded, words: Words) -> Candidate:
    e = r.event
    row.status, row.verb, row.takes_effect_at, row.took_ms = "deciding", e.verb, e.takes_effect_at, e.took_ms
    row.decided_at, row.decided_by, row.decision_reason = r.recorded_at, e.decided_by, e.reason
    if r.contents and e.verb == "edit":
        row.edited_id = r.contents[0]
    elif r.contents:
        row.decision_note_id = r.contents[0]
    row.version += 1
    return row


@folds(DecisionUndone, into=Candidate)
def undone(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.status, row.decision_note_id = "pending", None
    row.version += 1
    return _undecided(row)


@folds(DecisionReverted, into=Candidate)
def reverted(row: Candidate, r: Recorded, words: Words) -> Candidate:
    e = r.event
    row.status, row.approved_by, row.duplicate_of = "pending", "", ""
    row.memory_id = row.memory_version = None
    row.target_id, row.target_version = e.target, e.target_version
    row.decision_note_id = r.contents[0]
    row.version += 1
    return _undecided(row)


@folds(CandidateApprovedOnce, into=Candidate)
def approved_once(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.approved_by = r.event.approved_by
    row.version += 1
    return row


@folds(CandidateSetAside, into=Candidate)
def set_aside(row: Candidate, r: Recorded, words: Words) -> Candidate:
    e = r.event
    row.aside, row.aside_until, row.aside_role = e.aside, e.until, e.role
    row.aside_by = r.actor if e.aside else ""
    if r.contents:
        row.decision_note_id = r.contents[0]
    row.version += 1
    return row


@folds(CandidateAssigned, into=Candidate)
def assigned(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.assigned_to = r.event.assigned_to
    if r.contents:
        row.decision_note_id = r.contents[0]
    row.version += 1
    return row


@folds(CandidateLetIn, into=Candidate)
def let_in(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.held_back = False
    row.version += 1
    return row


@folds(FilterSaved, into=SavedFilter, is_new=lambda r: True)
def filter_saved(row: SavedFilter | None, r: Recorded, words: Words) -> SavedFilter:
    e = r.event
    return SavedFilter(
        id=r.stream,
        tenant_id=r.tenant,
        owner=e.owner,
        is_shared=e.is_shared,
        is_kept=e.is_kept,
        facets=dict(e.facets),
        content_id=r.contents[0] if r.contents else None,
        created_seq=r.seq,
    )


@folds(FilterDropped, into=SavedFilter)
def filter_dropped(row: SavedFilter, r: Recorded, words: Words) -> None:
    return None


@folds(CandidateErased, into=Candidate)
def erased(row: Candidate, r: Recorded, words: Words) -> Candidate:
    row.version += 1
    row.status, row.key_rule, row.key_mac, row.value_mac = "erased", "", b"", b""
    row.verb, row.takes_effect_at = "", None
    row.decided_at = row.decided_at or r.recorded_at
    return row
