"""Proposals through their actions: policy answers, people answer, nothing is written twice or half."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest
import time_machine
from django.contrib.auth.models import User

from governance.candidates import actions, queries, waiting
from governance.candidates.actions.observe import Said
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound, Retracted, Stale, outcome
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.memories import queries as memories
from governance.memories.models import Evidence, Memory, Version
from governance.memories.queries import Moment
from governance.policies.actions import publish
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Actor, Grant, ScopeSpec
from tests import factories
from tests.together import at_once

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])
ANN = ScopeSpec("user", user="ann")


@pytest.fixture
def tenant():
    return factories.a_tenant()


GRANTS = [
    Grant(a, x) for a in ("observe", "propose", "recall", "revise", "retract") for x in ("session", "user", "project")
]


@pytest.fixture
def agent(tenant) -> Actor:
    return factories.an_agent(tenant, grants=[*GRANTS, Grant("manage", "project")])


@pytest.fixture
def reviewer(tenant) -> Actor:
    user = User.objects.create_user("rita")
    scopes.grant_role(tenant, user, "reviewer")
    return actor_of_member(user, tenant.id)


def said(agent: Actor, text: str, **more) -> str:
    more.setdefault("user", "ann")
    return actions.observe(Said(role="user", text=text, extract=False, **more), by=agent).observation.id


def explicit(agent: Actor, key: str, value: str, text: str, **more) -> Draft:
    return Draft(
        scope=more.pop("scope", ANN),
        kind="semantic",
        key=key,
        value=value,
        source_type="user_explicit",
        observation=said(agent, text),
        quote=text,
        **more,
    )


def guess(content: str = "Ann may like tea", **more) -> Draft:
    return Draft(scope=more.pop("scope", ANN), kind="episodic", content=content, **more)


def test_a_grounded_word_of_the_user_commits(agent):
    candidate = actions.propose(explicit(agent, "language", "English", "Please always answer in English"), by=agent)

    assert candidate.status == "committed"
    view = memories.views([candidate.memory])[0]
    assert (view.value, view.version, view.reason, view.status) == ("English", 1, "created", "active")


def test_an_agents_guess_waits_for_a_person(agent):
    candidate = actions.propose(guess(confidence=0.99), by=agent)

    assert candidate.status == "pending"
    assert candidate.confidence <= 0.4
    assert not Memory.objects.exists()


def test_a_claim_to_be_the_users_word_without_the_word_is_a_guess(agent):
    draft = Draft(scope=ANN, kind="semantic", key="age", value=41, source_type="user_explicit", quote="I am 41")

    candidate = actions.propose(draft, by=agent)

    assert candidate.source_type == "agent_guess"
    assert candidate.status == "pending"


def test_a_quote_of_somebody_else_is_nothing_about_this_user(agent):
    bens = said(agent, "Please always answer in English", user="ben")
    draft = Draft(
        scope=ANN,
        kind="semantic",
        key="language",
        value="English",
        source_type="user_explicit",
        observation=bens,
        quote="always answer in English",
    )

    candidate = actions.propose(draft, by=agent)

    assert candidate.status in ("pending", "rejected")
    assert not Memory.objects.exists()


@pytest.mark.parametrize("source", ["business_system", "tool_result", "project_document"])
def test_a_source_the_key_was_not_granted_is_a_guess(agent, source):
    draft = Draft(scope=ANN, kind="semantic", key="payment.state", value="paid", source_type=source)

    assert actions.propose(draft, by=agent).source_type == "agent_guess"


@pytest.mark.parametrize(
    ("key", "source", "ref", "status"),
    [
        ("drink", "tool_result", "scan@1", "pending"),
        ("drink", "project_document", "wiki", "pending"),
        ("drink", "business_system", "crm", "committed"),
        ("scan.result", "tool_result", "", "committed"),
        ("deployed.version", "tool_result", "deploy-platform@41", "committed"),
        ("deployed.version", "tool_result", "another", "pending"),
    ],
)
def test_what_a_tool_or_a_document_says_waits_unless_the_key_s_rule_names_it(tenant, agent, key, source, ref, status):
    rules = [
        {"id": "scans", "pattern": "scan.*", "labels": {"en": "scan", "zh": "扫描"}, "authority": "tool_result"},
        {
            "id": "deployed",
            "pattern": "deployed.*",
            "labels": {"en": "deployed", "zh": "部署"},
            "authority": "deploy-platform",
        },
    ]
    publish({"key_rules": rules}, by=Actor(tenant.id, "member:1", roles=frozenset({"administrator"})))
    by = replace(agent, sources=frozenset({source}))
    heard = actions.observe(Said(role="tool", text=f"{key}: green", user="ann", extract=False), by=by).observation
    draft = Draft(
        scope=ANN, kind="semantic", key=key, value="green", source_type=source, source_ref=ref, observation=heard.id,
        quote=f"{key}: green",
    )  # fmt: skip

    made = actions.propose(draft, by=by)

    assert (made.status, made.source_type) == (status, source)
    assert Memory.objects.exists() is (status == "committed")


def test_the_same_twice_is_one_memory_with_more_evidence(agent):
    first = actions.propose(explicit(agent, "language", "English", "Always answer in English"), by=agent)

    again = actions.propose(explicit(agent, "Language", "english ", "English, as always"), by=agent)

    assert again.status == "merged"
    assert again.memory_id == first.memory_id
    assert Memory.objects.count() == 1
    assert Evidence.objects.filter(memory=first.memory).count() == 1


def test_one_turn_brought_twice_is_one_piece_of_evidence(agent):
    draft = explicit(agent, "language", "English", "Always answer in English")
    actions.propose(draft, by=agent)

    actions.propose(draft, by=agent)
    actions.propose(draft, by=agent)

    assert Evidence.objects.count() == 0


def test_a_proposal_that_waits_already_is_one_item(agent):
    first = actions.propose(guess(), by=agent)

    again = actions.propose(guess("ann may like TEA."), by=agent)

    assert again.status == "merged"
    assert again.duplicate_of == first.id
    assert queries.echoes([first]) == {first.id: 1}


def test_a_secret_is_stored_nowhere(agent):
    draft = guess("The key is AKIAIOSFODNN7EXAMPLE, keep it")

    candidate = actions.propose(draft, by=agent)

    assert candidate.status == "rejected"
    assert "AKIA" not in str(queries.views([candidate])[0].words._payload)


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_an_empty_value_is_refused_and_nothing_changes(agent, value):
    with pytest.raises(Invalid) as refused:
        actions.propose(Draft(scope=ANN, kind="semantic", key="k", value=value), by=agent)

    assert refused.value.errors[0]["pointer"] == "/value"
    assert not Candidate.objects.exists()


@pytest.mark.parametrize("field", ["key", "content", "about", "context"])
@pytest.mark.parametrize("unseen", ["   ", "\u200b", "\ufeff", "\n"])
def test_words_nobody_can_see_are_refused_by_name(agent, field, unseen):
    said = {"key": "k", "value": 1, field: unseen}
    with pytest.raises(Invalid) as refused:
        actions.propose(Draft(scope=ANN, kind="semantic", **said), by=agent)

    assert refused.value.errors[0]["pointer"] == f"/{field}"
    assert not Candidate.objects.exists()


@pytest.mark.parametrize("value", [0, False])
def test_zero_and_false_are_values(agent, value):
    assert actions.propose(Draft(scope=ANN, kind="semantic", key="k", value=value), by=agent).status == "pending"


def test_a_dry_run_stores_nothing(agent):
    before = Event.objects.count()

    preview = actions.propose(guess(), by=agent, dry_run=True)

    assert preview.outcome == "review"
    assert preview.verdicts
    assert Event.objects.count() == before


def test_a_plain_date_ends_at_the_speakers_midnight(agent):
    shanghai = timezone(timedelta(hours=8))
    draft = explicit(
        agent,
        "project.database",
        "MySQL",
        "We always use MySQL until 31 August",
        observed_at=datetime(2026, 8, 20, 10, tzinfo=shanghai),
        valid_to=date(2026, 8, 31),
    )

    candidate = actions.propose(draft, by=agent)

    assert candidate.valid_to == datetime(2026, 9, 1, 0, tzinfo=shanghai)


def test_approving_remembers_and_says_who(agent, reviewer):
    candidate = actions.propose(guess(), by=agent)

    done = actions.approve(candidate, expected=1, by=reviewer)

    assert done.status == "committed"
    assert done.decided_by == reviewer.id
    assert Memory.objects.get().id == done.memory_id


def test_a_decision_on_another_version_is_refused_and_changes_nothing(agent, reviewer):
    candidate = actions.propose(guess(), by=agent)

    with pytest.raises(Stale) as refused:
        actions.approve(candidate, expected=2, by=reviewer)

    assert refused.value.extra["current_version"] == 1
    assert not Memory.objects.exists()


def test_a_second_decision_is_told_who_decided(agent, reviewer):
    candidate = actions.propose(guess(), by=agent)
    actions.reject(candidate, expected=1, by=reviewer, reason="not-true")

    with pytest.raises(AlreadyDecided) as refused:
        actions.approve(candidate, expected=1, by=reviewer)

    assert refused.value.extra["decided_by"] == reviewer.id


def test_an_approval_on_ground_that_moved_is_refused_and_the_item_says_so(agent, reviewer):
    waiting = actions.propose(Draft(scope=ANN, kind="semantic", key="language", value="French"), by=agent)
    actions.propose(explicit(agent, "language", "English", "Always answer in English"), by=agent)

    with pytest.raises(Stale):
        actions.approve(waiting, expected=1, by=reviewer)

    waiting.refresh_from_db()
    assert waiting.version == 2
    assert [v["code"] for v in waiting.verdicts if v["stage"] == "ground"] == ["moved"]
    assert actions.approve(waiting, expected=2, by=reviewer).memory_version == 2


def test_a_rejection_keeps_its_reason_and_note(agent, reviewer):
    candidate = actions.propose(guess(), by=agent)

    actions.reject(candidate, expected=1, by=reviewer, reason="unclear", note="which tea?")

    candidate.refresh_from_db()
    assert candidate.decision_reason == "unclear"
    assert queries.views([candidate])[0].note == "which tea?"


def test_an_edited_approval_is_the_reviewers_word(agent, reviewer):
    candidate = actions.propose(guess(), by=agent)

    done = actions.edit_and_approve(candidate, expected=1, by=reviewer, changes={"content": "Ann likes green tea"})

    view = memories.views([done.memory])[0]
    assert view.content == "Ann likes green tea"
    assert view.source_type == "reviewer"


def test_many_are_answered_one_by_one(agent, reviewer):
    one, two = actions.propose(guess("a thing"), by=agent), actions.propose(guess("another thing"), by=agent)

    results = actions.approve_many([(one.id, 1), (two.id, 7), ("cand_unknown", 1)], by=reviewer)

    assert [type(r).__name__ for r in results] == ["Candidate", "Stale", "NotFound"]


def test_an_auditor_decides_nothing(agent, tenant):
    user = User.objects.create_user("aud")
    scopes.grant_role(tenant, user, "auditor")
    candidate = actions.propose(guess(), by=agent)

    with pytest.raises(NotAllowed):
        actions.approve(candidate, expected=1, by=actor_of_member(user, tenant.id))

    assert not Memory.objects.exists()


def test_a_reviewer_of_one_project_sees_no_other(agent, tenant):
    project = scopes.put_project("payments", by=agent)
    user = User.objects.create_user("pia")
    scopes.grant_role(tenant, user, "reviewer", projects=[project.id])
    limited = actor_of_member(user, tenant.id)
    personal = actions.propose(guess(), by=agent)
    shared = actions.propose(guess("Payments uses MySQL", scope=ScopeSpec("project", project="payments")), by=agent)

    assert [c.id for c in waiting.queue(limited)] == [shared.id]
    with pytest.raises(NotFound):
        actions.approve(personal, expected=1, by=limited)


def test_a_user_confirms_what_an_agent_guessed(agent):
    candidate = actions.propose(Draft(scope=ANN, kind="semantic", key="drink", value="tea"), by=agent)
    yes = said(agent, "Yes, I always drink tea")

    done = actions.confirm(candidate, observation=yes, quote="I always drink tea", by=agent)

    assert done.status == "committed"
    assert done.source_type == "user_explicit"


def test_a_correction_makes_a_version_and_takes_the_start_of_the_first(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory
    turn = said(agent, "No, English")

    change = Change(
        1, {"value": "English"}, source_type="user_explicit", observation=turn, quote="English", reason="correction"
    )
    done = actions.revise(memory, change, by=agent)

    assert done.status == "committed"
    history = memories.history(Memory.objects.get(pk=memory.id))
    assert [(v.version, v.reason) for v in history] == [(1, "created"), (2, "correction")]
    start = history[0].valid_from
    assert memories.views([done.memory], Moment(as_of=start))[0].value == "English"
    then = Moment(as_of=start, known_at=history[0].recorded_at)
    assert memories.views([done.memory], then)[0].value == "中文"


def test_a_revision_of_another_version_is_refused(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory

    with pytest.raises(Stale) as refused:
        actions.revise(memory, Change(7, {"value": "English"}), by=agent)

    assert refused.value.extra["current_version"] == 1
    assert Version.objects.count() == 1


def test_a_guess_about_a_memory_changes_nothing_yet(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory

    done = actions.revise(memory, Change(1, {"value": "English"}), by=agent)

    assert done.status == "pending"
    assert Version.objects.count() == 1


def test_retracting_leaves_a_tombstone_and_frees_the_key(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory

    actions.retract(memory, Change(1), by=agent)

    memory.refresh_from_db()
    assert memory.latest == 2
    assert memories.views([memory])[0].status == "retracted"
    with pytest.raises(Retracted):
        actions.retract(memory, Change(2), by=agent)
    again = actions.propose(explicit(agent, "language", "中文", "还是用中文回答我，以后都这样"), by=agent)
    assert again.memory_id != memory.id


def test_an_old_version_is_restored_as_a_new_one(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory
    turn = said(agent, "No, English")
    change = Change(1, {"value": "English"}, source_type="user_explicit", observation=turn, quote="English")
    actions.revise(memory, change, by=agent)
    memory.refresh_from_db()

    done = actions.restore(memory, Change(2), 1, by=agent)

    view = memories.views([Memory.objects.get(pk=memory.id)])[0]
    assert done.status == "committed"
    assert (view.version, view.reason, view.value) == (3, "restored", "中文")


def test_a_projects_memory_is_retracted_by_a_person_alone(agent, reviewer):
    scopes.put_project("payments", by=agent)
    waiting = actions.propose(guess("Payments uses MySQL", scope=ScopeSpec("project", project="payments")), by=agent)
    memory = actions.approve(waiting, expected=1, by=reviewer).memory

    asked = actions.retract(memory, Change(1), by=agent)

    assert asked.status == "pending"
    assert memories.views([memory])[0].status == "active"
    assert actions.approve(asked, expected=1, by=reviewer).status == "committed"
    assert memories.views([Memory.objects.get(pk=memory.id)])[0].status == "retracted"


def test_what_waited_too_long_expires(agent):
    candidate = actions.propose(guess(), by=agent)

    with time_machine.travel(candidate.created_at + timedelta(days=31), tick=False):
        assert actions.expire_due() == 1

    candidate.refresh_from_db()
    assert candidate.status == "expired"


def test_everything_that_was_done_is_in_the_ledger(agent, reviewer):
    one, two = actions.propose(guess("a thing"), by=agent), actions.propose(guess("another"), by=agent)
    actions.approve(one, expected=1, by=reviewer)
    actions.reject(two, expected=1, by=reviewer, reason="unclear", note="what?")
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory
    actions.retract(memory, Change(1), by=agent)

    assert rebuild(apply=False).differences == []


@pytest.mark.django_db(databases=["default", "keyring"], transaction=True)
def test_identical_proposals_in_parallel_give_one_memory(agent):
    drafts = [explicit(agent, f"preference.{n}", f"value {n}", f"I always want value {n}") for n in range(8)]

    results = [made for draft in drafts for made in at_once([lambda draft=draft: actions.propose(draft, by=agent)] * 2)]

    assert Memory.objects.count() == 8
    assert sorted(r.status for r in results) == ["committed"] * 8 + ["merged"] * 8


@pytest.mark.django_db(databases=["default", "keyring"], transaction=True)
def test_of_two_revisions_at_once_one_is_told_the_others_version(agent):
    memory = actions.propose(explicit(agent, "language", "中文", "以后请用中文"), by=agent).memory
    turn = said(agent, "English or French")

    def revise(value: str):
        change = Change(1, {"value": value}, source_type="user_explicit", observation=turn, quote=value)
        return outcome(lambda: actions.revise(memory, change, by=agent))

    outcomes = at_once([lambda: revise("English"), lambda: revise("French")])

    assert sorted(type(o).__name__ for o in outcomes) == ["Candidate", "Stale"]
    assert Version.objects.filter(memory=memory).count() == 2


def test_a_no_confirms_nothing_and_leaves_no_trace(agent):
    candidate = actions.propose(Draft(scope=ANN, kind="semantic", key="drink", value="tea"), by=agent)
    no = said(agent, "No, that is wrong")
    before = Event.objects.count()

    with pytest.raises(Invalid):
        actions.confirm(candidate, observation=no, quote="No, that is wrong", by=agent)

    assert Event.objects.count() == before


def test_a_secret_under_a_key_that_names_it_is_stored_nowhere(agent):
    draft = Draft(scope=ANN, kind="semantic", key="wifi.password", value="Xq9zzhunter2", content="It is Xq9zzhunter2.")

    candidate = actions.propose(draft, by=agent)

    assert candidate.status == "rejected"
    assert "hunter2" not in str(queries.views([candidate])[0].words._payload)


@pytest.mark.parametrize("value", [" ", "\u200b", "\u3000\n", "\u3164"])
def test_blanks_are_no_value(agent, value):
    with pytest.raises(Invalid):
        actions.propose(Draft(scope=ANN, kind="semantic", key="drink", value=value), by=agent)


@pytest.mark.parametrize(
    ("text", "status"),
    [("use Go this time", "event_only"), ("Should I perhaps use Go?", "pending"), ("No, it is Go", "committed")],
)
def test_a_correction_rests_on_words_that_say_it_lasts(agent, text, status):
    made = actions.propose(explicit(agent, "code.language", "Python", "I always use Python"), by=agent)

    change = Change(
        expected=1, fields={"value": "Go"}, source_type="user_explicit", observation=said(agent, text), quote=text
    )
    done = actions.revise(made.memory, change, by=agent)

    assert done.status == status


def test_changes_that_differ_are_items_of_their_own(agent):
    made = actions.propose(explicit(agent, "drink", "tea", "I always drink tea"), by=agent)

    several = [
        actions.revise(made.memory, Change(expected=1, fields=fields), by=agent)
        for fields in (
            {"confidence": 0.1},
            {"kind": "procedural"},
            {"always": True},
            {"tags": ("a",)},
            {"tags": ("a",)},
        )
    ]

    assert [c.status for c in several] == ["pending", "pending", "pending", "pending", "merged"]
