"""`make screens`: a picture of every page of the demo, wide and on a phone, light and dark, in both languages."""

import os
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser

from governance.ledger import sealing
from governance.ledger.outbox import drain
from tests.browser.crawl import every_page

pytestmark = [pytest.mark.screens, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"
WIDTHS = {1440: 900, 390: 844}
LANGUAGES = os.environ.get("SCREENS", "en zh-hans").split()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_page_is_pictured(transactional_db, browser: Browser, live_server, width, colours, language):
    sealing.forget_known_keys()
    call_command("demo", stdout=StringIO())
    while drain():
        pass
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    client.cookies["django_language"] = language
    context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=colours)
    cookies = {"sessionid": client.cookies["sessionid"].value, "django_language": language}
    context.add_cookies([{"name": n, "value": v, "url": live_server.url} for n, v in cookies.items()])
    page = context.new_page()
    folder = FOLDER / language
    folder.mkdir(parents=True, exist_ok=True)

    for name, address in every_page(client).items():
        page.goto(live_server.url + address)
        page.screenshot(path=folder / f"{name}-{width}-{colours}.png", full_page=True)

    context.close()
    assert list(folder.glob(f"*-{width}-{colours}.png"))
