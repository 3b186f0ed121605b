"""What was observed."""

from datetime import datetime

from governance.evidence.models import Observation
from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words


@event("observed")
class Observed:
    subject: str | None
    project: str | None
    session: str | None
    agent: str | None
    role: str
    occurred_at: datetime
    utc_offset: int | None
    recall: str
    placeholders: tuple[str, ...]


@folds(Observed, into=Observation, is_new=lambda r: True)
def observation(row: Observation | None, r: Recorded, words: Words) -> Observation:
    return Observation(
        id=r.stream,
        tenant_id=r.tenant,
        subject_id=r.event.subject,
        project_id=r.event.project,
        session_id=r.event.session,
        agent_id=r.event.agent,
        role=r.event.role,
        content_id=r.contents[0],
        recall=r.event.recall,
        placeholders=list(r.event.placeholders),
        occurred_at=r.event.occurred_at,
        utc_offset=r.event.utc_offset,
        recorded_at=r.recorded_at,
        seq=r.seq,
    )
