"""`manage.py verify_report FILE`: whether an erasure report is genuine; needs nothing but the public key."""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from governance.erasure import report


class Command(BaseCommand):
    """Exit 0 genuine, 1 not. With --public-key no database is asked."""

    help = "Check an erasure report: exit 0 genuine, 1 tampered with, or no report."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--public-key", metavar="KEY", help="as it was published, or a file of it; without it, this installation's"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            raw = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        key = _published(options["public_key"]) if options["public_key"] else _own_key()
        told, wrong = report.check_file(raw, key)
        if wrong:
            for what in wrong:
                self.stdout.write(what)
            sys.exit(1)
        named = told.get("mandate", {}).get("request") or told.get("request", "")
        self.stdout.write(
            f"genuine: {named}, {told.get('status') or ('sound' if told.get('sound') else 'found again')}"
        )


def _published(key: str) -> str:
    """Return a key that was given as it is, or as a file that holds it. Raises CommandError."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", key):
        return key
    try:
        return Path(key).read_text().strip()
    except (OSError, UnicodeDecodeError):
        raise CommandError("--public-key is neither 64 hex digits nor a file that can be read.") from None


def _own_key() -> str:
    """Return this installation's key. Raises CommandError where there is none, and makes none."""
    keyring = settings.DATABASES["keyring"]
    is_there = settings.MASTER_KEY and ("sqlite" not in keyring["ENGINE"] or Path(keyring["NAME"]).is_file())
    if not is_there:
        raise CommandError(
            f"No key to check it by: there is no installation with DATA_DIR {settings.DATA_DIR} and KEY_DIR "
            f"{settings.KEY_DIR}.\nSet DATA_DIR and KEY_DIR to those of the one that signed it, or give its published "
            "key: --public-key KEY."
        )
    return report.public_key()
