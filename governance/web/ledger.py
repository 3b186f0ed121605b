"""Whether the log is what was written, and state what the log says: last looked at, and to be looked at now."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.ledger.checks import checked
from governance.ledger.models import LedgerCheck
from governance.overview import actions
from governance.web.desk import desk
from governance.web.htmx import DeskRequest, page_or_fragment


@desk("see-log")
def checks(request: DeskRequest) -> HttpResponse:
    known = {kind: checked(request.tenant.id, kind) for kind in LedgerCheck.KINDS}
    context = {**known, "is_running": any(k.running for k in known.values())}
    return page_or_fragment(request, "governance/ledger/page.html", "governance/ledger/_checks.html", context)


@require_POST
@desk("see-log", again=checks)
def check(request: DeskRequest) -> HttpResponse:
    actions.check_ledger(request.POST.get("kind", ""), by=request.actor)
    messages.success(request, "The worker has been asked; this page follows it.")
    return redirect("ledger")
