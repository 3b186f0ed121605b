"""A request on its way to approval: filed, verified, planned, approved by somebody else, or refused."""

import time
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from governance.candidates.actions.observe import Said, observe
from governance.erasure import execute
from governance.erasure.actions import (
    approve,
    extend,
    file_request,
    narrow,
    plan,
    refuse,
    verify_identity,
)
from governance.erasure.actions.file import Wish
from governance.erasure.models import ForgetRequest
from governance.erasure.queries import case_of, plan_of, request_for, requests_of
from governance.erasure.rules import Selector, parse_selector
from governance.erasure.worker import let_go_of_refused
from governance.errors import FourEyes, Invalid, NotAllowed, NotFound, PlanChanged, WrongState
from governance.ledger import sealing
from governance.ledger.models import ContentKey, Event
from governance.ledger.outbox import drain
from governance.ledger.rebuild import rebuild
from governance.scopes.models import Subject
from governance.scopes.queries import actor_of_member, find_subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_conflict, a_memory, a_project, an_agent, indexed, revised
from tests.together import at_once
from tests.web.people import a_member

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])
BOB = ScopeSpec("user", user="bob")


def about_ann() -> Wish:
    return Wish(Selector(user="ann"), reason="She asked by letter.", requester="Ann Lee", channel="page")


def planned(wish: Wish, by, verifier) -> ForgetRequest:
    return plan(verify_identity(file_request(wish, by=by), method="document", by=verifier))


def test_it_is_received_with_its_due_date_and_its_words_sealed(agent, cora):
    a_memory(agent, "Ann works at night.")

    request = file_request(about_ann(), by=cora)

    assert (request.status, request.kinds, request.whole_person) == ("received", ["user"], True)
    assert request.due_at - request.received_at < timedelta(days=30, seconds=1)
    assert case_of(request, cora)["requester"] == "Ann Lee"
    header = bytes(Event.objects.get(stream=request.id).header)
    assert b"ann" not in header.lower().replace(b'"channel"', b"")


def test_the_plan_follows_by_itself_and_counts_every_store(agent, cora):
    memory = revised(agent, a_memory(agent, "Ann works at night.", key="hours"), "Ann works by day.", key="hours")
    a_conflict(agent, memory, "never")
    observe(Said(role="user", text="My favourite colour is green.", user="ann"), by=agent)
    a_memory(agent, "Bob works by day.", scope=BOB)
    indexed()
    request = verify_identity(file_request(about_ann(), by=cora), method="document", by=cora)

    drain("forget")

    request = request_for(cora, request.id)
    lines = {line["store"]: line for line in plan_of(request, cora).document["stores"]}
    assert request.status == "planned"
    assert lines["memories"]["erase"] >= 2
    assert lines["conflicts"]["erase"] == 2  # the claim and the question
    assert lines["observations"]["erase"] == 1
    assert lines["index-entries"]["erase"] >= 2
    assert lines["events"]["retain"] > 0
    assert plan_of(request, cora).samples[0].content == "Ann works by day."


def test_a_plan_touches_nothing(agent, cora):
    a_memory(agent, "Ann works at night.")
    before = find_subject(agent.tenant, "ann")

    request = planned(about_ann(), cora, cora)

    after = Subject.objects.get(pk=before.pk)
    assert (after.generation, after.fence, after.external_mac) == (1, "", before.external_mac)
    assert request.plan_hash == plan(request).plan_hash


def test_somebody_else_approves_exactly_that_plan(agent, cora, carl):
    a_memory(agent, "Ann works at night.")
    request = planned(about_ann(), cora, cora)

    with pytest.raises(FourEyes):
        approve(request, plan_hash=request.plan_hash, by=cora)
    with pytest.raises(PlanChanged):
        approve(request, plan_hash="0" * 64, by=carl)
    approved = approve(request, plan_hash=request.plan_hash, by=carl)

    assert (approved.status, approved.approved_by) == ("approved", carl.id)
    assert Subject.objects.get().fence == request.id
    assert rebuild(apply=False).differences == []


def test_a_new_memory_makes_another_plan(agent, cora, carl):
    a_memory(agent, "Ann works at night.")
    request = planned(about_ann(), cora, cora)
    looked_at = request.plan_hash
    a_memory(agent, "Ann rides a bicycle.")

    plan(request)

    with pytest.raises(PlanChanged):
        approve(request, plan_hash=looked_at, by=carl)


def test_who_owns_the_agent_that_filed_does_not_approve(agent, tenant, cora):
    a_memory(agent, "Ann works at night.")
    owner = User.objects.get(pk=agent.owner)
    a_member(tenant, owner.username, "compliance")
    request = planned(Wish(Selector(user="ann")), agent, cora)

    with pytest.raises(FourEyes):
        approve(request, plan_hash=request.plan_hash, by=actor_of_member(owner, tenant.id))

    assert request_for(cora, request.id).status == "planned"


