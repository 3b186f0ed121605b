"""The way in and one's own account: throttled, with a second factor, a way back by mail, sessions that can be ended."""

import base64
import hashlib
import hmac
import re
import struct
import time

import pytest
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client

from governance.scopes import actions as scopes
from governance.scopes.models import Membership
from governance.scopes.sessions import MemberSession
from governance.web.second_factor import keys_work_at
from tests.web.people import PASSWORD, a_member

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def text(response) -> str:
    return response.content.decode()


@pytest.fixture
def rita(tenant) -> Client:
    cache.clear()
    a_member(tenant, "rita", "reviewer")
    return Client(headers={"User-Agent": FIREFOX})


def sign_in(client: Client, password: str = PASSWORD):
    return client.post("/sign-in/", {"username": "rita", "password": password})


def code_for(key: str) -> str:
    """Return what an authenticator shows now (RFC 6238)."""
    digest = hmac.digest(base64.b32decode(key), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4]) & 0x7FFFFFFF) % 10**6:06}"


def test_after_five_failures_the_door_stays_shut_for_a_while(rita):
    for _ in range(4):
        assert sign_in(rita, "wrong").status_code == 200
    locked = sign_in(rita, "wrong")

    assert (locked.status_code, locked["Retry-After"]) == (429, "900")
    assert "Too many tries" in text(locked)
    assert sign_in(rita).status_code == 429
    assert rita.get("/").status_code == 302


def test_nothing_of_a_failed_sign_in_is_kept(rita):
    for _ in range(6):
        sign_in(rita, "wrong-secret-words")

    assert [model.objects.count() for model in (AccessAttempt, AccessFailureLog, AccessLog)] == [0, 0, 0]
    assert "wrong-secret-words" not in str(cache._cache)


def test_who_is_elsewhere_can_still_sign_in(rita):
    for _ in range(6):
        sign_in(rita, "wrong")

    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert sign_in(elsewhere).status_code == 302


def test_a_success_forgets_the_failures(rita):
    for _ in range(4):
        sign_in(rita, "wrong")
    sign_in(rita)
    rita.post("/sign-out/")

    assert [sign_in(rita, "wrong").status_code for _ in range(4)] == [200] * 4


def test_a_forgotten_password_is_set_anew_by_mail(rita):
    User.objects.filter(username="rita").update(email="rita@example.org")

    assert rita.post("/password/", {"email": "rita@example.org"})["Location"] == "/password/sent/"
    link = re.search(r"http://testserver(/password/\S+/)", mail.outbox[0].body)[1]
    form = rita.get(link, follow=True)
    where = form.redirect_chain[-1][0]
    short = rita.post(where, {"new_password1": "short", "new_password2": "short"})
    assert short.status_code == 200
    rita.post(where, {"new_password1": "another-long-one", "new_password2": "another-long-one"})

    assert sign_in(rita).status_code == 200
    assert sign_in(rita, "another-long-one").status_code == 302
    assert "does not work any more" in text(rita.get(link, follow=True))


def test_who_has_an_account_is_not_told_and_gets_one_mail(rita):
    User.objects.filter(username="rita").update(email="rita@example.org")

    unknown = rita.post("/password/", {"email": "nobody@example.org"})
    known = [rita.post("/password/", {"email": "rita@example.org"}) for _ in range(3)]

    assert {(r.status_code, r["Location"]) for r in (unknown, *known)} == {(302, "/password/sent/")}
    assert len(mail.outbox) == 1


def test_a_session_is_listed_and_ended(rita):
    sign_in(rita)
    other = Client(headers={"User-Agent": FIREFOX.replace("X11; Linux x86_64", "Windows NT 10.0")})
    sign_in(other)

    page = text(rita.get("/account/"))
    assert "Firefox on Linux" in page
    assert "Firefox on Windows" in page
    assert not any(s.session_key in page for s in MemberSession.objects.all())
    ref = re.search(r'name="session" value="([0-9a-f]{24})"', page)[1]
    rita.post("/account/sessions/end/", {"session": ref})

    assert other.get("/").status_code == 302
    assert rita.get("/").status_code == 200


def test_one_cannot_end_somebody_else_s_session(rita, tenant):
    a_member(tenant, "eve", "reviewer")
    sign_in(rita)
    eve = Client()
    eve.post("/sign-in/", {"username": "eve", "password": PASSWORD})
    ref = MemberSession.objects.get(user=User.objects.get(username="rita").pk).ref

    eve.post("/account/sessions/end/", {"session": ref})
    eve.post("/account/sessions/end/", {"session": "others"})

    assert rita.get("/").status_code == 200


def test_a_new_password_ends_every_other_session(rita):
    sign_in(rita)
    other = Client()
    sign_in(other)
    new = {"old_password": PASSWORD, "new_password1": "another-long-one", "new_password2": "another-long-one"}

    assert rita.post("/account/password/", new | {"old_password": "wrong"}).status_code == 422
    assert other.get("/").status_code == 200
    rita.post("/account/password/", new)

    assert other.get("/").status_code == 302
    assert rita.get("/").status_code == 200


