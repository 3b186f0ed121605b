"""Claims that cannot hold together: contested, asked about, answered, and taken back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from governance.candidates import actions
from governance.candidates.actions import Resolution
from governance.candidates.actions.observe import Said
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.conflicts import queries
from governance.conflicts.models import Claim, Conflict
from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound, Stale
from governance.ledger.rebuild import rebuild
from governance.memories import queries as memories
from governance.memories.models import Memory
from governance.memories.queries import Moment
from governance.policies.actions import publish
from governance.scopes import actions as scopes
from governance.scopes.models import Agent
from governance.scopes.queries import actor_of_member, agent_actor
from governance.scopes.rules import Actor, Grant, ScopeSpec
from tests import factories

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])
ANN = ScopeSpec("user", user="ann")
PAST = datetime(2026, 8, 1, tzinfo=UTC)


@pytest.fixture
def tenant():
    return factories.a_tenant()


def member(tenant, role: str) -> Actor:
    user = User.objects.create_user(f"{role}-{tenant.id[-4:]}")
    scopes.grant_role(tenant, user, role)
    return actor_of_member(user, tenant.id)


@pytest.fixture
def agent(tenant) -> Actor:
    """An agent whose key may speak for business systems and tools, with a policy that names an authority."""
    rule = {"id": "deployed", "pattern": "environment.*.database", "authority": "deploy-platform"}
    rule["labels"] = {"en": "database of this environment", "zh": "该环境的数据库"}
    publish({"key_rules": [rule]}, by=member(tenant, "administrator"))
    grants = [Grant(a, x) for a in ("observe", "propose", "recall", "revise") for x in ("user", "project")]
    made = factories.an_agent(tenant, grants=grants)
    key, _ = scopes.issue_key(
        Agent.objects.get(pk=made.agent), grants=grants, sources=["business_system", "tool_result", "project_document"]
    )
    return agent_actor(Agent.objects.get(pk=made.agent), key)


@pytest.fixture
def resolver(tenant) -> Actor:
    return member(tenant, "resolver")


def system_says(agent: Actor, key: str, value: str, *, reference: str = "deploy-platform@41", **more) -> Draft:
    turn = actions.observe(Said(role="tool", text=f"{key} is {value}", user="ann", extract=False), by=agent).observation
    return Draft(
        scope=ANN,
        kind="semantic",
        key=key,
        value=value,
        source_type="business_system",
        source_ref=reference,
        observation=turn.id,
        quote=f"{key} is {value}",
        observed_at=more.pop("observed_at", PAST),
        **more,
    )


def user_says(agent: Actor, key: str, value: str, **more) -> Draft:
    begins = more.get("valid_from")
    text = f"From {begins:%-d %B %Y} we use {value}" if begins else f"We always use {value}"
    heard = Said(role="user", text=text, user="ann", extract=False, occurred_at=more.get("observed_at"))
    turn = actions.observe(heard, by=agent).observation
    return Draft(
        scope=ANN,
        kind="semantic",
        key=key,
        value=value,
        source_type="user_explicit",
        observation=turn.id,
        quote=text,
        **more,
    )


@pytest.fixture
def conflict(agent) -> Conflict:
    held = actions.propose(system_says(agent, "environment.prod.database", "MySQL"), by=agent)
    assert held.status == "committed", held.verdicts
    actions.propose(user_says(agent, "environment.prod.database", "PostgreSQL"), by=agent)
    return Conflict.objects.get()


def now_says(memory: str) -> tuple[str, object]:
    view = memories.views([Memory.objects.get(pk=memory)])[0]
    return view.status, view.value


def test_dialogue_contradicts_an_authority_and_overwrites_nothing(conflict, agent):
    view = queries.views([conflict])[0]

    assert conflict.rule == "authority-contradicted"
    assert [c.value for c in view.claims] == ["MySQL", "PostgreSQL"]
    assert "MySQL" in view.question
    assert "PostgreSQL" in view.question
    assert now_says(conflict.memory_id) == ("conflicted", "MySQL")


def test_the_candidate_that_contested_is_decided_and_names_its_conflict(conflict):
    claim = Claim.objects.get(conflict=conflict, held_version=None)

    candidate = Candidate.objects.get(pk=claim.candidate)

    assert candidate.status == "merged"
    assert candidate.conflict == conflict.id


def test_other_environments_never_conflict(agent):
    actions.propose(system_says(agent, "environment.dev.database", "MySQL"), by=agent)

    actions.propose(system_says(agent, "environment.prod.database", "PostgreSQL"), by=agent)

    assert not Conflict.objects.exists()
    assert Memory.objects.count() == 2


def test_disjoint_validity_is_no_conflict(agent):
    change = datetime(2026, 9, 1, tzinfo=UTC)
    actions.propose(system_says(agent, "environment.prod.database", "MySQL", valid_to=change), by=agent)

    done = actions.propose(user_says(agent, "environment.prod.database", "PostgreSQL", valid_from=change), by=agent)

    assert done.status == "committed"
    assert not Conflict.objects.exists()
    memory = done.memory
    assert memories.views([memory], Moment(as_of=change - timedelta(days=7)))[0].value == "MySQL"
    assert memories.views([memory], Moment(as_of=change + timedelta(days=1)))[0].value == "PostgreSQL"


def test_a_later_word_of_the_user_replaces_a_document_without_an_authority(agent):
    document = system_says(agent, "team.database", "MySQL", reference="wiki")
    waits = actions.propose(Draft(**{**document.__dict__, "source_type": "project_document"}), by=agent)
    actions.approve(waits, expected=1, by=Actor(agent.tenant, "member:9", roles=frozenset({"reviewer"})))

    done = actions.propose(user_says(agent, "team.database", "PostgreSQL"), by=agent)

    assert done.status == "committed"
    assert now_says(done.memory_id) == ("active", "PostgreSQL")
    assert [v["code"] for v in done.verdicts if v["stage"] == "clash"] == ["supersedes"]


def test_a_guess_about_a_business_fact_waits_and_contests_nothing(agent):
    actions.propose(system_says(agent, "environment.prod.database", "MySQL"), by=agent)

    guess = actions.propose(
        Draft(scope=ANN, kind="semantic", key="environment.prod.database", value="Oracle"), by=agent
    )

    assert guess.status == "pending"
    assert not Conflict.objects.exists()


def test_a_third_claim_joins_the_conflict(conflict, agent):
    actions.propose(user_says(agent, "environment.prod.database", "MariaDB"), by=agent)

    assert Conflict.objects.count() == 1
    assert [c.value for c in queries.views(Conflict.objects.all())[0].claims] == ["MySQL", "PostgreSQL", "MariaDB"]


def test_keeping_the_other_claim_makes_it_the_value(conflict, resolver):
    claim = Claim.objects.get(conflict=conflict, held_version=None)

    done = actions.resolve(conflict, Resolution("keep", claim=claim.id), expected=conflict.version, by=resolver)

    assert done.status == "resolved"
    assert now_says(conflict.memory_id) == ("active", "PostgreSQL")


def test_keeping_what_was_held_writes_no_version(conflict, resolver):
    claim = Claim.objects.get(conflict=conflict, held_version=1)

    actions.resolve(conflict, Resolution("keep", claim=claim.id), expected=conflict.version, by=resolver)

    assert now_says(conflict.memory_id) == ("active", "MySQL")
    assert Memory.objects.get(pk=conflict.memory_id).latest == 1


def test_keeping_both_gives_one_of_them_a_key_of_its_own(conflict, resolver):
    claim = Claim.objects.get(conflict=conflict, held_version=None)
    split = Resolution("both", keys={claim.id: "environment.staging.database"})

    actions.resolve(conflict, split, expected=conflict.version, by=resolver)

    views = {v.key: v.value for v in memories.views(Memory.objects.all())}
    assert views == {"environment.prod.database": "MySQL", "environment.staging.database": "PostgreSQL"}


def test_keeping_both_gives_each_a_time_of_its_own(conflict, resolver):
    held, other = Claim.objects.filter(conflict=conflict).order_by("seq")
    change = datetime(2026, 11, 1, tzinfo=UTC)
    split = Resolution("both", periods={held.id: (PAST, change), other.id: (change, None)})

    actions.resolve(conflict, split, expected=conflict.version, by=resolver)

    memory = Memory.objects.get(pk=conflict.memory_id)
    assert memories.views([memory], Moment(as_of=change - timedelta(days=1)))[0].value == "MySQL"
    assert memories.views([memory], Moment(as_of=change))[0].value == "PostgreSQL"


def test_merging_writes_what_the_person_says(conflict, resolver):
    merged = Resolution("merge", value="MySQL, moving to PostgreSQL")

    actions.resolve(conflict, merged, expected=conflict.version, by=resolver)

    assert now_says(conflict.memory_id) == ("active", "MySQL, moving to PostgreSQL")


def test_keeping_none_retracts(conflict, resolver):
    actions.resolve(conflict, Resolution("none"), expected=conflict.version, by=resolver)

    assert now_says(conflict.memory_id)[0] == "retracted"


def test_asking_leaves_it_unsettled(conflict, resolver):
    done = actions.resolve(conflict, Resolution("ask"), expected=conflict.version, by=resolver)

    assert done.status == "asked"
    assert now_says(conflict.memory_id)[0] == "conflicted"


@pytest.mark.parametrize("choice", ["keep", "none", "merge"])
def test_a_resolution_can_be_taken_back(conflict, resolver, choice):
    claim = Claim.objects.get(conflict=conflict, held_version=None)
    chosen = {"keep": Resolution("keep", claim=claim.id), "none": Resolution("none")}
    done = actions.resolve(
        conflict, chosen.get(choice, Resolution("merge", value="either")), expected=conflict.version, by=resolver
    )

    reversed_ = actions.reverse(done, note="wrong environment", expected=done.version, by=resolver)

    assert reversed_.status == "reversed"
    assert now_says(conflict.memory_id) == ("conflicted", "MySQL")
    again = Conflict.objects.get(status="open")
    assert [c.value for c in queries.views([again])[0].claims if c.row.held_version is None] == ["PostgreSQL"]


def test_resolving_a_stale_item_is_refused_and_changes_nothing(conflict, resolver):
    with pytest.raises(Stale) as refused:
        actions.resolve(conflict, Resolution("none"), expected=conflict.version + 1, by=resolver)

    assert refused.value.extra["current_version"] == conflict.version
    assert now_says(conflict.memory_id)[0] == "conflicted"


def test_a_resolved_conflict_is_not_resolved_again(conflict, resolver):
    actions.resolve(conflict, Resolution("none"), expected=conflict.version, by=resolver)

    with pytest.raises(AlreadyDecided):
        actions.resolve(conflict, Resolution("none"), expected=conflict.version, by=resolver)


def test_only_a_resolver_resolves(conflict, tenant):
    with pytest.raises(NotAllowed):
        actions.resolve(conflict, Resolution("none"), expected=conflict.version, by=member(tenant, "auditor"))


def test_somebody_elses_conflict_is_not_there(conflict):
    stranger = member(factories.a_tenant(), "resolver")

    with pytest.raises(NotFound):
        actions.resolve(conflict, Resolution("none"), expected=conflict.version, by=stranger)


def test_the_users_answer_does_not_overrule_an_authority_without_a_person(conflict, agent):
    turn = actions.observe(
        Said(role="user", text="It is PostgreSQL now", user="ann", extract=False), by=agent
    ).observation
    claim = Claim.objects.get(conflict=conflict, held_version=None)

    after = actions.answer(
        conflict,
        choice=claim.id,
        value=None,
        observation=turn.id,
        quote="It is PostgreSQL now",
        expected=conflict.version,
        by=agent,
    )

    assert after.status == "asked"
    assert now_says(conflict.memory_id)[0] == "conflicted"


def test_the_users_answer_settles_what_only_time_and_trust_left_open(agent):
    actions.propose(user_says(agent, "team.database", "MySQL", observed_at=PAST), by=agent)
    tool = system_says(agent, "team.database", "PostgreSQL", reference="scan", observed_at=PAST + timedelta(days=9))
    actions.propose(Draft(**{**tool.__dict__, "source_type": "tool_result"}), by=agent)
    conflict = Conflict.objects.get()
    turn = actions.observe(Said(role="user", text="PostgreSQL it is", user="ann", extract=False), by=agent).observation
    claim = Claim.objects.get(conflict=conflict, held_version=None)

    after = actions.answer(
        conflict,
        choice=claim.id,
        value=None,
        observation=turn.id,
        quote="PostgreSQL it is",
        expected=conflict.version,
        by=agent,
    )

    assert after.status == "resolved"
    assert now_says(conflict.memory_id) == ("active", "PostgreSQL")


def test_an_answer_that_names_no_claim_is_refused(conflict, agent):
    with pytest.raises(Invalid):
        actions.answer(
            conflict, choice="claim_x", value=None, observation="", quote="", expected=conflict.version, by=agent
        )


def test_conflicts_are_the_fold_of_the_ledger(conflict, resolver):
    done = actions.resolve(conflict, Resolution("merge", value="both"), expected=conflict.version, by=resolver)
    actions.reverse(done, note="no", expected=done.version, by=resolver)

    assert rebuild(apply=False).differences == []
