"""The default mode: one process of gunicorn with threads, and beside them one thread that drains the outbox."""

import logging
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import Error, close_old_connections, connections
from django.utils.module_loading import import_string
from gunicorn.app.base import BaseApplication
from gunicorn.workers.gthread import TConn, ThreadWorker

from governance.ledger.actions import sign_heads
from governance.ledger.apart import answer_others
from governance.ledger.outbox import drain, take_over

log = logging.getLogger(__name__)

THREADS = 8
IDLE_SECONDS = 0.2
TROUBLE_SECONDS = 2.0
STOP_SECONDS = 8
RECEIVE_SECONDS = 2  # between two pieces of a request: it comes from this machine, or from a proxy that has it whole


NICE = 10


def _step_back() -> None:
    """Let this thread, and those that embed for it, wait for the ones that answer somebody (Linux only)."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


class Worker(threading.Thread):
    """Drains what commits left to do until it is stopped; then once more, and signs the heads."""

    def __init__(self) -> None:
        super().__init__(name="worker", daemon=True)
        self._stopping = threading.Event()

    def run(self) -> None:
        _step_back()
        try:
            self._take_over()
            while not self._stopping.is_set():
                self._stopping.wait(self._step())
            drain()
            sign_heads()
        finally:
            connections.close_all()
            if not self._stopping.is_set():  # a fault ended us: let gunicorn start the process anew
                os.kill(os.getpid(), signal.SIGTERM)

    def stop(self) -> None:
        """Ask the thread to finish and wait for it, a few seconds at most."""
        self._stopping.set()
        self.join(STOP_SECONDS)

    def _take_over(self) -> None:
        """Take up what a worker before this one was at when it ended."""
        try:
            take_over()
        except Error as error:  # then it is due within a minute by itself
            log.warning("worker waits for the database error=%s", type(error).__name__)

    def _step(self) -> float:
        """Drain once and return how long to rest before the next time, in seconds."""
        close_old_connections()
        try:
            return 0 if drain() else IDLE_SECONDS
        except Error as error:  # the database is busy or away; what is owed stays owed
            log.warning("worker waits for the database error=%s", type(error).__name__)
            return TROUBLE_SECONDS


class Threads(ThreadWorker):
    """Gunicorn's threads, of which none waits long for the rest of a request: eight half-sent ones would be all."""

    def handle(self, conn: TConn) -> Any:
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", RECEIVE_SECONDS, 0))
        return super().handle(conn)


class Server(BaseApplication):
    """Gunicorn as a library. Nothing that cannot survive a fork is opened before its worker process starts."""

    def __init__(self, address: str, ready: Callable[[], None]) -> None:
        self._address = address
        self._ready = ready
        self._worker: Worker | None = None
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, Any] = {
            "bind": self._address,
            "workers": 1,
            "worker_class": Threads,
            "threads": THREADS,
            "keepalive": 30,
            "graceful_timeout": STOP_SECONDS + 2,
            "loglevel": "error",
            "control_socket_disable": True,
            "post_worker_init": self._start,
            "worker_exit": self._stop,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return import_string(settings.WSGI_APPLICATION)

    def _start(self, process: Any) -> None:
        # Ctrl-C reaches the whole terminal; the parent alone answers it and then stops this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        answer_others()
        if not settings.CELERY_BROKER_URL:
            self._worker = Worker()
            self._worker.start()
        if process.age == 1:
            self._ready()

    def _stop(self, arbiter: Any, process: Any) -> None:
        if process.pid != os.getpid():  # gunicorn also calls this in the parent, for a child it lost
            return
        for name in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)
        if self._worker:
            self._worker.stop()
