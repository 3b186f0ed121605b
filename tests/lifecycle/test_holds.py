"""What is held is neither erased nor swept until the hold is lifted."""

import pytest

from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound
from governance.ledger import sealing
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.lifecycle.actions import Covered, lift_hold, place_hold
from governance.lifecycle.models import Hold
from governance.lifecycle.queries import held, held_memories
from governance.scopes.queries import find_project, find_subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, a_project, a_tenant, an_agent


def held_ids(tenant) -> set[str]:
    return set(held_memories(tenant.id).values_list("pk", flat=True))


def test_a_hold_on_a_person_covers_their_memories_and_no_others(tenant, agent, cora):
    anns = a_memory(agent, "Ann works at night.")
    a_memory(agent, "Bob works by day.", scope=ScopeSpec("user", user="bob"))

    place_hold(Covered(user="ann"), ground="litigation", note="Case 12 against Ann.", by=cora)

    assert held_ids(tenant) == {anns.id}
    assert held(tenant.id).covers(subjects=[find_subject(tenant.id, "ann").id])
    assert not held(tenant.id).covers(subjects=[find_subject(tenant.id, "bob").id])


def test_a_hold_on_a_project_covers_its_memories(tenant, agent, cora):
    a_memory(agent, "Ann works at night.")
    project = a_project(agent, "apollo", members=["ann"])
    shared = a_memory(agent, "Apollo runs on PostgreSQL.", scope=ScopeSpec("project", project=project))

    place_hold(Covered(project="apollo"), ground="contract", by=cora)

    assert held_ids(tenant) == {shared.id}
    assert held(tenant.id).covers(projects=[find_project(tenant.id, "apollo").id])


def test_a_hold_on_one_memory_covers_that_one(tenant, agent, cora):
    kept = a_memory(agent, "Ann works at night.", key="profile.hours")
    a_memory(agent, "Ann lives in Kraków.", key="profile.home.city")

    place_hold(Covered(memory=kept.id), ground="regulator", by=cora)

    assert held_ids(tenant) == {kept.id}


def test_a_hold_on_nothing_in_particular_covers_the_tenant_alone(tenant, agent, cora):
    mine = a_memory(agent, "Ann works at night.")
    other = a_tenant("acme-corp")
    a_memory(an_agent(other), "Ann works at night.")

    place_hold(Covered(), ground="investigation", by=cora)

    assert held_ids(tenant) == {mine.id}
    assert held_ids(other) == set()


def test_a_lifted_hold_covers_nothing_and_stays_on_record(tenant, agent, cora):
    a_memory(agent, "Ann works at night.")
    hold = place_hold(Covered(user="ann"), ground="litigation", by=cora)

    lift_hold(hold, by=cora)

    assert held_ids(tenant) == set()
    assert not held(tenant.id)
    assert Hold.objects.get().lifted_by == cora.id
    with pytest.raises(AlreadyDecided):
        lift_hold(hold, by=cora)


def test_the_note_is_sealed_under_a_key_of_the_person(tenant, agent, cora):
    a_memory(agent, "Ann works at night.")

    hold = place_hold(Covered(user="ann"), ground="litigation", note="Case 12 against Ann.", by=cora)

    assert sealing.unseal([hold.content_id])[hold.content_id]["note"] == "Case 12 against Ann."
    assert b"Case 12" not in b"".join(bytes(e.header) for e in Event.objects.filter(tenant=tenant.id))


def test_state_is_what_the_ledger_says(tenant, agent, cora):
    a_memory(agent, "Ann works at night.")
    lift_hold(place_hold(Covered(user="ann"), ground="litigation", by=cora), by=cora)
    place_hold(Covered(), ground="regulator", by=cora)

    assert rebuild(apply=False).differences == []


def test_only_compliance_staff_hold_and_lift(agent, cora, rita):
    a_memory(agent, "Ann works at night.")
    hold = place_hold(Covered(user="ann"), ground="litigation", by=cora)

    with pytest.raises(NotAllowed):
        place_hold(Covered(user="ann"), ground="litigation", by=rita)
    with pytest.raises(NotAllowed):
        lift_hold(hold, by=rita)

    assert Hold.objects.in_force().count() == 1


@pytest.mark.parametrize(
    ("covered", "ground", "refusal"),
    [
        (Covered(user="nobody"), "litigation", NotFound),
        (Covered(project="nothing"), "litigation", NotFound),
        (Covered(memory="mem_0"), "litigation", NotFound),
        (Covered(user="ann", project="apollo"), "litigation", Invalid),
        (Covered(user="ann"), "whim", Invalid),
    ],
)
def test_what_cannot_be_held_is_refused(agent, cora, covered, ground, refusal):
    a_memory(agent, "Ann works at night.")

    with pytest.raises(refusal):
        place_hold(covered, ground=ground, by=cora)

    assert not Hold.objects.exists()
