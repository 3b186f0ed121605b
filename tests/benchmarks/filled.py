"""Tenants full of sentences: real ones where a folder is given, invented ones otherwise."""

import json
import random
from pathlib import Path

from governance.index import embedding
from governance.scopes import actions as scopes
from governance.scopes.models import Scope
from governance.scopes.queries import agent_actor
from tests.benchmarks import bulk

THINGS = "boat garden cello bicycle kettle lamp ladder map clock piano tent scarf camera drone kayak oven".split()
PLACES = "harbour attic office cellar station museum market school library airport".split()


class Sentences:
    """Sentences without end, none twice: those of a folder first, then invented ones."""

    def __init__(self, folder: Path | None) -> None:
        self.pick, self.number, seen = random.Random(7), 0, set()
        for path in sorted(folder.rglob("*.jsonl")) if folder else ():
            seen.update(json.loads(line).get("text", "") for line in path.read_text().splitlines())
        self.real = sorted(t for t in seen if len(t) > 20)
        self.pick.shuffle(self.real)

    def take(self, number: int) -> list[str]:
        found, self.real = self.real[:number], self.real[number:]
        while len(found) < number:
            self.number += 1
            thing, place = self.pick.choice(THINGS), self.pick.choice(PLACES)
            found.append(f"The {thing} number {self.number} is kept at the {place}.")
        return found


class Store:
    """A tenant with its agent, and who has which sentences."""

    def __init__(self, name: str, sentences: Sentences) -> None:
        self.tenant = scopes.create_tenant(name)
        made = scopes.create_agent(self.tenant, "assistant", owner=scopes.first_administrator(self.tenant))
        key, self.secret = scopes.issue_key(made)
        self.by, self.name, self.sentences = agent_actor(made, key), name, sentences
        self.people: dict[str, Scope] = {}
        self.said: dict[str, list[str]] = {}

    def grow(self, people: int, each: int, *, about: bool = True) -> None:
        """Add people with as many memories each; `about` as `bulk.fill` takes it."""
        names = [f"{self.name}-{len(self.people) + i}" for i in range(people)]
        opened = bulk.users(names, by=self.by)
        self.people |= dict(zip(names, opened, strict=True))
        if each >= bulk.OWN_FROM:
            for scope in opened:
                bulk.give_own_collection(scope, embedding.dimension())
        step = max(1, bulk.BATCH * 5 // each)
        for start in range(0, people, step):
            lines = []
            for name in names[start : start + step]:
                texts = self.said[name] = self.sentences.take(each)
                vectors = embedding.embed_passages(texts)
                lines += [bulk.Line(self.people[name], t, v) for t, v in zip(texts, vectors, strict=True)]
            bulk.fill(lines, by=self.by, about=about)
