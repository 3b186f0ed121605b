"""Observations and candidates: told, proposed, confirmed; one at a time and as a list."""

from governance.candidates.models import Candidate
from governance.evidence.models import Observation
from governance.ledger.models import Event
from governance.memories.models import Memory
from tests.api.told import LIN, NOBODY, everything, pointers
from tests.flows.world import Agent, World

SAID = "From now on answer in English."


def grounded(agent: Agent, **changes) -> dict:
    heard = agent.observe("lin", SAID, extract=False)
    evidence = {"observation": heard["id"], "quote": SAID}
    good = {"scope": LIN, "kind": "semantic", "key": "language", "value": "English", "source_type": "user_explicit"}
    return {**good, "evidence": evidence, **changes}


def test_an_observation_is_answered_with_what_the_rules_found(agent: Agent):
    made = agent.ask("post", "observations", {"role": "user", "user": "lin", "text": SAID}, status=201)

    assert made["id"].startswith("obs_")
    assert made["extraction"] == {"state": "done"}
    assert [(c["key"], c["status"]) for c in made["candidates"]] == [("language", "committed")]
    assert agent.ask("get", f"candidates?observation={made['id']}")["results"] == made["candidates"]


def test_without_extraction_the_turn_is_only_kept(agent: Agent):
    made = agent.observe("lin", SAID, extract=False)

    assert (made["candidates"], made["extraction"]) == ([], {"state": "off"})


def test_what_an_assistant_says_is_kept_and_believed_by_nobody(agent: Agent):
    made = agent.observe("lin", SAID, role="assistant")

    assert (made["candidates"], made["extraction"]) == ([], {"state": "off"})


def test_a_secret_is_gone_before_anything_is_stored(agent: Agent):
    made = agent.observe("lin", "My password is hunter2-Correct9Horse.")

    assert made["placeholders"]


def test_an_observation_needs_somebody(agent: Agent):
    before = everything()

    response = agent.send("post", "observations", {"role": "user", "text": "Hi"})

    assert response.status_code == 422
    assert pointers(response) == ["/user"]
    assert everything() == before


def test_an_observation_names_a_recall_of_its_own_agent_alone(world: World, agent: Agent):
    recall = agent.recall(user="lin")["id"]
    other = world.agent("other")
    turn = {"role": "user", "user": "lin", "text": "Thanks."}

    own = agent.send("post", "observations", {**turn, "recall": recall})
    foreign = other.send("post", "observations", {**turn, "recall": recall})
    unknown = other.send("post", "observations", {**turn, "recall": f"rec_{NOBODY}"})

    assert [r.status_code for r in (own, foreign, unknown)] == [201, 404, 404]


def test_a_candidate_says_what_was_proposed_and_what_became_of_it(agent: Agent):
    made = agent.ask("post", "candidates", grounded(agent, tags=["style"], note="Heard twice."), status=201)

    assert (made["status"], made["outcome"], made["policy_version"]) == ("committed", "commit", 1)
    assert made["memory"]["id"].startswith("mem_")
    assert made["memory"]["version"] == 1
    assert set(made["score"]) == {"value", "threshold", "probability", "utility", "reuse", "validity", "cost"}
    assert {"stage", "code", "detail"} <= set(made["reasons"][0])
    assert (made["key"], made["value"], made["tags"], made["note"]) == (
        "language",
        "English",
        ["style"],
        "Heard twice.",
    )
    assert made["evidence"]["quote"] == SAID
    assert agent.ask("get", f"candidates/{made['id']}") == made


def test_an_agents_guess_waits_for_a_person(agent: Agent):
    made = agent.propose(LIN, key="language", value="English")

    assert (made["status"], made["outcome"], made["source_type"], made["memory"]) == (
        "pending",
        "review",
        "agent_guess",
        None,
    )


def test_trust_comes_from_the_evidence_and_not_from_the_payload(agent: Agent):
    claimed = {**grounded(agent), "evidence": {}, "confidence": 0.99}

    made = agent.ask("post", "candidates", claimed, status=201)

    assert made["claimed_source_type"] == "user_explicit"
    assert made["source_type"] == "agent_guess"
    assert made["confidence"] <= 0.4


def test_a_dry_run_gives_the_verdict_and_stores_nothing(agent: Agent):
    body = grounded(agent)
    before = everything()

    tried = agent.ask("post", "candidates?dry_run=true", body)

    assert (tried["id"], tried["outcome"]) == (None, "commit")
    assert tried["reasons"]
    assert everything() == before


def test_a_dry_run_for_somebody_never_seen_opens_nothing(agent: Agent):
    before = everything()

    agent.ask("post", "candidates?dry_run=true", {"scope": LIN, "kind": "semantic", "key": "a", "value": 1})

    assert everything() == before


def test_the_users_own_word_confirms_a_candidate(agent: Agent):
    waiting = agent.propose(LIN, key="language", value="English")
    heard = agent.observe("lin", "Yes, answer in English.", extract=False)

    done = agent.ask(
        "post", f"candidates/{waiting['id']}/confirm", {"observation": heard["id"], "quote": "answer in English"}
    )

    assert (done["status"], done["source_type"]) == ("committed", "user_explicit")


