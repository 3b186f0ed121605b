"""A recall as people look into it: the trace, with what its memories said at that moment and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from governance.candidates.models import Candidate
from governance.candidates.queries import visible_to as candidates_visible_to
from governance.ledger.erasing import readable
from governance.memories.queries import MemoryView, Moment, views
from governance.memories.queries import visible_to as memories_visible_to
from governance.retrieval.models import GIVEN, Recall
from governance.retrieval.queries import trace
from governance.scopes.rules import Actor

WHILE = timedelta(days=1)  # for so long a proposal may be found to have come of a recall
MOST = 100  # memories that are listed of one recall, and proposals
Met = tuple[MemoryView, Mapping[str, Any]]  # a memory as it was at that moment, and what became of it


@dataclass(frozen=True)
class Looked:
    """A recall: what was given, what was left out, how many more there were, and what was proposed after it."""

    row: Recall
    is_sealed: bool  # whether words of its question are held
    given: Sequence[Met]
    left_out: Sequence[Met]
    given_unseen: int  # given, and not listed: it holds for everybody, is not for this member's eyes, or one too many
    left_unseen: int
    led_to: Sequence[Candidate]


def look_into(recall: str, by: Actor) -> Looked:
    """Return a recall as a member may see it. Raises NotFound."""
    row = trace(recall, by)
    fates = {hit["memory"]: hit for hit in row.hits[:MOST]}
    seen = memories_visible_to(by).filter(pk__in=fates).select_related("scope")
    said = {view.id: view for view in views(seen, Moment(row.as_of or row.asked_at, row.known_at))}
    met = [(said[memory], hit) for memory, hit in fates.items() if memory in said]
    since = candidates_visible_to(by).filter(created_at__range=(row.asked_at, row.asked_at + WHILE))
    led_to = since.filter(observation__recall=row.id).order_by("created_seq")
    given = [(view, hit) for view, hit in met if hit["fate"] in GIVEN]
    left_out = [(view, hit) for view, hit in met if hit["fate"] not in GIVEN]
    in_all = sum(hit["fate"] in GIVEN for hit in row.hits)
    return Looked(
        row=row,
        is_sealed=bool(readable([row.content_id] if row.content_id else [])),
        given=given,
        left_out=left_out,
        given_unseen=in_all - len(given),
        left_unseen=len(row.hits) - in_all - len(left_out),
        led_to=list(led_to[:MOST]),
    )
