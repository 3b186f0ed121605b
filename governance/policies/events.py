"""Publishing of policies."""

from typing import Any

from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words
from governance.policies.models import PolicyVersion


@event("policy-published")
class PolicyPublished:
    number: int
    document: dict[str, Any]


@folds(PolicyPublished, into=PolicyVersion, key=lambda r: f"{r.stream}.{r.event.number}")
def policy_version(row: PolicyVersion | None, r: Recorded, words: Words) -> PolicyVersion:
    return PolicyVersion(
        id=f"{r.stream}.{r.event.number}",
        tenant_id=r.tenant,
        number=r.event.number,
        document=r.event.document,
        published_by=r.actor,
        published_at=r.recorded_at,
    )
