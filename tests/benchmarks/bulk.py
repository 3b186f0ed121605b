"""The bulk path: stores of any size for benchmarks, written as the product writes them but by the thousand.

What is the same: every memory is sealed under a key of its own, recorded as `version-written` and `about-added` on the
tenant's chain, folded by the registered folds, and has an entry with keyed token hashes and a vector, in a shard that
`shards.place` chose, in Chroma. `verify_ledger`, `rebuild_state --check` and `index_drift` find nothing to say.
What is not: nobody proposed it (no observation, no candidate, no policy), rows are saved in batches of one transaction
by one prepared statement a table, and vectors are given instead of embedded. Of memories that are there for size alone it
is not recorded whom they are about (`about=False`): half the events.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db import models, transaction
from django.db.models import F
from django.utils import timezone

from governance.index import embedding, projector, shards
from governance.index.models import Entry, Mark, ScopeShard, Shard
from governance.index.projector import searchable
from governance.index.shards import OWN_FROM
from governance.index.tokens import hash_tokens, tokens
from governance.ledger import ids, sealing
from governance.ledger.events import DERIVED, FOLDS
from governance.ledger.models import Content, ContentKey
from governance.ledger.prepared import insert
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing, writing
from governance.memories.actions import Statement, _written
from governance.memories.events import AboutAdded
from governance.memories.models import About, Memory, Period, Version
from governance.scopes import events as scoped
from governance.scopes.models import Scope
from governance.scopes.rules import Actor

BATCH = 2_000


@dataclass(frozen=True)
class Line:
    """One memory to be: where it goes, its sentence, its vector, and when it was observed (None: a minute ago)."""

    scope: Scope
    text: str
    vector: np.ndarray
    observed_at: datetime | None = None


@dataclass
class Rows:
    """What one transaction saves, table by table."""

    contents: list[Content] = field(default_factory=list)
    of: dict[type[models.Model], list[Any]] = field(
        default_factory=lambda: {m: [] for m in (Memory, Version, About, Period)}
    )

    def record(self, w: Writing, event: Any, stream: str, sealed: Sealed | None) -> None:
        digests = {sealed.id: sealed.digest} if sealed else {}
        recorded = w._chain(event, stream, digests, None)
        words = sealing.words_of(sealed) if sealed else sealing.NO_WORDS
        folded = [(t.model, t.fold(None, recorded, words)) for t in FOLDS.get(recorded.type, [])]
        for model, row in folded:
            self.of[model].append(row)
        derived = DERIVED.get(recorded.type)
        if derived:
            self.of[derived.into] += derived.compute([row for model, row in folded if model is derived.source])

    def save(self) -> None:
        insert(self.contents)
        for rows in self.of.values():
            insert(rows)


def users(names: Sequence[str], *, by: Actor) -> list[Scope]:
    """Return the user scopes of new users, opened in one transaction."""
    opened = []
    with transaction.atomic(using="keyring"):
        people = [(ids.new("sub"), name) for name in names]
        sealed = [sealing.seal({"user": n}, tenant=by.tenant, scope=by.tenant, subject=s) for s, n in people]
    with writing(by.tenant, by=by.id) as w:
        for (subject, _), words in zip(people, sealed, strict=True):
            w.record(scoped.SubjectSeen(), stream=subject, contents=[words])
            opened.append(w.record(scoped.ScopeOpened(level="user", subject=subject), stream=ids.new("scope")))
    with transaction.atomic(using="keyring"):
        for scope in opened:
            sealing.mac_key(scope.id, subject=scope.subject_id or "")
    return opened


def give_own_collection(scope: Scope, dimension: int) -> None:
    """Let a scope that will be large begin where it would end up, without the move."""
    model = embedding.model_name()
    shard = Shard.objects.create(tenant_id=scope.tenant_id, model=model, dimension=dimension, own=True)
    ScopeShard.objects.create(scope=scope, shard=shard)


def fill(lines: Sequence[Line], *, by: Actor, about: bool = True) -> list[str]:
    """Write memories, each with its vector, index them, and return their ids. Lines of one scope stand together."""
    ids_made: list[str] = []
    for start in range(0, len(lines), BATCH):
        part = lines[start : start + BATCH]
        made = _remember(part, by, about)
        with transaction.atomic():
            entries = _enter(part, made, by)
        by_shard: dict[int | None, list[Entry]] = {}
        for entry in entries:
            by_shard.setdefault(entry.shard_id, []).append(entry)
        for shard in Shard.objects.filter(pk__in=[s for s in by_shard if s]):
            projector.upsert(shard, by_shard[shard.id])
        ids_made += made
    return ids_made


def _remember(lines: Sequence[Line], by: Actor, about: bool) -> list[str]:
    sealed = _sealed(lines, by.tenant)
    rows, made = Rows([s.row() for s in sealed]), []
    now = timezone.now() - timedelta(minutes=1)
    with writing(by.tenant, by=by.id) as w:
        for line, words in zip(lines, sealed, strict=True):
            memory = ids.new("mem")
            made.append(memory)
            rows.record(
                w,
                _written(line.scope.id, 1, _statement(words.id, line.observed_at or now, by), supersedes=None),
                memory,
                words,
            )
            if about and line.scope.subject_id:
                rows.record(w, AboutAdded(subject=line.scope.subject_id), memory, None)
        rows.save()
        insert(w._events)
        w._events.clear()
    return made


def _statement(content: str, now: datetime, by: Actor) -> Statement:
    return Statement(
        content=content,
        kind="semantic",
        source_type="user_explicit",
        confidence=0.9,
        reason="import",
        observed_at=now,
        valid_from=None,
        valid_to=None,
        validity="permanent",
        created_by=by.id,
        agent=by.agent,
    )


def _sealed(lines: Sequence[Line], tenant: str) -> list[Sealed]:
    """Return sentences sealed one key each, the keys kept in one statement."""
    now, keys, sealed = timezone.now(), [], []
    for line in lines:
        kid, key = ids.new("kid"), secrets.token_bytes(32)
        subject = line.scope.subject_id or ""
        wrapped = sealing._wrap(key, kid)
        keys.append(ContentKey(kid=kid, subject=subject, scope=line.scope.id, wrapped=wrapped, created=now))
        words = {"content": line.text, "key": f"note.{kid[-16:]}", "value": line.text}
        sealed.append(sealing._seal_with(key, kid, words, tenant=tenant, scope=line.scope.id))
    with transaction.atomic(using="keyring"):
        insert(keys)
    return sealed


def _enter(lines: Sequence[Line], memories: Sequence[str], by: Actor) -> list[Entry]:
    model, entries = embedding.model_name(), []
    for scope, part in _by_scope(lines):
        key = sealing.mac_key(scope.id)
        for shard, some in _placed(scope, part, len(lines[0].vector), model):
            for i in some:
                text = searchable({"content": lines[i].text}, None)
                entries.append(
                    Entry(
                        scope=scope,
                        shard=shard,
                        memory_id=memories[i],
                        number=1,
                        vector=lines[i].vector.astype(np.float16).tobytes(),
                        tokens=hash_tokens(tokens(text), key),
                        model=model,
                        dimension=len(lines[i].vector),
                    )
                )
        Mark.objects.get_or_create(scope=scope)
        Mark.objects.filter(scope=scope).update(epoch=F("epoch") + 1)
    return Entry.objects.bulk_create(entries)


def _by_scope(lines: Sequence[Line]) -> Iterator[tuple[Scope, list[int]]]:
    rows: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        rows.setdefault(line.scope.id, []).append(i)
    for members in rows.values():
        yield lines[members[0]].scope, members


def _placed(scope: Scope, rows: list[int], dimension: int, model: str) -> Iterator[tuple[Shard, list[int]]]:
    """Yield shards with the rows they take, each up to its room."""
    left = rows
    while left:
        shard = shards.place(scope.tenant_id, scope.id, model=model, dimension=dimension).shard
        room = shard.room if shard.own else min(shard.room, OWN_FROM)
        shards.resize(shard.id, len(left[:room]))
        yield shard, left[:room]
        left = left[room:]
