"""`manage.py serve`: the whole product in one process, for one machine."""

import argparse
import errno
import fcntl
import os
import resource
import socket
import subprocess
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from governance.erasure.restore import refuse_in_quarantine
from governance.errors import WrongState
from governance.management.serving import Server

HOST = "127.0.0.1"
OPEN_FILES = 65_536


class Command(BaseCommand):
    """Serves pages, API and the worker until Ctrl-C; says what is wrong when it cannot."""

    help = "Serve pages, API and the worker on this machine, until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=None, help="default: $PORT, else 8000")
        parser.add_argument("--migrate", action="store_true", help="bring both databases up to date first")
        parser.add_argument("--demo", action="store_true", help="load the demo first, if it never was")

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"] or _port()
        _only_one()
        _require_free(port)
        _raise_open_files()
        if options["migrate"]:
            self.stdout.write("Bringing the databases up to date…")
            call_command("migrate", verbosity=0)
            call_command("migrate", database="keyring", verbosity=0)
        _require_served()
        connections.close_all()  # the server forks: it must not share a connection with its child
        if options["demo"]:
            # A process of its own, so that no index is open here when the server forks.
            environment = {**os.environ, "PORT": str(port)}
            subprocess.run([sys.executable, sys.argv[0], "demo"], env=environment, check=True)
        Server(f"{HOST}:{port}", lambda: self._say_ready(port)).run()

    def _say_ready(self, port: int) -> None:
        self.stdout.write(self.style.SUCCESS(f"\nServing on http://{HOST}:{port}"), ending="")
        self.stdout.write(f"  API: http://{HOST}:{port}/api/v1/docs/  Stop: Ctrl-C")
        self.stdout.flush()


def _require_served() -> None:
    """Refuse while what was restored is not known to be sound."""
    try:
        refuse_in_quarantine()
    except WrongState as refusal:
        raise CommandError(refusal.detail) from None


def _port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise CommandError(f"PORT is {text!r}; it must be a number from 1 to 65535.")
    return int(text)


def _only_one() -> None:
    """Lock these data for as long as this process lives, however it ends."""
    lock = os.open(settings.DATA_DIR / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 20).decode() or "?"
        raise CommandError(
            f"{settings.DATA_DIR} is being served already, by process {holder}. Use that one, stop it with Ctrl-C, "
            "or start another with its own DATA_DIR, KEY_DIR and PORT."
        ) from None
    os.truncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise CommandError(
                    f"Port {port} is taken by another program. Stop it, or choose another: PORT={port + 1} make run"
                ) from None
            raise CommandError(f"Port {port} cannot be used: {error.strerror}. Choose one from 1024 up.") from None


def _raise_open_files() -> None:
    """The embedded index keeps several files open per collection and misbehaves when it runs out of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
