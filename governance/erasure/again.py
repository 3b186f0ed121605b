"""Looking again, days later, for what was erased."""

from typing import Any

from django.utils import timezone

from governance.erasure import events, report
from governance.erasure.actions.prepare import SYSTEM, in_state
from governance.erasure.models import ForgetPlan, ForgetReport, ForgetRequest
from governance.erasure.needles import Needles
from governance.erasure.proofs.readback import read_back
from governance.erasure.rules import Reach, reach_of
from governance.erasure.stores import STORES
from governance.errors import WrongState
from governance.ledger.events import stamp
from governance.ledger.outbox import failure_of
from governance.ledger.verify import verify
from governance.ledger.writing import writing


def verify_again(request: ForgetRequest) -> ForgetRequest:
    """Return the request with one more report: what every store holds now of what was erased. Raises WrongState."""
    fresh = in_state(request, "complete")
    if fresh.mode != "erase":
        raise WrongState("Nothing was erased: it was retracted.", status_now=fresh.status)
    document = _looked(fresh, reach_of(ForgetPlan.objects.get(request=fresh).reach))
    sha256, signature = report.signed(document)
    with writing(fresh.tenant_id, by=SYSTEM) as w:
        row = in_state(fresh, "complete")
        ForgetReport.objects.create(
            request=row,
            number=document["number"],
            kind="again",
            document=document,
            sha256=sha256,
            signature=signature,
            made_at=timezone.now(),
        )
        again = events.ForgetVerifiedAgain(sound=document["sound"], report_sha256=sha256)
        seen: ForgetRequest = w.record(again, stream=row.id, row=row)
    return seen


def _looked(request: ForgetRequest, reach: Reach) -> dict[str, Any]:
    began = timezone.now()
    stores = [_store(store, reach) for store in STORES]
    back = read_back(reach, Needles((), {}))
    chain = verify(request.tenant_id)
    sound = back.holds and chain.sound and not any(s["left"] or s["error"] for s in stores)
    return {
        "format": report.FORMAT,
        "kind": "again",
        "number": request.reports + 1,
        "request": request.id,
        "tenant": request.tenant_id,
        "first_report_sha256": request.report_sha256,
        "sound": sound,
        "stores": stores,
        "read_back": {"ids_found": back.ids_found, "attempts": back.unseal_attempts, "opened": back.opened},
        "chain_sound": chain.sound,
        "looked_at": stamp(began),
    }


def _store(store: Any, reach: Reach) -> dict[str, Any]:
    found = {"store": store.name, "left": 0, "error": ""}

    def look() -> None:
        found["left"] = store.verify(reach)

    found["error"] = failure_of(look)
    return found
