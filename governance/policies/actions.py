"""Drafting and publishing a tenant's policy."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.errors import Invalid, NotAllowed, NotFound, Stale
from governance.ledger.writing import Writing, writing
from governance.policies import queries
from governance.policies.checking import check, pointer, problem_with, problems_with_rule
from governance.policies.documents import WHOLE, Document, document_of, value_at, with_value
from governance.policies.events import PolicyPublished
from governance.policies.models import PolicyDraft, PolicyVersion
from governance.policies.rules import DEFAULT
from governance.policies.sections import FIELDS
from governance.scopes.rules import Actor


def publish(document: Document, *, by: Actor) -> PolicyVersion:
    """Put a policy in force and return it; every later decision names its number.

    What the document does not name stays as in the default policy. Raises NotAllowed, Invalid.
    """
    _may_set(by)
    with writing(by.tenant, by=by.id) as w:
        return _published(w, document)


def _published(w: Writing, document: Document) -> PolicyVersion:
    number = queries.current(w.tenant).number + 1
    if errors := check(_whole(document)):
        raise Invalid(errors)
    row: PolicyVersion = w.record(PolicyPublished(number=number, document=document), stream=w.tenant)
    return row


def _whole(document: Document) -> Document:
    """Return all a document comes to, what no policy has as well, so that both are checked."""
    said = {name: value for name, value in document.items() if name not in ("key_rules", WHOLE)}
    own = {"key_rules": document["key_rules"]} if "key_rules" in document else {}
    return _over(document_of(DEFAULT), said) | own


def _over(whole: Document, said: Mapping[str, Any]) -> Document:
    for name, value in said.items():
        held = whole.get(name)
        parts = isinstance(held, dict) and isinstance(value, Mapping) and name != "trust"
        whole[name] = _over(dict(held or {}), value) if parts else value
    return whole


def _may_set(by: Actor) -> None:
    if not by.may("set-policy"):
        raise NotAllowed()


# --- the draft -----------------------------------------------------------------------------------------------------


def begin_draft(*, by: Actor, number: int | None = None) -> PolicyDraft:
    """Return the draft of a tenant's next policy: the one that is there, else begun from a policy (in force: None)."""
    _may_set(by)
    document = document_of(queries.current(by.tenant) if number is None else queries.numbered(by.tenant, number))
    start = {
        "based_on": queries.current(by.tenant).number,
        "document": document,
        "edited_by": by.id,
        "edited_at": timezone.now(),
    }
    return PolicyDraft.objects.get_or_create(tenant_id=by.tenant, defaults=start)[0]


def discard_draft(*, expected: int, by: Actor) -> None:
    """Throw the draft away. Raises NotAllowed, NotFound, Stale."""
    _may_set(by)
    with transaction.atomic():
        _draft(by, expected).delete()


def _draft(by: Actor, expected: int) -> PolicyDraft:
    """Return the draft under a lock. Raises NotFound, Stale."""
    row = PolicyDraft.objects.select_for_update().filter(tenant=by.tenant).first()
    if row is None:
        raise NotFound("There is no draft; begin one.")
    if row.version != expected:
        raise Stale(row.version, "Somebody changed the draft since you opened it; look at it again.")
    return row


def _change(by: Actor, expected: int, change: Callable[[Document], Document]) -> PolicyDraft:
    _may_set(by)
    with transaction.atomic():
        row = _draft(by, expected)
        row.document = change(row.document)
        row.version, row.edited_by, row.edited_at = row.version + 1, by.id, timezone.now()
        row.save()
    return row


def set_fields(values: Mapping[str, Any], *, expected: int, by: Actor) -> PolicyDraft:
    """Return the draft with other values, by path. Raises Invalid naming each field that is wrong, Stale."""
    errors = {
        pointer(path): problem_with(FIELDS[path], value) if path in FIELDS else "is not a part of a policy"
        for path, value in values.items()
    }
    if wrong := {where: problem for where, problem in errors.items() if problem}:
        raise Invalid(wrong)

    def change(document: Document) -> Document:
        for path, value in values.items():
            if value_at(document, path) != value:
                document = with_value(document, path, value)
        return document

    return _change(by, expected, change)


def set_key_rule(rule: Document, *, was: str, place: int, expected: int, by: Actor) -> PolicyDraft:
    """Return the draft with a key rule at a place (from 1), instead of the one that was called `was` ("": a new one).

    Raises Invalid, NotFound, Stale.
    """
    if problems := problems_with_rule(rule):
        raise Invalid({f"/{name}": problem for name, problem in problems.items()})

    def change(document: Document) -> Document:
        rules = document["key_rules"]
        if was and not any(r["id"] == was for r in rules):
            raise NotFound()
        others = [r for r in rules if r["id"] != was]
        if any(r["id"] == rule["id"] for r in others):
            raise Invalid({"/id": "is the name of another rule"})
        at = min(max(place, 1), len(others) + 1) - 1
        return document | {"key_rules": [*others[:at], rule, *others[at:]]}

    return _change(by, expected, change)


def drop_key_rule(name: str, *, expected: int, by: Actor) -> PolicyDraft:
    """Return the draft without a key rule. Raises NotFound, Stale."""

    def change(document: Document) -> Document:
        kept = [r for r in document["key_rules"] if r["id"] != name]
        if len(kept) == len(document["key_rules"]):
            raise NotFound()
        return document | {"key_rules": kept}

    return _change(by, expected, change)


def rebase_draft(*, expected: int, by: Actor) -> PolicyDraft:
    """Return the draft, now meant to follow the policy in force; what it says stays as it is. Raises Stale."""
    _may_set(by)
    with transaction.atomic():
        row = _draft(by, expected)
        row.based_on = queries.current(by.tenant).number
        row.version, row.edited_by, row.edited_at = row.version + 1, by.id, timezone.now()
        row.save()
    return row


def publish_draft(*, expected: int, by: Actor) -> PolicyVersion:
    """Put the draft in force and return it. Raises Invalid, NotFound, Stale (also when it follows another policy)."""
    _may_set(by)
    with writing(by.tenant, by=by.id) as w:
        draft = _draft(by, expected)
        now = queries.current(by.tenant).number
        if draft.based_on != now:
            raise Stale(draft.version, f"Policy {now} was published since this draft was begun; compare them first.")
        row = _published(w, draft.document)
        draft.delete()
    return row
