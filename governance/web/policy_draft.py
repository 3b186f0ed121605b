"""The draft of the next policy: edited section by section, compared, tried on the last candidates, published."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.candidates import queries as candidates
from governance.candidates import trial as trials
from governance.candidates.labels import Tally
from governance.candidates.models import PolicyTrial
from governance.errors import NotFound
from governance.overview import queries as overview
from governance.policies import actions
from governance.policies import queries as policies
from governance.policies.comparing import compare, shown
from governance.policies.documents import document_of, value_at
from governance.policies.models import PolicyDraft
from governance.policies.sections import SECTIONS, section
from governance.web.desk import desk, version_of
from governance.web.gate_pictures import outcomes_of
from governance.web.htmx import DeskRequest, page_or_fragment, show
from governance.web.policy_forms import KeyRuleForm, SectionForm
from governance.web.text import whole

SHOWN = 100


@desk("set-policy")
def draft(request: DeskRequest) -> HttpResponse:
    """What the draft changes, the trials made of it, and the way to publish it."""
    found = policies.draft_of(request.tenant.id)
    if found is None:
        return redirect("policy")
    current = policies.current(request.tenant.id)
    changes = compare(document_of(current), found.document)
    context = {
        **_head(request, found),
        "changes": changes,
        "sections": [(s, sum(c.section == s.title for c in changes)) for s in SECTIONS],
        "trials": trials.trials_of(request.tenant.id).filter(draft_version=found.version, published_as=None)[:3],
        "sizes": trials.SIZES,
        "names": overview.names_of([found.edited_by]),
    }
    return show(request, "governance/policy/draft.html", context)


def _head(request: DeskRequest, found: PolicyDraft) -> dict[str, Any]:
    number = policies.current(request.tenant.id).number
    return {
        "draft": found,
        "current": number,
        "next": number + 1,
        "is_behind": found.based_on != number,
    }


def _found(request: DeskRequest) -> PolicyDraft:
    found = policies.draft_of(request.tenant.id)
    if found is None:
        raise NotFound("There is no draft; begin one.")
    return found


@require_POST
@desk("set-policy")
def begin(request: DeskRequest) -> HttpResponse:
    number = request.POST.get("number", "")
    actions.begin_draft(by=request.actor, number=whole(number))
    return redirect("policy-draft")


@require_POST
@desk("set-policy", again=draft)
def discard(request: DeskRequest) -> HttpResponse:
    actions.discard_draft(expected=version_of(request), by=request.actor)
    messages.success(request, "The draft was thrown away.")
    return redirect("policy")


@require_POST
@desk("set-policy", again=draft)
def rebase(request: DeskRequest) -> HttpResponse:
    actions.rebase_draft(expected=version_of(request), by=request.actor)
    messages.success(request, "The draft follows the policy in force now.")
    return redirect("policy-draft")


@require_POST
@desk("set-policy", again=draft)
def publish(request: DeskRequest) -> HttpResponse:
    expected = version_of(request)
    row = actions.publish_draft(expected=expected, by=request.actor)
    trials.note_published(request.tenant.id, draft_version=expected, number=row.number)
    messages.success(request, gettext("Policy %s is in force; every decision from now on names it.") % row.number)
    return redirect("policy")


# --- its fields ----------------------------------------------------------------------------------------------------


@desk("set-policy")
def edit(request: DeskRequest, id: str) -> HttpResponse:
    """One section of the draft with help beside each field; the key rules are a list of their own."""
    found, one = _found(request), section(id)
    if one is None:
        raise NotFound()
    current = document_of(policies.current(request.tenant.id))
    context = {**_head(request, found), "section": one, "sections": SECTIONS}
    if not one.groups:
        rules = found.document["key_rules"]
        changed = {c.path for c in compare(current, found.document)}
        context["rules"] = [(rule, f"key_rules.{rule['id']}" in changed) for rule in rules]
        return show(request, "governance/policy/keys.html", context)
    sent = request.POST if request.method == "POST" else None
    form = SectionForm(sent, section=one, document=found.document)
    context["form"] = form
    context["groups"] = [
        (group, [(form[f.path], _was(f.path, current, found)) for f in group.fields]) for group in one.groups
    ]
    return show(request, "governance/policy/section.html", context)


def _was(path: str, current: dict[str, Any], found: PolicyDraft) -> str | None:
    """Return what the policy in force says where the draft says something else, else None."""
    held = value_at(current, path)
    return None if held == value_at(found.document, path) else shown(held) or gettext("nothing")


@require_POST
@desk("set-policy", again=edit)
def save(request: DeskRequest, id: str) -> HttpResponse:
    found, one = _found(request), section(id)
    if one is None or not one.groups:
        raise NotFound()
    values = SectionForm(request.POST, section=one, document=found.document).values(found.document)
    actions.set_fields(values, expected=version_of(request), by=request.actor)
    messages.success(request, gettext("%s: saved in the draft. Nothing is in force yet.") % gettext(one.title))
    return redirect("policy-draft")


@desk("set-policy")
def key_rule(request: DeskRequest, id: str = "") -> HttpResponse:
    """One key rule of the draft; without an id, a new one."""
    found = _found(request)
    rules = found.document["key_rules"]
    at = next((i for i, rule in enumerate(rules) if rule["id"] == id), None)
    if id and at is None:
        raise NotFound()
    rule = None if at is None else rules[at]
    sent = request.POST if request.method == "POST" else None
    form = KeyRuleForm(sent, rule=rule, place=1 if at is None else at + 1)
    problem = getattr(request, "problem", None)
    if sent is not None and problem is not None:
        form.tell(problem.errors)
    context = {**_head(request, found), "rule": rule, "form": form, "section": section("keys"), "sections": SECTIONS}
    return show(request, "governance/policy/key_rule.html", context)


@require_POST
@desk("set-policy", again=key_rule)
def save_key_rule(request: DeskRequest, id: str = "") -> HttpResponse:
    form = KeyRuleForm(request.POST, rule=None, place=1)
    rule = form.rule()
    place = form.cleaned_data["place"]
    actions.set_key_rule(rule, was=id, place=place, expected=version_of(request), by=request.actor)
    messages.success(request, gettext("The rule %s was saved in the draft.") % rule["id"])
    return redirect("policy-section", id="keys")


@require_POST
@desk("set-policy", again=key_rule)
def drop_key_rule(request: DeskRequest, id: str) -> HttpResponse:
    actions.drop_key_rule(id, expected=version_of(request), by=request.actor)
    messages.success(request, "The rule was taken out of the draft.")
    return redirect("policy-section", id="keys")


# --- its trial -----------------------------------------------------------------------------------------------------


@require_POST
@desk("set-policy", again=draft)
def try_draft(request: DeskRequest) -> HttpResponse:
    last = request.POST.get("last", "")
    asked = trials.ask(whole(last) or 0, by=request.actor)
    return redirect("policy-trial", id=str(asked.pk))


@desk("set-policy")
def trial(request: DeskRequest, id: str) -> HttpResponse:
    """How a trial goes, and what it found."""
    found = trials.trial_of(request.tenant.id, id)
    now = policies.draft_of(request.tenant.id)
    context = {"trial": found, "draft": now, "is_of_draft": _is_of(found, now)}
    if found.state == "done":
        context |= _told(request, found)
    return page_or_fragment(request, "governance/policy/trial.html", "governance/policy/_trial.html", context)


def _is_of(found: PolicyTrial, now: PolicyDraft | None) -> bool:
    return now is not None and found.published_as is None and found.draft_version == now.version


def _told(request: DeskRequest, found: PolicyTrial) -> dict[str, Any]:
    counts = found.counts
    moves = [(*move.split(">"), n) for move, n in sorted(counts["moves"].items(), key=lambda m: -m[1])]
    wanted = request.GET.get("move", "")
    changed = trials.changed_by(found)
    chosen = [c for c in changed or () if not wanted or f"{c.before}>{c.after}" == wanted]
    rows = {v.row.pk: v for v in candidates.chosen(request.actor, [c.candidate for c in chosen[:SHOWN]])}
    return {
        "outcomes": outcomes_of(counts["in_force"], counts["draft"]),
        "moves": moves,
        "move": wanted,
        "changed": [(c, rows[c.candidate]) for c in chosen[:SHOWN] if c.candidate in rows],
        "is_remembered": changed is not None,
        "more": max(len(chosen) - SHOWN, 0),
        "before": Tally(**counts["people_in_force"]),
        "after": Tally(**counts["people_draft"]),
    }
