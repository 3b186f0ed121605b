"""Proposing a memory: gather, judge, act."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from governance.candidates import events, rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.commit import commit, contest
from governance.candidates.actions.judge import Heard, Judged
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft, Times
from governance.candidates.stages.origin import REPORTED
from governance.candidates.stages.surroundings import stated_times
from governance.candidates.tendency import Tending
from governance.conflicts.rules import CONTRADICTIONS
from governance.errors import ForgetInProgress, Invalid, NotAllowed, NotFound, NotRemembered
from governance.evidence import queries as evidence
from governance.evidence import suppression
from governance.evidence.models import Observation
from governance.ledger import ids, sealing
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Moved, Writing, judged_again, writing
from governance.memories.models import Memory
from governance.memories.rules import content_text, key_text, value_text
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes import actions as scopes
from governance.scopes import queries as scope_queries
from governance.scopes.models import Scope, Subject
from governance.scopes.rules import Actor, ScopeSpec


@dataclass(frozen=True)
class Gathered:
    """A draft made ready: redacted, timed, its scope and its evidence found, its policy read."""

    draft: Draft
    times: Times
    scope: Scope
    heard: Heard | None
    masked: tuple[str, ...]
    policy: Policy
    operation: str = "remember"
    target: str = ""  # the memory a revision names
    expected: int = 0
    restores: int | None = None
    answers: str = ""  # the conflict it answers
    needs_person: bool = False
    is_confirmed: bool = False  # the user's yes was heard to the assistant's words it is made of
    people: tuple[str, ...] = ()  # those named as what it is about, by our ids
    whose: tuple[Subject, ...] = ()  # everybody it is about, as they stood when it was gathered
    tends: Tending | None = None  # what its words tend to, being found


def propose(draft: Draft, *, by: Actor, dry_run: bool = False) -> Candidate:
    """Return the candidate made of a draft, with every stage's verdict; committed when policy says so.

    With `dry_run` the candidate is returned and nothing is stored. Raises Invalid, NotAllowed, NotFound.
    """
    allow(draft, by)
    rules.check(draft)
    gathered = gather(draft, by=by, dry_run=dry_run)
    return store(gathered, by=by, dry_run=dry_run)


def allow(draft: Draft, by: Actor, action: str = "propose") -> None:
    """Raise NotAllowed when the key lacks the action altogether, NotFound when not at this level or project."""
    if not by.holds(action):
        raise NotAllowed(f"This key does not grant {action}.")
    if not by.holds(action, draft.scope.level):
        raise NotFound()
    if draft.scope.level == "project":
        project = scope_queries.find_project(by.tenant, draft.scope.project)
        if project is None or not by.holds(action, "project", project.id):
            raise NotFound()
        if project.closed_at is not None:
            raise Invalid({"/scope/project": "is closed"})
    if draft.scope.level == "global":
        raise NotFound()


def gather(draft: Draft, *, by: Actor, dry_run: bool = False) -> Gathered:
    """Return a draft made ready for judging; opens its scope on first use, unless nothing may be stored."""
    policy = policies.current(by.tenant)
    clean, masked = judging.redacted(draft, policy)
    clean = judging.with_sentence(clean, policy)
    tends = judging.begin_tending(clean, by)
    heard = hear(clean.observation, by) if clean.observation else None
    said_at = said_at_of(clean, heard, by)
    clean = with_stated_times(clean, heard, said_at)
    times = rules.resolve_times(clean, said_at=said_at, now=timezone.now())
    found = scope_queries.find_scope(by, clean.scope)
    if found is None and dry_run:
        found = _scope_to_be(clean.scope, by)
    scope = found or scopes.open_scope(clean.scope, by=by)
    if scope.ended_at is not None:
        raise Invalid({"/scope/session": "has ended"})
    people = tuple(_person(user, by, dry_run) for user in clean.subjects)
    known = tuple(p for p in people if p)
    return Gathered(clean, times, scope, heard, masked, policy, people=known, whose=whose_of(scope, known), tends=tends)


def gather_heard(draft: Draft, observation: Observation, *, by: Actor) -> Gathered:
    """Return a draft that was found in a turn, made ready. Raises ForgetInProgress once who said it is being forgotten,
    or was, since the turn was read; so does storing it."""
    scope_queries.check_open([observation.subject])
    gathered = gather(draft, by=by)
    said = (observation.subject,) if observation.subject is not None else ()
    return replace(gathered, whose=(*gathered.whose, *said))


def with_stated_times(draft: Draft, heard: Heard | None, said_at: datetime) -> Draft:
    """Return a draft with the times that the sentence of its quote states, where its caller gave none (SPEC A2)."""
    given = draft.valid_from or draft.valid_to or draft.validity
    if given or draft.explicit is not None or draft.source_type != "user_explicit" or draft.kind == "episodic":
        return draft
    bounds = stated_times(draft.quote, heard.text if heard else "", draft.value, said_at)
    return replace(draft, valid_from=bounds[0], valid_to=bounds[1])


def whose_of(scope: Scope, people: tuple[str, ...]) -> tuple[Subject, ...]:
    """Return everybody it is about. Raises ForgetInProgress when one of them is being forgotten,
    NotRemembered when one does not want to be remembered."""
    own = [scope.subject] if scope.subject is not None else []
    others = [p for p in people if p != scope.subject_id]
    found = (*own, *(Subject.objects.filter(pk__in=others) if others else ()))
    if any(s.fence for s in found):
        raise ForgetInProgress(retry_after=60)
    if any(s.opted_out_at is not None for s in found):
        raise NotRemembered()
    return found


def _person(user: str, by: Actor, dry_run: bool) -> str:
    """Return the id of somebody a memory is about, known from now on. Raises NotFound beyond a key's own people."""
    found = scope_queries.find_subject(by.tenant, user)
    if by.users is not None and (found is None or not by.serves(found.id)):
        raise NotFound()
    if found is None and not dry_run:
        found = scopes.see_subject(by.tenant, user, by=by.id)
    return found.id if found else ""


