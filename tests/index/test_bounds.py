"""What a process keeps is bounded, and a store filled in bulk is one the product agrees with."""

import pytest

from governance.index import embedding, entries
from governance.index.upkeep import drift
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.retrieval import beliefs
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.rules import ScopeSpec
from tests.benchmarks import bulk
from tests.factories import a_memory, indexed

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def test_a_process_keeps_no_more_than_the_setting_and_still_answers(agent, settings):
    settings.RECALL_CACHE_ENTRIES = 5
    users = [f"user-{n}" for n in range(4)]
    for user in users:
        for number in range(2):
            a_memory(agent, f"Tea number {number} of {user}.", scope=ScopeSpec(level="user", user=user))
    indexed()

    found = [recall(Question(query="tea", user=user), by=agent) for user in users + users]

    assert [len(answer.memories) for answer in found] == [2] * 8
    assert sum(len(c.ids) for c in entries._copies.values()) <= 5
    assert sum(len(c[1].rows) for c in beliefs._copies.values()) <= 5


def test_the_bulk_path_writes_what_the_product_would_have_written(agent):
    scopes = bulk.users(["ann", "ben"], by=agent)
    texts = [f"The lamp number {n} is kept in the attic." for n in range(6)]
    vectors = embedding.embed_passages(texts)
    lines = [bulk.Line(scopes[n // 3], t, v) for n, (t, v) in enumerate(zip(texts, vectors, strict=True))]

    bulk.fill(lines, by=agent)

    assert verify(agent.tenant).sound
    assert rebuild(apply=False, tenant=agent.tenant).differences == []
    assert drift().agrees
    answer = recall(Question(query=texts[4], user="ben"), by=agent)
    assert answer.memories[0].view.content == texts[4]
