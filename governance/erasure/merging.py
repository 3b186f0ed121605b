"""What a restore merges and never overwrites: keys, signed heads, the journal of erasures, and legal holds."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from governance.erasure import journal
from governance.erasure.backup import KEYRING, read_keyring
from governance.erasure.models import ErasureJournal
from governance.erasure.rules import digest, reach_of
from governance.errors import Invalid
from governance.ledger import sealing
from governance.ledger.models import ContentKey, Head, NamedKey, PastHead, SignedHead
from governance.ledger.writing import writing
from governance.lifecycle.events import HoldPlaced
from governance.lifecycle.models import Hold
from governance.memories.models import Memory
from governance.scopes.models import Project, Subject

AT_ONCE = 1000


def merge_keyring(file: Path) -> int:
    """Add the keys that are missing, signed heads that reach further, and the journal; return how many keys came."""
    models: dict[str, Any] = {m.__name__: m for m in KEYRING}
    before = ContentKey.objects.count() + NamedKey.objects.count()
    for some in _chunks(read_keyring(file)):
        for name in ("ContentKey", "NamedKey"):
            rows = [models[name](**columns) for of, columns in some if of == name]
            models[name].objects.bulk_create(rows, ignore_conflicts=True)
        for name, columns in some:
            if models[name] is SignedHead:
                _merge_head(columns)
            elif models[name] is PastHead:
                key = {part: columns[part] for part in ("tenant", "seq", "hash")}
                PastHead.objects.get_or_create(**key, defaults={k: v for k, v in columns.items() if k != "id"})
            elif models[name] is ErasureJournal:
                _merge_entry(columns["entry"], columns["sha256"], columns["written_at"])
    sealing.forget_known_keys()
    return ContentKey.objects.count() + NamedKey.objects.count() - before


def _chunks(rows: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    some: list[tuple[str, dict[str, Any]]] = []
    for row in rows:
        some.append(row)
        if len(some) == AT_ONCE:
            yield some
            some = []
    yield some


def _merge_head(columns: dict[str, Any]) -> None:
    known = SignedHead.objects.filter(tenant=columns["tenant"]).first()
    if known is None or known.seq < columns["seq"]:
        SignedHead.objects.update_or_create(tenant=columns["tenant"], defaults=columns)


def merge_journal(journal_file: Path | None) -> None:
    """Take in what the journal files say; of one request the widest reach counts, and stands last."""
    for file in (Path(settings.JOURNAL_FILE), journal_file):
        for line in journal.lines(file) if file is not None else ():
            _merge_entry(line["entry"], line["sha256"], timezone.now())
    for row in ErasureJournal.objects.order_by("id"):
        journal.append(row)


def _merge_entry(entry: dict[str, Any], sha256: str, written_at: datetime) -> None:
    if digest(entry) != sha256:
        raise Invalid({"/journal": "is damaged: an entry is not what it was"})
    known = ErasureJournal.objects.filter(request=entry["request"]).first()
    if known is None:
        named = {"tenant": entry["tenant"], "entry": entry, "sha256": sha256, "written_at": written_at}
        ErasureJournal.objects.create(request=entry["request"], **named)
    elif known.sha256 != sha256:
        wider = reach_of(known.entry["reach"]).joined(reach_of(entry["reach"])).document()
        joined = {**known.entry, "reach": wider}
        ErasureJournal.objects.filter(pk=known.pk).update(entry=joined, sha256=digest(joined))


def holds_in_force() -> list[Hold]:
    """Return the legal holds of the database that is there."""
    return list(Hold.objects.in_force().order_by("seq"))


def merge_holds(holds: Sequence[Hold], by: str) -> None:
    """Place the holds again that a database put back does not know, where what they cover is in it; notes are lost."""
    for hold in holds:
        known = Hold.objects.filter(pk=hold.pk).exists() or not Head.objects.filter(tenant=hold.tenant_id).exists()
        covered = ((Subject, hold.subject_id), (Project, hold.project_id), (Memory, hold.memory_id))
        if known or any(pk and not model.objects.filter(pk=pk).exists() for model, pk in covered):
            continue
        placed = HoldPlaced(ground=hold.ground, subject=hold.subject_id, project=hold.project_id, memory=hold.memory_id)
        with writing(hold.tenant_id, by=by) as w:
            w.record(placed, stream=hold.id)
