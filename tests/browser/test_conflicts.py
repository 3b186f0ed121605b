"""The conflict desk in a real browser: each choice, what recall then gives, and the way back."""

import pytest
from playwright.sync_api import Browser, Page, expect

from governance.candidates import actions as candidates
from governance.conflicts.models import Conflict
from governance.ledger import sealing
from governance.memories.models import Memory
from governance.retrieval import actions as retrieval
from governance.retrieval.answers import Question
from governance.scopes.rules import Actor, ScopeSpec
from tests.factories import a_conflict as rival_of
from tests.factories import a_memory, a_project, a_tenant, an_agent, indexed, revised
from tests.web.people import a_conflict, a_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
KEY = "environment.prod.database"


@pytest.fixture
def agent(transactional_db) -> Actor:
    sealing.forget_known_keys()
    tenant = a_tenant("acme")
    a_member(tenant, "rosa", "resolver")
    a_member(tenant, "remo", "resolver")
    return an_agent(tenant)


@pytest.fixture
def conflict(agent) -> Conflict:
    return a_conflict(agent)


def recalled(agent: Actor, *keys: str) -> dict:
    """Return what an agent is given for some keys: values by key, and the values in dispute."""
    indexed()
    given = retrieval.recall(Question(user="ann", keys=keys or (KEY,)), by=agent)
    return {
        "values": {m.view.key: m.view.value for m in given.memories},
        "disputed": [[c["value"] for c in one.claims] for one in given.conflicts],
    }


def keep(page: Page) -> None:
    page.get_by_role("button", name="Keep B").click()


def split_by_key(page: Page) -> None:
    page.locator("summary", has_text="by key").click()
    page.get_by_label("Key of B").fill("environment.dev.database")
    expect(page.locator("#preview-key")).to_contain_text("environment.dev.database")
    expect(page.locator("#preview-key")).to_contain_text("MySQL from now on")
    page.get_by_role("button", name="Keep both").click()


def split_by_time(page: Page) -> None:
    page.locator("summary", has_text="by time").click()
    page.get_by_label("A from").fill("2026-01-01")
    page.get_by_label("A, last day").fill("2026-06-30")
    page.get_by_label("B from").fill("2026-07-01")
    expect(page.locator("#preview-time")).to_contain_text("MySQL")
    page.get_by_role("button", name="Keep both").click()


def merge(page: Page) -> None:
    page.locator("summary", has_text="Merge").click()
    page.get_by_label("Value").fill("MySQL, moving to PostgreSQL")
    expect(page.locator("#preview-merge")).to_contain_text("moving to PostgreSQL from now on")
    page.get_by_role("button", name="Merge", exact=True).click()


def none(page: Page) -> None:
    page.locator("summary", has_text="None of them").click()
    page.get_by_role("button", name="Keep none").click()


CHOICES = [
    (keep, {KEY: "MySQL"}),
    (split_by_key, {KEY: "PostgreSQL", "environment.dev.database": "MySQL"}),
    (split_by_time, {KEY: "MySQL"}),
    (merge, {KEY: "MySQL, moving to PostgreSQL"}),
    (none, {}),
]


@pytest.mark.parametrize(("choose", "values"), CHOICES, ids=[choose.__name__ for choose, _ in CHOICES])
def test_a_choice_is_what_recall_gives_until_it_is_taken_back(
    agent, conflict, sign_in, page, live_server, choose, values
):
    both = (KEY, "environment.dev.database")
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/")
    page.get_by_role("link", name="PostgreSQL or MySQL").click()

    choose(page)
    expect(page.get_by_text("Settled by")).to_be_visible()

    assert recalled(agent, *both) == {"values": values, "disputed": []}

    page.locator("summary", has_text="Reverse").click()
    page.get_by_label("Why it is taken back").fill("asked the wrong team")
    page.get_by_role("button", name="Reverse the resolution").click()
    expect(page.get_by_text("the claims are open again")).to_be_visible()

    assert recalled(agent, *both) == {"values": {}, "disputed": [["PostgreSQL", "MySQL"]]}


def test_asking_gives_agents_both_claims_and_the_question(agent, conflict, sign_in, page, live_server):
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/{conflict.id}/")

    page.keyboard.press("q")
    expect(page.get_by_text("The question is put")).to_be_visible()

    assert recalled(agent)["disputed"] == [["PostgreSQL", "MySQL"]]
    assert Conflict.objects.get(pk=conflict.pk).status == "asked"


