"""Many items at once: ticked or all that a filter leaves, previewed, confirmed, answered one by one; and filters."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from governance.candidates import actions, waiting
from governance.candidates import queries as candidates
from governance.candidates.actions.bulk import MOST
from governance.candidates.actions.decide import REJECT_REASONS
from governance.candidates.models import Candidate
from governance.errors import Invalid, Refusal
from governance.policies import queries as policies
from governance.web.desk import desk
from governance.web.forms import REASONS, FilterForm, WordsForm
from governance.web.htmx import DeskRequest, show
from governance.web.review import COUNTED, lens_of, queue
from governance.web.text import whole


@require_POST
@desk("decide", again=queue)
def preview(request: DeskRequest) -> HttpResponse:
    """Show what deciding the ticked items would do; with `all`, a snapshot of everything the filter leaves."""
    lens = lens_of(request)
    items = _ticked(request)
    if "all" in request.POST:
        items = list(lens.rows.values_list("pk", "version")[:MOST])
    if not items:
        raise Invalid({"/item": "tick at least one item"})
    foreseen = actions.preview(items, by=request.actor)
    context = {
        "can": [f for f in foreseen if not f.problem],
        "cannot": [f for f in foreseen if f.problem],
        "first": sum(f.is_first for f in foreseen),
        "said": {v.row.id: v for v in candidates.views([f.row for f in foreseen if f.row])},
        "trail": lens.trail,
        "reasons": [(r, REASONS[r]) for r in REJECT_REASONS],
        "window": actions.window_of(policies.current(request.tenant.id)),
        "most": MOST if len(items) == MOST else 0,
    }
    return show(request, "governance/review/several.html", context)


@require_POST
@desk("decide", again=queue)
def decide_several(request: DeskRequest) -> HttpResponse:
    """Decide what was previewed, each at the version that was on the screen; the answer says so item by item."""
    items = _ticked(request)
    reason = request.POST.get("reason", "")
    if "reject" in request.POST and not reason:
        raise Invalid({"/reason": "must be one of " + ", ".join(REJECT_REASONS)})
    if reason:
        answers = actions.reject_many(items, reason, by=request.actor)
    else:
        answers = actions.approve_many(items, by=request.actor)
    results = [_result(id, answer, request.actor.id) for (id, _), answer in zip(items, answers, strict=False)]
    return queue(request, results=results)


def _ticked(request: DeskRequest) -> list[tuple[str, int]]:
    pairs = [raw.partition(":")[::2] for raw in request.POST.getlist("item")[:MOST]]
    return [(id, whole(version) or 0) for id, version in pairs]  # no item has the version 0


def _result(id: str, answer: Candidate | Refusal, me: str) -> dict[str, str]:
    if isinstance(answer, Refusal):
        return {"id": id, "problem": answer.detail, "memory": "", "state": ""}
    first = answer.status == "pending" and answer.approved_by == me
    return {
        "id": id,
        "problem": "",
        "memory": answer.memory_id or "",
        "state": "waits for a second person" if first else answer.status,
        "version": str(answer.version) if answer.status == "deciding" else "",
    }


@require_POST
@desk("decide", again=queue)
def undo_several(request: DeskRequest) -> HttpResponse:
    """Undo all of one's decisions that have not taken effect yet."""
    for row in waiting.deciding(request.actor):
        actions.undo_quietly(row, by=request.actor)
    return redirect(reverse("review-queue") + lens_of(request).trail)


@require_POST
@desk("read-words", again=queue)
def search(request: DeskRequest) -> HttpResponse:
    """Look for words in the queue: they are sealed, and the address names them by an id."""
    lens = lens_of(request)
    words = WordsForm(request.POST).clean_values()["words"]
    row = actions.save_filter(_kept(lens.facets), by=request.actor, words=words)
    return redirect(f"{reverse('review-queue')}?filter={row.id}")


@require_POST
@desk("see-queue", again=queue)
def keep_filter(request: DeskRequest) -> HttpResponse:
    """Keep the present way of looking at the queue under a name."""
    lens = lens_of(request)
    said = FilterForm(request.POST).clean_values()
    row = actions.save_filter(
        _kept(lens.facets), by=request.actor, name=said["name"], words=lens.words, is_shared=said["is_shared"]
    )
    return redirect(f"{reverse('review-queue')}?filter={row.id}")


@require_POST
@desk("see-queue")
def drop_filter(request: DeskRequest, id: str) -> HttpResponse:
    actions.drop_filter(waiting.filter_of(request.actor, id).row, by=request.actor)
    return redirect("review-queue")


def _kept(facets: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in facets.items() if k in (*COUNTED, "due", "assigned", "aside")}
