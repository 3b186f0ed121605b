"""What the tests of the API say more than once."""

from typing import Any

from governance.candidates.models import Candidate
from governance.ledger.models import Event
from governance.memories.models import Memory, Version
from tests.flows.world import Agent

LIN = {"level": "user", "user": "lin"}
NOBODY = "0" * 32


def language(agent: Agent, value: str = "English", user: str = "lin") -> dict:
    """Return a memory in force: what a user said about the language to answer in."""
    made = agent.state(user, f"From now on answer in {value}.", key="language", value=value)
    assert made["status"] == "committed", made
    return agent.ask("get", f"memories/{made['memory']['id']}")


def correction(agent: Agent, value: str = "German", user: str = "lin") -> dict[str, Any]:
    """Return the fields of a grounded correction, without the version it is made against."""
    said = agent.observe(user, f"No, answer in {value}.", extract=False)
    evidence = {"observation": said["id"], "quote": f"answer in {value}"}
    return {"value": value, "source_type": "user_explicit", "reason": "correction", "evidence": evidence}


def everything() -> tuple[int, ...]:
    """Return how much there is: equal before and after where nothing was done."""
    return tuple(m.objects.count() for m in (Event, Candidate, Memory, Version))


def pointers(response: Any) -> list[str]:
    return [e["pointer"] for e in response.json()["errors"]]
