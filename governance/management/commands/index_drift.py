"""`manage.py index_drift`: whether the index agrees with the database."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.index import upkeep
from governance.index.upkeep import Drift

MEANINGS = {
    "owed": "changes not yet indexed",
    "missing": "memories without an entry",
    "extra": "entries without a memory",
    "unembedded": "entries without a vector of this model",
    "absent": "entries missing in Chroma",
    "ghosts": "entries only Chroma has",
    "unreadable": "collections that do not answer",
}


class Command(BaseCommand):
    """Exit 0: they agree; 1: they do not."""

    help = "Work off what is owed, then compare the index with the database. Exit 0: they agree, 1: they do not."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--wait", type=float, default=60, help="seconds to wait for the serving process")

    def handle(self, *args: Any, **options: Any) -> None:
        found = upkeep.ask("drift", wait=options["wait"])
        if found is None:
            raise CommandError("The process that holds the index did not answer; is `manage.py serve` running?")
        for name, meaning in MEANINGS.items():
            self.stdout.write(f"{found[name]:>8}  {meaning}")
        if not Drift(**found).agrees:
            raise CommandError("The index does not agree with the database: run `manage.py rebuild_index`.")
        self.stdout.write(self.style.SUCCESS("The index agrees with the database."))
