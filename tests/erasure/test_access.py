"""A person's other rights: a copy of everything, nothing more to be remembered, and a project that leaves."""

import json

import pytest
from django.core.management import call_command

from governance.candidates import actions as candidates
from governance.candidates.actions.observe import Said, observe
from governance.candidates.rules import Draft
from governance.erasure.access import export, holding
from governance.erasure.actions import allow_again
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.rules import Selector
from governance.errors import NotAllowed, NotRemembered, Suppressed
from governance.evidence.models import Observation
from governance.ledger.erasing import readable
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.scopes.actions import set_remembered
from governance.scopes.queries import find_project, find_subject
from governance.scopes.rules import ScopeSpec
from tests.erasure.test_run import SAID, approved, lived
from tests.factories import a_memory
from tests.web.people import a_member

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def exported(lines) -> list[dict]:
    return [json.loads(line) for line in lines]


@pytest.fixture
def ann(agent):
    lived(agent)
    return find_subject(agent.tenant, "ann")


def test_an_export_holds_all_that_is_found_and_nothing_of_others(agent, cora, ann):
    found = holding(ann)

    head, *rest = exported(export(ann, by=cora))

    text = json.dumps(rest)
    assert {line["content"] for line in rest} == set(readable(found.reach.all_contents()))
    assert head["stores"] == dict(found.stores)
    assert all(said in text for said in ("Reykjavik", "Ljubljana", "Maribor", "Mabel", SAID, "Where does Ann live?"))
    assert '"user": "ann"' in text
    assert "Bratislava" not in text and '"bob"' not in text


def test_that_it_was_opened_stands_in_the_log(agent, cora, ann):
    lines = exported(export(ann, by=cora))

    opened = Event.objects.get(type="person-exported", stream=ann.id)
    data = json.loads(bytes(opened.header))["data"]
    assert opened.actor == cora.id
    assert data["contents"] == lines[0]["texts"] > 5
    assert b"Ljubljana" not in bytes(opened.header)


def test_the_command_prints_the_same(agent, tenant, cora, ann, capsys):
    wanted = exported(export(ann, by=cora))

    call_command("export_person", tenant=tenant.name, user="ann")

    lines = exported(capsys.readouterr().out.splitlines())
    assert lines[1:] == wanted[1:]


def test_only_compliance_staff_export(agent, tenant, ann):
    rita = a_member(tenant, "rita", "reviewer")

    with pytest.raises(NotAllowed):
        export(ann, by=rita)
    with pytest.raises(NotAllowed):
        set_remembered(ann, False, by=rita)

    assert not Event.objects.filter(type="person-exported").exists()


def test_who_does_not_want_to_be_remembered_is_not_until_they_say_otherwise(agent, cora, ann):
    before = Observation.objects.count()
    set_remembered(ann, False, by=cora)
    draft = Draft(scope=ScopeSpec("user", user="ann"), kind="semantic", key="profile.pet", value="a newt")

    with pytest.raises(NotRemembered):
        observe(Said(role="user", text="I have a newt.", user="ann"), by=agent)
    with pytest.raises(NotRemembered):
        candidates.propose(draft, by=agent)
    refused = Observation.objects.count()
    observe(Said(role="user", text="I have a newt.", user="bob"), by=agent)
    set_remembered(ann, True, by=cora)
    observe(Said(role="user", text="I have a newt.", user="ann"), by=agent)

    assert refused == before
    assert Observation.objects.count() == before + 2
    assert rebuild(apply=False).differences == []


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_who_does_not_want_to_be_remembered_and_is_forgotten_is_not_remembered_afterwards(agent, cora, carl, ann):
    set_remembered(ann, False, by=cora)
    request = run(approved(Wish(Selector(user="ann")), cora, carl))
    said = Said(role="user", text="I have a newt.", user="ann")
    draft = Draft(scope=ScopeSpec("user", user="ann"), kind="semantic", key="profile.pet", value="a newt")

    with pytest.raises(Suppressed) as refused:
        observe(said, by=agent)
    with pytest.raises(Suppressed):
        candidates.propose(draft, by=agent)
    allow_again(request, basis="person-said-so", by=cora)

    assert (request.status, refused.value.extra["request"]) == ("complete", request.id)
    assert observe(said, by=agent).observation.subject_id != ann.id


def test_what_is_there_already_stays_until_it_is_forgotten(agent, cora, ann):
    memory = a_memory(agent, "Ann works at night.", key="profile.hours")

    set_remembered(ann, False, by=cora)

    memory.refresh_from_db()
    assert not memory.erased


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_a_project_leaves_by_the_same_run(agent, cora, carl):
    lived(agent)
    atlas = ScopeSpec("project", project="atlas")
    theirs = a_memory(agent, "Atlas runs on PostgreSQL.", scope=atlas, key="env.database", value="PostgreSQL")
    turn = observe(Said(role="user", text="Atlas moves to Oslo.", user="bob", project="atlas"), by=agent).observation
    bobs = a_memory(agent, "Bob works by day.", key="profile.hours", scope=ScopeSpec("user", user="bob"))

    request = run(approved(Wish(Selector(scope=atlas)), cora, carl))

    contents = [turn.content_id, *theirs.versions.values_list("content", flat=True)]
    theirs.refresh_from_db()
    bobs.refresh_from_db()
    assert (request.status, request.grounds) == ("complete", [])
    assert readable(contents) == []
    assert theirs.erased and not bobs.erased
    assert find_project(agent.tenant, "atlas") is None
    assert find_subject(agent.tenant, "bob") is not None
    assert rebuild(apply=False).differences == []
    assert verify(agent.tenant).findings == []
