"""The conflict desk: keys about which claims disagree, the rivals side by side, and what each choice would leave."""

from typing import Any
from urllib.parse import urlencode
from zlib import crc32

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.conflicts import queries as conflicts
from governance.conflicts.models import STATUSES, UNSETTLED, Conflict
from governance.conflicts.queries import ClaimView, ConflictView, Ground, Outcome
from governance.conflicts.rules import UNDECIDED, Resolution, is_authority
from governance.conflicts.rules.outcome import WIDTH
from governance.errors import Invalid, Refusal, outcome
from governance.evidence.queries import texts_of
from governance.memories import queries as memories
from governance.memories.models import FOREVER
from governance.memories.queries import Moment
from governance.overview import actions as overview_actions
from governance.overview import queries as overview
from governance.policies import queries as policies
from governance.web.desk import desk, version_of
from governance.web.forms import (
    MergeForm,
    NoteForm,
    ReverseForm,
    SplitForm,
    SplitKeyForm,
    SplitScopeForm,
    SplitTimeForm,
)
from governance.web.htmx import DeskRequest, page_or_fragment, show
from governance.web.paging import Page, chosen, page_of
from governance.web.pictures import Stretch, timeline_of
from governance.web.text import marked

FACETS = ("status", "level")
ORDERS = {"": "the oldest first", "weight": "the heaviest first"}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPLITS = ("key", "time", "scope")
DONE = {
    "keep": "Settled: one claim was kept.",
    "both": "Settled: both are kept.",
    "merge": "Settled with words of your own.",
    "none": "Settled: nothing is held any more.",
    "ask": "The question is put: agents are given it with the rival claims.",
}


@desk("see-memories")
def queue(request: DeskRequest) -> HttpResponse:
    facets = chosen(request, FACETS)
    seen = conflicts.visible_to(request.actor)
    found = conflicts.weighed(conflicts.narrowed(seen, facets))
    by_weight = request.GET.get("order") == "weight"
    page = page_of(request, found, "rank", newest_first=True) if by_weight else _by_age(request, found)
    context = {
        "page": page,
        "conflicts": conflicts.views(page.rows),
        "heavy": conflicts.HEAVY,
        "light": conflicts.LIGHT,
        "facets": facets,
        "order": "weight" if by_weight else "",
        "orders": ORDERS.items(),
        "trail": _trail(request),
        "counts": conflicts.facet_counts(seen, facets),
        "statuses": STATUSES,
    }
    mark = _mark(page)
    is_refresh = request.htmx and "seen" in request.GET
    if is_refresh and request.GET["seen"] == mark:
        return HttpResponse(status=204)  # nothing moved: the page is left alone
    query = request.GET.copy()
    query["seen"] = mark
    context["live"] = query.urlencode()
    fragment = "_rows.html" if is_refresh else "_queue.html"
    return page_or_fragment(request, "governance/conflicts/page.html", f"governance/conflicts/{fragment}", context)


def _mark(page: Page) -> str:
    """Return what changes when the list does: which conflicts are on the page, as what versions, of how many."""
    shown = "".join(f"{row.id}.{row.version}." for row in page.rows)
    return f"{page.total}-{crc32(shown.encode()):08x}"


def _by_age(request: DeskRequest, found: Any) -> Any:
    return page_of(request, found, "created_seq", newest_first=False)


def _trail(request: DeskRequest) -> str:
    """Return the facets as they go along from page to page."""
    kept = chosen(request, (*FACETS, "order"))
    return f"?{urlencode(kept)}" if kept else ""


@desk("see-memories")
def item(request: DeskRequest, id: str) -> HttpResponse:
    """Show a conflict; to the page that asks whether it still shows what is so (`?seen=`), only what has moved."""
    if request.htmx and "seen" in request.GET:
        return _moved(request, id)
    return _item(request, id, opened=request.actor.may("read-words"))


def _moved(request: DeskRequest, id: str) -> HttpResponse:
    row = conflicts.conflict_for_member(request.actor, id)
    if request.GET["seen"] == str(row.version):
        return HttpResponse(status=204)  # the page is left alone, with what is being typed there
    context = {"row": row, "trail": _trail(request), "names": overview.names_of([row.resolved_by])}
    return render(request, "governance/conflicts/_moved.html", context)


