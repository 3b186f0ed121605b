"""Looking memories up, changing them, and the versions both depend on."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.told import LIN, NOBODY, correction, everything, language, pointers
from tests.flows.world import Agent, World


def test_a_memory_says_what_it_is_and_where_it_comes_from(agent: Agent):
    memory = language(agent)

    assert memory["id"].startswith("mem_")
    assert (memory["version"], memory["latest_version"], memory["status"]) == (1, 1, "active")
    assert memory["scope"] == LIN
    assert (memory["key"], memory["value"], memory["kind"]) == ("language", "English", "semantic")
    assert memory["source"]["type"] == "user_explicit"
    assert memory["source"]["evidence"][0]["quote"] == "From now on answer in English."
    assert memory["valid_from_assumed"] is True
    assert memory["stale"] is False
    assert "authorises" not in memory


def test_the_etag_is_the_latest_version(agent: Agent):
    memory = language(agent)

    response = agent.send("get", f"memories/{memory['id']}")

    assert response["ETag"] == '"1"'
    assert response["Cache-Control"] == "no-store, private"


def test_its_head_alone_can_be_asked(agent: Agent):
    memory = language(agent)

    response = agent.http.head(f"/api/v1/memories/{memory['id']}")

    assert (response.status_code, response["ETag"]) == (200, '"1"')


@pytest.mark.parametrize("named", ['"1"', 'W/"1"'])
def test_if_match_names_the_version_even_when_a_proxy_weakened_it(agent: Agent, named: str):
    memory = language(agent)

    response = agent.send("patch", f"memories/{memory['id']}", correction(agent), If_Match=named)

    assert response.status_code == 200
    assert response["ETag"] == '"2"'
    assert response.json()["value"] == "German"


@pytest.mark.parametrize("named", ["*", "1", '"one"', '"1", "2"', ""])
def test_an_if_match_that_names_no_version_is_428(agent: Agent, named: str):
    memory = language(agent)
    change = correction(agent)
    before = everything()

    response = agent.send("patch", f"memories/{memory['id']}", change, If_Match=named)

    assert response.status_code == 428
    assert everything() == before


def test_a_header_that_names_no_version_of_ours_is_passed_over_beside_the_body(agent: Agent):
    memory = language(agent)
    change = {**correction(agent), "expected_version": 1}

    response = agent.send("patch", f"memories/{memory['id']}", change, If_Match='"1-gzip"')

    assert response.status_code == 200


@pytest.mark.parametrize("path", ["", "?expected_version=1", "?expected_version=2"])
def test_two_versions_that_disagree_are_refused_and_both_named(agent: Agent, path: str):
    memory = language(agent)
    change = {**correction(agent), **({} if path else {"expected_version": 1})}
    before = everything()

    response = agent.send(
        "patch", f"memories/{memory['id']}{path}", change, If_Match='"2"' if "=2" not in path else '"1"'
    )

    assert response.status_code == 422
    (wrong,) = response.json()["errors"]
    assert wrong["pointer"] == "/expected_version"
    assert "`If-Match`" in wrong["detail"] and "`expected_version` of the" in wrong["detail"]
    assert everything() == before


def test_a_stale_version_is_409_and_names_the_latest(agent: Agent):
    memory = language(agent)
    agent.ask("patch", f"memories/{memory['id']}", {**correction(agent), "expected_version": 1})
    late = {**correction(agent, "French"), "expected_version": 1}
    before = everything()

    response = agent.send("patch", f"memories/{memory['id']}", late)

    assert response.status_code == 409
    assert response.json()["type"] == "urn:problem:stale-version"
    assert response.json()["current_version"] == 2
    assert everything() == before


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_an_empty_value_is_no_way_to_delete(agent: Agent, value):
    memory = language(agent)
    change = {**correction(agent), "value": value, "expected_version": 1}
    before = everything()

    response = agent.send("patch", f"memories/{memory['id']}", change)

    assert response.status_code == 422
    assert pointers(response) == ["/value"]
    assert everything() == before


def test_a_change_that_names_nothing_is_refused(agent: Agent):
    memory = language(agent)
    before = everything()

    response = agent.send("patch", f"memories/{memory['id']}", {"expected_version": 1, "note": "Just so."})

    assert response.status_code == 422
    assert everything() == before


def test_an_ungrounded_change_waits_for_a_person(agent: Agent):
    memory = language(agent)

    waiting = agent.ask("patch", f"memories/{memory['id']}", {"expected_version": 1, "value": "Dutch"}, status=202)

    assert (waiting["status"], waiting["operation"]) == ("pending", "revise")
    assert waiting["target"] == {"id": memory["id"], "version": 1}
    assert agent.ask("get", f"memories/{memory['id']}")["value"] == "English"


@pytest.mark.parametrize("where", ["body", "address", "header"])
def test_a_retraction_is_answered_with_the_tombstone(agent: Agent, where: str):
    memory = language(agent)
    path = f"memories/{memory['id']}"
    calls = {
        "body": lambda: agent.send("delete", path, {"expected_version": 1, "reason": "delete-request"}),
        "address": lambda: agent.send("delete", f"{path}?expected_version=1"),
        "header": lambda: agent.send("delete", path, If_Match='"1"'),
    }

    gone = calls[where]()

    assert gone.status_code == 200, gone.content
    assert (gone.json()["status"], gone.json()["version"], gone["ETag"]) == ("retracted", 2, '"2"')
    assert (gone.json()["value"], gone.json()["content"], gone.json()["key"]) == (None, "", "")


def test_what_is_retracted_is_given_to_no_agent_at_whatever_moment_it_asks(agent: Agent):
    memory = language(agent)
    agent.ask("delete", f"memories/{memory['id']}", {"expected_version": 1})

    answers = [
        agent.send("get", f"memories/{memory['id']}"),
        agent.send("get", f"memories/{memory['id']}/versions"),
        agent.http.get(f"/api/v1/memories/{memory['id']}?as_of={memory['recorded_at']}"),
        agent.http.get(f"/api/v1/memories/{memory['id']}?known_at={memory['recorded_at']}"),
        agent.http.get(f"/api/v1/memories?known_at={memory['recorded_at']}"),
    ]

    assert all("English" not in a.content.decode() for a in answers)
    assert [v["version"] for v in answers[1].json()["results"]] == [1, 2]


def test_what_is_retracted_is_changed_no_more_until_a_version_of_it_is_restored(agent: Agent):
    memory = language(agent)
    agent.ask("delete", f"memories/{memory['id']}", {"expected_version": 1})
    before = everything()

    again = agent.send("delete", f"memories/{memory['id']}", {"expected_version": 2})
    changed = agent.send("patch", f"memories/{memory['id']}", {"expected_version": 2, "value": "Dutch"})
    left = everything()
    restored = agent.ask("post", f"memories/{memory['id']}/restore", {"expected_version": 2, "number": 1})

    for refused in (again, changed):
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:problem:retracted")
        assert refused.json()["current_version"] == 2 and "restore" in refused.json()["detail"]
    assert left == before
    assert (restored["version"], restored["status"], restored["value"]) == (3, "active", "English")


def test_an_old_version_is_restored_as_a_new_one(agent: Agent):
    memory = language(agent)
    agent.ask("patch", f"memories/{memory['id']}", {**correction(agent), "expected_version": 1})

    restored = agent.ask("post", f"memories/{memory['id']}/restore", {"expected_version": 2, "number": 1})

    assert (restored["version"], restored["value"], restored["reason"]) == (3, "English", "restored")


def test_a_version_there_is_not_cannot_be_restored(agent: Agent):
    memory = language(agent)
    before = everything()

    response = agent.send("post", f"memories/{memory['id']}/restore", {"expected_version": 1, "number": 4})

    assert response.status_code == 422
    assert pointers(response) == ["/number"]
    assert everything() == before


def test_versions_come_page_by_page_oldest_first(agent: Agent):
    memory = language(agent)
    for number, value in enumerate(("German", "French", "Dutch"), start=1):
        agent.ask("patch", f"memories/{memory['id']}", {**correction(agent, value), "expected_version": number})

    first = agent.ask("get", f"memories/{memory['id']}/versions?limit=3")
    second = agent.http.get(first["next"]).json()

    assert [v["value"] for v in first["results"]] == ["English", "German", "French"]
    assert [(v["version"], v["reason"]) for v in second["results"]] == [(4, "correction")]
    assert second["next"] is None


def test_events_tell_what_happened_without_words(agent: Agent):
    memory = language(agent)
    agent.ask("delete", f"memories/{memory['id']}", {"expected_version": 1})

    events = agent.ask("get", f"memories/{memory['id']}/events")["results"]

    assert [e["type"] for e in events if e["type"] != "about-added"] == ["version-written", "memory-retracted"]
    assert events[0]["actor"].startswith("agent:")
    assert events[0]["correlation_id"]
    assert "English" not in str(events)


def test_events_need_the_grant_to_inspect(world: World, agent: Agent):
    memory = language(agent)
    plain = world.agent("plain")

    assert plain.send("get", f"memories/{memory['id']}").status_code == 200
    assert plain.send("get", f"memories/{memory['id']}/events").status_code == 403
    assert plain.send("get", "memories").status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "memories/{}", None),
        ("get", "memories/{}/versions", None),
        ("get", "memories/{}/events", None),
        ("patch", "memories/{}", {"expected_version": 1, "value": "x"}),
        ("delete", "memories/{}", {"expected_version": 1}),
        ("post", "memories/{}/restore", {"expected_version": 1, "number": 1}),
    ],
)
def test_a_memory_of_another_tenant_is_like_one_that_never_was(agent, stranger, method, path, body):
    memory = language(agent)
    before = everything()

    foreign = stranger.send(method, path.format(memory["id"]), body)
    unknown = stranger.send(method, path.format(f"mem_{NOBODY}"), body)

    told = [{k: v for k, v in r.json().items() if k != "request_id"} for r in (foreign, unknown)]
    assert foreign.status_code == unknown.status_code == 404
    assert told[0] == told[1]
    assert everything() == before


def test_what_held_and_what_was_known_then_can_be_asked(agent: Agent):
    memory = language(agent)
    revised = agent.ask("patch", f"memories/{memory['id']}", {**correction(agent), "expected_version": 1})

    then = agent.ask("get", f"memories/{memory['id']}?known_at={memory['recorded_at']}")
    before_all = agent.send("get", f"memories/{memory['id']}?known_at=2001-01-01")

    assert (then["value"], then["version"], then["latest_version"]) == ("English", 1, 2)
    assert revised["value"] == "German"
    assert before_all.status_code == 404


# --- lists ---------------------------------------------------------------------------------------------------------


def test_the_list_holds_what_the_key_may_inspect(world: World, agent: Agent):
    memory = language(agent)
    agent.propose({"level": "agent"}, key="habit", value="tests first")

    assert [m["id"] for m in agent.ask("get", "memories")["results"]] == [memory["id"]]
    assert agent.ask("get", "memories?level=project")["results"] == []
    assert agent.ask("get", "memories?kind=episodic")["results"] == []


def test_the_list_can_be_asked_by_status(agent: Agent):
    kept, gone = language(agent), language(agent, user="maria")
    agent.ask("delete", f"memories/{gone['id']}", {"expected_version": 1})

    active = agent.ask("get", "memories?status=active")["results"]
    retracted = agent.ask("get", "memories?status=retracted")["results"]

    assert [m["id"] for m in active] == [kept["id"]]
    assert [(m["id"], m["value"]) for m in retracted] == [(gone["id"], None)]


def test_words_are_searched_for_in_a_body(agent: Agent):
    lins, marias = language(agent), language(agent, user="maria")

    by_user = agent.ask("post", "memories/search", {"user": "maria"})["results"]
    by_key = agent.ask("post", "memories/search", {"user": "lin", "key": "Language"})["results"]
    by_other_key = agent.ask("post", "memories/search", {"user": "lin", "key": "seat"})["results"]
    by_unseen = agent.ask("post", "memories/search", {"user": "nobody"})["results"]

    assert [m["id"] for m in by_user] == [marias["id"]]
    assert [m["id"] for m in by_key] == [lins["id"]]
    assert (by_other_key, by_unseen) == ([], [])


def test_the_pages_of_a_search_hold_no_words_in_their_addresses(agent: Agent):
    for user in ("lin", "maria"):
        language(agent, user=user)
        agent.state(user, "I always sit at the window.", key="preference.travel.seat", value="window")

    first = agent.ask("post", "memories/search", {"user": "lin", "limit": 1})
    second = agent.http.post(first["next"], {"user": "lin", "limit": 1}, format="json").json()

    assert "lin" not in first["next"]
    assert len(first["results"]) == len(second["results"]) == 1
    assert first["results"][0]["id"] != second["results"][0]["id"]
    assert second["next"] is None


def test_a_key_needs_somebody_whose_key_it_is(agent: Agent):
    response = agent.send("post", "memories/search", {"key": "language"})

    assert response.status_code == 422
    assert pointers(response) == ["/key"]


def test_an_unknown_project_is_404(agent: Agent, stranger: Agent):
    stranger.ask("put", "projects", {"project": "apollo"})

    assert agent.send("post", "memories/search", {"project": "apollo"}).status_code == 404


@pytest.mark.parametrize("path", ["memories?limit=100", "candidates?limit=100"])
def test_a_list_costs_the_same_whatever_its_length(agent: Agent, path: str, django_assert_num_queries):
    def many(numbers: range) -> None:
        for n in numbers:
            agent.state("lin", f"My colour number {n} is blue.", key=f"colour.{n}", value="blue")

    many(range(3))
    agent.ask("get", path)
    with CaptureQueriesContext(connection) as few:
        assert len(agent.ask("get", path)["results"]) == 3
    number = len(few)
    many(range(3, 30))

    with django_assert_num_queries(number):
        found = agent.ask("get", path)["results"]

    assert len(found) == 30


@pytest.mark.parametrize("reason", ["restored", "created"])
def test_a_change_cannot_say_that_it_created_or_restored(agent: Agent, reason):
    memory = agent.state("ann", "From now on answer in English.", key="language", value="English")["memory"]
    change = {"expected_version": 1, "tags": ["a"], "reason": reason}

    assert agent.send("patch", f"memories/{memory['id']}", change).status_code == 422
    assert agent.send("delete", f"memories/{memory['id']}?expected_version=1&reason={reason}").status_code == 422
    assert agent.ask("get", f"memories/{memory['id']}")["latest_version"] == 1
