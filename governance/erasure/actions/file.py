"""Filing a request: what it names is found, a duplicate is joined, what matches nothing is refused at once."""

from dataclasses import dataclass

from django.utils import timezone

from governance.erasure import events
from governance.erasure.models import CHANNELS, METHODS, MODES, ForgetRequest
from governance.erasure.rules import ANSWERED_WITHIN, Selector, check_selector, selector_text
from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger import ids, sealing
from governance.ledger.models import ContentKey
from governance.ledger.sealing import Sealed
from governance.ledger.writing import Writing, writing
from governance.memories.models import Memory
from governance.scopes.models import Scope, Subject
from governance.scopes.queries import find_scope, find_subject, reaches, within_reach
from governance.scopes.rules import Actor

TOPIC = "forget"
LONGEST = 2_000


@dataclass(frozen=True)
class Wish:
    """What is asked for: `reason` and `requester` are free text and sealed; `identity_verified` is a METHOD or ""."""

    selector: Selector
    mode: str = "erase"
    reason: str = ""
    requester: str = ""
    channel: str = "api"
    identity_verified: str = ""


@dataclass(frozen=True)
class _Target:
    """What a selector names, found."""

    subject: Subject | None
    scope: Scope | None
    matched: bool
    ground: str = ""


def file_request(wish: Wish, *, by: Actor) -> ForgetRequest:
    """Return the request, received; the one that asks for the same already, when there is one.

    An agent with the grant forget files for people it serves, and may attest who asks (`identity_verified`); members
    with the right to erase file for their tenant. What matches nothing is `refused` with its ground.
    Raises NotAllowed, NotFound, Invalid.
    """
    _check(wish, by)
    target = _target(wish.selector, by)
    document = wish.selector.document()
    payload = {"selector": document, "requester": wish.requester, "reason": wish.reason}
    same = sealing.mac(by.tenant, selector_text(document, wish.mode))
    request_id = ids.new("forget")
    sealed = sealing.seal(payload, tenant=by.tenant, scope=by.tenant, subject=request_id)
    with writing(by.tenant, by=by.id) as w:  # looked for and filed in one: of those who ask at once one files
        known = ForgetRequest.objects.open().filter(tenant=by.tenant, selector_mac=same).first()
        request = _joined(w, known, wish) if known else _filed(w, request_id, wish, target, sealed, by)
        request = _attest(w, request, wish)
    if known is not None:
        ContentKey.objects.filter(kid=sealed.kid).delete()  # nothing was kept under it
    return request


def _joined(w: Writing, known: ForgetRequest, wish: Wish) -> ForgetRequest:
    joined: ForgetRequest = w.record(events.ForgetJoined(channel=wish.channel), stream=known.id, row=known)
    return joined


def _filed(w: Writing, request_id: str, wish: Wish, target: _Target, sealed: Sealed, by: Actor) -> ForgetRequest:
    filed = events.ForgetFiled(
        mode=wish.mode,
        channel=wish.channel,
        kinds=wish.selector.kinds,
        subject=target.subject.id if target.subject else None,
        scope=target.scope.id if target.scope else None,
        whole_person=bool(wish.selector.user) and wish.selector.whole,
        owner=by.owner,
        due_at=timezone.now() + ANSWERED_WITHIN,
    )
    row: ForgetRequest = w.record(filed, stream=request_id, contents=[sealed])
    if not target.matched:
        row = w.record(events.ForgetRefused(ground=target.ground), stream=request_id, row=row)
    return row


def _attest(w: Writing, request: ForgetRequest, wish: Wish) -> ForgetRequest:
    """Note that the identity was seen by whoever files, and owe the plan."""
    if wish.identity_verified and request.status == "received":
        verified = events.ForgetVerified(method=wish.identity_verified)
        request = w.record(verified, stream=request.id, row=request)
        w.owe(TOPIC, request.id)
    return request


def _check(wish: Wish, by: Actor) -> None:
    if not (by.holds("forget") if by.is_agent else by.may("erase")):
        raise NotAllowed("This key does not grant forget." if by.is_agent else "")
    check_selector(wish.selector)
    errors = {}
    if wish.mode not in MODES:
        errors["/mode"] = "must be one of " + ", ".join(MODES)
    if wish.channel not in CHANNELS:
        errors["/channel"] = "must be one of " + ", ".join(CHANNELS)
    if wish.identity_verified and wish.identity_verified not in METHODS:
        errors["/identity_verified"] = "must be one of " + ", ".join(METHODS)
    for name in ("reason", "requester"):
        if len(getattr(wish, name)) > LONGEST:
            errors[f"/{name}"] = f"is longer than {LONGEST} characters"
    if errors:
        raise Invalid(errors)


def _target(selector: Selector, by: Actor) -> _Target:
    """Return what a selector names. Raises NotAllowed, NotFound for what the caller does not reach."""
    if selector.memory_ids:
        return _memories(selector, by)
    if selector.user:
        return _person(selector.user, by)
    assert selector.scope is not None
    if by.is_agent and not by.holds("forget", selector.scope.level):
        raise NotFound()
    scope = find_scope(by, selector.scope)
    if scope is not None and scope.tenant_id != by.tenant:
        raise NotFound()
    return _Target(None, scope, scope is not None, "nothing-matched")


def _person(user: str, by: Actor) -> _Target:
    if by.is_agent and not by.holds("forget", "user"):
        raise NotFound()
    subject = find_subject(by.tenant, user)
    if by.users is not None and (subject is None or not by.serves(subject.id)):
        raise NotFound()
    return _Target(subject, None, subject is not None, "nothing-matched")


def _memories(selector: Selector, by: Actor) -> _Target:
    rows = Memory.objects.filter(tenant=by.tenant, pk__in=selector.memory_ids).select_related("scope")
    if by.is_agent:
        rows = rows.filter(scope__in=within_reach(by, "forget"))
    found = [m for m in rows if not by.is_agent or reaches(by, m.scope, "forget")]
    living = [m for m in found if not m.erased]
    subjects = {m.scope.subject_id for m in living}
    whose = Subject.objects.filter(pk=subjects.pop() or "").first() if len(subjects) == 1 else None
    all_known = len(found) == len(set(selector.memory_ids))
    ground = "already-erased" if all_known and not living else "nothing-matched"
    return _Target(whose, None, bool(living) and all_known, ground)
