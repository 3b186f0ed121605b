"""Bringing the user's answer to a conflict: a candidate like any other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils import timezone

from governance.candidates import rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.judge import Heard
from governance.candidates.actions.propose import Gathered, hear, store, whose_of
from governance.candidates.extractors.meaning import says_again
from governance.candidates.rules import Draft, Times
from governance.candidates.stages.origin import stands_in
from governance.candidates.stages.surroundings import is_torn
from governance.conflicts import actions as conflicts
from governance.conflicts.models import UNSETTLED, Claim, Conflict
from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger import sealing
from governance.ledger.writing import writing
from governance.policies import queries as policies
from governance.scopes.queries import reaches
from governance.scopes.rules import Actor, ScopeSpec


def answer(
    conflict: Conflict, *, choice: str, value: Any, observation: str, quote: str, expected: int, by: Actor
) -> Conflict:
    """Return the conflict after an agent brought the user's answer: settled where policy lets the answer suffice.

    The answer is a candidate; where it does not suffice it waits for a person and the conflict stays open.
    """
    if not by.holds("propose"):
        raise NotAllowed("This key does not grant propose.")
    if not reaches(by, conflict.scope, "propose"):
        raise NotFound()
    with_claims = {c.id: c for c in conflicts.claims_of(conflict)}
    if choice not in with_claims and choice not in ("both", "none"):
        raise Invalid({"/choice": "must be the id of a claim, both or none"})
    if choice == "none" and value is not None:
        raise Invalid({"/value": "goes with a claim; none holds no value"})
    if conflict.version != expected or conflict.status not in UNSETTLED:
        conflicts.unsettled(conflict, expected)
    gathered = _answered(conflict, with_claims.get(choice), choice, value, observation, quote, by)
    if choice in with_claims and _says_another(gathered.draft, with_claims, choice):
        gathered = replace(gathered, needs_person=True)
    if gathered.heard is not None and not stands_in(gathered.draft.quote, gathered.heard.text):
        raise Invalid({"/quote": "does not stand in the observation"})
    candidate = store(gathered, by=by)
    fresh = Conflict.objects.select_related("memory", "scope").get(pk=conflict.pk)
    if candidate.status == "pending" and fresh.status == "open":
        with writing(by.tenant, by=by.id) as w:
            fresh = conflicts.ask(w, fresh, expected=fresh.version)
    return fresh


def _answered(
    conflict: Conflict, claim: Claim | None, choice: str, value: Any, observation: str, quote: str, by: Actor
) -> Gathered:
    """Return the candidate that an answer is: a revision of the contested memory, or its retraction."""
    policy = policies.current(by.tenant)
    held = judging.opened(conflict.memory)
    content_id = claim.content_id if claim else held.version.content_id
    words = sealing.unseal([content_id or ""]).get(content_id or "", sealing.NO_WORDS)
    heard = hear(observation, by)
    draft = Draft(
        scope=ScopeSpec(level=conflict.scope.level),
        kind=held.version.kind,
        key=held.words.get("key", ""),
        value=words.get("value") if value is None else value,
        content=words.get("content", "") if value is None else "",
        source_type="user_explicit",
        observation=observation,
        quote=judging.redacted_text(quote, policy)[0],
        reason="resolution",
        lasting=True,
        explicit=True,
        note="" if choice != "both" else "The user says that both hold.",
    )
    clean, masked = judging.redacted(draft, policy)
    rules.check(clean)
    clean = judging.with_sentence(clean, policy)
    said_at = heard.row.said_at(timezone.get_default_timezone())
    times = Times(said_at, None, None, "until_replaced")
    return Gathered(
        clean,
        times,
        conflict.scope,
        heard,
        masked,
        policy,
        operation="retract" if choice == "none" else "revise",
        target=conflict.memory_id,
        expected=conflict.memory.latest,
        answers=conflict.id,
        needs_person=choice == "both" or not _is_their_word(heard, judging.redacted_text(quote, policy)[0], conflict),
        whose=whose_of(conflict.scope, ()),
    )


def _says_another(draft: Draft, claims: Mapping[str, Claim], choice: str) -> bool:
    """Return whether what the user said is said again by another claim, and not by the one that was chosen."""
    words = sealing.unseal(c.content_id or "" for c in claims.values())
    held = {id: words.get(c.content_id or "", sealing.NO_WORDS) for id, c in claims.items()}
    others = [w for id, w in held.items() if id != choice]
    return not _is_said(draft.value, draft.quote) and any(_is_said(w.get("value"), draft.quote) for w in others)


def _is_said(value: Any, quote: str) -> bool:
    return isinstance(value, str) and says_again(quote, value, "")


def _is_their_word(heard: Heard, quote: str, conflict: Conflict) -> bool:
    """Return whether the person it is about said this, and meant it as it is quoted."""
    return judging.is_by_scope_user(heard.row, conflict.scope) and not is_torn(quote, heard.text)
