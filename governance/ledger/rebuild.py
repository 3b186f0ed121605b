"""State from nothing: fold the ledger in memory, compare with every state table, apply the differences if asked."""

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

import orjson
from django.db import transaction
from django.db.models import ForeignKey, Model, QuerySet

from governance.ledger import pages, sealing
from governance.ledger.erasing import several
from governance.ledger.events import DERIVED, FOLDS, Derived, Recorded, revive
from governance.ledger.models import Event, Head, State
from governance.ledger.sealing import NO_WORDS, Words
from governance.ledger.verify import tenants
from governance.ledger.writing import folding_allowed

BATCH = 2000

# For each model its rows as tuples: of folded ones by key, of derived ones by group.
Rows = dict[Any, Any]
Suspects = dict[type[State], set[Any]]


@dataclass(frozen=True)
class Difference:
    """One row that is not what the ledger says: `missing`, `extra`, or the names of the fields that differ."""

    table: str
    key: str
    what: str


@dataclass
class Rebuilt:
    """How many events were folded, and every difference found."""

    events: int = 0
    differences: list[Difference] = field(default_factory=list)


def rebuild(*, apply: bool, tenant: str = "", progress: Callable[[int], None] = lambda done: None) -> Rebuilt:
    """Return the differences between the ledger's fold and the state tables; with `apply` they are gone afterwards.

    With a tenant, of its chain and its rows alone. Nobody waits meanwhile: what seems to differ, and may have been
    written while it was read, is looked at again behind the heads' locks.
    """
    folded = _Folded(progress, [tenant] if tenant else tenants())
    with _without_collector():
        folded.go_on()
        suspects = {}
        for model in _models():
            suspects[model] = _suspects(folded.table(model), _there(model, tenant), folded.breathe)
    result = Rebuilt()
    if any(suspects.values()):
        with transaction.atomic():
            list(Head.objects.select_for_update().filter(tenant__in=folded.tenants).order_by("tenant"))
            folded.go_on(quietly=True)
            for model, keys in suspects.items():
                _settle(folded.table(model), model, keys, result, apply)
    result.events = folded.events
    return result


def compare(tenant: str, streams: Collection[str], *, progress: Callable[[int], None] = lambda done: None) -> Rebuilt:
    """Return the differences between the fold of some streams of a tenant's chain and the rows these make.

    Every row is made by the events of one stream, or derived from such rows. A row that no event of any stream made is
    not looked for: `rebuild` does.
    """
    folded, result = _folded_anew(tenant, streams, progress), Rebuilt()
    suspects = {model: _suspects(folded.table(model), _of(folded, model), folded.breathe) for model in _models()}
    if any(suspects.values()):
        with transaction.atomic():
            list(Head.objects.select_for_update().filter(tenant=tenant))
            folded = _folded_anew(tenant, streams)
            for model, keys in suspects.items():
                _settle(folded.table(model), model, keys, result, apply=False)
    result.events = folded.events
    return result


def _folded_anew(
    tenant: str, streams: Collection[str], progress: Callable[[int], None] = lambda done: None
) -> "_Folded":
    folded = _Folded(progress, [tenant])
    for some in several(sorted(streams)):
        # Sorted here: where SQLite knows nothing of the table yet, it would read all of the log rather than sort.
        rows = sorted(Event.objects.filter(tenant=tenant, stream__in=some).order_by().values_list("seq", "header"))
        folded.fold(tenant, [orjson.loads(bytes(header)) for _, header in rows])
        folded.breathe()
    return folded


def _of(folded: "_Folded", model: type[State]) -> Iterator[tuple[Any, Any]]:
    for some in several(folded.keys(model)):
        yield from _there(model, "", some)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Spare the search for cycles among a log's worth of rows, of which none is in one: a seventh of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def state_models() -> list[type[State]]:
    """Return every model that events fold into, in a stable order."""
    found = {target.model for targets in FOLDS.values() for target in targets}
    return sorted(found, key=lambda m: m.__name__)


def _models() -> list[type[State]]:
    return [*state_models(), *sorted({d.into for d in DERIVED.values()}, key=lambda m: m.__name__)]


