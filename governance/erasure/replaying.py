"""Erasing again, from the journal, what a backup that was put back holds once more; legal holds are read first."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from governance.candidates.models import Candidate
from governance.conflicts.models import Claim
from governance.erasure.events import ErasureReplayed
from governance.erasure.holding import is_held
from governance.erasure.models import ErasureJournal
from governance.erasure.reach import column, of_person
from governance.erasure.rules import Reach, reach_of
from governance.erasure.stores import STORES
from governance.erasure.stores.words import name_what_is_dark
from governance.ledger.erasing import readable
from governance.ledger.models import Head, Outbox
from governance.ledger.writing import writing
from governance.memories.models import Version
from governance.scopes.models import Subject

SYSTEM = "system:restore"
REPLAY = "replay"  # the topic of what a legal hold keeps from being erased again
ASKED_AGAIN_AFTER = timedelta(minutes=10)


def replay(entry: ErasureJournal) -> bool:
    """Erase again what was erased, store by store, and return True; False while a legal hold covers some of it.

    Then only what has no key any more is said to be erased; the rest is owed, and asked for again.
    """
    reach = as_it_is_now(reach_of(entry.entry["reach"]))
    if not Head.objects.filter(tenant=reach.tenant).exists():
        return True  # the backup is older than the tenant
    held = is_held(reach)
    reach = _lost(reach) if held else reach
    for store in STORES:
        store.erase(reach)
    name_what_is_dark(reach)
    with writing(reach.tenant, by=SYSTEM) as w:
        if not held:
            w.record(ErasureReplayed(journal_sha256=entry.sha256), stream=reach.request)
    if held:
        due_at = timezone.now() + ASKED_AGAIN_AFTER
        Outbox.objects.create(topic=REPLAY, tenant=reach.tenant, ref=reach.request, due_at=due_at)
    return not held


def _lost(reach: Reach) -> Reach:
    """Return of a reach what nobody can read any more: no hold keeps that, and the state has to say so."""
    gone = {group: _unreadable(ids) for group, ids in reach.contents.items()}
    return Reach(
        request=reach.request,
        tenant=reach.tenant,
        memories=_without_words(Version, "memory", reach.memories),
        candidates=_without_words(Candidate, "pk", reach.candidates),
        conflicts=_without_words(Claim, "conflict", reach.conflicts),
        contents={group: tuple(ids) for group, ids in gone.items()},
    )


def _unreadable(contents: Sequence[str]) -> list[str]:
    return sorted(set(contents) - set(readable(contents)))


def _without_words(model: Any, name: str, ids: Sequence[str]) -> tuple[str, ...]:
    """Return those of some ids of which rows of a table (that names them in a column) had words, and none has any."""
    contents = set(column(model, "content", **{f"{name}__in": ids}))
    kept = set(column(model, name, content__in=readable(contents)))
    return tuple(sorted({*column(model, name, content__in=contents)} & set(ids) - kept))


def erasures() -> list[ErasureJournal]:
    """Return what the journal says was erased, oldest first."""
    return [row for row in ErasureJournal.objects.order_by("id") if row.entry["mode"] == "erase"]


def as_it_is_now(reach: Reach) -> Reach:
    """Return a reach with all that is kept of its person by now."""
    subject = Subject.objects.filter(pk=reach.subject).first() if reach.subject else None
    return reach.joined(of_person(reach.request, subject)) if subject is not None else reach
