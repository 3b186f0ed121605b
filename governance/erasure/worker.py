"""What the worker does about requests: plans, runs, resumes, looks again after days."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from governance.erasure import events
from governance.erasure.actions.file import TOPIC
from governance.erasure.actions.prepare import SYSTEM, in_state, plan
from governance.erasure.again import is_due, verify_again
from governance.erasure.execute import let_go, run
from governance.erasure.holding import is_held
from governance.erasure.models import RUNNING, ErasureJournal, ForgetPlan, ForgetReport, ForgetRequest, StoreRow
from governance.erasure.replaying import REPLAY, replay
from governance.erasure.rules import FOUND_AGAIN, VERIFIED_AGAIN_AFTER, reach_of
from governance.erasure.stores import STORES
from governance.evidence.suppression import drop_expired
from governance.ledger.models import Outbox
from governance.ledger.outbox import LEASE, every_drain, handles
from governance.ledger.writing import writing
from governance.scopes.events import SubjectFenced
from governance.scopes.models import Subject

LOOKED_EVERY = timedelta(minutes=1)
TRIED_AGAIN_AFTER = timedelta(minutes=10)  # the first time
TOLD_WITHIN = timedelta(days=30)  # who asked is told of a refusal within a month: GDPR, article 12(4)
_looked_at: datetime | None = None


@handles(TOPIC)
def go_on(rows: Sequence[Outbox]) -> None:
    """Take requests as far as they go by themselves."""
    pks = [row.pk for row in rows]

    def beat() -> None:
        """Keep others from taking them up meanwhile."""
        Outbox.objects.filter(pk__in=pks).update(due_at=timezone.now() + LEASE)

    for request in ForgetRequest.objects.filter(pk__in=[row.ref for row in rows]).select_related("subject", "scope"):
        if request.status == "verified":
            plan(request)
        elif request.status in (*RUNNING, "complete"):
            run(request, beat)


@handles(REPLAY)
def replay_what_was_held(rows: Sequence[Outbox]) -> None:
    """Erase again what a restore left out because of a legal hold; a request that is under way does so itself."""
    left_out = [row.ref for row in rows]
    under_way = ForgetRequest.objects.filter(pk__in=left_out, status__in=(*RUNNING, "partial"))
    for entry in ErasureJournal.objects.filter(request__in={*left_out} - {*under_way.values_list("pk", flat=True)}):
        replay(entry)


def resume(request: ForgetRequest, why: str) -> ForgetRequest:
    """Return a partial request, executing again: what failed is tried, what was done stays done."""
    with writing(request.tenant_id, by=SYSTEM) as w:
        fresh = in_state(request, "partial")
        StoreRow.objects.filter(request=fresh, failed__gt=0).update(state="waiting", error="", failed=0)
        StoreRow.objects.filter(request=fresh, left__gt=0).update(state="waiting", left=0)
        if FOUND_AGAIN in fresh.grounds:  # it was gone once: every store is asked anew, and counts anew
            StoreRow.objects.filter(request=fresh).update(state="waiting", found=0, erased=0, absent=0)
        if "proof:bytes" in fresh.grounds:  # the files are written anew, and looked through again
            files = [store.name for store in STORES if store.method == "compacted"]
            StoreRow.objects.filter(request=fresh, store__in=files).update(state="waiting")
        if (
            "held" in fresh.grounds
            and fresh.whole_person
            and fresh.mode == "erase"
            and fresh.subject
            and bytes(fresh.subject.external_mac)
        ):
            w.record(SubjectFenced(request=fresh.id), stream=fresh.subject_id or "")
        resumed: ForgetRequest = w.record(events.ForgetResumed(why=why), stream=fresh.id, row=fresh)
        w.owe(TOPIC, fresh.id)
    return resumed


def _is_known_person(request: ForgetRequest) -> bool:
    """Return whether a request is for the whole of a person who is still known by their name."""
    return request.whole_person and Subject.objects.filter(pk=request.subject_id).exclude(external_mac=b"").exists()


@every_drain
def now_and_then() -> None:
    """Take up what waits for a hold to be lifted, try again what failed, look again after days."""
    global _looked_at
    now = timezone.now()
    if _looked_at is not None and now - _looked_at < LOOKED_EVERY:
        return
    _looked_at = now
    resume_due(now)
    verify_due(now)
    let_go_of_refused(now)
    drop_expired()


def resume_due(now: datetime) -> None:
    """Take up partial requests: held ones once nothing holds them, others some minutes after they failed, or to say
    that they are held by now."""
    for request in ForgetRequest.objects.filter(status="partial", grounds__isnull=False):
        kept = ForgetPlan.objects.filter(request=request).first()
        if kept is None:
            continue
        if is_held(reach_of(kept.reach)):
            if "held" not in request.grounds:
                resume(request, "hold-placed")
        elif "held" in request.grounds:
            resume(request, "hold-lifted")
        elif FOUND_AGAIN in request.grounds:
            resume(request, FOUND_AGAIN)
        elif request.answered_at is not None and now - request.answered_at > _wait(request):
            resume(request, "tried-again")


def _wait(request: ForgetRequest) -> timedelta:
    """Return how long what failed waits for the next attempt: longer each time, a day at most."""
    failed = ForgetReport.objects.filter(request=request, kind="erasure", document__status="partial").count()
    return min(TRIED_AGAIN_AFTER * 2 ** min(max(failed - 1, 0), 10), timedelta(days=1))


def verify_due(now: datetime) -> None:
    """Look again for what was erased one, seven and thirty days ago, or whose backups are over."""
    longest = max(*VERIFIED_AGAIN_AFTER, timedelta(days=max(settings.BACKUP_DAYS, settings.KEYRING_BACKUP_DAYS)))
    answered = (now - 2 * longest, now - min(VERIFIED_AGAIN_AFTER))  # what is older was looked at long ago
    for request in ForgetRequest.objects.filter(status="complete", mode="erase", answered_at__range=answered):
        if is_due(request, now):
            verify_again(request)


def let_go_of_refused(now: datetime) -> None:
    """Let who asked and in which words go, once it was time enough to tell them that it was refused."""
    refused = ForgetRequest.objects.filter(status="refused", answered_at__lte=now - TOLD_WITHIN)
    for request in refused.exclude(selector_mac=b""):
        let_go(request)