class _Folded:
    """What the log says of every row, as far as it has been read."""

    def __init__(self, progress: Callable[[int], None], of: Sequence[str]) -> None:
        self.tenants, self.events = list(of), 0
        self._progress, self._read_to = progress, dict.fromkeys(of, 0)
        # None where the events took a row away again.
        self._rows: dict[type[State], dict[Any, Any]] = {model: {} for model in state_models()}

    def go_on(self, *, quietly: bool = False) -> None:
        """Fold the events that were not there before; `quietly` while others wait for a lock of ours."""
        for tenant in self.tenants:
            for batch in self._batches(tenant):
                self.fold(tenant, batch)
                if not quietly:
                    self._progress(self.events)

    def breathe(self) -> None:
        """Say how far it has come, so that others may have their turn."""
        self._progress(self.events)

    def table(self, model: type[State]) -> Rows:
        """Return the rows of one model, as tuples of its columns."""
        derived = next((d for d in DERIVED.values() if d.into is model), None)
        if derived is not None:
            return _derived(derived, self._sources(derived))
        told = attrgetter(*_columns(model))
        return {key: told(row) for key, row in self._rows[model].items() if row is not None}

    def keys(self, model: type[State]) -> Collection[Any]:
        """Return the keys (of a derived model the groups) of all rows that an event named, also of those taken away."""
        derived = next((d for d in DERIVED.values() if d.into is model), None)
        if derived is not None:
            return {getattr(row, derived.group) for row in self._sources(derived)}
        return self._rows[model].keys()

    def _sources(self, derived: Derived) -> Iterable[Any]:
        return (row for row in self._rows[derived.source].values() if row is not None)

    def _batches(self, tenant: str) -> Iterator[Sequence[dict[str, Any]]]:
        for page in pages.log(tenant, ["header"], after=self._read_to[tenant]):
            self._read_to[tenant] = page[-1][0]
            yield [orjson.loads(header) for _, header in page]

    def fold(self, tenant: str, headers: Sequence[dict[str, Any]]) -> None:
        """Fold some events, those of one row in their order."""
        self.events += len(headers)
        words = sealing.unseal(c for h in headers if h["type"] in FOLDS for c in list(h["contents"])[:1])
        for header in headers:
            if header["type"] in FOLDS:
                self._fold(recorded_from(tenant, header), words)

    def _fold(self, recorded: Recorded, words: dict[str, Words]) -> None:
        opened = words.get(recorded.contents[0], NO_WORDS) if recorded.contents else NO_WORDS
        for target in FOLDS[recorded.type]:
            rows, key = self._rows[target.model], target.key(recorded)
            rows[key] = target.fold(rows.get(key), recorded, opened)


def recorded_from(tenant: str, header: dict[str, Any]) -> Recorded:
    """Return an event read back from its header, as folds take it."""
    return Recorded(
        id=header["id"],
        tenant=tenant,
        seq=header["seq"],
        type=header["type"],
        stream=header["stream"],
        actor=header["actor"],
        occurred_at=datetime.fromisoformat(header["occurred_at"]),
        recorded_at=datetime.fromisoformat(header["recorded_at"]),
        causation=header["causation"],
        correlation=header["correlation"],
        event=revive(header["type"], header["data"]),
        contents=tuple(header["contents"]),
    )


def _derived(derived: Derived, sources: Iterable[Any]) -> Rows:
    groups: dict[Any, list[Any]] = {}
    for row in sources:
        groups.setdefault(getattr(row, derived.group), []).append(row)
    told = attrgetter(*_columns(derived.into))
    laid = {group: frozenset(map(told, derived.compute(members))) for group, members in groups.items()}
    return {group: rows for group, rows in laid.items() if rows}


def _columns(model: type[State]) -> list[str]:
    """Return the names of a model's columns; of one whose rows are numbered, without the number."""
    return [f.attname for f in model._meta.concrete_fields if not (f.primary_key and _is_derived(model))]


def _is_derived(model: type[State]) -> bool:
    return any(d.into is model for d in DERIVED.values())


