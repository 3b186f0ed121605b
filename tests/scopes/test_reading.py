"""Which scopes a caller reads: leaving a part out never widens, unknown and forbidden look the same."""

import pytest
from django.contrib.auth.models import User

from governance.errors import Invalid, NotAllowed, NotFound, NotSignedIn
from governance.scopes import actions, queries
from governance.scopes.models import Scope, Subject
from governance.scopes.rules import Actor, Grant, ScopeSpec

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


@pytest.fixture
def agent():
    tenant = actions.create_tenant("acme")
    owner = User.objects.create_user("olga")
    actions.grant_role(tenant, owner, "administrator")
    return actions.create_agent(tenant, "helper", owner=owner)


@pytest.fixture
def actor(agent) -> Actor:
    _, text = actions.issue_key(agent)
    return queries.actor_of_key(text)


def manager(actor: Actor) -> Actor:
    return Actor(tenant=actor.tenant, id=actor.id, agent=actor.agent, grants=frozenset({Grant("manage", "project")}))


def test_siblings_with_like_names_never_meet(actor):
    one = actions.open_scope(ScopeSpec("user", user="u1"), by=actor)
    other = actions.open_scope(ScopeSpec("user", user="u11"), by=actor)

    assert one.id in queries.readable(actor, user="u1").ids
    assert other.id not in queries.readable(actor, user="u1").ids


@pytest.mark.parametrize(("one", "other"), [("a:b", "a/b"), ("100%", "100_"), ("..", "."), ("A", "a"), ("u 1", "u1")])
def test_ids_are_compared_byte_for_byte(actor, one, other):
    actions.open_scope(ScopeSpec("user", user=one), by=actor)

    assert queries.readable(actor, user=other).subject is None


def test_naming_nobody_is_refused(actor):
    with pytest.raises(Invalid):
        queries.readable(actor)


def test_a_project_without_a_user_is_refused(actor):
    actions.put_project("payments", by=manager(actor))

    with pytest.raises(Invalid):
        queries.readable(actor, project="payments")


def test_somebody_outside_a_project_finds_it_no_more_than_a_project_that_is_not_there(actor):
    actions.put_project("payments", by=manager(actor))

    with pytest.raises(NotFound):
        queries.readable(actor, user="u1", project="payments")
    with pytest.raises(NotFound):
        queries.readable(actor, user="u1", project="nowhere")


def test_a_participant_reads_the_project_and_not_another(actor):
    actions.put_project("payments", by=manager(actor))
    actions.put_project("search", by=manager(actor))
    actions.set_participant("payments", "u1", True, by=manager(actor))

    levels = [s.level for s in queries.readable(actor, user="u1", project="payments").scopes]

    assert levels == ["project"]
    with pytest.raises(NotFound):
        queries.readable(actor, user="u1", project="search")


def test_a_key_bound_to_one_user_finds_no_other(agent):
    _, text = actions.issue_key(agent, users=["u1"])
    bound = queries.actor_of_key(text)

    assert queries.readable(bound, user="u1").subject is not None
    with pytest.raises(NotFound):
        queries.readable(bound, user="u2")


def test_reading_about_somebody_never_seen_leaves_no_trace(actor):
    found = queries.readable(actor, user="nobody")

    assert found.scopes == ()
    assert not Subject.objects.exists()


def test_opening_a_scope_twice_gives_one(actor):
    one = actions.open_scope(ScopeSpec("session", user="u1", session="s1"), by=actor)
    other = actions.open_scope(ScopeSpec("session", user="u1", session="s1"), by=actor)

    assert one == other
    assert Scope.objects.filter(level="session").count() == 1


def test_a_revoked_key_is_refused_at_the_next_request(agent):
    row, text = actions.issue_key(agent)
    owner = queries.actor_of_member(agent.owner, agent.tenant_id)

    actions.revoke_key(row, by=owner)

    with pytest.raises(NotSignedIn):
        queries.actor_of_key(text)


def test_a_suspended_agents_keys_are_refused_until_it_is_resumed(agent):
    _, text = actions.issue_key(agent)
    owner = queries.actor_of_member(agent.owner, agent.tenant_id)

    actions.suspend_agent(agent, True, by=owner)
    with pytest.raises(NotSignedIn):
        queries.actor_of_key(text)
    actions.suspend_agent(agent, False, by=owner)

    assert queries.actor_of_key(text).agent == agent.id


def test_the_last_administrator_keeps_the_role(agent):
    owner = queries.actor_of_member(agent.owner, agent.tenant_id)

    with pytest.raises(NotAllowed):
        actions.withdraw_role(agent.owner.memberships.get(), by=owner)
