"""New consent: what a request blocks may be taken in again."""

from governance.erasure import events
from governance.erasure.actions.prepare import in_state, may_process
from governance.erasure.models import ForgetRequest
from governance.errors import Invalid, WrongState
from governance.evidence import suppression
from governance.ledger.writing import writing
from governance.scopes.rules import Actor

BASES = ("person-said-so", "signed-form", "contract")


def allow_again(request: ForgetRequest, *, basis: str, by: Actor) -> ForgetRequest:
    """Return the request; from now on what it erased is taken in again when somebody sends it. Repeatable.

    Raises NotAllowed, NotFound, Invalid; WrongState unless it is answered and blocks something.
    """
    may_process(request, by)
    if basis not in BASES:
        raise Invalid({"/basis": "must be one of " + ", ".join(BASES)})
    with writing(by.tenant, by=by.id) as w:
        fresh = in_state(request, "complete", "partial")
        if not suppression.kept_of(by.tenant, fresh.id):
            raise WrongState("Nothing that it erased is blocked.", status_now=fresh.status)
        w.record(events.ForgetAllowed(basis=basis), stream=fresh.id)
    suppression.lift(by.tenant, fresh.id)
    return fresh
