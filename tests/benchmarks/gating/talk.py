"""Through the doors: dialogues read turn by turn, memories proposed by an agent, what is said again and again."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rest_framework.test import APIClient

from governance.candidates.actions import approve
from governance.candidates.models import Candidate
from governance.ledger.outbox import drain
from governance.memories import queries as memories
from governance.memories.models import Memory, Version
from governance.policies.actions import publish
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member
from tests.benchmarks.gating.report import Row, every
from tests.benchmarks.gating.texts import SETS, read

FIRST_DAY = datetime(2025, 1, 1, 9, tzinfo=UTC)
_EMPTY = frozenset(
    "the a an is are was were be been being has have had his her their its he she they user to of in on at for and or with "
    "that this from by as i my me am".split()
)
KEPT = ("committed", "pending", "merged")


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.casefold())) - _EMPTY


class Store:
    """A tenant, its agent over HTTP, and a reviewer."""

    def __init__(self, name: str) -> None:
        tenant = scopes.create_tenant(name)
        agent = scopes.create_agent(tenant, "assistant", owner=scopes.first_administrator(tenant))
        publish({"undo_seconds": 0}, by=actor_of_member(scopes.first_administrator(tenant), tenant.id))
        self.reviewer = actor_of_member(scopes.add_member(tenant, f"reviewer-{name}", "reviewer").user, tenant.id)
        self.tenant = tenant
        self.key = scopes.issue_key(agent)[1]
        self.http = APIClient()
        self.http.credentials(HTTP_AUTHORIZATION=f"Bearer {self.key}")
        self.people = 0

    def post(self, path: str, body: Mapping) -> dict:
        answer = self.http.post(f"/api/v1/{path}", body, format="json")
        if answer.status_code not in (200, 201):
            raise SystemExit(f"Error: {path} answered {answer.status_code}: {answer.content.decode()[:500]}")
        return answer.json()

    def someone(self) -> str:
        self.people += 1
        return f"user-{self.people}"

    def observe(self, user: str, text: str, *, role: str = "user", day: int = 0, **more: object) -> dict:
        at = (FIRST_DAY + timedelta(days=day)).isoformat()
        return self.post("observations", {"role": role, "text": text, "user": user, "occurred_at": at, **more})

    def propose(self, user: str, heard: str, key: str, content: str, quote: str, **more: object) -> dict:
        body = {
            "scope": {"level": "user", "user": user},
            "kind": "semantic",
            "key": key,
            "value": content,
            "content": content[:900],
            "source_type": "user_explicit",
            "evidence": {"observation": heard, "quote": quote},
        }
        return self.post("candidates", {**body, **more})


# --- extraction alone -------------------------------------------------------------------------------------------------
def extraction(store: Store, data: Path, most: int | None) -> Iterator[Row]:
    """What rules find in dialogues without any agent: of what was said outright how much, and of what they say how much."""
    yield from _halumem_extraction(store, data, most)
    yield from _goodai_extraction(store, data)


def _halumem_extraction(store: Store, data: Path, most: int | None) -> Iterator[Row]:
    points = read(data / "halumem/memory_points.jsonl")
    said: dict[tuple[str, int], list[str]] = defaultdict(list)
    for turn in read(data / "halumem/turns.jsonl"):
        if turn["role"] == "user":
            said[turn["user"], turn["session"]].append(turn["text"])
    recall = Row("extraction halumem: reference facts said outright, found")
    precise = Row("extraction halumem: of what commits, borne out by a reference memory or the turn's own words")
    by_reference = Row("extraction halumem: of what commits, also a reference memory")
    sessions = list(said)[: 14 if most else None]
    for user, session in sessions:
        found: list[tuple[str, str, str]] = []
        for text in said[user, session]:
            heard = store.observe(f"{user}", text[:19_000], day=session)
            found += [(c["status"], c["content"] or "", text) for c in heard["candidates"]]
        references = [p for p in points if p["user"] == user and p["session"] == session and p["label"] != "reject"]
        kept = [content for status, content, _ in found if status in KEPT]
        for point in references:
            told = _told(point["memory"])
            if told and any(told <= words(text) for text in said[user, session]):
                recall.count(any(told & words(c) for c in kept), point["memory"])
        everything = [p["memory"] for p in points if p["user"] == user]
        for status, content, text in found:
            if status == "committed":
                about = words(content) - {"prefers", "likes", "works"}
                borne = any(len(about & words(m)) >= 0.5 * len(about) for m in everything)
                by_reference.count(borne, content)
                precise.count(borne or about <= words(text) | {"users", "s"}, f"{content} | {text[:60]}")
    yield from (recall, precise, by_reference)


def _told(memory: str) -> set[str]:
    """What a reference memory says: the words behind its verb, without the person's name."""
    parts = re.split(
        r"\b(?:is|are|was|were|prefers?|likes?|dislikes?|enjoys?|works? as|lives? in)\b|: ", memory, maxsplit=1
    )
    told = words(parts[1]) if len(parts) == 2 else set()
    return told if 1 <= len(told) <= 4 else set()


