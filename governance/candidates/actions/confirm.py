"""The user's own word for what was proposed: brought by an agent, or found in what the user says next."""

from dataclasses import replace
from typing import Any

from django.utils import timezone

from governance.candidates import events, queries, rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.commit import commit
from governance.candidates.actions.judge import Heard
from governance.candidates.actions.propose import STATUS_OF, hear
from governance.candidates.extractors import is_yes
from governance.candidates.extractors.meaning import is_turned_or_open, says_again
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft, Times
from governance.candidates.stages.figures import unsaid
from governance.candidates.stages.origin import RETOLD, UNCONFIRMED
from governance.candidates.stages.proposal import Facts, Proposal
from governance.candidates.stages.subject import subject as whom_it_is_about
from governance.candidates.stages.support import shared, supports, words
from governance.candidates.stages.surroundings import is_torn
from governance.candidates.stages.text import words_of
from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound, Stale
from governance.evidence.models import Observation
from governance.evidence.queries import words_of as words_of_observation
from governance.ledger import sealing
from governance.ledger.writing import writing
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes.queries import external_id, reaches
from governance.scopes.rules import Actor


def confirm(candidate: Candidate, *, observation: str, quote: str, by: Actor) -> Candidate:
    """Return the candidate judged again with the user's own word for it, committed where policy lets that suffice.

    What was refused only because the assistant had said it can be confirmed too. Raises Invalid, NotAllowed,
    NotFound, AlreadyDecided.
    """
    if not by.holds("propose"):
        raise NotAllowed("This key does not grant propose.")
    if not reaches(by, candidate.scope, "propose"):
        raise NotFound()
    if problem := rules.unfit_text(quote) or ("" if quote.strip() else "is empty"):
        raise Invalid({"/quote": problem})
    if not is_confirmable(candidate):
        raise AlreadyDecided(status=candidate.status, current_version=candidate.version)
    quote, _ = judging.redacted_text(quote, policies.current(by.tenant))
    heard = hear(observation, by)
    if not _is_their_word(candidate, heard.row):
        raise Invalid({"/observation": "is not a turn of the user it would be filed under"})
    if is_torn(quote, heard.text):
        raise Invalid({"/quote": "says on its own what the words around it deny, report, ask or limit"})
    return _confirmed(candidate, heard, quote, by)


def is_confirmable(candidate: Candidate) -> bool:
    """Return whether a user's yes still counts for a candidate: it waits, or waits for nothing but that word."""
    if candidate.status == "pending":
        return True
    asked = {v["code"] for v in candidate.verdicts if v["outcome"] == "reject"}
    return candidate.status == "rejected" and bool(asked) and asked <= UNCONFIRMED


def said_yes(observation: Observation, quote: str, by: Actor) -> list[Candidate]:
    """Return what became of the proposals that rest on the assistant's turn just before a user's plain yes."""
    before = turn_before(observation)
    if before is None:
        return []
    waiting = Candidate.objects.filter(observation=before, status__in=("pending", "rejected"))
    found = [c for c in waiting.select_related("scope", "target").order_by("created_seq") if is_confirmable(c)]
    heard = Heard(observation, quote)
    meant = [c for c in found if _is_their_word(c, observation) and _says_yes_to(c, _proposed(c), heard)]
    return [_confirmed(candidate, heard, quote, by) for candidate in meant]


def _is_their_word(candidate: Candidate, row: Observation) -> bool:
    """Return whether a user said it, and for what is one person's own, that person."""
    is_personal = candidate.scope.level in ("user", "session")
    return row.role == "user" and (not is_personal or judging.is_by_scope_user(row, candidate.scope))


def turn_before(observation: Observation) -> Observation | None:
    """Return the turn just before this one with the same person and agent, when the assistant said it."""
    turns = Observation.objects.filter(
        tenant=observation.tenant_id,
        subject=observation.subject_id,
        session=observation.session_id,
        agent=observation.agent_id,
        seq__lt=observation.seq,
        role__in=("user", "assistant"),
    )
    last = turns.order_by("-seq").first()
    return last if last is not None and last.role == "assistant" else None


