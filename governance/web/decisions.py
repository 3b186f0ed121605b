"""Decisions about one item: approve, edit, reject, undo, take back, put aside, hand over, take from somebody."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.candidates import queries as candidates
from governance.candidates.models import Candidate
from governance.web.desk import desk, version_of
from governance.web.forms import AsideForm, AssignForm, EditForm, RejectForm, WhyForm
from governance.web.htmx import DeskRequest
from governance.web.review import item, lens_of, queue

ASIDE_SAID = {
    "unsure": "Noted that you are unsure: it stays for the others.",
    "needs-role": "Passed to the other role.",
    "snoozed": "Snoozed.",
    "": "Taken up again.",
}


@require_POST
@desk("decide", again=item)
def approve(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    decided = actions.approve(candidate, expected=expected, by=request.actor, alone=request.POST.get("alone", ""))
    return _next(request, decided, "Approved.")


@require_POST
@desk("decide", again=item)
def edit(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    form = EditForm(request.POST, candidate=candidates.views([candidate])[0])
    changes = {k: v for k, v in form.clean_values().items() if k != "value" or form.has_value}
    decided = actions.edit_and_approve(candidate, expected=expected, by=request.actor, changes=changes)
    return _next(request, decided, "Edited and approved.")


@require_POST
@desk("decide", again=item)
def reject(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    said = RejectForm(request.POST).clean_values()
    decided = actions.reject(candidate, expected=expected, by=request.actor, reason=said["reason"], note=said["note"])
    return _next(request, decided, "Rejected.")


@require_POST
@desk("decide", again=item)
def undo(request: DeskRequest, id: str) -> HttpResponse:
    """Undo one's own decision before it takes effect, and show the item again."""
    candidate = candidates.candidate_for_member(request.actor, id)
    actions.undo(candidate, expected=version_of(request), by=request.actor)
    messages.success(request, "Undone: it waits again.")
    return _to_item(request, id)


@require_POST
@desk("decide", again=item)
def revert(request: DeskRequest, id: str) -> HttpResponse:
    """Take a decision back that took effect, with a reason."""
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    note = WhyForm(request.POST).clean_values()["why"]
    actions.revert(candidate, expected=expected, note=note, by=request.actor)
    messages.success(request, "Taken back: it waits again.")
    return _to_item(request, id)


@require_POST
@desk("decide", again=item)
def reopen(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    actions.reopen(candidate, expected=version_of(request), by=request.actor)
    messages.success(request, "It waits for a decision again.")
    return _to_item(request, id)


@require_POST
@desk("decide", again=item)
def skip(request: DeskRequest, id: str) -> HttpResponse:
    """Give the item back and go on to the next."""
    candidate = candidates.candidate_for_member(request.actor, id)
    actions.release(id, by=request.actor)
    return _on(request, candidate)


@require_POST
@desk("decide", again=item)
def aside(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    said = AsideForm(request.POST).clean_values()
    put = actions.set_aside(
        candidate,
        said["aside"],
        expected=expected,
        by=request.actor,
        until=said["until"],
        role=said["role"],
        note=said["note"],
    )
    if not said["aside"]:
        messages.success(request, ASIDE_SAID[""])
        return _to_item(request, id)
    return _next(request, put, ASIDE_SAID[said["aside"]])


@require_POST
@desk("decide", again=item)
def assign(request: DeskRequest, id: str) -> HttpResponse:
    candidate = candidates.candidate_for_member(request.actor, id)
    expected = version_of(request)
    said = AssignForm(request.POST).clean_values()
    handed = actions.assign(candidate, said["to"], expected=expected, by=request.actor, note=said["note"])
    return _next(request, handed, "Handed over." if said["to"] else "It is nobody's now.")


@require_POST
@desk("decide", again=item)
def keep(request: DeskRequest, id: str) -> HttpResponse:
    """Renew the lease of somebody who is still at work on an item."""
    actions.take(candidates.candidate_for_member(request.actor, id), by=request.actor)
    return HttpResponse(status=204)


@require_POST
@desk("manage-roles", again=item)
def break_lease(request: DeskRequest, id: str) -> HttpResponse:
    """Take an item from who has it open, with a reason."""
    candidate = candidates.candidate_for_member(request.actor, id)
    actions.break_lease(candidate, note=WhyForm(request.POST).clean_values()["why"], by=request.actor)
    return _to_item(request, id)


@require_POST
@desk("decide", again=queue)
def let_in(request: DeskRequest) -> HttpResponse:
    """Let some of what an agent proposed too fast into the queue."""
    n = actions.let_in(request.POST.get("agent", ""), by=request.actor)
    messages.success(request, gettext("%s let into the queue.") % n)
    return redirect("review-queue")


def _next(request: DeskRequest, decided: Candidate, text: str) -> HttpResponse:
    if decided.status == "pending" and decided.approved_by == request.actor.id and "pproved" in text:
        text = "Approved by you; another person has to approve it as well."
    messages.success(request, text)
    return _on(request, decided)


def _on(request: DeskRequest, done: Candidate) -> HttpResponse:
    """Go on to the item that waits after this one, else to the one before, else to the queue; held from now on."""
    lens = lens_of(request)
    following = actions.take_next(done, lens.rows, by=request.actor)
    where = reverse("candidate", args=[following]) if following else reverse("review-queue")
    return redirect(where + lens.trail)


def _to_item(request: DeskRequest, id: str) -> HttpResponse:
    own = lens_of(request).own
    return redirect(reverse("candidate", args=[id]) + (f"?{urlencode(own)}" if own else ""))