COLOUR = re.compile(r"^(?P<a>\w+) is my favourite colour|(?:is|as) (?P<b>\w+)\.$")
NAME = re.compile(r"^(?P<a>\w+) is what I am called|(?:is|as) (?P<b>\w+)\.$")


def _goodai_extraction(store: Store, data: Path) -> Iterator[Row]:
    stated = {
        task: Row(f"extraction goodai {task}: statements found with their value") for task in ("Colours", "NameList")
    }
    ends = {task: Row(f"extraction goodai {task}: the key ends on the last value") for task in ("Colours", "NameList")}
    shopping = Row("extraction goodai Shopping: list items found (each names its thing and number)")
    precise = Row("extraction goodai: of what commits, it names a value that was said")
    for row in read(data / "goodai_ltm/definitions.jsonl"):
        if row["task"] not in ("Colours", "NameList", "Shopping"):
            continue
        user, last, keys = store.someone(), "", set()
        said = [s for s, asks in zip(row["script"], row["is_question"], strict=True) if not asks]
        for day, text in enumerate(said):
            made = store.observe(user, text, day=day)["candidates"]
            kept = [c for c in made if c["status"] in KEPT]
            for candidate in made:
                if candidate["status"] == "committed":
                    precise.count(
                        words(str(candidate["value"])) <= words(text) | {"true", "like"},
                        f"{candidate['content']} | {text}",
                    )
            if row["task"] == "Shopping":
                wanted = words(text) & _items(row)
                shopping.count(any(wanted <= words(f"{c['content']} {c['value']}") for c in kept), text)
                continue
            pattern = COLOUR if row["task"] == "Colours" else NAME
            match = pattern.search(text)
            last = next(g for g in match.groups() if g).casefold() if match else last
            hits = [c for c in kept if str(c["value"]).casefold() == last]
            keys |= {c["memory"]["id"] for c in hits if c["memory"]}
            stated[row["task"]].count(bool(hits), text)
        if row["task"] != "Shopping":
            now = [v.value for v in memories.views(Memory.objects.filter(pk__in=keys))]
            ends[row["task"]].count([str(v).casefold() for v in now] == [last], f"{now} for {last}")
    yield from (*stated.values(), *ends.values(), shopping, precise)


def _items(row: dict) -> set[str]:
    found = re.findall(r"(\d+) ([A-Z][\w ]*?)(?=,|\.| to my| from|$)", "\n".join(row["script"]))
    return {w for number, thing in found for w in words(f"{number} {thing}")}


