"""What each stage costs, in CPU time of one process, without vectors."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from governance.candidates.actions import judge as judging
from governance.candidates.extractors import extract
from governance.candidates.stages import STAGES, Facts, Proposal
from governance.policies.detectors import redact
from governance.policies.rules import DEFAULT
from tests.benchmarks.gating.asked import SAID_AT
from tests.benchmarks.gating.texts import read
from tests.benchmarks.measure import percentile

WHOLE = "the whole gate"


def costs(data: Path) -> Iterator[str]:
    """Return one line a stage: median and 95th percentile over 300 turns in two languages, halumem's long ones among them."""
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
        verdict = ""
        if name == WHOLE:
            verdict = f"  bar < 10 ms  {'ok' if percentile(times, 95) < 10 else 'BELOW'}"
        yield f"{name:<20} median {percentile(times, 50):7.3f} ms   p95 {percentile(times, 95):7.3f} ms{verdict}"


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, (time.process_time() - start) * 1000


def observations_a_second(data: Path) -> str:
    """Return how many turns of a user are redacted and read in a second of CPU time, without the database."""
    turns = [r["text"] for r in read(data / "scale/spc_utterances_en.jsonl")][:4000:4]
    turns += [r["text"] for r in read(data / "scale/zh_sentences.jsonl")][:4000:4]
    start = time.process_time()
    for text in turns:
        clean, _ = judging.redacted_text(text, DEFAULT)
        list(extract(clean, observed_at=SAID_AT, zone=UTC))
    spent = time.process_time() - start
    return f"redacted and read: {len(turns) / spent:,.0f} turns a second of CPU; 20,000 in {20_000 / len(turns) * spent:.0f} s"
