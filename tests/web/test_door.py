"""Who is let in, and what every answer carries."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from governance.ledger.models import Event
from governance.scopes import actions as scopes
from governance.scopes.models import Membership
from governance.web.urls import urlpatterns
from tests.web.people import PASSWORD, a_member, a_proposal, signed_in

PAGES = (
    "/ /review/ /proposals/ /memories/ /binding-rules/ /agents/ /roles/ /audit-log/ /index-work/ /review/cand_x/ "
    "/memories/mem_x/ /agents/agent_x/"
).split()


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_is_sent_to_the_door(page):
    response = Client().get(page)

    assert response.status_code == 302
    assert response["Location"] == f"/sign-in/?next={page}"


def test_a_stranger_s_fragment_sends_the_whole_window_to_the_door(db):
    response = Client().get("/review/", headers={"HX-Request": "true"})

    assert response["HX-Redirect"] == "/sign-in/"


def test_a_member_signs_in_and_goes_where_they_wanted(tenant):
    a_member(tenant, "rita", "reviewer")

    response = Client().post("/sign-in/", {"username": "rita", "password": PASSWORD, "next": "/review/"})

    assert (response.status_code, response["Location"]) == (302, "/review/")


def test_a_wrong_password_says_no_more_than_that(tenant):
    a_member(tenant, "rita", "reviewer")

    response = Client().post("/sign-in/", {"username": "rita", "password": "something-else"})

    assert response.status_code == 200
    assert "do not match" in response.content.decode()
    assert "something-else" not in response.content.decode()


def test_an_account_without_a_role_sees_nothing(tenant):
    User.objects.create_user("nora")

    response = signed_in("nora").get("/")

    assert response.status_code == 403
    assert "no role" in response.content.decode()


@pytest.mark.parametrize("page", ["/agents/", "/roles/", "/audit-log/"])
def test_a_reviewer_is_kept_out_of_the_administrators_desks(rita, page):
    assert rita.get(page).status_code == 403


def test_a_role_withdrawn_ends_at_the_next_request(tenant, rita, agent):
    by = a_member(tenant, "adam", "administrator")
    assert rita.get("/review/").status_code == 200

    scopes.withdraw_role(Membership.objects.get(user__username="rita"), by=by)

    assert rita.get("/review/").status_code == 403


def test_a_member_of_two_tenants_works_in_the_one_they_chose(tenant, rita):
    other = scopes.create_tenant("zenith")
    a_member(other, "rita", "reviewer")

    rita.post("/tenant/", {"tenant": other.id})

    assert rita.get("/").context["tenant"] == other


def test_a_tenant_without_a_role_of_mine_cannot_be_chosen(rita):
    other = scopes.create_tenant("zenith")

    response = rita.post("/tenant/", {"tenant": other.id})

    assert response.status_code == 404
    assert rita.get("/").context["tenant"] != other


def test_pages_are_kept_by_nobody_and_carry_the_policy_of_content(rita):
    response = rita.get("/review/")

    assert response["Cache-Control"] == "no-store, private"
    policy = response["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "default-src 'none'" in policy
    page = response.content.decode()
    assert 'hx-history="false"' in page
    assert " style=" not in page
    assert "<style" not in page
    assert "onclick" not in page


TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"  # the example of W3C's Trace Context


def test_a_request_keeps_the_id_it_came_with(rita, agent):
    waiting = a_proposal(agent)

    response = rita.post(f"/review/{waiting.id}/approve/", {"version": 1}, headers={"X-Request-ID": TRACE})

    assert response["X-Request-ID"] == TRACE
    assert Event.objects.get(type="candidate-committed").correlation == TRACE


@pytest.mark.parametrize("sent", ["two words", "<script>", "x" * 65, "é"])
def test_an_id_of_another_form_is_replaced(sent):
    response = Client().get("/sign-in/", HTTP_X_REQUEST_ID=sent)

    assert response["X-Request-ID"] != sent
    assert len(response["X-Request-ID"]) == 32


def test_a_form_without_its_token_is_refused(tenant, agent):
    waiting = a_proposal(agent)
    a_member(tenant, "rita", "reviewer")
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="rita"))

    response = client.post(f"/review/{waiting.id}/approve/", {"version": 1})

    assert response.status_code == 403
    waiting.refresh_from_db()
    assert waiting.status == "pending"


def test_signing_out_takes_a_post(rita):
    assert rita.get("/sign-out/").status_code == 405

    rita.post("/sign-out/")

    assert rita.get("/").status_code == 302


@pytest.mark.parametrize(
    "where", ["governance.web.desk.tenants_of", "django.contrib.sessions.backends.db.SessionStore.load"]
)
def test_a_database_that_does_not_answer_is_said_without_asking_it(rita, monkeypatch, where):
    def down(*args):
        raise OperationalError("connection to 10.0.0.1 refused")

    monkeypatch.setattr(where, down)

    page, part = rita.get("/review/"), rita.get("/review/", headers={"HX-Request": "true"})

    for answer in (page, part):
        assert (answer.status_code, answer["Retry-After"]) == (503, "1")
        assert "10.0.0.1" not in answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
    assert "Not answering just now" in page.content.decode()
    assert part["HX-Retarget"] == "#problems"


def test_a_database_that_fails_around_a_page_is_503_too(rita, monkeypatch):
    def down(*args):
        raise OperationalError

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_response", down)
    rita.raise_request_exception = False

    response = rita.get("/review/")

    assert (response.status_code, response["Retry-After"]) == (503, "1")


def test_the_palette_lists_each_page_once(adam):
    palette = adam.get("/").content.decode().partition('id="palette-list"')[2].partition("</ul>")[0]
    addresses = re.findall(r'<a href="([^"]+)"', palette)

    assert len(addresses) > 10
    assert len(addresses) == len(set(addresses))


def test_a_refusal_names_fields_as_the_page_does(adam):
    refused = adam.post("/roles/grant/", {"username": "nobody-here", "role": "reviewer"})

    box = refused.content.decode().partition('role="alert"')[2].partition("</ul>")[0]
    assert refused.status_code == 422
    assert "<b>Username:</b> nobody has an account of this name" in box
    assert "/username" not in box


def addresses_of_forms() -> list[str]:
    """Return every address that a form of a page of ours is sent to."""
    sent_to = [p for p in urlpatterns if getattr(p.callback, "again", None)]
    return [reverse(p.name, kwargs={"id": "x_" + "0" * 32} if "<str:id>" in str(p.pattern) else {}) for p in sent_to]


def test_who_comes_back_to_the_address_of_a_form_is_led_to_its_page(adam):
    for address in addresses_of_forms():
        response = adam.get(address + "?level=user")

        assert response.status_code == 302, address
        page = response["Location"]
        assert page.endswith("?level=user"), address
        assert adam.get(page, follow=True).status_code in (200, 403, 404), address


def test_another_language_is_chosen_on_the_answer_to_a_form_too(tenant, agent, rita):
    candidate = a_proposal(agent, content="x")
    previewed = {"item": f"{candidate.id}:{candidate.version}"}
    assert rita.post("/review/several/preview/", previewed).status_code == 200

    sent = {"language": "zh-hans"}
    response = rita.post(
        "/language/", sent, headers={"Referer": "http://testserver/review/several/preview/"}, follow=True
    )

    assert response.status_code == 200
    assert response.redirect_chain[-1][0] == "/review/"
    assert 'lang="zh-hans"' in response.content.decode()


def test_a_session_that_ended_leads_back_to_the_page_of_the_form(db):
    response = Client().post("/review/cand_x/reject/?level=user", {"note": "a long thought"})

    assert response["Location"] == "/sign-in/?next=/review/cand_x/%3Flevel%3Duser"
