"""Every page of the demo, as everybody who works in it sees it, against WCAG 2.2: no rule off, no element left out."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.shown import cookies, of_an_empty_tenant, of_the_demo

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(
    ("pages", "language"), [(of_the_demo, "en"), (of_the_demo, "zh-hans"), (of_an_empty_tenant, "zh-hans")]
)
def test_every_page_is_accessible_to_everybody(
    transactional_db, browser: Browser, live_server, assert_accessible: Callable[[Page], None], pages, language, colours
):
    failed = {}
    for shown in pages(language):
        context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=colours)
        context.add_cookies(cookies(shown, language, live_server.url))
        page = context.new_page()
        page.goto(live_server.url + shown.address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        try:
            assert_accessible(page)
        except AssertionError as error:
            failed[shown.address] = str(error)[:600]
        context.close()

    assert failed == {}
