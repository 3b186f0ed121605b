"""Keys of one scope that look like one: shown side by side, and made one where a person says so."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.conflicts import queries as conflicts
from governance.memories import queries as memories
from governance.web.desk import desk, version_of
from governance.web.htmx import DeskRequest, show


@desk("see-memories")
def keys(request: DeskRequest) -> HttpResponse:
    """Show keys of one scope that look like one; what to do about them is a person's choice."""
    opened = request.actor.may("read-words")
    context = {"pairs": conflicts.lookalikes(request.actor) if opened else [], "opened": opened}
    return show(request, "governance/conflicts/keys.html", context)


@require_POST
@desk("resolve", again=keys)
def merge(request: DeskRequest) -> HttpResponse:
    """Keep one of two keys: what the other said is evidence for it, or a claim against it."""
    kept = memories.memory_for_member(request.actor, request.POST.get("kept", ""))
    other = memories.memory_for_member(request.actor, request.POST.get("other", ""))
    expected = (version_of(request), version_of(request, "other_version"))
    found = actions.merge_keys(kept, other, expected=expected, by=request.actor)
    if found is not None:
        messages.success(request, "The keys are one; their values differ, so choose what holds.")
        return redirect("conflict", id=found.id)
    messages.success(request, "The keys are one; both said the same.")
    return redirect("alike-keys")
