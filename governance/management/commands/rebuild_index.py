"""`manage.py rebuild_index`: the index anew from the database."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.index import upkeep
from governance.index.chroma import IndexDown
from governance.index.embedding import CannotEmbed


class Command(BaseCommand):
    """Fills new collections from the vector copies; embeds only what has no vector of the current model."""

    help = "Build the index anew from the database; embeds only what has no vector of the current model."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--wait", type=float, default=3600, help="seconds to wait for the serving process")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = upkeep.ask("rebuild", wait=options["wait"])
        except IndexDown:
            raise CommandError("Chroma does not answer; nothing was replaced. Start it and repeat.") from None
        except CannotEmbed:
            raise CommandError("The embedder does not answer; see EMBEDDER in docs/deploy.md, and repeat.") from None
        if done is None:
            raise CommandError("The process that holds the index did not answer; is `manage.py serve` running?")
        said = "Rebuilt {collections} collections with {entries} entries; {embedded} embedded anew.".format(**done)
        self.stdout.write(self.style.SUCCESS(said))
