"""`manage.py create_member`: a person with a role in a tenant."""

import argparse
import sys
from typing import Any

from governance.management.command import DomainCommand, tenant_named
from governance.scopes import actions
from governance.scopes.models import Membership


class Command(DomainCommand):
    """Gives a role to an account, made when there is none."""

    help = "Give an account a role in a tenant; the account is made when there is none."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True)
        parser.add_argument("--username", required=True)
        parser.add_argument("--role", required=True, choices=Membership.ROLES)
        parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        password = sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else None
        tenant = tenant_named(options["tenant"])
        membership = actions.add_member(tenant, options["username"], options["role"], password=password)
        self.stdout.write(f"{membership.user.get_username()} is {membership.role} in {tenant.name}.")
        if not membership.user.has_usable_password():
            self.stdout.write("No password yet: repeat with --password-stdin, or nobody can sign in with it.")
