"""Work done by several threads that begin together."""

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import OperationalError, connections

SECONDS = 30
FEW = 8  # threads that need not care how many connections a server has left
CROWD = Path(tempfile.gettempdir()) / f"tests-one-crowd-at-a-time-{os.getuid()}.lock"


def at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run works in threads that begin together, all connected; return what each returned, in order.

    Raises what a work raised. No thread leaves a connection open.
    """
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            connect()
            gate.wait(2 * SECONDS)
            return work()
        finally:
            connections.close_all()

    with alone(len(works)), ThreadPoolExecutor(len(works)) as pool:
        begun = [pool.submit(run, work) for work in works]
    return [work.result() for work in begun]


@contextmanager
def alone(threads: int) -> Iterator[None]:
    """Let many threads in only while those of no other process are: a server counts the connections of all."""
    if threads <= FEW:
        yield
        return
    with CROWD.open("w") as crowd:
        fcntl.flock(crowd, fcntl.LOCK_EX)
        yield


def connect() -> None:
    """Open this thread's connections. A server that is full is asked again: it is slow to notice who left."""
    end = time.monotonic() + SECONDS
    for connection in connections.all():
        while True:
            try:
                connection.ensure_connection()
                break
            except OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


def in_step(*columns: Sequence[Callable[[], Any]]) -> list[list[Any]]:
    """Run each column of works in one thread, row by row: the works of a row begin together. Returns the columns."""
    gate = threading.Barrier(len(columns))

    def run(works: Sequence[Callable[[], Any]]) -> list[Any]:
        try:
            return [work() for work in works if gate.wait(2 * SECONDS) >= 0]
        except Exception:
            gate.abort()
            raise

    return at_once([lambda works=works: run(works) for works in columns])
