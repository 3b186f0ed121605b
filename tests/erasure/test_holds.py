"""Legal holds: whatever one covers stays, whole, until it is lifted; and who asked is told just that."""

from collections.abc import Callable
from typing import Any

import pytest

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said, observe
from governance.erasure import execute
from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.backup import back_up_database
from governance.erasure.execute import run
from governance.erasure.holding import is_held
from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.restore import restore
from governance.erasure.rules import Selector, reach_of
from governance.erasure.stores import STORES
from governance.erasure.worker import resume_due
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.outbox import drain, take_over
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.lifecycle.actions import Covered, lift_hold, place_hold, summarise
from governance.lifecycle.models import Hold
from governance.memories.models import Memory, Version
from governance.scopes.queries import find_subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_project
from tests.web.people import a_member, a_proposal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
ANN = Wish(Selector(user="ann"))
ATLAS = ScopeSpec("project", project="atlas")


def approved(wish: Wish, filer, approver) -> ForgetRequest:
    request = plan(verify_identity(file_request(wish, by=filer), method="document", by=filer))
    return approve(request, plan_hash=request.plan_hash, by=approver)


def a_turn(agent, text: str, **where: str) -> Observation:
    role = "user" if "user" in where else "tool"
    return observe(Said(role=role, text=text, extract=False, **where), by=agent).observation


def is_readable(content: str) -> bool:
    return not sealing.unseal([content])[content].erased


def gone_on(request: ForgetRequest, hold: Hold, cora) -> ForgetRequest:
    """Lift the hold, and have the worker take up what waited for that."""
    lift_hold(hold, by=cora)
    resume_due(request.answered_at)
    while drain("forget"):
        pass
    return execute.fresh(request)


def held_midway(
    request: ForgetRequest, covered: Covered, cora, monkeypatch, *, after: str
) -> tuple[ForgetRequest, Hold]:
    """Run a request, and place a hold when one store is done."""
    placed = []
    store = next(s for s in STORES if s.name == after)
    erase = store.erase

    def erase_and_hold(reach):
        gone = erase(reach)
        placed.append(place_hold(covered, ground="litigation", by=cora))
        return gone

    with monkeypatch.context() as patch:
        patch.setattr(store, "erase", erase_and_hold)
        stopped = run(request)
    assert (stopped.status, stopped.grounds[-1]) == ("partial", "held")
    return stopped, placed[0]


def worked_off() -> None:
    take_over()
    while drain():
        pass


# --- what a hold covers ----------------------------------------------------------------------------------------------


