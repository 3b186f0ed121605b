"""The review queue: what waits, and one item with everything beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from governance.candidates import actions, labels, waiting
from governance.candidates import queries as candidates
from governance.candidates.models import REOPENABLE, Candidate
from governance.candidates.queries import CandidateView, Groups
from governance.errors import Gone
from governance.evidence.queries import words_of
from governance.memories import queries as memories
from governance.overview import actions as overview_actions
from governance.overview import pace
from governance.overview import queries as overview
from governance.overview.nearby import similar as similar_to
from governance.policies import queries as policies
from governance.policies.rules import Policy
from governance.scopes.queries import agents_of, members_who
from governance.web.desk import desk
from governance.web.forms import AsideForm, AssignForm, EditForm, FilterForm, RejectForm, WhyForm, WordsForm, day_of
from governance.web.htmx import DeskRequest, page_or_fragment, show
from governance.web.paging import chosen, page_of
from governance.web.pictures import score_of
from governance.web.text import marked, shown_value

COUNTED = ("level", "kind", "lane", "risk", "agent")
FACETS = (*COUNTED, "due", "assigned", "aside", "held", "filter")
LABELS = {"level": "Level", "kind": "Kind", "lane": "Lane", "risk": "Risk", "agent": "Agent"}


@dataclass(frozen=True)
class Lens:
    """A way of looking at the queue: facets of the address, a kept filter, words that are looked for."""

    facets: dict[str, str]
    own: dict[str, str]  # those of the address, as they go on from page to page
    words: str
    base: QuerySet[Candidate]  # before the facets that are counted
    rows: QuerySet[Candidate]

    @property
    def trail(self) -> str:
        return f"?{urlencode(self.own)}" if self.own else ""


def lens_of(request: DeskRequest) -> Lens:
    """Return how this request looks at the queue. Raises NotFound for a filter of somebody else."""
    own = chosen(request, FACETS)
    kept = waiting.filter_of(request.actor, own["filter"]) if "filter" in own else None
    facets = {**(kept.row.facets if kept else {}), **{k: v for k, v in own.items() if k != "filter"}}
    rows = waiting.queue(request.actor)
    if facets.get("held"):
        rows = waiting.held_back(request.actor, facets.get("agent", ""))
    policy = policies.current(request.tenant.id)
    base = waiting.asked(rows, {k: v for k, v in facets.items() if k not in COUNTED}, policy, request.actor)
    words = kept.words if kept else ""
    if words and request.actor.may("read-words"):
        base = base.filter(pk__in=waiting.saying(candidates.narrowed(base, facets), words))
    return Lens(facets, own, words, base, candidates.narrowed(base, facets))


@desk("see-queue")
def queue(request: DeskRequest, results: Sequence[dict[str, str]] = ()) -> HttpResponse:
    lens = lens_of(request)
    policy, now = policies.current(request.tenant.id), timezone.now()
    everything = waiting.groups(request.actor, policy)
    waits, (groups, late) = waiting.counts_of(everything), _groups(request, lens, policy, everything)
    total = candidates.total(groups, lens.facets)
    # Not joined: SQLite would begin at the scopes and sort everything for one page.
    rows = lens.rows.prefetch_related("scope", "agent")
    page = page_of(request, rows, "created_seq", newest_first=False, total=total)
    held = waiting.leases(row.id for row in page.rows)
    context = {
        "page": page,
        "items": candidates.views(page.rows),
        "echoes": candidates.echoes(page.rows),
        "due": {row.id: waiting.due_of(row, policy, now) for row in page.rows},
        "held": held,
        "names": overview.names_of(
            [lease.holder for lease in held.values()] + [w for r in page.rows for w in (r.assigned_to, r.aside_by)]
        ),
        "me": request.actor.id,
        "facets": lens.facets,
        "trail": lens.trail,
        "kept_filter": lens.own.get("filter", ""),
        "words": lens.words,
        "looked_at": waiting.LOOKED_AT,
        "words_form": WordsForm(),
        "filter_form": FilterForm(),
        "filters": waiting.filters(request.actor),
        "choices": _choices(request, candidates.facet_counts(groups, lens.facets), lens.facets),
        "floods": () if lens.facets.get("held") else waiting.floods(request.actor),
        "passed": waiting.passed_over(request.actor) if not page.rows else None,
        **_undoable(request),
        "tired": waiting.pace(request.actor).is_tired(policy),
        "late": waits,
        "late_here": late,
        "waiting": waits.all,
        "pending": waits.all,
        "results": results,
        "said": {v.row.id: v for v in candidates.chosen(request.actor, [r["id"] for r in results])} if results else {},
        "done": sum(not r["problem"] for r in results),
        "failed": {r["id"]: r["problem"] for r in results if r["problem"]},
    }
    return page_or_fragment(request, "governance/review/page.html", "governance/review/_queue.html", context)


def _groups(
    request: DeskRequest, lens: Lens, policy: Policy, everything: Groups
) -> tuple[Groups, waiting.Counts | None]:
    """Return how much there is of every combination of facets under a lens, and how much of what it shows is late.

    `everything` is what there is in the queue; None: what is late is not counted under such a lens.
    """
    if lens.words or set(lens.facets) & {"aside", "held"}:
        return candidates.groups(lens.base), None
    assigned, due = (lens.facets.get(name, "") for name in ("assigned", "due"))
    found = waiting.groups(request.actor, policy, assigned) if assigned else everything
    late = waiting.counts_of(candidates.having(found, lens.facets))
    return waiting.due_alone(found, due) if due else found, late


def _undoable(request: DeskRequest) -> dict[str, Any]:
    """Return the member's decisions that can be undone still, and the last of them with its words."""
    rows = waiting.deciding(request.actor)
    last = candidates.views(rows[:1])
    return {"undoable": rows, "undo_last": rows[0] if rows else None, "undo_words": last[0].words if last else {}}


