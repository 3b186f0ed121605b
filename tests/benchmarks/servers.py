"""A benchmark run again on a PostgreSQL server of its own."""

import os
import subprocess
import sys

import psycopg
from django.conf import settings

from tests.services.cluster import private_postgresql


def is_on_postgresql() -> bool:
    return "postgresql" in settings.DATABASES["default"]["ENGINE"]


def again_on_postgresql(name: str, *, connections: int) -> None:
    """Run a benchmark with the same arguments on two empty databases; ends with its code where it fails."""
    with private_postgresql(connections) as url:
        with psycopg.connect(f"{url}/postgres", autocommit=True) as server:
            for database in (name, f"{name}_keyring"):
                server.execute(f"CREATE DATABASE {database}")  # type: ignore[call-overload]
        own = {**os.environ, "DATABASE_URL": f"{url}/{name}", "KEYRING_URL": f"{url}/{name}_keyring"}
        for alias in ("default", "keyring"):
            migrate = [sys.executable, "manage.py", "migrate", "--database", alias, "--verbosity", "0"]
            subprocess.run(migrate, cwd=settings.BASE_DIR, env=own, check=True)
        again = [sys.executable, "-m", f"tests.benchmarks.{name}", *sys.argv[1:]]
        done = subprocess.run(again, cwd=settings.BASE_DIR, env=own, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
