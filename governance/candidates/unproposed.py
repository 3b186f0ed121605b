"""At the end of a turn: what a user stated that was not proposed, for agents that propose themselves."""

from dataclasses import dataclass

from governance.candidates.actions import judge as judging
from governance.candidates.actions.observe import draft_of_statement, scope_of_statement, statements_in
from governance.candidates.echoes import without_echoes
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.candidates.stages.support import shared, words
from governance.errors import NotAllowed, NotFound
from governance.evidence.models import Observation
from governance.evidence.queries import words_of
from governance.ledger import sealing
from governance.policies import queries as policies
from governance.retrieval.queries import given_before
from governance.scopes.rules import Actor

ALIKE = 0.6  # of a statement's words, in what was proposed from the same turn


@dataclass(frozen=True)
class Missed:
    """One statement, ready to be proposed as it stands."""

    draft: Draft
    lasting: bool


def unproposed(observation: Observation, *, by: Actor) -> list[Missed]:
    """Return what the rules find in a turn and nobody proposed from it; nothing is stored.

    A statement counts as proposed when a candidate rests on that turn under the same key, or says mostly the same in
    other words. Only what a user said to this agent is looked at. Raises NotAllowed, NotFound.
    """
    if not by.holds("propose"):
        raise NotAllowed("This key does not grant propose.")
    if observation.agent_id != by.agent:
        raise NotFound()
    if observation.role != "user" or observation.subject is None:
        return []
    text = without_echoes(words_of(observation).get("text", ""), given_before(observation))
    proposed = _proposed(observation)
    policy = policies.current(by.tenant)
    missed = []
    for statement in statements_in(text, observation):
        spec = scope_of_statement(statement, observation)
        if statement.intent == "confirm" or spec is None:
            continue
        draft = judging.with_sentence(draft_of_statement(statement, spec, observation, text), policy)
        if not any(_says(draft, key, content) for key, content in proposed):
            missed.append(Missed(draft, statement.lasting))
    return missed


def _proposed(observation: Observation) -> list[tuple[str, str]]:
    """Return key and words of what was proposed from a turn."""
    ids = Candidate.objects.filter(observation=observation).values_list("content_id", flat=True)
    opened = sealing.unseal(i for i in ids if i).values()
    return [
        (str(w.get("key", "")), " ".join(str(w.get(n, "")) for n in ("content", "value", "quote"))) for w in opened if w
    ]


def _says(draft: Draft, key: str, content: str) -> bool:
    told = words(draft.quote)
    return (bool(key) and key == draft.key) or (bool(told) and shared(told, words(content)) >= ALIKE * len(told))
