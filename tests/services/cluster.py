"""A PostgreSQL server of our own, with as many connections as we like."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.on_services import free_port

PLACES = "/usr/lib/postgresql"


@contextmanager
def private_postgresql(connections: int) -> Iterator[str]:
    """Start a server on a free port; yields its address. Its data are thrown away afterwards."""
    folder, port = Path(tempfile.mkdtemp(prefix="tests-postgresql-")), free_port()
    if os.getuid() == 0:  # it refuses to run as root
        shutil.chown(folder, "postgres")
    try:
        data = ["-D", str(folder / "data")]
        subprocess.run(_command("initdb", *data, "-A", "trust", "-U", "root", "--no-sync"), check=True, stdout=-3)
        options = [f"max_connections={connections}", "listen_addresses=127.0.0.1", "unix_socket_directories="]
        told = [part for option in options for part in ("-c", option)]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(_command("postgres", *data, "-p", str(port), *told), stdout=log, stderr=log)
        try:
            _wait_for(port, server)
            yield f"postgresql://root@127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(name: str, *arguments: str) -> list[str]:
    found = shutil.which(name) or max(map(str, Path(PLACES).glob(f"*/bin/{name}")), default="")
    if not found:
        sys.exit(f"Error: no {name} in the path or under {PLACES}. Install PostgreSQL.")
    as_them = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    return [*as_them, found, *arguments]


def _wait_for(port: int, server: subprocess.Popen) -> None:
    ready = _command("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port))
    for _ in range(300):
        if server.poll() is not None:
            sys.exit("Error: the PostgreSQL server did not start.")
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.1)
    sys.exit("Error: the PostgreSQL server did not answer.")
