"""Recall on filled stores: what it costs beside Chroma's own filter, and whether the cost depends on other people's data.

Small is 20,000 memories with invented sentences and vectors. Full grows from 10,000 over 200,000 (2,000 users of 100) to
1,000,000, with scopes of 2,000, 20,000 and 100,000; `--data` may name a folder of JSON Lines with `text`. A recall step
is what is held, keys, words, vectors and fusion: without the question's embedding, unsealing and the trace. Stores are
made by the bulk path (`bulk.py`: real events in batches).
"""

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["EMBEDDER"] = "tests.benchmarks.hashed.Hashed"

from tests.benchmarks.measure import Row, Times, begin, percentile, table

OPTIONS = begin(__doc__)

import numpy as np
from django.conf import settings

from governance.index import chroma, embedding, entries
from governance.index.models import Entry
from governance.ledger.outbox import drain
from governance.policies.rules import DEFAULT
from governance.retrieval import beliefs, gather, legs
from governance.retrieval.actions import _begin, recall
from governance.retrieval.answers import Question
from governance.scopes.models import Scope
from governance.scopes.queries import readable
from governance.scopes.rules import Actor
from tests.benchmarks import bulk
from tests.benchmarks.filled import Sentences, Store
from tests.benchmarks.recall_http import over_http

SMALL = OPTIONS.size == "small"
EACH = 100  # memories of an ordinary user
FIRST, ALL = (8_000, 12_000) if SMALL else (10_000, 200_000)  # of the first tenant
LARGE = {"2,000": 2_000} if SMALL else {"2,000": 2_000, "20,000": 20_000, "100,000": 100_000}
BARS = {"2,000": 12.0, "20,000": 20.0, "100,000": 40.0}  # ms
END = 20_000 if SMALL else 1_000_000
QUESTIONS = 40 if SMALL else 200
OWN_WORDS = 100 if SMALL else 10_000
WARM_USERS = 50 if SMALL else 2_000
ONE = "bench-one"


@dataclass(frozen=True)
class Steps:
    """Recall steps of one warm user, in milliseconds: the median by the clock, and of this process's processor time the
    tenth percentile, which a busy machine disturbs least."""

    wall: float
    cpu: float


def steps(store: Store, user: str, number: int = QUESTIONS) -> Steps:
    """Return what a step takes, its question's embedding kept; ratios are of processor time."""
    wall, cpu, pick = [], [], random.Random(11)
    for i in range(number + 5):
        question = Question(query=f"What about {i}: {pick.choice(store.said[user])}", user=user)
        course = _begin(question, readable(store.by, user=user, project="", session=""), store.by, DEFAULT)
        embedding.embed_query(course.question.query)  # kept: the step finds it made
        start, worked = time.perf_counter(), time.process_time()
        gather.candidates(course, gather.held(course)[0])
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
    return Steps(percentile(wall[5:], 50), percentile(cpu[5:], 10))


def whole(store: Store, user: str, query: str) -> float:
    times = Times()
    with times.one():
        recall(Question(query=query, user=user), by=store.by)
    return times.taken[0]


def exact_share(store: Store, user: str, number: int = 50) -> float:
    """Return the share of the ten nearest by brute force that the vector leg has among its ten."""
    shares = []
    rows = list(Entry.objects.filter(scope=store.people[user]).order_by("id").values_list("memory", "vector"))
    all_vectors = np.stack([np.frombuffer(bytes(v), dtype=np.float16) for _, v in rows]).astype(np.float32)
    for i in range(number):
        question = Question(query=f"Near what {i}?", user=user)
        course = _begin(question, readable(store.by, user=user, project="", session=""), store.by, DEFAULT)
        vector = embedding.embed_query(question.query)
        wanted = {rows[j][0] for j in np.argsort(-(all_vectors @ vector))[:10]}
        fields, _ = gather.held(course)
        legs.search_vectors(fields, vector, limit=10)
        found = [(c, f.beliefs.rows[j].memory) for f in fields for j, c in enumerate(f.cosines) if not np.isnan(c)]
        shares.append(len(wanted & {m for _, m in sorted(found, reverse=True)[:10]}) / 10)
    return float(np.mean(shares))


def build_one(store: Store) -> dict[str, int]:
    """Fill one collection with every vector of a tenant, as a naive design would; return the number of each user."""
    numbers = {name: i for i, name in enumerate(store.people)}
    for name, scope in store.people.items():
        rows = list(Entry.objects.filter(scope=scope).only("id", "vector"))
        vectors = np.stack([np.frombuffer(bytes(r.vector or b""), dtype=np.float16) for r in rows])
        chroma.upsert(ONE, [r.id for r in rows], vectors, [numbers[name]] * len(rows))
    return numbers


def filtered(number: int, questions: int) -> Steps:
    """Return what Chroma's own `where` takes on that collection."""
    wall, cpu = [], []
    for i in range(questions):
        vector = embedding.embed_query(f"Filter what {i}?")
        start, worked = time.perf_counter(), time.process_time()
        chroma.query(ONE, vector, scopes=[number], limit=10)
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
    return Steps(percentile(wall, 50), percentile(cpu, 10))


def found_by_own_words(store: Store, user: str, number: int) -> tuple[int, int]:
    texts = random.Random(5).sample(store.said[user], min(number, len(store.said[user])))
    found = sum(
        text in [m.view.content for m in recall(Question(query=text, user=user, limit=10), by=store.by).memories]
        for text in texts
    )
    return found, len(texts)


