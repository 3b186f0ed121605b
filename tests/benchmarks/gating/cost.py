"""What each stage costs, and a turn that is sent, in CPU time of one process."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from governance.candidates.extractors import extract
from governance.candidates.stages import STAGES, Facts, Proposal
from governance.ledger.outbox import drain
from governance.policies.detectors import redact
from governance.policies.rules import DEFAULT
from tests.benchmarks.gating.asked import SAID_AT
from tests.benchmarks.gating.report import Cost
from tests.benchmarks.gating.talk import Store
from tests.benchmarks.gating.texts import read
from tests.benchmarks.measure import percentile

WHOLE = "the whole gate"
EACH = 30.0  # ms a turn: 20,000 of them in ten minutes of one core


def stages(data: Path) -> Iterator[Cost]:
    """Return the cost of each stage: 95th percentile, median beside it, over 300 turns in two languages, halumem's long ones among them."""
    turns = [r["text"] for r in read(data / "halumem/turns.jsonl") if r["role"] == "user"][::5]
    turns += [r["text"] for r in read(data / "oneoff/crosswoz_user_turns_zh.jsonl")][::20]
    taken: dict[str, list[float]] = {}
    for text in turns:
        whole = 0.0
        clean, spent = _timed(lambda t=text: redact(t).text)  # type: ignore[misc]
        taken.setdefault("redaction", []).append(spent)
        whole += spent
        _, spent = _timed(lambda t=clean: list(extract(t, observed_at=SAID_AT, zone=UTC)))  # type: ignore[misc]
        taken.setdefault("extraction", []).append(spent)
        whole += spent
        proposal = Proposal("user", "semantic", "noted.fact", clean[:200], clean[:400], source_type="user_explicit",
                            quote=clean, role_of_observation="user", observation_text=clean,
                            observation_is_by_scope_user=True, observed_at=SAID_AT)  # fmt: skip
        for stage in STAGES:
            _, spent = _timed(lambda s=stage, p=proposal: s(p, Facts(), DEFAULT))  # type: ignore[misc]
            taken.setdefault(stage.__name__, []).append(spent)
            whole += spent
        taken.setdefault(WHOLE, []).append(whole)
    for name, times in taken.items():
        most = 10.0 if name == WHOLE else None
        yield Cost(f"{name}, p95", percentile(times, 95), most, f"median {percentile(times, 50):.3f} ms")


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, (time.process_time() - start) * 1000


def observations(store: Store, data: Path, most: int | None) -> Iterator[Cost]:
    """Return what a user's turn costs when it is sent, with its databases; what the worker does afterwards, apart.

    20,000 in ten minutes are 30 ms a turn on one core; the other core is left to the rest.
    """
    number = 300 if most else 2_000
    turns = [r["text"] for r in read(data / "scale/spc_utterances_en.jsonl")][: 2 * number : 4]
    turns += [r["text"] for r in read(data / "scale/zh_sentences.jsonl")][: 2 * number : 4]
    found = 0
    start, began = time.process_time(), time.perf_counter()
    for i, text in enumerate(turns):
        found += len(store.observe(f"user-{i % 50}", text)["candidates"])
    spent, took = (time.process_time() - start) / len(turns), (time.perf_counter() - began) / len(turns)
    note = f"{len(turns)} turns, {found} candidates; 20,000 in {20_000 * spent:.0f} s of one core, here {20_000 * took:.0f} s"
    yield Cost("a turn sent, read and stored", 1000 * spent, EACH, note)
    start = time.process_time()
    while drain():
        pass
    afterwards = (time.process_time() - start) / len(turns)
    yield Cost("what the worker does for it, vectors among it", 1000 * afterwards)
    yield Cost("both", 1000 * (spent + afterwards), EACH)
