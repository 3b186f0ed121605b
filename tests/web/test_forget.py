"""The forget desk: filed, planned, approved by another person, carried out, reported."""

import json
import secrets
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from governance.erasure import worker
from governance.erasure.models import STATUSES, ForgetRequest
from governance.ledger.models import ContentKey, Event
from governance.ledger.outbox import drain
from governance.memories.models import Memory
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory
from tests.isolation import fresh_index
from tests.web.people import a_member, a_proposal, signed_in

# What is erased is looked for on another connection: it has to be committed.
COMMITTED = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
# Words nobody else in this run uses: files that other tests left hold none of their vectors.
TEXT = f"Ann works at night in {secrets.token_hex(3)}."
FRAGMENT = {"headers": {"HX-Request": "true"}}


def text(response) -> str:
    return response.content.decode()


def worked() -> None:
    while drain():
        pass


@pytest.fixture(autouse=True)
def index(settings: Settings, tmp_path) -> Iterator[None]:
    settings.JOURNAL_FILE = tmp_path / "journal.jsonl"
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def cora(tenant) -> Client:
    """The browser of one of two compliance officers."""
    a_member(tenant, "cora", "compliance")
    return signed_in("cora")


@pytest.fixture
def carl(tenant) -> Client:
    a_member(tenant, "carl", "compliance")
    return signed_in("carl")


@pytest.fixture
def file(cora) -> Callable[..., ForgetRequest]:
    """File a request and return it, planned when it was shown who asks."""

    def made(**fields: str) -> ForgetRequest:
        known = set(ForgetRequest.objects.values_list("pk", flat=True))
        said = {"mode": "erase", "identity_verified": "document", **(fields or {"user": "ann"})}
        answer = cora.post("/forget/file/", said)
        worked()
        assert answer.status_code == 302, text(answer)
        return ForgetRequest.objects.exclude(pk__in=known).get()

    return made


@COMMITTED
def test_a_request_goes_from_intake_to_a_signed_report(agent, cora, carl, file):
    memory = a_memory(agent, TEXT)
    request = file(user="ann", requester="Ann Smith", reason="I want to be forgotten")
    plan = text(carl.get(f"/forget/{request.id}/"))

    carl.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()
    told = text(cora.get(f"/forget/{request.id}/"))
    report = text(cora.get(f"/forget/{request.id}/reports/1/"))
    handed_out = json.loads(cora.get(f"/forget/{request.id}/reports/1/file/").content)

    assert TEXT in plan and "I want to be forgotten" in plan
    done = ForgetRequest.objects.get()
    proof = done.written.get().document["proof"]
    assert {name: part for name, part in proof.items() if not part["holds"]} == {}
    assert (done.status, done.grounds) == ("complete", [])
    assert Memory.objects.get(pk=memory.id).erased
    assert "Ann" not in told and "Everything it reached is gone" in told
    assert "signature checks" in report and "Everything it reached is gone." in report
    assert handed_out["report"]["status"] == "complete" and handed_out["integrity"]["algorithm"] == "Ed25519"


@COMMITTED
def test_a_report_lists_what_stays_and_says_the_same_and_why_it_may(agent, cora, carl, file):
    a_memory(agent, "Pet: parrot", key="pet", value="parrot")
    same = a_memory(agent, "Favourite animal: parrot", key="preference.animal", value="parrot")
    request = file(user="ann", keys="pet")
    carl.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()

    page = text(cora.get(f"/forget/{request.id}/reports/1/"))
    chinese = text(cora.get(f"/forget/{request.id}/reports/1/", headers={"Accept-Language": "zh-hans"}))

    assert "1 say some of it, 0 of them without a reason" in page
    assert f"{same.id}.1" in page and "not named" in page
    assert f"{same.id}.1" in chinese and "申请未指明" in chinese


def test_who_filed_it_cannot_approve_it(agent, cora, file):
    a_memory(agent, "Ann works at night.")
    request = file()

    page = text(cora.get(f"/forget/{request.id}/"))
    answer = cora.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})

    assert "another person has to approve it" in page and "Erase it" not in page
    assert f"/forget/{request.id}/approve/" not in page and "Approve this plan" not in page
    assert "it takes a second person" in page
    assert answer.status_code == 403
    assert ForgetRequest.objects.get().status == "planned"


def test_who_filed_it_is_told_who_may_approve_it(agent, cora, carl, file):
    a_memory(agent, "Ann works at night.")
    request = file()

    page = text(cora.get(f"/forget/{request.id}/"))

    may = page.partition("These may:")[2].partition("</p>")[0]
    assert "carl" in may and "cora" not in may


