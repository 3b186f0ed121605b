"""What holds in the caller's scopes at the asked moment, and which of it bears on the question."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from governance.index import embedding
from governance.index.entries import entries_of
from governance.retrieval import legs, rules
from governance.retrieval.beliefs import Belief, Beliefs, believed, believed_then, ever_stated
from governance.retrieval.course import TRACED, Course, Hit
from governance.retrieval.legs import Field
from governance.scopes.models import Scope

POOL = 60  # candidates that are looked at closely, at least
MOST_ALWAYS = 100


def held(course: Course) -> tuple[list[Field], list[Belief]]:
    """Return the caller's scopes with what holds in them at the asked moment, demoted memories only where asked for;
    and the rules that accompany every recall, whatever the key may read."""
    question, scopes = course.question, course.scopes
    plain = not question.history and question.known_at is None
    now = believed([*{s.id: s for s in (*(scopes if plain else ()), *course.ruling)}.values()])
    if question.history:
        read = ever_stated(scopes, course.moment)
    elif question.known_at is not None:
        read = believed_then(scopes, course.moment)
    else:
        read = now
    return _fields(course, read), _binding(course, now)


def _fields(course: Course, held: Mapping[str, Beliefs]) -> list[Field]:
    question, scopes = course.question, course.scopes
    entries = entries_of([s.id for s in scopes], model=embedding.model_name())
    fields = []
    for scope in scopes:
        beliefs = held[scope.id]
        counts = _holding(beliefs, scope, course.moment.as_of, ever=question.history) & ~beliefs.binding
        if question.kinds:
            counts &= np.isin(beliefs.kinds, list(question.kinds))
        if not (question.history or question.memory_ids or question.keys):
            counts &= ~beliefs.demoted
        course.held += int(counts.sum())
        fields.append(Field(scope, beliefs, counts, entries[scope.id]))
    return fields


def _holding(beliefs: Beliefs, scope: Scope, moment: datetime, *, ever: bool = False) -> np.ndarray:
    """Return which beliefs hold at a moment."""
    at = moment.timestamp()
    holds = (beliefs.starts <= at) & (at < beliefs.ends) if beliefs.rows else np.zeros(0, dtype=bool)
    closed = scope.project.closed_at if scope.project is not None else None
    if closed is not None and closed <= moment and not ever:
        holds &= beliefs.lasting
    return holds


def _binding(course: Course, held: Mapping[str, Beliefs]) -> list[Belief]:
    found = []
    for scope in course.ruling:
        counts = _holding(held[scope.id], scope, course.moment.as_of) & held[scope.id].binding
        found += [held[scope.id].rows[i] for i in np.flatnonzero(counts)]
    return sorted(found, key=lambda b: b.created_seq)


def candidates(course: Course, fields: Sequence[Field]) -> list[Hit]:
    """Return what keys, words and vectors lead to, and what is always there."""
    question, policy = course.question, course.policy
    with course.stage("keys"):
        named = legs.by_keys(fields, question.keys) + legs.by_ids(fields, question.memory_ids)
        labelled = legs.by_rules(fields, rules.rules_named(question.query, policy.key_rules)) if question.query else []
    listing = not course.by_meaning or not (question.query or question.keys or question.memory_ids)
    if question.query and not listing:
        with course.stage("words"):
            legs.search_words(fields, question.query, policy.key_rules)
        with course.stage("embed"):
            vector = legs.vector_of(fields, question.query)
        with course.stage("vectors"):
            course.degraded = legs.search_vectors(fields, vector, limit=question.limit)
    with course.stage("fuse"):
        if question.query and not listing:
            _weigh(fields)
        return _gather(course, fields, named, labelled, listing)


def _gather(
    course: Course,
    fields: Sequence[Field],
    named: Sequence[tuple[int, int]],
    labelled: Sequence[tuple[int, int]],
    listing: bool,
) -> list[Hit]:
    hits: dict[tuple[int, int], Hit] = {}

    def hit(f: int, i: int) -> Hit:
        if (f, i) not in hits:
            hits[f, i] = _hit(fields[f], i)
        return hits[f, i]

    for f, i in named:
        found = hit(f, i)
        found.named, found.relevance = True, 1.0
        found.via.append("key" if course.question.keys else "id")
    for f, i in labelled:
        found = hit(f, i)
        found.via.append("key")
        found.relevance = max(found.relevance, rules.KEY_NAMED + (1 - rules.KEY_NAMED) * found.relevance)
    for f, i in _best(fields, max(POOL, 5 * course.question.limit)):
        hit(f, i)
    for f, one in enumerate(fields):
        for i in one.counted(one.beliefs.always)[:MOST_ALWAYS]:
            hit(f, i).via.append("always")
        if listing:
            for i in np.flatnonzero(one.counts)[-TRACED:]:
                hit(f, int(i)).via.append("listed")
    if course.question.history:
        for (f, _), found in list(hits.items()):
            for sibling in fields[f].counted(fields[f].beliefs.by_memory[found.belief.memory]):
                hit(f, sibling).relevance = max(hit(f, sibling).relevance, found.relevance)
    for found in hits.values():
        found.via = list(dict.fromkeys(found.via))
    return list(hits.values())


def _hit(one: Field, i: int) -> Hit:
    via = [*(["words"] if one.words[i] > 0 else []), *(["vector"] if i in one.near else [])]
    found_by = "chroma" if i in one.chroma else "exact" if i in one.near else ""
    return Hit(one.beliefs.rows[i], one.scope.level, float(one.relevance[i]), via, found_by)


def _weigh(fields: Sequence[Field]) -> None:
    """Set what words and vectors together say of every belief that counts."""
    for one in fields:
        found = rules.fused_all(one.words, one.cosines, embedding.calibration())
        one.relevance = np.where(one.counts, found, 0.0)


def _best(fields: Sequence[Field], most: int) -> list[tuple[int, int]]:
    """Return the (field, belief) that words and vectors together favour."""
    found: list[tuple[float, int, int]] = []
    for f, one in enumerate(fields):
        score = one.relevance
        rows = np.argpartition(-score, most - 1)[:most] if len(score) > most else np.arange(len(score))
        found += [(-float(score[i]), f, int(i)) for i in rows if score[i] > 0]
    return [(f, i) for _, f, i in sorted(found)[:most]]
