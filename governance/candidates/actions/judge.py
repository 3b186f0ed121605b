"""Gather what the stages need, and ask them: shared by every way a candidate is judged."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from governance.candidates.echoes import is_echo
from governance.candidates.rules import Draft, Times, rendered
from governance.candidates.stages import (
    Decision,
    Facts,
    Proposal,
    Rival,
    decide,
    effective_source,
    instruction_shape,
    is_explicit,
)
from governance.candidates.stages.proposal import Tendency
from governance.candidates.stages.text import words_of
from governance.candidates.tendency import Tending, tending
from governance.conflicts.rules import EXPLICIT, Ruling, Side, contradicts, is_one_claim, precedence, side
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.sealing import Words
from governance.memories.events import stated
from governance.memories.models import FOREVER, Memory, Version
from governance.memories.rules import content_text, key_text, normalise_text, timeline, value_text
from governance.memories.spelling import numbers_name
from governance.policies.detectors import redact, redact_fields
from governance.policies.rules import Policy, normalise_key
from governance.retrieval.queries import given_before
from governance.scopes.models import Participation, Scope
from governance.scopes.rules import Actor

DATED_BACK = timedelta(days=1)  # before the turn it rests on: another day, in any zone


@dataclass(frozen=True)
class Heard:
    """An observation with its words opened."""

    row: Observation
    text: str


@dataclass(frozen=True)
class Holder:
    """The memory that holds a proposal's slot now, and what it says."""

    memory: Memory
    version: Version
    words: Words
    # How it stands to the proposal: it says the "same", something that "differs" for an overlapping time, or what it
    # says holds at other times ("apart").
    relation: str = "differs"

    @property
    def mark(self) -> tuple[str, int]:
        return self.memory.id, self.memory.latest


@dataclass(frozen=True)
class Judged:
    """A decision and what it was made on."""

    outcome: str
    lane: str
    source_type: str
    verdicts: tuple[dict[str, Any], ...]
    score: dict[str, Any]
    holder: Holder | None
    same_value: bool
    rule: str = ""  # the rule of precedence that applied

    @property
    def mark(self) -> tuple[str, int] | None:
        return self.holder.mark if self.holder else None


def redacted(draft: Draft, policy: Policy) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without what may not be stored, and the categories that were masked."""
    words = draft.words()
    clean, masked = redact_fields(words, policy.sensitivity, names={"value": draft.key})
    changes: dict[str, Any] = {**clean}
    changes["tags"] = tuple(changes["tags"])
    return replace(draft, **changes), tuple(sorted({m.category for m in masked}))


def redacted_text(text: str, policy: Policy) -> tuple[str, tuple[str, ...]]:
    result = redact(text, policy.sensitivity)
    return result.text, tuple(sorted({m.category for m in result.spans}))


def with_sentence(draft: Draft, policy: Policy) -> Draft:
    """Return the draft with a sentence: its own, else one rendered from label and value."""
    if draft.content:
        return draft
    return replace(draft, content=rendered(draft.key, draft.value, policy.key_rule(draft.key), draft.about))


def macs(scope: Scope, draft: Draft) -> tuple[bytes, bytes]:
    """Return the HMACs of a draft's key (b"" without one) and of its value (of its sentence without a key)."""
    if not draft.key:
        return b"", sealing.mac(scope.id, content_text(draft.content))
    key = sealing.mac(scope.id, key_text(draft.key, draft.about))
    return key, sealing.mac(scope.id, value_text(draft.value, draft.key))


def holding(scope: Scope, draft: Draft, policy: Policy) -> Memory | None:
    """Return the memory that a proposal would change or repeat: same scope, same key, same slot."""
    key_mac, value_mac = macs(scope, draft)
    slot = value_mac if not draft.key or policy.is_multi(draft.key) else b""
    return Memory.objects.filter(scope=scope, key_mac=key_mac, slot=slot).first()


def opened(memory: Memory) -> Holder:
    """Return a memory with its latest words."""
    return _opened(memory, Version.objects.get(memory=memory, number=memory.latest))


def _opened(memory: Memory, version: Version, relation: str = "differs") -> Holder:
    words = sealing.unseal([version.content_id or ""]).get(version.content_id or "", sealing.NO_WORDS)
    return Holder(memory, version, words, relation)


def against(memory: Memory, scope: Scope, draft: Draft, times: Times) -> Holder:
    """Return the version of a memory that a proposal meets: only where both hold can they repeat or contradict."""
    versions = {v.number: v for v in Version.objects.filter(memory=memory)}
    start, end = times.valid_from or times.observed_at, times.valid_to or FOREVER
    value = macs(scope, draft)[1] if draft.key else None
    met = [s for s in timeline(stated(v) for v in versions.values()) if s.starts_at < end and start < s.ends_at]
    latest = versions[memory.latest]
    differing = [versions[s.number] for s in met if value is not None and bytes(versions[s.number].value_mac) != value]
    differing = [v for v in differing if not _is_named_the_same(draft, memory, v)]
    if differing:
        return _opened(memory, max(differing, key=lambda v: (v.observed_at, v.number)))
    covered = [s for s in met if s.starts_at <= start and end <= s.ends_at]
    unstated = times.valid_from is None and times.valid_to is None
    if met and (unstated or covered):
        return _opened(memory, versions[(covered or met)[-1].number], "same")
    return _opened(memory, latest, "apart")


