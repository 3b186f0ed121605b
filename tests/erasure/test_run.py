"""The run: what is gone afterwards, what stays, and that it ends the same wherever it is cut off."""

import re
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said, observe
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.erasure import execute, needles, report
from governance.erasure.actions import allow_again, approve, file_due, file_request, plan, refuse, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.again import verify_again
from governance.erasure.execute import run
from governance.erasure.models import ErasureJournal, ForgetPlan, ForgetReport, ForgetRequest, Needle, StoreRow
from governance.erasure.recipients import recipients
from governance.erasure.rules import Selector, reach_of
from governance.erasure.stores import STORES
from governance.erasure.worker import resume, resume_due
from governance.errors import ForgetInProgress, Gone, Suppressed
from governance.evidence import actions as evidence
from governance.evidence.actions import Turn
from governance.index.models import Entry
from governance.ledger import sealing
from governance.ledger.models import ContentKey, Event
from governance.ledger.outbox import drain
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.ledger.writing import writing
from governance.lifecycle.actions import Covered, lift_hold, place_hold, summarise
from governance.lifecycle.models import Hold
from governance.memories import actions as memories
from governance.memories.events import MemoryAged
from governance.memories.models import Memory, Version
from governance.overview.notices import acknowledge, notices, unread
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.retrieval.models import Recall
from governance.scopes.models import Subject
from governance.scopes.queries import find_subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_conflict, a_memory, a_project, an_agent, indexed, revised
from tests.web.people import a_member

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
BOB = ScopeSpec("user", user="bob")
SAID = "My favourite colour is ultramarine."


def approved(wish: Wish, filer, approver) -> ForgetRequest:
    request = plan(verify_identity(file_request(wish, by=filer), method="document", by=filer))
    return approve(request, plan_hash=request.plan_hash, by=approver)


def lived(agent) -> Memory:
    """Ann says, proposes, corrects, contradicts and asks; Bob is a bystander."""
    heard = observe(Said(role="user", text=SAID, user="ann", session="one"), by=agent).observation
    memory = a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city", value="Reykjavik")
    memory = revised(agent, memory, "Ann lives in Ljubljana.", key="profile.home.city", value="Ljubljana")
    a_conflict(agent, memory, "Maribor")
    draft = Draft(
        scope=ScopeSpec("user", user="ann"),
        kind="semantic",
        key="profile.pet",
        value="a tortoise called Mabel",
        source_type="agent_guess",
        observation=heard.id,
        quote=SAID,
    )
    candidates.propose(draft, by=agent)
    a_project(agent, "atlas", members=["ann", "bob"])
    a_memory(agent, "Bob lives in Bratislava.", key="profile.home.city", value="Bratislava", scope=BOB)
    indexed()
    recall(Question(query="Where does Ann live?", user="ann"), by=agent)
    return memory


def worked_off() -> None:
    while drain():
        pass


def test_a_person_is_forgotten_to_a_complete_signed_report(agent, cora, carl):
    memory = lived(agent)
    request = approved(Wish(Selector(user="ann")), cora, carl)
    reach = reach_of(request.plan.reach)
    assert [group for group, ids in reach.contents.items() if not ids] == ["derived"]  # no summary says it

    worked_off()

    request = execute.fresh(request)
    written = ForgetReport.objects.get(request=request)
    assert (request.status, request.grounds) == ("complete", []), written.document["proof"]
    assert all(words.erased for words in sealing.unseal(reach.all_contents()).values())
    assert Memory.objects.get(pk=memory.pk).erased
    assert not Entry.objects.filter(memory=memory).exists()
    assert find_subject(agent.tenant, "ann") is None
    assert rebuild(apply=False).differences == []
    assert verify(agent.tenant).findings == []
    assert report.check(report.exported(written.document, written.sha256, written.signature), report.public_key()) == []
    assert not Needle.objects.exists()
    assert {s["store"] for s in written.document["stores"]} == {s.name for s in STORES}


