"""From a candidate to a memory, inside a writing that is already open."""

from governance.candidates import events
from governance.candidates.actions import judge as judging
from governance.candidates.actions.judge import Holder
from governance.candidates.models import Candidate
from governance.candidates.queries import draft_of
from governance.candidates.rules import Times
from governance.conflicts import actions as conflicts
from governance.conflicts.models import UNSETTLED, Claim, Conflict
from governance.conflicts.rules import CONTRADICTIONS, Rival, precedence, question, side
from governance.errors import AlreadyExists
from governance.ledger import sealing
from governance.ledger.sealing import Sealed, Words
from governance.ledger.writing import Writing
from governance.memories import actions as memories
from governance.memories.actions import Statement
from governance.memories.events import MemoryRetracted
from governance.memories.models import Memory
from governance.policies.rules import Policy


def commit(w: Writing, candidate: Candidate, *, decided_by: str, policy: Policy, reason: str = "") -> Candidate:
    """Return the candidate, committed, or merged into what said the same.

    Raises Stale when the memory that a revision, retraction or restoration names has moved on.
    """
    if candidate.operation == "retract":
        return _committed(w, candidate, _retract(w, candidate), decided_by, reason)
    words = w.words(candidate.content_id or "")
    multi = bool(words.get("key")) and policy.is_multi(words["key"])
    if candidate.operation == "remember":
        return _remember(w, candidate, multi, decided_by, reason, policy)
    assert candidate.target is not None and candidate.target_version is not None
    _keep_the_key(candidate.target, candidate)
    change = memories.restore if candidate.operation == "restore" else memories.revise
    default = "restored" if candidate.operation == "restore" else "correction"
    statement = statement_of(candidate, multi, candidate.reason or default)
    memory = change(w, candidate.target, statement, expected=candidate.target_version)
    return _committed(w, candidate, memory, decided_by, reason)


def _remember(w: Writing, candidate: Candidate, multi: bool, decided_by: str, reason: str, policy: Policy) -> Candidate:
    holder = _holder(candidate, multi)
    if holder is None:
        statement = statement_of(candidate, multi, "created")
        memory = memories.remember(w, candidate.scope_id, statement, subjects=candidate.subjects)
        return _committed(w, candidate, memory, decided_by, reason)
    if candidate.duplicate_of == holder.id:
        return _merged(w, candidate, holder, decided_by)
    if rule := _contradicted(candidate, holder, policy):
        return contest(w, candidate, judging.opened(holder), rule=rule, policy=policy)
    statement = statement_of(candidate, multi, candidate.reason or "confirmed")
    revised = memories.revise(w, holder, statement, expected=holder.latest)
    return _committed(w, candidate, revised, decided_by, reason)


def _contradicted(candidate: Candidate, memory: Memory, policy: Policy) -> str:
    """Return the rule that forbids overwriting, even once approved: an authority is contradicted, not overruled."""
    words = sealing.unseal([candidate.content_id or ""]).get(candidate.content_id or "", sealing.NO_WORDS)
    times = Times(candidate.observed_at, candidate.valid_from, candidate.valid_to, candidate.validity)
    held = judging.against(memory, candidate.scope, draft_of(candidate, words), times)
    if held.relation != "differs":
        return ""
    rule = policy.key_rule(words.get("key", ""))
    new = side(candidate.source_type, words.get("source_ref", ""), candidate.observed_at, rule=rule)
    ruling = precedence(new, judging.held_side(held, policy), policy.trust)
    return ruling.rule if ruling.rule in CONTRADICTIONS else ""


def contest(w: Writing, candidate: Candidate, held: Holder | None, *, rule: str, policy: Policy) -> Candidate:
    """Return the candidate, now a claim beside what the memory says: nobody wins, the question is asked."""
    assert held is not None
    words = sealing.unseal([candidate.content_id or ""]).get(candidate.content_id or "", sealing.NO_WORDS)
    conflict = conflicts.contest(
        w,
        held.memory,
        conflicts.held_claim(held.version),
        _claim(candidate),
        rule=rule,
        question=_question(candidate, held, words, policy),
    )
    done = events.CandidateMerged(
        memory=held.memory.id,
        memory_version=held.memory.latest,
        conflict=conflict.id,
        decided_by=f"policy:{policy.number}",
    )
    row: Candidate = w.record(done, stream=candidate.id, row=candidate)
    return row


def _claim(candidate: Candidate) -> conflicts.Made:
    return conflicts.Made(
        content=candidate.content_id or "",
        kind=candidate.kind,
        source_type=candidate.source_type,
        confidence=candidate.confidence,
        observed_at=candidate.observed_at,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        validity=candidate.validity,
        made_by=candidate.proposed_by,
        candidate=candidate.id,
        agent=candidate.agent_id,
        observation=candidate.observation_id,
        value_mac=bytes(candidate.value_mac),
    )


