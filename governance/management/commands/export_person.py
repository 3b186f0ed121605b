"""`manage.py export_person --tenant T --user U`: everything held of a person, as lines of JSON on standard output."""

import argparse
from typing import Any

from governance.erasure.access import export_for_operator
from governance.errors import NotFound
from governance.management.command import DomainCommand, tenant_named
from governance.scopes.actions import COMMAND_LINE
from governance.scopes.queries import find_subject


class Command(DomainCommand):
    """Streams; nothing is kept. That it was opened stands in the audit log."""

    help = "Print everything held of a person as lines of JSON; that it was opened is an event."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True)
        parser.add_argument("--user", required=True, help="the id callers use")

    def handle(self, *args: Any, **options: Any) -> None:
        subject = find_subject(tenant_named(options["tenant"]).id, options["user"])
        if subject is None:
            raise NotFound("There is no person of this id here.")
        for line in export_for_operator(subject, by=COMMAND_LINE):
            self.stdout.write(line.decode(), ending="")
