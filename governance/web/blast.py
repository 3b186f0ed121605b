"""What an agent wrote since a moment: seen, previewed, taken back; and who was given it."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.candidates import queries as candidates
from governance.candidates.actions.blast import MOST
from governance.conflicts import queries as conflicts
from governance.memories.queries import views
from governance.overview import queries as overview
from governance.retrieval.queries import given
from governance.scopes.queries import agent_of
from governance.web.desk import desk, version_of
from governance.web.forms import SinceForm
from governance.web.htmx import DeskRequest, show

SHOWN = 50


@desk("manage-agents")
def written(request: DeskRequest, id: str, done: Any = None) -> HttpResponse:
    agent = agent_of(request.tenant.id, id)
    asked = request.POST if "since" in request.POST else request.GET
    form = SinceForm(asked if "since" in asked else None)
    since = form.moment(timezone.now())
    form.fields["since"].initial = since
    found = candidates.blast(agent, since)
    gave = given(request.tenant.id, found.versions, since)
    context = {
        "agent": agent,
        "form": form,
        "since": since,
        "found": found,
        "now": min(found.count, MOST),
        "memories": _beside(found.written[:SHOWN]),
        "waiting": candidates.views(found.waiting[:SHOWN]),
        "contested": conflicts.views(found.contested[:SHOWN]),
        "given": gave,
        "names": overview.names_of(f"agent:{g.agent}" for g in gave),
        "done": done,
    }
    return show(request, "governance/agents/written.html", context)


def _beside(rows: tuple[candidates.Written, ...]) -> list[dict[str, Any]]:
    said = {view.id: view for view in views(row.memory for row in rows)}
    return [{"written": row, "view": said[row.memory.id]} for row in rows]


@require_POST
@desk("manage-agents", again=written)
def take_back(request: DeskRequest, id: str) -> HttpResponse:
    """Take back what was previewed; the answer is the page as it is then, with what was done."""
    agent = agent_of(request.tenant.id, id)
    since = SinceForm(request.POST).moment(timezone.now())
    done = actions.reverse_all(agent, since, expected=version_of(request, "count"), by=request.actor)
    return written(request, id=id, done=done)
