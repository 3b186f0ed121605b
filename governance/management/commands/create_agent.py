"""`manage.py create_agent`: a new agent with a key, which is printed once, alone."""

import argparse
import sys
from typing import Any

from governance.errors import Invalid, NotFound
from governance.management.command import DomainCommand, tenant_named
from governance.scopes import actions
from governance.scopes.actions import COMMAND_LINE
from governance.scopes.models import Tenant
from governance.scopes.queries import find_account, find_project
from governance.scopes.rules import Grant, parse_grant


class Command(DomainCommand):
    """Makes an agent and prints its key, and nothing else, on standard output."""

    help = "Make an agent and print its key, once, alone on standard output."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True)
        parser.add_argument("--name", required=True, help="the agent's name, once in its tenant")
        parser.add_argument("--create-tenant", action="store_true", help="make the tenant when there is none")
        parser.add_argument("--owner", help="account that answers for it; default: the tenant's first administrator")
        parser.add_argument(
            "--grant",
            action="append",
            default=[],
            metavar="ACTION:LEVEL[:PROJECT]",
            help="may be repeated; default: observe, propose, recall, revise, retract and forget on session, user, "
            "agent and project",
        )
        parser.add_argument("--user", action="append", metavar="U", help="bind the key to this user; may be repeated")
        parser.add_argument(
            "--source",
            action="append",
            default=[],
            help="a source the key may speak for: business_system, project_document, tool_result; may be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        grants = [parse_grant(text) for text in options["grant"]]
        tenant = _tenant(options["tenant"], create=options["create_tenant"])
        grants = [_with_project_id(grant, tenant) for grant in grants]
        if options["owner"]:
            owner = find_account(options["owner"])
            if owner is None:
                raise Invalid({"/owner": "is no account; make it with `manage.py create_member`"})
        else:
            owner = actions.first_administrator(tenant)
        agent = actions.create_agent(tenant, options["name"], owner=owner)
        _, text = actions.issue_key(agent, grants=grants, users=options["user"], sources=options["source"])
        print(f"Agent {agent.name} of tenant {tenant.name}; its key is shown this once:", file=sys.stderr)
        self.stdout.write(text)


def _tenant(name: str, *, create: bool) -> Tenant:
    if create and not Tenant.objects.filter(name=name).exists():
        return actions.create_tenant(name, by=COMMAND_LINE)
    return tenant_named(name)


def _with_project_id(grant: Grant, tenant: Tenant) -> Grant:
    """Return a grant that names its project as the database does. Raises NotFound."""
    if not grant.project:
        return grant
    found = find_project(tenant.id, grant.project)
    if found is None:
        raise NotFound("There is no project of this name in the tenant.")
    return Grant(grant.action, grant.level, found.id)