def with_authenticator(client: Client) -> str:
    """Add an authenticator to the account that is signed in, and return its key."""
    where = client.get("/account/authenticator/add/")
    assert where["Location"].startswith("/account/confirm/")
    assert client.post(where["Location"], {"password": PASSWORD}).status_code == 302
    page = client.get("/account/authenticator/add/")
    assert "data:image/svg+xml" in text(page)
    secret = re.search(r"app: <code>(\w+)</code>", text(page))[1]
    assert client.post("/account/authenticator/add/", {"code": "000000"}).status_code == 200
    done = client.post("/account/authenticator/add/", {"code": code_for(secret)})
    assert done["Location"] == "/account/recovery-codes/"
    return secret


def test_with_an_authenticator_the_password_alone_opens_nothing(rita):
    sign_in(rita)
    secret = with_authenticator(rita)
    codes = re.findall(r"<li><code>(\w+)</code>", text(rita.get("/account/recovery-codes/")))
    assert len(codes) == 10
    cache.clear()  # a code works once

    late = Client()
    assert sign_in(late)["Location"] == "/sign-in/code/"
    assert late.get("/").status_code == 302
    assert late.post("/sign-in/code/", {"code": "123456"}).status_code == 200
    assert late.post("/sign-in/code/", {"code": code_for(secret)})["Location"] == "/"
    assert late.get("/").status_code == 200

    spare = Client()
    sign_in(spare)
    assert spare.post("/sign-in/code/", {"code": codes[0]}).status_code == 302
    assert spare.get("/").status_code == 200
    again = Client()
    sign_in(again)
    assert again.post("/sign-in/code/", {"code": codes[0]}).status_code == 200
    assert "9 recovery codes left" in text(rita.get("/account/"))


def test_codes_are_not_guessed(rita):
    sign_in(rita)
    with_authenticator(rita)
    thief = Client()
    sign_in(thief)

    for i in range(8):
        page = text(thief.post("/sign-in/code/", {"code": f"00000{i}"}))

    assert "Too many" in page


def test_the_keys_of_authenticators_are_not_kept_in_clear(rita):
    sign_in(rita)
    secret = with_authenticator(rita)

    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert kept.count("gAAAA") == 2


def test_an_authenticator_is_removed_after_asking_again(rita):
    sign_in(rita)
    with_authenticator(rita)

    rita.post("/account/authenticator/remove/")

    assert not Authenticator.objects.exists()
    assert sign_in(Client())["Location"] == "/"


@pytest.mark.parametrize(
    ("address", "secure", "work"),
    [
        ("localhost", False, True),
        ("localhost:8000", False, True),
        ("memory.example.org", True, True),
        ("memory.example.org:8443", True, True),
        ("memory.example.org", False, False),
        ("127.0.0.1:8000", False, False),
        ("192.0.2.7", True, False),
        ("[::1]:8000", True, False),
        ("[::1]", True, False),
    ],
)
def test_security_keys_work_under_a_name_alone(address, secure, work):
    assert keys_work_at(address, secure=secure) is work


def test_where_keys_do_not_work_the_page_says_what_they_need(rita):
    sign_in(rita)

    page = text(rita.get("/account/", headers={"host": "127.0.0.1:8000"}))

    assert "Security keys need https:// and a name, or http://localhost." in page
    assert "/account/key/add/" not in page
    assert "/account/key/add/" in text(rita.get("/account/", headers={"host": "localhost:8000"}))


NO_ANSWERS = ("", "{}", "[1]", '"x"', '{"id": "x", "rawId": "x", "type": "public-key", "response": {}}', "no JSON")


def test_what_is_no_answer_of_a_key_opens_nothing(rita):
    sign_in(rita)
    with_authenticator(rita)
    thief = Client()
    sign_in(thief)

    for sent in NO_ANSWERS:
        cache.clear()  # nor because too many were tried
        assert thief.post("/sign-in/code/", {"credential": sent}).status_code == 200, sent

    assert thief.get("/").status_code == 302


def test_what_is_no_answer_of_a_key_adds_none(rita):
    sign_in(rita)
    confirm = rita.get("/account/key/add/")["Location"]
    rita.post(confirm, {"password": PASSWORD})

    for sent in NO_ANSWERS:
        assert rita.post("/account/key/add/", {"credential": sent}).status_code == 200, sent

    assert not Authenticator.objects.exists()


def test_a_role_acts_at_the_next_request(rita, tenant):
    sign_in(rita)
    assert rita.get("/review/").status_code == 200
    assert rita.get("/roles/").status_code == 403

    scopes.add_member(tenant, "rita", "administrator")
    assert rita.get("/roles/").status_code == 200
    scopes.withdraw_role(
        Membership.objects.get(user__username="rita", role="administrator"),
        by=a_member(tenant, "adam", "administrator"),
    )

    assert rita.get("/roles/").status_code == 403


@pytest.mark.parametrize(
    "page", ["/account/", "/account/authenticator/add/", "/account/recovery-codes/", "/account/confirm/"]
)
def test_a_stranger_is_sent_to_the_door(page, db):
    response = Client().get(page)

    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/")
