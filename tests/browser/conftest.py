"""A real Chromium on a live server; what the console reports as an error fails the test."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest
from django.core.cache import cache
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.people import PASSWORD

# Playwright's synchronous API runs an event loop in this thread, and Django takes that for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

DECISIONS = ("/approve/", "/edit/", "/reject/")
AXE = Path(__file__).with_name("axe") / "axe.min.js"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


def _chromium() -> str:
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if not found:
        pytest.fail("no Chromium: run `make test-browser`, or set CHROMIUM to its path", pytrace=False)
    return found


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    """Let no sign-in of an earlier test count."""
    cache.clear()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_chromium(), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new window of 1440 x 900; a content security violation or a script error fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(10_000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if _is_fault(message) else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert said == []


def _is_fault(message) -> bool:
    # An answer of 4xx is what many tests are about; the browser and htmx report it as an error of their own.
    expected = ("the server responded with a status of 4", "Response Status Error Code 4")
    return message.type == "error" and not any(said in message.text for said in expected)


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Give a check of the page as it is now against WCAG 2.2 A and AA (axe-core 4.14.1, MPL-2.0, in `axe/`)."""

    def check(page: Page) -> None:
        page.evaluate(AXE.read_text())
        result = page.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
        )
        found = [(one["id"], node["html"]) for one in result["violations"] for node in one["nodes"]]
        assert found == []

    return check


@pytest.fixture
def server_times(monkeypatch, record_property) -> Iterator[list[float]]:
    """Give the milliseconds the server was at each decision; their number and median stand below the tests."""
    times: list[float] = []
    get_response = BaseHandler.get_response

    def timed(handler: BaseHandler, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(handler, request)
        if request.method == "POST" and request.path.endswith(DECISIONS):
            times.append((time.perf_counter() - began) * 1000)
        return response

    monkeypatch.setattr(BaseHandler, "get_response", timed)
    yield times
    record_property("measured", f"{len(times)} decisions, median server time {median(times or [0]):.0f} ms")


@pytest.fixture
def sign_in(live_server) -> Callable[..., Page]:
    """Give the way in by the door: `sign_in(page, name)` returns the page on the dashboard."""

    def enter(page: Page, name: str = "rita") -> Page:
        page.goto(f"{live_server.url}/sign-in/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{live_server.url}/")
        return page

    return enter
