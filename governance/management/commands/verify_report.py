"""`manage.py verify_report FILE`: whether an erasure report is genuine; needs nothing but the public key."""

import argparse
import sys
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from governance.erasure import report


class Command(BaseCommand):
    """Exit 0 genuine, 1 not. With --public-key no database is asked."""

    help = "Check an erasure report: exit 0 genuine, 1 tampered with, or no report."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--public-key", metavar="HEX", help="as it was published; without it, this installation's")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            handed_out = orjson.loads(options["file"].read_bytes())
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        except ValueError:
            handed_out = {}
        wrong = report.check(handed_out if isinstance(handed_out, dict) else {}, options["public_key"] or _own_key())
        if wrong:
            for what in wrong:
                self.stdout.write(what)
            sys.exit(1)
        told = handed_out["report"]
        named = told.get("mandate", {}).get("request") or told.get("request", "")
        self.stdout.write(
            f"genuine: {named}, {told.get('status') or ('sound' if told.get('sound') else 'found again')}"
        )


def _own_key() -> str:
    return report.public_key()
