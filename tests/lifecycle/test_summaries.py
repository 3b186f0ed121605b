"""A summary knows its sources; it is not given from the moment one of them changes until it is rebuilt."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.candidates import actions as candidates
from governance.candidates.models import Candidate
from governance.errors import Invalid, NotAllowed
from governance.ledger import sealing
from governance.ledger.rebuild import rebuild
from governance.lifecycle import actions
from governance.lifecycle.queries import outdated_summaries, versions_that_say
from governance.memories.inspection import for_agents
from governance.memories.models import Memory
from governance.memories.queries import Moment, history, narrowed, views, visible_to
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, indexed, retracted, revised
from tests.isolation import fresh_index

SAID = ("Ann flew to Rome in May.", "Ann missed the train to Naples.", "Ann liked the hotel in Bari.")


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def episodes(agent) -> list[Memory]:
    day = timezone.now() - timedelta(days=10)
    return [a_memory(agent, text, kind="episodic", observed_at=day + timedelta(hours=i)) for i, text in enumerate(SAID)]


@pytest.fixture
def summary(episodes, rita) -> Memory:
    proposed = actions.summarise(episodes, by=rita)
    done = candidates.approve(proposed, expected=proposed.version, by=rita)
    return Memory.objects.get(pk=done.memory_id)


def given(agent, memory: Memory, **question) -> list[str]:
    """Return what an agent is given of one memory."""
    indexed()
    asked = Question(user="ann", query="Rome Naples Bari", limit=50, token_budget=4000, **question)
    return [m.view.content for m in recall(asked, by=agent).memories if m.view.id == memory.id]


def test_a_summary_is_a_proposal_that_a_person_decides(agent, episodes, rita):
    proposed = actions.summarise(episodes, by=rita)

    assert (proposed.status, proposed.source_type) == ("pending", "summary")
    assert proposed.derived_from == [[m.id, 1] for m in episodes]
    assert not Memory.objects.exclude(pk__in=[m.id for m in episodes]).exists()


def test_an_approved_summary_says_its_sources_and_names_them(agent, episodes, summary):
    view = views([summary])[0]

    assert view.content == " ".join(SAID)
    assert set(view.derived_from) == {m.id for m in episodes}
    assert given(agent, summary) == [" ".join(SAID)]


def test_with_one_of_three_forgotten_it_says_two_and_names_two(agent, episodes, summary, cora):
    before = given(agent, summary)
    retracted(agent, episodes[1])
    meanwhile = given(agent, summary)
    rebuilt = actions.rebuild_summaries()
    after = given(agent, summary)

    summary.refresh_from_db()
    assert before == [" ".join(SAID)]
    assert meanwhile == []
    assert rebuilt.rebuilt == (summary.id,)
    assert after == [f"{SAID[0]} {SAID[2]}"]
    assert set(views([summary])[0].derived_from) == {episodes[0].id, episodes[2].id}


@pytest.mark.parametrize("how", ["history", "known_at"])
def test_what_it_once_said_of_a_retracted_source_is_not_given_by_asking_about_the_past(agent, episodes, summary, how):
    then = timezone.now()
    retracted(agent, episodes[1])
    actions.rebuild_summaries()

    asked = {"history": True} if how == "history" else {"known_at": then}

    assert all(SAID[1] not in text for text in given(agent, summary, **asked))


def test_looked_at_by_its_id_an_outdated_version_has_no_words(agent, episodes, summary):
    retracted(agent, episodes[1])
    actions.rebuild_summaries()
    summary.refresh_from_db()

    shown = for_agents(history(summary), [summary, summary])

    assert [v.content for v in shown] == ["", f"{SAID[0]} {SAID[2]}"]


def test_a_corrected_source_is_said_anew(agent, episodes, summary):
    revised(agent, episodes[0], "Ann flew to Rome in June.")
    meanwhile = given(agent, summary)

    actions.rebuild_summaries()

    assert meanwhile == []
    assert given(agent, summary) == [f"Ann flew to Rome in June. {SAID[1]} {SAID[2]}"]


def test_a_summary_with_one_source_left_is_let_go(agent, episodes, summary):
    retracted(agent, episodes[0])
    retracted(agent, episodes[1])

    done = actions.rebuild_summaries()

    summary.refresh_from_db()
    assert done.dropped == (summary.id,)
    assert summary.slot is None
    assert outdated_summaries() == []


def test_a_proposal_of_which_a_source_changed_is_closed(agent, episodes, rita):
    proposed = actions.summarise(episodes, by=rita)
    retracted(agent, episodes[1])

    done = actions.rebuild_summaries()

    assert done.withdrawn == (proposed.id,)
    assert Candidate.objects.get(pk=proposed.id).status == "expired"


def test_an_edited_summary_still_goes_with_its_sources(agent, episodes, rita):
    proposed = actions.summarise(episodes, by=rita)
    done = candidates.edit_and_approve(
        proposed, expected=proposed.version, by=rita, changes={"content": "Ann travelled through Italy."}
    )
    summary = Memory.objects.get(pk=done.memory_id)
    retracted(agent, episodes[1])

    assert given(agent, summary) == []


def test_what_erasing_a_source_must_reach_is_known(agent, episodes, summary):
    retracted(agent, episodes[1])
    actions.rebuild_summaries()

    found = versions_that_say([episodes[1].id])

    words = sealing.unseal([v.content_id for v in found])
    assert [(v.memory_id, v.number) for v in found] == [(summary.id, 1)]
    assert SAID[1] in words[found[0].content_id]["content"]


def test_ageing_a_source_leaves_the_summary(agent, episodes, summary, rita):
    actions.put(episodes[1], "archive", expected=1, by=rita)

    assert actions.rebuild_summaries().rebuilt == ()
    assert given(agent, summary) == [" ".join(SAID)]


def test_an_invalidated_memory_is_history(agent, rita):
    memory = a_memory(agent, "Ann works at night.", key="profile.hours")

    actions.invalidate(memory, expected=1, by=rita)

    memory.refresh_from_db()
    assert views([memory])[0].status == "expired"
    asked = {"keys": ("profile.hours",)}
    assert given(agent, memory, **asked) == []
    assert given(agent, memory, as_of=timezone.now() - timedelta(seconds=30), **asked) == ["Ann works at night."]
    assert views([memory], Moment(known_at=timezone.now()))[0].content == "Ann works at night."


def test_memories_of_two_scopes_make_no_summary(agent, episodes, rita):
    bobs = a_memory(agent, "Bob flew to Rome.", kind="episodic", scope=ScopeSpec("user", user="bob"))

    with pytest.raises(Invalid):
        actions.summarise([*episodes, bobs], by=rita)
    with pytest.raises(Invalid):
        actions.summarise(episodes[:1], by=rita)

    assert not Candidate.objects.exists()


def test_only_who_decides_summarises_and_sets_aside(agent, episodes, cora):
    for attempt in (
        lambda: actions.summarise(episodes, by=cora),
        lambda: actions.put(episodes[0], "archive", expected=1, by=cora),
        lambda: actions.invalidate(episodes[0], expected=1, by=cora),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_state_is_what_the_ledger_says(agent, episodes, summary, rita):
    retracted(agent, episodes[1])
    actions.rebuild_summaries()
    actions.invalidate(episodes[2], expected=1, by=rita)
    actions.put(episodes[0], "demote", expected=1, by=rita)
    actions.rebuild_summaries()

    assert rebuild(apply=False).differences == []


def test_an_archived_memory_is_listed_where_that_is_asked_for(agent, rita):
    memory = a_memory(agent, "Ann works at night.", key="profile.hours")
    actions.put(memory, "archive", expected=1, by=rita)

    seen = visible_to(rita)

    assert list(narrowed(seen, {}, timezone.now())) == []
    assert list(narrowed(seen, {"status": "archived"}, timezone.now())) == [memory]