def _choices(request: DeskRequest, counts: dict[str, dict[str, int]], facets: dict[str, str]) -> list[dict[str, Any]]:
    """Return what each facet offers, with the number of items it would leave; what is chosen is among it."""
    names = dict(agents_of(request.tenant.id).values_list("pk", "name"))
    for name in facets.keys() & counts.keys():
        counts[name].setdefault(facets[name], 0)
    return [
        {
            "name": name,
            "label": LABELS[name],
            "options": [(v, names.get(v, v), n) for v, n in sorted(counts[name].items())],
        }
        for name in COUNTED
    ]


@desk("see-queue")
def proposals(request: DeskRequest) -> HttpResponse:
    """Everything that was ever proposed, whatever became of it."""
    facets = chosen(
        request, (*COUNTED, "outcome", "status", "reason", "policy", "since", "on", "within", "again", "answered")
    )
    visible = candidates.visible_to(request.actor)
    rows = candidates.narrowed(visible, facets)
    if day := day_of(facets.get("on", "")):
        rows = candidates.proposed_on(rows, day, ZoneInfo(request.tenant.zone))
    if day := day_of(facets.get("since", "")):
        zone = ZoneInfo(request.tenant.zone)
        rows = candidates.proposed_since(rows, datetime.combine(day, time(), tzinfo=zone))
    rows = pace.proposed(rows, facets.get("within", ""), timezone.now(), only_again="again" in facets)
    if "answered" in facets:
        rows = labels.answered(request.actor, rows, timezone.now())
    page = page_of(request, rows.prefetch_related("scope", "agent"), "created_seq")
    items = candidates.views(page.rows)
    context = {
        "page": page,
        "items": items,
        "facets": facets,
        "reasons": candidates.reasons(visible),
        "names": overview.names_of(i.row.decided_by for i in items),
    }
    return page_or_fragment(request, "governance/review/proposals.html", "governance/review/_proposals.html", context)


@desk("see-queue")
def item(request: DeskRequest, id: str) -> HttpResponse:
    return _item(request, id, opened=request.actor.may("read-words"))


@require_POST
@desk("open-words", again=item)
def open_words(request: DeskRequest, id: str) -> HttpResponse:
    """Show the words of a candidate to an auditor; that they were opened is an event."""
    overview_actions.open_words(candidates.candidate_for_member(request.actor, id), by=request.actor)
    return _item(request, id, opened=True)


@desk("see-queue")
def pulse(request: DeskRequest) -> HttpResponse:
    """Say in a few bytes whether anything has happened: what an open list asks every other second."""
    return JsonResponse({"token": overview.pulse(request.tenant.id)})


