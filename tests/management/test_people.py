"""`create_agent` and `create_member`."""

import io
import sys

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from governance.scopes.actions import create_tenant, put_project
from governance.scopes.models import Agent, ApiKey, Membership, Tenant
from governance.scopes.queries import actor_of_key
from governance.scopes.rules import Actor, Grant, default_grants

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def create_agent(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_agent", "--tenant", "acme", "--name", "assistant", *arguments, stdout=out)
    return out.getvalue()


def test_the_key_alone_is_printed_and_works():
    printed = create_agent("--create-tenant")

    actor = actor_of_key(printed.rstrip("\n"))
    assert printed.count("\n") == 1
    assert actor.tenant == Tenant.objects.get(name="acme").id
    assert actor.grants == frozenset(default_grants())


def test_without_an_owner_an_administrator_without_a_password_answers_for_it():
    create_agent("--create-tenant")

    owner = Agent.objects.get().owner
    assert not owner.has_usable_password()
    assert Membership.objects.get(user=owner).role == "administrator"


def test_the_tenant_s_first_administrator_owns_what_names_no_owner():
    create_tenant("acme")
    call_command("create_member", "--tenant", "acme", "--username", "ada", "--role", "administrator")

    create_agent()

    assert Agent.objects.get().owner.get_username() == "ada"


def test_a_missing_tenant_is_refused_and_nothing_is_made():
    with pytest.raises(CommandError, match="no tenant of this name"):
        create_agent()

    assert not Tenant.objects.exists()


def test_an_owner_without_a_role_is_refused():
    create_tenant("acme")
    User.objects.create_user("stranger")

    with pytest.raises(CommandError, match="owner has no role"):
        create_agent("--owner", "stranger")

    assert not Agent.objects.exists()


def test_grants_name_a_project_as_callers_know_it():
    tenant = create_tenant("acme")
    project = put_project("P", by=Actor(tenant.id, "test"))

    actor = actor_of_key(create_agent("--grant", "recall-unattended:project:P").strip())

    assert actor.grants == {Grant("recall-unattended", "project", project.id)}


@pytest.mark.parametrize("grant", ["fly:user", "recall:moon", "recall:user:P", "recall:project:no-such"])
def test_a_grant_that_makes_no_sense_is_refused(grant: str):
    create_tenant("acme")

    with pytest.raises(CommandError):
        create_agent("--grant", grant)

    assert not ApiKey.objects.exists()


def test_a_key_is_bound_to_the_users_named():
    create_tenant("acme")

    actor = actor_of_key(create_agent("--user", "u1", "--user", "u2").strip())

    assert actor.users is not None
    assert len(actor.users) == 2


def test_a_member_is_made_with_the_password_from_standard_input(monkeypatch: pytest.MonkeyPatch):
    create_tenant("acme")
    monkeypatch.setattr(sys, "stdin", io.StringIO("a-long-enough-word\n"))

    call_command("create_member", "--tenant", "acme", "--username", "李静", "--role", "reviewer", "--password-stdin")

    assert User.objects.get(username="李静").check_password("a-long-enough-word")


def test_a_weak_password_is_refused_and_nobody_is_made(monkeypatch: pytest.MonkeyPatch):
    create_tenant("acme")
    monkeypatch.setattr(sys, "stdin", io.StringIO("short\n"))

    with pytest.raises(CommandError, match="password"):
        call_command("create_member", "--tenant", "acme", "--username", "rae", "--role", "reviewer", "--password-stdin")

    assert not User.objects.exists()
