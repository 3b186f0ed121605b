"""Check every chain: `manage.py verify_ledger`; exit 0 sound, 1 tampered, 2 nothing to check, 3 trouble."""

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.db import Error

from governance.ledger import triggers
from governance.ledger.verify import Report, tenants, verify


class Command(BaseCommand):
    help = "Check that the ledger is what was written. Exit 0 sound, 1 tampered, 2 nothing to check, 3 trouble."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            code = self._verify()
        except Error as error:
            self.stderr.write(f"The database did not answer: {type(error).__name__}")
            code = 3
        if code:
            sys.exit(code)

    def _verify(self) -> int:
        reports = [verify(tenant) for tenant in tenants()]
        if not reports:
            self.stdout.write("Nothing to check: the ledger is empty.")
            return 2
        for report in reports:
            self._tell(report)
        missing = triggers.missing()
        for name in sorted(missing):
            self.stdout.write(f"trigger missing: {name}; `migrate` installs it again")
        return 0 if all(r.sound for r in reports) and not missing else 1

    def _tell(self, report: Report) -> None:
        state = "sound" if report.sound else "TAMPERED"
        self.stdout.write(f"{report.tenant}: {report.events} events, unsigned: {report.unsigned}, {state}")
        for finding in report.findings:
            self.stdout.write(f"  {finding.kind} at {finding.seq}: {finding.detail}")