@desk("see-queue")
def item_pulse(request: DeskRequest, id: str) -> HttpResponse:
    """Say whether an open item has changed hands or version. Raises Gone once it is erased."""
    row = candidates.candidate_for_member(request.actor, id)
    if row.status == "erased":
        raise Gone()
    held = waiting.leases([id]).get(id)
    return JsonResponse({"token": f"{row.version}.{row.status}.{held.holder if held else ''}"})


def _item(request: DeskRequest, id: str, *, opened: bool) -> HttpResponse:
    row = candidates.candidate_for_member(request.actor, id)
    if row.status == "erased":
        raise Gone()
    lease = actions.take(row, by=request.actor) if request.method == "GET" else waiting.leases([id]).get(id)
    candidate = candidates.views([row])[0]
    lens = lens_of(request)
    before, after = waiting.neighbours(request.actor, row, lens.rows)
    policy = policies.current(request.tenant.id)
    barred = actions.is_barred(row, policy, request.actor)
    earlier = candidates.views(waiting.decided_before(row))
    sent = request.POST
    context = {
        "candidate": candidate,
        "row": row,
        "opened": opened,
        "trail": lens.trail,
        "before": before,
        "after": after,
        "lease": lease if lease and lease.holder != request.actor.id else None,
        "token": f"{row.version}.{row.status}.{lease.holder if lease else ''}",
        "due": waiting.due_of(row, policy, timezone.now()) if row.status == "pending" else None,
        "needs_two": row.risk in policy.two_people,
        "first_of_two": actions.first_of_two(row),
        "is_barred": barred,
        "may_alone": (barred or row.risk in policy.two_people) and request.actor.may("set-policy"),
        "me": request.actor.id,
        **_undoable(request),
        "tired": waiting.pace(request.actor).is_tired(policy),
        "echoes": candidates.echoes([row]).get(row.id, 0),
        "may_reopen": row.status in REOPENABLE and request.actor.may("decide"),
        "earlier": earlier,
        "score": score_of(row.score),
        "audience": overview.audience(row.scope, binding=row.binding),
        "names": overview.names_of(
            [row.decided_by, row.proposed_by, row.approved_by, row.aside_by, row.assigned_to]
            + [e.row.decided_by for e in earlier]
            + ([lease.holder] if lease else [])
        ),
        "events": overview.entries(overview.events_of(row.id)),
        "reject": RejectForm(sent if "reason" in sent else None),
        "aside_form": AsideForm(sent if "aside" in sent else None, auto_id="aside_%s"),
        "assign_form": AssignForm(
            sent if "to" in sent else None,
            people=members_who(request.tenant.id, "decide").items(),
            auto_id="assign_%s",
        ),
        "why": WhyForm(sent if "why" in sent else None),
        "editing": "content" in sent,
        "edit": EditForm(sent if "content" in sent else None, candidate=candidate),
        **(_evidence(candidate) if opened else {}),
        **_ground(candidate),
    }
    return show(request, "governance/review/item.html", context)


@desk("read-words")
def similar(request: DeskRequest, id: str) -> HttpResponse:
    """Show the memories of the same scope whose meaning is nearest."""
    row = candidates.candidate_for_member(request.actor, id)
    words = candidates.views([row])[0].words
    found = similar_to(row.scope, str(words.get("content", "")), besides=row.target_id or "")
    return show_part(request, "governance/review/_similar.html", {"similar": found, "row": row})


def show_part(request: DeskRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Return a fragment to htmx, a page of its own to everybody else."""
    return page_or_fragment(request, "governance/review/part.html", template, {**context, "part": template})


def _evidence(candidate: CandidateView) -> dict[str, Any]:
    """Return the turn a candidate rests on, its span marked."""
    observation = candidate.row.observation
    if observation is None:
        return {}
    text = words_of(observation).get("text", "")
    return {"observation": observation, "heard": text, "heard_marked": marked(text, candidate.field("quote"))}


def _ground(candidate: CandidateView) -> dict[str, Any]:
    """Return the memory a candidate would change, as it is now, and both values as text."""
    new = shown_value(candidate.field("value", None)) or candidate.field("content")
    if candidate.row.target is None:
        return {"new_value": new}
    current = memories.history(candidate.row.target)[-1]
    old = shown_value(current.value) or current.content
    return {"current": current, "old_value": old, "new_value": "" if candidate.row.operation == "retract" else new}