def test_a_plan_that_changed_is_not_the_one_that_was_approved(agent, carl, file):
    a_memory(agent, "Ann works at night.")
    request = file()

    answer = carl.post(f"/forget/{request.id}/approve/", {"plan_hash": "0" * 64})

    assert answer.status_code == 409
    assert ForgetRequest.objects.get().status == "planned"


def test_words_find_memories_and_what_is_not_meant_is_left_out(agent, cora, file):
    mine = a_memory(agent, "Ann uses PostgreSQL at work.")
    other = a_memory(agent, "Ann used PostgreSQL at home once.")
    request = file(user="ann", words="forget that I use PostgreSQL")
    page = text(cora.get(f"/forget/{request.id}/"))

    cora.post(f"/forget/{request.id}/narrow/", {"memory": [mine.id]})
    worked()
    again = text(cora.get(f"/forget/{request.id}/"))

    assert "at work" in page and "at home" in page
    assert "at work" in again and other.id not in again


def test_what_names_nothing_is_refused_and_kept(cora):
    cora.post("/forget/file/", {"mode": "erase", "user": "nobody"})

    page = text(cora.get("/forget/", {"status": "refused"}))

    assert "nobody" in page and ForgetRequest.objects.get().status == "refused"


@pytest.mark.parametrize("fields", [{}, {"keys": "profile.name"}, {"user": "ann", "project": "apollo"}])
def test_a_form_that_names_no_one_thing_says_so_and_files_nothing(cora, fields):
    answer = cora.post("/forget/file/", {"mode": "erase", **fields})

    assert answer.status_code == 422
    assert 'name="user"' in text(answer)
    assert not ForgetRequest.objects.exists()


def test_a_request_is_refused_with_its_ground_and_extended_once(agent, cora, file):
    a_memory(agent, "Ann works at night.")
    request = file()
    due = request.due_at

    cora.post(f"/forget/{request.id}/extend/", {"reason": "complexity"})
    again = cora.post(f"/forget/{request.id}/extend/", {"reason": "complexity"})
    cora.post(f"/forget/{request.id}/refuse/", {"ground": "legal-obligation"})

    now = ForgetRequest.objects.get()
    assert (now.due_at - due).days == 60 and again.status_code == 409
    assert (now.status, now.grounds) == ("refused", ["legal-obligation"])


def test_an_auditor_sees_how_far_it_is_and_not_whom_it_names(agent, ada, file):
    a_memory(agent, "Zebulon works at night.", scope=ScopeSpec("user", user="zebulon"))
    request = file(user="zebulon", reason="I want to be forgotten")

    listed, page = text(ada.get("/forget/")), text(ada.get(f"/forget/{request.id}/"))

    assert request.id in listed and "planned" in page
    assert "zebulon" not in (listed + page).lower() and "I want to be forgotten" not in page
    assert "Erase it" not in page


def test_reviewers_do_not_come_in(rita):
    assert rita.get("/forget/").status_code == 403


def test_those_due_first_stand_first_and_many_cost_no_more_queries(agent, cora, file):
    for i in range(3):
        a_memory(agent, f"Number {i}.", scope=ScopeSpec("user", user=f"u{i}"))
        file(user=f"u{i}")
    cora.post(f"/forget/{ForgetRequest.objects.order_by('created_seq').first().id}/extend/", {"reason": "complexity"})
    with CaptureQueriesContext(connection) as few:
        cora.get("/forget/")
    for i in range(3, 9):
        a_memory(agent, f"Number {i}.", scope=ScopeSpec("user", user=f"u{i}"))
        file(user=f"u{i}")

    with CaptureQueriesContext(connection) as many:
        page = text(cora.get("/forget/"))

    assert len(many) == len(few)
    assert page.index("<b>u1</b>") < page.index("<b>u2</b>") < page.index("<b>u0</b>")


def test_a_page_that_waits_follows_by_itself(agent, cora, file):
    a_memory(agent, "Ann works at night.")
    cora.post("/forget/file/", {"mode": "erase", "user": "ann", "identity_verified": "document"})
    id = ForgetRequest.objects.get().id

    waiting = text(cora.get(f"/forget/{id}/", **FRAGMENT))
    worked()
    planned = text(cora.get(f"/forget/{id}/", **FRAGMENT))

    assert "every 1s" in waiting and "every 1s" not in planned
    assert waiting.lstrip().startswith('<div class="stack" id="run"')


@COMMITTED
def test_an_erased_memory_draws_no_timeline_and_its_gone_words_are_not_opened(agent, carl, file, ada):
    memory = a_memory(agent, TEXT)
    proposal = a_proposal(agent)
    request = file(user="ann")
    carl.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()

    page = ada.get(f"/memories/{memory.id}/")
    opened = ada.post(f"/memories/{memory.id}/words/")
    of_proposal = ada.post(f"/review/{proposal.id}/words/")

    assert page.context["timeline"] is None
    assert "Erased: the words are gone." in text(page)
    assert "Open the words" not in text(page)
    assert (opened.status_code, of_proposal.status_code) == (410, 410)
    assert not Event.objects.filter(type="words-opened").exists()


