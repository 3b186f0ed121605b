"""What is remembered: lists by facets, by words through the body alone, and one memory with all that led to it."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.conflicts import queries as conflicts
from governance.memories import queries as memories
from governance.memories.models import KINDS, SOURCES
from governance.memories.queries import MemoryView
from governance.overview import actions as overview_actions
from governance.overview import queries as overview
from governance.overview.nearby import index_of
from governance.policies import queries as policies
from governance.retrieval.exploring import find
from governance.retrieval.queries import LATEST_RECALLS, recalls_of
from governance.scopes.models import LEVELS
from governance.scopes.queries import agents_of, find_project, find_subject, projects_of, users_of
from governance.scopes.rules import parse_scope
from governance.web.desk import desk, version_of
from governance.web.forms import MemoryForm, MomentForm, SearchForm, WidenForm
from governance.web.htmx import DeskRequest, page_or_fragment, show
from governance.web.paging import Page, chosen, page_of
from governance.web.pictures import timeline_of
from governance.web.recall_words import reason_in_words
from governance.web.text import shown_value, word_diff

FACETS = ("subject", "project", "level", "kind", "status", "rule", "source", "agent", "age", "always")
STATUSES = ("active", "scheduled", "conflicted", "expired", "archived", "retracted", "erased")
NOBODY = "nobody"  # the subject of a name never seen: a list without memories
MOST_FOUND = 200
UNFOLDED = 10  # versions that stand open; the earlier ones are folded


@desk("see-memories")
def listed(request: DeskRequest) -> HttpResponse:
    facets = chosen(request, FACETS)
    found = memories.narrowed(memories.visible_to(request.actor), facets, timezone.now())
    return _list(request, page_of(request, found, "created_seq"), facets, SearchForm())


def _list(request: DeskRequest, page: Page, facets: dict[str, str], form: SearchForm, **extra: Any) -> HttpResponse:
    context = {
        "page": page,
        "memories": memories.views(page.rows),
        "facets": facets,
        "form": form,
        "opened": request.actor.may("read-words"),
        "who": users_of([facets["subject"]]).get(facets["subject"], "") if "subject" in facets else "",
        "projects": projects_of(request.tenant.id),
        "levels": LEVELS,
        "kinds": KINDS,
        "statuses": STATUSES,
        "rules": policies.current(request.tenant.id).key_rules,
        "sources": SOURCES,
        "agents": agents_of(request.tenant.id),
        "ages": memories.AGES,
        **extra,
    }
    return page_or_fragment(request, "governance/memories/page.html", "governance/memories/_list.html", context)


@require_POST
@desk("read-words", again=listed)
def search(request: DeskRequest) -> HttpResponse:
    """Find by words: a user or project goes on as its id in the address, a key is answered at once."""
    form = SearchForm(request.POST)
    said = form.clean_values()
    facets = _ids(request, said["user"], said["project"])
    if said["words"]:
        return _by_words(request, form, said["words"], facets)
    if not said["key"]:
        return redirect(f"{reverse('memories')}?{urlencode(facets)}")
    seen = memories.visible_to(request.actor)
    scoped = memories.narrowed(seen, facets, timezone.now()) if facets else memories.shared(seen)
    rows = list(memories.with_key(scoped, said["key"])[:MOST_FOUND])
    return _list(request, Page(rows, len(rows), "", ""), facets, form, by_key=True)


def _by_words(request: DeskRequest, form: SearchForm, words: str, facets: dict[str, str]) -> HttpResponse:
    """List what bears on some words, best first: of a user, of a project, else of projects and the tenant."""
    seen = memories.visible_to(request.actor)
    scoped = memories.narrowed(seen, facets, timezone.now()) if facets else memories.shared(seen)
    scopes = memories.scopes_of(scoped)
    found = find(words, scopes, by=request.actor)
    rows = seen.in_bulk(found)
    kept = [rows[id] for id in found if id in rows]
    return _list(request, Page(kept, len(kept), "", ""), facets, form, by_words=True)


def _ids(request: DeskRequest, user: str, project: str) -> dict[str, str]:
    if user:
        subject = find_subject(request.tenant.id, user)
        return {"subject": subject.id if subject else NOBODY}
    if project:
        found = find_project(request.tenant.id, project)
        return {"project": found.id if found else NOBODY}
    return {}


@desk("see-memories")
def detail(request: DeskRequest, id: str) -> HttpResponse:
    return _detail(request, id, opened=request.actor.may("read-words"))


@require_POST
@desk("open-words", again=detail)
def open_words(request: DeskRequest, id: str) -> HttpResponse:
    """Show the words of a memory to an auditor; that they were opened is an event."""
    overview_actions.open_words(memories.memory_for_member(request.actor, id), by=request.actor)
    return _detail(request, id, opened=True)


def _detail(request: DeskRequest, id: str, *, opened: bool) -> HttpResponse:
    now = timezone.now()
    row = memories.memory_for_member(request.actor, id)
    history = memories.history(row)
    asked = MomentForm(request.GET if request.GET.keys() & {"as_of", "known_at"} else None)
    moment = asked.moment(now)
    picture = None if row.erased else timeline_of(list(memories.versions_of(row)), moment, now)
    may_change = request.actor.may("set-binding" if row.binding else "decide")
    context = {
        "row": row,
        "memory": memories.views([row])[0],
        "opened": opened,
        "versions": (newest := _with_changes(history)[::-1])[:UNFOLDED],
        "earlier": newest[UNFOLDED:],
        "latest": history[-1],
        "timeline": picture,
        "asked": asked,
        "moment": moment,
        "conflict": conflicts.unsettled(request.actor).filter(memory=row).first() if row.contested else None,
        "then": next((v for v in history if picture and f"v{v.version}" == picture.held), None),
        "audience": overview.audience(row.scope, binding=row.binding),
        "trail": overview.trail(row),
        "names": overview.names_of([v.created_by for v in history] + [f"agent:{v.agent}" for v in history]),
        "may_change": may_change and not row.erased,
        "may_widen": request.actor.may("set-policy") and row.scope.level in ("session", "user", "agent", "project"),
        "entries": index_of(row),
        "edit": MemoryForm(request.POST if "content" in request.POST else None, memory=history[-1]),
        "widening": WidenForm(request.POST if "level" in request.POST else None, auto_id="widen_%s"),
    }
    return show(request, "governance/memories/detail.html", context)


def _with_changes(history: list[MemoryView]) -> list[dict[str, Any]]:
    """Return each version with what it changed of the one before it."""
    pairs = zip(history, [None, *history[:-1]], strict=True)
    return [{"view": view, "change": _change(view, before)} for view, before in pairs]


def _change(view: MemoryView, before: MemoryView | None) -> str:
    if before is None or view.status in ("retracted", "erased") or before.status in ("retracted", "erased"):
        return ""
    return word_diff(_said(before), _said(view))


def _said(view: MemoryView) -> str:
    return view.content or shown_value(view.value)


@require_POST
@desk("decide", again=detail)
def retract(request: DeskRequest, id: str) -> HttpResponse:
    memory = memories.memory_for_member(request.actor, id)
    change = Change(expected=version_of(request), reason="delete-request")
    return _done(request, actions.retract(memory, change, by=request.actor), "Retracted: agents are given it no more.")


@require_POST
@desk("decide", again=detail)
def restore(request: DeskRequest, id: str) -> HttpResponse:
    memory = memories.memory_for_member(request.actor, id)
    expected, number = version_of(request), version_of(request, "number")
    change = Change(expected=expected, reason="restored")
    return _done(
        request, actions.restore(memory, change, number, by=request.actor), gettext("Version %s was restored.") % number
    )


@require_POST
@desk("decide", again=detail)
def edit(request: DeskRequest, id: str) -> HttpResponse:
    """State a memory anew in other words: a new version, through policy."""
    memory = memories.memory_for_member(request.actor, id)
    expected = version_of(request)
    form = MemoryForm(request.POST, memory=memories.history(memory)[-1])
    change = Change(expected=expected, fields=form.changes(), reason="correction")
    return _done(request, actions.revise(memory, change, by=request.actor), "Stated anew: the old version stays.")


@require_POST
@desk("decide", again=detail)
def pin(request: DeskRequest, id: str) -> HttpResponse:
    """Let a memory accompany every recall in its scope, or no longer."""
    memory = memories.memory_for_member(request.actor, id)
    always = request.POST.get("always") == "1"
    change = Change(expected=version_of(request), fields={"always": always}, reason="correction")
    said = "Given with every recall from now on." if always else "Given where it bears on the question."
    return _done(request, actions.revise(memory, change, by=request.actor), said)


@require_POST
@desk("set-policy", again=detail)
def widen(request: DeskRequest, id: str) -> HttpResponse:
    """Let a memory hold for a project or the whole tenant as well, with a reason."""
    memory = memories.memory_for_member(request.actor, id)
    expected = version_of(request)
    said = WidenForm(request.POST).clean_values()
    named = {"level": said["level"], **({"project": said["project"]} if said["level"] == "project" else {})}
    made = actions.widen(memory, parse_scope(named), expected=expected, note=said["note"], by=request.actor)
    return _done(request, made, "It holds there as well; where it was, it stays.")


@desk("see-memories")
def recalls(request: DeskRequest, id: str) -> HttpResponse:
    """Show in which of the latest recalls a memory was a candidate."""
    row = memories.memory_for_member(request.actor, id)
    shown = [(one, reason_in_words({"fate": one.fate})) for one in recalls_of(row)]
    context = {"row": row, "shown": shown, "looked_at": LATEST_RECALLS}
    return page_or_fragment(request, "governance/memories/recalls.html", "governance/memories/_recalls.html", context)


def _done(request: DeskRequest, candidate: Candidate, text: str) -> HttpResponse:
    messages.success(
        request, text if candidate.status == "committed" else "Policy wants another person to decide this."
    )
    return redirect("memory", id=candidate.memory_id or candidate.target_id)
