"""Binding rules: set by people, given with every recall, overridden by nothing narrower."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.candidates import actions
from governance.candidates.actions.revise import Change
from governance.candidates.rules import Draft
from governance.memories import queries as memories
from governance.memories.queries import MemoryView
from governance.overview import queries as overview
from governance.scopes.queries import own_wide_scope
from governance.scopes.rules import ScopeSpec
from governance.web.desk import desk, version_of
from governance.web.forms import BindingForm
from governance.web.htmx import DeskRequest, show


@desk("see-memories")
def rules(request: DeskRequest, id: str = "") -> HttpResponse:
    """Show the rules; `id` is the one a refused form was about, and needs no mention: they are all there."""
    found = memories.binding_rules(request.actor)
    views = memories.views(found)
    own = [v for v, m in zip(views, found, strict=True) if m.tenant_id == request.tenant.id]
    changing = next((v for v in own if v.id == request.GET.get("change")), None)
    context = {
        "own": own,
        "everybodys": [v for v in views if v not in own],
        "names": overview.names_of(v.created_by for v in views),
        "level": own_wide_scope(request.tenant.id).level,
        "opened": request.actor.may("read-words"),
        "changing": changing,
        "form": BindingForm(request.POST if "rule" in request.POST else None, initial=_as_it_is(changing)),
    }
    return show(request, "governance/binding/page.html", context)


def _as_it_is(rule: MemoryView | None) -> dict[str, str] | None:
    return {"key": rule.key, "rule": rule.content} if rule else None


@require_POST
@desk("set-binding", again=rules)
def set_rule(request: DeskRequest) -> HttpResponse:
    """Set a rule; for a key that has one, this is its next version."""
    said = BindingForm(request.POST).clean_values()
    scope = own_wide_scope(request.tenant.id)
    draft = Draft(
        scope=ScopeSpec(scope.level),
        kind="procedural",
        key=said["key"],
        value=said["rule"],
        content=said["rule"],
        binding=True,
    )
    candidate = actions.bind(scope, draft, by=request.actor)
    messages.success(request, gettext("The rule is in force, as version %s.") % candidate.memory_version)
    return redirect("binding-rules")


@require_POST
@desk("set-binding", again=rules)
def withdraw(request: DeskRequest, id: str) -> HttpResponse:
    rule = memories.memory_for_member(request.actor, id)
    change = Change(expected=version_of(request), reason="delete-request")
    actions.retract(rule, change, by=request.actor)
    messages.success(request, "The rule was withdrawn.")
    return redirect("binding-rules")
