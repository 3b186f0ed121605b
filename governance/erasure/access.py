"""What is held of one person, for that person: found by the registry that erasing uses, streamed, kept nowhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.conflicts.models import Claim, Conflict
from governance.erasure.events import PersonExported
from governance.erasure.reach import of_person
from governance.erasure.rules import Reach
from governance.erasure.stores import STORES
from governance.errors import NotAllowed, NotFound
from governance.evidence.models import Observation
from governance.ledger import ids, sealing
from governance.ledger.erasing import readable, several
from governance.ledger.events import stamp
from governance.ledger.writing import writing
from governance.memories.models import Evidence, Version
from governance.retrieval.models import Recall
from governance.scopes.models import Participation, Subject
from governance.scopes.rules import Actor

FORMAT = 1
AT_ONCE = 200
# Table -> (the column that refers to its words, what is told of a row beside them).
TOLD: Sequence[tuple[str, Any, str, tuple[str, ...]]] = (
    (
        "memory",
        Version,
        "content",
        (
            *("memory_id", "number", "kind", "source_type", "confidence", "reason", "retention"),
            *("observed_at", "recorded_at", "valid_from", "valid_to"),
        ),
    ),
    ("evidence", Evidence, "content", ("memory_id", "version", "added_at")),
    ("observation", Observation, "content", ("id", "role", "occurred_at", "recorded_at", "placeholders")),
    ("proposal", Candidate, "content", ("id", "status", "outcome", "kind", "source_type", "created_at", "decided_at")),
    ("claim", Claim, "content", ("id", "conflict_id", "source_type", "observed_at")),
    ("question", Conflict, "question", ("id", "status")),
    ("search", Recall, "content", ("id", "asked_at")),
)


@dataclass(frozen=True)
class Holding:
    """What there is of a person, store by store, before anything is opened."""

    subject: Subject
    reach: Reach
    stores: tuple[tuple[str, int], ...]
    projects: int

    @property
    def contents(self) -> list[str]:
        """Return the words that can be opened."""
        return readable(self.reach.all_contents())


def person(actor: Actor, subject: str) -> Subject:
    """Return a person of a member's tenant. Raises NotAllowed, NotFound also once nobody can tell who it was."""
    if not (actor.may("erase") and actor.may("read-words")):
        raise NotAllowed()
    row = Subject.objects.filter(tenant=actor.tenant, pk=subject).exclude(external_mac=b"").first()
    if row is None:
        raise NotFound()
    return row


def holding(subject: Subject) -> Holding:
    """Return what every store finds of a person."""
    reach = of_person(ids.new("access"), subject)
    stores = tuple((s.name, s.find(reach)) for s in STORES if s.bucket == "erase" and s.name != "caches")
    belongs = Participation.objects.filter(subject=subject).count()
    return Holding(subject, reach, stores, belongs)


def export(subject: Subject, *, by: Actor) -> Iterator[bytes]:
    """Return everything held of a person as lines of JSON; that it was opened is an event, written first.

    Raises NotAllowed, NotFound.
    """
    return _exported(person(by, subject.pk), by.id)


def export_for_operator(subject: Subject, *, by: str) -> Iterator[bytes]:
    """Return the same for who works on the command line."""
    return _exported(subject, by)


def _exported(subject: Subject, by: str) -> Iterator[bytes]:
    held = holding(subject)
    contents = held.contents
    with writing(subject.tenant_id, by=by) as w:
        w.record(PersonExported(contents=len(contents), stores=dict(held.stores)), stream=subject.id)
    return _lines(held, contents)


def _lines(held: Holding, contents: Sequence[str]) -> Iterator[bytes]:
    """Yield the head, then every text once with what is known of it, some hundreds opened at a time."""
    head = {"format": FORMAT, "made_at": stamp(timezone.now()), "stores": dict(held.stores), "texts": len(contents)}
    yield _line({"kind": "export", **head, "projects": held.projects})
    left = set(contents)
    for kind, model, column, columns in TOLD:
        for some in several(sorted(left), AT_ONCE):
            rows = list(model.objects.filter(**{f"{column}__in": some}).order_by("pk"))
            words = sealing.unseal({getattr(row, f"{column}_id") for row in rows})
            yield from (_told(kind, row, f"{column}_id", columns, words) for row in rows)
            left -= {getattr(row, f"{column}_id") for row in rows}
    for some in several(sorted(left), AT_ONCE):  # the person's own ids, notes, what else is theirs
        for content, said in sealing.unseal(some).items():
            yield _line({"kind": "other", "content": content, "words": dict(said)})


def _told(kind: str, row: Any, column: str, columns: Iterable[str], words: Any) -> bytes:
    known = {name.removesuffix("_id"): _plain(getattr(row, name)) for name in columns}
    content = getattr(row, column)
    return _line({"kind": kind, **known, "content": content, "words": dict(words.get(content, sealing.NO_WORDS))})


def _plain(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else value


def _line(told: dict[str, Any]) -> bytes:
    return orjson.dumps(told) + b"\n"
