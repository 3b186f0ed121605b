"""`manage.py bench NAME`: measure the product on a store of its own, made for it and removed afterwards."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

SERVICES = ("DATABASE_URL", "KEYRING_URL", "CHROMA_URL", "CELERY_BROKER_URL")


class Command(BaseCommand):
    """Runs one of `tests/benchmarks/` against an empty store, and prints its figures."""

    help = "Run a benchmark of tests/benchmarks on a store of its own, removed afterwards."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", help="one of: " + ", ".join(_names()))
        parser.add_argument("--size", choices=["small", "full"], default="small")
        parser.add_argument("--data", type=Path, help="folder of the data that the benchmark reads")
        parser.add_argument("--times", type=int, help="how often it does what it does, where that can be chosen")
        parser.add_argument("--sets", help="only these parts of it (commas between), where it has parts")
        parser.add_argument(
            "--services", action="store_true", help="on servers that the benchmark starts, where it can"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] not in _names():
            raise CommandError("There is no such benchmark here. Benchmarks: " + ", ".join(_names()))
        data = options["data"].resolve() if options["data"] else None
        if data is not None and not data.is_dir():
            raise CommandError(f"{data} is no folder.")
        folder = tempfile.mkdtemp(prefix="bench-")
        try:
            self._run(options["name"], _arguments(options, data), _environment(Path(folder)))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, name: str, arguments: list[str], environment: dict[str, str]) -> None:
        for database in ("default", "keyring"):
            command = [sys.executable, "manage.py", "migrate", "--database", database, "--verbosity", "0"]
            subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True)
        command = [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments]
        done = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=False)
        if done.returncode:
            raise CommandError(f"The benchmark ended with code {done.returncode}; see above.")


def _arguments(options: dict[str, Any], data: Path | None) -> list[str]:
    """Return what a benchmark is told."""
    told = ["--size", options["size"]]
    told += ["--data", str(data)] if data else []
    told += ["--times", str(options["times"])] if options["times"] else []
    told += ["--sets", options["sets"]] if options["sets"] else []
    return [*told, *(["--services"] if options["services"] else [])]


def _names() -> list[str]:
    folder = Path(settings.BASE_DIR) / "tests" / "benchmarks"
    return sorted(f.stem for f in folder.glob("*.py") if "--data" in f.read_text())


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a store below a folder; somebody's services are not ours to measure on."""
    rest = {name: value for name, value in os.environ.items() if name not in SERVICES}
    own = {"DATA_DIR": folder / "data", "KEY_DIR": folder / "keys", "JOURNAL_FILE": folder / "journal.jsonl"}
    return {**rest, **{name: str(path) for name, path in own.items()}, "LOG_LEVEL": "WARNING"}
