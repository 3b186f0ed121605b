"""The only module that talks to Chroma: embedded under DATA_DIR, or a server. It holds ids, vectors, opaque numbers.

Every failure is an IndexDown: what calls this goes on without, and says so.
"""

import ctypes
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError
from django.conf import settings

T = TypeVar("T")

FAILURES = (ChromaError, httpx.HTTPError, OSError, RuntimeError, ValueError, TypeError, KeyError)
CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": 200, "sync_threshold": 100, "batch_size": 50}}
PER_CALL = 2_000  # rows; Chroma takes 5,461 at most
REST_SECONDS = 1.0  # after a failure a server is left alone this long
HUNG_REST_SECONDS = 10.0  # one that took the question and did not answer, longer: each try costs the patience
PATIENCE = httpx.Timeout(10.0, connect=2.0)


class IndexDown(Exception):
    """Chroma does not answer, or another process holds the embedded one."""


class FilesElsewhere(Exception):
    """Chroma's files lie on another machine: set CHROMA_PATH, or run `manage.py compact_index` where they are."""


VACUUM = Path(__file__).with_name("vacuum.py")


@dataclass
class _Opened:
    client: Any
    pid: int
    lock_file: IO[str] | None
    collections: dict[str, Any] = field(default_factory=dict)


Near = tuple[np.ndarray, np.ndarray]  # entries, and the cosine of each to the question


M_PERTURB = -6  # malloc.h


def _wipe_freed_memory() -> None:
    """Have the C library overwrite memory as it is freed (glibc; elsewhere nothing happens).

    The embedded index writes buffers to disk that it never filled: what an earlier request left in that memory, words
    included, would lie in `data_level0.bin`.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_PERTURB, 0xA5)


_wipe_freed_memory()  # as early as this module: what was freed before is not wiped

_guard = threading.RLock()
_opened: _Opened | None = None
_resting_until = 0.0


def _after_fork() -> None:
    """A child opens a client of its own: one made before a fork hangs in it."""
    global _guard, _opened
    _guard, _opened = threading.RLock(), None
    chromadb.api.client.SharedSystemClient.clear_system_cache()


os.register_at_fork(after_in_child=_after_fork)


def name_of(shard: int, generation: int) -> str:
    """Return the name of a shard's collection."""
    return f"{settings.CHROMA_PREFIX}-s{shard}-g{generation}"


def upsert(collection: str, entries: Sequence[int], vectors: np.ndarray, scopes: Sequence[int]) -> None:
    """Put entries into a collection, each with the number of its scope. Raises IndexDown."""
    for start in range(0, len(entries), PER_CALL):
        part = slice(start, start + PER_CALL)
        named = [str(i) for i in entries[part]]
        rows = np.asarray(vectors[part], dtype=np.float32)
        _upsert(collection, named, rows, [{"scope": s} for s in scopes[part]])


def _upsert(collection: str, named: list[str], rows: np.ndarray, about: list[dict[str, int]]) -> None:
    _on(collection, lambda c: c.upsert(ids=named, embeddings=rows, metadatas=about))


def delete(collection: str, entries: Sequence[int]) -> None:
    """Take entries out of a collection; ids it does not hold are passed over. Raises IndexDown."""
    for start in range(0, len(entries), PER_CALL):
        _delete(collection, [str(i) for i in entries[start : start + PER_CALL]])


def _delete(collection: str, named: list[str]) -> None:
    _on(collection, lambda c: c.delete(ids=named))


def query(collection: str, vector: np.ndarray, *, scopes: Sequence[int] | None, limit: int) -> Near:
    """Return the nearest entries of some scopes (None: the collection holds only one) and their cosines. Raises
    IndexDown."""
    where = None if scopes is None else {"scope": {"$in": list(scopes)}}
    found = _on(
        collection,
        lambda c: c.query(query_embeddings=[vector], n_results=limit, where=where, include=["distances"]),
    )
    return np.array(found["ids"][0], dtype=np.int64), 1 - np.array(found["distances"][0], dtype=np.float32)


def count(collection: str) -> int:
    return int(_on(collection, lambda c: c.count()))


def ids(collection: str) -> set[int]:
    """Return every id of a collection. Raises IndexDown."""
    found: set[int] = set()
    while True:
        page = _on(collection, lambda c: c.get(include=[], limit=PER_CALL, offset=len(found)))["ids"]
        found.update(int(i) for i in page)
        if len(page) < PER_CALL:
            return found


def drop(collection: str) -> None:
    """Delete a collection; one that is not there is no trouble. Raises IndexDown."""
    with _guard:
        opened = _open()
        opened.collections.pop(collection, None)
        try:
            opened.client.delete_collection(collection)
        except NotFoundError:
            return
        except FAILURES as error:
            raise IndexDown(type(error).__name__) from None


