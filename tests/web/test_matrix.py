"""Role x page, through HTTP: what each role opens and sends, compared with the table as people were told it."""

import pytest
from django.urls import reverse

from governance.scopes.models import Membership
from governance.scopes.rules import ROLE_PERMITS
from governance.web.urls import urlpatterns
from tests.factories import a_tenant
from tests.web.people import a_member, signed_in

ROLES = {
    "reviewer": "see-queue decide see-memories read-words",
    "resolver": "see-memories read-words resolve",
    "compliance": "see-memories read-words erase hold sweep see-log",
    "auditor": "see-queue see-memories see-log open-words",
    "administrator": "see-queue decide see-memories read-words see-log set-binding manage-agents manage-roles set-policy "
    "sweep act-as-agent",
    "operator": "see-log operate",
}
# Page -> the permission it needs; "" is for everybody with a role, None for everybody.
PAGES = {
    "": "dashboard index-work switch-tenant go-to policy policy-version",
    None: "sign-in sign-out",
    "see-queue": "review-queue candidate proposals queue-pulse candidate-pulse keep-filter drop-filter review-quality"
    " export-quality",
    "decide": "decide-several preview-several undo-several approve edit-and-approve reject reopen undo revert skip aside"
    " assign keep-lease let-in edit-memory pin retract restore"
    " end-memory put-memory",
    "open-words": "open-candidate open-conflict open-memory open-recall",
    "see-memories": "conflicts alike-keys conflict memories memory memory-recalls recalls recall binding-rules",
    "read-words": "search-memories search-queue similar",
    "resolve": "resolve preview-resolution reverse-resolution merge-keys",
    "set-binding": "set-rule withdraw-rule",
    "manage-agents": "agents create-agent agent issue-key suspend-agent revoke-key agent-written take-back",
    "set-policy": "policy-draft begin-draft discard-draft rebase-draft publish-draft try-draft policy-section save-section "
    "new-key-rule add-key-rule key-rule save-key-rule drop-key-rule policy-trial widen",
    "act-as-agent": "workbench try-recall",
    "manage-roles": "roles grant-role withdraw-role break-lease",
    "see-log": "audit-log ledger check-ledger retention forget-requests forget-request erasure-report erasure-report-file",
    "erase": "forget-intake file-forget-request verify-requester narrow-forget-request approve-erasure "
    "refuse-forget-request extend-forget-request allow-again people find-person person export-person remember-person",
    "sweep": "look-at-sweep begin-sweep undo-sweep",
    "hold": "place-hold lift-hold",
}
NEEDED = {name: permission for permission, names in PAGES.items() for name in names.split()}


def address(name: str) -> str:
    pattern = str(next(p for p in urlpatterns if p.name == name).pattern)
    named = {"id": "x_" + "0" * 32} if "<str:id>" in pattern else {}
    return reverse(name, kwargs=named | ({"number": 1} if "<int:number>" in pattern else {}))


def test_the_roles_are_those_people_were_told_of():
    assert {role: set(said.split()) for role, said in ROLES.items()} == {r: set(p) for r, p in ROLE_PERMITS.items()}
    assert set(ROLES) == set(Membership.ROLES)


def test_every_page_is_in_the_table():
    assert {p.name for p in urlpatterns} - set(NEEDED) == set()


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_what_it_permits_and_nothing_else(tenant, role):
    a_member(tenant, "zoe", role)
    client, wrong = signed_in("zoe"), []

    for name, permission in NEEDED.items():
        if permission is None:
            continue
        statuses = {client.get(address(name)).status_code, client.post(address(name)).status_code} - {405}
        may = not permission or permission in ROLES[role].split()
        if not statuses or (403 in statuses) is may:
            wrong.append((name, permission, statuses))

    assert wrong == []


def test_nobody_gets_in_without_signing_in(tenant, client):
    for name, permission in NEEDED.items():
        if permission is not None:
            assert {client.get(address(name)).status_code, client.post(address(name)).status_code} <= {302, 405}, name


def test_a_role_in_one_tenant_is_none_in_another(tenant):
    a_member(a_tenant("acme-corp"), "zoe", "administrator")
    client = signed_in("zoe")

    client.post(reverse("switch-tenant"), {"tenant": tenant.id})

    assert client.get(reverse("roles")).status_code == 200
    assert b"acme-corp" in client.get(reverse("roles")).content
