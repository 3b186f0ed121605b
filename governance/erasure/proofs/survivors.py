"""Whether what is left of the same person or scope still says what was erased: row by row, by SQL and AES-GCM alone."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import orjson
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from governance.erasure.needles import FIELDS, Needles
from governance.erasure.proofs.readback import all_of, marks, of_its_own, unwrap
from governance.erasure.rules import Reach
from governance.ledger.erasing import several

LISTED = 100
HEAD = 8  # characters; what is shorter without its spaces may stand anywhere by chance
# Why what still says it may: the request named others; it was said after the work began; others' memories rest on it; a
# source says it that stays.
NOT_NAMED, LATER, OTHERS, SOURCE = "not-named", "said-later", "others-rest-on-it", "source-says-it"
_LATER = "CASE WHEN {at} > (SELECT started_at FROM governance_forgetrequest WHERE id = %s) THEN 1 ELSE 0 END"
_VERSION = "version v JOIN governance_memory m ON m.id = v.memory_id"
_EVIDENCE = "evidence e JOIN governance_memory m ON m.id = e.memory_id"
# (owner, what holds words, its contents, when it was recorded, where, the column by which it is somebody's)
_OF_SCOPES = (
    ("v.memory_id", "v.id", "v.content_id", "v.recorded_at", _VERSION, "m.scope_id"),
    ("e.memory_id", "e.id", "e.content_id", "e.added_at", _EVIDENCE, "m.scope_id"),
    ("id", "id", "content_id", "created_at", "candidate", "scope_id"),
    ("id", "id", "edited_id", "created_at", "candidate", "scope_id"),
    ("id", "id", "content_id", "recorded_at", "observation", "session_id"),
)
_OF_PEOPLE = ("id", "id", "content_id", "recorded_at", "observation", "subject_id")
_OF_PROJECTS = ("id", "id", "content_id", "recorded_at", "observation", "project_id")


@dataclass(frozen=True)
class Row:
    """Something that is left and holds words; `owner` is the memory of a version, else the row itself."""

    owner: str
    id: str
    content: str
    is_later: bool


@dataclass
class Survivors:
    """How many texts that stay were compared, which of them still say it and why they may; "" is no reason."""

    compared: int = 0
    survivors: list[dict[str, str]] = field(default_factory=list)
    saying: int = 0
    unaccounted: int = 0


@dataclass
class Derived:
    """What became of the summaries that said some of it, and from which sources they are made now."""

    holds: bool
    derived: list[dict[str, Any]]


def look(reach: Reach, needles: Needles) -> Survivors:
    """Return what of the same person or scope still says an erased text, or states an erased value."""
    found = Survivors()
    if not (needles.texts or needles.values):
        return found
    texts, values = _by_head(plain(t) for t in needles.texts), {plain(v) for v in needles.values}
    with closing(of_its_own("default")) as data, closing(of_its_own("keyring")) as keyring:
        gone, saying = set(reach.all_contents()), []
        for some in several(row for row in _left(data, reach) if row.content not in gone):
            opened = _opened(data, keyring, [row.content for row in some])
            found.compared += len(opened)
            saying += [row for row in some if row.content in opened and _says(opened[row.content], texts, values)]
    sources = {row.owner for row in saying if row.owner not in reach.derived and not row.is_later}
    own = {*reach.memories, *reach.candidates, *reach.observations}
    told = {(row.owner, row.id): _why(row, reach, own, bool(sources)) for row in saying}
    found.saying, found.unaccounted = len(told), sum(not why for why in told.values())
    listed = sorted((why, pk) for (_, pk), why in told.items())[:LISTED]  # first those for which there is no reason
    found.survivors = [{"id": pk, "reason": why} for why, pk in listed]
    return found


def made_anew(reach: Reach) -> Derived:
    """Return every summary that said some of it: which version stands, from which sources; none may be erased."""
    told, holds, gone = [], True, set(reach.memories)
    with closing(of_its_own("default")) as data:
        for some in several(reach.derived):
            query = f"SELECT id, latest, slot FROM governance_memory WHERE id IN ({marks(some)}) ORDER BY id"
            for memory, latest, slot in all_of(data, query, some):
                query = "SELECT source_id FROM governance_derivation WHERE memory_id = %s AND version = %s ORDER BY 1"
                sources = [row[0] for row in all_of(data, query, [memory, latest])] if slot is not None else []
                holds &= not gone & set(sources)
                told.append({"memory": memory, "version": latest, "sources": sources, "dropped": slot is None})
    return Derived(holds, told)


def plain(text: str) -> str:
    """Return a text however it is spaced or cased."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _why(row: Row, reach: Reach, own: set[str], source_says_it: bool) -> str:
    if row.owner in reach.derived:
        return SOURCE if source_says_it else ""
    if row.owner in own:
        return OTHERS if reach.kept else ""
    if row.is_later:
        return LATER
    return "" if reach.subject or reach.scopes else NOT_NAMED


