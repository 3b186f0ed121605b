"""LoCoMo: the facts of long conversations as memories, then its questions (Maharana et al., ACL 2024).

One tenant a conversation, one invented user in it. Every fact is proposed as an agent's guess that quotes the whole
turn it comes from; a reviewer approves them through the bulk action. A gold turn is found when a hit rests on it.
Beside the product: words alone, vectors alone and the fusion of their ranks, on the same entries.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.measure import Times, begin, percentile, table

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with observations, turns and questions as JSON Lines

from django.conf import settings
from rest_framework.test import APIClient

from governance.candidates.actions import approve_many
from governance.candidates.models import Candidate
from governance.ledger.outbox import drain
from governance.scopes import actions as scopes
from governance.scopes.models import Scope
from governance.scopes.queries import actor_of_member
from tests.benchmarks.quality import DEPTHS, Alone, Found

USER = "the-user"
BULK = 100


@dataclass
class Figures:
    """Times in milliseconds, and for each way and category the shares of gold turns found."""

    observe: Times = field(default_factory=Times)
    propose: Times = field(default_factory=Times)
    approve: list[float] = field(default_factory=list)
    index: list[float] = field(default_factory=list)
    recall: Times = field(default_factory=Times)
    without_query: list[float] = field(default_factory=list)
    found: Found = field(default_factory=Found)
    outcomes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    facts: int = 0


def read(folder: Path, name: str) -> list[dict]:
    path = next((p for p in (folder / name, folder / "locomo" / name) if p.exists()), None)
    if path is None:
        raise SystemExit(f"Error: {folder} holds no {name}")
    return [json.loads(line) for line in path.read_text().splitlines()]


class Conversation:
    """One conversation as a tenant."""

    def __init__(self, name: str, turns: Sequence[dict], figures: Figures) -> None:
        self.figures = figures
        self.turns = {t["dia_id"]: t for t in turns}
        self.tenant = scopes.create_tenant(name)
        owner = scopes.first_administrator(self.tenant)
        reviewer = scopes.add_member(self.tenant, f"reviewer-{name}", "reviewer").user
        self.reviewer = actor_of_member(reviewer, self.tenant.id)
        agent = scopes.create_agent(self.tenant, "assistant", owner=owner)
        self.http = APIClient()
        self.http.credentials(HTTP_AUTHORIZATION=f"Bearer {scopes.issue_key(agent)[1]}")
        self.observations: dict[str, str] = {}
        self.cites: dict[str, set[str]] = defaultdict(set)  # memory -> turns

    def post(self, path: str, body: dict, times: Times, status: int) -> dict:
        with times.one():
            answer = self.http.post(f"/api/v1/{path}", body, format="json")
        if answer.status_code != status:
            raise SystemExit(f"Error: {path} answered {answer.status_code}: {answer.content.decode()[:500]}")
        return answer.json()

    def observe(self, turn: str) -> str:
        if turn not in self.observations:
            said = self.turns[turn]
            at = datetime.fromisoformat(said["iso"]).replace(tzinfo=UTC).isoformat()
            text = f"{said['speaker']}: {said['text']}"
            body = {"role": "user", "text": text, "user": USER, "occurred_at": at, "source_ref": turn, "extract": False}
            self.observations[turn] = self.post("observations", body, self.figures.observe, 201)["id"]
        return self.observations[turn]

    def store(self, facts: Sequence[dict]) -> None:
        proposed: dict[str, list[str]] = defaultdict(list)
        for fact in facts:
            evidence = [t for t in fact["evidence"] if t in self.turns]
            body = {
                "scope": {"level": "user", "user": USER},
                "kind": "episodic",
                "content": fact["fact"],
                "source_type": "agent_guess",
            }
            if evidence:
                said = self.turns[evidence[0]]
                quote = f"{said['speaker']}: {said['text']}"
                body["evidence"] = {"observation": self.observe(evidence[0]), "quote": quote}
            made = self.post("candidates", body, self.figures.propose, 201)
            self.figures.facts += 1
            self.figures.outcomes[made["outcome"]] += 1
            proposed[made["duplicate_of"] or made["id"]] += evidence
        self.approve(proposed)

    def approve(self, proposed: dict[str, list[str]]) -> None:
        waiting = list(Candidate.objects.open().filter(tenant=self.tenant).values_list("id", "version"))
        for start in range(0, len(waiting), BULK):
            times, part = Times(), waiting[start : start + BULK]
            with times.one():
                approve_many(part, by=self.reviewer)
            self.figures.approve.append(times.taken[0] / len(part))
        for row in Candidate.objects.filter(tenant=self.tenant, memory__isnull=False):
            self.cites[row.memory_id] |= set(proposed.get(row.id, ()))

    def index(self) -> None:
        times = Times()
        with times.one():
            while drain():
                pass
        self.figures.index.append(times.taken[0] / max(len(self.cites), 1))

    def ask(self, questions: Sequence[dict]) -> None:
        alone = Alone(Scope.objects.get(tenant=self.tenant, level="user"))
        for question in questions:
            gold = {t for t in question["evidence"] if t in self.turns}
            if not gold:
                continue
            body = {"query": question["question"], "user": USER, "limit": max(DEPTHS), "token_budget": 8000}
            answer = self.post("recall", body, self.figures.recall, 200)
            spent = {name: ms for name, ms in answer["timings"].items() if isinstance(ms, int | float)}
            self.figures.without_query.append(self.figures.recall.taken[-1] - spent.get("embed", 0.0))
            ways = {"as built": [m["id"] for m in answer["memories"]]} | alone.ways(question["question"])
            self.figures.found.add(question["category_name"], gold, ways, self.cites)


def report(figures: Figures) -> Iterator[str]:
    yield f"{figures.facts} facts proposed: {dict(figures.outcomes)}"
    yield f"observe   {figures.observe.said()}"
    yield f"propose   {figures.propose.said()}"
    yield f"approve   {percentile(figures.approve, 50):6.1f} ms an item, in bulk"
    yield f"index     {percentile(figures.index, 50):6.1f} ms a memory, beside the answer (embedding included)"
    yield f"recall    {figures.recall.said()}"
    yield f"  without the query's embedding p50 {percentile(figures.without_query, 50):.1f} ms  p95 {percentile(figures.without_query, 95):.1f} ms"
    categories = sorted(figures.found.ceilings)
    normal = [c for c in categories if c != "adversarial"]
    yield "\nshare of gold turns found (adversarial questions ask about the wrong person: higher is not better)"
    yield from figures.found.report({"normal": normal, "all": categories})
    yield "\n" + table(figures.found.bars(normal, ahead=0.03, least=0.60))


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench locomo --data PATH")
    settings.ALLOWED_HOSTS, settings.UNDO_SECONDS_MOST = ["testserver"], 0
    facts, turns, questions = (read(OPTIONS.data, f"{n}.jsonl") for n in ("observations", "turns", "questions"))
    figures = Figures()
    names = list(dict.fromkeys(f["sample_id"] for f in facts))
    for name in names[:1] if OPTIONS.size == "small" else names:
        mine = [[row for row in rows if row["sample_id"] == name] for rows in (facts, turns, questions)]
        conversation = Conversation(name, mine[1], figures)
        conversation.store(mine[0])
        conversation.index()
        conversation.ask(mine[2])
        print(f"{name}: {len(mine[0])} facts, {len(mine[2])} questions", flush=True)
    print("\n".join(report(figures)))


if __name__ == "__main__":
    main()