def _scope_to_be(spec: ScopeSpec, by: Actor) -> Scope:
    """Return a scope as it would be opened; its id is the tenant's, whose HMAC key exists: nothing is stored for it."""
    subject = scope_queries.find_subject(by.tenant, spec.user) if spec.user else None
    return Scope(id=by.tenant, tenant_id=by.tenant, level=spec.level, subject=subject, opened_at=timezone.now())


def hear(observation: str, by: Actor) -> Heard:
    row = evidence.observation_for(by, observation)
    return Heard(row, evidence.words_of(row).get("text", ""))


def said_at_of(draft: Draft, heard: Heard | None, by: Actor) -> datetime:
    """Return when it was said, in the zone it was said in: as given, else the observation's, else now.

    What rests on a turn was not said after it: an agent cannot make old words the latest. A clock that runs a little
    ahead is set right. Raises Invalid for one that runs further.
    """
    now = timezone.now()
    zone = scope_queries.zone_of(by.tenant)
    heard_at = heard.row.said_at(zone) if heard is not None else None
    if draft.observed_at is None:
        return heard_at or now.astimezone(zone)
    given = draft.observed_at if draft.observed_at.tzinfo else draft.observed_at.replace(tzinfo=zone)
    if rules.is_ahead(given, now):
        raise Invalid({"/observed_at": rules.AHEAD})
    given = min(given, now.astimezone(given.tzinfo))
    return min(given, heard_at) if heard_at is not None else given


def store(gathered: Gathered, *, by: Actor, dry_run: bool = False) -> Candidate:
    """Judge a gathered draft and write down candidate, and memory where policy commits; once more when it moved."""
    if gathered.operation in ("remember", "revise"):
        who = suppression.whose_scope(gathered.scope)
        suppression.check(by.tenant, [*fact_texts(who, gathered.draft.words()), suppression.person_text(who)])
    sealed = None if dry_run else seal(gathered)
    return judged_again(lambda: _judge_and_act(gathered, sealed, by))


def fact_texts(who: str, words: Mapping[str, Any]) -> list[str]:
    """Return what the fingerprints of a fact are taken over: its key and value, and its sentence."""
    texts = []
    if words.get("key") and words.get("value") is not None:
        texts.append(f"{key_text(words['key'], words.get('about') or '')}/{value_text(words['value'])}")
    if words.get("content"):
        texts.append(content_text(words["content"]))
    return [suppression.fact_text(who, text) for text in texts]


def seal(gathered: Gathered) -> Sealed:
    """Return the words of a gathered draft, sealed for its scope."""
    scope = gathered.scope
    words = {name: value for name, value in gathered.draft.words().items() if value not in ("", [])}
    if gathered.draft.value is None:
        words.pop("value", None)
    return sealing.seal(words, tenant=scope.tenant_id, scope=scope.id, subject=scope.subject_id or "")


def _judge_and_act(gathered: Gathered, sealed: Sealed | None, by: Actor) -> Candidate:
    judged = _judge(gathered, by)
    if sealed is None:
        return _preview(gathered, judged, by)
    with writing(by.tenant, by=by.id) as w:
        scope_queries.check_open(gathered.whose)
        _recheck(gathered, judged)
        return act(w, gathered, judged, sealed, by)


