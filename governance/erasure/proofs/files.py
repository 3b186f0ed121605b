"""The files in which something could lie: those of this product, of Chroma, and of a PostgreSQL on this machine."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections

from governance.erasure.needles import Needles
from governance.erasure.proofs.scan import Hit, Scanned, files_below
from governance.index import chroma

PROGRAM = Path(__file__).with_name("scan.py")
BEAT_SECONDS = 10.0


class ScanFailed(Exception):
    """The files could not be looked through."""


class Scan:
    """A look through every file at hand, by another process while this one goes on; `elsewhere` are files that are not.

    Raises ScanFailed where the answer is asked for.
    """

    def __init__(self, needles: Needles) -> None:
        files, self.elsewhere = _at_hand()
        self._pool = ThreadPoolExecutor(1)
        self._answer = self._pool.submit(_looked_through, files, needles)
        self._pool.shutdown(wait=False)

    def found(self, progress: Callable[[], None] = lambda: None) -> Scanned:
        """Return what stands of the needles in the files; `progress` is called while it is waited for."""
        while True:
            try:
                return self._answer.result(timeout=BEAT_SECONDS)
            except TimeoutError:
                progress()


def _at_hand() -> tuple[list[Path], list[str]]:
    """Return the files that can be looked through, and which cannot."""
    folders = [Path(settings.DATA_DIR), Path(settings.KEY_DIR), Path(settings.JOURNAL_FILE).parent]
    elsewhere = []
    for alias in ("default", "keyring"):
        folder, why = _database(alias)
        folders += [folder] if folder is not None else []
        elsewhere += [why] if why else []
    index = chroma.files()
    if index is None:
        elsewhere.append("index files of the Chroma server")
    else:
        folders.append(index)
    return sorted({f.resolve() for f in files_below(f for f in folders if f.exists())}), elsewhere


def _looked_through(files: Sequence[Path], needles: Needles) -> Scanned:
    """Have another process look: see `scan`. Raises ScanFailed."""
    coded = [
        (width, base64.b64encode(rows.astype("<f4").tobytes()).decode()) for width, rows in needles.vectors.items()
    ]
    asked = json.dumps({"files": [str(f) for f in files], "texts": needles.texts, "vectors": coded})
    command = [sys.executable, "-I", str(PROGRAM)]
    done = subprocess.run(command, input=asked.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise ScanFailed
    found = json.loads(done.stdout)
    return Scanned(found["files"], found["bytes"], tuple(Hit(file, form) for file, form in found["hits"]))


def _database(alias: str) -> tuple[Path | None, str]:
    """Return where a database keeps its files, and what of it is not at hand."""
    connection: Any = connections[alias]
    if connection.vendor == "sqlite":
        return _sqlite(Path(str(connection.settings_dict["NAME"]))), ""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('data_directory', true), oid FROM pg_database WHERE datname = current_database()"
        )
        folder, oid = cursor.fetchone()
        cursor.execute("CHECKPOINT")
    base = Path(folder or "/nonexistent") / "base" / str(oid)
    try:
        there = base.is_dir() and any(base.iterdir())
    except PermissionError:
        there = False
    return (base, "write-ahead log of PostgreSQL") if there else (None, "files of PostgreSQL")


def _sqlite(file: Path) -> Path | None:
    return file.parent if file.parent.is_dir() else None
