"""`manage.py backup FOLDER [--keyring]`: a copy of the database, or, apart from it, of the keyring."""

import argparse
from pathlib import Path
from typing import Any

from governance.erasure.backup import back_up_database, back_up_keyring
from governance.management.command import DomainCommand


class Command(DomainCommand):
    """Prints the folder it made, alone on standard output."""

    help = "Copy the database (without its index), or with --keyring the keyring, into a new folder below FOLDER."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--keyring", action="store_true", help="the keys, signed heads and journal; keep it apart")

    def handle(self, *args: Any, **options: Any) -> None:
        make = back_up_keyring if options["keyring"] else back_up_database
        self.stdout.write(str(make(options["folder"].resolve())))