def held(collection: str, entries: Sequence[int]) -> set[int]:
    """Return which of some entries a collection holds. Raises IndexDown."""
    found: set[int] = set()
    for start in range(0, len(entries), PER_CALL):
        named = [str(i) for i in entries[start : start + PER_CALL]]
        found |= _held(collection, named)
    return found


def _held(collection: str, named: list[str]) -> set[int]:
    return {int(i) for i in _on(collection, lambda c: c.get(ids=named, include=[]))["ids"]}


def files() -> Path | None:
    """Return the folder in which Chroma keeps its files, None where a server's are not at hand."""
    if settings.CHROMA_URL:
        return Path(settings.CHROMA_PATH) if settings.CHROMA_PATH else None
    return Path(settings.DATA_DIR) / "chroma"


def purge() -> int:
    """Make the files forget what was deleted, and return how many folders of dropped collections went.

    The embedded client is closed before, and opened anew by whoever asks next: it holds the old files and index in
    memory. A server does until it is restarted. Raises FilesElsewhere, IndexDown.
    """
    folder = files()
    if folder is None:
        raise FilesElsewhere
    if not folder.exists():
        return 0
    with _turn():
        if not settings.CHROMA_URL:
            close()  # first: what the client still held back it writes now, and that is wiped with the rest
        # A process of its own: two SQLite libraries in one lose each other's locks.
        done = subprocess.run(
            [sys.executable, "-I", str(VACUUM), str(folder)], capture_output=True, text=True, timeout=600, check=False
        )
    if done.returncode:
        raise IndexDown("vacuum")
    return int(done.stdout)


def ping() -> None:
    """Raise IndexDown unless Chroma answers."""
    with _guard:
        _failing(lambda: _open().client.heartbeat())


def close() -> None:
    """Close this process's client and free the embedded index for others."""
    global _opened, _resting_until
    with _guard:
        if _opened is not None:
            _opened.client.close()
            if _opened.lock_file is not None:
                _opened.lock_file.close()
        _opened, _resting_until = None, 0.0


def _on(collection: str, work: Callable[[Any], T]) -> T:
    """Do something with a collection, made on first use; a handle to one that was dropped is resolved again."""
    with _turn():
        try:
            return _failing(lambda: work(_collection(collection)))
        except NotFoundError:
            _open().collections.pop(collection, None)
            return _failing(lambda: work(_collection(collection)))


def _turn() -> Any:
    """Embedded, one caller at a time; a server takes several."""
    return threading.RLock() if settings.CHROMA_URL else _guard


def _failing(work: Callable[[], T]) -> T:
    global _resting_until
    try:
        return work()
    except NotFoundError:
        raise
    except FAILURES as error:
        if isinstance(error, httpx.TransportError | OSError):
            hung = isinstance(error, httpx.TimeoutException)
            _resting_until = time.monotonic() + (HUNG_REST_SECONDS if hung else REST_SECONDS)
        raise IndexDown(type(error).__name__) from None


def _collection(name: str) -> Any:
    opened = _open()
    if name not in opened.collections:
        opened.collections[name] = opened.client.get_or_create_collection(
            name, embedding_function=None, configuration=CONFIGURATION
        )
    return opened.collections[name]


def _open() -> _Opened:
    global _opened
    _require_rested()
    with _guard:
        if _opened is None or _opened.pid != os.getpid():
            _require_rested()  # whoever waited for the guard need not try what just failed
            _opened = _failing(_connect)
        return _opened


def _require_rested() -> None:
    if settings.CHROMA_URL and time.monotonic() < _resting_until:
        raise IndexDown("resting")


def _connect() -> _Opened:
    quiet = Settings(anonymized_telemetry=False)
    if settings.CHROMA_URL:
        return _Opened(_client_of_server(quiet), os.getpid(), None)
    lock_file = _alone()
    folder = settings.DATA_DIR / "chroma"
    return _Opened(chromadb.PersistentClient(str(folder), settings=quiet), os.getpid(), lock_file)


def _client_of_server(quiet: Settings) -> Any:
    """Return a client that waits `PATIENCE`; Chroma's own waits for ever, so a server is asked first if it answers."""
    httpx.get(f"{settings.CHROMA_URL.rstrip('/')}/api/v2/heartbeat", timeout=PATIENCE).raise_for_status()
    url = urlsplit(settings.CHROMA_URL)
    try:
        client = chromadb.HttpClient(
            host=url.hostname or "localhost", port=url.port or 8000, ssl=url.scheme == "https", settings=quiet
        )
    except FAILURES:
        chromadb.api.client.SharedSystemClient.clear_system_cache()  # it keeps those that failed
        raise
    client._server._session.timeout = PATIENCE
    return client


def _alone() -> IO[str]:
    """Return the lock that makes this the only process with the embedded index; it goes with the process."""
    lock_file = (settings.DATA_DIR / "chroma.lock").open("a")
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock_file.close()
        raise
    return lock_file
