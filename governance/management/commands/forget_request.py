"""`manage.py forget_request ID`: verify, look at the plan, approve it, and wait until it is answered."""

import argparse
import time
from typing import Any

from django.core.management.base import CommandError

from governance.erasure import actions
from governance.erasure.actions.consent import BASES
from governance.erasure.models import METHODS, RUNNING, ForgetRequest, StoreRow
from governance.erasure.queries import plan_of, requests_of
from governance.errors import NotFound
from governance.index.chroma import IndexDown
from governance.management.command import DomainCommand
from governance.scopes.queries import actor_of_member, person_named
from governance.scopes.rules import Actor

POLL_SECONDS = 0.5


class Command(DomainCommand):
    """Without a further option it prints where the request stands; the run itself is the worker's."""

    help = "Verify, plan, approve and follow one forget request; allow anew what it erased."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("request", help="its id, forget_…")
        parser.add_argument("--verify-identity", metavar="METHOD", choices=METHODS, help=", ".join(METHODS))
        parser.add_argument("--approve", action="store_true", help="approve the plan; needs --as, another person's")
        parser.add_argument(
            "--allow-again", metavar="BASIS", choices=BASES, help="the person consented anew: " + ", ".join(BASES)
        )
        parser.add_argument("--as", dest="username", metavar="USER", help="whose account acts")
        parser.add_argument("--plan-hash", help="the plan that was looked at; without it the present one is approved")
        parser.add_argument("--wait", type=float, default=600, help="seconds to wait for the answer")

    def handle(self, *args: Any, **options: Any) -> None:
        request = ForgetRequest.objects.filter(pk=options["request"]).first()
        if request is None:
            raise NotFound("There is no forget request of this id.")
        if not (options["verify_identity"] or options["approve"] or options["allow_again"]):
            self._tell(request)
            return
        if not options["username"]:
            raise CommandError("Name the account that acts: --as USER.")
        by = actor_of_member(person_named(options["username"]), request.tenant_id)
        if options["allow_again"]:
            self._tell(actions.allow_again(request, basis=options["allow_again"], by=by))
            return
        if options["approve"]:
            actions.check_may_approve(request, by)
        if options["verify_identity"]:
            request = actions.verify_identity(request, method=options["verify_identity"], by=by)
        request = self._planned(request, by, options["wait"])
        if options["approve"] and request.status == "planned":
            request = actions.approve(request, plan_hash=options["plan_hash"] or request.plan_hash, by=by)
            request = self._followed(request, options["wait"])
        self._tell(request)

    def _planned(self, request: ForgetRequest, by: Actor, wait: float) -> ForgetRequest:
        if request.status == "verified":
            try:
                request = actions.plan(request)
            except IndexDown:  # a server beside this command holds the index: its worker makes the plan
                self._await_plan(request, wait)
        found = plan_of(request, by)
        if found is not None:
            for line in found.document["stores"]:
                self.stdout.write(
                    "  {store}: erase {erase}, restrict {restrict}, keep {retain} {reason}".format(**line)
                )
            self.stdout.write(f"plan {found.plan_hash}")
        return requests_of(by).get(pk=request.pk)

    def _await_plan(self, request: ForgetRequest, wait: float) -> None:
        until = time.monotonic() + wait
        while request.status == "verified" and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            request.refresh_from_db()
        if request.status == "verified":
            raise CommandError("The index is in use, and no worker made the plan. Is `manage.py serve` running?")

    def _followed(self, request: ForgetRequest, wait: float) -> ForgetRequest:
        """Wait for the worker, saying what it does."""
        said: set[str] = set()
        until = time.monotonic() + wait
        while request.status in RUNNING and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
            for row in StoreRow.objects.filter(request=request).exclude(state="waiting"):
                if row.store not in said:
                    said.add(row.store)
                    self.stdout.write(f"  {row.store}: {row.state}, {row.erased} erased")
            request.refresh_from_db()
        if request.status in RUNNING:
            raise CommandError(f"It is {request.status}; the worker goes on. Is `manage.py serve` running?")
        return request

    def _tell(self, request: ForgetRequest) -> None:
        grounds = f" ({', '.join(request.grounds)})" if request.grounds else ""
        self.stdout.write(f"{request.id}: {request.status}{grounds}, due {request.due_at:%Y-%m-%d}")
        if request.report_sha256:
            self.stdout.write(f"report {request.report_sha256}")
