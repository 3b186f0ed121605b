"""Go to anything: the pages somebody may open, and whatever an id names."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.errors import NotFound
from governance.web.desk import desk
from governance.web.htmx import DeskRequest

# What an id begins with -> the page of the thing.
OF_PREFIX = {"mem": "memory", "cand": "candidate", "conf": "conflict", "agent": "agent", "rec": "recall"}


@require_POST
@desk()
def go_to(request: DeskRequest) -> HttpResponse:
    """Go to what an id names. Raises NotFound for anything else; what one may not see is not found there."""
    wanted = request.POST.get("to", "").strip()
    name = OF_PREFIX.get(wanted.partition("_")[0])
    if name and wanted.replace("_", "").isalnum() and len(wanted) <= 40:
        return redirect(name, id=wanted)
    raise NotFound("No page has this name, and nothing has this id.")
