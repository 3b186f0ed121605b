"""The index agrees with the database, whatever happens in between."""

import fcntl
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from governance.index import chroma, embedding, projector, upkeep
from governance.index.models import Entry, Mark, Removal, Shard
from governance.index.projector import project
from governance.ledger.outbox import owed
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_tenant, an_agent, indexed, retracted, revised

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def in_chroma() -> set[int]:
    return {i for s in Shard.objects.all() for i in chroma.ids(chroma.name_of(s.id, s.generation))}


def in_database() -> set[int]:
    return set(Entry.objects.values_list("id", flat=True))


def stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*args, **kwargs):
        raise chroma.IndexDown("stopped")

    for name in ("upsert", "delete", "query", "ids"):
        monkeypatch.setattr(chroma, name, down)


def test_every_stated_version_has_one_entry_in_both_places(agent):
    memory = a_memory(agent, "CSV, please.", key="preference.output.format")
    revised(agent, memory, "Parquet, please.", key="preference.output.format")

    indexed()
    indexed()
    project([memory.id])

    assert list(Entry.objects.values_list("number", flat=True).order_by("number")) == [1, 2]
    assert in_chroma() == in_database()


def test_what_was_retracted_leaves_both_places(agent):
    memory = a_memory(agent, "CSV, please.")
    indexed()

    retracted(agent, memory)
    indexed()

    assert in_chroma() == in_database() == set()
    assert Shard.objects.get().size == 0


def test_a_retraction_indexed_before_the_memory_leaves_nothing(agent):
    memory = a_memory(agent, "CSV, please.")
    retracted(agent, memory)

    indexed()

    assert in_database() == set()


def test_entries_hold_vectors_and_hashes_but_no_words(agent):
    a_memory(agent, "Peanuts are dangerous.")

    indexed()

    entry = Entry.objects.get()
    assert len(entry.vector) == 2 * entry.dimension
    assert b"eanut" not in bytes(entry.tokens) + bytes(entry.vector)
    row = chroma._collection(chroma.name_of(entry.shard_id, 1)).get(include=["documents", "metadatas"])
    assert row["documents"] == [None]
    assert set(row["metadatas"][0]) == {"scope"}


def test_with_chroma_down_entries_are_written_and_the_rest_stays_owed(agent, monkeypatch):
    gone = a_memory(agent, "CSV, please.")
    indexed()
    with monkeypatch.context() as patch:
        stop(patch)
        a_memory(agent, "Tea, please.")
        retracted(agent, gone)
        indexed()

        assert Entry.objects.get().vector is not None
        assert owed("index") == 2
        assert Removal.objects.count() == 1

    project([e.memory_id for e in Entry.objects.all()])

    assert in_chroma() == in_database()
    assert not Removal.objects.exists()


def test_with_the_embedder_down_words_are_indexed_and_vectors_follow(agent, settings):
    settings.EMBEDDER = "tests.fakes.Broken"
    memory = a_memory(agent, "Tea, please.")
    indexed()
    first = Entry.objects.get()

    settings.EMBEDDER = "tests.fakes.HashedWords"
    project([memory.id])

    assert first.vector is None
    assert first.tokens
    assert Entry.objects.get().vector is not None


def test_one_memory_that_cannot_be_embedded_does_not_hold_up_others(agent, monkeypatch):
    def picky(texts, whole=embedding.embed_passages):
        if any("tea" in t for t in texts):
            raise embedding.CannotEmbed
        return whole(texts)

    monkeypatch.setattr(embedding, "embed_passages", picky)
    a_memory(agent, "tea")
    fine = a_memory(agent, "coffee")

    indexed()

    assert Entry.objects.get(memory=fine).vector is not None
    assert owed("index") == 1


def test_scopes_of_one_tenant_share_a_shard_and_tenants_never_do(agent):
    a_memory(agent, "Tea.", scope=ScopeSpec(level="user", user="ann"))
    a_memory(agent, "Tea.", scope=ScopeSpec(level="user", user="bob"))
    a_memory(an_agent(a_tenant()), "Tea.")

    indexed()

    assert sorted(Shard.objects.values_list("size", flat=True)) == [1, 2]


def test_a_scope_that_outgrows_its_shards_moves_to_one_of_its_own(agent, monkeypatch):
    monkeypatch.setattr("governance.index.models.LARGEST_SHARED", 3)
    monkeypatch.setattr("governance.index.shards.OWN_FROM", 5)
    a_memory(agent, "Tea of another.", scope=ScopeSpec(level="user", user="bob"))
    for number in range(8):
        a_memory(agent, f"Tea number {number}.")
        indexed()

    assert [(s.size, s.own) for s in Shard.objects.order_by("id")] == [(1, False), (0, False), (8, True)]
    assert sorted(Mark.objects.values_list("epoch", flat=True)) == [1, 8]
    assert in_chroma() == in_database()
    assert upkeep.drift().agrees


# --- drift, rebuild ------------------------------------------------------------------------------------------------


def test_drift_is_seen_and_rebuilt_away(agent, monkeypatch):
    memories = [a_memory(agent, f"Tea number {n}.") for n in range(3)]
    indexed()
    one, two = Entry.objects.order_by("id")[:2]
    name = chroma.name_of(one.shard_id, 1)
    chroma.delete(name, [one.id])
    chroma.upsert(name, [999_999], embedding.embed_passages(["ghost"]), [1])
    Entry.objects.filter(pk=two.pk).delete()
    with pytest.raises(CommandError, match="does not agree"):
        call_command("index_drift", stdout=StringIO())
    asked: list[str] = []
    whole = embedding.embed_passages
    monkeypatch.setattr(embedding, "embed_passages", lambda texts: asked.extend(texts) or whole(texts))

    call_command("rebuild_index", stdout=StringIO())

    assert asked == ["Tea number 1."]
    assert upkeep.drift().agrees
    assert in_chroma() == in_database()
    assert Entry.objects.count() == len(memories)
    assert Shard.objects.get().generation == 2


def test_another_model_is_a_rebuild_never_a_mix(agent, settings):
    a_memory(agent, "Tea.")
    indexed()
    settings.EMBEDDER = "tests.fakes.Wider"
    seen = upkeep.drift()

    call_command("rebuild_index", stdout=StringIO())

    assert seen.unembedded == 1
    assert [s.model for s in Shard.objects.all()] == [embedding.model_name()]
    assert upkeep.drift().agrees


def test_an_embedded_index_held_by_another_process_is_down_until_it_is_free(agent, settings):
    settings.CHROMA_URL = ""
    with (settings.DATA_DIR / "chroma.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(chroma.IndexDown):
            chroma.ping()
        assert upkeep.ask("drift", wait=0.3) is None

    chroma.ping()
    assert upkeep.ask("drift", wait=0.3) is not None


def test_the_turn_a_memory_was_taken_from_is_searched_with_it_and_never_shown_as_it(agent):
    quote = "We finally booked it: the cabin at Lake Bohinj, from the tenth of June, with the dogs!"
    memory = a_memory(agent, "The family goes on holiday in June.", words={"quote": quote})
    indexed()

    answer = recall(Question(query="Bohinj cabin", user="ann"), by=agent)

    assert [m.view.id for m in answer.memories] == [memory.id]
    assert "Bohinj" not in answer.context


def test_a_turn_that_says_nothing_more_is_not_searched_twice():
    assert projector.told({"content": "用户对花生过敏。", "quote": "用户对花生过敏"}) == ""
    assert projector.told({"content": "Seats by the window.", "quote": "seats by the WINDOW please"}) == ""
    assert projector.told({"content": "Tea, please."}) == ""