def said_by_a_held_person(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    turn = a_turn(agent, "My hobby is competitive flumphwhistling.", user="ann")
    return Selector(user="ann", words="competitive flumphwhistling"), turn.content_id, Covered(user="ann")


def said_in_a_held_project(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    a_project(agent, "atlas")
    turn = a_turn(agent, "The notes mention wibblegrunt servers.", project="atlas")
    return Selector(scope=ATLAS), turn.content_id, Covered(project="atlas")


def said_by_a_held_person_in_another_project(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    a_project(agent, "atlas", members=["ann"])
    turn = a_turn(agent, "I work at night.", user="ann", project="atlas")
    return Selector(scope=ATLAS), turn.content_id, Covered(user="ann")


def said_in_a_held_project_by_another_person(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    a_project(agent, "atlas", members=["ann"])
    turn = a_turn(agent, "I work at night.", user="ann", project="atlas")
    return Selector(user="ann"), turn.content_id, Covered(project="atlas")


def the_turn_a_held_memory_rests_on(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    turn = a_turn(agent, "Use vim and answer me in Chinese.", user="ann")
    held = a_memory(agent, "Ann uses vim.", key="editor", observation=turn.id)
    other = a_memory(agent, "Ann is answered in Chinese.", key="language", observation=turn.id)
    return Selector(memory_ids=(other.id,)), turn.content_id, Covered(memory=held.id)


def the_turn_a_held_persons_proposal_rests_on(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    a_project(agent, "atlas", members=["ann"])
    proposal = a_proposal(agent, said="Ann works at night.", quote="Ann works at night.")
    memory = a_memory(agent, "Atlas is worked on at night.", scope=ATLAS, observation=proposal.observation_id)
    return Selector(memory_ids=(memory.id,)), proposal.observation.content_id, Covered(user="ann")


def what_a_held_summary_says(agent, tenant, cora) -> tuple[Selector, str, Covered]:
    rita = a_member(tenant, "rita", "reviewer")
    texts = ("Ann flew to Rome in May.", "Ann missed the train to Naples.", "Ann liked the hotel in Bari.")
    episodes = [a_memory(agent, text, kind="episodic") for text in texts]
    proposed = summarise(episodes, by=rita)
    summary = candidates.approve(proposed, expected=proposed.version, by=rita).memory
    content = Version.objects.get(memory=summary, number=summary.latest).content_id
    return Selector(memory_ids=(episodes[1].id,)), content, Covered(memory=summary.id)


COVERED = [
    said_by_a_held_person,
    said_in_a_held_project,
    said_by_a_held_person_in_another_project,
    said_in_a_held_project_by_another_person,
    the_turn_a_held_memory_rests_on,
    the_turn_a_held_persons_proposal_rests_on,
    what_a_held_summary_says,
]


@pytest.mark.parametrize("case", COVERED, ids=[case.__name__ for case in COVERED])
def test_what_a_hold_covers_stays_whole_until_it_is_lifted(
    agent, tenant, cora, carl, case: Callable[..., tuple[Selector, str, Covered]]
):
    selector, content, covered = case(agent, tenant, cora)
    hold = place_hold(covered, ground="litigation", by=cora)
    request = approved(Wish(selector), cora, carl)
    assert request.plan.document["held"]

    request = run(request)

    assert (request.status, "held" in request.grounds) == ("partial", True)
    assert is_readable(content)
    assert not Memory.objects.filter(erased=True).exists()
    request = gone_on(request, hold, cora)
    assert (request.status, request.grounds) == ("complete", [])
    assert not is_readable(content)
    assert rebuild(apply=False).differences == []


def test_a_hold_on_somebody_else_stands_in_nobodys_way(agent, cora, carl):
    a_turn(agent, "I live in Bratislava.", user="bob")
    turn = a_turn(agent, "I live in Reykjavik.", user="ann")
    place_hold(Covered(user="bob"), ground="litigation", by=cora)

    request = run(approved(ANN, cora, carl))

    assert (request.status, request.grounds) == ("complete", [])
    assert not is_readable(turn.content_id)


@pytest.mark.parametrize("turns", [3, 60])
def test_whether_something_is_held_is_asked_in_as_many_queries_however_much_there_is(
    agent, cora, carl, turns, django_assert_max_num_queries
):
    for i in range(turns):
        a_memory(agent, f"Ann read volume {i}.", observation=a_turn(agent, f"I read volume {i}.", user="ann").id)
    a_turn(agent, "I am Bob.", user="bob")
    place_hold(Covered(user="bob"), ground="litigation", by=cora)
    reach = reach_of(approved(ANN, cora, carl).plan.reach)

    with django_assert_max_num_queries(16):
        assert not is_held(reach)


# --- the person meanwhile --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", ["suppressions", "memories", "observations", "identity"])
def test_somebody_held_midway_is_written_about_meanwhile_and_that_goes_too_once_the_hold_is_lifted(
    agent, cora, carl, monkeypatch, after
):
    a_memory(agent, "Ann lives in Reykjavik.", key="home", observation=a_turn(agent, "I live in R.", user="ann").id)
    request, hold = held_midway(approved(ANN, cora, carl), Covered(), cora, monkeypatch, after=after)

    turn = a_turn(agent, "I moved to Ptuj.", user="ann")
    memory = a_memory(agent, "Ann works at night.", key="hours")
    lift_hold(hold, by=cora)
    resume_due(request.answered_at)
    fenced = find_subject(agent.tenant, "ann").fence

    is_same_person = turn.subject_id == request.subject_id
    assert is_same_person == (after != "identity")  # by then nobody knows any more that it is the same
    assert fenced == (request.id if is_same_person else "")
    worked_off()
    request = execute.fresh(request)
    assert (request.status, request.grounds) == ("complete", [])
    assert is_readable(turn.content_id) == (not is_same_person)
    assert Memory.objects.get(pk=memory.pk).erased == is_same_person
    assert rebuild(apply=False).differences == []


def test_somebody_whose_request_failed_is_fenced_no_longer_once_a_hold_is_placed(agent, cora, carl, monkeypatch):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    request = approved(ANN, cora, carl)
    with monkeypatch.context() as patch:
        patch.setattr(next(s for s in STORES if s.name == "index-files"), "erase", broken)
        request = run(request)
    assert request.grounds[0] == "store-failed:index-files"
    hold = place_hold(Covered(memory=memory.id), ground="litigation", by=cora)

    resume_due(request.answered_at)
    worked_off()
    a_turn(agent, "I moved to Ptuj.", user="ann")

    request = execute.fresh(request)
    assert (request.status, request.grounds[-1]) == ("partial", "held")
    request = gone_on(request, hold, cora)
    assert (request.status, request.grounds) == ("complete", [])


def broken(reach) -> int:
    raise OSError("no such device")


# --- what is said of it ----------------------------------------------------------------------------------------------


def written_of(request: ForgetRequest) -> tuple[dict[str, Any], str, str]:
    """Return the newest report of a request, and its plain words in English and Chinese."""
    document = ForgetReport.objects.filter(request=request).latest("number").document
    return document, " ".join(document["for_the_person"]["en"]), " ".join(document["for_the_person"]["zh"])


def test_who_is_held_before_it_began_is_told_that_a_hold_stands_in_the_way_and_nothing_was_erased(agent, cora, carl):
    a_memory(agent, "Ann lives in Reykjavik.")
    hold = place_hold(Covered(user="ann"), ground="litigation", by=cora)

    request = run(approved(ANN, cora, carl))

    document, said, chinese = written_of(request)
    assert request.grounds == ["held"]
    assert "legal hold" in said and "Nothing was erased" in said and "when the hold is lifted" in said
    assert "法律保全" in chinese and "没有删除任何内容" in chinese
    assert "fingerprint" not in said and "指纹" not in chinese
    assert not [kept for kept in document["retained"] if "fingerprint" in kept["what"]]
    assert document["backups"] == []
    assert gone_on(request, hold, cora).status == "complete"
    _, said, chinese = written_of(request)
    assert "fingerprint" in said and "指纹" in chinese
    assert "legal hold" not in said and "法律保全" not in chinese


def test_who_is_held_midway_before_anything_went_is_told_that_nothing_was_erased(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")

    request, _ = held_midway(approved(ANN, cora, carl), Covered(user="ann"), cora, monkeypatch, after="suppressions")

    document, said, _ = written_of(request)
    assert request.grounds == ["held"]
    assert "Nothing was erased" in said and "nobody can read" not in said
    assert "fingerprint" in said  # they were made
    assert (document["backups"], document["last_copy_until"]) == ([], "")


def test_who_is_held_midway_is_told_what_went_before(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")
    a_turn(agent, "I work at night.", user="ann")

    request, _ = held_midway(approved(ANN, cora, carl), Covered(user="ann"), cora, monkeypatch, after="memories")

    document, said, chinese = written_of(request)
    gone = next(line["erased"] for line in document["stores"] if line["store"] == "memories")
    assert request.grounds == ["held"]
    assert gone and f"we erased {gone} memory texts, 0 recorded messages" in said
    assert "legal hold" in said and f"{gone} 条记忆文本、0 条对话记录" in chinese
    assert "out of use" not in said and "停用" not in chinese


def test_who_asked_to_have_it_retracted_is_told_that_it_is_used_as_before(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    hold = place_hold(Covered(user="ann"), ground="litigation", by=cora)

    request = run(approved(Wish(Selector(user="ann"), mode="retract"), cora, carl))

    _, said, _ = written_of(request)
    assert (request.grounds, Memory.objects.get(pk=memory.pk).slot is None) == (["held"], False)
    assert "legal hold" in said and "0 memories are retracted; everything else is used as before" in said
    assert gone_on(request, hold, cora).status == "complete"
    document, said, _ = written_of(request)
    assert "1 memories are retracted and are no longer given" in said
    assert {line["method"] for line in document["stores"]} == {"retracted", "not-touched"}


def test_what_really_failed_is_named_beside_the_hold(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")
    request = approved(ANN, cora, carl)
    monkeypatch.setattr(next(s for s in STORES if s.name == "suppressions"), "erase", broken)

    request, _ = held_midway(request, Covered(user="ann"), cora, monkeypatch, after="memories")

    assert request.grounds == ["store-failed:suppressions", "held"]


def test_where_everything_failed_nobody_is_told_that_part_of_it_is_gone(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")
    for store in STORES:
        monkeypatch.setattr(store, "erase", broken)

    request = run(approved(ANN, cora, carl))

    _, said, _ = written_of(request)
    assert "could not erase anything" in said and "out of use" not in said


# --- a backup is put back --------------------------------------------------------------------------------------------


def test_what_is_held_is_left_out_when_a_backup_is_put_back_and_goes_on_when_the_hold_is_lifted(
    agent, cora, carl, monkeypatch, tmp_path
):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    covered = Covered(memory=memory.id)
    request, hold = held_midway(approved(ANN, cora, carl), covered, cora, monkeypatch, after="suppressions")
    told: list[str] = []

    done = restore(back_up_database(tmp_path), replace=True, say=told.append)

    assert (done.problems, done.erasures, done.held) == ([], 0, [request.id])
    assert any("legal hold" in line and request.id in line for line in told)
    assert is_readable(memory.versions.get().content_id)
    request = gone_on(request, hold, cora)
    assert (request.status, request.grounds) == ("complete", [])
    assert rebuild(apply=False).differences == []


def test_a_hold_placed_after_the_backup_is_placed_again_and_what_it_left_out_is_erased_when_it_is_lifted(
    agent, cora, carl, monkeypatch, tmp_path
):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    backup = back_up_database(tmp_path)
    covered = Covered(memory=memory.id)
    request, hold = held_midway(approved(ANN, cora, carl), covered, cora, monkeypatch, after="suppressions")

    done = restore(backup, replace=True)
    worked_off()

    assert (done.problems, done.held) == ([], [request.id])
    assert is_readable(memory.versions.get().content_id)
    again = Hold.objects.in_force().get()
    assert (again.id, again.memory_id, again.ground) == (hold.id, memory.id, "litigation")
    lift_hold(again, by=cora)
    worked_off()
    assert not is_readable(memory.versions.get().content_id)
    assert Memory.objects.get().erased
    assert verify(agent.tenant).findings == []
    assert rebuild(apply=False).differences == []


def test_what_was_erased_before_the_hold_in_the_backup_came_back_stays_gone_and_the_rest_waits(
    agent, cora, carl, tmp_path
):
    memory = a_memory(agent, "Ann lives in Reykjavik.", key="home")
    hold = place_hold(Covered(memory=memory.id), ground="litigation", by=cora)
    request = run(approved(Wish(Selector(user="ann", keys=("home",))), cora, carl))
    kept = a_memory(agent, "Ann works at night.", key="hours")
    backup = back_up_database(tmp_path)
    assert gone_on(request, hold, cora).status == "complete"

    done = restore(backup, replace=True)

    assert (done.problems, done.held) == ([], [request.id])
    assert not is_readable(memory.versions.get().content_id)
    request = gone_on(execute.fresh(request), Hold.objects.get(), cora)
    assert (request.status, request.grounds) == ("complete", [])
    assert not Memory.objects.get(pk=kept.pk).erased
    assert verify(agent.tenant).findings == []
