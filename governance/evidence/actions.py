"""Writing down what was said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from governance.evidence.events import Observed
from governance.evidence.models import Observation
from governance.ledger import ids, sealing
from governance.ledger.outbox import LEASE
from governance.ledger.sealing import Sealed
from governance.ledger.writing import writing
from governance.scopes.models import Project, Scope, Subject
from governance.scopes.queries import check_open
from governance.scopes.rules import Actor


@dataclass(frozen=True)
class Turn:
    """One turn as it will be kept: its text is redacted already."""

    role: str
    text: str
    occurred_at: datetime
    utc_offset: int | None = None
    source_ref: str = ""
    recall: str = ""
    placeholders: Sequence[str] = ()


def record(
    turn: Turn,
    *,
    subject: Subject | None,
    project: Project | None,
    session: Scope | None,
    by: Actor,
    then: Sequence[str] = (),
) -> Observation:
    """Return the observation of a turn, durable; `then` are the topics of work it is owed, a minute from now."""
    sealed = _seal(turn, subject, project, by)
    observed = Observed(
        subject=subject.id if subject else None,
        project=project.id if project else None,
        session=session.id if session else None,
        agent=by.agent or None,
        role=turn.role,
        occurred_at=turn.occurred_at,
        utc_offset=turn.utc_offset,
        recall=turn.recall,
        placeholders=tuple(turn.placeholders),
    )
    with writing(by.tenant, by=by.id) as w:
        check_open([subject])
        row: Observation = w.record(observed, stream=ids.new("obs"), contents=[sealed], occurred_at=turn.occurred_at)
        for topic in then:
            w.owe(topic, row.id, due_at=timezone.now() + LEASE)
    return row


def _seal(turn: Turn, subject: Subject | None, project: Project | None, by: Actor) -> Sealed:
    owner = subject.id if subject else project.id if project else by.tenant
    payload = {"text": turn.text, "source_ref": turn.source_ref}
    return sealing.seal(payload, tenant=by.tenant, scope=owner, subject=subject.id if subject else "")
