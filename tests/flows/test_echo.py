"""What an agent was given by a recall is no evidence when it comes back; a plain yes is a user's word."""

from governance.candidates.models import Candidate
from governance.memories.models import Memory
from tests.flows.world import Agent, drain_all

SEAT = "I prefer window seats on long flights."


def test_a_recalled_memory_fed_back_is_no_new_evidence(agent: Agent):
    agent.state("lin", SEAT, key="preference.travel.seat", value="window", content=SEAT)
    given = agent.recall(user="lin", query="which seat?", session="s1")
    before = Memory.objects.get().evidence.count()

    echo = agent.observe("lin", f"{given['context']}\nBook it.", session="s1")
    made = _proposed(agent, echo["id"], SEAT)

    assert echo["candidates"] == []
    assert (made["status"], made["reasons"][3]["code"]) == ("rejected", "recall-echo")
    assert Memory.objects.get().evidence.count() == before


def test_a_sentence_of_a_recall_is_an_echo_without_its_frame_too(agent: Agent):
    agent.state("lin", SEAT, key="preference.travel.seat", value="window", content=SEAT)
    agent.recall(user="lin", query="which seat?")

    echo = agent.observe("lin", f"As stored: {SEAT}")

    assert echo["candidates"] == []


def test_saying_it_again_in_ones_own_words_is_evidence(agent: Agent):
    agent.state("lin", SEAT, key="preference.travel.seat", value="window", content=SEAT)
    agent.recall(user="lin", query="which seat?")

    again = agent.state("lin", "As always a window seat, please.", key="preference.travel.seat", value="window")

    assert again["status"] == "merged"
    assert Memory.objects.get().evidence.count() == 1


def test_what_another_session_was_given_is_no_echo_here(agent: Agent):
    agent.state("lin", SEAT, key="preference.travel.seat", value="window", content=SEAT, said={"session": "s1"})
    agent.recall(user="lin", query="which seat?", session="s1")

    elsewhere = agent.observe("lin", SEAT, session="s2")

    assert [c["status"] for c in elsewhere["candidates"]] == ["merged"]


def test_yes_commits_what_the_assistant_had_proposed(agent: Agent):
    asked = agent.observe("lin", "Shall I book aisle seats for you from now on?", role="assistant")
    made = _proposed(
        agent, asked["id"], "Shall I book aisle seats for you from now on?", value="aisle", source="agent_guess"
    )

    agent.observe("lin", "Yes, please do.")

    assert made["status"] == "rejected"
    found = Candidate.objects.get(pk=made["id"])
    assert found.status == "committed"


def test_yes_makes_the_assistants_words_the_users_where_nothing_was_proposed(agent: Agent):
    agent.observe("lin", "So you prefer window seats, right?", role="assistant")

    heard = agent.observe("lin", "Yes.")

    assert [(c["status"], c["value"]) for c in heard["candidates"]] == [("committed", "window")]


def test_yes_to_nothing_remembers_nothing(agent: Agent):
    agent.observe("lin", "The weather is fine in Rome.", role="assistant")

    heard = agent.observe("lin", "Yes.")
    drain_all()

    assert heard["candidates"] == []
    assert not Memory.objects.exists()


def test_what_an_agent_made_up_is_not_opened_by_an_unrelated_word(agent: Agent):
    asked = agent.observe("lin", "You earn 100,000 a year.", role="assistant")
    made = _proposed(
        agent, asked["id"], "You earn 100,000 a year.", value="100,000", source="agent_guess", key="profile.pay"
    )

    agent.observe("lin", "What is the weather like?")

    assert Candidate.objects.get(pk=made["id"]).status == "rejected"


def _proposed(
    agent: Agent,
    observation: str,
    quote: str,
    value: str = "window",
    source: str = "user_explicit",
    key: str = "preference.travel.seat",
) -> dict:
    evidence = {"observation": observation, "quote": quote}
    return agent.propose(
        {"level": "user", "user": "lin"}, key=key, value=value, content="", source_type=source, evidence=evidence
    )
