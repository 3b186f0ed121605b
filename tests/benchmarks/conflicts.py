"""Change and contradiction: is the later word an update, or must it be asked back?

Pairs of statements are proposed as an agent would, with a key made of the question and a quote found by the words of
the question: both blind to the label, and the order is that of the turns. A pair is right when the later statement
supersedes an update's earlier one, and when a contradiction is asked back. BEAM pairs (also with "never" and "not"
taken out), sixty pairs without them and forty more (in `sets/`, with how they came about), HaluMem's changes of preference, and the
changing slots of GoodAI's LTM benchmark, which must end on the last value. Three hundred sentences that only mention
what is known are said over a thousand facts: none of these may change. "Let in": the gate kept the first statement
at all; it refuses what is sensitive, and questions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import Stemmer

from tests.benchmarks.measure import Times, begin

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with beam/, goodai_ltm/ and halumem/ as JSON Lines

from django.conf import settings
from rest_framework.test import APIClient

from governance.candidates.actions import approve
from governance.candidates.models import Candidate
from governance.conflicts.models import Conflict
from governance.memories import queries as memories
from governance.memories.models import Memory
from governance.memories.rules import normalise_text
from governance.policies.actions import publish
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member

SETS = Path(__file__).with_name("sets")
MENTIONS = SETS / "unrelated_mentions.jsonl"
OWN, AFTERWARDS = SETS / "pairs_without_negation.jsonl", SETS / "pairs_afterwards.jsonl"
FIRST_DAY = datetime(2024, 1, 1, 9, tzinfo=UTC)
STOP = frozenset(
    "a an the i my me we our is are am was were be been do does did have has had how what which who when where many much "
    "of in on at to for with and or any ever this that user s".split()
)
NEGATION = re.compile(r"(?:n't|n’t)\b|\b(?:never|not)\b ?", re.IGNORECASE)
BREAKS = re.compile(r"(?<=[.!?\n])\s+|, (?=(?:and|but|so|which|can|could|how|what|should|is|do|especially|considering|i|i'm|i've) )", re.I)  # fmt: skip
# Where a question turns to what it takes for granted, and how it begins when it does not.
GRANTED = re.compile(
    r"\b(?:given that|now that|the fact that|considering|since) (.+)|\b(?:which|that|like|where) (i .+)", re.I
)
HEAD = re.compile(r"^(?:and |but |so )?(?:what's the best way to|what is the best way to|how (?:can|do|should) i|can you help me(?: to)?) ", re.I)  # fmt: skip
HOW_MUCH = re.compile(r"^(?:how (?:many|much|long|often)|what(?: is| was|'s)|when) ", re.I)
ASKING = re.compile(r"\?|^(?:and |but |so )?(?:can|could|how|what|should|is|are|do|does|which|where|when|why) ", re.I)
_stem = Stemmer.Stemmer("english").stemWord


@dataclass(frozen=True)
class Turn:
    text: str
    quote: str


@dataclass(frozen=True)
class Pair:
    """Two statements in the order they were made; `value` says the same of each as the sentence does."""

    kind: str  # update or contradiction
    key: str
    turns: tuple[Turn, Turn]


@dataclass
class Figures:
    told: Counter[tuple[str, str]] = field(default_factory=Counter)  # kind, what became of it

    def right(self) -> int:
        return self.told["update", "superseded"] + self.told["contradiction", "asked"]

    def line(self, name: str) -> str:
        total = sum(self.told.values())
        parts = []
        for kind, wanted in (("update", "superseded"), ("contradiction", "asked")):
            of_kind = {what: n for (k, what), n in sorted(self.told.items()) if k == kind}
            if of_kind:
                parts.append(f"{kind} {of_kind.get(wanted, 0)}/{sum(of_kind.values())} {of_kind}")
        let_in = sum(n for (_, what), n in self.told.items() if not what.startswith("first "))
        share = f"{self.right() / max(total, 1):6.1%}   of those let in {self.right() / max(let_in, 1):6.1%}"
        return f"{name:<44}{self.right():>4}/{total:<4} {share}   " + "; ".join(parts)


def read(folder: Path, name: str) -> list[dict]:
    path = folder / name
    if not path.exists():
        raise SystemExit(f"Error: {folder} holds no {name}")
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- the proposer: blind to what a pair is ---------------------------------------------------------------------------
def words(text: str) -> set[str]:
    found = re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.casefold())
    return {_stem(w) for w in found if w not in STOP}


def key_of(question: str) -> str:
    latin = [w for w in re.findall(r"[a-z0-9]+", question.casefold()) if w not in STOP]
    return "asked." + "_".join(latin)[:120] if latin else f"asked.{question}"


def quote_of(text: str, question: str) -> str:
    """Return the clause that tells the most of what was asked, and asks nothing itself; of equals the first."""
    clauses = [c.strip(" ,") for c in BREAKS.split(text) if c and c.strip(" ,")]
    stating = [c for c in clauses if not ASKING.search(c)]
    granted = [g for c in clauses if ASKING.search(c) and (g := granted_by(c))]
    return max(stating + granted or clauses, key=lambda c: fit(c, question), default=text)[:900]


def granted_by(asking: str) -> str:
    """Return what a question takes for granted: "How do I X, given that I never Y?" tells of Y."""
    found = GRANTED.search(asking)
    told = found.group(1) or found.group(2) if found else HEAD.sub("", asking, count=1)
    told = told.rstrip("? ")
    return "" if told == asking.rstrip("? ") or ASKING.search(told) else told


def fit(clause: str, question: str) -> float:
    """Return how much of the question a clause answers: their words, and a number where one was asked for."""
    shared = len(words(question) & words(clause))
    return shared + (0.5 if shared and HOW_MUCH.search(question) and re.search(r"\d", clause) else 0.0)


def turn_of(texts: Sequence[str], question: str) -> Turn:
    quoted = [(text, quote_of(text, question)) for text in texts]
    return Turn(*max(quoted, key=lambda one: fit(one[1], question)))


def beam(folder: Path, *, without_negation: bool = False) -> Iterator[Pair]:
    kinds = {"knowledge_update": "update", "contradiction_resolution": "contradiction"}
    for row in read(folder, "beam/pairs_update_contradiction.jsonl"):
        if not all(row["statements"].values()):
            continue  # one side is missing from the set
        sides = sorted(row["statements"].values(), key=lambda turns: min(t["id"] for t in turns))
        turns = []
        for side in sides:
            texts = [t["text"][:4000] for t in side]
            turns.append(turn_of([NEGATION.sub("", t) if without_negation else t for t in texts], row["question"]))
        yield Pair(kinds[row["kind"]], key_of(row["question"]), (turns[0], turns[1]))


def own(path: Path) -> Iterator[Pair]:
    for row in (json.loads(line) for line in path.read_text().splitlines()):
        sides = (Turn(row["first"], row["first"]), Turn(row["second"], row["second"]))
        yield Pair(row["kind"], key_of(row["question"]), sides)


def preferences(folder: Path) -> Iterator[Pair]:
    for row in read(folder, "halumem/preference_updates.jsonl"):
        sides = []
        for one in (row["before"][0], row["after"][0]):
            text = f"{one['desc']}: {one['item']}. {one['reason']}"
            sides.append(Turn(text, text))
        if normalise_text(sides[0].text) == normalise_text(sides[1].text):
            continue  # nothing changed: what is said again is no change of preference
        yield Pair("update", "preference." + row["pref_type"].casefold().split()[0], (sides[0], sides[1]))


COLOUR = re.compile(r"^(\w+) is my favourite colour|(?:is|as) (\w+)\.$")
NAME = re.compile(r"^(\w+) is what I am called|(?:is|as) (\w+)\.$")


def slots(folder: Path) -> Iterator[tuple[str, list[tuple[str, str]], str]]:
    """Give each changing slot: its key, what was said with its value, and the value it ends on."""
    for row in read(folder, "goodai_ltm/definitions.jsonl"):
        pattern, key = {"Colours": (COLOUR, "preference.colour"), "NameList": (NAME, "profile.name")}.get(
            row["task"], (None, "")
        )
        if pattern is None:
            continue
        said = [s for s, asks in zip(row["script"], row["is_question"], strict=True) if not asks]
        stated = [(s, next(g for g in found.groups() if g)) for s in said if (found := pattern.search(s))]
        yield key, stated, row["expected_responses"][-1]


# --- the store -------------------------------------------------------------------------------------------------------
class Store:
    """A tenant in which everybody is somebody else."""

    def __init__(self, name: str) -> None:
        tenant = scopes.create_tenant(name)
        agent = scopes.create_agent(tenant, "assistant", owner=scopes.first_administrator(tenant))
        administrator = actor_of_member(scopes.first_administrator(tenant), tenant.id)
        publish({"undo_seconds": 0}, by=administrator)  # an approval counts at once
        self.reviewer = actor_of_member(scopes.add_member(tenant, f"reviewer-{name}", "reviewer").user, tenant.id)
        self.http = APIClient()
        self.http.credentials(HTTP_AUTHORIZATION=f"Bearer {scopes.issue_key(agent)[1]}")
        self.times = Times()
        self.people = 0

    def post(self, path: str, body: Mapping) -> dict:
        answer = self.http.post(f"/api/v1/{path}", body, format="json")
        if answer.status_code != 201:
            raise SystemExit(f"Error: {path} answered {answer.status_code}: {answer.content.decode()[:500]}")
        return answer.json()

    def say(self, user: str, day: int, turn: Turn, key: str, value: str) -> dict:
        """Write a turn down and propose from it; what waits for a person is approved as the next step."""
        at = (FIRST_DAY + timedelta(days=day)).isoformat()
        said = {"role": "user", "text": turn.text, "user": user, "occurred_at": at, "extract": False}
        heard = self.post("observations", said)
        body = {
            "scope": {"level": "user", "user": user},
            "kind": "semantic",
            "key": key,
            "value": value,
            "content": turn.quote,
            "source_type": "user_explicit",
            "evidence": {"observation": heard["id"], "quote": turn.quote},
        }
        with self.times.one():
            return self.post("candidates", body)

    def someone(self) -> str:
        self.people += 1
        return f"user-{self.people}"

    def became(self, pair: Pair) -> str:
        """Return what became of the later statement of a pair: superseded, asked, or another word for neither."""
        user = self.someone()
        first = self.say(user, 0, pair.turns[0], pair.key, pair.turns[0].quote)
        if first["status"] == "pending":
            approve(Candidate.objects.get(pk=first["id"]), expected=first["version"], by=self.reviewer)
        elif first["status"] != "committed":
            return f"first {first['status']}"
        later = self.say(user, 1, pair.turns[1], pair.key, pair.turns[1].quote)
        if later["conflict"]:
            return "asked"
        verdicts = Candidate.objects.get(pk=later["id"]).verdicts
        clash = next((v["code"] for v in verdicts if v["stage"] == "clash"), "")
        return {"supersedes": "superseded", "conflicts": "asked", "no-clash": "the same"}.get(
            clash, clash or "unjudged"
        )


def measured(store: Store, pairs: Iterator[Pair]) -> Figures:
    figures = Figures()
    for pair in pairs:
        figures.told[pair.kind, store.became(pair)] += 1
    return figures


def slots_right(store: Store, folder: Path) -> tuple[int, int]:
    """Return how many slots end on the last value, and how many there are."""
    right = total = 0
    for key, stated, last in slots(folder):
        user = store.someone()
        made = [store.say(user, day, Turn(text, text), key, value) for day, (text, value) in enumerate(stated)]
        found = Memory.objects.filter(pk__in=[m["memory"]["id"] for m in made if m["memory"]])
        total += 1
        right += [v.value for v in memories.views(found)] == [last]
    return right, total


# --- what is only mentioned --------------------------------------------------------------------------------------------
CIRCLES = 10  # of a speaker of English and one of Chinese: together they hold the facts ten times, a thousand


def mentions(store: Store) -> tuple[int, int, int, int]:
    """Return how many facts there were, how many sentences, how many facts these changed, and questions they opened.

    Each sentence is written down as said by somebody who holds the fact it mentions, with extraction; and an agent
    proposes it, without a key, as something that happened.
    """
    rows = [json.loads(line) for line in MENTIONS.read_text().splitlines()]
    made = [know(store, circle, row) for circle in range(CIRCLES) for row in rows]
    held = standing(made)
    if len(held) != len(rows) * CIRCLES:
        raise SystemExit(f"Error: {len(rows) * CIRCLES} facts were told and {len(held)} are held")
    said = [(holder(n % CIRCLES, row), text) for n, row in enumerate(rows) for text in row["mentions"]]
    for user, text in said:
        mention(store, user, text)
    now = standing(made)
    touched = sum(now[id_] != was for id_, was in held.items())
    return len(held), len(said), touched, Conflict.objects.filter(memory__in=made).count()


def standing(made: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return of each memory its latest version, and how it stands now."""
    views = memories.views(Memory.objects.filter(pk__in=made))
    return {v.id: (v.latest_version, v.status) for v in views}


