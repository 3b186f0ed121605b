"""MADial: memories that a turn of a dialogue should bring back, in Chinese and English (He et al., NAACL 2025).

One user a language; a memory was observed on its day. The question is what was said last, two turns.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.measure import begin, table

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with memories_zh.jsonl, dialogues_zh.jsonl and the same of en

from governance.index import embedding
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from tests.benchmarks import bulk
from tests.benchmarks.filled import Sentences, Store
from tests.benchmarks.quality import DEPTHS, Alone, Found

TURNS = 2
LEAST = {"zh": 0.60, "en": 0.60}


def read(folder: Path, name: str) -> list[dict]:
    path = next((p for p in (folder / name, folder / "madial" / name) if p.exists()), None)
    if path is None:
        raise SystemExit(f"Error: {folder} holds no {name}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def questions(folder: Path, language: str, known: set[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield the last turns before each place where a memory should come up, with the memories that should."""
    for row in read(folder, f"dialogues_{language}.jsonl"):
        gold = {str(i) for i in row["relevant"]} & known
        for turn in row["test_turn"]:
            said = [line for line in row["dialogue"][:turn] if not line.startswith("<BOD>")]
            if gold and said:
                yield "\n".join(said[-TURNS:]), gold


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench madial --data PATH")
    for language, least in LEAST.items():
        store, found = Store(f"madial-{language}", Sentences(None)), Found()
        rows = read(OPTIONS.data, f"memories_{language}.jsonl")
        scope = bulk.users(["lisa"], by=store.by)[0]
        vectors = embedding.embed_passages([r["text"] for r in rows])
        days = [datetime.fromisoformat(r["time"]).replace(tzinfo=UTC) for r in rows]
        lines = [bulk.Line(scope, r["text"], v, d) for r, v, d in zip(rows, vectors, days, strict=True)]
        made = bulk.fill(lines, by=store.by)
        cites = {memory: {str(row["id"])} for memory, row in zip(made, rows, strict=True)}
        alone = Alone(scope)
        for query, gold in questions(OPTIONS.data, language, {str(r["id"]) for r in rows}):
            question = Question(query=query, user="lisa", limit=max(DEPTHS), token_budget=8_000)
            built = [m.view.id for m in recall(question, by=store.by).memories]
            found.add(language, gold, {"as built": built} | alone.ways(query), cites)
        print(f"\n{len(rows)} memories, {len(found.ceilings[language])} places in dialogues")
        print("\n".join(found.report({})))
        print("\n" + table(found.bars([language], ahead=0.0, least=least)), flush=True)


if __name__ == "__main__":
    main()