def _judge(gathered: Gathered, by: Actor) -> Judged:
    target = judging.opened(Memory.objects.get(pk=gathered.target)) if gathered.target else None
    if by.roles:
        return _by_person(gathered, target)
    if target is not None and gathered.operation in ("retract", "restore"):
        changed = judging.judge_change(gathered.scope, gathered.draft, target)
        return _as_answer(changed, gathered) if gathered.answers else changed
    judged = judging.judge(
        gathered.draft,
        gathered.times,
        scope=gathered.scope,
        heard=gathered.heard,
        masked=gathered.masked,
        policy=gathered.policy,
        by=by,
        target=target,
        is_confirmed=gathered.is_confirmed,
        tends=gathered.tends,
    )
    return _as_answer(judged, gathered) if gathered.answers else judged


def _by_person(gathered: Gathered, target: judging.Holder | None) -> Judged:
    """Return the decision of a member: they answer for it, but are one person where policy wants two for its risk."""
    judged = judging.judge_by_person(target, gathered.operation)
    if gathered.operation != "revise" or target is None or target.memory.binding:
        return judged
    draft, level = gathered.draft, gathered.scope.level
    lane = "quarantine" if judging.reads_as_order(draft.words()) else ""
    risk = rules.risk_of(level, draft.kind, lane=lane, always=draft.always, binding=False)
    if risk not in gathered.policy.two_people:
        return judged
    verdict = {
        "stage": "person",
        "code": "one-of-two",
        "detail": "A person changed this; another has to approve it.",
        "outcome": "review",
    }
    return replace(judged, outcome="review", lane=lane, verdicts=(verdict,))


def _as_answer(judged: Judged, gathered: Gathered) -> Judged:
    """Return the decision about the user's answer to a conflict: it was asked for, so differing is no objection.

    It still does not overrule an authority, and keeping both is a person's work.
    """
    asked = {(v["stage"], v["code"]) for v in judged.verdicts if v["outcome"] not in (None, "commit")}
    if gathered.needs_person:
        return replace(judged, outcome="review" if judged.outcome == "commit" else judged.outcome)
    if asked == {("clash", "conflicts")} and judged.rule not in CONTRADICTIONS:
        return replace(judged, outcome="commit")
    return judged


def _recheck(gathered: Gathered, judged: Judged) -> None:
    """Raise Moved when the slot's holder or the policy is no longer what was judged."""
    if gathered.target:
        now = Memory.objects.get(pk=gathered.target)
        if now.latest != gathered.expected:
            return  # the action itself answers with Stale
    else:
        held = judging.holding(gathered.scope, gathered.draft, gathered.policy)
        if (held.id, held.latest) != (judged.mark or ()) if held else judged.holder is not None:
            raise Moved
    if policies.current(gathered.scope.tenant_id).number != gathered.policy.number:
        raise Moved


def act(w: Writing, gathered: Gathered, judged: Judged, sealed: Sealed, by: Actor) -> Candidate:
    """Record the candidate; commit it when that is the outcome."""
    pending = _same_pending(gathered) if judged.outcome == "review" else None
    if judged.outcome == "review" and pending is None:
        judged = _as_decided_before(gathered, judged)
    candidate: Candidate = w.record(
        replace(_proposed(gathered, judged, by, pending), held_back=pending is None and _floods(gathered, judged, by)),
        stream=ids.new("cand"),
        contents=[sealed],
        occurred_at=gathered.times.observed_at,
    )
    if not gathered.answers and (contested := _contested(judged)):
        return contest(w, candidate, judged.holder, rule=contested, policy=gathered.policy)
    if judged.outcome != "commit":
        return candidate
    return commit(w, candidate, decided_by=f"policy:{gathered.policy.number}", policy=gathered.policy)


def _same_pending(gathered: Gathered) -> Candidate | None:
    """Return the open candidate that says the same in the same scope: two would be one item twice."""
    key_mac, value_mac = judging.macs(gathered.scope, gathered.draft)
    same = Candidate.objects.filter(
        status__in=("pending", "deciding"),
        scope=gathered.scope,
        key_mac=key_mac,
        value_mac=value_mac,
        operation=gathered.operation,
        kind=gathered.draft.kind,
        always=gathered.draft.always,
        valid_from=gathered.times.valid_from,
        valid_to=gathered.times.valid_to,
    )
    if not gathered.target:
        return same.first()
    same = same.filter(target=gathered.target, restores=gathered.restores)
    return next((row for row in same if _changes_the_same(row, gathered)), None)


# What a change of a memory may leave as it is: two changes differ when one of these differs.
_CHANGED = ("value", "content", "context", "about", "tags")


def _changes_the_same(pending: Candidate, gathered: Gathered) -> bool:
    """Return whether an open change of the same memory would make of it what this one would."""
    held = sealing.unseal([pending.content_id or ""]).get(pending.content_id or "", sealing.NO_WORDS)
    words = gathered.draft.words()
    confidence = rules.capped(gathered.draft.confidence, pending.source_type)
    return pending.confidence == confidence and all(
        (held.get(name) or None) == (words[name] or None) for name in _CHANGED
    )


