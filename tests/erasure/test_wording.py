"""Forgetting by words: what a sentence means is found in memories, proposals and turns, and followed to what cites it."""

import pytest

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said, observe
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.erasure.actions import approve, file_request, narrow, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.models import ForgetRequest
from governance.erasure.rules import Selector
from governance.ledger import sealing
from governance.ledger.outbox import drain
from governance.memories.models import Memory
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_project

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
ANN = ScopeSpec("user", user="ann")
BILLING = "I use PostgreSQL for the billing service at work."
PARROT = "Remember that my pet is a parrot named Quillfeather."


def proposed(agent, said: str, *, quote: str = "", **stated) -> Candidate:
    """Return what an agent proposes of a turn of Ann's, after policy answered it."""
    heard = observe(Said(role="user", text=said, user="ann", extract=False), by=agent).observation
    fields = {"kind": "semantic", "source_type": "user_explicit", **stated}
    draft = Draft(scope=ANN, observation=heard.id, quote=quote or said.rstrip("."), **fields)
    made = candidates.propose(draft, by=agent)
    while drain():
        pass
    return Candidate.objects.get(pk=made.pk)


def planned(cora, **selector) -> ForgetRequest:
    wish = Wish(Selector(user="ann", **selector))
    return plan(verify_identity(file_request(wish, by=cora), method="document", by=cora))


@pytest.mark.parametrize(
    ("said", "key", "value", "words"),
    [
        (BILLING, "database", "PostgreSQL", "forget that I use PostgreSQL"),
        (BILLING, "database", "PostgreSQL", "please forget that I use PostgreSQL for the billing service at work"),
        (PARROT, "pet", "parrot", "forget that my pet is a parrot named Quillfeather"),
        (PARROT, "pet", "parrot", "Forget Quillfeather."),
        ("我住在上海，养了一只猫。", "profile.home.city", "上海", "请忘记我住在上海"),
        ("我养了一只猫。", "pet", "猫", "忘掉我的猫"),
    ],
)
def test_a_fact_is_found_with_its_versions_its_proposal_and_its_turn(agent, cora, said, key, value, words):
    a_memory(agent, "Ann likes green tea.", key="preference.tea", value="green tea")
    told = proposed(agent, said, key=key, value=value)
    memory = Memory.objects.get(key_rule=told.key_rule, key_mac=told.key_mac)

    reached = planned(cora, words=words).plan.reach

    contents = {c for ids in reached["contents"].values() for c in ids}
    assert reached["memories"] == [memory.id]
    assert told.id in reached["candidates"] and told.observation_id in reached["observations"]
    assert set(memory.versions.values_list("content", flat=True)) <= contents


def test_a_proposal_that_waits_is_found_by_its_words_and_by_its_key(agent, cora):
    waiting = proposed(
        agent,
        "Perhaps they might be migrating to CockroachDB next quarter, unclear.",
        quote="might be migrating to CockroachDB next quarter",
        key="database.plan",
        value="CockroachDB migration next quarter",
        source_type="agent_guess",
    )
    assert waiting.status == "pending"

    by_words = planned(cora, words="forget that they might be migrating to CockroachDB")
    by_key = planned(cora, keys=("Database.Plan",))

    for request in (by_words, by_key):
        assert request.status == "planned"
        assert request.plan.reach["candidates"] == [waiting.id]
        assert waiting.observation_id in request.plan.reach["observations"]


def test_what_cites_a_turn_that_was_found_is_found_where_it_says_some_of_it(agent, cora):
    heard = observe(Said(role="user", text=PARROT, user="ann", extract=False), by=agent).observation
    bird = a_memory(agent, "Bird: grey", key="bird", value="grey", words={"quote": "a parrot"}, observation=heard.id)
    a_memory(agent, "Ann works at night.", key="hours", value="night", observation=heard.id)

    reached = planned(cora, words="forget that my pet is a parrot named Quillfeather").plan.reach

    assert reached["memories"] == [bird.id]


def test_what_rests_on_the_same_turn_and_says_some_of_it_is_found_too(agent, cora):
    said = "Oslo is where I live, PostgreSQL is what I use, and tea, jazz, chess and hiking are what I enjoy."
    database = proposed(agent, said, key="database", value="PostgreSQL", quote="PostgreSQL is what I use")
    home = a_memory(
        agent,
        "Home: Oslo",
        key="home",
        value="Oslo",
        words={"quote": "Oslo is where I live, PostgreSQL"},
        observation=database.observation_id,
    )

    reached = planned(cora, words="forget PostgreSQL, the billing service, its replicas and its backups").plan.reach

    assert home.id in reached["memories"] and database.id in reached["candidates"]


def test_words_of_a_project_find_its_turns_too(agent, cora):
    a_project(agent, "atlas", members=["ann"])
    said = Said(role="user", text="Atlas runs on ScyllaDB.", project="atlas", extract=False)
    heard = observe(said, by=agent).observation
    wish = Wish(Selector(scope=ScopeSpec("project", project="atlas"), words="forget ScyllaDB"))

    request = plan(verify_identity(file_request(wish, by=cora), method="document", by=cora))

    assert request.plan.reach["observations"] == [heard.id]


def test_what_a_person_leaves_out_keeps_its_proposal_and_its_turn(agent, cora):
    work = proposed(agent, BILLING, key="database", value="PostgreSQL")
    home = proposed(agent, "At home PostgreSQL runs on my laptop.", key="home.database", value="PostgreSQL")
    meant = Memory.objects.get(key_mac=work.key_mac)
    request = planned(cora, words="forget that I use PostgreSQL")
    assert len(request.plan.reach["memories"]) == 2

    request = plan(narrow(request, memories=[meant.id], by=cora))

    reached = request.plan.reach
    assert (reached["memories"], reached["candidates"]) == ([meant.id], [work.id])
    assert home.observation_id not in reached["observations"]


def test_what_was_asked_to_be_forgotten_by_words_is_nowhere_read_afterwards(agent, cora, carl):
    told = proposed(agent, PARROT, key="pet", value="parrot")
    memory = Memory.objects.get(key_mac=told.key_mac)
    contents = [*memory.versions.values_list("content", flat=True), told.content_id]
    request = planned(cora, words="forget that my pet is a parrot named Quillfeather")

    request = run(approve(request, plan_hash=request.plan_hash, by=carl))

    assert (request.status, request.grounds) == ("complete", [])
    assert Memory.objects.get(pk=memory.pk).erased
    assert Candidate.objects.get(pk=told.pk).status == "erased"
    assert all(words.erased for words in sealing.unseal(contents).values())
