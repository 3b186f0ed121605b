"""`manage.py compact_index`: make the index's files forget what was taken out of it."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.index import upkeep
from governance.index.chroma import FilesElsewhere, IndexDown


class Command(BaseCommand):
    """Fills the collections anew that entries left, drops the old ones, vacuums, removes folders nobody names."""

    help = "Make the index's files forget the vectors that were taken out of it; safe to repeat."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--wait", type=float, default=3600, help="seconds to wait for the serving process")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = upkeep.ask("compact", wait=options["wait"])
        except IndexDown:
            raise CommandError("Chroma does not answer; nothing was replaced. Start it and repeat.") from None
        except FilesElsewhere:
            raise CommandError(
                "The server's files are not at hand: set CHROMA_PATH to its folder, or run this on its machine."
            ) from None
        if done is None:
            raise CommandError("The process that holds the index did not answer; is `manage.py serve` running?")
        said = "Compacted {collections} collections; {folders} folders of dropped ones removed.".format(**done)
        self.stdout.write(self.style.SUCCESS(said))