def _as_decided_before(gathered: Gathered, judged: Judged) -> Judged:
    """Return the decision that people made about the very same proposal: what they rejected does not come back."""
    if gathered.target or not judged.verdicts:
        return judged
    key_mac, value_mac = judging.macs(gathered.scope, gathered.draft)
    same = Candidate.objects.filter(scope=gathered.scope, key_mac=key_mac, status="rejected", value_mac=value_mac)
    same = same.filter(kind=gathered.draft.kind, decided_by__startswith="member:").exclude(decision_reason="unclear")
    if not same.exists():
        return judged
    verdict = {
        "stage": "before",
        "code": "decided-before",
        "detail": "A person rejected exactly this.",
        "outcome": "reject",
    }
    return replace(judged, outcome="reject", verdicts=(*judged.verdicts, verdict))


def _floods(gathered: Gathered, judged: Judged, by: Actor) -> bool:
    """Return whether a proposal is one too many of its agent: it waits like the others, out of their way."""
    if judged.outcome != "review" or not by.agent:
        return False
    policy, own = gathered.policy, Candidate.objects.filter(agent=by.agent)
    shown = own.filter(tenant=by.tenant, status="pending", held_back=False)[: policy.flood_waiting].count()
    fast = own.order_by("-created_seq").values_list("created_at", flat=True)[policy.flood_per_minute - 1 :].first()
    minute = timezone.now() - timedelta(minutes=1)
    return rules.is_flood(shown, policy.flood_per_minute if fast is not None and fast > minute else 0, policy)


def _contested(judged: Judged) -> str:
    """Return the rule by which a claim contests its key: good enough to stand, not to win; "" when it does not.

    Nothing but the clash stands against it (its wide scope and its source aside: contesting changes no value, it asks).
    """
    asked = {(v["stage"], v["code"]) for v in judged.verdicts if v["outcome"] not in (None, "commit")}
    clashes = ("clash", "conflicts") in asked and asked <= {("clash", "conflicts"), ("width", "wide-scope"), *REPORTED}
    return judged.rule if clashes and not judged.lane else ""


STATUS_OF = {"commit": "pending", "review": "pending", "event_only": "event_only", "reject": "rejected"}


def _proposed(gathered: Gathered, judged: Judged, by: Actor, pending: Candidate | None) -> events.CandidateProposed:
    draft, times = gathered.draft, gathered.times
    rule = gathered.policy.key_rule(draft.key) if draft.key else None
    return events.CandidateProposed(
        status="merged" if pending else STATUS_OF[judged.outcome],
        outcome=judged.outcome,
        lane=judged.lane,
        operation=gathered.operation,
        scope=gathered.scope.id,
        kind=draft.kind,
        key_rule=rule.id if rule else "",
        claimed_source=draft.source_type,
        source_type=judged.source_type,
        confidence=rules.capped(draft.confidence, judged.source_type),
        agent=by.agent or None,
        observation=gathered.heard.row.id if gathered.heard else None,
        observed_at=times.observed_at,
        valid_from=times.valid_from,
        valid_to=times.valid_to,
        validity=times.validity,
        retention=draft.retention,
        reason=draft.reason,
        always=draft.always,
        binding=draft.binding,
        subjects=_subjects(gathered),
        policy_version=gathered.policy.number,
        score=judged.score,
        verdicts=judged.verdicts,
        target=judged.holder.memory.id if judged.holder else None,
        target_version=gathered.expected or (judged.holder.memory.latest if judged.holder else None),
        restores=gathered.restores,
        duplicate_of=pending.id if pending else judged.holder.memory.id if judged.same_value and judged.holder else "",
        level=gathered.scope.level,
        risk=rules.risk_of(
            gathered.scope.level, draft.kind, lane=judged.lane, always=draft.always, binding=draft.binding
        ),
    )


def _subjects(gathered: Gathered) -> tuple[str, ...]:
    """Return the people a memory is about: those named and known, and the one whose scope it is."""
    own = [gathered.scope.subject_id] if gathered.scope.subject_id else []
    return tuple(sorted({*own, *gathered.people}))


def _preview(gathered: Gathered, judged: Judged, by: Actor) -> Candidate:
    """Return an unsaved candidate: the verdict without the deed."""
    e = _proposed(gathered, judged, by, None)
    preview = Candidate(id="", tenant_id=by.tenant, scope=gathered.scope, created_at=timezone.now(), version=0)
    for name in events.PLAIN:
        setattr(preview, name, getattr(e, name))
    preview.verdicts, preview.subjects, preview.proposed_by = list(e.verdicts), list(e.subjects), by.id
    return preview
