"""Fold the ledger anew: `manage.py rebuild_state [--check]`; exit 0 when equal (or made equal), 1 for differences."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from governance.ledger.rebuild import rebuild


class Command(BaseCommand):
    help = "Rebuild state from the ledger. With --check only report the differences, exit 1 when there are any."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="report, change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        result = rebuild(apply=not options["check"])
        for d in result.differences:
            self.stdout.write(f"{d.table} {d.key}: {d.what}")
        self.stdout.write(f"{result.events} events folded, {len(result.differences)} differences")
        if options["check"] and result.differences:
            sys.exit(1)