# --- the reference memories, proposed by an agent -----------------------------------------------------------------------
def references(store: Store, data: Path, most: int | None) -> Iterator[Row]:
    """Each reference memory with the turn that says most of it; rejects with the assistant's turn."""
    turns: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for turn in read(data / "halumem/turns.jsonl"):
        turns[turn["user"], turn["session"]].append((turn["role"], turn["text"]))
    refused = Row("halumem reject (with the assistant's turn): refused", 0.95)
    claimed = Row("halumem reject (claimed as the user's word): refused", 0.95)
    let_in = Row("halumem add: in or to review", 0.90)
    right = Row("halumem update: supersedes the right one, at once or once approved", 0.85)
    outcomes: Counter[str] = Counter()
    held: dict[str, str] = {}  # what a reference memory says -> the memory it became
    points = read(data / "halumem/memory_points.jsonl")
    for number, point in enumerate(points[: 120 if most else None]):
        user = f"person-{point['user']}"
        role = "assistant" if point["label"] == "reject" else "user"
        text = _source(turns[point["user"], point["session"]], role, point["memory"])
        key = f"known.fact_{number}"
        if point["label"] == "reject":
            heard = store.observe(user, text[:19_000], role=role, day=point["session"], extract=False)
            source = {"source_type": "agent_guess", "confidence": 0.6}
            for row, more in ((refused, source), (claimed, {})):
                made = store.propose(user, heard["id"], f"{key}.{len(more)}", point["memory"], text[:900], **more)
                row.count(made["status"] == "rejected", point["memory"], made["outcome"])
            continue
        heard = store.observe(user, text[:19_000], role=role, day=point["session"], extract=False)
        original = next((m for m in held if m in point["original_memories"]), "")
        if point["is_update"] and not original:
            original = max(held, key=lambda m: len(words(m) & words(" ".join(point["original_memories"]))), default="")
        if original:
            key = held[original].split(" ")[1]
        made = store.propose(user, heard["id"], key, point["memory"], text[:19_000])
        if point["is_update"]:
            became = _became(store, made, held.get(original, "").split(" ")[0])
            outcomes[became] += 1
            right.count(became.startswith("supersedes"), point["memory"], became)
        else:
            let_in.count(made["status"] in KEPT, point["memory"], _why(made))
        if memory := _remembered(store, made):
            held[point["memory"]] = f"{memory} {key}"
    right.note = str(dict(outcomes))
    yield from (refused, claimed, let_in, right)


def _source(said: Sequence[tuple[str, str]], role: str, memory: str) -> str:
    own = [text for by, text in said if by == role] or [text for _, text in said]
    return max(own, key=lambda text: len(words(memory) & words(text)))


def _why(made: dict) -> str:
    return next((f"{r['stage']}: {r['code']}" for r in made["reasons"] if r.get("outcome")), made["outcome"])


def _became(store: Store, made: dict, original: str) -> str:
    row = Candidate.objects.get(pk=made["id"])
    target = row.memory_id or row.target_id or ""
    verdict = next((v["code"] for v in row.verdicts if v["stage"] == "clash"), "")
    if made["status"] in ("rejected", "event_only"):
        return f"{made['status']}: {_why(made)}"
    if not original or target != original:
        return f"another memory ({verdict})"
    if made["status"] == "committed":
        return "supersedes at once"
    if made["status"] == "pending":
        return "supersedes once approved"
    return f"{made['status']} ({verdict})"


def _remembered(store: Store, made: dict) -> str:
    if made["status"] == "pending":
        return (
            approve(Candidate.objects.get(pk=made["id"]), expected=made["version"], by=store.reviewer).memory_id or ""
        )
    return made["memory"]["id"] if made["memory"] else ""


