"""Copies for emergencies: the database without its index, and the keyring apart. Neither can be read alone."""

import base64
import hashlib
import os
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import connections
from django.utils import timezone

from governance.erasure.models import ErasureJournal
from governance.errors import Invalid, Unavailable
from governance.index.models import Entry, Errand, Mark, Removal, ScopeShard, Shard
from governance.ledger import master
from governance.ledger.actions import sign_heads
from governance.ledger.events import stamp
from governance.ledger.models import ContentKey, NamedKey, PastHead, SignedHead

FORMAT = 1
MANIFEST = "manifest.json"
# Made anew after a restore; sessions of people, who sign in again.
LEFT_OUT = (*(m._meta.db_table for m in (Entry, Removal, Mark, ScopeShard, Shard, Errand)), "django_session")
KEYRING = (NamedKey, ContentKey, SignedHead, PastHead, ErasureJournal)
AT_ONCE = 2000


def back_up_database(into: Path) -> Path:
    """Return the new folder that holds the database as it is at one instant; nobody waits meanwhile."""
    sign_heads()
    folder = _fresh(into, "database")
    vendor = connections["default"].vendor
    file = folder / ("database.sqlite3" if vendor == "sqlite" else "database.dump")
    heads = [_head(h) for h in SignedHead.objects.order_by("tenant")]
    (_copy_sqlite if vendor == "sqlite" else _dump_postgresql)(file)
    _describe(folder, "database", file, engine=vendor, left_out=sorted(LEFT_OUT), heads=heads)
    return folder


def back_up_keyring(into: Path) -> Path:
    """Return the new folder that holds keys (wrapped: useless without the master key), signed heads and journal."""
    folder = _fresh(into, "keyring")
    file = folder / "keyring.jsonl"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        for model in KEYRING:
            for row in model.objects.order_by("pk").iterator(chunk_size=AT_ONCE):
                out.write(orjson.dumps({"model": model.__name__, "fields": _plain(row)}) + b"\n")
    _describe(folder, "keyring", file, engine="jsonl")
    return folder


def _fresh(into: Path, kind: str) -> Path:
    folder = into / f"{kind}-{timezone.now():%Y%m%dT%H%M%S%f}"
    try:
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise Invalid({"/to": f"{folder} cannot be written: {error.strerror}"}) from None
    return folder


def _copy_sqlite(file: Path) -> None:
    source = str(connections["default"].settings_dict["NAME"])
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as here, closing(sqlite3.connect(file)) as copy:
        here.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.execute("PRAGMA secure_delete=ON")
        for table in LEFT_OUT:
            copy.execute(f"DELETE FROM {table}")
        copy.commit()
        copy.execute("VACUUM")
    file.chmod(0o600)


def _dump_postgresql(file: Path) -> None:
    without = [f"--exclude-table-data={table}" for table in LEFT_OUT]
    run_postgresql("pg_dump", "--format=custom", "--no-owner", f"--file={file}", *without)
    file.chmod(0o600)


def run_postgresql(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL on our database. Raises Unavailable with what it said."""
    named = connections["default"].settings_dict
    where = {"PGHOST": named["HOST"], "PGPORT": str(named["PORT"]), "PGUSER": named["USER"]}
    secret = {"PGPASSWORD": named["PASSWORD"], "PGDATABASE": named["NAME"]}
    environment = {**os.environ, **{k: v for k, v in {**where, **secret}.items() if v}}
    try:
        done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Unavailable(f"{program} is not on this machine; install PostgreSQL's client programs.") from None
    if done.returncode:
        raise Unavailable(f"{program} failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else '?'}")


def _describe(folder: Path, kind: str, file: Path, **more: Any) -> None:
    told = {
        "format": FORMAT,
        "kind": kind,
        "made_at": stamp(timezone.now()),
        "file": file.name,
        "sha256": sha256_of(file),
        "master_key": master_key_mark(),
        **more,
    }
    (folder / MANIFEST).write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))


def sha256_of(file: Path) -> str:
    with file.open("rb") as found:
        return hashlib.file_digest(found, "sha256").hexdigest()


def master_key_mark() -> str:
    """Return by which a master key is known again; it tells nothing about it."""
    return master.derive(settings.MASTER_KEY, b"backup-mark").hex()[:16]


def _head(row: SignedHead) -> dict[str, Any]:
    return {
        "tenant": row.tenant,
        "seq": row.seq,
        "hash": bytes(row.hash).hex(),
        "signature": bytes(row.signature).hex(),
    }


def _plain(row: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if isinstance(value, bytes | memoryview):
            value = {"base64": base64.b64encode(bytes(value)).decode()}
        elif isinstance(value, datetime):
            value = {"at": stamp(value)}
        told[field.attname] = value
    return told


def read_keyring(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (model, columns) of a keyring's copy."""
    with file.open("rb") as found:
        for line in found:
            row = orjson.loads(line)
            yield row["model"], {name: _column(value) for name, value in row["fields"].items()}


def _column(value: Any) -> Any:
    if isinstance(value, Mapping) and set(value) == {"base64"}:
        return base64.b64decode(value["base64"])
    if isinstance(value, Mapping) and set(value) == {"at"}:
        return datetime.fromisoformat(value["at"])
    return value


def manifest_of(folder: Path, kind: str) -> dict[str, Any]:
    """Return what a backup says of itself, its file checked. Raises Invalid."""
    file = folder / MANIFEST
    if not file.is_file():
        raise Invalid({f"/{kind}": f"{folder} is no backup: it has no {MANIFEST}"})
    told: dict[str, Any] = orjson.loads(file.read_bytes())
    if told.get("format") != FORMAT or told.get("kind") != kind:
        raise Invalid({f"/{kind}": f"{folder} is not a backup of the {kind} that this version reads"})
    if told["master_key"] != master_key_mark():
        raise Invalid({f"/{kind}": "was made with another master key; put that one into KEY_DIR first"})
    if not (folder / told["file"]).is_file() or sha256_of(folder / told["file"]) != told["sha256"]:
        raise Invalid({f"/{kind}": "is damaged: its file is not the one that was made"})
    return told
