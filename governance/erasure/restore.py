"""Bringing a backup back: into quarantine, keys and journal merged, erasures replayed, all of it verified, then served.

Signed heads and journal are merged and never overwritten: what was signed and what was erased stays known.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from governance.erasure import caches
from governance.erasure.backup import LEFT_OUT, manifest_of, run_postgresql
from governance.erasure.holding import is_held
from governance.erasure.merging import holds_in_force, merge_holds, merge_journal, merge_keyring
from governance.erasure.replaying import SYSTEM, as_it_is_now, erasures, replay
from governance.erasure.rules import reach_of
from governance.erasure.stores import STORES
from governance.errors import Invalid, WrongState
from governance.index import chroma
from governance.ledger import quarantine, sealing
from governance.ledger.actions import head_message, sign_heads
from governance.ledger.events import ChainRestored
from governance.ledger.models import Event, Head, NamedKey, Outbox, PastHead, SignedHead
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import tenants, verify
from governance.ledger.writing import writing
from governance.lifecycle.models import Hold
from governance.memories.models import Memory

AT_ONCE = 1000
Say = Callable[[str], None]


@dataclass
class Restored:
    """What a restore did, and every reason not to serve from it."""

    backup: str
    keys: int = 0
    erasures: int = 0
    held: list[str] = field(default_factory=list)  # requests left out because of a legal hold
    holds: list[Hold] = field(default_factory=list)  # in force in the database that was there before
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return not self.problems


def restore(
    database: Path,
    *,
    keyring: Path | None = None,
    journal_file: Path | None = None,
    replace: bool = False,
    say: Say = lambda line: None,
) -> Restored:
    """Put a backup in place and return what became of it; sound, it may be served from, else it stays in quarantine.

    Raises Invalid for what is no backup, for a database in the way, and where keys or journal are missing.
    """
    told = manifest_of(database, "database")
    if keyring is not None:
        manifest_of(keyring, "keyring")
    _require(told, keyring, journal_file, replace)
    quarantine.begin(database.name)
    done = Restored(database.name, holds=holds_in_force())
    say("In quarantine: nobody is served until this is done.")
    _put(database / told["file"], told["engine"])
    done.keys = merge_keyring(keyring / "keyring.jsonl") if keyring else 0
    merge_journal(journal_file)
    say(f"Put back; {done.keys} keys added.")
    return finish(done, told["heads"], say)


def finish(done: Restored, heads: Iterable[dict[str, Any]], say: Say = lambda line: None) -> Restored:
    """Replay, verify, and lift the quarantine where nothing is wrong. Repeatable."""
    done.problems = _genuine(heads)
    if done.problems:
        return done
    for tenant in tenants():
        _accept(tenant, done.backup)
    merge_holds(done.holds, by=SYSTEM)
    for row in erasures():
        if replay(row):
            done.erasures += 1
        else:
            done.held.append(row.request)
    say(f"{done.erasures} erasures replayed.")
    if done.held:
        say(f"Left out, since a legal hold covers it; erased when the hold is lifted: {', '.join(done.held)}.")
    caches.drop()
    sign_heads()
    done.problems = _wrong()
    if done.is_sound:
        _owe_the_index()
        quarantine.lift()
    return done


def _require(told: dict[str, Any], keyring: Path | None, journal_file: Path | None, replace: bool) -> None:
    """Raise Invalid where something stands in the way or is missing, before anything is touched."""
    if told["engine"] != connections["default"].vendor:
        raise Invalid({"/database": f"was made on {told['engine']}; this machine is set up for another database"})
    for alias in ("default", "keyring"):
        call_command("migrate", database=alias, verbosity=0)
    if Event.objects.exists() and not replace and quarantine.current() is None:
        raise Invalid({"/database": "would take the place of one that is in use; say --replace if that is meant"})
    had_keys = NamedKey.objects.exists()
    if not had_keys and keyring is None:
        raise Invalid({"/keyring": "is needed: this machine has no keys for it"})
    if journal_file is not None and not journal_file.is_file():
        raise Invalid({"/journal": f"{journal_file} is not there"})
    if not had_keys and journal_file is None and not Path(settings.JOURNAL_FILE).exists():
        raise Invalid(
            {"/journal": "is needed: without it what was erased since would come back (an empty file: nothing was)"}
        )


# --- putting in place ----------------------------------------------------------------------------------------------


def _put(file: Path, engine: str) -> None:
    chroma.close()
    if engine == "sqlite":
        _put_sqlite(file)
    else:
        name = connections["default"].settings_dict["NAME"]
        connections["default"].close()
        options = ("--clean", "--if-exists", "--no-owner", "--single-transaction")
        run_postgresql("pg_restore", f"--dbname={name}", *options, str(file))
    call_command("migrate", database="default", verbosity=0)
    _forget_index()
    sealing.forget_known_keys()
    caches.drop()


def _put_sqlite(file: Path) -> None:
    target = Path(str(connections["default"].settings_dict["NAME"]))
    connections["default"].close()
    fresh = target.with_name(f"{target.name}.restoring")
    shutil.copyfile(file, fresh)
    fresh.chmod(0o600)
    for left in ("-wal", "-shm"):
        target.with_name(target.name + left).unlink(missing_ok=True)
    os.replace(fresh, target)


def _forget_index() -> None:
    """Drop the index of the database that was there before: it may hold what this one never knew."""
    folder = chroma.files()
    if folder is not None and not settings.CHROMA_URL:
        shutil.rmtree(folder, ignore_errors=True)
    with connections["default"].cursor() as cursor:
        for table in LEFT_OUT:
            cursor.execute(f"DELETE FROM {table}")


# --- the chain -----------------------------------------------------------------------------------------------------


def _genuine(heads: Iterable[dict[str, Any]]) -> list[str]:
    """Return what shows that the database is not the one that was signed when it was copied."""
    problems = []
    for head in heads:
        message = head_message(head["tenant"], head["seq"], bytes.fromhex(head["hash"]))
        try:
            sealing.signing_key().public_key().verify(bytes.fromhex(head["signature"]), message)
        except InvalidSignature:
            problems.append(f"{head['tenant']}: the head in the manifest is not signed by us")
            continue
        row = Event.objects.filter(tenant=head["tenant"], seq=head["seq"]).first()
        if row is None or bytes(row.hash).hex() != head["hash"]:
            problems.append(f"{head['tenant']}: event {head['seq']} is not the one that was signed")
    return problems


def _accept(tenant: str, backup: str) -> None:
    """Note in the chain that it goes on from an older state; the head it no longer reaches is kept."""
    signed = SignedHead.objects.filter(tenant=tenant).first()
    head = Head.objects.filter(tenant=tenant).first()
    if signed is None or head is None or head.seq >= signed.seq and _is_there(signed):
        return
    PastHead.objects.get_or_create(
        tenant=tenant,
        seq=signed.seq,
        hash=bytes(signed.hash),
        defaults={
            "signature": bytes(signed.signature),
            "signed_at": signed.signed_at,
            "restored_at": timezone.now(),
        },
    )
    with writing(tenant, by=SYSTEM) as w:
        w.record(ChainRestored(backup=backup, seq=signed.seq, hash=bytes(signed.hash).hex()), stream=tenant)
    SignedHead.objects.filter(tenant=tenant).delete()


def _is_there(signed: SignedHead) -> bool:
    row = Event.objects.filter(tenant=signed.tenant, seq=signed.seq).first()
    return row is not None and bytes(row.hash) == bytes(signed.hash)


# --- verifying -----------------------------------------------------------------------------------------------------


def _wrong() -> list[str]:
    """Return every reason not to serve: chains, state, and whatever is left of what was erased."""
    problems = [f"{t}: {f.kind} at {f.seq}: {f.detail}" for t in tenants() for f in verify(t).findings]
    problems += [f"state: {d.table} {d.key}: {d.what}" for d in rebuild(apply=False).differences]
    for row in erasures():
        reach = as_it_is_now(reach_of(row.entry["reach"]))
        if not is_held(reach):
            problems += [f"{row.request}: {s.name} still holds {left}" for s in STORES if (left := s.verify(reach))]
    return problems


def _owe_the_index() -> None:
    """Have every living memory indexed anew."""
    now = timezone.now()
    rows = Memory.objects.filter(slot__isnull=False, erased=False).values_list("pk", "tenant", "scope")
    owed = [Outbox(topic="index", tenant=t, scope=s, ref=m, due_at=now) for m, t, s in rows.iterator()]
    Outbox.objects.bulk_create(owed, batch_size=AT_ONCE)


def refuse_in_quarantine() -> None:
    """Raise WrongState while a restored database is not known to be sound."""
    found = quarantine.current()
    if found is not None:
        raise WrongState(
            f"The database was put back from {found.backup} and is in quarantine: what was erased since is not yet "
            "known to be gone. Finish it: `manage.py restore` with the same arguments."
        )
