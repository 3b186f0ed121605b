"""Let memories age now, look at what that would do, or undo it: `manage.py sweep [--preview] [--undo ID]`."""

import argparse
import time
from typing import Any

from django.db import close_old_connections
from django.utils import timezone

from governance.errors import NotFound
from governance.ledger.outbox import drain
from governance.lifecycle import actions
from governance.lifecycle.models import Sweep
from governance.management.command import DomainCommand, tenant_named
from governance.scopes.actions import COMMAND_LINE
from governance.scopes.models import Tenant

LOOK_AGAIN = 0.2


class Command(DomainCommand):
    """Sweeps every tenant, or one; waits for the report, whoever carries it out."""

    help = "Sweep memories by their age: expire, demote, archive, mark as due to be erased. Nothing is erased."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--preview", action="store_true", help="say what a sweep would do, change nothing")
        parser.add_argument("--undo", metavar="SWEEP", help="take back what a sweep did")
        parser.add_argument("--tenant", help="this tenant alone")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["undo"]:
            self._undo(options["undo"])
            return
        named = options["tenant"]
        for tenant in [tenant_named(named)] if named else Tenant.objects.order_by("name"):
            found = actions.plan(tenant.id, timezone.now())
            if options["preview"] or found.is_empty:
                self.stdout.write(f"{tenant.name}: {_told(found.counts)} ({found.examined} looked at)")
                continue
            done = _finished(actions.begin_for(tenant.id, by=COMMAND_LINE))
            self.stdout.write(self.style.SUCCESS(f"{tenant.name}: {_told(done.counts)}. Undo: --undo {done.id}"))

    def _undo(self, sweep: str) -> None:
        found = Sweep.objects.filter(pk=sweep).first()
        if found is None:
            raise NotFound("There is no sweep of this id.")
        done = _finished(actions.begin_undo_for(found, by=COMMAND_LINE))
        self.stdout.write(self.style.SUCCESS(f"Taken back: {_told(done.undone)}."))


def _finished(sweep: Sweep) -> Sweep:
    """Return the sweep once nothing is left to do of it: here, or in the process that serves."""
    while sweep.is_running:
        if not drain("sweep"):
            time.sleep(LOOK_AGAIN)
            close_old_connections()
        sweep.refresh_from_db()
    return sweep


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items() if name != "examined") or "nothing is due"