def test_the_report_counts_in_every_store_what_the_plan_counted(agent, cora, carl):
    lived(agent)
    request = approved(Wish(Selector(user="ann")), cora, carl)
    planned = {line["store"]: line for line in request.plan.document["stores"]}

    run(request)

    for row in StoreRow.objects.filter(request=request):
        line = planned[row.store]
        assert (row.erased, row.restricted, row.retained) == (line["erase"], line["restrict"], line["retain"]), (
            row.store
        )
        assert row.found == line["erase"] or row.retained or row.restricted, row.store


@pytest.mark.parametrize("mode", ["erase", "retract"])
def test_the_person_is_told_the_same_dates_and_nothing_that_did_not_happen(agent, cora, carl, mode):
    a_memory(agent, "Ann lives in Reykjavik.")

    request = run(approved(Wish(Selector(user="ann"), mode=mode), cora, carl))

    written = ForgetReport.objects.get(request=request).document
    dates = [written["beyond_use_until"], written["last_copy_until"]]
    assert dates == ([kept["expires"] for kept in written["backups"]] if mode == "erase" else ["", ""])
    for lines in written["for_the_person"].values():
        assert re.findall(r"\d{4}-\d\d-\d\d", " ".join(lines)) == [date for date in dates if date]
    assert ("erased" in written["for_the_person"]["en"][0]) == (mode == "erase")


def test_bystanders_keep_everything(agent, cora, carl):
    lived(agent)
    bobs = Version.objects.get(memory__scope__subject=find_subject(agent.tenant, "bob"))

    request = run(approved(Wish(Selector(user="ann")), cora, carl))

    found = recall(Question(keys=("profile.home.city",), user="bob"), by=agent)
    shown = ForgetReport.objects.get(request=request).document["proof"]["bystanders"]
    assert [m.view.value for m in found.memories] == ["Bratislava"]
    assert Version.objects.get(pk=bobs.pk).value_mac == bobs.value_mac
    assert shown["holds"]
    assert shown["rows"] > 20
    assert shown["digest_before"] == shown["digest_after"]


def test_the_same_conversation_is_not_learned_again_until_allowed(agent, cora, carl):
    lived(agent)
    request = run(approved(Wish(Selector(user="ann")), cora, carl))

    with pytest.raises(Suppressed) as turned_away:
        observe(Said(role="user", text=SAID.upper(), user="ann"), by=agent)
    with pytest.raises(Suppressed):
        candidates.propose(
            Draft(
                scope=ScopeSpec("user", user="ann"),
                kind="semantic",
                key="profile.home.city",
                value="ljubljana",
                source_type="agent_guess",
            ),
            by=agent,
        )
    observe(Said(role="user", text=SAID, user="bob"), by=agent)  # it is his word, not hers
    allow_again(request, basis="person-said-so", by=cora)
    heard = observe(Said(role="user", text=SAID, user="ann"), by=agent)

    assert turned_away.value.extra["request"] == request.id
    assert heard.observation.subject.generation == 1


def test_nothing_is_written_about_somebody_who_is_being_forgotten(agent, cora, carl):
    memory = lived(agent)
    approved(Wish(Selector(user="ann")), cora, carl)

    with pytest.raises(ForgetInProgress):
        observe(Said(role="user", text="I moved to Ptuj.", user="ann"), by=agent)
    with pytest.raises(ForgetInProgress):
        candidates.propose(
            Draft(
                scope=ScopeSpec("user", user="ann"), kind="semantic", key="a.b", value="c", source_type="agent_guess"
            ),
            by=agent,
        )
    observe(Said(role="user", text="I moved to Ptuj.", user="bob"), by=agent)

    assert not Memory.objects.get(pk=memory.pk).erased