def test_it_is_settled_by_keys_alone(agent, sign_in, page, live_server):
    first, second = a_conflict(agent), a_conflict(agent, key="environment.dev.database")
    sign_in(page, "rosa")

    page.goto(f"{live_server.url}/conflicts/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_be_focused()
    page.keyboard.press("s")
    expect(page.locator("code", has_text="environment.dev.database").first).to_be_visible()
    page.keyboard.press("2")
    expect(page.get_by_text("Settled by")).to_be_visible()

    assert [Conflict.objects.get(pk=c.pk).status for c in (first, second)] == ["open", "resolved"]


def test_a_stale_item_is_refused_with_the_new_state(agent, conflict, sign_in, page, browser: Browser, live_server):
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/{conflict.id}/")
    other = browser.new_context()
    quick = sign_in(other.new_page(), "remo")
    quick.goto(f"{live_server.url}/conflicts/{conflict.id}/")
    quick.keyboard.press("1")
    expect(quick.get_by_text("Settled by")).to_be_visible()

    page.get_by_role("button", name="Keep B").click()

    expect(page.get_by_role("alert")).to_contain_text("decided already")
    expect(page.get_by_text("Settled by")).to_contain_text("remo")
    assert recalled(agent)["values"] == {KEY: "PostgreSQL"}
    other.close()


def test_everything_works_without_scripts(agent, conflict, sign_in, browser: Browser, live_server):
    context = browser.new_context(java_script_enabled=False)
    page = sign_in(context.new_page(), "rosa")
    page.goto(f"{live_server.url}/conflicts/{conflict.id}/")

    page.locator("summary", has_text="by key").click()
    page.get_by_label("Key of B").fill("environment.dev.database")
    page.locator("form", has=page.get_by_label("Key of B")).get_by_role("button", name="Preview").click()
    expect(page.locator("#preview-key")).to_contain_text("environment.dev.database")
    page.get_by_role("button", name="Keep both").click()

    expect(page.get_by_text("Settled by")).to_be_visible()
    assert Memory.objects.count() == 2
    context.close()


def every_page(agent: Actor) -> list[str]:
    open_one, settled = a_conflict(agent), a_conflict(agent, key="diet." + "x" * 120, always=True)
    memory = a_memory(agent, "Tea. " * 40, key="drink", value="tea")
    for i in range(30):
        memory.refresh_from_db()
        revised(agent, memory, f"Drink {i}.", key="drink", value=f"d{i}")
    chosen = f"/memories/{memory.id}/?as_of=2026-01-01T10:00&known_at=2026-02-01T10:00"
    lists = ["/conflicts/", "/conflicts/?order=weight", "/conflicts/?status=resolved"]
    return [*lists, f"/conflicts/{open_one.id}/", f"/conflicts/{settled.id}/", f"/memories/{memory.id}/", chosen]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_page_is_accessible(agent, sign_in, page, live_server, assert_accessible, colours):
    pages = every_page(agent)
    page.emulate_media(color_scheme=colours)
    sign_in(page, "rosa")

    for address in pages:
        page.goto(live_server.url + address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        assert_accessible(page)


@pytest.mark.parametrize("width", [360, 768, 1000, 1440])
def test_no_page_scrolls_sideways(agent, sign_in, page, live_server, width):
    pages = every_page(agent)
    sign_in(page, "rosa")
    page.set_viewport_size({"width": width, "height": 800})

    wider = {}
    for address in pages:
        page.goto(live_server.url + address)
        wider[address] = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    assert {address: by for address, by in wider.items() if by > 0} == {}


def a_shared_conflict(agent: Actor) -> Conflict:
    """Return a conflict of a whole project: a business system and a tool disagree, ann takes part."""
    a_project(agent, "apollo", members=["ann"])
    scope = ScopeSpec("project", project="apollo")
    memory = a_memory(agent, "PostgreSQL.", key=KEY, value="PostgreSQL", scope=scope, source_type="business_system")
    return rival_of(agent, memory, "MySQL")


def recalled_in(agent: Actor, project: str) -> dict:
    indexed()
    given = retrieval.recall(Question(user="ann", project=project, keys=(KEY,)), by=agent)
    return {
        "values": {m.view.scope["level"]: m.view.value for m in given.memories},
        "disputed": [[c["value"] for c in one.claims] for one in given.conflicts],
    }


def test_keeping_both_by_scope_is_what_recall_gives_until_it_is_taken_back(agent, sign_in, page, live_server):
    conflict = a_shared_conflict(agent)
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/{conflict.id}/")

    page.locator("summary", has_text="by scope").click()
    page.get_by_label("B holds for").select_option("user")
    page.get_by_label("B: id of the user").fill("ann")
    expect(page.locator("#preview-scope")).to_contain_text("MySQL")
    page.get_by_role("button", name="Keep both").click()
    expect(page.get_by_text("Settled by")).to_be_visible()

    assert recalled_in(agent, "apollo")["disputed"] == []
    assert "MySQL" in recalled_in(agent, "apollo")["values"].values()

    page.locator("summary", has_text="Reverse").click()
    page.get_by_label("Why it is taken back").fill("it holds for everybody")
    page.get_by_role("button", name="Reverse the resolution").click()
    expect(page.get_by_text("the claims are open again")).to_be_visible()

    assert recalled_in(agent, "apollo") == {"values": {}, "disputed": [["PostgreSQL", "MySQL"]]}


def test_the_list_refreshes_itself_and_the_focus_stays(agent, conflict, sign_in, page, live_server):
    page.clock.install()
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/")
    page.locator(f"#open-{conflict.id}").focus()
    page.get_by_label("Order").evaluate("(one) => { one.value = 'weight' }")  # chosen, not yet sent
    a_conflict(agent, key="environment.dev.database")

    page.clock.fast_forward(11_000)
    expect(page.locator("[data-item]")).to_have_count(2)

    expect(page.locator(f"#open-{conflict.id}")).to_be_focused()
    assert page.get_by_label("Order").input_value() == "weight"


def test_who_is_typing_is_told_that_it_was_settled_and_loses_nothing(agent, conflict, sign_in, page, live_server):
    page.clock.install()
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/{conflict.id}/")
    page.locator("summary", has_text="Merge").click()
    page.get_by_label("Value").fill("half a thou")
    candidates.resolve(
        conflict,
        candidates.Resolution("none"),
        expected=conflict.version,
        by=a_member(conflict.tenant, "ines", "resolver"),
    )

    page.clock.fast_forward(11_000)
    expect(page.locator("#moved")).to_contain_text("ines has settled this meanwhile")

    expect(page.get_by_label("Value")).to_be_focused()
    assert page.get_by_label("Value").input_value() == "half a thou"


def test_alike_keys_are_made_one_and_the_difference_is_settled(agent, sign_in, page, live_server):
    a_memory(agent, "Red.", key="preference.favourite.colour", value="red")
    a_memory(agent, "Blue.", key="favorite.color", value="blue")
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/conflicts/keys/")

    one = page.locator(".alike-one", has_text="favourite")
    one.get_by_role("button", name="Keep this key").click()
    expect(page.get_by_text("choose what holds").first).to_be_visible()
    page.locator("article", has_text="blue").get_by_role("button", name="Keep").click()
    expect(page.get_by_text("Settled by")).to_be_visible()

    keys = ("preference.favourite.colour", "favorite.color")
    assert recalled(agent, *keys) == {"values": {"preference.favourite.colour": "blue"}, "disputed": []}


@pytest.mark.parametrize("versions", [1, 200])
def test_a_timeline_is_readable_with_one_and_with_two_hundred_versions(agent, sign_in, page, live_server, versions):
    memory = a_memory(agent, "Drink 1.", key="drink", value="d1")
    for n in range(2, versions + 1):
        memory = revised(agent, memory, f"Drink {n}.", key="drink", value=f"d{n}")
    sign_in(page, "rosa")
    page.goto(f"{live_server.url}/memories/{memory.id}/")

    bars = page.locator(".span-bars rect.span-stated")
    table = page.locator(".span-table tbody tr")
    heights = page.eval_on_selector_all(
        ".span-bars rect.span-stated", "(all) => all.map((r) => r.getBoundingClientRect().height)"
    )

    assert bars.count() == table.count() == versions
    assert min(heights) >= 2
    assert page.locator(".span-bars").bounding_box()["height"] <= 900
