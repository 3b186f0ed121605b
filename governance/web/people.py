"""A person's rights: a copy of everything held of them, and the wish not to be remembered."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.erasure import access
from governance.errors import NotFound
from governance.overview import queries as overview
from governance.scopes.actions import set_remembered
from governance.scopes.queries import find_subject, users_of
from governance.web.desk import desk
from governance.web.forms import Plain
from governance.web.htmx import DeskRequest, show


class PersonForm(Plain):
    user = forms.CharField(max_length=200, label="Person", help_text="The id callers use.")


@desk("erase")
def people(request: DeskRequest) -> HttpResponse:
    return show(request, "governance/people/page.html", {"form": PersonForm()})


@require_POST
@desk("erase", again=people)
def find(request: DeskRequest) -> HttpResponse:
    """Go on to a person's page; the id that callers use stands in no address."""
    subject = find_subject(request.tenant.id, PersonForm(request.POST).clean_values()["user"])
    if subject is None:
        raise NotFound("There is no person of this id here.")
    return redirect("person", id=subject.id)


@desk("erase")
def person(request: DeskRequest, id: str) -> HttpResponse:
    subject = access.person(request.actor, id)
    context = {
        "subject": subject,
        "who": users_of([subject.id])[subject.id],
        "held": access.holding(subject),
        "events": overview.entries(overview.events_of(subject.id)),
    }
    return show(request, "governance/people/person.html", context)


@require_POST
@desk("erase", again=person)
def export(request: DeskRequest, id: str) -> Any:
    """Stream a person's copy; it is kept nowhere, and that it was opened is an event."""
    lines = access.export(access.person(request.actor, id), by=request.actor)
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{id}.jsonl"'
    return response


@require_POST
@desk("erase", again=person)
def remember(request: DeskRequest, id: str) -> HttpResponse:
    remembered = request.POST.get("remembered") == "yes"
    set_remembered(access.person(request.actor, id), remembered, by=request.actor)
    said = "They may be remembered again." if remembered else "Nothing is written about them from now on."
    messages.success(request, said)
    return redirect("person", id=id)
