"""What memories are kept for: what a sweep would do, what sweeps did, what is due to be erased, and what is held."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS
from governance.lifecycle import actions, queries
from governance.lifecycle.actions import Covered
from governance.lifecycle.models import GROUNDS, STEPS, Hold, Sweep
from governance.memories import queries as memories
from governance.overview import queries as overview
from governance.policies import queries as policies
from governance.policies.rules import RETENTION
from governance.scopes.queries import projects_of, users_of
from governance.web.desk import desk, version_of
from governance.web.forms import Plain
from governance.web.htmx import DeskRequest, page_or_fragment
from governance.web.memories import detail

SHOWN = 10  # sweeps, holds that were lifted
# A step or a count -> as people read it.
NAMES = {
    "end-session": "Sessions ended",
    "expire": "Ended",
    "demote": "Demoted",
    "archive": "Archived",
    "mark-due": "Due to be erased",
    "summaries": "Summaries proposed",
    "held": "Left alone: held",
    "left": "Left: moved on since",
}
MEANING = {
    "end-session": "Nothing was said in them for a day.",
    "expire": "Their class ends so long after they were last observed.",
    "demote": "Given only where they are asked for.",
    "archive": "Neither given nor listed.",
    "mark-due": "Kept as long as their class says. Nothing is erased.",
    "summaries": "Of episodes that go out of sight; a person decides.",
    "held": "A legal hold covers them.",
}


class HoldForm(Plain):
    """What is held, and why."""

    user = forms.CharField(required=False, max_length=200, label="Person", help_text="The id callers use.")
    project = forms.CharField(required=False, max_length=200, label="Project")
    memory = forms.CharField(required=False, max_length=40, label="Memory", help_text="All empty: the whole tenant.")
    ground = forms.ChoiceField(choices=[(g, g) for g in GROUNDS], label="Ground")
    note = forms.CharField(
        required=False,
        max_length=2000,
        label="Note",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )


@desk("see-log")
def retention(request: DeskRequest, id: str = "") -> HttpResponse:
    """Show the desk; `id` is what a refused form was about."""
    tenant, opened = request.tenant.id, request.actor.may("read-words")
    sweeps = list(queries.sweeps_of(tenant)[:SHOWN])
    look = queries.looked(tenant)
    changed = max((m for s in sweeps for m in (s.finished_at, s.undone_at) if m is not None), default=None)
    is_looking = look is not None and (look.looked_at is None or look.looked_at < look.asked_at)
    context = {
        "look": look,
        "is_looking": is_looking,
        "is_outdated": bool(look and look.looked_at and changed and look.looked_at < changed),
        "would": _told(look.counts) if look else [],
        "sweeps": [_report(s) for s in sweeps],
        "is_running": is_looking or any(s.is_running for s in sweeps),
        "may_begin": not any(s.is_running for s in sweeps),
        "due": queries.due_to_be_erased(tenant).count(),
        "holds": _holds(list(queries.holds_of(tenant)[: 20 * SHOWN]), tenant, opened),
        "opened": opened,
        "names": overview.names_of({s.begun_by for s in sweeps} | {s.undo_by for s in sweeps if s.undo_by}),
        "form": HoldForm(request.POST if "ground" in request.POST else None),
        "classes": [(name, policies.current(tenant).retention_class(name)) for name in RETENTION],
    }
    return page_or_fragment(request, "governance/retention/page.html", "governance/retention/_sweeps.html", context)


def _told(counts: dict[str, int]) -> list[dict[str, Any]]:
    """Return counts in the order of the steps, named."""
    ordered = [*STEPS, "summaries", "held", "left"]
    return [
        {"name": NAMES[step], "means": MEANING.get(step, ""), "count": counts[step]}
        for step in ordered
        if counts.get(step)
    ]


def _report(sweep: Sweep) -> dict[str, Any]:
    counts = sweep.counts if sweep.finished_at else queries.done_so_far(sweep)
    can_undo = sweep.finished_at is not None and sweep.undo_at is None and any(counts.get(s) for s in STEPS)
    return {"row": sweep, "counts": _told(counts), "undone": _told(sweep.undone), "can_undo": can_undo}


def _holds(rows: Sequence[Hold], tenant: str, opened: bool) -> list[dict[str, Any]]:
    """Return holds as people read them: those in force first; names and notes for those who may read words."""
    kept = [h for h in rows if h.lifted_at is None] + [h for h in rows if h.lifted_at is not None][:SHOWN]
    users = users_of(h.subject_id for h in kept if h.subject_id) if opened else {}
    projects = projects_of(tenant) if opened else {}
    words = sealing.unseal(h.content_id for h in kept if h.content_id) if opened else {}
    people = overview.names_of({h.placed_by for h in kept} | {h.lifted_by for h in kept if h.lifted_by})
    return [
        {
            "row": hold,
            "who": users.get(hold.subject_id or "", "") or projects.get(hold.project_id or "", ""),
            "note": words.get(hold.content_id or "", NO_WORDS).get("note", ""),
            "placed_by": people.get(hold.placed_by, hold.placed_by),
            "lifted_by": people.get(hold.lifted_by, hold.lifted_by),
        }
        for hold in kept
    ]


@require_POST
@desk("sweep", again=retention)
def look(request: DeskRequest) -> HttpResponse:
    actions.look(by=request.actor)
    messages.success(request, "The worker looks; nothing is changed.")
    return redirect("retention")


@require_POST
@desk("sweep", again=retention)
def sweep(request: DeskRequest) -> HttpResponse:
    actions.begin(by=request.actor)
    messages.success(request, "The sweep has begun; its report follows below.")
    return redirect("retention")


@require_POST
@desk("sweep", again=retention)
def undo(request: DeskRequest, id: str) -> HttpResponse:
    actions.begin_undo(queries.sweep_of(request.actor, id), by=request.actor)
    messages.success(request, "The sweep is being taken back.")
    return redirect("retention")


@require_POST
@desk("hold", again=retention)
def place_hold(request: DeskRequest) -> HttpResponse:
    said = HoldForm(request.POST).clean_values()
    covered = Covered(user=said["user"], project=said["project"], memory=said["memory"])
    actions.place_hold(covered, ground=said["ground"], note=said["note"], by=request.actor)
    messages.success(request, "Held: nothing it covers is swept or erased.")
    return redirect("retention")


@require_POST
@desk("hold", again=retention)
def lift_hold(request: DeskRequest, id: str) -> HttpResponse:
    actions.lift_hold(queries.hold_of(request.actor, id), by=request.actor)
    messages.success(request, "Lifted: what waited for it goes on.")
    return redirect("retention")


# --- one memory, by hand -------------------------------------------------------------------------------------------

PUT = {
    "front": "It is given again like every other.",
    "demote": "Demoted: agents are given it only when they ask for it.",
    "archive": "Archived: neither given nor listed.",
}


@require_POST
@desk("decide", again=detail)
def put(request: DeskRequest, id: str) -> HttpResponse:
    memory = memories.memory_for_member(request.actor, id)
    place = request.POST.get("place", "")
    actions.put(memory, place, expected=version_of(request), by=request.actor)
    messages.success(request, PUT[place])
    return redirect("memory", id=memory.id)


@require_POST
@desk("decide", again=detail)
def end(request: DeskRequest, id: str) -> HttpResponse:
    memory = memories.memory_for_member(request.actor, id)
    actions.invalidate(memory, expected=version_of(request), by=request.actor)
    messages.success(request, "It holds no longer; that it held stays on record.")
    return redirect("memory", id=memory.id)
