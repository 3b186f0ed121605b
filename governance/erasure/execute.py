"""The run: journal, store by store, looked at again, report. Killed at any step it goes on there and ends the same."""

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db.models import F
from django.utils import timezone

from governance.erasure import events, journal, needles, report
from governance.erasure.actions.prepare import SYSTEM, in_state, plan, reached
from governance.erasure.holding import is_held
from governance.erasure.models import ForgetPlan, ForgetReport, ForgetRequest, StoreRow
from governance.erasure.proofs import survey
from governance.erasure.reach import of_person
from governance.erasure.recipients import recipients
from governance.erasure.rules import Reach, reach_of
from governance.erasure.stores import STORES, Store
from governance.ledger import sealing
from governance.ledger.erasing import destroy_keys_of, erase_contents, readable, wipe
from governance.ledger.models import ContentKey
from governance.ledger.outbox import failure_of
from governance.ledger.writing import Writing, writing
from governance.memories import actions as memories
from governance.memories.events import MemoryRetracted
from governance.memories.models import Memory
from governance.scopes.events import SubjectReleased
from governance.scopes.models import Subject

MOST_PASSES = 5
Beat = Callable[[], None]


def run(request: ForgetRequest, beat: Beat = lambda: None) -> ForgetRequest:
    """Take an approved request to its report and return it; from wherever an earlier attempt was cut off."""
    request = fresh(request)
    if request.status == "approved":
        request = _begin(request)
    if request.status == "executing":
        request = _erase(request, beat)
    if request.status == "verifying":
        request = _answer(request, beat)
    if request.status == "complete":
        _clear(request)
    return request


def fresh(request: ForgetRequest) -> ForgetRequest:
    return ForgetRequest.objects.select_related("subject", "scope").get(pk=request.pk)


def _begin(request: ForgetRequest) -> ForgetRequest:
    """Look once more at what it touches; then needles, bystanders, journal, and only then the first step."""
    kept = ForgetPlan.objects.get(request=request)
    found = reached(request, kept.document.get("chosen"))
    if not request.whole_person and not found.covers_the_same(reach_of(kept.reach)):
        with writing(request.tenant_id, by=SYSTEM) as w:  # it covers something else now: another plan, another approval
            w.record(events.ForgetVerified(method=request.identity), stream=request.id)
        return plan(fresh(request))
    if is_held(found):
        return _held(request, found)
    ForgetPlan.objects.filter(request=request).update(reach=found.document())
    needles.keep(request, found)
    _count(request, found)
    survey.take(request)
    entry = journal.write(request, found)
    with writing(request.tenant_id, by=SYSTEM) as w:
        started: ForgetRequest = w.record(
            events.ForgetStarted(journal_sha256=entry.sha256), stream=request.id, row=in_state(request, "approved")
        )
    return fresh(started)


def _count(request: ForgetRequest, reach: Reach) -> None:
    """Note what every store holds before the first of them takes what another one counts too, as the plan did."""
    for place, store in enumerate(STORES):
        row, _ = StoreRow.objects.get_or_create(request=request, store=store.name, defaults={"place": place})
        row.found = _found(store, reach)
        row.save(update_fields=["found"])


def _found(store: Store, reach: Reach) -> int:
    """Return what a store finds; 0 where it fails: its turn comes, and says so."""
    found = [0]
    failure_of(lambda: found.append(store.find(reach)))
    return found[-1]


def _erase(request: ForgetRequest, beat: Beat) -> ForgetRequest:
    """Work off every store; of a whole person again while something of theirs comes in late."""
    reach = _reach(request)
    if not survey.is_kept(request):  # it was complete once, and something is there again
        needles.keep(request, reach)
        _count(request, reach)
        survey.take(request)
    for _ in range(MOST_PASSES):
        for store in STORES:
            if is_held(reach):
                return _held(request, reach)
            _work_off(store, request, reach)
            beat()
        late = _late(request, reach)
        if late is None:
            break
        reach = _widen(request, reach, late)
    with writing(request.tenant_id, by=SYSTEM) as w:
        w.record(events.ForgetChecked(), stream=request.id, row=in_state(request, "executing"))
    return fresh(request)


def _work_off(store: Store, request: ForgetRequest, reach: Reach) -> None:
    row = StoreRow.objects.get(request=request, store=store.name)
    if row.state == "done":
        return
    row.started_at, row.worker = row.started_at or timezone.now(), f"{socket.gethostname()}:{os.getpid()}"
    row.version, row.method, row.reason, row.error = store.version, _method(store, request.mode), store.reason, ""
    row.error = failure_of(lambda: _erase_from(store, row, reach, request.mode))
    row.failed, row.state = int(bool(row.error)), "failed" if row.error else "done"
    row.passes, row.finished_at = row.passes + 1, timezone.now()
    row.save()


def _method(store: Store, mode: str) -> str:
    """Return what a store does: to retract, the memories change and nothing else does."""
    if mode == "erase":
        return store.method
    return "retracted" if store.name == "memories" else "not-touched"


def _erase_from(store: Store, row: StoreRow, reach: Reach, mode: str) -> None:
    found = store.find(reach)
    if found > row.found:
        row.found = found
    row.save(update_fields=["found", "started_at", "worker", "version", "method", "reason"])
    if mode == "retract":
        row.erased += _retract(reach) if store.name == "memories" else 0
        return
    row.erased += store.erase(reach)
    # What an earlier attempt erased before it was cut off was found then.
    row.erased = max(row.erased, row.found) if store.bucket == "erase" else 0
    row.absent = max(store.total(reach) - row.found, 0) if store.bucket == "erase" else 0
    row.restricted = found if store.bucket == "restrict" else 0
    row.retained = store.find(reach) if store.bucket == "retain" else 0


