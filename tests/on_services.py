"""`python -m tests.on_services`: the whole suite on PostgreSQL, a Chroma server, Celery and Redis.

Uses a PostgreSQL server (`POSTGRES_URL`, default postgresql://root@127.0.0.1:5432) and a Redis server
(`REDIS_URL`, default redis://127.0.0.1:6379), in databases of its own; starts its own `chroma run`. The Celery worker
is started by the tests that need one. Afterwards everything made here is gone.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import psycopg
import redis
from psycopg import sql

POSTGRES_URL = os.environ.get("POSTGRES_URL", "postgresql://root@127.0.0.1:5432").rstrip("/")
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379").rstrip("/")
BIN = Path(sys.executable).parent


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def postgresql(prefix: str) -> Iterator[dict[str, str]]:
    """Name two databases; the test runner makes them, this removes whatever is left of them."""
    try:
        psycopg.connect(f"{POSTGRES_URL}/postgres").close()
    except psycopg.OperationalError as error:
        sys.exit(f"Error: no PostgreSQL at {POSTGRES_URL}. Start one, or set POSTGRES_URL.\n{error}")
    try:
        yield {
            "DATABASE_URL": f"{POSTGRES_URL}/{prefix}",
            "KEYRING_URL": f"{POSTGRES_URL}/{prefix}_keyring",
        }
    finally:
        with psycopg.connect(f"{POSTGRES_URL}/postgres", autocommit=True) as connection:
            found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"test_{prefix}%"])
            for (name,) in found.fetchall():
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def redis_database() -> Iterator[dict[str, str]]:
    """Take an empty database of the Redis server, and empty it again."""
    for number in range(15, 0, -1):
        client = redis.Redis.from_url(f"{REDIS_URL}/{number}")
        try:
            taken = client.dbsize()
        except redis.ConnectionError as error:
            sys.exit(f"Error: no Redis at {REDIS_URL}. Start one, or set REDIS_URL.\n{error}")
        if not taken:
            break
    else:
        sys.exit(f"Error: no empty database at {REDIS_URL}. Empty one, or set REDIS_URL to another server.")
    try:
        yield {"CELERY_BROKER_URL": f"{REDIS_URL}/{number}"}
    finally:
        client.flushdb()


@contextmanager
def chroma() -> Iterator[dict[str, str]]:
    """Run a Chroma server on a free port with a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="tests-chroma-"))
    port = free_port()
    command = [BIN / "chroma", "run", "--host", "127.0.0.1", "--port", str(port), "--path", folder / "data"]
    try:
        with (folder / "log").open("wb") as log:
            # As docs/deploy.md says: what is freed is overwritten, so that no new file begins with old vectors.
            environment = {**os.environ, "MALLOC_PERTURB_": "165"}
            server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, env=environment)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/v2/heartbeat", server, folder / "log")
            yield {"CHROMA_URL": f"http://127.0.0.1:{port}", "CHROMA_PATH": str(folder / "data")}
        finally:
            server.kill()  # its data are thrown away: nothing to finish
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(url: str, server: subprocess.Popen, log: Path, seconds: int = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"Error: the Chroma server did not answer at {url}.\n{log.read_text(errors='replace')[-2000:]}")


def main(arguments: list[str]) -> int:
    """Start what is needed, run the suite, stop everything; the exit code is that of pytest."""
    prefix = f"memory_admin_{os.getpid()}_{secrets.token_hex(3)}"
    environment = {**os.environ, "ON_SERVICES": "1", "CHROMA_PREFIX": prefix.replace("_", "-")}
    with ExitStack() as stack:
        for service in (postgresql(prefix), redis_database(), chroma()):
            environment |= stack.enter_context(service)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "2",
            "--dist",
            "loadgroup",
            "-m",
            "not browser and not screens and not thorough",  # those start their own server, on SQLite also here
            *arguments,
        ]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
