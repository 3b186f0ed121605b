"""MemDaily: questions about what somebody told in short Chinese messages (Zhang et al., MemSim, 2024).

Everybody is a user with a scope of a dozen messages, as in life; then all stand in one scope, where a question must find
its few among thousands. Small takes every sixth person. The gate is not asked: what is measured is retrieval.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.measure import begin, table

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with messages.jsonl and questions.jsonl

from governance.index import embedding
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import Scope
from tests.benchmarks import bulk
from tests.benchmarks.filled import Sentences, Store
from tests.benchmarks.quality import DEPTHS, Alone, Found

EVERY = 6 if OPTIONS.size == "small" else 1
LEAST = 0.82
DATE = re.compile(r"(\d+)年(\d+)月(\d+)日\D*(\d+):(\d+)")


def read(folder: Path, name: str) -> list[dict]:
    path = next((p for p in (folder / name, folder / "memdaily_zh" / name) if p.exists()), None)
    if path is None:
        raise SystemExit(f"Error: {folder} holds no {name}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def when(row: dict) -> datetime:
    said = DATE.match(row["time"])
    return datetime(*(int(n) for n in said.groups()), tzinfo=UTC) if said else datetime(2024, 4, 1, tzinfo=UTC)  # type: ignore[misc]


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench memdaily --data PATH")
    rows, asked = read(OPTIONS.data, "messages.jsonl"), read(OPTIONS.data, "questions.jsonl")
    people = list(dict.fromkeys(r["traj"] for r in rows))[::EVERY]
    rows, asked = [r for r in rows if r["traj"] in people], [q for q in asked if q["traj"] in people]
    texts = list(dict.fromkeys(r["text"] for r in rows))
    vectors = dict(zip(texts, embedding.embed_passages(texts), strict=True))
    times = {r["text"]: when(r) for r in rows}
    store = Store("memdaily", Sentences(None))
    everybody, *own = bulk.users(["everybody", *people], by=store.by)
    said = {everybody: texts} | {
        scope: [r["text"] for r in rows if r["traj"] == person] for scope, person in zip(own, people, strict=True)
    }
    lines = [bulk.Line(scope, t, vectors[t], times[t]) for scope, told in said.items() for t in dict.fromkeys(told)]
    made = dict(zip(((line.scope.id, line.text) for line in lines), bulk.fill(lines, by=store.by), strict=True))
    homes = dict(zip(people, own, strict=True))
    figures("a scope for each person", [(homes[q["traj"]], q["traj"], q) for q in asked], rows, made, store, LEAST)
    figures("everybody in one scope", [(everybody, "everybody", q) for q in asked], rows, made, store, 0.0)


def figures(
    title: str,
    asked: Sequence[tuple[Scope, str, dict]],
    rows: Sequence[dict],
    made: Mapping[tuple[str, str], str],
    store: Store,
    least: float,
) -> None:
    """Ask every question in its scope and print what was found."""
    found, alone = Found(), {}
    cites: dict[str, dict[str, set[str]]] = {}
    for scope in {scope for scope, _, _ in asked}:
        alone[scope], cites[scope.id] = Alone(scope), {}
    for scope, user, question in asked:
        if not cites[scope.id]:
            mine = [r for r in rows if user in ("everybody", r["traj"])]
            for row in mine:
                cites[scope.id].setdefault(made[scope.id, row["text"]], set()).add(f"{row['traj']}#{row['mid']}")
        gold = {f"{question['traj']}#{mid}" for mid in question["evidence"]}
        query = question["question"]
        limited = Question(query=query, user=user, limit=max(DEPTHS), token_budget=8_000)
        built = [m.view.id for m in recall(limited, by=store.by).memories]
        found.add(question["category"], gold, {"as built": built} | alone[scope].ways(query), cites[scope.id])
    categories = sorted(found.ceilings)
    print(f"\n{title}: {len(asked)} questions")
    print("\n".join(found.report({"all": categories})))
    print("\n" + table(found.bars(categories, ahead=0.0, least=least)), flush=True)


if __name__ == "__main__":
    main()
