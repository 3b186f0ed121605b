"""Summaries: what several memories say, as one; made as candidates, rebuilt when a source changes, or let go."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from governance.candidates.actions.commit import commit
from governance.candidates.events import CandidateExpired, CandidateProposed
from governance.candidates.models import Candidate
from governance.candidates.rules import capped
from governance.errors import Invalid, NotAllowed, outcome
from governance.ledger import ids, sealing
from governance.ledger.outbox import every_drain
from governance.ledger.writing import Writing, writing
from governance.lifecycle.queries import Summary, outdated_proposals, outdated_summaries, sources_of
from governance.lifecycle.rules import Source, extract
from governance.memories.models import About, Memory
from governance.policies import queries as policies
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

SYSTEM = "system:summaries"
FEWEST = 2  # sources; what one memory says is that memory
LOOKED_EVERY = timedelta(seconds=5)
_looked_at: datetime | None = None


@dataclass(frozen=True)
class Rebuilt:
    """What became of summaries whose sources changed: ids, by what was done."""

    rebuilt: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()  # proposals


def summarise(memories: Sequence[Memory], *, by: Actor) -> Candidate:
    """Return the candidate that says what some memories of one scope say; a person decides about it.

    Raises NotAllowed, Invalid for memories of several scopes, for summaries, and for fewer than two that say something.
    """
    if not by.may("decide"):
        raise NotAllowed()
    return propose_summary(memories, tenant=by.tenant, by=by.id)


def propose_summary(memories: Sequence[Memory], *, tenant: str, by: str) -> Candidate:
    """Return the candidate that says what some memories say. Raises Invalid as `summarise` does."""
    scopes = {m.scope_id for m in memories}
    if len(scopes) != 1 or any(m.tenant_id != tenant for m in memories):
        raise Invalid({"/memories": "are not all of one scope"})
    sources = sources_of([m.id for m in memories])
    text, said = extract(sources, policies.current(tenant).max_content_chars)
    if len(said) < FEWEST:
        raise Invalid({"/memories": "are fewer than two that a summary can say"})
    scope = Scope.objects.get(pk=scopes.pop())
    sealed = sealing.seal({"content": text}, tenant=tenant, scope=scope.id, subject=scope.subject_id or "")
    with writing(tenant, by=by) as w:
        living = Memory.objects.filter(pk__in=[s.memory for s in said], erased=False, slot__isnull=False)
        if set(living.values_list("pk", "latest")) != {(s.memory, s.number) for s in said}:
            raise Invalid({"/memories": "changed meanwhile"})
        proposed = _proposed(scope, said, tenant)
        candidate: Candidate = w.record(proposed, stream=ids.new("cand"), contents=[sealed])
    return candidate


def _proposed(scope: Scope, said: Sequence[Source], tenant: str) -> CandidateProposed:
    newest = Memory.objects.filter(pk__in=[s.memory for s in said]).order_by("last_observed_at").last()
    people = About.objects.filter(memory__in=[s.memory for s in said]).values_list("subject", flat=True)
    verdict = {
        "stage": "summary",
        "code": "summary",
        "detail": "Says what {n} memories say; a person decides.",
        "outcome": "review",
        "values": {"n": len(said)},
    }
    return CandidateProposed(
        status="pending",
        outcome="review",
        lane="",
        operation="remember",
        scope=scope.id,
        kind="episodic",
        key_rule="",
        claimed_source="summary",
        source_type="summary",
        confidence=capped(None, "summary"),
        agent=None,
        observation=None,
        observed_at=newest.last_observed_at if newest else timezone.now(),
        valid_from=None,
        valid_to=None,
        validity="until_replaced",
        retention="standard",
        reason="",
        always=False,
        binding=False,
        subjects=tuple(sorted({*people} | ({scope.subject_id} if scope.subject_id else set()))),
        policy_version=policies.current(tenant).number,
        score={},
        verdicts=(verdict,),
        target=None,
        target_version=None,
        restores=None,
        duplicate_of="",
        derived_from=tuple((s.memory, s.number) for s in said),
        level=scope.level,
    )


# --- when a source changes -----------------------------------------------------------------------------------------


@every_drain
def rebuild_now_and_then() -> None:
    """Rebuild what is not recalled any more because a source of it changed."""
    global _looked_at
    now = timezone.now()
    if _looked_at is None or now - _looked_at > LOOKED_EVERY:
        _looked_at = now
        rebuild_summaries()


def rebuild_summaries(of: Collection[str] | None = None, *, by: str = SYSTEM) -> Rebuilt:
    """Make summaries say what is left of their sources; all that are outdated, or those that rest on some memories.

    With fewer than two sources left a summary is retracted. Proposals that rest on what changed are closed.
    """
    closed = [c.id for c in outdated_proposals(of) if _close(c, by)]
    rebuilt: list[str] = []
    dropped: list[str] = []
    for summary in outdated_summaries(of):
        made = outcome(lambda s=summary: _rebuild(s, by))  # type: ignore[misc]
        if isinstance(made, Candidate):  # else it was changed meanwhile, and is looked at again
            (dropped if made.operation == "retract" else rebuilt).append(summary.memory.id)
    return Rebuilt(tuple(rebuilt), tuple(dropped), tuple(closed))


def _close(candidate: Candidate, by: str) -> bool:
    with writing(candidate.tenant_id, by=by) as w:
        fresh = Candidate.objects.open().filter(pk=candidate.pk).first()
        if fresh is not None:  # nobody decided about it meanwhile
            w.record(CandidateExpired(), stream=fresh.id, row=fresh)
    return fresh is not None


def _rebuild(summary: Summary, by: str) -> Candidate:
    tenant, scope = summary.memory.tenant_id, summary.memory.scope
    policy = policies.current(tenant)
    text, said = extract(sources_of(summary.sources), policy.max_content_chars)
    if len(said) < FEWEST:
        with writing(tenant, by=by) as w:
            return _decided(w, _change(summary, "retract", ()), [], by)
    sealed = sealing.seal({"content": text}, tenant=tenant, scope=scope.id, subject=scope.subject_id or "")
    with writing(tenant, by=by) as w:
        return _decided(w, _change(summary, "revise", said), [sealed], by)


def _decided(w: Writing, proposed: CandidateProposed, contents: list[sealing.Sealed], by: str) -> Candidate:
    policy = policies.current(w.tenant)
    candidate: Candidate = w.record(proposed, stream=ids.new("cand"), contents=contents)
    return commit(w, candidate, decided_by=by, policy=policy, reason="rebuilt")


def _change(summary: Summary, operation: str, said: Sequence[Source]) -> CandidateProposed:
    held, memory = summary.version, summary.memory
    verdict = {
        "stage": "summary",
        "code": "rebuilt" if said else "nothing-left",
        "detail": "A source changed; it says what {n} of {all} memories say."
        if said
        else "Too few of its sources are left.",
        "outcome": "commit",
        "values": {"n": len(said), "all": len(summary.sources)},
    }
    return CandidateProposed(
        status="pending",
        outcome="commit",
        lane="",
        operation=operation,
        scope=memory.scope_id,
        kind=held.kind,
        key_rule="",
        claimed_source="summary",
        source_type="summary",
        confidence=held.confidence,
        agent=None,
        observation=None,
        # Not before what it replaces, which it covers from its beginning to its end.
        observed_at=held.observed_at,
        valid_from=held.valid_from,
        valid_to=held.valid_to,
        validity=held.validity,
        retention=held.retention,
        reason="rebuilt",
        always=held.always,
        binding=held.binding,
        subjects=tuple(About.objects.filter(memory=memory).order_by("id").values_list("subject", flat=True)),
        policy_version=policies.current(memory.tenant_id).number,
        score={},
        verdicts=(verdict,),
        target=memory.id,
        target_version=memory.latest,
        restores=None,
        duplicate_of="",
        derived_from=tuple((s.memory, s.number) for s in said),
        level=memory.scope.level,
    )
