"""A recall can be asked about afterwards, by those who may."""

import pytest

from governance.errors import NotFound
from governance.ledger.models import Content
from governance.retrieval import queries
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, an_agent, indexed, retracted

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def test_a_trace_says_what_was_asked_found_and_given(agent):
    memory = a_memory(agent, "The user likes green tea.")
    indexed()

    answer = recall(Question(query="green tea", user="ann"), by=agent)

    row = queries.trace(answer.id, agent)
    assert queries.asked(row) == {"query": "green tea", "keys": []}
    assert b"green tea" not in bytes(Content.objects.get(pk=row.content_id).ct)
    hit = row.hits[0]
    assert (hit["memory"], hit["fate"], hit["found_by"]) == (memory.id, "shown", "chroma")
    assert set(hit["parts"]) == {"relevance", "scope", "freshness", "confidence", "kind", "risk"}
    assert {"scopes", "held", "words", "vectors", "rank"} <= set(row.timings)


def test_why_says_what_became_of_one_memory(agent):
    shown = a_memory(agent, "The user likes green tea.")
    other = a_memory(agent, "Zebras.")
    gone = a_memory(agent, "The user likes black tea.")
    retracted(agent, gone)
    indexed()
    answer = recall(Question(query="green tea", user="ann"), by=agent)

    assert queries.why(answer.id, shown.id, agent).shown
    assert queries.why(answer.id, other.id, agent).stage == "relevance"
    assert queries.why(answer.id, gone.id, agent).reason == "retracted"


def test_why_answers_for_another_scope_as_for_something_unknown(agent):
    hidden = a_memory(agent, "The user likes green tea.", scope=ScopeSpec(level="user", user="bob"))
    answer = recall(Question(query="green tea", user="ann"), by=agent)

    for memory in (hidden.id, "mem_" + "0" * 32):
        with pytest.raises(NotFound):
            queries.why(answer.id, memory, agent)


def test_a_trace_is_its_own_agents(tenant, agent):
    answer = recall(Question(query="green tea", user="ann"), by=agent)

    with pytest.raises(NotFound):
        queries.trace(answer.id, an_agent(tenant))


def test_what_may_not_be_stored_stands_in_no_trace(agent):
    answer = recall(Question(query="is 4111111111111111 my card", user="ann"), by=agent)

    assert queries.asked(queries.trace(answer.id, agent)) == {"query": "is [card] my card", "keys": []}
