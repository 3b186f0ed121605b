"""`make screens`: a picture of every page of the demo, wide and on a phone, light and dark, in both languages."""

import os
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser

from governance.erasure.models import ForgetRequest
from governance.ledger import sealing
from governance.ledger.outbox import drain
from tests.browser.crawl import every_page

pytestmark = [pytest.mark.screens, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"
WIDTHS = {1440: 900, 360: 780}
LANGUAGES = os.environ.get("SCREENS", "en zh-hans").split()
# Who looks at the pages: what one of them has seen is not pictured again for the next.
PEOPLE = ("admin", "reviewer", "compliance", "auditor", "operator")
DOOR = {
    "sign-in": "/sign-in/",
    "password-forgotten": "/password/",
    "password-sent": "/password/sent/",
    "password-link-gone": "/password/MQ/set-password/",
    "password-done": "/password/done/",
    "nothing-there": "/nowhere/",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_page_is_pictured_and_none_scrolls_sideways(
    transactional_db, browser: Browser, live_server, width, colours, language
):
    sealing.forget_known_keys()
    call_command("demo", stdout=StringIO())
    worked()
    clients = {name: a_client(name, language) for name in PEOPLE}
    folder = FOLDER / language
    folder.mkdir(parents=True, exist_ok=True)
    pages = [(None, name, address) for name, address in DOOR.items()]
    for who, more in {name: set_up(name, clients) for name in PEOPLE}.items():
        known = {name for _, name, _ in pages}
        found = every_page(clients[who]) | more
        pages += [(who, name, address) for name, address in found.items() if name not in known]

    sideways = []
    for who, name, address in pages:
        context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=colours)
        cookies = {"django_language": language} | ({"sessionid": session_of(clients[who])} if who else {})
        context.add_cookies([{"name": n, "value": v, "url": live_server.url} for n, v in cookies.items()])
        page = context.new_page()
        page.goto(live_server.url + address)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            sideways.append((who, address))
        page.screenshot(path=folder / f"{name}-{width}-{colours}.png", full_page=True)
        context.close()

    assert sideways == []
    assert {"forget-intake", "forget-request", "erasure-report", "person", "policy-draft"} <= {n for _, n, _ in pages}


def worked() -> None:
    while drain():
        pass


def a_client(name: str, language: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    client.cookies["django_language"] = language
    return client


def session_of(client: Client) -> str:
    return client.cookies["sessionid"].value


def set_up(name: str, clients: dict[str, Client]) -> dict[str, str]:
    """Make what a page of somebody needs to be there, and return the pages that no link leads to."""
    if name == "admin":
        clients["admin"].post("/policy/draft/begin/")
    if name != "compliance":
        return {}
    request = ForgetRequest.objects.get()
    a_client("privacy", "en").post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()
    return {"person": clients[name].post("/people/find/", {"user": "maria"}).headers["Location"]}