def test_an_agent_files_for_whom_it_serves_and_may_attest(agent, tenant, cora):
    a_memory(agent, "Ann works at night.")

    request = file_request(Wish(Selector(user="ann"), identity_verified="agent-attested"), by=agent)

    assert (request.status, request.identity) == ("verified", "agent-attested")
    with pytest.raises(NotAllowed):
        file_request(Wish(Selector(user="ann")), by=an_agent(tenant))
    with pytest.raises(NotAllowed):
        file_request(Wish(Selector(user="ann")), by=a_member(tenant, "rita", "reviewer"))


def test_an_agent_bound_to_others_learns_nothing(agent, tenant, cora):
    a_memory(agent, "Ann works at night.")
    bound = an_agent(tenant, grants=[*agent.grants], users=["bob"])

    with pytest.raises(NotFound):
        file_request(Wish(Selector(user="ann")), by=bound)
    with pytest.raises(NotFound):
        file_request(Wish(Selector(user="zoe")), by=bound)

    assert not ForgetRequest.objects.exists()


def test_the_same_again_is_joined(agent, cora):
    a_memory(agent, "Ann works at night.")
    first = file_request(about_ann(), by=cora)

    second = file_request(Wish(Selector(user="ann"), channel="api"), by=agent)

    assert (second.id, second.joined) == (first.id, 1)


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_of_many_who_ask_the_same_at_once_one_files_and_the_rest_are_joined(agent, cora, monkeypatch):
    a_memory(agent, "Ann works at night.")
    keys, seal = ContentKey.objects.count(), sealing.seal

    def slowly(payload, **whose):
        time.sleep(0.3)
        return seal(payload, **whose)

    monkeypatch.setattr(sealing, "seal", slowly)

    made = at_once([lambda: file_request(about_ann(), by=cora)] * 6)

    request = ForgetRequest.objects.get()
    assert {r.id for r in made} == {request.id}
    assert request.joined == 5
    assert ContentKey.objects.count() == keys + 1
    assert rebuild(apply=False).differences == []


@pytest.mark.parametrize("selector", [Selector(user="zoe"), Selector(memory_ids=("mem_none",))])
def test_what_matches_nothing_is_refused_and_never_complete(agent, cora, selector):
    a_memory(agent, "Ann works at night.")

    request = file_request(Wish(selector, identity_verified="document"), by=cora)

    assert (request.status, request.grounds) == ("refused", ["nothing-matched"])


def test_refused_with_a_ground_and_extended_once(agent, cora):
    a_memory(agent, "Ann works at night.")
    request = file_request(about_ann(), by=cora)

    longer = extend(request, reason="complexity", by=cora)
    with pytest.raises(WrongState):
        extend(request, reason="complexity", by=cora)
    refused = refuse(request, ground="identity-not-shown", by=cora)

    assert longer.due_at - request.due_at == timedelta(days=60)
    assert (refused.status, refused.grounds) == ("refused", ["identity-not-shown"])
    with pytest.raises(WrongState):
        verify_identity(request, method="document", by=cora)
    assert rebuild(apply=False).differences == []


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_who_asked_stands_thirty_days_after_a_refusal_and_is_gone_then(agent, cora):
    a_memory(agent, "Ann works at night.")
    refused = refuse(file_request(about_ann(), by=cora), ground="identity-not-shown", by=cora)

    let_go_of_refused(refused.answered_at + timedelta(days=30) - timedelta(seconds=1))
    assert case_of(refused, cora)["requester"] == "Ann Lee"
    let_go_of_refused(refused.answered_at + timedelta(days=30))
    let_go_of_refused(refused.answered_at + timedelta(days=31))

    after = request_for(cora, refused.id)
    assert (after.status, after.grounds, bytes(after.selector_mac)) == ("refused", ["identity-not-shown"], b"")
    assert not case_of(after, cora)
    assert Event.objects.filter(stream=refused.id, type="contents-erased").count() == 1
    assert rebuild(apply=False).differences == []


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_a_keyring_that_could_not_be_written_anew_is_at_the_next_attempt(agent, cora, monkeypatch):
    a_memory(agent, "Ann works at night.")
    refused = refuse(file_request(about_ann(), by=cora), ground="identity-not-shown", by=cora)
    wiped = []

    def full(alias, tables):
        wiped.append(alias)
        if len(wiped) == 1:
            raise OSError("no space left")

    monkeypatch.setattr(execute, "wipe", full)
    with pytest.raises(OSError, match="no space"):
        let_go_of_refused(refused.answered_at + timedelta(days=30))
    let_go_of_refused(refused.answered_at + timedelta(days=30))

    assert wiped == ["keyring", "keyring"]
    assert bytes(request_for(cora, refused.id).selector_mac) == b""


