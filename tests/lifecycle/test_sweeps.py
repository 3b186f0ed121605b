"""Sweeps look first, change one step at a time, keep a report, and are taken back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from governance.candidates.models import Candidate
from governance.errors import AlreadyDecided, InProgress, NotAllowed
from governance.ledger.outbox import drain
from governance.ledger.rebuild import rebuild
from governance.lifecycle import actions
from governance.lifecycle.actions import Covered, sweep
from governance.lifecycle.models import Sweep, SweepLook, Swept
from governance.lifecycle.queries import due_to_be_erased, looked
from governance.memories.models import Memory
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import Scope
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_tenant, an_agent, indexed, retracted
from tests.isolation import fresh_index


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


def days_ago(days: float):
    return timezone.now() - timedelta(days=days)


def old(agent, content="Ann once liked jazz.", *, days=3000, **more) -> Memory:
    return a_memory(agent, content, observed_at=days_ago(days), **more)


def worked() -> None:
    while drain("sweep"):
        pass


def swept(by) -> Sweep:
    begun = actions.begin(by=by)
    worked()
    return Sweep.objects.get(pk=begun.pk)


def undone(done: Sweep, by) -> Sweep:
    actions.begin_undo(done, by=by)
    worked()
    return Sweep.objects.get(pk=done.pk)


@pytest.fixture
def later(monkeypatch):
    """Move the clock on by some days."""
    real = timezone.now

    def move(days: float) -> None:
        monkeypatch.setattr(timezone, "now", lambda: real() + timedelta(days=days))

    return move


def contents(agent, **question) -> list[str]:
    indexed()
    return [m.view.content for m in recall(Question(user="ann", **question), by=agent).memories]


def test_a_look_changes_nothing_and_says_what_a_sweep_would_do(agent, cora):
    faded = old(agent)
    a_memory(agent, "Ann works at night.", key="profile.hours")
    before = list(Memory.objects.order_by("pk").values())

    actions.look(by=cora)
    worked()

    found = looked(agent.tenant)
    assert found.counts == {"demote": 1, "examined": 1}
    assert [s["memory"] for s in found.samples] == [faded.id]
    assert list(Memory.objects.order_by("pk").values()) == before
    assert not Sweep.objects.exists()


def test_what_is_demoted_is_given_only_when_it_is_asked_for(agent, cora):
    old(agent, key="preference.music", value="jazz")
    a_memory(agent, "Ann works at night.", key="profile.hours")

    done = swept(cora)

    assert done.counts == {"demote": 1, "examined": 1}
    assert contents(agent) == ["Ann works at night."]
    assert contents(agent, keys=("preference.music",)) == ["Ann once liked jazz."]
    assert "Ann once liked jazz." in contents(agent, query="jazz", history=True)


def test_each_sweep_takes_the_next_step_until_erasure_is_due(agent, cora, later):
    memory = old(agent, key="preference.music")
    steps = []
    for days in (0, 181, 731):
        later(days)
        done = swept(cora)
        steps.append(done.counts)

    memory.refresh_from_db()
    assert [set(counts) & {"demote", "archive", "mark-due"} for counts in steps] == [
        {"demote"},
        {"archive"},
        {"mark-due"},
    ]
    assert (memory.demoted, memory.archived, memory.erasure_due, memory.erased) == (True, True, True, False)
    assert list(due_to_be_erased(agent.tenant)) == [memory]
    assert contents(agent, keys=("preference.music",)) == []


def test_a_sweep_is_undone_and_left_alone_for_a_while(agent, cora, later):
    memory = old(agent)
    done = swept(cora)

    taken_back = undone(done, cora)
    again = swept(cora)
    later(31)
    after_a_month = swept(cora)

    memory.refresh_from_db()
    assert taken_back.undone == {"demote": 1}
    assert again.counts.get("demote") is None
    assert after_a_month.counts["demote"] == 1
    with pytest.raises(AlreadyDecided):
        actions.begin_undo(done, by=cora)


def test_what_somebody_put_back_meanwhile_is_not_undone(agent, cora, rita):
    memory = old(agent)
    done = swept(cora)
    actions.put(memory, "front", expected=1, by=rita)

    assert undone(done, cora).undone == {"left": 1}


def test_retracted_memories_are_due_too(agent, cora, later):
    memory = retracted(agent, a_memory(agent, "Ann works at night."))
    later(731)

    done = swept(cora)

    memory.refresh_from_db()
    assert done.counts["mark-due"] == 1
    assert memory.erasure_due
    assert undone(done, cora).undone == {"mark-due": 1}


def test_short_lived_memories_end_and_undoing_lets_them_hold_again(agent, cora):
    old(agent, "Ann wants the window open.", days=40, retention="short", key="preference.window")

    done = swept(cora)
    while_expired = contents(agent)
    in_history = contents(agent, query="window open", history=True)
    taken_back = undone(done, cora)

    assert done.counts["expire"] == 1
    assert while_expired == []
    assert in_history == ["Ann wants the window open."]
    assert taken_back.undone == {"expire": 1}
    assert contents(agent) == ["Ann wants the window open."]


def test_idle_sessions_end_and_their_memories_are_expired(agent, cora, later):
    spec = ScopeSpec("session", user="ann", session="s1")
    memory = a_memory(agent, "Ann looks for a hotel.", scope=spec)
    later(2)

    done = swept(cora)

    assert done.counts["end-session"] == 1
    assert Scope.objects.get(pk=memory.scope_id).ended_at is not None
    assert Memory.objects.with_status("expired", timezone.now()).get() == memory
    assert undone(done, cora).undone == {"end-session": 1}
    assert Scope.objects.get(pk=memory.scope_id).ended_at is None


@pytest.mark.parametrize("covered", [Covered(user="ann"), Covered()])
def test_what_is_held_is_left_alone_and_counted(agent, cora, later, covered):
    old(agent)
    a_memory(agent, "Ann looks for a hotel.", scope=ScopeSpec("session", user="ann", session="s1"))
    actions.place_hold(covered, ground="litigation", by=cora)
    later(2)

    done = swept(cora)

    assert done.counts == {"held": 1, "examined": 1}
    assert not Memory.objects.filter(demoted=True).exists()
    assert not Swept.objects.exists()


def test_always_memories_stay_however_old(agent, cora):
    old(agent, "Ann is allergic to peanuts.", key="allergy.peanuts", always=True)

    assert swept(cora).counts == {"examined": 1}


def test_another_tenant_is_not_touched(agent, cora):
    other = an_agent(a_tenant("acme-corp"))
    theirs = old(other)
    old(agent)

    swept(cora)

    theirs.refresh_from_db()
    assert not theirs.demoted


def test_one_sweep_at_a_time(agent, cora):
    old(agent)
    actions.begin(by=cora)

    with pytest.raises(InProgress):
        actions.begin(by=cora)


def test_a_sweep_that_stopped_half_way_is_taken_up_again(agent, cora, monkeypatch):
    for i in range(5):
        old(agent, f"Ann liked song {i}.", key=f"preference.song.n{i}")
    monkeypatch.setattr(sweep, "AT_ONCE", 2)
    begun = actions.begin(by=cora)
    stops = iter([None])
    monkeypatch.setattr(sweep, "_renewing", lambda rows: lambda: next(stops))  # a fault after the second transaction

    drain("sweep")
    half_way = Swept.objects.count()
    monkeypatch.undo()
    sweep.carry_out(Sweep.objects.get(pk=begun.pk))

    done = Sweep.objects.get(pk=begun.pk)
    assert half_way == 4
    assert done.counts["demote"] == 5
    assert Memory.objects.filter(demoted=True).count() == 5


def test_episodes_that_go_out_of_sight_leave_a_summary_to_decide_about(agent, cora):
    for i in range(3):
        flown = datetime(2023, 2, 1 + i, tzinfo=UTC)
        a_memory(agent, f"Ann flew to town {i}.", kind="episodic", observed_at=flown)

    done = swept(cora)
    proposed = Candidate.objects.get()
    again = swept(cora)

    assert done.counts["summaries"] == 1
    assert (proposed.status, proposed.outcome, proposed.source_type) == ("pending", "review", "summary")
    assert len(proposed.derived_from) == 3
    assert "summaries" not in again.counts
    assert undone(done, cora).undone["summaries"] == 1
    proposed.refresh_from_db()
    assert proposed.status == "expired"


def test_state_is_what_the_ledger_says(agent, cora, later):
    old(agent, key="preference.music")
    old(agent, "Ann wants the window open.", days=40, retention="short", key="preference.window")
    a_memory(agent, "Ann looks for a hotel.", scope=ScopeSpec("session", user="ann", session="s1"))
    later(2)
    undone(swept(cora), cora)
    later(40)
    swept(cora)

    assert rebuild(apply=False).differences == []


def test_reviewers_neither_look_sweep_nor_undo(agent, cora, rita):
    old(agent)
    done = swept(cora)

    for attempt in (
        lambda: actions.look(by=rita),
        lambda: actions.begin(by=rita),
        lambda: actions.begin_undo(done, by=rita),
    ):
        with pytest.raises(NotAllowed):
            attempt()

    assert Sweep.objects.count() == 1


def test_each_night_looks_and_sweeps_only_where_something_is_due(agent, tenant, monkeypatch):
    old(agent)
    quiet = a_tenant("quiet")
    tomorrow = (timezone.now() + timedelta(days=1)).replace(hour=4)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    for _ in range(2):
        monkeypatch.setattr(sweep, "_looked_at", None)
        sweep.every_night()
        worked()

    assert [s.tenant_id for s in Sweep.objects.all()] == [tenant.id]
    assert Sweep.objects.get().begun_by == "system:night"
    assert SweepLook.objects.filter(tenant__in=[tenant, quiet], looked_at=tomorrow).count() == 2
