"""What stays of the same person or scope is compared with what was erased; and what became of summaries of it."""

import pytest

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said, observe
from governance.erasure import execute
from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.rules import Selector
from governance.ledger.models import Content
from governance.lifecycle.actions import summarise
from governance.memories.models import Version
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_project, indexed
from tests.web.people import a_member

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
BOB = ScopeSpec("user", user="bob")


def carried_out(cora, carl, selector: Selector) -> tuple[ForgetRequest, dict]:
    """Return a request that has run, and the proof of its report."""
    request = plan(verify_identity(file_request(Wish(selector), by=cora), method="document", by=cora))
    request = run(approve(request, plan_hash=request.plan_hash, by=carl))
    return request, ForgetReport.objects.get(request=request).document["proof"]


def test_by_key_what_else_states_the_same_is_listed_and_may(agent, cora, carl):
    a_memory(agent, "Pet: parrot", key="pet", value="parrot")
    same = a_memory(agent, "Favourite animal: Parrot", key="preference.animal", value=" Parrot")
    a_memory(agent, "Favourite plant: fern", key="preference.plant", value="fern")
    a_memory(agent, "Pet: parrot", key="pet", value="parrot", scope=BOB)

    request, proof = carried_out(cora, carl, Selector(user="ann", keys=("pet",)))

    assert (request.status, request.grounds) == ("complete", [])
    assert proof["read_back"]["survivors"] == [{"id": f"{same.id}.1", "reason": "not-named"}]
    assert (proof["read_back"]["compared"], proof["read_back"]["unaccounted"]) == (2, 0)  # of Bob's nothing is read


def test_a_turn_that_stays_and_says_an_erased_sentence_is_listed(agent, cora, carl):
    meant = a_memory(agent, "Ann keeps a parrot.", key="pet")
    heard = observe(Said(role="user", text="So it is: ann keeps  a PARROT.", user="ann", extract=False), by=agent)

    request, proof = carried_out(cora, carl, Selector(memory_ids=(meant.id,)))

    assert request.status == "complete"
    assert proof["read_back"]["survivors"] == [{"id": heard.observation.id, "reason": "not-named"}]


def test_of_a_whole_person_nothing_that_stays_says_it(agent, cora, carl):
    a_memory(agent, "Ann keeps a parrot.", key="pet", value="parrot")
    a_memory(agent, "Bob keeps a parrot.", key="pet", value="parrot", scope=BOB)

    request, proof = carried_out(cora, carl, Selector(user="ann"))

    assert request.status == "complete"
    assert (proof["read_back"]["survivors"], proof["read_back"]["saying"]) == ([], 0)


def test_what_was_left_out_of_a_whole_scope_and_says_it_makes_the_report_partial(agent, cora, carl, monkeypatch):
    a_project(agent, "atlas", members=["ann"])
    atlas = ScopeSpec("project", project="atlas")
    a_memory(agent, "Atlas runs on ScyllaDB.", key="database", scope=atlas)
    missed = a_memory(agent, "Atlas runs on ScyllaDB.", key="store", scope=atlas)
    wish = Wish(Selector(scope=atlas))
    request = plan(verify_identity(file_request(wish, by=cora), method="document", by=cora))
    request = approve(request, plan_hash=request.plan_hash, by=carl)
    kept = request.plan.reach
    contents = set(Version.objects.filter(memory=missed).values_list("content", flat=True))
    kids = set(Content.objects.filter(pk__in=contents).values_list("kid", flat=True))
    kept["memories"].remove(missed.id)
    kept["kids"] = [k for k in kept["kids"] if k not in kids]
    kept["contents"] = {g: [c for c in ids if c not in contents] for g, ids in kept["contents"].items()}
    monkeypatch.setattr(execute, "reached", lambda *asked: execute.reach_of(kept))
    request.plan.save()

    request = run(request)

    proof = ForgetReport.objects.get(request=request).document["proof"]
    assert (request.status, request.grounds) == ("partial", ["proof:read_back"])
    assert {"id": f"{missed.id}.1", "reason": ""} in proof["read_back"]["survivors"]


@pytest.mark.parametrize("texts", [
    ("Ann flew to Rome in May.", "Ann missed the train to Naples.", "Ann liked the hotel in Bari."),
    ("Ann flew to Rome in May.", "Ann missed the train to Naples."),
])  # fmt: skip
def test_a_summary_is_named_with_the_sources_it_is_made_from_now_or_as_dropped(agent, tenant, cora, carl, texts):
    rita = a_member(tenant, "rita", "reviewer")
    episodes = [a_memory(agent, text, kind="episodic") for text in texts]
    proposed = summarise(episodes, by=rita)
    summary = candidates.approve(proposed, expected=proposed.version, by=rita).memory
    indexed()

    request, proof = carried_out(cora, carl, Selector(memory_ids=(episodes[1].id,)))

    summary.refresh_from_db()
    left = sorted(e.id for e in episodes if e != episodes[1])
    dropped = len(left) < 2
    line = {"memory": summary.id, "version": summary.latest, "sources": [] if dropped else left, "dropped": dropped}
    assert (request.status, request.grounds) == ("complete", [])
    assert proof["derived"] == {"holds": True, "derived": [line]}
    assert proof["read_back"]["survivors"] == []
