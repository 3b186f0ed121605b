"""What an erasure reaches, written down in the keyring and in a file before the first destructive step.

Copied apart from the backups of the data: restoring one replays the journal before anybody is served.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone

from governance.erasure.models import ErasureJournal, ForgetRequest
from governance.erasure.rules import Reach, canonical, digest
from governance.ledger.events import stamp


def write(request: ForgetRequest, reach: Reach) -> ErasureJournal:
    """Return the journal entry of a request, in the keyring and in the file; a wider reach makes it wider."""
    known = ErasureJournal.objects.filter(request=request.id).first()
    entry = {"request": request.id, "tenant": request.tenant_id, "mode": request.mode, "reach": reach.document()}
    sha256 = digest(entry)
    if known is None or known.sha256 != sha256:
        now = timezone.now()
        known, _ = ErasureJournal.objects.update_or_create(
            request=request.id,
            defaults={"entry": entry, "sha256": sha256},
            create_defaults={"tenant": request.tenant_id, "written_at": now, "entry": entry, "sha256": sha256},
        )
    append(known)
    return known


def append(row: ErasureJournal) -> None:
    """Put an entry into the file too, once."""
    _append({"at": stamp(row.written_at), "sha256": row.sha256, "entry": row.entry})


def _append(line: dict[str, Any]) -> None:
    """Put a line at the end of the file, durable; once."""
    file = Path(settings.JOURNAL_FILE)
    if any(known["sha256"] == line["sha256"] for known in lines(file)):
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as out:
        out.write(canonical(line) + b"\n")
        out.flush()
        os.fsync(out.fileno())


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield what a journal file says, oldest first; a line that a crash cut off is passed over."""
    if not file.exists():
        return
    with file.open("rb") as found:
        for raw in found:
            if raw.endswith(b"\n"):
                yield orjson.loads(raw)


def finish(request: str) -> None:
    """Note that an erasure came to its end."""
    ErasureJournal.objects.filter(request=request, done_at=None).update(done_at=timezone.now())
