"""Observations a caller may refer to."""

from collections.abc import Iterable

from governance.errors import Gone, NotFound
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.sealing import Words
from governance.scopes.rules import Actor


def observation_for(actor: Actor, observation: str) -> Observation:
    """Return an observation of the caller's tenant and people. Raises NotFound."""
    row = Observation.objects.filter(pk=observation, tenant=actor.tenant).first()
    if row is None or (actor.is_agent and row.subject_id and not actor.serves(row.subject_id)):
        raise NotFound()
    return row


def not_erased(observation: Observation) -> Observation:
    """Return an observation whose words are there. Raises Gone."""
    if words_of(observation).erased:
        raise Gone()
    return observation


def words_of(observation: Observation) -> Words:
    return sealing.unseal([observation.content_id])[observation.content_id]


def texts_of(observations: Iterable[Observation]) -> dict[str, str]:
    """Return what was said, by observation; a fixed number of queries."""
    rows = list(observations)
    words = sealing.unseal(o.content_id for o in rows)
    return {o.id: words.get(o.content_id, sealing.NO_WORDS).get("text", "") for o in rows}
