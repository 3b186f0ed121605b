"""Rank, precedence and limit: which candidates stay in, and in what order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from governance.conflicts.queries import in_dispute
from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS, Words
from governance.memories.queries import scope_contents
from governance.memories.rules import key_text
from governance.retrieval import rules
from governance.retrieval.beliefs import Belief
from governance.retrieval.course import Course, Hit, key_name
from governance.retrieval.legs import Field


def rank(course: Course, hits: list[Hit]) -> None:
    """Score every candidate and put them in order; what lies under the floor, or is contested, stays behind."""
    floor = course.policy.rank.floor
    _learn_disputes(course, [h.belief for h in hits])
    score(course, hits)
    for hit in hits:
        free = hit.named or "always" in hit.via or "listed" in hit.via
        if not free and hit.relevance < floor:
            hit.fate, hit.detail = "floor", f"relevance {hit.relevance:.2f} under {floor:.2f}"
            hit.values = {"relevance": round(hit.relevance, 4), "floor": floor}
        elif hit.belief.memory in course.disputes:
            hit.fate = "conflicted"
    hits.sort(key=_listed_order if _is_list(hits) else _ranked_order)


def _learn_disputes(course: Course, beliefs: Sequence[Belief]) -> None:
    """Learn which of these are in dispute at the moment that is asked about; history is told as it was written."""
    known_at = course.question.known_at
    ids = {b.memory for b in beliefs if b.contested or known_at is not None}
    if ids and not course.question.history:
        course.disputes |= in_dispute(ids, at=course.moment.as_of, known_at=known_at)


def score(course: Course, hits: Sequence[Hit]) -> None:
    """Set the scores of candidates, their parts, and whether they are stale."""
    now = course.moment.as_of.timestamp()
    rows = [
        rules.Weighed(
            relevance=hit.relevance,
            level=hit.level,
            kind=hit.belief.kind,
            key_rule=hit.belief.key_rule,
            confidence=hit.belief.confidence,
            source_type=hit.belief.source_type,
            contested=hit.belief.contested,
            age_seconds=now - hit.belief.last_observed_at,
        )
        for hit in hits
    ]
    for hit, ranked in zip(hits, rules.rank(rows, course.asked_kind, course.policy), strict=True):
        hit.score, hit.parts, hit.stale = ranked


def _is_list(hits: Sequence[Hit]) -> bool:
    return any("listed" in h.via for h in hits)


def _ranked_order(hit: Hit) -> tuple[Any, ...]:
    return (not hit.named, -hit.score, hit.belief.created_seq, hit.belief.number)


def _listed_order(hit: Hit) -> tuple[Any, ...]:
    by_key = hit.named or "key" in hit.via
    return (not by_key, rules.specificity(hit.level), -hit.parts["freshness"], hit.belief.created_seq)


def open_keys(course: Course, hits: Sequence[Hit]) -> None:
    """Read the words of the candidates that are still in: precedence compares their keys, and left-out ones are named.
    The names of their scopes are read with them."""
    rows = [h for h in hits if not h.fate or h.fate == "conflicted"]
    if not rows:
        return
    names = {c for s in course.scopes for c in scope_contents(s)}
    course.words |= sealing.unseal(names | {h.belief.content for h in rows})
    for hit in rows:
        if hit.belief.key_mac:
            words: Words = course.words.get(hit.belief.content, NO_WORDS)
            hit.key = words.get("key", "")
            hit.name = key_name(hit.key, words.get("about", ""))


def overrule(course: Course, fields: Sequence[Field], hits: list[Hit]) -> None:
    """Let the narrower scope's value of a key take the wider one's place, and its rank."""
    if course.question.history:
        return
    for hit in [h for h in hits if not h.fate and h.name]:
        _bring_narrower(course, fields, hits, hit)
    standing = {h.id: h for h in hits if h.fate in ("", "conflicted")}
    keyed = [rules.Keyed(i, h.name, h.level, h.belief.kind, course.policy.is_multi(h.key)) for i, h in standing.items()]
    for loser, winner in rules.overruled(keyed).items():
        lost, won = standing[loser], standing[winner]
        lost.fate, lost.detail = "overruled", won.belief.memory
        won.score, won.named = max(won.score, lost.score), won.named or lost.named
    hits.sort(key=_listed_order if _is_list(hits) else _ranked_order)


def _bring_narrower(course: Course, fields: Sequence[Field], hits: list[Hit], hit: Hit) -> None:
    """Add the memory of a narrower scope that answers for the same key, though nothing led to it."""
    if course.policy.is_multi(hit.key) or hit.belief.kind == "episodic":
        return
    key, _, about = hit.name.partition("\0")
    there = {h.id for h in hits if h.fate in ("", "conflicted")}
    for one in fields:
        if rules.specificity(one.scope.level) >= rules.specificity(hit.level) or not one.beliefs.by_key:
            continue
        mac = sealing.mac(one.scope.id, key_text(key, about))
        for belief in (one.beliefs.rows[i] for i in one.counted(one.beliefs.by_key.get(mac, []))):
            if f"{belief.memory}.{belief.number}" in there or belief.kind == "episodic":
                continue
            hits[:] = [h for h in hits if h.belief is not belief]  # it was under the floor
            added = replace(hit, belief=belief, level=one.scope.level, via=["key"], found_by="")
            _learn_disputes(course, [belief])
            added.fate = "conflicted" if belief.memory in course.disputes else ""
            score(course, [added])
            hits.append(added)


def limit(course: Course, hits: Sequence[Hit]) -> None:
    """Keep the best; `always` memories do not count, and where everything is listed the budget alone bounds."""
    if not course.by_meaning:
        return
    ranked = [h for h in hits if not h.fate and "always" not in h.via]
    for hit in ranked[course.question.limit :]:
        hit.fate = "limit"