def holder(circle: int, row: Mapping) -> str:
    return f"circle-{circle}-{'en' if row['content'].isascii() else 'zh'}"


def know(store: Store, circle: int, row: Mapping) -> str:
    """Tell a fact and return the memory it became; what waits for a person is approved."""
    told = Turn(row["content"], row["content"])
    made = store.say(holder(circle, row), 0, told, row["key"], row["value"])
    if made["status"] == "pending":
        candidate = approve(Candidate.objects.get(pk=made["id"]), expected=made["version"], by=store.reviewer)
        return candidate.memory_id or ""
    return made["memory"]["id"] if made["memory"] else ""


def mention(store: Store, user: str, text: str) -> None:
    at = (FIRST_DAY + timedelta(days=30)).isoformat()
    heard = store.post("observations", {"role": "user", "text": text, "user": user, "occurred_at": at})
    evidence = {"observation": heard["id"], "quote": text}
    scope = {"level": "user", "user": user}
    said = {"scope": scope, "kind": "episodic", "content": text, "source_type": "user_explicit", "evidence": evidence}
    store.post("candidates", said)


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench conflicts --data PATH")
    settings.ALLOWED_HOSTS = ["testserver"]
    store = Store("pairs")
    most = 20 if OPTIONS.size == "small" else None
    sets = {
        "BEAM pairs": beam(OPTIONS.data),
        'BEAM pairs without "never" and "not"': beam(OPTIONS.data, without_negation=True),
        "sixty pairs without negation": own(OWN),
        "forty pairs written after the rule": own(AFTERWARDS),
        "HaluMem changes of preference": preferences(OPTIONS.data),
    }
    for name, pairs in sets.items():
        found = list(pairs)
        step = max(1, len(found) // most) if most else 1
        print(measured(store, iter(found[::step])).line(name), flush=True)
    right, total = slots_right(store, OPTIONS.data)
    print(f"{'GoodAI slots that end on the last value':<44}{right:>4}/{total:<4} {right / max(total, 1):6.1%}")
    facts, sentences, changed, opened = mentions(Store("mentions"))
    print(
        f"{f'{sentences} unrelated mentions, {facts:,} facts':<44}{changed:>4} invalidated, {opened} conflicts opened"
    )
    print(f"propose {store.times.said()}")


if __name__ == "__main__":
    main()