def test_work_that_began_before_writes_nothing_back(agent, cora, carl):
    lived(agent)
    subject = find_subject(agent.tenant, "ann")

    memory = Memory.objects.get(scope__subject=subject, key_rule="home-city")
    run(approved(Wish(Selector(user="ann")), cora, carl))

    with pytest.raises(ForgetInProgress):
        evidence.record(Turn("user", "I moved.", timezone.now()), subject=subject, project=None, session=None, by=agent)
    with pytest.raises(Gone):
        revised(agent, memory, "Ann lives in Ptuj.", key="profile.home.city", value="Ptuj")

    assert not ContentKey.objects.filter(kid__in=_kids(subject)).exists()


def _kids(subject: Subject) -> list[str]:
    versions = Version.objects.filter(memory__scope__subject=subject, content__isnull=False)
    return list(versions.values_list("content__kid", flat=True))


STEPS = ["keep", "take", "write", *[f"store:{s.name}" for s in STORES], "build", "destroy"]


class Killed(BaseException):
    """The power went."""


def somebody(agent, cora, carl) -> ForgetRequest:
    a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city", value="Reykjavik")
    observe(Said(role="user", text=SAID, user="ann"), by=agent)
    indexed()
    return approved(Wish(Selector(user="ann")), cora, carl)


def assert_ended_once(request: ForgetRequest) -> None:
    assert (request.status, request.grounds) == ("complete", [])
    assert ForgetReport.objects.count() == 1
    assert ErasureJournal.objects.get().done_at is not None
    lines = {s.store: s for s in StoreRow.objects.all()}
    assert (lines["memories"].found, lines["memories"].erased, lines["memories"].left) == (2, 2, 0)
    assert (lines["observations"].found, lines["observations"].erased) == (1, 1)
    assert rebuild(apply=False).differences == []


def test_killed_after_every_step_in_turn_it_ends_once(agent, cora, carl, monkeypatch):
    request = somebody(agent, cora, carl)

    for step in STEPS:
        with monkeypatch.context() as patch:
            _kill_after(patch, step)
            with pytest.raises(Killed):
                run(request)

    assert_ended_once(run(request))


@pytest.mark.parametrize("step", ["store:memories", "store:keyring", "build"])
def test_killed_once_it_ends_the_same(agent, cora, carl, monkeypatch, step):
    request = somebody(agent, cora, carl)
    with monkeypatch.context() as patch:
        _kill_after(patch, step)
        with pytest.raises(Killed):
            run(request)

    assert_ended_once(run(request))