@COMMITTED
def test_the_dashboard_shows_what_is_to_be_answered_the_overdue_first(agent, cora, rita, file):
    a_memory(agent, TEXT)
    request = file(user="ann")
    with time_machine.travel(request.due_at + timedelta(days=1)):
        a_member(request.tenant, "cleo", "compliance")
        page = text(signed_in("cleo").get("/"))

    assert f"/forget/{request.id}/" in page
    assert "overdue" in page
    assert f"/forget/{request.id}/" not in text(rita.get("/"))


@pytest.mark.parametrize("blank", ["   ", "\n\t", "\u200b"])
@pytest.mark.parametrize("name", ["words", "keys", "memory_ids"])
def test_a_blank_field_never_widens_a_form_to_the_whole_person(agent, cora, name, blank):
    a_memory(agent, "Ann uses PostgreSQL.")

    answer = cora.post("/forget/file/", {"mode": "erase", "user": "ann", name: blank})

    assert answer.status_code == 422
    assert not ForgetRequest.objects.exists()


def test_the_plan_shows_the_turns_and_proposals_that_words_found_to_those_who_read_words(agent, cora, ada, file):
    text_of_it = "Perhaps we move to CockroachDB next quarter."
    proposal = a_proposal(agent, text_of_it)
    file(user="ann", words="forget that we move to CockroachDB")
    request = ForgetRequest.objects.get()

    shown, hidden = (text(who.get(f"/forget/{request.id}/")) for who in (cora, ada))

    assert proposal.id in request.plan.reach["candidates"]
    assert "goes with it" in shown and text_of_it in shown
    assert text_of_it not in hidden


def test_an_empty_form_says_what_to_name(cora):
    answer = cora.post("/forget/file/", {"mode": "erase"})

    assert answer.status_code == 422
    assert "Name a person, a project or memories." in text(answer)


@COMMITTED
def test_what_is_found_again_is_seen_on_the_desk_and_stays_there_until_it_was_looked_for_anew(
    agent, cora, carl, file, monkeypatch
):
    monkeypatch.setattr(worker, "_looked_at", None)
    memory = a_memory(agent, TEXT)
    key = ContentKey.objects.get(kid=memory.versions.get().content.kid)
    request = file(user="ann")
    carl.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()
    ContentKey.objects.bulk_create([key])
    look = ForgetRequest.objects.get().answered_at + timedelta(days=1, minutes=1)

    with time_machine.travel(look):
        a_member(request.tenant, "cleo", "compliance")
        worker.now_and_then()
        cleo = signed_in("cleo")
        found = text(cleo.get(f"/forget/{request.id}/"))
    with time_machine.travel(look + timedelta(minutes=5)):
        worker.now_and_then()
        worked()
        listed, home, again = (text(cleo.get(page)) for page in ("/forget/", "/", f"/forget/{request.id}/reports/2/"))
        newest = text(cleo.get(f"/forget/{request.id}/reports/3/"))

    assert "left:memories" in found and "within minutes" in found
    assert ForgetRequest.objects.get().status == "complete"
    assert "found again" in listed and request.id in listed and f"/forget/{request.id}/" in home
    assert "Something of what was erased is there." in again and "signature checks" in again
    assert "Before it:" in newest and f"/forget/{request.id}/reports/2/" in newest


@COMMITTED
def test_a_request_that_cannot_begin_says_with_which_error_the_last_attempt_ended(agent, cora, carl, file, monkeypatch):
    a_memory(agent, TEXT)
    request = file(user="ann")
    page = f"/forget/{request.id}/"
    assert "The last attempt failed" not in text(carl.get(page))

    def broken(*args) -> None:
        raise OSError("no such device")

    monkeypatch.setattr("governance.erasure.execute.needles.keep", broken)
    carl.post(f"{page}approve/", {"plan_hash": request.plan_hash})
    worked()

    shown = text(carl.get(page))
    assert "The last attempt failed with <code>OSError</code>" in shown
    assert ForgetRequest.objects.get().status == "approved"


def test_the_count_of_each_status_is_the_length_of_its_list_in_each_mode(agent, cora, file):
    a_memory(agent, TEXT)
    file()

    for mode in ("", "erase", "retract"):
        counts = cora.get(f"/forget/?mode={mode}").context["counts"]
        for status in STATUSES:
            listed = cora.get(f"/forget/?mode={mode}&status={status}").context["page"].total
            assert listed == counts.get(status, 0), (mode, status)
