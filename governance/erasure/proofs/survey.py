"""Bystanders: every row that no event touched and no plan named is, byte for byte, as it was before."""

import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import orjson
from django.db import connections, router

from governance.erasure.models import ForgetPlan, ForgetRequest, Survey
from governance.erasure.rules import Reach, reach_of
from governance.ledger.apart import Progress, apart
from governance.ledger.erasing import BLANKS, several
from governance.ledger.events import DERIVED, FOLDS
from governance.ledger.models import Content, ContentKey, Event, State
from governance.ledger.rebuild import recorded_from, state_models

# Rows that are laid anew as a whole: by the model, the column that says which belong together.
GROUPS = {derived.into: derived.group for derived in DERIVED.values()}


@dataclass(frozen=True)
class Compared:
    """What was compared: rows alike, rows changed by events, and rows nobody can account for."""

    rows: int
    digest_before: str
    digest_after: str
    changed_by_events: int
    of_the_request: int
    unaccounted: tuple[str, ...]


def models() -> list[Any]:
    return [*state_models(), *GROUPS, Content, ContentKey]


def take(request: ForgetRequest) -> None:
    """Keep the hashes of all rows of all tenants; once."""
    if not is_kept(request):
        apart(taken, request.id)


def taken(request: str, *, progress: Progress) -> int:
    """Keep the hashes of all rows for a request, in one commit, and return how many they are."""
    kept = []
    for model in models():
        keys, rows = _hashed(model)
        kept.append(Survey(request_id=request, table=model.__name__, keys=keys.tobytes(), rows=rows.tobytes()))
        progress(len(kept))
    Survey.objects.bulk_create(kept)
    return sum(len(k.keys) // 8 for k in kept)


def is_kept(request: ForgetRequest) -> bool:
    return Survey.objects.filter(request=request).exists()


def compare(request: ForgetRequest, *, progress: Progress) -> Compared:
    """Return how the rows of now compare with those that were kept."""
    now = {}
    for model in models():
        now[model] = _hashed(model)
        progress(len(now))
    touched = _touched(request)  # after the rows were read: whatever changed them is in the log by now
    own = _of_reach(reach_of(ForgetPlan.objects.get(request=request).reach))
    before, after = sha256(), sha256()
    alike = by_events = of_request = 0
    unaccounted: list[str] = []
    for model, (now_keys, now_rows) in now.items():
        kept = Survey.objects.get(request=request, table=model.__name__)
        keys, rows = np.frombuffer(bytes(kept.keys), "<u8"), np.frombuffer(bytes(kept.rows), "<u8")
        at = np.searchsorted(now_keys, keys)
        at_ = np.minimum(at, max(len(now_keys) - 1, 0))
        there = (now_keys[at_] == keys) if len(now_keys) else np.zeros(len(keys), dtype=bool)
        same = there & (now_rows[at_] == rows) if len(now_keys) else there
        moved = set(keys[~same].tolist())
        ours = moved & own.get(model.__name__, set())
        theirs = (moved - ours) & touched.get(model.__name__, set())
        rest = moved - ours - theirs
        alike, of_request, by_events = alike + int(same.sum()), of_request + len(ours), by_events + len(theirs)
        came = _came(model, now_keys, keys) - touched.get(model.__name__, set())
        unaccounted += [model.__name__] if rest or came else []
        stay = same | np.isin(keys, np.array(sorted(rest), dtype="<u8"))
        before.update(keys[stay].tobytes() + rows[stay].tobytes())
        if len(now_keys):
            after.update(keys[stay].tobytes() + now_rows[at_][stay].tobytes())
    return Compared(alike, before.hexdigest(), after.hexdigest(), by_events, of_request, tuple(unaccounted))


def _came(model: Any, now: np.ndarray, before: np.ndarray) -> set[int]:
    """Return the keys of rows of state that were not there before; words and keys come before the event they are of."""
    return set(now[~np.isin(now, before)].tolist()) if issubclass(model, State) else set()


def forget(request: ForgetRequest) -> None:
    Survey.objects.filter(request=request).delete()


def _hashed(model: Any) -> tuple[Any, Any]:
    """Return (hashes of keys ascending, hashes of rows; of groups the sum of theirs), as the database has them now."""
    digests: tuple[list[bytes], list[bytes]] = [], []
    for some in _rows(model):
        digests[0].extend([_digest(row[0]) for row in some])
        digests[1].extend([_digest(row) for row in some])
    keys, rows = (np.frombuffer(b"".join(kept), "<u8") for kept in digests)
    order = np.argsort(keys, kind="stable")
    once, begins = np.unique(keys[order], return_index=True)
    return once, np.add.reduceat(rows[order], begins) if len(once) else rows


def _rows(model: Any) -> Iterator[list[tuple[Any, ...]]]:
    """Yield every row, its key first, as the database has it, thousands at a time; of groups without their numbers."""
    key = GROUPS.get(model, model._meta.pk.column)
    fields = [f for f in model._meta.concrete_fields if not (f.primary_key and model in GROUPS)]
    columns = sorted((f.column for f in fields), key=key.__ne__)
    connection = connections[router.db_for_read(model)]
    is_plain = connection.vendor == "sqlite"  # bytes come as bytes, and behind a "+" times as the text that is stored
    asked = [f"+{column}" if is_plain else column for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(asked)} FROM {model._meta.db_table}")
        while some := cursor.fetchmany(2000):
            yield some if is_plain else [tuple(map(_plain, row)) for row in some]


def _plain(value: Any) -> Any:
    if isinstance(value, memoryview):
        return bytes(value)
    return value if value is None or isinstance(value, str | int | float | bytes) else repr(value)


def _digest(value: Any) -> bytes:
    # Without references (version 2) what is equal is written alike; several times as fast as repr.
    return sha256(marshal.dumps(value, 2)).digest()[:8]


def _hash(value: Any) -> int:
    return int.from_bytes(_digest(value), "little")


def _of_reach(reach: Reach) -> dict[str, set[int]]:
    """Return the keys of the rows that a reach names, hashed, by table."""
    named: dict[str, Any] = {
        "Memory": reach.memories,
        "Period": (*reach.memories, *reach.derived),
        "Candidate": reach.candidates,
        "Conflict": reach.conflicts,
        "Subject": [reach.subject],
        "Scope": reach.scopes,
        "ContentKey": reach.kids,
        "ForgetRequest": [reach.request],
    }
    return {table: {_hash(pk) for pk in pks} for table, pks in named.items()}


def _touched(request: ForgetRequest) -> dict[str, set[int]]:
    """Return the rows that events since the approval folded into, hashed, by table; of all tenants."""
    found: dict[str, set[int]] = {}
    rows = Event.objects.filter(recorded_at__gte=request.approved_at).values_list("tenant", "header")
    for tenant, raw in rows.iterator(chunk_size=2000):
        header = orjson.loads(bytes(raw))
        recorded = recorded_from(tenant, header)
        for target in FOLDS.get(header["type"], ()):
            found.setdefault(target.model.__name__, set()).add(_hash(target.key(recorded)))
        if derived := DERIVED.get(header["type"]):
            found.setdefault(derived.into.__name__, set()).add(_hash(recorded.stream))
        if header["type"] == "contents-erased":
            _blanked(found, recorded.event.contents)
    return found


def _blanked(found: dict[str, set[int]], contents: tuple[str, ...]) -> None:
    """Add the rows whose HMACs an erasure blanked, and the keys that it destroyed."""
    for some in several(contents):
        for blank in BLANKS:
            pks = blank.model.objects.filter(**{f"{blank.content}__in": some}).values_list("pk", flat=True)
            found.setdefault(blank.model.__name__, set()).update(_hash(pk) for pk in pks)
        kids = Content.objects.filter(pk__in=some).values_list("kid", flat=True)
        found.setdefault("ContentKey", set()).update(_hash(kid) for kid in kids)
