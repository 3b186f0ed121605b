"""The door for operators: a refusal of the domain becomes one line on standard error and exit code 1."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.errors import Invalid, NotFound, Refusal
from governance.scopes.models import Tenant


class DomainCommand(BaseCommand):
    """A command that calls actions; what they refuse is said without a traceback."""

    requires_system_checks: list[str] = []

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refusal as refusal:
            raise CommandError(said(refusal)) from None


def said(refusal: Refusal) -> str:
    """Return a refusal as one line: the options that are wrong, else its detail."""
    if isinstance(refusal, Invalid):
        return "; ".join(f"{e['pointer'].strip('/').replace('/', '.')} {e['detail']}" for e in refusal.errors)
    return refusal.detail


def tenant_named(name: str) -> Tenant:
    """Return a tenant. Raises NotFound with what to do."""
    found = Tenant.objects.filter(name=name).first()
    if found is None:
        names = ", ".join(Tenant.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        raise NotFound(f"There is no tenant of this name. Tenants: {names}.")
    return found