def sources(store: Store, user: str) -> str:
    """Return which copy answered, hit by hit."""
    by: list[str] = []
    for i in range(20):
        by += [m.found_by or "words" for m in recall(Question(query=f"Whence {i}?", user=user), by=store.by).memories]
    return "  ".join(f"{s} {by.count(s) / max(len(by), 1):.0%}" for s in ("chroma", "exact", "words"))


def resident() -> float:
    """Return the megabytes this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def cold() -> None:
    entries.forget_entries()
    beliefs.forget_beliefs()
    embedding.forget_queries()


def timed(work: Callable[[], float], before: Callable[[], object]) -> float:
    """Return the median of three first times."""
    taken = []
    for _ in range(3):
        before()
        taken.append(work())
    return percentile(taken, 50)


def write_one(by: Actor, scope: Scope) -> None:
    text = f"The umbrella {random.random()} is kept in the hall."
    bulk.fill([bulk.Line(scope, text, embedding.embed_passages([text])[0])], by=by)


def say(row: Row) -> Row:
    print(row.line(), flush=True)
    return row


def within(figure: str, found: float, most: float, at_full: bool = True, shown: str = "") -> Row:
    met = None if at_full and SMALL else found <= most
    return say(Row(figure, shown or f"{found:.2f}x", f"<= {most:g}", met))


def main() -> None:
    sentences = Sentences(OPTIONS.data)
    home = Store("home", sentences)
    home.grow(FIRST // EACH, EACH)
    user = next(iter(home.people))
    rows = list(measured(home, user, sentences))
    print("\n" + table(rows))


def measured(home: Store, user: str, sentences: Sentences) -> Sequence[Row]:
    rows = []
    early = steps(home, user)
    home.grow((ALL - FIRST) // EACH, EACH)
    numbers = build_one(home)
    grown, naive = steps(home, user), filtered(numbers[user], 30)
    ratio = naive.cpu / grown.cpu
    seen = f"{ratio:.1f}x ({grown.wall:.1f} / {naive.wall:.1f} ms)"
    rows.append(
        say(Row(f"scope of 100 in {ALL:,} beside Chroma's where", seen, ">= 20x", None if SMALL else ratio >= 20))
    )
    share = exact_share(home, user)
    rows.append(say(Row("  its recall@10 against exact", f"{share:.3f}", "1.00", share == 1.0)))
    rows.append(grew(f"same scope, own tenant {FIRST:,} -> {ALL:,}", early, grown))
    chroma.drop(ONE)
    away = Store("away", sentences)
    for size in LARGE.values():
        away.grow(1, size)
    rows.append(grew(f"the same while another tenant grows to {sum(LARGE.values()):,}", grown, steps(home, user)))
    for name, person in zip(LARGE, away.people, strict=True):
        rows += large(away, person, name)
    rows += first_ones(home, user)
    rows.append(memory(home))
    held = ALL + sum(LARGE.values())
    if held < END:
        Store("others", sentences).grow((END - held) // EACH, EACH, about=False)
        rows.append(grew(f"same scope, store {FIRST:,} -> {END:,}", early, steps(home, user)))
    rows += [say(r) for r in over_http(home.secret, user, home.said[user], full=not SMALL)]
    return rows


def grew(figure: str, before: Steps, after: Steps) -> Row:
    seen = f"{after.cpu / before.cpu:.2f}x ({before.cpu:.1f} -> {after.cpu:.1f} ms of CPU)"
    return within(figure, after.cpu / before.cpu, 1.2, shown=seen)


def large(store: Store, user: str, name: str) -> list[Row]:
    took = steps(store, user)
    seen = f"{took.wall:.1f} ms ({took.cpu:.1f} of CPU)"
    rows = [within(f"scope of {name}, recall step, p50 warm", took.wall, BARS[name], False, seen)]
    share = exact_share(store, user)
    rows.append(say(Row("  its recall@10 against exact", f"{share:.3f}", ">= .99", share >= 0.99)))
    rows.append(say(Row("  which copy found its hits", sources(store, user))))
    found, asked = found_by_own_words(store, user, OWN_WORDS if name in ("2,000", "20,000") else 100)
    rows.append(say(Row("  found when asked by their own words", f"{found:,} of {asked:,}", "all", found == asked)))
    return rows


def first_ones(home: Store, user: str) -> list[Row]:
    """Return what the first recall after a start costs, and after a write to the scope, beside a warm one."""
    query = "What about the umbrella?"
    whole(home, user, query)
    warm = percentile([whole(home, user, query) for _ in range(20)], 50)
    start = timed(lambda: whole(home, user, query), lambda: (cold(), chroma.close(), embedding.embed_query(query)))
    written = timed(lambda: whole(home, user, query), lambda: write_one(home.by, home.people[user]))
    return [
        within("first recall after a start, to warm", start / warm, 10, False),
        within("first recall after a write to the scope, to warm", written / warm, 10, False),
    ]


def memory(home: Store) -> Row:
    """Return what warm users cost in memory."""
    cold()
    before = resident()
    for user in list(home.people)[:WARM_USERS]:
        recall(Question(query="What about the boat?", user=user), by=home.by)
    held = sum(len(c.ids) for c in entries._copies.values())
    figure = f"memory of {WARM_USERS:,} warm users of {EACH}, RECALL_CACHE_ENTRIES {settings.RECALL_CACHE_ENTRIES:,}"
    most = settings.RECALL_CACHE_ENTRIES
    return say(Row(figure, f"{resident() - before:.0f} MB, {held:,} kept", f"<= {most:,} kept", held <= most))


if __name__ == "__main__":
    drain()
    main()
