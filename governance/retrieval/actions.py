"""From a question to a context block. Writes its own trace and nothing else.

Order, always: scopes and permissions, status and validity, relevance, conflicts and precedence, budget, block, trace.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.errors import Unavailable
from governance.index.embedding import clean
from governance.ledger import ids, sealing
from governance.ledger.prepared import insert
from governance.ledger.writing import correlation
from governance.memories.queries import Moment, living_sessions
from governance.policies import queries as policies
from governance.policies.detectors import JSON, redact_fields
from governance.policies.rules import Policy
from governance.retrieval import compose, gather, weigh
from governance.retrieval.answers import Answer, Question
from governance.retrieval.course import TRACED, Course, Hit, fate, rule_fate
from governance.retrieval.models import Recall
from governance.retrieval.queries import continued
from governance.scopes.queries import Readable, is_open, readable
from governance.scopes.rules import Actor


def recall(question: Question, *, by: Actor) -> Answer:
    """Return what an agent may know that bears on a question, as memories and as a context block.

    Raises Invalid, NotAllowed, NotFound as `scopes.queries.readable` does; an unseen user's answer is empty.
    """
    answer, course, hits = _answered(question, by, policies.current(by.tenant))
    with course.stage("trace"):
        _trace(course, hits, answer)
    return replace(answer, timings=dict(course.timings))


@dataclass(frozen=True)
class Rehearsal:
    """An answer that was given to nobody, what became of every candidate, and where and when it was looked for."""

    answer: Answer
    fates: tuple[Mapping[str, Any], ...]
    scopes: tuple[str, ...]
    moment: Moment


def rehearse(question: Question, *, by: Actor, policy: Policy) -> Rehearsal:
    """Return what an agent would be given under a policy; no trace is kept. Raises what `recall` raises."""
    answer, course, hits = _answered(question, by, policy)
    answer = replace(answer, timings=dict(course.timings))
    return Rehearsal(answer, tuple(fate(h) for h in hits), tuple(s.id for s in course.scopes), course.moment)


def _answered(question: Question, by: Actor, policy: Policy) -> tuple[Answer, Course, list[Hit]]:
    question.check()
    start = time.perf_counter()
    reads = readable(by, user=question.user, project=question.project, session=question.session)
    course = _begin(question, reads, by, policy)
    course.timings["scopes"] = round((time.perf_counter() - start) * 1000, 2)
    with course.stage("held"):
        fields, rules_held = gather.held(course)
    hits = gather.candidates(course, fields)
    with course.stage("rank"):
        weigh.rank(course, hits)
        weigh.open_keys(course, hits)
        weigh.overrule(course, fields, hits)
        weigh.limit(course, hits)
    with course.stage("views"):
        rule_ids = [f"{b.memory}.{b.number}" for b in rules_held]
        views = compose.views(course, [h.id for h in hits if not h.fate], rule_ids)
        binding = [v for b in rules_held for v in views.values() if v.id == b.memory and v.binding]
    with course.stage("block"):
        answer = compose.compose(course, hits, views, binding)
    return answer, course, hits


def _begin(question: Question, reads: Readable, by: Actor, policy: Policy) -> Course:
    now = timezone.now()
    question = replace(question, query=clean(question.query), keys=tuple(clean(k) for k in question.keys))
    if question.cursor:
        question = replace(question, memory_ids=continued(question.cursor, by))
    return Course(
        id=ids.new("rec"),
        question=question,
        by=by,
        policy=policy,
        moment=Moment(question.as_of or now, question.known_at),
        scopes=living_sessions(reads.scopes, now),
        ruling=reads.ruling,
        subject=reads.subject.id if reads.subject else None,
        generation=reads.subject.generation if reads.subject else 0,
    )


def _trace(course: Course, hits: Sequence[Hit], answer: Answer) -> None:
    question, by = course.question, course.by
    content = None
    if course.subject and not is_open(course.subject, course.generation):  # being forgotten: leave no words of theirs
        question = replace(question, query="", keys=())
    if question.query or question.keys:
        sealed = sealing.seal_shared(
            _kept(question, course.policy),
            tenant=by.tenant,
            scope=course.subject or by.tenant,
            subject=course.subject or "",
            period=timezone.now().date().isoformat(),
        )
        content = sealed.row()
    row = Recall(
        id=course.id,
        tenant_id=by.tenant,
        agent_id=by.agent or None,
        key=by.key,
        request_id=correlation.get(),
        subject_id=course.subject,
        content=content,
        scopes=[s.id for s in course.scopes],
        policy_version=course.policy.number,
        asked_at=timezone.now(),
        as_of=question.as_of,
        known_at=question.known_at,
        hits=[rule_fate(v) for v in answer.binding] + [fate(h) for h in hits[:TRACED]],
        tokens=answer.tokens,
        timings=course.timings,
        degraded=course.degraded,
    )
    with transaction.atomic():
        if content is not None:
            insert([content])
        insert([row])


def _kept(question: Question, policy: Policy) -> dict[str, JSON]:
    """Return what is kept of a question: without what is sensitive, and without its words where nobody could look."""
    asked: dict[str, JSON] = {"query": question.query, "keys": [*question.keys]}
    try:
        return redact_fields(asked, policy.sensitivity)[0]
    except Unavailable:
        return {"query": "", "keys": []}
