"""Two keys of one scope that mean the same, made one by a person: nothing is merged by itself, and nothing is lost."""

from dataclasses import replace

from governance.candidates.actions import judge as judging
from governance.candidates.actions.resolve import seal_for, tombstone
from governance.conflicts import actions as conflicts
from governance.conflicts.models import Conflict
from governance.conflicts.rules import Rival, question
from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound, Stale
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing, writing
from governance.memories import actions as memories
from governance.memories.models import Memory, Version
from governance.memories.rules import value_text
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes.rules import Actor

KEYS_MERGED = "keys-merged"


def merge_keys(kept: Memory, other: Memory, *, expected: tuple[int, int], by: Actor) -> Conflict | None:
    """Return nothing where both say the same, else the conflict in which the two values stand side by side.

    The other key is retracted: what it said is evidence for the kept one, or a claim against it. `expected` are the
    latest versions of both. Raises NotAllowed, NotFound, Invalid, Stale, and AlreadyDecided for what is not held any
    more or is contested.
    """
    _may_merge(kept, other, by)
    policy = policies.current(by.tenant)
    here, there = judging.opened(kept), judging.opened(other)
    key = str(here.words.get("key", ""))
    if policy.is_multi(key):
        raise Invalid({"/kept": "holds several values; there is nothing to choose between"})
    is_same = value_text(there.words.get("value"), key) == value_text(here.words.get("value"), key)
    claim = seal_for(kept.scope, {**there.words, "key": key})
    asked = _question(kept, key, (here, there), policy)
    with writing(by.tenant, by=by.id) as w:
        kept, other = _standing(kept, expected[0]), _standing(other, expected[1])
        found = None
        if is_same:
            _add_evidence(w, kept, there.version)
        else:
            w.keep(claim)
            made = replace(conflicts.held_claim(there.version), content=claim.id, held_version=None)
            held = conflicts.held_claim(here.version)
            found = conflicts.contest(w, kept, held, made, rule=KEYS_MERGED, question=asked)
        memories.retract(w, other, tombstone(other, by), expected=other.latest)
    return found


def _may_merge(kept: Memory, other: Memory, by: Actor) -> None:
    if not by.may("resolve"):
        raise NotAllowed()
    if kept.tenant_id != by.tenant or (by.projects is not None and kept.scope.project_id not in by.projects):
        raise NotFound()
    if kept.scope_id != other.scope_id or kept.pk == other.pk or not kept.key_mac or not other.key_mac:
        raise Invalid({"/other": "is no other key of the same scope"})


def _standing(memory: Memory, expected: int) -> Memory:
    """Return a memory as it stands under the lock."""
    fresh = Memory.objects.get(pk=memory.pk)
    if fresh.latest != expected:
        raise Stale(fresh.latest)
    if fresh.slot is None or fresh.contested:
        state = "retracted" if fresh.slot is None else "conflicted"
        raise AlreadyDecided(f"It is {state}.", status_now=state, current_version=fresh.latest)
    return fresh


def _add_evidence(w: Writing, kept: Memory, version: Version) -> None:
    memories.add_evidence(
        w,
        kept,
        content=version.content_id or "",
        observation=version.observation_id,
        candidate=version.candidate,
        observed_at=version.observed_at,
    )


def _question(kept: Memory, key: str, sides: tuple[judging.Holder, judging.Holder], policy: Policy) -> Sealed:
    rule = policy.key_rule(key)
    label = (rule.labels.get("en") if rule else None) or key.replace("_", " ")
    rivals = [
        Rival(s.words.get("value"), s.version.source_type, s.words.get("source_ref", ""), s.version.observed_at)
        for s in sides
    ]
    text = question(label, rule.labels.get("zh", "") if rule else "", rivals)
    return seal_for(kept.scope, {"question": text})
