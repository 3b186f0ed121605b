"""Seeing what an agent would be given: a recall in its name, for nobody; no trace is kept, only that it was done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger.writing import writing
from governance.memories.queries import MemoryView, visible_to
from governance.memories.queries import views as views_of
from governance.overview.events import ActedAsAgent
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.retrieval.actions import Rehearsal, rehearse
from governance.retrieval.answers import Question
from governance.retrieval.queries import Why, why_of
from governance.scopes.models import ApiKey
from governance.scopes.queries import agent_actor, living_key
from governance.scopes.rules import Actor

MOST_NAMED = 60  # left-out memories that are shown with their words


@dataclass(frozen=True)
class Side:
    """One way to ask: a question at its moment, under a policy by its name ("": the one in force)."""

    question: Question
    policy: str = ""


@dataclass(frozen=True)
class Seen:
    """What an agent would be given: the answer, what was left out with its words, and why a memory is not there."""

    side: Side
    policy: Policy
    rehearsal: Rehearsal
    left_out: Sequence[tuple[MemoryView, Mapping]]
    why: Why | None = None


def act_as(key_id: str, sides: Sequence[Side], *, expected: str = "", by: Actor) -> list[Seen]:
    """Return what the agent of a key would be given, side by side; that somebody looked is an event.

    `expected` is a memory about which to say why it is there or not. Raises NotAllowed, NotFound, Invalid.
    """
    if not by.may("act-as-agent"):
        raise NotAllowed()
    key = living_key(by.tenant, key_id)
    ways = [(side, policies.named(by.tenant, side.policy)) for side in sides]
    for side in sides:
        side.question.check()
    with writing(by.tenant, by=by.id) as w:
        w.record(ActedAsAgent(key=key.pk, recalls=len(sides)), stream=key.agent_id)
    return [_seen(side, policy, key, expected, by) for side, policy in ways]


def _seen(side: Side, policy: Policy, key: ApiKey, expected: str, by: Actor) -> Seen:
    done = rehearse(side.question, by=agent_actor(key.agent, key), policy=policy)
    fates = {f["memory"]: f for f in done.fates if f["fate"] != "shown"}
    rows = visible_to(by).filter(pk__in=list(fates)[:MOST_NAMED]).select_related("scope")
    found = {view.id: view for view in views_of(list(rows), done.moment)}
    left_out = [(found[memory], fate) for memory, fate in fates.items() if memory in found]
    return Seen(side, policy, done, left_out, _why(done, expected, by) if expected else None)


def _why(done: Rehearsal, expected: str, by: Actor) -> Why:
    """Return why a memory is in an answer or not; of one that this agent does not read, that it lies elsewhere."""
    try:
        return why_of(done.fates, done.scopes, done.moment, expected)
    except NotFound:
        elsewhere = visible_to(by).filter(pk=expected).select_related("scope").first()
        if elsewhere is None:
            raise Invalid({"/expected": "is no memory of this tenant"}) from None
        return Why(False, "scope", "elsewhere", elsewhere.scope.level)