def _is_named_the_same(draft: Draft, memory: Memory, version: Version) -> bool:
    """Return whether a version and a proposal say one thing, once with and once without its name."""
    if not isinstance(draft.value, str) or not numbers_name(normalise_text(draft.value))[1]:
        return False
    shown = [version.content_id or "", *memory.evidence.values_list("content", flat=True)]
    words = sealing.unseal(i for i in shown if i)
    said = " ".join(f"{w.get('content', '')} {w.get('quote', '')}" for w in words.values())
    held = words.get(version.content_id or "", sealing.NO_WORDS).get("value")
    return is_one_claim(draft.value, f"{draft.content} {draft.quote}", held, said, draft.key)


def judge(
    draft: Draft,
    times: Times,
    *,
    scope: Scope,
    heard: Heard | None,
    masked: Iterable[str],
    policy: Policy,
    by: Actor,
    target: Holder | None = None,
    is_confirmed: bool = False,
    tends: Tending | None = None,
) -> Judged:
    """Return what the stages say of a proposal, with what they saw. `target` is named by a revision; `tends` is what
    its words are found to tend to meanwhile."""
    held = target.memory if target else holding(scope, draft, policy)
    seen = Seen(
        level=scope.level,
        heard=heard,
        by_scope_user=heard is not None and is_by_scope_user(heard.row, scope),
        masked=tuple(masked),
        sources=by.sources,
        rival=against(held, scope, draft, times) if held else None,
        relied_on=target is not None and target.version.always,
        given=given_before(heard.row) if heard is not None and not is_confirmed else (),
        is_confirmed=is_confirmed,
        is_change=target is not None,
        said_elsewhere=heard is not None and _said_elsewhere(heard.row, scope),
    )
    judged = judge_seen(draft, times, seen, policy)
    if tends is None or judged.lane or judged.outcome == "reject":
        return judged  # rules worded it, a person sees it as it is, or it goes nowhere
    found = tends()
    return judge_seen(draft, times, replace(seen, tendency=found), policy) if found and found.is_any else judged


def begin_tending(draft: Draft, by: Actor) -> Tending | None:
    """Begin to find what the words of a draft tend to, beside the gathering that follows: embedding them takes longer
    than any other part of a write. None for what rules worded or a person decides."""
    return None if by.roles or draft.explicit is not None else tending([draft.content, *other_words(draft)])


def other_words(draft: Draft) -> list[str]:
    """Return what a draft says beside its sentence, as a model would read it."""
    value = words_of(draft.value) if not isinstance(draft.value, bool | int | float) and draft.value is not None else ""
    said = [value, draft.context]
    return [text for text in said if len(text) > 12 and text not in draft.content]


@dataclass(frozen=True)
class Seen:
    """What was gathered about a proposal before it is judged."""

    level: str
    heard: Heard | None
    by_scope_user: bool  # the person the scope belongs to said it
    masked: tuple[str, ...]
    sources: frozenset[str]  # that the agent may name
    rival: Holder | None
    relied_on: bool  # it would change a memory that accompanies every recall
    given: tuple[str, ...] = ()  # what recalls gave the agent before this was said
    is_confirmed: bool = False  # the user's yes to it was brought
    tendency: Tendency | None = None  # what its words tend to
    is_change: bool = False  # it names the memory it would change
    said_elsewhere: bool = False  # in another project than the one it would hold for


def judge_seen(draft: Draft, times: Times, seen: Seen, policy: Policy) -> Judged:
    """Return what the stages say of a proposal under a policy, on what was seen; asks the database for nothing."""
    rival, heard = seen.rival, seen.heard
    same = rival is not None and rival.relation == "same"
    facts = Facts(
        same_value_memory=rival.memory.id if rival is not None and same else None,
        key_holder=_rival(rival) if rival is not None and rival.relation == "differs" else None,
        suppressed=False,
        granted_sources=seen.sources,
        tendency=seen.tendency,
        is_change=seen.is_change,
        changes_always=seen.relied_on,
        takes_from_always=rival is not None and rival.relation == "differs" and rival.version.always,
        said_elsewhere=seen.said_elsewhere,
        dated_back=heard is not None and heard.row.occurred_at - times.observed_at > DATED_BACK,
    )
    proposal = Proposal(
        level=seen.level,
        kind=draft.kind,
        key=normalise_key(draft.key),
        value=draft.value,
        content=draft.content,
        context=draft.context,
        about=draft.about,
        source_type=draft.source_type,
        confidence=draft.confidence,
        quote=draft.quote,
        role_of_observation=heard.row.role if heard else "",
        observation_text=heard.text if heard else "",
        observation_is_by_scope_user=seen.by_scope_user,
        observed_at=times.observed_at,
        valid_from=times.valid_from,
        valid_to=times.valid_to,
        validity=times.validity,
        always=draft.always,
        lasting=draft.lasting,
        explicit=draft.explicit,
        tags=draft.tags,
        source_ref=draft.source_ref,
        names_others=seen.level in ("user", "session") and any(s != draft.scope.user for s in draft.subjects),
        is_confirmed=seen.is_confirmed,
        user=draft.scope.user,
        placeholders=tuple(sorted({*seen.masked, *_masked_in_quote(heard, draft.quote)})),
    )
    facts = replace(facts, is_recall_echo=is_echo(proposal, seen.given))
    if rival is not None and rival.relation == "differs":
        facts = replace(facts, ruling=_ruling(proposal, facts, rival, draft.source_ref, policy))
    rule = facts.ruling.rule if facts.ruling else ""
    return _judged(decide(proposal, facts, policy), rival, same, rule)


