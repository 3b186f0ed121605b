"""Looking again, days later, for what was erased."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from governance.erasure import events, report
from governance.erasure.actions.prepare import SYSTEM, in_state
from governance.erasure.models import ForgetPlan, ForgetReport, ForgetRequest
from governance.erasure.needles import Needles
from governance.erasure.proofs.readback import Back, read_back
from governance.erasure.recipients import told_of
from governance.erasure.rules import LOOK_FAILED, VERIFIED_AGAIN_AFTER, Reach, grounds_of_look, reach_of
from governance.erasure.stores import STORES
from governance.errors import WrongState
from governance.ledger.events import stamp
from governance.ledger.outbox import failure_of
from governance.ledger.verify import verify
from governance.ledger.writing import writing

TRIED_AGAIN_AFTER = timedelta(hours=1)  # a look that failed


def is_due(request: ForgetRequest, now: datetime) -> bool:
    """Return whether a complete request is to be looked at: after each time since its newest answer, and once a kind
    of backup it named is over. Times that went by unused (nothing ran) are made up for by one look."""
    answer = ForgetReport.objects.filter(request=request, kind="erasure").order_by("-number").first()
    if answer is None or request.answered_at is None:
        return False
    moments = [request.answered_at + after for after in VERIFIED_AGAIN_AFTER]
    moments += [_over(kept) for kept in answer.document["backups"]]
    gone_by = [moment for moment in moments if moment <= now]
    looks = ForgetReport.objects.filter(request=request, kind="again", number__gt=answer.number)
    look = looks.filter(made_at__gte=max(gone_by)).order_by("-number").first() if gone_by else None
    if look is not None and LOOK_FAILED in look.document["grounds"]:
        return now - look.made_at >= TRIED_AGAIN_AFTER
    return bool(gone_by) and look is None


def _over(kept: Mapping[str, str]) -> datetime:
    """Return when the last day of a kind of backup has gone by."""
    return datetime.fromisoformat(kept["expires"]).replace(tzinfo=UTC) + timedelta(days=1)


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
        again = events.ForgetVerifiedAgain(
            sound=document["sound"], report_sha256=sha256, grounds=tuple(document["grounds"])
        )
        seen: ForgetRequest = w.record(again, stream=row.id, row=row)
    return seen


def _looked(request: ForgetRequest, reach: Reach) -> dict[str, Any]:
    began = timezone.now()
    answer = ForgetReport.objects.filter(request=request, kind="erasure").latest("number")
    stores = [_store(store, reach) for store in STORES]
    back, failed = _read_back(reach)
    chain = verify(request.tenant_id)
    grounds = grounds_of_look(
        {s["store"]: s["left"] for s in stores},
        {"read_back": failed, **{s["store"]: s["error"] for s in stores}},
        {"read_back": back.holds, "chain": chain.sound},
    )
    return {
        "format": report.FORMAT,
        "kind": "again",
        "number": request.reports + 1,
        "request": request.id,
        "tenant": request.tenant_id,
        "answer": {"number": answer.number, "sha256": answer.sha256, "answered_at": stamp(request.answered_at)},
        "sound": not grounds,
        "grounds": list(grounds),
        "stores": stores,
        "read_back": {"ids_found": back.ids_found, "attempts": back.unseal_attempts, "opened": back.opened},
        "chain_sound": chain.sound,
        "recipients": [one.line() for one in told_of(request)],
        "backups": [{**kept, "over": _over(kept) <= began} for kept in answer.document["backups"]],
        "looked_at": stamp(began),
    }


def _read_back(reach: Reach) -> tuple[Back, str]:
    """Return what could be read back, and the class of the error that kept it from being asked."""
    found = [Back()]
    failed = failure_of(lambda: found.append(read_back(reach, Needles((), {}))))
    return found[-1], failed


def _store(store: Any, reach: Reach) -> dict[str, Any]:
    found = {"store": store.name, "left": 0, "error": ""}

    def look() -> None:
        found["left"] = store.look_again(reach)

    found["error"] = failure_of(look)
    return found