def memtrust(store: Store, data: Path) -> Iterator[Row]:
    """Fifteen contents proposed as an agent would, and seven pairs of which the later must supersede."""
    stored = Row("memtrust: should it be stored", 1.0)
    for number, case in enumerate(read(data / "memtrust/extraction_quality_cases.jsonl")):
        # What is made up stands in no turn: the agent cites the one there is.
        user, turn = store.someone(), case["query" if case["category"] == "hallucinated_profile" else "content"]
        heard = store.observe(user, turn, extract=False)
        made = store.propose(user, heard["id"], f"noted.case_{number}", case["content"], case["content"])
        stored.count((made["status"] in KEPT) == case["should_be_stored"], case["content"], made["outcome"])
    changed = Row("memtrust: contradictions superseded or asked back", 1.0)
    for case in read(data / "memtrust/contradiction_cases.jsonl"):
        user, key = store.someone(), "asked." + "_".join(case["subject"].split())
        made = []
        for day, (said, value) in enumerate(
            ((case["initial_fact"], case["initial_value"]), (case["contradicting_fact"], case["updated_value"]))
        ):
            heard = store.observe(user, said, day=day, extract=False)
            made.append(store.propose(user, heard["id"], key, said, said, value=value))
            _remembered(store, made[-1]) if made[-1]["status"] == "pending" else None
        first, second = (Candidate.objects.get(pk=m["id"]) for m in made)
        is_right = (
            first.memory_id
            and (second.memory_id == first.memory_id)
            and (second.memory_version == 2 or second.conflict)
        )
        changed.count(bool(is_right), case["contradicting_fact"], f"{made[0]['status']}, {made[1]['status']}")
    yield from (stored, changed)


# --- echo ----------------------------------------------------------------------------------------------------------------
def echo(store: Store) -> Iterator[Row]:
    """One fact, recalled and fed back a hundred times; and every echo of the junk set after a recall of its memory."""
    user, session, fact = store.someone(), "s1", "I prefer window seats on long flights."
    heard = store.observe(user, fact)
    store.propose(user, heard["id"], "preference.travel.seat", fact, fact, value="window")
    before = _state(store)
    for turn in range(100):
        while drain():
            pass
        given = store.post("recall", {"query": "which seat?", "user": user, "session": session})
        role = ("user", "assistant")[turn % 2]
        text = (
            f"{given['context']}\n\nBook the trip, please."
            if turn % 3
            else f"As I know: {given['memories'][0]['content']}"
        )
        again = store.observe(user, text, role=role, session=session, **({"recall": given["id"]} if turn % 5 else {}))
        source = {"source_type": "user_explicit" if role == "user" else "agent_guess"}
        store.propose(user, again["id"], "preference.travel.seat", fact, fact, value="window", **source)
    row = Row("echo: one fact recalled and fed back 100 times is one memory, unchanged", 1.0)
    row.count(_state(store) == before, f"{before} became {_state(store)}")
    yield row
    for language in ("en", "zh"):
        echoed = Row(f"junk {language}: echoes of a recalled memory, kept out", 0.95)
        for line in read(SETS / "junk.jsonl"):
            if line["language"] == language and line["category"] == "echo":
                user = store.someone()
                heard = store.observe(user, line["proposed"], extract=False)
                store.propose(user, heard["id"], "noted.fact", line["proposed"], line["proposed"])
                while drain():
                    pass
                given = store.post("recall", {"query": line["proposed"], "user": user, "session": session})
                again = store.observe(user, line["text"], role=line["role"], session=session, recall=given["id"])
                made = store.propose(user, again["id"], "noted.other", line["proposed"], line["text"])
                out = made["status"] in ("rejected", "event_only") and not [
                    c for c in again["candidates"] if c["status"] in ("committed", "pending", "merged")
                ]
                echoed.count(out, line["text"], f"{made['outcome']} {[c['content'] for c in again['candidates']]}")
        yield echoed


def _state(store: Store) -> tuple[int, list[float], int]:
    """Memories, the confidence of their versions, and how much evidence there is."""
    rows = Memory.objects.filter(tenant=store.tenant)
    return (
        rows.count(),
        list(Version.objects.filter(memory__in=rows).order_by("pk").values_list("confidence", flat=True)),
        sum(m.evidence.count() for m in rows),
    )


__all__ = ["Store", "echo", "every", "extraction", "memtrust", "references"]
