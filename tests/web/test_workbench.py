"""The Workbench: what an agent would be given is shown to administrators alone, is an event, and leaves no words behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.ledger.models import Event
from governance.policies.actions import publish
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.retrieval.models import Recall
from governance.scopes.actions import revoke_key, suspend_agent
from governance.scopes.queries import living_keys
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, an_agent, indexed, revised
from tests.isolation import fresh_index
from tests.web.people import a_member, signed_in


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def adam(tenant):
    return a_member(tenant, "adam", "administrator")


def tried(agent, **said):
    """Return the answer to a form sent by the administrator."""
    form = {"key": agent.key, "user": "ann", "query": "green tea", "limit": 6, "token_budget": 800, "form": "lines"}
    return signed_in("adam").post("/workbench/try/", {**form, **said})


def sides(page):
    return page.context["sides"]


def test_the_block_is_the_one_the_agent_would_get(adam, agent):
    a_memory(agent, "The user likes green tea.")
    a_memory(agent, "The user likes green curtains.", scope=ScopeSpec(level="user", user="bob"))
    indexed()
    given = recall(Question(query="green tea", user="ann"), by=agent)

    page = tried(agent)

    [side] = sides(page)
    assert side["answer"].context.splitlines()[1:-1] == given.context.splitlines()[1:-1]
    assert [one["hit"].parts for one in side["hits"]] == [m.parts for m in given.memories]
    assert "The user likes green tea." in page.content.decode()
    assert "curtains" not in page.content.decode()


def test_acting_as_an_agent_is_an_event_and_keeps_no_question(adam, agent):
    a_memory(agent, "The user likes green tea.")

    page = tried(agent, query="a very private question")

    event = Event.objects.get(type="acted-as-agent")
    assert (event.actor, event.stream) == (adam.id, agent.agent)
    assert b"private" not in bytes(event.header)
    assert not Recall.objects.exists()
    assert page.request["QUERY_STRING"] == ""


@pytest.mark.parametrize("role", ["reviewer", "resolver", "compliance", "auditor", "operator"])
def test_nobody_else_acts_as_an_agent(tenant, agent, role):
    a_member(tenant, "zoe", role)

    answers = [signed_in("zoe").get("/workbench/"), signed_in("zoe").post("/workbench/try/", {"key": agent.key})]

    assert [a.status_code for a in answers] == [403, 403]
    assert not Event.objects.filter(type="acted-as-agent").exists()


def test_what_was_left_out_is_listed_with_its_reason(adam, agent):
    for number in range(4):
        a_memory(agent, f"Green tea number {number}. " + "leaves " * 60 * (number == 3))
    indexed()

    limited, narrow = sides(tried(agent, limit=1)), sides(tried(agent, token_budget=160))

    assert [one["reason"] for one in limited[0]["left_out"]] == ["ranked below the limit"] * 3
    reasons = [one["reason"] for one in narrow[0]["left_out"]]
    assert reasons and all(reason.endswith("tokens too many)") for reason in reasons)


def test_why_an_expected_memory_is_not_there_is_said_in_words(tenant, adam, agent):
    here = a_memory(agent, "The user likes green tea.")
    bobs = a_memory(agent, "Bob likes green tea.", scope=ScopeSpec(level="user", user="bob"))
    past = a_memory(agent, "Green tea until May.", valid_to=timezone.now() - timedelta(days=1))
    indexed()

    def why(memory):
        return sides(tried(agent, expected=memory.id))[0]["why"]

    assert why(here) == "It is in the block."
    assert why(bobs) == "It holds in a scope this agent does not read here: user."
    assert why(past) == "It no longer held at that moment."
    assert tried(agent, expected="mem_" + "0" * 32).status_code == 422


def test_two_moments_stand_side_by_side(adam, agent):
    then = timezone.now() - timedelta(days=30)
    memory = a_memory(agent, "The tea is green.", key="tea", observed_at=then)
    revised(agent, memory, "The tea is black.", key="tea", observed_at=timezone.now() - timedelta(days=1))
    indexed()
    before = (timezone.now() - timedelta(days=10)).strftime("%Y-%m-%dT%H:%M")

    page = tried(agent, query="tea", beside="moment", other_as_of=before)

    now, earlier = ([one["hit"].view.content for one in side["hits"]] for side in sides(page))
    assert (now, earlier) == (["The tea is black."], ["The tea is green."])


def test_two_policies_stand_side_by_side(adam, agent):
    a_memory(agent, "The user likes green tea.")
    indexed()
    publish({"rank": {"floor": 0.99}}, by=adam)

    page = tried(agent, beside="policy", other_policy="1")

    strict, default = sides(page)
    assert [len(side["hits"]) for side in (strict, default)] == [0, 1]
    assert [side["seen"].policy.number for side in (strict, default)] == [2, 1]
    assert default["hits"][0]["only_here"]


def test_only_keys_that_work_can_be_acted_with(tenant, adam, agent):
    other, third = an_agent(tenant), an_agent(tenant)
    keys = {key.pk: key for key in living_keys(tenant.id)}
    revoke_key(keys[other.key], by=adam)
    suspend_agent(keys[third.key].agent, True, by=adam)

    page = signed_in("adam").get("/workbench/")

    assert [pk for pk, _ in page.context["form"].fields["key"].choices] == [agent.key]
    assert tried(other).status_code == 422


def test_a_user_nobody_knows_is_said_to_be_unknown(adam, agent):
    a_memory(agent, "The user likes green tea.")

    assert "Nobody of this id is known here." in tried(agent, user="anne").content.decode()
    assert "Nobody of this id is known here." not in tried(agent).content.decode()
