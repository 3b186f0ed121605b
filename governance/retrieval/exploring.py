"""Finding memories by words for people: the legs and the weights of a recall, no block, no trace."""

from collections.abc import Sequence

from django.utils import timezone

from governance.index.embedding import clean
from governance.memories.queries import Moment
from governance.policies import queries as policies
from governance.retrieval import gather, weigh
from governance.retrieval.answers import MOST, Question
from governance.retrieval.course import Course
from governance.scopes.models import Scope
from governance.scopes.rules import Actor


def find(words: str, scopes: Sequence[Scope], *, by: Actor) -> list[str]:
    """Return the ids of memories in some scopes that bear on some words, the best first; those in force alone."""
    course = Course(
        id="",
        question=Question(query=clean(words), limit=MOST),
        by=by,
        policy=policies.current(by.tenant),
        moment=Moment(timezone.now()),
        scopes=list(scopes),
        ruling=(),
        subject=None,
    )
    fields, _ = gather.held(course)
    hits = [hit for hit in gather.candidates(course, fields) if hit.relevance > 0]
    weigh.rank(course, hits)
    best = sorted((h for h in hits if h.fate in ("", "conflicted")), key=lambda h: -h.score)
    return list(dict.fromkeys(hit.belief.memory for hit in best))[:MOST]
