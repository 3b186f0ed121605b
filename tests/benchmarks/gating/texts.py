"""Junk, good facts, one-off requests and credentials: what is let in, what waits, what stays out."""

import json
from collections.abc import Iterator
from pathlib import Path

from governance.candidates.stages import Facts
from governance.policies.detectors import find
from tests.benchmarks.gating import asked
from tests.benchmarks.gating.report import Row, every

SETS = Path(__file__).parents[1] / "sets"
# Intents of CLINC150 that do state something lasting.
DURABLE = frozenset(
    "change_user_name change_ai_name change_language change_accent reminder_update todo_list_update shopping_list_update".split()
)


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def junk() -> Iterator[Row]:
    """Each text proposed as it is (or as what an agent makes of it), and read by the rules."""
    lines = read(SETS / "junk.jsonl")
    for language in ("en", "zh"):
        of_language = [line for line in lines if line["language"] == language]
        kept_out = Row(f"junk {language}: proposed by an agent, neither committed nor to review", 0.95)
        silent = Row(f"junk {language}: read by the rules, neither committed nor to review", 0.95)
        for line in of_language:
            text = line["text"] * line.get("times", 1)
            echoes = Facts(is_recall_echo=line["category"] == "echo")  # the store's part of it: see "echo" below
            decided = asked.proposed(text, content=line.get("proposed", ""), role=line["role"], facts=echoes)
            why = f"{line['category']}, {asked.reason(decided)}"
            kept_out.count(decided.outcome in ("reject", "event_only"), text, why)
            if line["role"] == "user" and line["category"] != "echo":
                found = [(w, d) for w, d in asked.extracted(text) if d.outcome in ("commit", "review")]
                silent.count(not found, text, f"{line['category']}, {found[0][0] if found else ''}")
        yield from (kept_out, silent)


def good(data: Path, most: int | None) -> Iterator[Row]:
    """Facts about people: what a person said of themselves, and what was noted of their turns."""
    turns = {(t["sample_id"], t["dia_id"]): t["text"] for t in read(data / "locomo/turns.jsonl")}
    facts = Row("good en: facts of LoCoMo with their turns, in or to review", 0.95)
    for line in every(read(data / "locomo/observations.jsonl"), most):
        said = "\n".join(turns.get((line["sample_id"], e), "") for e in line["evidence"]).strip()
        if said:
            decided = asked.proposed(said, content=line["fact"])
            facts.count(decided.outcome in ("commit", "review"), line["fact"], asked.reason(decided))
    yield facts
    for name in ("msc", "spc"):
        personas = Row(f"good en: {name} personas, in or to review", 0.95)
        for line in every(read(data / f"scale/{name}_personas_en.jsonl"), most or 3000):
            decided = asked.proposed(line["text"])
            personas.count(decided.outcome in ("commit", "review"), line["text"], asked.reason(decided))
        yield personas


def one_off(data: Path, most: int | None) -> Iterator[Row]:
    """Requests for this once, proposed as they are and read by the rules."""
    sets = {"en (CLINC150)": "oneoff/clinc150.jsonl", "zh (CrossWOZ)": "oneoff/crosswoz_user_turns_zh.jsonl"}
    for name, path in sets.items():
        lines = [line for line in read(data / path) if line.get("intent") not in DURABLE]
        rows = {
            (how, bar): Row(f"oneoff {name}: {how}, not {what}", bar)
            for how in ("proposed", "read by the rules")
            for what, bar in (("committed", 0.99), ("even to review", 0.97))
        }
        for line in every(lines, most):
            decided = asked.proposed(line["text"])
            found = list(asked.extracted(line["text"]))
            outcomes = {"proposed": {decided.outcome}, "read by the rules": {d.outcome for _, d in found}}
            whys = {"proposed": asked.reason(decided), "read by the rules": found[0][0] if found else ""}
            for how, outcome in outcomes.items():
                rows[how, 0.99].count("commit" not in outcome, line["text"], whys[how])
                rows[how, 0.97].count(not outcome & {"commit", "review"}, line["text"], whys[how])
        yield from rows.values()


def credentials() -> Iterator[Row]:
    """Whether what is secret is found, whole, and prose about secrets is left alone."""
    for language in ("en", "zh"):
        lines = [line for line in read(SETS / "credentials.jsonl") if line["language"] == language]
        recall = Row(f"credentials {language}: found", 0.98)
        precise = Row(f"credentials {language}: of what was found, rightly", 0.98)
        for line in lines:
            secret = "".join(line.get("secret", []))
            text = line["text"].replace("{}", secret)
            spans = [s for s in find(text) if s.category == "credential"]
            if secret:
                at = text.index(secret)
                masked = sum(max(0, min(s.end, at + len(secret)) - max(s.start, at)) for s in spans)
                # Of a URL or an assignment the secret is a part: eight of its characters gone, it is no more.
                recall.count(masked >= min(8, 0.6 * len(secret)), line["text"], line["format"])
            for span in spans:
                precise.count(bool(secret), text[:100], text[span.start : span.end])
        yield from (recall, precise)
