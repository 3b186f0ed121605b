"""`make screens`: a picture of every page, wide and on a phone, light and dark, in both languages: of the demo, and with
nothing in it yet (in `empty/`)."""

import os
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.browser.shown import Shown, cookies, of_an_empty_tenant, of_the_demo

pytestmark = [pytest.mark.screens, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"
WIDTHS = {1440: 900, 390: 844}
NARROWEST = {390: 360}  # a phone of which no page may be wider
COLOURS: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
LANGUAGES = os.environ.get("SCREENS", "en zh-hans").split()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("pages", "folder"), [(of_the_demo, "."), (of_an_empty_tenant, "empty")], ids=["demo", "empty"]
)
def test_every_page_is_pictured_and_none_scrolls_sideways(
    transactional_db, browser: Browser, live_server, pages, folder, language
):
    sideways = pictured(pages(language), browser, live_server.url, language, FOLDER / language / folder)

    assert sideways == []


def pictured(pages: list[Shown], browser: Browser, url: str, language: str, folder: Path) -> list[tuple[str, int]]:
    """Write a picture of every page in every look, and return what is wider than its screen."""
    folder.mkdir(parents=True, exist_ok=True)
    sideways = []
    for width, colours, shown in product(WIDTHS, COLOURS, pages):
        context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=colours)
        context.add_cookies(cookies(shown, language, url))
        page = context.new_page()
        page.goto(url + shown.address)
        page.screenshot(path=folder / f"{shown.name}-{width}-{colours}.png", full_page=True)
        page.set_viewport_size({"width": NARROWEST.get(width, width), "height": WIDTHS[width]})
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            sideways.append((shown.address, width))
        context.close()
    return sideways