def _confirmed(candidate: Candidate, heard: Heard, quote: str, by: Actor) -> Candidate:
    policy = policies.current(by.tenant)
    proposed = _proposed(candidate)
    is_again = _says_again(proposed, quote)
    if not (is_again or _says_yes_to(candidate, proposed, heard)):
        raise Invalid({"/quote": "neither says it again nor is a yes to a turn of the assistant's that said it"})
    draft = replace(
        proposed,
        source_type="user_explicit",
        quote=quote,
        observation=heard.row.id,
        confidence=None,
        explicit=True,
        lasting=True,
    )
    if is_again and _is_unfit(draft, heard, policy):
        raise Invalid({"/quote": "does not say of the user that this is so"})
    zone = heard.row.said_at(timezone.get_default_timezone())
    times = Times(zone, candidate.valid_from, candidate.valid_to, candidate.validity)
    judged = judging.judge(
        draft,
        times,
        scope=candidate.scope,
        heard=heard,
        masked=(),
        policy=policy,
        by=by,
        target=_named(candidate),
        is_confirmed=True,
    )
    kept = {name: value for name, value in draft.words().items() if value not in ("", [], None)}
    scope = candidate.scope
    sealed = sealing.seal(kept, tenant=candidate.tenant_id, scope=scope.id, subject=scope.subject_id or "")
    with writing(by.tenant, by=by.id) as w:
        fresh = _still_confirmable(candidate)
        again = events.CandidateJudgedAgain(
            status=STATUS_OF[judged.outcome],
            outcome=judged.outcome,
            lane=judged.lane,
            source_type=judged.source_type,
            confidence=rules.capped(None, judged.source_type),
            observation=heard.row.id,
            policy_version=policy.number,
            score=judged.score,
            verdicts=judged.verdicts,
            target=judged.holder.memory.id if judged.holder else None,
            target_version=fresh.target_version if fresh.operation != "remember" else (judged.mark or (None, None))[1],
        )
        row: Candidate = w.record(again, stream=fresh.id, row=fresh, contents=[sealed])
        if judged.outcome == "commit":
            row = commit(w, row, decided_by=f"policy:{policy.number}", policy=policy, reason="confirmed")
    return row


def _proposed(candidate: Candidate) -> Draft:
    sealed_words = sealing.unseal([candidate.content_id or ""])[candidate.content_id or ""]
    return queries.draft_of(candidate, sealed_words)


def _is_unfit(draft: Draft, heard: Heard, policy: Policy) -> bool:
    """Return whether a quote that says a statement again would not bear it out in a proposal: said of another, over."""
    external = heard.row.subject.content_id if heard.row.subject else ""
    proposal = Proposal(
        level="user",
        kind=draft.kind,
        key=draft.key,
        value=draft.value,
        content=draft.content,
        about=draft.about,
        source_type="user_explicit",
        quote=draft.quote,
        role_of_observation="user",
        observation_text=heard.text,
        user=external_id(external, "user") if external else "",
    )
    return whom_it_is_about(proposal, Facts(), policy).outcome is not None


def _says_again(proposed: Draft, quote: str) -> bool:
    value = words_of(proposed.value) if _is_worded(proposed.value) else ""
    return says_again(quote, value, proposed.content) and not unsaid(value, quote)


def _says_yes_to(candidate: Candidate, proposed: Draft, heard: Heard) -> bool:
    """Return whether a turn is a plain yes, and the assistant's turn just before it said what is proposed.

    A yes to something else, or with a condition, confirms nothing (SPEC C4).
    """
    if not is_yes(heard.text.strip()):
        return False
    before = turn_before(heard.row)
    if before is None:
        return False
    offered = words_of_observation(before).get("text", "")
    if is_turned_or_open(offered, f"{proposed.content} {words_of(proposed.value)}"):
        return False
    if before.pk == candidate.observation_id:
        return True
    told = words(proposed.content) - words(proposed.key.replace(".", " ").replace("_", " "))  # without its label
    return supports(offered, proposed.value) and shared(told, words(offered)) >= RETOLD * len(told)


def _still_confirmable(candidate: Candidate) -> Candidate:
    """Return the item under the lock. Raises AlreadyDecided, Stale."""
    fresh = Candidate.objects.select_related("scope", "target").get(pk=candidate.pk)
    if not is_confirmable(fresh):
        raise AlreadyDecided(status_now=fresh.status, current_version=fresh.version)
    if fresh.version != candidate.version:
        raise Stale(fresh.version)
    return fresh


def _is_worded(value: Any) -> bool:
    return value is not None and not isinstance(value, bool)


def _named(candidate: Candidate) -> judging.Holder | None:
    """Return the memory that a revision names; None for a plain proposal, whose holder is looked up."""
    return judging.opened(candidate.target) if candidate.operation != "remember" and candidate.target else None