def test_what_was_decided_is_not_decided_again(agent: Agent):
    body = grounded(agent)
    made = agent.ask("post", "candidates", body, status=201)
    before = everything()

    response = agent.send("post", f"candidates/{made['id']}/confirm", body["evidence"])

    assert response.status_code == 409
    assert response.json()["type"] == "urn:problem:already-decided"
    assert everything() == before


def test_candidates_of_others_are_unknown(world: World, agent: Agent, stranger: Agent):
    made = agent.propose(LIN, key="language", value="English")
    colleague = world.agent("colleague")

    assert stranger.send("get", f"candidates/{made['id']}").status_code == 404
    assert colleague.send("get", f"candidates/{made['id']}").status_code == 404
    assert colleague.ask("get", "candidates")["results"] == []


def test_an_observation_of_another_tenant_is_unknown(agent: Agent, stranger: Agent):
    heard = agent.observe("lin", SAID, extract=False)
    body = {"scope": LIN, "kind": "semantic", "key": "a", "value": 1}
    before = everything()

    foreign = stranger.send("post", "candidates", {**body, "evidence": {"observation": heard["id"]}})
    unknown = stranger.send("post", "candidates", {**body, "evidence": {"observation": f"obs_{NOBODY}"}})

    assert foreign.status_code == unknown.status_code == 404
    assert everything() == before


def test_the_list_is_narrowed_by_status_outcome_and_observation(agent: Agent):
    done = agent.ask("post", "candidates", grounded(agent), status=201)
    waiting = agent.propose(LIN, key="seat", value="aisle")

    def listed(query: str) -> list[str]:
        return [c["id"] for c in agent.ask("get", f"candidates?{query}")["results"]]

    assert listed("") == [waiting["id"], done["id"]]
    assert listed("status=pending") == [waiting["id"]]
    assert listed("outcome=commit") == [done["id"]]
    assert listed(f"observation={done['evidence']['observation']}") == [done["id"]]
    assert listed(f"observation=obs_{NOBODY}") == []


# --- lists of them -------------------------------------------------------------------------------------------------


def test_a_list_is_answered_item_by_item(agent: Agent):
    good, wrong = grounded(agent), {"scope": LIN, "kind": "semantics"}

    response = agent.send("post", "candidates", [good, wrong, {**good, "key": "seat", "evidence": {}}])

    results = response.json()["results"]
    assert response.status_code == 207
    assert [r["status"] for r in results] == [201, 422, 201]
    assert results[0]["body"]["status"] == "committed"
    assert results[1]["body"]["errors"][0]["pointer"] == "/kind"
    assert results[2]["body"]["status"] == "pending"
    assert Candidate.objects.count() == 2


def test_observations_come_as_a_list_too(agent: Agent):
    turns = [{"role": "user", "user": "lin", "text": text, "extract": False} for text in ("One.", "", "Three.")]

    response = agent.send("post", "observations", turns)

    assert [r["status"] for r in response.json()["results"]] == [201, 422, 201]
    assert Observation.objects.count() == 2


def test_a_list_has_between_one_and_a_hundred_items(agent: Agent):
    before = everything()

    empty = agent.send("post", "candidates", [])
    long = agent.send("post", "candidates", [{}] * 101)

    assert (empty.status_code, long.status_code) == (422, 422)
    assert everything() == before


def test_a_list_in_a_dry_run_stores_nothing(agent: Agent):
    body = grounded(agent)
    before = everything()

    response = agent.send("post", "candidates?dry_run=true", [body, body])

    assert [r["status"] for r in response.json()["results"]] == [200, 200]
    assert everything() == before


def test_pages_hold_still_while_others_write(agent: Agent):
    made = [agent.propose(LIN, key=f"k.{n}", value=n)["id"] for n in range(5)]

    first = agent.ask("get", "candidates?limit=2")
    agent.propose(LIN, key="k.late", value=1)
    second = agent.http.get(first["next"]).json()
    third = agent.http.get(second["next"]).json()
    back = agent.http.get(third["previous"]).json()

    seen = [c["id"] for page in (first, second, third) for c in page["results"]]
    assert seen == made[::-1]
    assert third["next"] is None
    assert [c["id"] for c in back["results"]] == [c["id"] for c in second["results"]]
    assert first["previous"] is None


def test_many_rows_of_one_moment_are_all_reached(agent: Agent):
    agent.send(
        "post", "candidates", [{"scope": LIN, "kind": "semantic", "key": f"k.{n}", "value": n} for n in range(60)]
    )

    seen, url = [], "/api/v1/candidates?limit=7"
    while url:
        page = agent.http.get(url).json()
        seen += [c["id"] for c in page["results"]]
        url = page["next"]

    assert len(seen) == len(set(seen)) == 60
    assert Memory.objects.count() == 0
    assert Event.objects.count() > 60