def _retract(reach: Reach) -> int:
    """Retract the memories of a reach; their words stay."""
    gone = 0
    for pk in reach.memories:
        with writing(reach.tenant, by=SYSTEM) as w:
            row = Memory.objects.filter(pk=pk, slot__isnull=False).first()
            if row is not None:
                memories.retract(w, row, _tombstone(row), expected=row.latest)
                gone += 1
    return gone


def _tombstone(memory: Memory) -> MemoryRetracted:
    return MemoryRetracted(
        number=0,
        kind=memory.kind,
        source_type="user_explicit",
        reason="delete-request",
        observed_at=timezone.now(),
        agent=None,
        created_by=SYSTEM,
        candidate="",
        observation=None,
    )


def _late(request: ForgetRequest, reach: Reach) -> Reach | None:
    """Return what of the person came in after it was looked for; None when there is nothing."""
    if not request.whole_person or request.mode != "erase" or request.subject is None:
        return None
    now = of_person(request.id, Subject.objects.get(pk=request.subject_id))
    new = set(now.all_contents()) - set(reach.all_contents())
    return now if now.memories or readable(new) else None


def _widen(request: ForgetRequest, reach: Reach, late: Reach) -> Reach:
    """Return both together, written down before anything of it is touched; every store is asked again."""
    wider = replace(reach.joined(late), shared=reach.shared + late.shared)
    needles.keep(request, replace(late, contents=late.contents))
    ForgetPlan.objects.filter(request=request).update(reach=wider.document())
    journal.write(request, wider)
    for store in STORES:  # of what was there before nothing is left to be counted twice
        came = _found(store, late) if store.bucket == "erase" else 0
        StoreRow.objects.filter(request=request, store=store.name).update(state="waiting", found=F("found") + came)
    return wider


def _reach(request: ForgetRequest) -> Reach:
    return reach_of(ForgetPlan.objects.get(request=request).reach)


def _held(request: ForgetRequest, reach: Reach) -> ForgetRequest:
    """Answer that a legal hold stands in the way: partial until it is lifted."""
    document = report.build(request, reach, held=True, number=request.reports + 1)
    return _record(request, document)


def _answer(request: ForgetRequest, beat: Beat) -> ForgetRequest:
    """Look for what should be gone, and answer with what was found."""
    reach = _reach(request)
    if request.mode == "erase":
        for store in STORES:
            _look_again(store, request, reach)
            beat()
    document = report.build(request, reach, held=False, number=request.reports + 1, beat=beat)
    return _record(request, document)


def _look_again(store: Store, request: ForgetRequest, reach: Reach) -> None:
    row = StoreRow.objects.get(request=request, store=store.name)

    def look() -> None:
        row.left = store.verify(reach)

    row.error = row.error or failure_of(look)
    row.erased = min(row.erased, max(row.found - row.left, 0)) if row.left else row.erased
    row.failed = int(bool(row.error))
    row.save(update_fields=["erased", "left", "error", "failed"])


def _record(request: ForgetRequest, document: dict[str, Any]) -> ForgetRequest:
    """Keep a report, signed, and say in the chain that it was given; in one commit."""
    sha256, signature = report.signed(document)
    answered = events.ForgetAnswered(
        status=document["status"], grounds=tuple(document["grounds"]), report_sha256=sha256
    )
    with writing(request.tenant_id, by=SYSTEM) as w:
        row = in_state(request, "approved", "executing", "verifying")
        ForgetReport.objects.create(
            request=row,
            number=document["number"],
            kind="erasure",
            document=document,
            sha256=sha256,
            signature=signature,
            made_at=timezone.now(),
        )
        w.record(answered, stream=request.id, row=row)
        if document["status"] == "complete":
            _tell(w, request)
            _close(w, row)
        elif "held" in document["grounds"]:
            _release(w, row)  # a hold may last for years
    return fresh(request)


def _tell(w: Writing, request: ForgetRequest) -> None:
    """Tell every agent that was given some of it, since the last answer if there was one."""
    last = ForgetReport.objects.filter(request=request, document__status="complete").order_by("-number")
    since = last.exclude(number=request.reports + 1).values_list("made_at", flat=True).first()
    for agent, given in recipients(_reach(request), since).items():
        w.record(events.RecipientTold(request=request.id, memories=tuple(given)), stream=agent)


def _close(w: Writing, request: ForgetRequest) -> None:
    """Let the identifying half of the case file go, and the fence of a person who is still known."""
    erase_contents(w, readable([request.content_id]), request=request.id)
    _release(w, request)


def _release(w: Writing, request: ForgetRequest) -> None:
    """Let things be written about the person again, where they are still known."""
    if request.whole_person and Subject.objects.filter(pk=request.subject_id, fence=request.id).exists():
        w.record(SubjectReleased(request=request.id), stream=request.subject_id or "")


def let_go(request: ForgetRequest) -> None:
    """Destroy the identifying half of a case file that was answered otherwise than by a run. Repeatable."""
    _destroy_case_file(request)
    with writing(request.tenant_id, by=SYSTEM) as w:
        erase_contents(w, [request.content_id], request=request.id)
    sealing.forget_known_keys()


def _clear(request: ForgetRequest) -> None:
    """Destroy what only the run needed: the needles with their key, the survey, the key of the case file."""
    needles.destroy(request)
    survey.forget(request)
    _destroy_case_file(request)
    journal.finish(request.id)
    sealing.forget_known_keys()


def _destroy_case_file(request: ForgetRequest) -> None:
    destroy_keys_of([request.content_id])
    wipe("keyring", [ContentKey._meta.db_table])  # also when the key is gone: an attempt before may have failed here
