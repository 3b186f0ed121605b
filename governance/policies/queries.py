"""The policy in force, those before it, and the draft of the next."""

from dataclasses import replace
from functools import lru_cache

from django.db.models import QuerySet

from governance.errors import NotFound
from governance.ledger.prepared import Prepared
from governance.policies.documents import from_document
from governance.policies.models import PolicyDraft, PolicyVersion
from governance.policies.rules import DEFAULT, Policy

_NEWEST = Prepared(
    lambda tenant: PolicyVersion.objects.filter(tenant=tenant).order_by("-number").values_list("id", flat=True)[:1]
)


def current(tenant: str) -> Policy:
    """Return the policy a tenant published last; the default, as version 1, before the first."""
    newest = _NEWEST(tenant=tenant)
    return _load(newest[0]) if newest else DEFAULT


@lru_cache(maxsize=64)
def _load(policy_id: str) -> Policy:
    row = PolicyVersion.objects.get(pk=policy_id)
    return from_document(row.number, row.document)


def numbered(tenant: str, number: int) -> Policy:
    """Return a policy of a tenant by its number; 1 is the default every tenant starts with. Raises NotFound."""
    if number == DEFAULT.number:
        return DEFAULT
    if not PolicyVersion.objects.filter(pk=f"{tenant}.{number}").exists():
        raise NotFound()
    return _load(f"{tenant}.{number}")


def published(tenant: str) -> QuerySet[PolicyVersion]:
    """Return what a tenant published, newest first."""
    return PolicyVersion.objects.filter(tenant=tenant).order_by("-number")


def draft_of(tenant: str) -> PolicyDraft | None:
    """Return the draft of a tenant's next policy; None while nobody works on one."""
    return PolicyDraft.objects.filter(tenant=tenant).first()


def drafted(tenant: str) -> Policy:
    """Return a tenant's draft as a policy, under the number it would be published as. Raises NotFound."""
    draft = draft_of(tenant)
    if draft is None:
        raise NotFound()
    return replace(from_document(0, draft.document), number=current(tenant).number + 1)


def named(tenant: str, name: str) -> Policy:
    """Return the policy that a name such as `3` or `draft` chooses; "" is the one in force. Raises NotFound."""
    if not name:
        return current(tenant)
    if name == "draft":
        return drafted(tenant)
    if not name.isascii() or not name.isdigit() or len(name) > 9:
        raise NotFound()
    return numbered(tenant, int(name))


def choices(tenant: str) -> list[tuple[str, str]]:
    """Return the policies that can be compared, as names for `named` and how to call them; newest first."""
    numbers = [*published(tenant).values_list("number", flat=True), DEFAULT.number]
    drafts = [("draft", "the draft")] if draft_of(tenant) else []
    return drafts + [(str(n), f"policy {n}" + (", in force" if n == numbers[0] else "")) for n in numbers]
