"""`manage.py restore BACKUP [--keyring BACKUP] [--journal FILE] [--replace]`: exit 0 when it may be served from."""

import argparse
import sys
from pathlib import Path
from typing import Any

from governance.erasure.restore import restore
from governance.management.command import DomainCommand


class Command(DomainCommand):
    """Puts a backup back into quarantine, replays erasures, verifies; `serve` starts again when all is sound."""

    help = "Put a backup back: quarantine, keys and journal merged, erasures replayed, verified. Stop `serve` first."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("database", type=Path, help="the folder that `backup` made")
        parser.add_argument("--keyring", type=Path, help="the folder that `backup --keyring` made")
        parser.add_argument("--journal", type=Path, help="a copy of JOURNAL_FILE; needed on a machine without one")
        parser.add_argument("--replace", action="store_true", help="take the place of the database that is there")

    def handle(self, *args: Any, **options: Any) -> None:
        done = restore(
            options["database"],
            keyring=options["keyring"],
            journal_file=options["journal"],
            replace=options["replace"],
            say=self.stdout.write,
        )
        for problem in done.problems:
            self.stderr.write(problem)
        if not done.is_sound:
            self.stderr.write("It stays in quarantine.")
            sys.exit(1)
        self.stdout.write(self.style.SUCCESS("Sound. `serve` may start; the index is made anew as it goes."))
