"""The product on services of its own that can be stopped, cut off or made to hang, and started again."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from tests.flows.server import ROOT, Server
from tests.on_services import BIN, POSTGRES_URL, free_port


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Return whether something became true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.2)
    return False


class Program:
    """A server as a process of its own, on one port for as long as the test lasts."""

    def __init__(self, command: list[str], folder: Path, port: int) -> None:
        folder.mkdir()
        self.command, self.folder, self.port = command, folder, port
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            process = self.process = subprocess.Popen(self.command, cwd=self.folder, stdout=log, stderr=log)
        assert within(60, lambda: process.poll() is not None or listens(self.port))
        assert process.poll() is None, (self.folder / "log").read_text()  # somebody else may listen there

    def stop(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def hang(self) -> None:
        """Let it take connections and questions, and answer none; returns once it does so."""
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "log").read_text()
        self.process.send_signal(signal.SIGSTOP)
        threads = Path(f"/proc/{self.process.pid}/task")
        assert within(10, lambda: all(_stopped(one) for one in threads.iterdir()))

    def go_on(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


def _stopped(thread: Path) -> bool:
    return (thread / "stat").read_text().rsplit(") ", 1)[1].startswith("T")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def redis_server(folder: Path) -> Program:
    port = free_port()
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    return Program(command, folder, port)


def chroma_server(folder: Path) -> Program:
    port = free_port()
    command = [str(BIN / "chroma"), "run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder / "data")]
    return Program(command, folder, port)


class Line:
    """A way to the PostgreSQL server that can be cut: who had come through it is thrown out, nobody gets in."""

    def __init__(self) -> None:
        self.port = free_port()
        self._to = psycopg.conninfo.conninfo_to_dict(f"{POSTGRES_URL}/postgres")
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self) -> None:
        listener, self._listener = self._listener, None
        assert listener is not None
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for end in list(self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection((str(self._to["host"]), int(str(self._to.get("port") or 5432))))
            self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=[one, other], daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._open.discard(one)
        one.close()


@contextmanager
def two_databases(most: int) -> Iterator[tuple[str, str]]:
    """Make a role that may hold `most` connections and two databases of its own; yields their name and its password."""
    name, password = f"outage_{os.getpid()}_{secrets.token_hex(3)}", secrets.token_hex(8)
    role, databases = sql.Identifier(name), [sql.Identifier(name), sql.Identifier(f"{name}_keyring")]
    with psycopg.connect(f"{POSTGRES_URL}/postgres", autocommit=True) as server:
        server.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} CONNECTION LIMIT {}").format(role, sql.Literal(password), most)
        )
        for database in databases:
            server.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))
    try:
        yield name, password
    finally:
        with psycopg.connect(f"{POSTGRES_URL}/postgres", autocommit=True) as server:
            for database in databases:
                server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))
            server.execute(sql.SQL("DROP ROLE {}").format(role))


class Production(Server):
    """Web process and Celery worker on PostgreSQL behind a line, a Redis and a Chroma server of their own."""

    def __init__(self, folder: Path, name: str, password: str) -> None:
        super().__init__(folder)
        self.role, self.line = name, Line()
        self.redis, self.chroma = redis_server(folder / "redis"), chroma_server(folder / "chroma")
        at = f"postgresql://{name}:{password}@127.0.0.1:{self.line.port}"
        self.keyring_url = f"{at}/{name}_keyring"
        self.services = {
            "DATABASE_URL": f"{at}/{name}",
            "KEYRING_URL": self.keyring_url,
            "CHROMA_URL": f"http://127.0.0.1:{self.chroma.port}",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.redis.port}/0",
            "CACHE_URL": f"redis://127.0.0.1:{self.redis.port}/1",
            "EMBEDDER": "tests.fakes.HashedWords",
        }
        self.worker: subprocess.Popen | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.services, "LOG_LEVEL": "INFO"}

    def start(self) -> None:
        for part in (self.line, self.redis, self.chroma):
            part.start()
        super().start()
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "memory_admin",
            "worker",
            "-B",
            "-s",
            str(self.folder / "beat"),
        ]
        with (self.folder / "celery.log").open("ab") as log:
            self.worker = subprocess.Popen(
                [*command, "--concurrency", "1", "--loglevel", "warning"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def stop(self) -> None:
        super().stop()
        if self.worker is not None:
            self.worker.terminate()
            self.worker.wait(30)
        for program in (self.redis, self.chroma):
            program.stop()
        self.line.cut()