def _there(model: type[State], tenant: str, keys: Sequence[Any] | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield (key, tuple of columns) of the rows there are; of a derived model (group, frozenset of such tuples)."""
    group = next((d.group for d in DERIVED.values() if d.into is model), "pk")
    rows: QuerySet[Any] = model.objects.all()
    if tenant:
        rows = rows.filter(**{_path_to_tenant(model): tenant})
    if keys is not None:
        rows = rows.filter(**{f"{group}__in": keys})
    told = rows.order_by(group).values_list(group, *_columns(model))
    if not _is_derived(model):
        page = list(told[:BATCH])
        while page:  # no cursor stays open: whoever takes a row may let others write
            yield from ((row[0], row[1:]) for row in page)
            page = list(told.filter(pk__gt=page[-1][0])[:BATCH])
        return
    groups: dict[Any, list[Any]] = {}
    for row in told.iterator(chunk_size=BATCH):
        groups.setdefault(row[0], []).append(row[1:])
    yield from ((key, frozenset(members)) for key, members in groups.items())


def _path_to_tenant(model: type[Model]) -> str:
    """Return the look-up that leads from a model to its tenant's id: its own column, or that of what it belongs to."""
    fields = {f.name: f for f in model._meta.concrete_fields}
    if "tenant" in fields:
        return "tenant"
    for field_ in fields.values():
        owner: Any = field_.related_model if isinstance(field_, ForeignKey) and not field_.null else None
        if owner is not None and issubclass(owner, State):
            return f"{field_.name}__{_path_to_tenant(owner)}"
    return "pk"


def _suspects(wanted: Rows, there: Iterator[tuple[Any, Any]], breathe: Callable[[], None]) -> set[Any]:
    seen, suspects = set(), set()
    for key, row in there:
        seen.add(key)
        if not len(seen) % BATCH:
            breathe()
        if key not in wanted or wanted[key] != row and _plain(wanted[key]) != _plain(row):
            suspects.add(key)
    return suspects | (wanted.keys() - seen)


def _settle(wanted: Rows, model: type[State], keys: set[Any], result: Rebuilt, apply: bool) -> None:
    """Look at some rows again, note what still differs, and with `apply` write what the log says."""
    ordered = sorted(keys, key=str)
    there: Rows = {}
    for start in range(0, len(ordered), BATCH):
        there |= dict(_there(model, "", ordered[start : start + BATCH]))
    wrong = {key: what for key in ordered if (what := _what(model, there.get(key), wanted.get(key)))}
    result.differences += [Difference(model.__name__, str(key), what) for key, what in wrong.items()]
    if apply and wrong:
        _write(model, wanted, list(wrong))


def _what(model: type[State], there: Any, wanted: Any) -> str:
    if there is None or wanted is None:
        return "" if there is wanted else "missing" if there is None else "extra"
    if _is_derived(model):
        return "" if _plain(there) == _plain(wanted) else "differ"
    pairs = zip(_columns(model), _plain(there), _plain(wanted), strict=True)
    return ", ".join(name for name, one, other in pairs if one != other)


def _plain(row: Any) -> Any:
    """Return a row as it is compared: bytes however a database hands them over, lists however a fold holds them."""
    if isinstance(row, frozenset):
        return {_plain(r) for r in row}
    return tuple(bytes(v) if isinstance(v, memoryview) else list(v) if isinstance(v, tuple) else v for v in row)


def _write(model: type[State], wanted: Rows, keys: Sequence[Any]) -> None:
    group = next((d.group for d in DERIVED.values() if d.into is model), "pk")
    told = [wanted[key] for key in keys if key in wanted]
    rows = [row for rows in told for row in rows] if _is_derived(model) else told
    with folding_allowed():
        for start in range(0, len(keys), BATCH):
            # As it stands, whatever points here: what takes its place has the same key.
            gone = model.objects.filter(**{f"{group}__in": keys[start : start + BATCH]})
            gone._raw_delete(gone.db)
        columns = _columns(model)
        model.objects.bulk_create([model(**dict(zip(columns, row, strict=True))) for row in rows], batch_size=BATCH)
