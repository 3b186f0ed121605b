"""Whether a legal hold stands in the way: read anew in every pass, in a fixed number of queries per thousand rows."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from django.db.models import Q, QuerySet

from governance.candidates.models import Candidate
from governance.conflicts.models import Claim, Conflict
from governance.erasure.reach import column, pks
from governance.erasure.rules import Reach
from governance.evidence.models import Observation
from governance.ledger.erasing import several
from governance.lifecycle.queries import Held, held, held_memories
from governance.memories.models import Evidence, Version
from governance.scopes.models import Scope


def is_held(found: Reach) -> bool:
    """Return whether a hold covers some of it: what the hold names, or what a memory it covers rests on."""
    now = held(found.tenant)
    if not now or now.covers(subjects=[found.subject]):
        return bool(now)
    candidates = {*found.candidates, *pks(Candidate, observation__in=found.observations)}
    candidates |= set(pks(Candidate, content__in=found.contents.get("derived", ())))
    conflicts = {*found.conflicts, *column(Claim, "conflict", observation__in=found.observations)}
    in_scope = Q(scope__subject__in=now.subjects) | Q(scope__project__in=now.projects)
    looks = (
        _among(Scope.objects.filter(Q(subject__in=now.subjects) | Q(project__in=now.projects)), found.scopes),
        _among(Observation.objects.filter(_said(now)), found.observations),
        _among(Candidate.objects.filter(in_scope), candidates),
        _among(Conflict.objects.filter(in_scope), conflicts),
        _among(held_memories(found.tenant), _resting_on(found, candidates, conflicts)),
    )
    return any(chain(*looks)) or not now.subjects.isdisjoint(_named(candidates))


def _among(rows: QuerySet[Any], ids: Iterable[str]) -> Iterator[bool]:
    return (rows.filter(pk__in=some).exists() for some in several(ids))


def _said(now: Held) -> Q:
    """Return which turns are a held person's or project's, whatever became of them."""
    return (
        Q(subject__in=now.subjects)
        | Q(project__in=now.projects)
        | Q(session__subject__in=now.subjects)
        | Q(session__project__in=now.projects)
    )


def _resting_on(found: Reach, candidates: Iterable[str], conflicts: Iterable[str]) -> set[str]:
    """Return the memories of a reach, and those that rest on some of it: on a turn, a candidate, a claim, a source."""
    return {
        *found.memories,
        *found.derived,
        *column(Version, "memory", observation__in=found.observations),
        *column(Evidence, "memory", observation__in=found.observations),
        *column(Candidate, "memory", pk__in=candidates),
        *column(Candidate, "target", pk__in=candidates),
        *column(Conflict, "memory", pk__in=conflicts),
    }


def _named(candidates: Iterable[str]) -> set[str]:
    """Return the people whom some candidates are about."""
    return {subject for subjects in column(Candidate, "subjects", pk__in=candidates) for subject in subjects}
