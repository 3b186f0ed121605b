"""Flow 3: of two requests that revise the same version, one wins and the other is told."""

from collections import Counter

import pytest

from tests.flows.world import Agent
from tests.together import at_once


@pytest.mark.parametrize("attempt", range(3))
def test_one_is_200_and_the_other_409_naming_version_2(agent: Agent, attempt: int):
    memory = agent.state("lin", "From now on answer in English.", key="language", value="English")["memory"]
    said = agent.observe("lin", "Deutsch, or Français, please.", extract=False)

    def revise(value: str):
        evidence = {"observation": said["id"], "quote": value}
        body = {"expected_version": 1, "value": value, "source_type": "user_explicit", "evidence": evidence}
        return agent.again().send("patch", f"memories/{memory['id']}", body)

    answers = at_once([lambda: revise("Deutsch"), lambda: revise("Français")])

    assert sorted(a.status_code for a in answers) == [200, 409]
    lost = next(a for a in answers if a.status_code == 409)
    won = next(a for a in answers if a.status_code == 200)
    assert lost.json()["current_version"] == 2
    assert [v["value"] for v in agent.versions(memory["id"])] == ["English", won.json()["value"]]


def test_two_identical_proposals_make_one_memory(agent: Agent):
    said = agent.observe("lin", "I live in Shanghai.", extract=False)
    draft = {
        "scope": {"level": "user", "user": "lin"},
        "kind": "semantic",
        "key": "profile.home.city",
        "value": "Shanghai",
        "source_type": "user_explicit",
        "evidence": {"observation": said["id"], "quote": "I live in Shanghai"},
    }

    answers = at_once([lambda: agent.again().send("post", "candidates", draft)] * 2)

    assert [a.status_code for a in answers] == [201, 201]
    assert sorted(a.json()["status"] for a in answers) == ["committed", "merged"]
    assert len({a.json()["memory"]["id"] for a in answers}) == 1
    assert agent.values(user="lin", query="where does the user live?") == ["Shanghai"]


def test_twenty_values_for_one_key_are_all_answered(agent: Agent):
    cities = [f"Town{'abcdefghijklmnopqrst'[n]}" for n in range(20)]
    said = agent.observe("lin", " ".join(f"I live in {city}." for city in cities), extract=False)

    def state(city: str):
        draft = {"kind": "semantic", "key": "profile.home.city", "value": city, "source_type": "user_explicit"}
        evidence = {"observation": said["id"], "quote": f"I live in {city}"}
        body = {"scope": {"level": "user", "user": "lin"}, "evidence": evidence, **draft}
        return agent.again().send("post", "candidates", body)

    answers = at_once([lambda c=city: state(c) for city in cities])

    assert Counter(a.status_code for a in answers) == {201: 20}
    assert len(agent.values(user="lin", keys=["profile.home.city"])) == 1
