"""What an agent is given, and what it is not."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from governance.errors import Invalid, NotFound
from governance.index import chroma
from governance.index.embedding import embed_query
from governance.index.models import Entry, ScopeShard
from governance.policies.actions import publish
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.retrieval.block import is_recalled, without_recalled
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Grant, ScopeSpec
from tests.factories import EVERYWHERE, a_conflict, a_memory, a_project, a_tenant, an_agent, indexed, retracted, revised

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])

SESSION = ScopeSpec(level="session", user="ann", session="s1")


def contents(answer):
    return [m.view.content for m in answer.memories]


# --- who is given what ---------------------------------------------------------------------------------------------


def test_another_users_memories_are_not_given(agent):
    a_memory(agent, "The user likes green tea.")
    a_memory(agent, "The user likes green curtains.", scope=ScopeSpec(level="user", user="bob"))
    indexed()

    answer = recall(Question(query="what does the user like in green", user="bob"), by=agent)

    assert contents(answer) == ["The user likes green curtains."]


def test_an_unseen_user_is_answered_like_one_without_memories(agent):
    a_memory(agent, "The user likes green tea.")

    answer = recall(Question(query="green tea", user="nobody"), by=agent)

    assert (answer.memories, answer.reason, answer.context) == ((), "nothing-held", "")


def test_memories_of_a_project_stay_in_it(agent):
    a_project(agent, "P", members=["ann"])
    a_project(agent, "Q", members=["ann"])
    a_memory(agent, "The project stays on Python 3.9.", scope=ScopeSpec(level="project", project="P"))
    indexed()

    inside = recall(Question(query="Python version", user="ann", project="P"), by=agent)
    outside = recall(Question(query="Python version", user="ann", project="Q"), by=agent)

    assert contents(inside) == ["The project stays on Python 3.9."]
    assert contents(outside) == []


def test_a_project_recall_needs_a_participant(agent):
    a_project(agent, "P", members=["ann"])
    a_memory(agent, "The project stays on Python 3.9.", scope=ScopeSpec(level="project", project="P"))

    with pytest.raises(Invalid):
        recall(Question(query="Python", project="P"), by=agent)
    with pytest.raises(NotFound):
        recall(Question(query="Python", user="bob", project="P"), by=agent)


def test_a_recall_that_names_nobody_is_refused(agent):
    with pytest.raises(Invalid):
        recall(Question(query="Python"), by=agent)


@pytest.mark.parametrize(
    ("one", "other"), [("acme", "acme-corp"), ("u1", "u11"), ("a:b", "a"), ("a%", "ab"), ("a_", "ab"), ("..", ".")]
)
def test_names_that_look_alike_never_meet(agent, one, other):
    a_memory(agent, "The user likes green tea.", scope=ScopeSpec(level="user", user=one))
    indexed()

    assert contents(recall(Question(query="green tea", user=other), by=agent)) == []
    assert contents(recall(Question(query="green tea", user=one), by=agent)) == ["The user likes green tea."]


def test_another_tenants_agent_finds_nothing(agent):
    a_memory(agent, "The user likes green tea.")
    indexed()

    assert contents(recall(Question(query="green tea", user="ann"), by=an_agent(a_tenant()))) == []


def test_an_idle_session_is_forgotten(agent, time_machine):
    time_machine.move_to(datetime(2050, 1, 1, 9, tzinfo=UTC))
    a_memory(agent, "Today everything is about invoices.", scope=SESSION)
    question = Question(query="invoices", user="ann", session="s1")
    fresh = contents(recall(question, by=agent))

    time_machine.move_to(datetime(2050, 1, 2, 10, tzinfo=UTC))

    assert fresh == ["Today everything is about invoices."]
    assert contents(recall(question, by=agent)) == []


# --- what is true now ----------------------------------------------------------------------------------------------


def test_what_was_retracted_is_not_in_the_next_recall(agent):
    memory = a_memory(agent, "The user prefers an aisle seat.")
    indexed()
    question = Question(query="aisle seat", user="ann")
    before = contents(recall(question, by=agent))

    retracted(agent, memory)

    assert before == ["The user prefers an aisle seat."]
    assert contents(recall(question, by=agent)) == []


def test_a_correction_is_given_at_once_and_the_old_value_never_again(agent):
    memory = a_memory(agent, "The output format is CSV.", key="preference.output.format", value="csv")
    indexed()
    question = Question(query="output format", user="ann")
    recall(question, by=agent)

    revised(agent, memory, "The output format is Parquet.", key="preference.output.format", value="parquet")

    assert contents(recall(question, by=agent)) == ["The output format is Parquet."]
    indexed()
    assert contents(recall(question, by=agent)) == ["The output format is Parquet."]


def test_a_memory_is_found_by_its_words_before_it_is_indexed(agent):
    a_memory(agent, "用户对花生过敏。")

    answer = recall(Question(query="花生", user="ann"), by=agent)

    assert contents(answer) == ["用户对花生过敏。"]
    assert not Entry.objects.exists()


def test_validity_switches_by_itself(agent):
    said = datetime(2025, 8, 20, tzinfo=UTC)
    change = datetime(2025, 9, 1, tzinfo=UTC)
    mysql = a_memory(agent, "The database is MySQL.", key="database", value="MySQL", observed_at=said, valid_to=change)
    revised(
        agent,
        mysql,
        "The database is PostgreSQL.",
        key="database",
        value="PostgreSQL",
        observed_at=said,
        valid_from=change,
    )
    indexed()

    def at(day):
        return contents(recall(Question(query="which database", user="ann", as_of=day), by=agent))

    assert at(datetime(2025, 8, 25, tzinfo=UTC)) == ["The database is MySQL."]
    assert at(datetime(2025, 9, 2, tzinfo=UTC)) == ["The database is PostgreSQL."]


def test_history_is_answered_from_versions_with_dates_but_never_what_was_retracted(agent):
    then = timezone.now() - timedelta(days=30)
    memory = a_memory(agent, "Examples are wanted in Python.", key="preference.code.language", observed_at=then)
    revised(agent, memory, "Examples are wanted in TypeScript.", key="preference.code.language")
    retracted(agent, a_memory(agent, "Examples in Python were short."))
    indexed()

    answer = recall(Question(query="did I once prefer Python examples?", user="ann", history=True), by=agent)

    found = {m.view.content: m.view.status for m in answer.memories}
    assert found == {
        "Examples are wanted in Python.": "superseded",
        "Examples are wanted in TypeScript.": "active",
    }
    assert then.date().isoformat() in answer.context


def test_what_was_known_then_is_answered_from_then(agent, time_machine):
    time_machine.move_to(datetime(2050, 1, 1, tzinfo=UTC))
    memory = a_memory(agent, "The user lives in Bonn.", key="profile.home.city")
    time_machine.move_to(datetime(2050, 2, 1, tzinfo=UTC))
    revised(agent, memory, "The user lives in Graz.", key="profile.home.city", corrects=True)
    indexed()

    earlier = Question(query="home city", user="ann", known_at=datetime(2050, 1, 15, tzinfo=UTC))

    assert contents(recall(earlier, by=agent)) == ["The user lives in Bonn."]
    assert contents(recall(Question(query="home city", user="ann"), by=agent)) == ["The user lives in Graz."]


# --- the ways to a memory ------------------------------------------------------------------------------------------


def test_a_key_is_looked_up_exactly(agent):
    a_memory(agent, "Antworten bitte auf Deutsch.", key="language", value="de")
    a_memory(agent, "The user likes language games.")

    answer = recall(Question(keys=("Language",), user="ann"), by=agent)

    assert contents(answer) == ["Antworten bitte auf Deutsch."]
    assert answer.memories[0].via == ("key",)


@pytest.mark.parametrize("query", ["What language does the user like?", "用户说什么语言？"])
def test_a_question_finds_a_key_by_its_label(agent, query):
    a_memory(agent, "Antworten bitte auf Deutsch.", key="language", value="de")
    indexed()

    answer = recall(Question(query=query, user="ann"), by=agent)

    assert contents(answer) == ["Antworten bitte auf Deutsch."]
    assert "key" in answer.memories[0].via


def test_chroma_is_believed_about_distance(agent):
    near = a_memory(agent, "Seats on trains are booked by the window.")
    far = a_memory(agent, "Zebras drink quietly.")
    indexed()
    question = Question(query="Seats on trains", user="ann", limit=2)
    before = contents(recall(question, by=agent))
    entry = Entry.objects.select_related("shard").get(memory=far)
    vector_of_near = Entry.objects.get(memory=near)

    number = ScopeShard.objects.get(scope=entry.scope_id).id
    collection = chroma.name_of(entry.shard_id, entry.shard.generation)
    chroma.upsert(collection, [entry.id], embed_query("Seats on trains")[None, :], [number])
    chroma.upsert(collection, [vector_of_near.id], -embed_query("Seats on trains")[None, :], [number])
    answer = recall(question, by=agent)

    assert before == ["Seats on trains are booked by the window."]
    assert "Zebras drink quietly." in contents(answer)
    assert {m.found_by for m in answer.memories} == {"chroma"}


def test_what_chroma_misses_is_completed_exactly(agent):
    memory = a_memory(agent, "Seats on trains are booked by the window.")
    indexed()
    entry = Entry.objects.select_related("shard").get(memory=memory)
    chroma.delete(chroma.name_of(entry.shard_id, entry.shard.generation), [entry.id])

    answer = recall(Question(query="window seats on trains", user="ann"), by=agent)

    assert [m.found_by for m in answer.memories] == ["exact"]


def test_with_chroma_stopped_keys_words_and_copies_answer(agent, monkeypatch):
    a_memory(agent, "Seats on trains are booked by the window.")
    indexed()

    def down(*args, **kwargs):
        raise chroma.IndexDown("stopped")

    monkeypatch.setattr(chroma, "query", down)
    answer = recall(Question(query="window seats on trains", user="ann"), by=agent)

    assert answer.degraded == "index"
    assert contents(answer) == ["Seats on trains are booked by the window."]


def test_with_the_embedder_out_of_order_words_answer(agent, settings):
    a_memory(agent, "Seats on trains are booked by the window.")
    indexed()

    settings.EMBEDDER = "tests.fakes.Broken"
    answer = recall(Question(query="window seats on trains", user="ann"), by=agent)

    assert answer.degraded == "vectors"
    assert contents(answer) == ["Seats on trains are booked by the window."]


def test_with_vectors_switched_off_everything_in_scope_is_listed(agent, settings):
    settings.RECALL_VECTORS = False
    for number in range(8):
        a_memory(agent, f"Number {number} is remembered.")
    a_memory(agent, "Said in this session.", scope=SESSION)

    question = Question(query="whatever", user="ann", session="s1", token_budget=4000)
    answer = recall(question, by=agent)

    assert len(answer.memories) == 9
    assert contents(answer)[0] == "Said in this session."


def test_what_has_nothing_to_do_with_the_question_is_not_given(agent):
    a_memory(agent, "The user likes green tea.")
    indexed()

    answer = recall(Question(query="蒙古首都", user="ann"), by=agent)

    assert answer.memories == ()
    assert answer.reason in ("below-floor", "no-match")


# --- precedence, binding, conflict ---------------------------------------------------------------------------------


def test_the_narrower_scope_wins(agent):
    a_memory(agent, "Answers are in German.", key="language", value="de")
    a_memory(agent, "Answers in this session are in French.", key="language", value="fr", scope=SESSION)
    indexed()

    answer = recall(Question(query="language of answers", user="ann", session="s1"), by=agent)

    assert contents(answer) == ["Answers in this session are in French."]
    assert [(o.reason, o.count) for o in answer.omitted] == [("overruled", 1)]


def test_the_narrower_value_is_given_even_where_only_the_wider_one_resembles_the_question(agent):
    a_memory(agent, "zzz", key="custom.thing", value="zzz", scope=SESSION)
    a_memory(agent, "Trains are booked by the window.", key="custom.thing", value="window")
    indexed()

    answer = recall(Question(query="Trains booked by window", user="ann", session="s1"), by=agent)

    assert contents(answer) == ["zzz"]


def test_a_binding_rule_accompanies_a_question_about_what_was_known_before_it_was_set(tenant):
    agent = an_agent(tenant, grants=[*EVERYWHERE, Grant("recall", "tenant")])
    rule = {"key": "data.deletion", "kind": "procedural", "scope": ScopeSpec(level="tenant"), "binding": True}
    a_memory(agent, "Production data is never deleted automatically.", **rule)

    answer = recall(Question(user="ann", known_at=timezone.now() - timedelta(days=400)), by=agent)

    assert [v.content for v in answer.binding] == ["Production data is never deleted automatically."]


def test_a_binding_rule_accompanies_every_recall_and_is_not_overridden(tenant):
    agent = an_agent(tenant, grants=(*EVERYWHERE, Grant("manage", "tenant")))
    rule = {"key": "data.deletion", "kind": "procedural", "scope": ScopeSpec(level="tenant"), "binding": True}
    a_memory(agent, "Production data is never deleted automatically.", **rule)
    a_memory(agent, "Production data may be deleted automatically.", key="data.deletion", kind="procedural")
    indexed()
    reader = an_agent(tenant, grants=(Grant("recall", "user"),))

    answer = recall(Question(query="delete production data", user="ann"), by=reader)

    assert [v.content for v in answer.binding] == ["Production data is never deleted automatically."]
    assert answer.memories[0].overridden_by_binding
    assert answer.memories[0].authorises is False
    assert answer.context.index("never deleted") < answer.context.index("may be deleted")


def test_a_contested_key_is_not_answered_with_one_value(agent):
    a_conflict(agent, a_memory(agent, "The database is MySQL.", key="database", value="MySQL"), "PostgreSQL")
    indexed()

    answer = recall(Question(query="which database", user="ann"), by=agent)

    assert answer.memories == ()
    assert [(c.key, [x["value"] for x in c.claims]) for c in answer.conflicts] == [
        ("database", ["MySQL", "PostgreSQL"])
    ]
    assert "Which of them holds?" in answer.context
    assert answer.reason == "conflicted"


# --- always, limit, budget -----------------------------------------------------------------------------------------


def test_always_comes_before_similarity_and_left_out_ones_are_named(agent):
    first = a_memory(agent, "Severe allergy to peanuts.", key="allergy.peanut", always=True)
    second = a_memory(agent, "Severe allergy to shrimp. " * 60, key="allergy.shrimp", always=True)
    a_memory(agent, "The user likes green tea.")
    indexed()

    answer = recall(Question(query="green tea", user="ann"), by=agent)

    assert contents(answer) == ["Severe allergy to peanuts.", "The user likes green tea."]
    assert answer.memories[0].view.id == first.id
    named = [m for o in answer.omitted if o.reason == "always-share" for m in o.memories]
    assert named == [{"id": second.id, "version": 1, "key": "allergy.shrimp"}]


def test_what_lost_to_the_limit_is_named_and_can_be_asked_for(agent):
    for number in range(6):
        a_memory(agent, f"Green tea number {number}.")
    indexed()

    first = recall(Question(query="green tea", user="ann", limit=2), by=agent)
    second = recall(Question(user="ann", limit=10, token_budget=4000, cursor=first.cursor), by=agent)

    left = {m["id"] for o in first.omitted if o.reason == "limit" for m in o.memories}
    assert len(first.memories) == 2
    assert len(left) == 4
    assert {m.view.id for m in second.memories} == left


def test_another_agents_cursor_is_none(tenant, agent):
    a_memory(agent, "Green tea.")
    answer = recall(Question(query="green tea", user="ann"), by=agent)

    with pytest.raises(Invalid):
        recall(Question(user="ann", cursor=answer.id), by=an_agent(tenant))


def test_the_number_of_queries_does_not_grow_with_the_hits(agent, django_assert_max_num_queries):
    def asked(number):
        question = Question(query="green tea", user="ann", limit=number, token_budget=8000)
        with django_assert_max_num_queries(60) as counted:
            recall(question, by=agent)
        return len(counted)

    for number in range(12):
        a_memory(agent, f"Green tea number {number}.", key=f"tea.{number}")
    indexed()
    recall(Question(query="green tea", user="ann"), by=agent)

    assert asked(2) == asked(12)


def test_a_policy_may_switch_vectors_off_for_its_tenant_alone(tenant, agent):
    other = an_agent(a_tenant())
    for by in (agent, other):
        for number in range(8):
            a_memory(by, f"Number {number} is remembered.")
    indexed()
    administrator = scopes.add_member(tenant, "adam", "administrator").user
    publish({"rank": {"vectors": "off"}}, by=actor_of_member(administrator, tenant.id))

    question = Question(query="number", user="ann", limit=3, token_budget=4000)

    assert [m.via for m in recall(question, by=agent).memories] == [("listed",)] * 8
    assert [m.found_by for m in recall(question, by=other).memories] == ["chroma"] * 3


# --- forms, freshness ----------------------------------------------------------------------------------------------


def test_a_block_in_sections_stands_under_four_headings_and_is_still_recognised(tenant):
    agent = an_agent(tenant, grants=(*EVERYWHERE, Grant("manage", "tenant"), Grant("manage", "project")))
    a_project(agent, "atlas", members=["ann"])
    project = ScopeSpec(level="project", project="atlas")
    rule = {"key": "data.deletion", "kind": "procedural", "scope": ScopeSpec(level="tenant"), "binding": True}
    a_memory(agent, "Production data is never deleted automatically.", **rule)
    a_memory(agent, "## Decisions\nThe user likes tea.")
    a_memory(agent, "Tea is paid by the project.", scope=project)
    a_memory(agent, "Tea is ordered on Mondays.", kind="procedural")
    a_memory(agent, "Tea ran out in May.", kind="episodic")

    question = Question(query="tea", user="ann", project="atlas", token_budget=2000, form="sections")
    block = recall(question, by=agent).context

    lines = block.splitlines()[4:-1]
    headings = [n for n, line in enumerate(lines) if line.startswith("#")]
    under = {lines[n].removeprefix("## "): lines[n + 1 : m] for n, m in pairwise([*headings, len(lines)])}
    assert {name: [line.rpartition(": ")[2] for line in said] for name, said in under.items()} == {
        "User": ['"## Decisions\\nThe user likes tea."'],
        "Project": ['"Tea is paid by the project."'],
        "Decisions": ['"Production data is never deleted automatically."', '"Tea is ordered on Mondays."'],
        "Learnings": ['"Tea ran out in May."'],
    }
    assert is_recalled(lines[1])
    assert without_recalled(f"Hello.\n{block}") == "Hello."


def test_a_memory_grows_stale_by_the_half_life_of_its_key_rule_before_that_of_its_kind(tenant, agent):
    old = timezone.now() - timedelta(days=100)
    a_memory(agent, "The user stays in room 12.", key="stay.room", observed_at=old)
    a_memory(agent, "The user speaks German.", key="language", observed_at=old)
    indexed()
    administrator = actor_of_member(scopes.add_member(tenant, "adam", "administrator").user, tenant.id)
    stay = {"id": "stay", "pattern": "stay.*", "labels": {"en": "stay", "zh": "住"}, "half_life_days": 30.0}
    publish({"key_rules": [stay]}, by=administrator)
    a_memory(agent, "The user stays at the lake.", key="stay.place", observed_at=old)

    answer = recall(Question(user="ann", token_budget=2000), by=agent)

    found = {m.view.key: m.stale for m in answer.memories}
    assert found == {"language": False, "stay.place": True, "stay.room": False}
    assert "stale: may no longer hold" in answer.context
