"""Signing in with a second factor, and one's own account, in a real browser."""

import base64
import hashlib
import hmac
import struct
import time

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from playwright.sync_api import Page, expect

from tests.browser.test_policy import shoot
from tests.factories import a_tenant
from tests.web.people import PASSWORD, a_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.fixture
def rita(transactional_db) -> User:
    cache.clear()
    a_member(a_tenant("acme"), "rita", "reviewer")
    return User.objects.get(username="rita")


def sign_in(page: Page, url: str, password: str = PASSWORD) -> None:
    page.goto(f"{url}/sign-in/")
    page.get_by_label("Username").fill("rita")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def code_for(key: str) -> str:
    digest = hmac.digest(base64.b32decode(key), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4]) & 0x7FFFFFFF) % 10**6:06}"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_second_factor_is_added_asked_for_and_removed(
    live_server, rita, page: Page, browser, assert_accessible, colours
):
    page.emulate_media(color_scheme=colours)
    sign_in(page, live_server.url)
    page.get_by_role("link", name="Account").click()
    assert_accessible(page)
    shoot(page, f"account-{colours}")
    page.get_by_role("link", name="Add an authenticator").click()
    assert_accessible(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Add an authenticator")).to_be_visible()
    assert_accessible(page)
    shoot(page, f"authenticator-{colours}")
    key = page.locator(".door-card code").inner_text()
    page.get_by_label("code").fill("000000")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".field-error")).to_contain_text("Incorrect code")
    page.get_by_label("code").fill(code_for(key))
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".factor-codes li")).to_have_count(10)
    assert_accessible(page)
    shoot(page, f"codes-{colours}")
    spare = page.locator(".factor-codes li").first.inner_text()

    other = browser.new_context(color_scheme=colours).new_page()
    sign_in(other, live_server.url)
    expect(other.get_by_role("heading", name="The second factor")).to_be_visible()
    assert_accessible(other)
    other.get_by_label("Code").fill(spare)
    other.get_by_role("button", name="Go on").click()
    expect(other.get_by_role("heading", name="Dashboard")).to_be_visible()

    page.goto(f"{live_server.url}/account/")
    expect(page.get_by_text("9 recovery codes left")).to_be_visible()
    page.get_by_role("button", name="End the session").click()
    expect(page.get_by_text("Sessions ended: 1")).to_be_visible()
    other.goto(f"{live_server.url}/review/")
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
    other.context.close()
    page.get_by_role("link", name="Remove the authenticator").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("link", name="Add an authenticator")).to_be_visible()


def virtual_key(page: Page) -> None:
    """Plug a security key into a window that answers by itself, as one does whose owner touches it."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("WebAuthn.enable")
    kind = {"protocol": "ctap2", "transport": "usb", "hasResidentKey": False, "hasUserVerification": False}
    protocol.send("WebAuthn.addVirtualAuthenticator", {"options": kind | {"isUserPresenceSimulated": True}})


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_security_key_is_added_asked_for_and_removed(live_server, rita, page: Page, assert_accessible, colours):
    page.emulate_media(color_scheme=colours)
    virtual_key(page)
    sign_in(page, live_server.url)
    page.get_by_role("link", name="Account").click()
    expect(page.get_by_text(f"under this address alone: {live_server.url}")).to_be_visible()
    page.get_by_role("link", name="Add a security key").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Add a security key")).to_be_visible()
    assert_accessible(page)
    shoot(page, f"key-{colours}")
    page.get_by_role("button", name="Ask the key").click()
    expect(page.locator(".factor-codes li")).to_have_count(10)

    page.goto(f"{live_server.url}/account/")
    expect(page.get_by_text("Security key 1")).to_be_visible()
    assert_accessible(page)
    shoot(page, f"account-key-{colours}")
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, live_server.url)
    expect(page.get_by_role("heading", name="The second factor")).to_be_visible()
    page.goto(f"{live_server.url}/review/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(page, live_server.url)
    assert_accessible(page)
    shoot(page, f"key-asked-{colours}")
    page.get_by_role("button", name="Ask the key").click()
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()

    page.goto(f"{live_server.url}/account/")
    expect(page.get_by_text("added just now, last used just now")).to_be_visible()
    page.get_by_role("link", name="Remove security key 1").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Remove security key 1")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("The password alone opens this account.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, live_server.url)
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()


def test_another_key_opens_nothing_and_a_recovery_code_does(live_server, rita, page: Page, browser):
    virtual_key(page)
    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/account/key/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Ask the key").click()
    spare = page.locator(".factor-codes li").first.inner_text()

    other = browser.new_context().new_page()
    virtual_key(other)
    sign_in(other, live_server.url)
    other.get_by_role("button", name="Ask the key").click()
    expect(other.get_by_text("The key did not answer, or is not one of this account.")).to_be_visible()
    other.get_by_label("Code").fill(spare)
    other.get_by_role("button", name="Go on").click()
    expect(other.get_by_role("heading", name="Dashboard")).to_be_visible()
    other.context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_forgotten_password_and_too_many_tries(live_server, rita, page: Page, assert_accessible, colours):
    page.emulate_media(color_scheme=colours)
    User.objects.update(email="rita@example.org")
    for _ in range(5):
        sign_in(page, live_server.url, "wrong")
    expect(page.get_by_role("heading", name="Too many tries")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Ask for a new password").click()
    assert_accessible(page)
    shoot(page, f"forgotten-{colours}")
    page.get_by_label("Email").fill("rita@example.org")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look at your mail")).to_be_visible()
    assert_accessible(page)
    link = next(word for word in mail.outbox[0].body.split() if word.startswith("http"))
    page.goto(live_server.url + "/password/" + link.split("/password/")[1])
    assert_accessible(page)
    page.get_by_label("New password", exact=True).fill("another-long-one")
    page.get_by_label("confirmation").fill("another-long-one")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("heading", name="The password is set")).to_be_visible()
    assert_accessible(page)
