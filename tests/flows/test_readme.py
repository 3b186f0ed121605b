"""What the README shows works as it is written there."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.flows.world import Agent

ROOT = Path(settings.BASE_DIR)
README = (ROOT / "README.md").read_text()


@pytest.fixture
def calls() -> list[tuple[str, str, dict]]:
    """The calls of the README's example, in order: method, path below the API, body."""
    found = re.findall(r"curl -s (?:-X (\w+) )?\$API/(\S+) -H \"\$AUTH\"[^\n]*\n?[^\n']*'(\{.*?\})'", README, re.S)
    return [(method or "POST", path, json.loads(body)) for method, path, body in found]


def test_the_example_of_the_api_runs_as_it_stands(agent: Agent, calls):
    agent.sentinel = ""
    (_, observe, turn), (_, propose, draft), (_, _, question), (method, revise, change) = calls

    heard = agent.ask("post", observe, turn, status=201)
    draft["evidence"]["observation"] = heard["id"]
    proposed = agent.ask("post", propose, draft, status=201)
    assert proposed["status"] == "committed"
    assert proposed["memory"]["version"] == 1

    given = agent.recall(**question)
    assert [m["value"] for m in given["memories"]] == ["中文"]
    assert given["message"]["role"] == "user"

    corrected = agent.ask("post", "observations", {**turn, "text": "English is fine after all"}, status=201)
    change["evidence"]["observation"] = corrected["id"]
    path = revise.replace("mem_…", proposed["memory"]["id"])
    assert agent.ask(method, path, change)["version"] == 2
    assert agent.send(method, path, change).status_code == 409


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", README, re.M))))
def test_every_make_target_it_names_is_there(target):
    name = next(t for t in target if t)

    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(), re.M)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([A-Z]+_[A-Z_]+)`", README))))
def test_every_variable_it_names_is_read(name):
    sources = [ROOT / "memory_admin" / "settings.py", *(ROOT / "tests").glob("*.py")]

    assert any(f'"{name}"' in source.read_text() for source in sources)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_every_file_it_links_is_there(link):
    assert (ROOT / link).exists()


@pytest.mark.parametrize("folder", sorted(set(re.findall(r"`(governance/[a-z]+)`", README))))
def test_every_room_it_names_is_there(folder):
    assert (ROOT / folder / "__init__.py").exists()