@require_POST
@desk("open-words", again=item)
def open_words(request: DeskRequest, id: str) -> HttpResponse:
    """Show the words of a conflict to an auditor; that they were opened is an event."""
    overview_actions.open_words(conflicts.conflict_for_member(request.actor, id), by=request.actor)
    return _item(request, id, opened=True)


@require_POST
@desk("resolve", again=item)
def preview(request: DeskRequest, id: str) -> HttpResponse:
    """Show what recall would answer; nothing is written. Without scripts this is the whole page again."""
    view = conflicts.views([conflicts.conflict_for_member(request.actor, id)])[0]
    how = request.POST.get("how", "")
    seen = outcome(lambda: conflicts.outcomes(conflicts.ground(view), _said(request, view), timezone.now()))
    if not request.htmx:
        return _item(request, id, opened=True, previewed={how: seen})
    return show(request, "governance/conflicts/_preview.html", {"how": how, **_shown(seen)})


@require_POST
@desk("resolve", again=item)
def resolve(request: DeskRequest, id: str) -> HttpResponse:
    row = conflicts.conflict_for_member(request.actor, id)
    expected = version_of(request)
    said = _said(request, conflicts.views([row])[0])
    actions.resolve(row, said, expected=expected, by=request.actor)
    messages.success(request, DONE[said.choice])
    return redirect(_address(request, id))


@require_POST
@desk("resolve", again=item)
def reverse(request: DeskRequest, id: str) -> HttpResponse:
    row = conflicts.conflict_for_member(request.actor, id)
    expected = version_of(request)
    note = ReverseForm(request.POST).clean_values()["note"]
    actions.reverse(row, note=note, expected=expected, by=request.actor)
    messages.success(request, "Taken back: the claims are open again.")
    again = conflicts.unsettled(request.actor).filter(memory=row.memory_id).first()
    return redirect(_address(request, again.id if again else id))


def _address(request: DeskRequest, id: str) -> str:
    return resolve_url("conflict", id=id) + _trail(request)


def _said(request: DeskRequest, view: ConflictView) -> Resolution:
    """Return the resolution that was sent. Raises Invalid, naming fields and never what was in them."""
    choice = request.POST.get("choice", "")
    note = NoteForm(request.POST).clean_values()["note"]
    if choice == "merge":
        merged = _merge_form(request, view).clean_values()
        return Resolution("merge", value=merged["value"], content=merged["content"], note=note)
    if choice == "both":
        form = _split_forms(request, view).get(request.POST.get("how", ""))
        if form is None:
            raise Invalid({"/how": "must be one of " + ", ".join(SPLITS)})
        return Resolution("both", note=note, **form.places())
    return Resolution(choice, claim=request.POST.get("claim", ""), note=note)


def _merge_form(request: DeskRequest, view: ConflictView) -> MergeForm:
    sent = request.POST if request.POST.get("choice") == "merge" else None
    return MergeForm(sent, values=[c.value for c in view.claims], auto_id="merge-%s")


def _split_forms(request: DeskRequest, view: ConflictView) -> dict[str, SplitForm]:
    """Return the forms that keep both, by how; by scope only where there is a narrower one."""
    names = {c.row.id: letter for c, letter in _lettered(view)}
    how = request.POST.get("how", "") if request.POST.get("choice") == "both" else ""

    def sent(part: str) -> Any:
        return request.POST if how == part else None

    found: dict[str, SplitForm] = {
        "key": SplitKeyForm(sent("key"), names=names, auto_id="key-%s"),
        "time": SplitTimeForm(sent("time"), names=names, auto_id="time-%s"),
    }
    levels = [x for x in ("user", "project") if WIDTH[x] < WIDTH[view.scope["level"]]]
    if levels:
        found["scope"] = SplitScopeForm(sent("scope"), names=names, levels=levels, auto_id="scope-%s")
    return found


def _lettered(view: ConflictView) -> list[tuple[ClaimView, str]]:
    """Return the claims, oldest first, each with what the page calls it."""
    return [(c, LETTERS[i] if i < len(LETTERS) else f"{i + 1}") for i, c in enumerate(view.claims)]