def _said_elsewhere(observation: Observation, scope: Scope) -> bool:
    """Whether words said in one project would hold for another."""
    return bool(scope.project_id and observation.project_id) and observation.project_id != scope.project_id


def _ruling(proposal: Proposal, facts: Facts, rival: Holder, source_ref: str, policy: Policy) -> Ruling:
    rule = policy.key_rule(proposal.key)
    new = side(
        effective_source(proposal, facts),
        source_ref,
        proposal.observed_at or timezone.now(),
        rule=rule,
        explicit=is_explicit(proposal),
    )
    held = held_side(rival, policy)
    ruling = precedence(new, held, (rule.trust if rule and rule.trust else policy.trust))
    by_the_same = new.source_type == held.source_type == "user_explicit"
    if (
        ruling.rule == "later-word"
        and by_the_same
        and contradicts(_wording(proposal), _said(rival.words), proposal.key)
    ):
        return Ruling("", "denies-earlier-word")
    return ruling


def _wording(proposal: Proposal) -> str:
    return proposal.quote or proposal.content


def _said(words: Words) -> str:
    return str(words.get("quote") or words.get("content", ""))


def held_side(rival: Holder, policy: Policy) -> Side:
    """Return what a memory says as precedence sees it."""
    version = rival.version
    rule = policy.key_rule(rival.words.get("key", ""))
    return side(version.source_type, rival.words.get("source_ref", ""), version.observed_at, rule=rule)


def _judged(decision: Decision, rival: Holder | None, same: bool, rule: str) -> Judged:
    return Judged(
        outcome=decision.outcome,
        lane=decision.lane,
        source_type=decision.effective_source,
        verdicts=tuple(asdict(v) for v in decision.verdicts),
        score=asdict(decision.score),
        holder=rival,
        same_value=same,
        rule=rule,
    )


def judge_by_person(target: Holder | None, code: str) -> Judged:
    """Return the decision of a member who changes a memory themselves: they answer for it."""
    verdict = {"stage": "person", "code": code, "detail": "A person with that right did this.", "outcome": "commit"}
    return Judged("commit", "", "reviewer", (verdict,), {}, target, False)


def reads_as_order(words: Mapping[str, Any]) -> bool:
    """Return whether words that a person chose read like an order to a model."""
    said = (words.get("content"), words_of(words.get("value")), words.get("context"))
    return bool(instruction_shape("\n".join(part for part in said if part), key=words.get("key") or ""))


def judge_change(scope: Scope, draft: Draft, target: Holder) -> Judged:
    """Return what policy says of retracting or restoring: narrow, and nothing people rely on, needs no person."""
    wide = scope.level not in ("session", "user", "agent")
    relied_on = draft.always or draft.kind == "procedural"
    code = "wide-scope" if wide else "relied-on" if relied_on else "narrow"
    outcome = "review" if wide or relied_on else "commit"
    detail = {
        "wide-scope": "Others share this scope: a person decides.",
        "relied-on": "It accompanies every recall, or rules conduct: a person decides.",
        "narrow": "It concerns one user, session or agent.",
    }[code]
    verdict = {"stage": "width", "code": code, "detail": detail, "outcome": outcome}
    return Judged(outcome, "", draft.source_type, (verdict,), {}, target, False)


def _masked_in_quote(heard: Heard | None, quote: str) -> Iterable[str]:
    """Return what was masked in the observation, where the whole of it is what the quote rests on."""
    return heard.row.placeholders if heard is not None and "[" in quote else ()


def _rival(found: Holder) -> Rival:
    version = found.version
    return Rival(
        memory=found.memory.id,
        version=version.number,
        source_type=version.source_type,
        explicit=version.source_type in EXPLICIT,
        observed_at=version.observed_at,
        value=found.words.get("value"),
    )


def is_by_scope_user(observation: Observation, scope: Scope) -> bool:
    """Return whether the person a scope belongs to said this: for a project, one of its participants."""
    if observation.role != "user":
        return False
    if scope.level in ("user", "session"):
        return observation.subject_id == scope.subject_id
    if scope.level == "project":
        return Participation.objects.filter(pk=f"{scope.project_id}.{observation.subject_id}").exists()
    return True
