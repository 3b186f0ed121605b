"""From a received request to a plan: who asks, what it touches."""

from collections.abc import Sequence

from django.utils import timezone

from governance.erasure import events
from governance.erasure.actions.file import TOPIC
from governance.erasure.holding import is_held
from governance.erasure.models import BEFORE_APPROVAL, METHODS, ForgetPlan, ForgetRequest
from governance.erasure.reach import reach
from governance.erasure.rules import Reach, digest, plan_document, reach_of, selector_of
from governance.erasure.stores import STORES
from governance.errors import Invalid, NotAllowed, NotFound, WrongState
from governance.ledger import sealing
from governance.ledger.writing import writing
from governance.scopes.rules import Actor

SYSTEM = "system:erasure"


def verify_identity(request: ForgetRequest, *, method: str, by: Actor) -> ForgetRequest:
    """Return the request, its requester known by one of METHODS; the plan follows by itself.

    Raises NotAllowed, NotFound, Invalid, WrongState.
    """
    may_process(request, by)
    if method not in METHODS:
        raise Invalid({"/method": "must be one of " + ", ".join(METHODS)})
    with writing(by.tenant, by=by.id) as w:
        fresh = in_state(request, "received")
        verified: ForgetRequest = w.record(events.ForgetVerified(method=method), stream=fresh.id, row=fresh)
        w.owe(TOPIC, fresh.id)
    return verified


def narrow(request: ForgetRequest, *, memories: Sequence[str], by: Actor) -> ForgetRequest:
    """Return a request by words with only these of the memories it found; the plan is made anew.

    Raises NotAllowed, NotFound, Invalid, WrongState.
    """
    may_process(request, by)
    if "words" not in request.kinds:
        raise Invalid({"/memories": "only what words found can be narrowed"})
    planned = ForgetPlan.objects.filter(request=request).first()
    if not memories or planned is None or not set(memories) <= set(planned.reach["memories"]):
        raise Invalid({"/memories": "must be some of the memories in the plan"})
    with writing(by.tenant, by=by.id) as w:
        fresh = in_state(request, "planned")
        narrowed = events.ForgetNarrowed(memories=tuple(sorted(memories)))
        row: ForgetRequest = w.record(narrowed, stream=fresh.id, row=fresh)
        ForgetPlan.objects.filter(request=fresh.id).update(
            document={**planned.document, "chosen": sorted(memories)}, made_at=timezone.now()
        )
        w.owe(TOPIC, fresh.id)
    return row


def plan(request: ForgetRequest) -> ForgetRequest:
    """Return the request with its plan, made by the system; nothing is touched. Refused when there is nothing.

    Raises WrongState.
    """
    in_state(request, "verified", "planned")
    known = ForgetPlan.objects.filter(request=request).first()
    chosen = known.document.get("chosen") if known is not None else None
    found = reached(request, chosen)
    lines = [store.plan(found) for store in STORES]
    document = plan_document(found, request.mode, lines, is_held(found))
    if chosen is not None:
        document["chosen"] = chosen
    counts = {line["store"]: line["erase"] for line in document["stores"]}
    with writing(request.tenant_id, by=SYSTEM) as w:
        fresh = in_state(request, "verified", "planned")
        if found.is_empty:
            gone = fresh.subject is not None and not bytes(fresh.subject.external_mac)
            refused = events.ForgetRefused(ground="already-erased" if gone else "nothing-matched")
            row: ForgetRequest = w.record(refused, stream=fresh.id, row=fresh)
            return row
        if fresh.plan_hash == digest(document):
            return fresh
        ForgetPlan.objects.update_or_create(
            request=fresh, defaults={"document": document, "reach": found.document(), "made_at": timezone.now()}
        )
        planned = events.ForgetPlanned(plan_hash=digest(document), counts=counts)
        result: ForgetRequest = w.record(planned, stream=fresh.id, row=fresh)
    return result


def reached(request: ForgetRequest, chosen: Sequence[str] | None = None) -> Reach:
    """Return what a request touches as things stand; what it was planned to, where its words are gone already."""
    words = sealing.unseal([request.content_id]).get(request.content_id, sealing.NO_WORDS)
    kept = ForgetPlan.objects.filter(request=request).first() if words.erased else None
    if kept is not None and not request.whole_person:
        return reach_of(kept.reach)
    return reach(request, selector_of(words.get("selector", {})), chosen=chosen)


def may_process(request: ForgetRequest, by: Actor) -> None:
    """Raise NotAllowed unless a member may process requests, NotFound for one of another tenant."""
    if not by.may("erase"):
        raise NotAllowed()
    if request.tenant_id != by.tenant:
        raise NotFound()


def in_state(request: ForgetRequest, *states: str) -> ForgetRequest:
    """Return the request as it stands. Raises WrongState unless it is in one of some states."""
    fresh = ForgetRequest.objects.select_related("subject", "scope").get(pk=request.pk)
    if fresh.status not in states:
        raise WrongState(f"It is {fresh.status}.", status_now=fresh.status, current_version=fresh.version)
    return fresh


def before_approval(request: ForgetRequest) -> ForgetRequest:
    return in_state(request, *BEFORE_APPROVAL)
