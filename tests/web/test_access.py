"""Binding rules, agents and keys, roles: who may, what it does, what the log says."""

import re

import pytest
from django.contrib.auth.models import User

from governance.errors import NotSignedIn
from governance.memories.models import Memory
from governance.memories.queries import views
from governance.scopes.models import Agent, ApiKey, Membership
from governance.scopes.queries import actor_of_key, system_tenant
from tests.web.people import a_member, signed_in

KEY = re.compile(r"mgv_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}")
WISHES = {"actions": ["recall", "propose"], "levels": ["user"]}


def text(response) -> str:
    return response.content.decode()


@pytest.fixture
def bot(tenant, adam) -> Agent:
    adam.post("/agents/create/", {"name": "bot", "owner": User.objects.get(username="adam").pk})
    return Agent.objects.get(name="bot")


def test_a_rule_is_set_changed_and_withdrawn(adam):
    adam.post("/binding-rules/set/", {"key": "conduct.pay", "rule": "Ask before paying."})
    adam.post("/binding-rules/set/", {"key": "conduct.pay", "rule": "Never pay."})

    rule = views(Memory.objects.all())[0]
    assert (rule.content, rule.version, rule.binding) == ("Never pay.", 2, True)
    assert "Never pay." in text(adam.get("/binding-rules/"))
    adam.post(f"/binding-rules/{rule.id}/withdraw/", {"version": 2})
    assert "No rule is set" in text(adam.get("/binding-rules/"))


def test_a_rule_is_withdrawn_at_the_version_one_has_seen(adam):
    adam.post("/binding-rules/set/", {"key": "conduct.pay", "rule": "Ask before paying."})
    rule = Memory.objects.get()

    response = adam.post(f"/binding-rules/{rule.id}/withdraw/", {"version": 5})

    assert response.status_code == 409
    assert Memory.objects.get().latest == 1


def test_a_reviewer_reads_rules_and_sets_none(rita, adam):
    adam.post("/binding-rules/set/", {"key": "conduct.pay", "rule": "Ask before paying."})

    assert "Ask before paying." in text(rita.get("/binding-rules/"))
    assert rita.post("/binding-rules/set/", {"key": "conduct.pay", "rule": "Pay."}).status_code == 403
    assert Memory.objects.get().latest == 1


def test_rules_of_the_reserved_tenant_are_shown_everywhere_and_changed_nowhere_else(adam):
    a_member(system_tenant(), "olga", "administrator")
    signed_in("olga").post("/binding-rules/set/", {"key": "conduct.law", "rule": "Keep to the law."})
    rule = Memory.objects.get()

    assert "Keep to the law." in text(adam.get("/binding-rules/"))
    assert adam.post(f"/binding-rules/{rule.id}/withdraw/", {"version": 1}).status_code == 404


def test_a_key_is_shown_once_and_works(adam, bot):
    answer = text(adam.post(f"/agents/{bot.id}/keys/", WISHES))

    secret = KEY.search(answer)[0]
    actor = actor_of_key(secret)
    assert {(g.action, g.level) for g in actor.grants} == {("recall", "user"), ("propose", "user")}
    assert secret not in text(adam.get(f"/agents/{bot.id}/"))


def test_a_key_is_bound_to_users_and_ends_on_a_day(adam, bot):
    adam.post(f"/agents/{bot.id}/keys/", {**WISHES, "users": "ann\nbob\n", "expires": "2099-12-31"})

    key = ApiKey.objects.get()
    assert len(key.users) == 2
    assert f"{key.expires_at:%Y-%m-%d %H:%M}" == "2100-01-01 00:00"
    assert "ann, bob" in text(adam.get(f"/agents/{bot.id}/")).replace("bob, ann", "ann, bob")


@pytest.mark.parametrize("wishes", [{}, {**WISHES, "levels": ["moon"]}, {**WISHES, "expires": "2001-01-01"}])
def test_a_key_with_wrong_wishes_is_not_issued(adam, bot, wishes):
    response = adam.post(f"/agents/{bot.id}/keys/", wishes)

    assert response.status_code == 422
    assert ">moon<" not in text(response)
    assert 'value="moon"' not in text(response)
    assert not ApiKey.objects.exists()


def test_a_revoked_key_is_refused(adam, bot):
    secret = KEY.search(text(adam.post(f"/agents/{bot.id}/keys/", WISHES)))[0]

    adam.post(f"/agents/{bot.id}/revoke/", {"key": ApiKey.objects.get().id})

    with pytest.raises(NotSignedIn):
        actor_of_key(secret)


def test_a_suspended_agent_s_keys_are_refused_until_it_is_resumed(adam, bot):
    secret = KEY.search(text(adam.post(f"/agents/{bot.id}/keys/", WISHES)))[0]

    adam.post(f"/agents/{bot.id}/suspend/", {"suspended": "yes"})

    with pytest.raises(NotSignedIn):
        actor_of_key(secret)
    adam.post(f"/agents/{bot.id}/suspend/", {"suspended": "no"})
    assert actor_of_key(secret).agent == bot.id


def test_two_agents_of_one_name_are_one_too_many(adam, bot):
    response = adam.post("/agents/create/", {"name": "bot", "owner": bot.owner_id})

    assert response.status_code == 409
    assert Agent.objects.filter(name="bot").count() == 1


def test_a_reviewer_issues_no_key(rita, bot):
    assert rita.post(f"/agents/{bot.id}/keys/", WISHES).status_code == 403
    assert not ApiKey.objects.exists()


def test_a_role_is_given_and_withdrawn(adam, tenant):
    User.objects.create_user("nora")

    adam.post("/roles/grant/", {"username": "nora", "role": "reviewer"})

    membership = Membership.objects.get(user__username="nora")
    assert signed_in("nora").get("/review/").status_code == 200
    adam.post("/roles/withdraw/", {"membership": membership.id})
    assert not Membership.objects.filter(user__username="nora").exists()


def test_a_name_nobody_has_is_refused_without_being_repeated(adam):
    response = adam.post("/roles/grant/", {"username": "no-such-person", "role": "reviewer"})

    assert response.status_code == 422
    problem = text(response).split('id="problems"')[1].split("</ul>")[0]
    assert "no-such-person" not in problem


def test_the_last_administrator_stays(adam):
    mine = Membership.objects.get(user__username="adam")

    response = adam.post("/roles/withdraw/", {"membership": mine.id})

    assert response.status_code == 403
    assert Membership.objects.filter(pk=mine.pk).exists()
