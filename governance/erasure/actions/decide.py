"""Another person decides: the plan that was looked at, and no other, is carried out; or the request is refused."""

from governance.erasure import events
from governance.erasure.actions.file import TOPIC
from governance.erasure.actions.prepare import before_approval, in_state, may_process
from governance.erasure.models import EXTENSIONS, OPEN, REFUSALS, ForgetRequest
from governance.erasure.queries import is_own
from governance.erasure.rules import EXTENDED_BY
from governance.errors import FourEyes, Invalid, PlanChanged, WrongState
from governance.ledger.writing import writing
from governance.scopes.events import SubjectFenced
from governance.scopes.rules import Actor


def approve(request: ForgetRequest, *, plan_hash: str, by: Actor) -> ForgetRequest:
    """Return the request, approved: the run follows by itself, and nothing is written about that person meanwhile.

    Raises NotAllowed, NotFound, FourEyes for who filed it or owns the agent that did, PlanChanged when `plan_hash` is
    not the plan there is, WrongState.
    """
    check_may_approve(request, by)
    with writing(by.tenant, by=by.id) as w:
        fresh = in_state(request, "planned")
        if fresh.plan_hash != plan_hash:
            raise PlanChanged(plan_hash=fresh.plan_hash, current_version=fresh.version)
        approved: ForgetRequest = w.record(events.ForgetApproved(plan_hash=plan_hash), stream=fresh.id, row=fresh)
        if fresh.whole_person and fresh.mode == "erase":
            w.record(SubjectFenced(request=fresh.id), stream=fresh.subject_id or "")
        w.owe(TOPIC, fresh.id)
    return approved


def check_may_approve(request: ForgetRequest, by: Actor) -> None:
    """Raise NotAllowed, NotFound, FourEyes for somebody who may not approve a request, whatever its plan."""
    may_process(request, by)
    if is_own(request, by):
        raise FourEyes()


def refuse(request: ForgetRequest, *, ground: str, by: Actor) -> ForgetRequest:
    """Return the request, refused for one of REFUSALS; not once it was approved.

    Raises NotAllowed, NotFound, Invalid, WrongState.
    """
    may_process(request, by)
    if ground not in REFUSALS:
        raise Invalid({"/ground": "must be one of " + ", ".join(REFUSALS)})
    with writing(by.tenant, by=by.id) as w:
        fresh = before_approval(request)
        refused: ForgetRequest = w.record(events.ForgetRefused(ground=ground), stream=fresh.id, row=fresh)
    return refused


def extend(request: ForgetRequest, *, reason: str, by: Actor) -> ForgetRequest:
    """Return the request with two months more, once. Raises NotAllowed, NotFound, Invalid, WrongState."""
    may_process(request, by)
    if reason not in EXTENSIONS:
        raise Invalid({"/reason": "must be one of " + ", ".join(EXTENSIONS)})
    with writing(by.tenant, by=by.id) as w:
        fresh = in_state(request, *OPEN)
        if fresh.extension:
            raise WrongState("It was extended already; once is all there is.", status_now=fresh.status)
        longer = events.ForgetExtended(until=fresh.due_at + EXTENDED_BY, reason=reason)
        extended: ForgetRequest = w.record(longer, stream=fresh.id, row=fresh)
    return extended