def _item(
    request: DeskRequest, id: str, *, opened: bool, previewed: dict[str, list[Outcome] | Refusal] | None = None
) -> HttpResponse:
    now = timezone.now()
    row = conflicts.conflict_for_member(request.actor, id)
    view = conflicts.views([row])[0]
    before, after = conflicts.neighbours(request.actor, row, chosen(request, FACETS))
    waits = row.status in UNSETTLED
    may_settle = waits and request.actor.may("resolve")
    context = {
        "row": row,
        "conflict": view,
        "opened": opened,
        "waits": waits,
        "trail": _trail(request),
        "before": before,
        "after": after,
        "rule": UNDECIDED.get(row.rule, row.rule),
        "rivals": _rivals(request, view, opened, _kept(view, now) if may_settle else {}),
        "audience": overview.audience(row.scope, binding=row.memory.binding),
        "timeline": _timeline(row, view, now),
        "names": overview.names_of([row.resolved_by, *(c.row.made_by for c in view.claims)]),
        "events": overview.entries(overview.events_of(row.id)),
        "now_says": memories.views([row.memory])[0],
        "note": conflicts.note_of(row) if opened else "",
        "may_settle": may_settle,
        "reverse": ReverseForm(request.POST if row.status == "resolved" and "back" in request.POST else None),
        **(_choices(request, view, now, previewed or {}) if may_settle else {}),
    }
    return show(request, "governance/conflicts/item.html", context)


def _choices(
    request: DeskRequest, view: ConflictView, now: Any, previewed: dict[str, list[Outcome] | Refusal]
) -> dict[str, Any]:
    splits = _split_forms(request, view)
    titles = {"key": "by key", "time": "by time", "scope": "by scope"}
    return {
        "merge": _merge_form(request, view),
        "merge_preview": _shown(previewed.get("merge")),
        "splits": [
            {"how": how, "title": titles[how], "form": form, "preview": _shown(previewed.get(how))}
            for how, form in splits.items()
        ],
        "none_form": NoteForm(request.POST if request.POST.get("choice") == "none" else None, auto_id="none-%s"),
    }


def _shown(seen: list[Outcome] | Refusal | None) -> dict[str, Any]:
    """Return a preview as the template takes it: outcomes, or what stands against them."""
    if isinstance(seen, Refusal):
        return {"outcomes": (), "wrong": getattr(seen, "errors", [])}
    return {"outcomes": seen or (), "wrong": [], "forever": FOREVER}


def _kept(view: ConflictView, now: Any) -> dict[str, list[Outcome]]:
    """Return, for each claim, what recall would answer if that one was kept."""
    on: Ground = conflicts.ground(view)
    return {c.row.id: conflicts.outcomes(on, Resolution("keep", claim=c.row.id), now) for c in view.claims}


def _rivals(
    request: DeskRequest, view: ConflictView, opened: bool, kept: dict[str, list[Outcome]]
) -> list[dict[str, Any]]:
    """Return the claims as cards: what each says, how far its source is trusted, and what it rests on."""
    policy = policies.current(request.tenant.id)
    rule = policy.key_rule(view.key)
    trust = (rule.trust if rule and rule.trust else None) or policy.trust
    ranks = sorted({trust.get(c.row.source_type, 0) for c in view.claims}, reverse=True)
    heard = texts_of(c.row.observation for c in view.claims if c.row.observation and opened)
    return [
        {
            "letter": letter,
            "claim": claim,
            "row": claim.row,
            "trust": trust.get(claim.row.source_type, 0),
            "place": ranks.index(trust.get(claim.row.source_type, 0)) + 1,
            "places": len(ranks),
            "authority": is_authority(claim.row.source_type, claim.words.get("source_ref", ""), rule),
            "heard": heard.get(claim.row.observation_id or "", ""),
            "marked": marked(heard.get(claim.row.observation_id or "", ""), claim.words.get("quote", "")),
            "kept": kept.get(claim.row.id, []),
        }
        for claim, letter in _lettered(view)
    ]


def _timeline(row: Conflict, view: ConflictView, now: Any) -> Any:
    """Return the picture of the memory with the claims that are no version of it."""
    claims = [
        Stretch(letter, c.row.valid_from or c.row.observed_at, c.row.valid_to or FOREVER, row.opened_at)
        for c, letter in _lettered(view)
        if c.row.held_version is None
    ]
    shown = claims if row.status in UNSETTLED else []
    return timeline_of(list(memories.versions_of(row.memory)), Moment(now), now, shown)