def _by_head(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return texts by how they begin: however many there are, a text is gone through once."""
    found: dict[str, list[str]] = {}
    for text in (t for t in texts if len(t) >= HEAD):
        found.setdefault(text[:HEAD], []).append(text)
    return found


def _says(words: dict[str, Any], texts: dict[str, list[str]], values: set[str]) -> bool:
    said = [plain(words[name]) for name in FIELDS if isinstance(words.get(name), str)]
    value = words.get("value")
    return (isinstance(value, str) and plain(value) in values) or any(
        s.startswith(t, i) for s in said for i in range(len(s)) for t in texts.get(s[i : i + HEAD], ())
    )


def _left(data: Any, reach: Reach) -> Iterator[Row]:
    """Yield what holds words in the scopes of a reach: of a person or a scope as it names them, else of whose it is."""
    scopes, people = set(reach.scopes), {reach.subject} - {""}
    if not (scopes or people):
        scopes = _column(data, "SELECT scope_id FROM governance_memory WHERE id IN ({})", reach.memories)
        scopes |= _column(data, "SELECT scope_id FROM governance_candidate WHERE id IN ({})", reach.candidates)
        people = _column(data, "SELECT subject_id FROM governance_scope WHERE id IN ({})", scopes)
        people |= _column(data, "SELECT subject_id FROM governance_observation WHERE id IN ({})", reach.observations)
        scopes |= _column(data, "SELECT id FROM governance_scope WHERE subject_id IN ({})", people)
    projects = _column(data, "SELECT project_id FROM governance_scope WHERE level = 'project' AND id IN ({})", scopes)
    for what in _OF_SCOPES:
        yield from _rows(data, reach, what, scopes)
    yield from _rows(data, reach, _OF_PEOPLE, people)
    yield from _rows(data, reach, _OF_PROJECTS, projects)


def _rows(data: Any, reach: Reach, what: Sequence[str], whose: set[str]) -> Iterator[Row]:
    owner, pk, content, at, table, by = what
    for some in several(sorted(whose)):
        query = (
            f"SELECT {owner}, {pk}, {content}, {_LATER.format(at=at)} FROM governance_{table} "
            f"WHERE {content} IS NOT NULL AND {by} IN ({marks(some)})"
        )
        yield from (Row(o, i, c, bool(later)) for o, i, c, later in all_of(data, query, [reach.request, *some]))


def _column(data: Any, query: str, values: Any) -> set[str]:
    found: set[str] = set()
    for some in several(sorted(values)):
        found.update(row[0] for row in all_of(data, query.format(marks(some)), some) if row[0] is not None)
    return found


def _opened(data: Any, keyring: Any, contents: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what can be read of some contents."""
    query = f"SELECT id, tenant, kid, nonce, ct FROM governance_content WHERE id IN ({marks(contents)})"
    rows = all_of(data, query, contents)
    kids = sorted({row[2] for row in rows})
    query = f"SELECT kid, wrapped FROM governance_contentkey WHERE kid IN ({marks(kids)})"
    keys = {kid: AESGCM(unwrap(kid, wrapped)) for kid, wrapped in (all_of(keyring, query, kids) if kids else [])}
    return {
        pk: orjson.loads(keys[kid].decrypt(bytes(nonce), bytes(ct), f"{tenant}/{pk}".encode()))
        for pk, tenant, kid, nonce, ct in rows
        if kid in keys
    }