def _question(candidate: Candidate, held: Holder, words: Words, policy: Policy) -> Sealed:
    rule = policy.key_rule(words.get("key", ""))
    label = (rule.labels.get("en") if rule else None) or words.get("key", "").replace("_", " ")
    rivals = [
        *_rivals_so_far(held),
        Rival(words.get("value"), candidate.source_type, words.get("source_ref", ""), candidate.observed_at),
    ]
    text = question(label, rule.labels.get("zh", "") if rule else "", rivals)
    scope = candidate.scope
    return sealing.seal({"question": text}, tenant=candidate.tenant_id, scope=scope.id, subject=scope.subject_id or "")


def _rivals_so_far(held: Holder) -> list[Rival]:
    """Return what is claimed already: by the memory alone, or by all claims of its open conflict."""
    claims = list(Claim.objects.filter(conflict__memory=held.memory, conflict__status__in=UNSETTLED).order_by("seq"))
    if not claims:
        words, version = held.words, held.version
        return [Rival(words.get("value"), version.source_type, words.get("source_ref", ""), version.observed_at)]
    said = sealing.unseal(c.content_id for c in claims if c.content_id)
    opened = [(c, said.get(c.content_id or "", sealing.NO_WORDS)) for c in claims]
    return [Rival(w.get("value"), c.source_type, w.get("source_ref", ""), c.observed_at) for c, w in opened]


def _keep_the_key(holder: Memory, candidate: Candidate) -> None:
    """Raise AlreadyExists when a revision would move a memory to another key: that is another memory."""
    if bytes(holder.key_mac) != bytes(candidate.key_mac):
        raise AlreadyExists("A memory keeps its key; propose the other key as a memory of its own.")


def _holder(candidate: Candidate, multi: bool) -> Memory | None:
    slot = bytes(candidate.value_mac) if multi or not candidate.key_mac else b""
    return Memory.objects.filter(scope=candidate.scope_id, key_mac=bytes(candidate.key_mac), slot=slot).first()


def statement_of(candidate: Candidate, multi: bool, reason: str) -> Statement:
    """Return what a candidate states, its words passed on and not copied."""
    assert candidate.content_id is not None
    return Statement(
        content=candidate.content_id,
        kind=candidate.kind,
        source_type=candidate.source_type,
        confidence=candidate.confidence,
        reason=reason,
        observed_at=candidate.observed_at,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        validity=candidate.validity,
        created_by=candidate.proposed_by,
        key_rule=candidate.key_rule,
        multi=multi,
        corrects=reason == "correction" and candidate.valid_from is None,
        restores=candidate.restores,
        retention=candidate.retention,
        always=candidate.always,
        binding=candidate.binding,
        agent=candidate.agent_id,
        candidate=candidate.id,
        observation=candidate.observation_id,
        sources=tuple((memory, number) for memory, number in candidate.derived_from),
    )


def _retract(w: Writing, candidate: Candidate) -> Memory:
    assert candidate.target is not None and candidate.target_version is not None
    expected = candidate.target_version
    tombstone = MemoryRetracted(
        number=expected + 1,
        kind=candidate.kind,
        source_type=candidate.source_type,
        reason=candidate.reason or "delete-request",
        observed_at=candidate.observed_at,
        agent=candidate.agent_id,
        created_by=candidate.proposed_by,
        candidate=candidate.id,
        observation=candidate.observation_id,
    )
    return memories.retract(w, candidate.target, tombstone, expected=expected)


def _committed(w: Writing, candidate: Candidate, memory: Memory, decided_by: str, reason: str) -> Candidate:
    done = events.CandidateCommitted(
        memory=memory.id, memory_version=memory.latest, decided_by=decided_by, reason=reason
    )
    row: Candidate = w.record(done, stream=candidate.id, row=candidate)
    if memory.contested:
        settle_by(w, row)
    return row


def settle_by(w: Writing, candidate: Candidate) -> None:
    """Settle what was unsettled about a memory that was just written to, whoever decided it."""
    conflict = (
        Conflict.objects.select_related("memory").filter(memory=candidate.memory_id, status__in=UNSETTLED).first()
    )
    if conflict is None:
        return
    same = Claim.objects.filter(conflict=conflict, value_mac=bytes(candidate.value_mac)).first()
    conflicts.settle(
        w,
        conflict,
        choice="none" if candidate.operation == "retract" else "keep",
        chosen=same.id if same else "",
        decided_by=candidate.decided_by,
        wrote=[(candidate.memory_id or "", candidate.memory_version or 0)],
    )


def _merged(w: Writing, candidate: Candidate, holder: Memory, decided_by: str) -> Candidate:
    """One more observation of what is known; the same turn twice is no second piece of evidence."""
    known = holder.evidence.filter(observation=candidate.observation_id).exists() or (
        holder.versions.filter(observation=candidate.observation_id).exists()
    )
    if candidate.observation_id and not known:
        memories.add_evidence(
            w,
            holder,
            content=candidate.content_id or "",
            observation=candidate.observation_id,
            candidate=candidate.id,
            observed_at=candidate.observed_at,
        )
    done = events.CandidateMerged(memory=holder.id, memory_version=holder.latest, conflict="", decided_by=decided_by)
    row: Candidate = w.record(done, stream=candidate.id, row=candidate)
    return row
