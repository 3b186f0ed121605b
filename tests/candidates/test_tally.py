"""What waits is counted without looking at it: the tally is what the rows are, whatever happens to them."""

from collections import Counter
from datetime import UTC, timedelta
from importlib import import_module
from random import Random

import pytest
import time_machine
from django.apps import apps
from django.utils import timezone

from governance.candidates import actions, waiting
from governance.candidates.models import Candidate, Waiting
from governance.ledger.rebuild import rebuild
from governance.ledger.writing import folding_allowed
from governance.policies.actions import publish
from governance.policies.queries import current
from governance.scopes.models import Project, Tenant
from governance.scopes.rules import Actor, ScopeSpec
from tests.factories import a_project, a_tenant, an_agent
from tests.web.people import a_member, a_proposal, some_proposals

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])
KEY = ("tenant", "level", "kind", "lane", "risk", "agent", "assigned_to")


@pytest.fixture
def tenant() -> Tenant:
    return a_tenant()


@pytest.fixture
def agent(tenant: Tenant) -> Actor:
    return an_agent(tenant)


@pytest.fixture
def rita(tenant: Tenant) -> Actor:
    return a_member(tenant, "rita", "reviewer")


def tally() -> Counter:
    return Counter({key: n for *key, n in Waiting.objects.values_list(*KEY, "hour", "count") for key in [tuple(key)]})


def there() -> Counter:
    rows = Candidate.objects.filter(status="pending", held_back=False, aside_role="", aside_until=None)
    return Counter(
        (*(value or "" for value in key), f"{at.astimezone(UTC):%Y-%m-%d %H}")
        for *key, at in rows.values_list(*KEY, "created_at")
    )


def busy(tenant: Tenant, agent: Actor, rita: Actor) -> None:
    """Have everything happen that makes a proposal wait, or wait no longer."""
    adam = a_member(tenant, "adam", "administrator")
    publish({"flood_waiting": 12}, by=adam)
    first, second, third, fourth, fifth, sixth, *_ = some_proposals(agent, 15)  # the last of them held back
    with time_machine.travel(timezone.now() + timedelta(hours=5)):
        a_proposal(an_agent(tenant), "Everybody here writes in English.", key="style", scope=ScopeSpec("tenant"))
        actions.approve(first, expected=1, by=rita)
        actions.reject(second, expected=1, reason="unclear", note="", by=rita)
        actions.set_aside(third, "snoozed", expected=1, until=timezone.now() + timedelta(hours=1), by=rita)
        actions.set_aside(fourth, "needs-role", expected=1, role="administrator", by=rita)
        actions.set_aside(fifth, "unsure", expected=1, by=rita)
        actions.assign(sixth, adam.id, expected=1, by=rita, note="")
        actions.reopen(Candidate.objects.get(pk=second.pk), expected=2, by=rita)
        actions.let_in(agent.agent, by=rita)


def test_the_tally_is_what_the_rows_are_after_everything_that_can_happen(tenant, agent, rita):
    busy(tenant, agent, rita)

    assert tally() == there()
    assert sum(tally().values()) > 10


def test_a_rebuild_leaves_the_tally_right(tenant, agent, rita):
    busy(tenant, agent, rita)
    with folding_allowed():
        Candidate.objects.filter(pk__in=Candidate.objects.values("pk")[:4]).update(risk="high", status="rejected")
        Candidate.objects.filter(pk=Candidate.objects.filter(status="pending")[0].pk).delete()
    spoilt = tally()

    rebuild(apply=True)

    assert tally() == there() != spoilt


def test_a_store_from_before_the_tally_is_counted_once(tenant, agent, rita):
    busy(tenant, agent, rita)
    Waiting.objects.all().delete()

    import_module("governance.migrations.0003_a_tally_of_what_waits").count(apps, None)

    assert tally() == there()


def test_nothing_is_left_of_what_no_longer_waits(agent, rita):
    for made in some_proposals(agent, 3):
        actions.reject(made, expected=1, reason="unclear", note="", by=rita)

    assert not Waiting.objects.exists()


@pytest.mark.parametrize("minutes", [0, 17, 59])
def test_counts_are_those_of_the_list_also_in_the_hour_in_which_items_become_late(tenant, agent, rita, minutes):
    random, policy = Random(7), current(tenant.id)
    made = some_proposals(agent, 40)
    hours = [*policy.due_hours.values(), *(waiting.NEAR * h for h in policy.due_hours.values())]
    now = timezone.now().replace(minute=minutes, second=30)
    with folding_allowed():
        for one in made:
            risk, ago = random.choice(list(policy.due_hours)), random.choice(hours)
            at = now - timedelta(hours=ago, minutes=random.randint(-70, 70))
            Candidate.objects.filter(pk=one.pk).update(created_at=at, risk=risk)
        Candidate.objects.filter(pk=made[0].pk).update(
            created_at=now - timedelta(hours=policy.due_hours["high"]), risk="high"
        )

    with time_machine.travel(now, tick=False):
        counted = waiting.counts(rita, policy)
        listed = {due: waiting.asked(waiting.queue(rita), {"due": due}, policy, rita) for due in ("overdue", "soon")}

        assert (counted.overdue, counted.soon) == (listed["overdue"].count(), listed["soon"].count())
        assert 0 < counted.overdue < counted.all == 40


def test_what_was_put_aside_is_counted_for_those_it_waits_for(tenant, agent, rita):
    busy(tenant, agent, rita)
    adam, policy = a_member(tenant, "adam", "administrator"), current(tenant.id)

    for moment in (timezone.now(), timezone.now() + timedelta(hours=7)):
        with time_machine.travel(moment):
            for somebody in (rita, adam):
                counted = waiting.counts(somebody, policy)
                handed = waiting.asked(waiting.queue(somebody), {"assigned": "me"}, policy, somebody)
                assert counted.all == waiting.queue(somebody).count()
                assert counted.mine == handed.count()


def test_who_sees_some_projects_alone_is_told_how_much_waits_in_them(tenant, agent, rita):
    busy(tenant, agent, rita)
    quiet = an_agent(tenant)
    a_project(quiet, "apollo")
    a_proposal(quiet, "Apollo uses Go.", key="project.language", scope=ScopeSpec("project", project="apollo"))
    pia = a_member(tenant, "pia", "reviewer", projects=[Project.objects.get().id])

    assert waiting.counts(pia, current(tenant.id)).all == waiting.queue(pia).count() == 1


def test_somebody_without_the_queue_is_told_of_nothing(tenant, agent, rita):
    busy(tenant, agent, rita)

    assert waiting.counts(a_member(tenant, "carl", "compliance"), current(tenant.id)).all == 0
