"""A database that was put back is not served from until it is known to be sound and to hold nothing that was erased."""

from django.db import connections
from django.utils import timezone

from governance.ledger.models import Quarantine


def begin(backup: str) -> None:
    """Serve nobody from now on."""
    Quarantine.objects.update_or_create(pk=1, defaults={"backup": backup, "began_at": timezone.now()})


def lift() -> None:
    """Serve again."""
    Quarantine.objects.all().delete()


def current() -> Quarantine | None:
    """Return the quarantine there is; None for none, and before the keyring has its tables."""
    if Quarantine._meta.db_table not in connections["keyring"].introspection.table_names():
        return None
    return Quarantine.objects.first()
