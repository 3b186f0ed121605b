"""What a model finds in a turn, after the rules: in the worker, retried, and never twice."""

from collections.abc import Sequence

from django.conf import settings
from django.utils.module_loading import import_string

from governance.candidates.actions import judge as judging
from governance.candidates.actions.propose import gather_heard, store
from governance.candidates.echoes import without_echoes
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft, check
from governance.errors import outcome
from governance.evidence.models import Observation
from governance.evidence.queries import words_of
from governance.ledger.models import Outbox
from governance.ledger.outbox import handles
from governance.retrieval.queries import given_before
from governance.scopes import queries as scope_queries
from governance.scopes.rules import Actor, ScopeSpec

TOPIC = "extract-model"
ATTEMPTS = 6  # then the turn is left to what the rules found


def is_configured() -> bool:
    return bool(settings.EXTRACTOR_MODEL)


@handles(TOPIC)
def listen(rows: Sequence[Outbox]) -> None:
    """Ask the model about observations; one that cannot be asked now is asked again later, a few times."""
    for row in rows:
        observation = Observation.objects.select_related("subject").filter(pk=row.ref).first()
        if observation is not None and is_configured() and row.attempts < ATTEMPTS:
            _listen(observation)


def _listen(observation: Observation) -> None:
    text = without_echoes(words_of(observation).get("text", ""), given_before(observation))
    if observation.subject is None or not text.strip():
        return
    user = scope_queries.external_id(observation.subject.content_id, "user")
    by = Actor(tenant=observation.tenant_id, id="system:model", agent=observation.agent_id or "")
    # Loaded here alone: the client takes a second to import, and most installations have no model.
    for found in import_string("governance.candidates.extractors.model.ask")(text):
        draft = Draft(
            scope=ScopeSpec("user", user=user),
            kind=found.kind,
            key=found.key,
            value=found.value,
            content=found.content,
            source_type="user_explicit",
            observation=observation.id,
            quote=found.quote,
        )
        outcome(lambda d=draft: _keep(d, observation, by))  # type: ignore[misc]


def _keep(draft: Draft, observation: Observation, by: Actor) -> Candidate | None:
    """Return the candidate, None when this turn gave one under the key already: by rule, or at an earlier attempt."""
    check(draft)
    gathered = gather_heard(draft, observation, by=by)
    key, _ = judging.macs(gathered.scope, gathered.draft)
    if Candidate.objects.filter(observation=observation, key_mac=key).exists():
        return None
    return store(gathered, by=by)
