"""The policy desk: what is in force and was before, how well the gate does, and what a version says."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from governance.candidates import labels
from governance.candidates.trial import trials_of
from governance.errors import NotFound
from governance.overview import queries as overview
from governance.policies import queries as policies
from governance.policies.comparing import compare, shown
from governance.policies.documents import Document, document_of, value_at
from governance.policies.rules import DEFAULT, Policy
from governance.policies.sections import SECTIONS
from governance.web.desk import desk
from governance.web.gate_pictures import gate_of
from governance.web.htmx import DeskRequest, show
from governance.web.paging import page_of
from governance.web.text import whole

WHOLE_DEFAULT = document_of(DEFAULT)


@desk()
def page(request: DeskRequest) -> HttpResponse:
    """The policy in force, how people agreed with it, and those before it."""
    tenant = request.tenant.id
    current = policies.current(tenant)
    listed = page_of(request, policies.published(tenant), "number", size=20)
    draft = policies.draft_of(tenant)
    context = {
        "policy": current,
        "published": policies.published(tenant).first(),
        "draft": draft,
        "draft_changes": len(compare(document_of(current), draft.document)) if draft else 0,
        "page": listed,
        "names": overview.names_of([*(v.published_by for v in listed.rows), draft.edited_by if draft else ""]),
        "gate": gate_of(labels.weeks(request.actor, timezone.now())) if request.actor.may("see-queue") else None,
        "sections": said(document_of(current)),
    }
    return show(request, "governance/policy/page.html", context)


@desk()
def version(request: DeskRequest, id: str) -> HttpResponse:
    """What one policy says, and what it changed."""
    policy = _numbered(request.tenant.id, id)
    choices = policies.choices(request.tenant.id)
    against = request.GET.get("against", "") or str(max(policy.number - 1, 1))
    other = policies.named(request.tenant.id, against)
    row = policies.published(request.tenant.id).filter(number=policy.number).first()
    context = {
        "policy": policy,
        "row": row,
        "is_current": policies.current(request.tenant.id).number == policy.number,
        "names": overview.names_of([row.published_by] if row else []),
        "against": against,
        "choices": [choice for choice in choices if choice[0] != str(policy.number)],
        "changes": compare(document_of(other), document_of(policy)),
        "sections": said(document_of(policy)),
        "trial": trials_of(request.tenant.id).filter(published_as=policy.number).first(),
    }
    return show(request, "governance/policy/version.html", context)


def _numbered(tenant: str, id: str) -> Policy:
    if whole(id) is None:
        raise NotFound()
    return policies.named(tenant, id)


def said(document: Document) -> Sequence[dict[str, Any]]:
    """Return all a policy says, section by section; what differs from the default is marked."""
    return [
        {
            "section": section,
            "groups": [
                (group, [(f, shown(value_at(document, f.path)), _is_own(document, f.path)) for f in group.fields])
                for group in section.groups
            ],
            "rules": document["key_rules"] if section.id == "keys" else (),
        }
        for section in SECTIONS
    ]


def _is_own(document: Document, path: str) -> bool:
    return bool(value_at(document, path) != value_at(WHOLE_DEFAULT, path))