def _kill_after(monkeypatch, step: str) -> None:
    where = {"keep": needles, "take": execute.survey, "write": execute.journal, "build": report, "destroy": needles}
    if step.startswith("store:"):
        target, name = next(s for s in STORES if s.name == step[6:]), "erase"
    else:
        target, name = where[step], step
    done = getattr(target, name)

    def killing(*args, **kwargs):
        done(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(target, name, killing)


def test_a_store_that_fails_is_partial_and_done_when_it_is_well_again(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")
    request = approved(Wish(Selector(user="ann")), cora, carl)
    files = next(s for s in STORES if s.name == "index-files")

    def broken(reach):
        raise OSError("no such device")

    monkeypatch.setattr(files, "erase", broken)
    request = run(request)

    assert (request.status, request.grounds) == ("partial", ["store-failed:index-files"])
    assert StoreRow.objects.get(store="index-files").error == "OSError"
    monkeypatch.undo()
    request = run(resume(request, "tried-again"))
    assert (request.status, request.reports) == ("complete", 2)


def test_what_is_held_waits_until_the_hold_is_lifted(agent, tenant, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    request = approved(Wish(Selector(user="ann")), cora, carl)
    hold = place_hold(Covered(memory=memory.id), ground="litigation", by=cora)

    request = run(request)

    assert (request.status, request.grounds[-1:]) == ("partial", ["held"])
    assert not Memory.objects.get(pk=memory.pk).erased
    due = request.due_at
    lift_hold(hold, by=cora)
    resume_due(request.answered_at)
    worked_off()
    request = execute.fresh(request)
    assert (request.status, request.due_at) == ("complete", due)


def test_only_one_key_is_forgotten(agent, cora, carl):
    lived(agent)
    kept = a_memory(agent, "Ann works at night.", key="hours", value="night")
    indexed()

    request = run(approved(Wish(Selector(user="ann", keys=("profile.home.city",))), cora, carl))

    assert (request.status, request.grounds) == ("complete", [])
    assert find_subject(agent.tenant, "ann") is not None
    found = recall(Question(keys=("hours", "profile.home.city"), user="ann"), by=agent)
    assert [m.view.id for m in found.memories] == [kept.id]
    pet = Candidate.objects.get(status="pending")
    assert not sealing.unseal([pet.content_id])[pet.content_id].erased


def test_what_changed_since_the_approval_is_planned_and_approved_again(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city")
    request = approved(Wish(Selector(user="ann", keys=("profile.home.city",))), cora, carl)
    revised(agent, memory, "Ann lives in Ljubljana.", key="profile.home.city")

    again = run(request)

    assert again.status == "planned"
    assert again.plan_hash != request.plan_hash
    assert not Memory.objects.get(pk=memory.pk).erased


def test_retracting_leaves_the_words(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")

    request = run(approved(Wish(Selector(user="ann"), mode="retract"), cora, carl))

    assert request.status == "complete"
    assert Memory.objects.get(pk=memory.pk).slot is None
    assert find_subject(agent.tenant, "ann") is not None
    content = memory.versions.get(number=1).content_id
    assert not sealing.unseal([content])[content].erased


def test_looked_for_again_days_later(agent, cora, carl):
    a_memory(agent, "Ann lives in Reykjavik.")
    request = run(approved(Wish(Selector(user="ann")), cora, carl))

    request = verify_again(request)

    again = ForgetReport.objects.get(request=request, kind="again")
    assert (request.status, request.reports, again.document["sound"]) == ("complete", 2, True)
    assert rebuild(apply=False).differences == []


def test_a_report_that_was_tampered_with_is_refused(agent, cora, carl):
    a_memory(agent, "Ann lives in Reykjavik.")
    request = run(approved(Wish(Selector(user="ann")), cora, carl))
    written = ForgetReport.objects.get(request=request)
    handed = report.exported(written.document, written.sha256, written.signature)
    key = report.public_key()

    forged = {**handed, "report": {**handed["report"], "grounds": ["none at all"]}}

    assert report.check(handed, key) == []
    assert report.check(forged, key) != []
    assert report.check(handed, "00" * 32) != []
    assert report.check({}, key) != []


def test_who_was_given_it_through_a_summary_alone_is_told(agent, tenant, cora, carl):
    rita = a_member(tenant, "rita", "reviewer")
    texts = ("Ann flew to Rome in May.", "Ann missed the train to Naples.", "Ann liked the hotel in Bari.")
    episodes = [a_memory(agent, text, kind="episodic") for text in texts]
    proposed = summarise(episodes, by=rita)
    summary = candidates.approve(proposed, expected=proposed.version, by=rita).memory
    indexed()
    reader, late = an_agent(tenant), an_agent(tenant)
    recall(Question(memory_ids=(summary.id,), user="ann"), by=reader)

    request = run(approved(Wish(Selector(memory_ids=(episodes[1].id,))), cora, carl))
    recall(Question(memory_ids=(summary.id,), user="ann"), by=late)

    told = ForgetReport.objects.get(request=request).document["recipients"]
    assert [(line["agent"], line["memories"]) for line in told] == [(reader.agent, 1)]
    assert [n.memories for n in notices(unread(reader))] == [(summary.id,)]
    assert recipients(reach_of(request.plan.reach)) == {reader.agent: [summary.id]}


def test_a_summary_says_what_is_left_and_names_its_two_sources(agent, tenant, cora, carl):
    rita = a_member(tenant, "rita", "reviewer")
    texts = ("Ann flew to Rome in May.", "Ann missed the train to Naples.", "Ann liked the hotel in Bari.")
    episodes = [a_memory(agent, text, kind="episodic") for text in texts]
    proposed = summarise(episodes, by=rita)
    done = candidates.approve(proposed, expected=proposed.version, by=rita)
    summary = Memory.objects.get(pk=done.memory_id)
    old = summary.versions.get(number=summary.latest)
    indexed()

    request = run(approved(Wish(Selector(memory_ids=(episodes[1].id,))), cora, carl))

    summary.refresh_from_db()
    version = summary.versions.get(number=summary.latest)
    said = sealing.unseal([version.content_id])[version.content_id]["content"]
    assert (request.status, request.grounds) == ("complete", [])
    assert "Naples" not in said
    assert "Rome" in said and "Bari" in said
    named = summary.derivations.filter(version=summary.latest).values_list("source", flat=True)
    assert set(named) == {episodes[0].id, episodes[2].id}
    assert sealing.unseal([old.content_id])[old.content_id].erased
    assert not Entry.objects.filter(memory=summary, number=old.number).exists()
    assert StoreRow.objects.get(store="derived").erased > 0


def test_agents_that_were_given_it_are_told_by_ids(agent, cora, carl):
    memory = a_memory(agent, "Ann works at night.", key="hours")
    assert recall(Question(keys=("hours",), user="ann"), by=agent).memories

    request = run(approved(Wish(Selector(user="ann")), cora, carl))

    written = ForgetReport.objects.get(request=request).document
    told = next(n for n in notices(unread(agent)) if n.type == "recipient-told")
    assert [r["agent"] for r in written["recipients"]] == [agent.agent]
    assert memory.id in told.memories
    assert [(r["told"], r["acknowledged_at"]) for r in written["recipients"]] == [(True, None)]


def test_a_later_look_says_who_took_notice_and_when_and_nobody_is_told_twice(agent, tenant, cora, carl):
    other = an_agent(tenant)
    a_memory(agent, "Ann works at night.", key="hours")
    for by in (agent, other):
        recall(Question(keys=("hours",), user="ann"), by=by)
    request = run(approved(Wish(Selector(user="ann")), cora, carl))
    notice = next(n for n in notices(unread(agent)) if n.type == "recipient-told")

    acknowledged = acknowledge(notice.id, by=agent)
    acknowledge(notice.id, by=agent)
    request = verify_again(request)

    lines = {r["agent"]: r for r in ForgetReport.objects.get(request=request, kind="again").document["recipients"]}
    at = datetime.fromisoformat(lines[agent.agent]["acknowledged_at"])
    assert abs(at - acknowledged.at) < timedelta(seconds=5)
    assert lines[other.agent]["acknowledged_at"] is None
    assert Event.objects.filter(type="recipient-acknowledged").count() == 1
    assert Event.objects.filter(type="recipient-told").count() == 2
    assert rebuild(apply=False).differences == []


def test_somebody_under_a_hold_is_written_about_while_it_waits(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    request = approved(Wish(Selector(user="ann")), cora, carl)
    hold = place_hold(Covered(memory=memory.id), ground="litigation", by=cora)
    request = run(request)

    observe(Said(role="user", text="I moved to Ptuj.", user="ann"), by=agent)
    lift_hold(hold, by=cora)
    resume_due(request.answered_at)

    with pytest.raises(ForgetInProgress):
        observe(Said(role="user", text="I moved to Celje.", user="ann"), by=agent)
    worked_off()
    assert execute.fresh(request).status == "complete"
    assert rebuild(apply=False).differences == []


def test_what_retention_marked_as_due_is_filed_and_approved_like_any_other(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    assert file_due(by=cora) is None
    with writing(agent.tenant, by="system:sweep") as w:
        memories.age(w, memory, MemoryAged(demoted=True, archived=True, due=True, step="mark-due"))

    request = plan(file_due(by=cora))
    request = run(approve(request, plan_hash=request.plan_hash, by=carl))

    assert (request.status, request.identity) == ("complete", "not-needed")
    assert Memory.objects.get(pk=memory.pk).erased


def test_the_note_of_a_hold_that_is_over_and_who_asked_before_in_vain_go_with_the_person(agent, cora, carl):
    memory = a_memory(agent, "Ann lives in Reykjavik.")
    for covered in (Covered(user="ann"), Covered(memory=memory.id)):
        lift_hold(place_hold(covered, ground="litigation", note="Ann against the landlord.", by=cora), by=cora)
    before = [
        refuse(file_request(Wish(selector, requester="Ann Lee"), by=cora), ground="identity-not-shown", by=cora)
        for selector in (
            Selector(user="ann"),
            Selector(memory_ids=(memory.id,)),
            Selector(user="ann", words="Reykjavik"),
        )
    ]
    bobs = file_request(Wish(Selector(user="bob"), requester="Bob Lee"), by=cora)
    open_one = plan(
        verify_identity(file_request(Wish(Selector(user="ann", keys=("a.b",))), by=cora), method="document", by=cora)
    )

    request = run(approved(Wish(Selector(user="ann")), cora, carl))

    gone = [h.content_id for h in Hold.objects.all()] + [r.content_id for r in before]
    assert (request.status, request.grounds) == ("complete", [])
    assert all(words.erased for words in sealing.unseal(gone).values())
    assert not sealing.unseal([bobs.content_id])[bobs.content_id].erased
    assert execute.fresh(open_one).grounds == ["nothing-matched"]
    assert rebuild(apply=False).differences == []


def test_another_open_request_of_somebody_erased_ends_as_already_erased(agent, cora, carl):
    a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city")
    narrow = file_request(Wish(Selector(user="ann", keys=("profile.home.city",))), by=cora)
    run(approved(Wish(Selector(user="ann")), cora, carl))

    narrow = plan(verify_identity(narrow, method="document", by=cora))

    assert (narrow.status, narrow.grounds) == ("refused", ["already-erased"])


def test_what_was_asked_on_the_day_of_an_erasure_hinders_no_later_one(agent, cora, carl):
    lived(agent)
    a_memory(agent, "Ann speaks Slovene.", key="profile.language", value="Slovene")
    indexed()
    before = recall(Question(query="Which language does Ann speak?", keys=("profile.home.city",), user="ann"), by=agent)
    first = run(approved(Wish(Selector(user="ann", keys=("profile.home.city",))), cora, carl))
    recall(Question(query="Which language does Ann speak?", user="ann"), by=agent)

    asked = Recall.objects.get(pk=before.id).content_id
    assert sealing.unseal([asked])[asked].erased
    assert (first.status, verify_again(first).reports) == ("complete", 2)
    assert ForgetReport.objects.get(request=first, number=2).result == "sound"
    assert run(approved(Wish(Selector(user="ann")), cora, carl)).status == "complete"


def test_what_comes_into_the_index_after_the_plan_calls_for_no_new_one(agent, cora, carl):
    a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city", value="Reykjavik")
    request = approved(Wish(Selector(user="ann", keys=("profile.home.city",))), cora, carl)
    before = request.plan.reach["shards"]
    indexed()

    request = run(request)

    assert (request.status, request.grounds, before) == ("complete", [], [])
    assert reach_of(ForgetPlan.objects.get(request=request).reach).shards


def test_a_recall_in_the_middle_of_a_run_is_no_part_of_it_and_calls_for_no_new_plan(agent, cora, carl, monkeypatch):
    lived(agent)
    a_memory(agent, "Ann speaks Slovene.", key="profile.language", value="Slovene")
    indexed()
    request = approved(Wish(Selector(user="ann", keys=("profile.home.city",))), cora, carl)
    recall(Question(query="Where does Ann live?", keys=("profile.home.city",), user="ann"), by=agent)
    late, looked = [], execute._late

    def asking(*args):
        found = recall(Question(query="Which language does Ann speak?", user="ann"), by=agent)
        late.append(Recall.objects.get(pk=found.id).content_id)
        return looked(*args)

    monkeypatch.setattr(execute, "_late", asking)
    request = run(request)

    assert (request.status, request.grounds) == ("complete", [])
    assert not sealing.unseal(late)[late[0]].erased