def test_by_key_only_that_key_of_that_person(agent, cora):
    a_memory(agent, "Ann lives in Oslo.", key="profile.home.city")
    other = a_memory(agent, "Ann works at night.", key="hours")
    a_memory(agent, "Bob lives in Rome.", key="profile.home.city", scope=BOB)

    request = planned(Wish(Selector(user="ann", keys=("Profile.Home.City",))), cora, cora)

    reached = request.plan.reach["memories"]
    assert len(reached) == 1
    assert other.id not in reached
    assert request.plan.reach["subject"] == ""


def test_by_words_the_memory_and_the_turn_that_says_it(agent, cora):
    heard = observe(Said(role="user", text="I use PostgreSQL for everything.", user="ann", extract=False), by=agent)
    meant = a_memory(agent, "Ann uses PostgreSQL.", key="preference.database")
    spared = a_memory(agent, "Ann uses a bicycle.", key="preference.travel")

    request = planned(Wish(Selector(user="ann", words="forget that I use PostgreSQL")), cora, cora)

    reached = request.plan.reach
    assert reached["memories"] == [meant.id]
    assert heard.observation.id in reached["observations"]
    assert spared.id not in reached["memories"]


def test_words_in_chinese_and_words_that_mean_nothing_here(agent, cora):
    meant = a_memory(agent, "用户住在上海。", key="profile.home.city")
    a_memory(agent, "用户喜欢绿茶。", key="preference.tea")

    request = planned(Wish(Selector(user="ann", words="忘记我住在上海")), cora, cora)
    nothing = planned(Wish(Selector(user="ann", words="forget that I use MongoDB")), cora, cora)

    assert request.plan.reach["memories"] == [meant.id]
    assert (nothing.status, nothing.grounds) == ("refused", ["nothing-matched"])


def test_what_words_found_is_narrowed_by_whoever_looks_at_it(agent, cora):
    meant = a_memory(agent, "Ann likes green tea.", key="preference.tea")
    also = a_memory(agent, "Ann likes green walls.", key="preference.walls")
    request = planned(Wish(Selector(user="ann", words="forget that I like green")), cora, cora)
    assert set(request.plan.reach["memories"]) == {meant.id, also.id}

    plan(narrow(request, memories=[meant.id], by=cora))

    request = request_for(cora, request.id)
    assert (request.status, request.plan.reach["memories"]) == ("planned", [meant.id])


def test_a_project_is_named_by_its_scope(agent, cora):
    a_project(agent, "atlas", members=["ann"])
    theirs = a_memory(agent, "Atlas runs on PostgreSQL.", scope=ScopeSpec("project", project="atlas"))
    a_memory(agent, "Ann works at night.")

    request = planned(Wish(Selector(scope=ScopeSpec("project", project="atlas"))), cora, cora)

    assert request.plan.reach["memories"] == [theirs.id]


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ({}, "/selector"),
        ("ann", "/selector"),
        ({"keys": ["a"]}, "/selector/keys"),
        ({"words": "tea"}, "/selector/words"),
        ({"user": "ann", "memory_ids": ["m"]}, "/selector/memory_ids"),
        ({"user": "ann", "scope": {"level": "user", "user": "ann"}}, "/selector/scope"),
        ({"usr": "ann"}, "/selector"),
        ({"user": 1}, "/selector/user"),
        ({"user": "ann", "keys": "a"}, "/selector/keys"),
        ({"user": "ann", "keys": ["a", ""]}, "/selector/keys/1"),
        ({"user": "ann", "words": "\u200b"}, "/selector/words"),
        ({"memory_ids": [" "]}, "/selector/memory_ids/0"),
    ],
)
def test_a_selector_that_names_nothing_certain_is_refused(raw, pointer):
    with pytest.raises(Invalid) as refusal:
        parse_selector(raw)

    assert refusal.value.errors[0]["pointer"] == pointer


def test_staff_see_what_is_due_first_and_agents_their_own(agent, tenant, cora):
    a_memory(agent, "Ann works at night.")
    a_memory(agent, "Bob works by day.", scope=BOB)
    mine = file_request(Wish(Selector(user="bob")), by=agent)
    theirs = file_request(about_ann(), by=cora)
    extend(mine, reason="complexity", by=cora)

    assert [r.id for r in requests_of(cora)] == [theirs.id, mine.id]
    assert [r.id for r in requests_of(agent)] == [mine.id]
    with pytest.raises(NotFound):
        request_for(agent, theirs.id)
