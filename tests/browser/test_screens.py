"""`make screens`: a picture of every page, wide and on a phone, light and dark, in both languages: of the demo, and with
nothing in it yet (in `empty/`)."""

import os
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser

from governance.erasure.models import ForgetRequest
from governance.ledger import sealing
from governance.ledger.outbox import drain
from tests.browser.crawl import every_page
from tests.factories import a_tenant
from tests.web.people import a_member

pytestmark = [pytest.mark.screens, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"
WIDTHS = {1440: 900, 390: 844}
NARROWEST = {390: 360}  # a phone of which no page may be wider
COLOURS: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
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
def test_every_page_of_the_demo_is_pictured_and_none_scrolls_sideways(
    transactional_db, browser: Browser, live_server, language
):
    sealing.forget_known_keys()
    call_command("demo", stdout=StringIO())
    worked()
    clients = {name: a_client(name, language) for name in PEOPLE}
    pages = [Shown(None, name, address) for name, address in DOOR.items()]
    for who, more in {name: set_up(name, clients) for name in PEOPLE}.items():
        known = {page.name for page in pages}
        found = every_page(clients[who]) | more
        pages += [Shown(clients[who], name, address) for name, address in found.items() if name not in known]

    sideways = pictured(pages, browser, live_server.url, language, FOLDER / language)

    assert sideways == []
    assert {"forget-intake", "forget-request", "erasure-report", "person", "policy-draft"} <= {p.name for p in pages}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_with_nothing_in_it_is_pictured(transactional_db, browser: Browser, live_server, language):
    sealing.forget_known_keys()
    a_member(a_tenant("acme"), "rita", "reviewer", "administrator", "resolver", "compliance")
    client = a_client("rita", language)
    pages = [Shown(client, name, address) for name, address in every_page(client).items()]

    sideways = pictured(pages, browser, live_server.url, language, FOLDER / language / "empty")

    assert sideways == []
    assert {"dashboard", "review-queue", "memories", "conflicts", "forget-requests"} <= {p.name for p in pages}


@dataclass(frozen=True)
class Shown:
    """A page, and who looks at it; None: nobody who has signed in."""

    client: Client | None
    name: str
    address: str


def pictured(pages: list[Shown], browser: Browser, url: str, language: str, folder: Path) -> list[tuple[str, int]]:
    """Write a picture of every page in every look, and return what is wider than its screen."""
    folder.mkdir(parents=True, exist_ok=True)
    sideways = []
    for width, colours, shown in product(WIDTHS, COLOURS, pages):
        context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=colours)
        session = {"sessionid": session_of(shown.client)} if shown.client else {}
        cookies = {"django_language": language} | session
        context.add_cookies([{"name": n, "value": v, "url": url} for n, v in cookies.items()])
        page = context.new_page()
        page.goto(url + shown.address)
        page.screenshot(path=folder / f"{shown.name}-{width}-{colours}.png", full_page=True)
        page.set_viewport_size({"width": NARROWEST.get(width, width), "height": WIDTHS[width]})
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            sideways.append((shown.address, width))
        context.close()
    return sideways


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
