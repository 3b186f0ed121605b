"""Looking again after days, the clock moved: what is still gone, what is there again, what becomes of it."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from governance.erasure import execute, report, worker
from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.models import ForgetReport, ForgetRequest, Needle, Survey
from governance.erasure.queries import due_first, waiting_for_people
from governance.erasure.rules import Selector
from governance.erasure.stores import STORES
from governance.index.models import Shard
from governance.ledger import sealing
from governance.ledger.models import ContentKey, Event
from governance.ledger.outbox import drain
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.memories.models import Memory
from governance.scopes.rules import ScopeSpec
from tests.factories import a_memory, indexed, retracted

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
BOB = ScopeSpec("user", user="bob")


@pytest.fixture
def erased(agent, cora, carl, monkeypatch) -> ForgetRequest:
    """Ann is forgotten, and the key of what she said stays with somebody."""
    monkeypatch.setattr(worker, "_looked_at", None)
    memory = a_memory(agent, "Ann lives in Reykjavik.", key="profile.home.city", value="Reykjavik")
    a_memory(agent, "Bob lives in Bratislava.", key="profile.home.city", value="Bratislava", scope=BOB)
    indexed()
    wish = Wish(Selector(user="ann"))
    request = plan(verify_identity(file_request(wish, by=cora), method="document", by=cora))
    kept = list(ContentKey.objects.filter(kid=memory.versions.get().content.kid))
    request = execute.run(approve(request, plan_hash=request.plan_hash, by=carl))
    assert request.status == "complete", request.grounds
    request.kept = kept
    return request


def days_later(request: ForgetRequest, **days: float) -> ForgetRequest:
    """Return the request after the worker has looked round at some time after its first answer."""
    first = ForgetReport.objects.get(request=request, number=1).made_at
    with time_machine.travel(first + timedelta(**days), tick=False):
        worker.now_and_then()
    return execute.fresh(request)


def looks(request: ForgetRequest) -> list[ForgetReport]:
    return list(ForgetReport.objects.filter(request=request, kind="again").order_by("number"))


def at(written: ForgetReport) -> datetime:
    return datetime.fromisoformat(written.document["looked_at"])


def test_it_is_looked_for_after_one_seven_and_thirty_days_once_each(erased):
    # Within one minute at the end: at the next midnight the last backup of the keyring is over, and calls for a look.
    for hours in (1, 23, 25, 26, 7 * 24 - 1, 7 * 24 + 1, 8 * 24, 30 * 24 + 0.001, 30 * 24 + 0.01):
        erased = days_later(erased, hours=hours)

    made = looks(erased)
    answered = erased.answered_at
    assert [round((at(look) - answered) / timedelta(days=1)) for look in made] == [1, 7, 30]
    assert [look.result for look in made] == ["sound"] * 3
    assert all(
        report.check(report.exported(r.document, r.sha256, r.signature), report.public_key()) == [] for r in made
    )
    assert (erased.status, erased.reports) == ("complete", 4)
    assert rebuild(apply=False).differences == []
    assert verify(erased.tenant_id).findings == []


def test_found_again_it_is_seen_on_the_desk_erased_again_and_looked_for_anew(erased, cora):
    ContentKey.objects.bulk_create(erased.kept)

    found = days_later(erased, days=7.1)

    look = looks(found)[-1]
    assert (found.status, found.grounds[0], look.result) == ("partial", "found-again", "found-again")
    assert {"left:memories", "left:keyring", "proof:read_back"} <= set(found.grounds)
    assert waiting_for_people(cora) == 1

    days_later(found, days=7.2)
    with time_machine.travel(at(look) + timedelta(minutes=5)):
        while drain():
            pass

    answered = execute.fresh(erased)
    written = ForgetReport.objects.filter(request=erased, kind="erasure").latest("number").document
    lines = {line["store"]: line for line in written["stores"]}
    first = {line["store"]: line for line in ForgetReport.objects.get(request=erased, number=1).document["stores"]}
    assert (answered.status, answered.grounds, answered.reports) == ("complete", [], 3)
    assert [(r["number"], r["result"]) for r in written["earlier"]] == [(1, "complete"), (2, "found-again")]
    assert (lines["memories"]["found"], lines["memories"]["erased"], lines["keyring"]["erased"]) == (1, 1, 1)
    assert lines["suppressions"]["retained"] == first["suppressions"]["retained"] > 0
    assert written["proof"]["bytes"]["texts"] == 1
    assert written["time"]["in_time"]
    assert any("once more" in line for line in written["for_the_person"]["en"])
    assert all(words.erased for words in sealing.unseal(erased.plan.reach["contents"]["memories"]).values())
    assert not (Needle.objects.exists() or Survey.objects.exists())
    assert rebuild(apply=False).differences == []
    assert verify(erased.tenant_id).findings == []

    assert [r.id for r in due_first(cora)] == [erased.id]  # nobody has seen yet that it stays away
    for days in (8.3, 14.3, 37.3):
        days_later(erased, days=days)

    anew = [r.document["answer"]["number"] for r in looks(erased)]
    assert anew == [1, 3, 3, 3]
    assert not due_first(cora).exists()


def test_what_others_retract_meanwhile_is_nothing_found_again(agent, erased):
    bobs = Memory.objects.get(erased=False)

    retracted(agent, bobs)
    indexed()

    assert Shard.objects.filter(dirty=True).exists()
    days_later(erased, days=1.1)
    assert [look.result for look in looks(erased)] == ["sound"]


def test_a_store_that_does_not_answer_is_no_finding_and_is_asked_again_within_hours(erased, monkeypatch):
    files = next(s for s in STORES if s.name == "index-retrieval")

    def down(reach):
        raise OSError("no such device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "find", down)
        failed = days_later(erased, days=1.1)
        days_later(erased, days=1.11)
    again = days_later(erased, days=1.2)

    assert (failed.status, failed.grounds) == ("complete", [])
    assert [look.result for look in looks(again)] == ["look-failed", "sound"]
    assert looks(again)[0].document["grounds"] == ["look-failed", "store-failed:index-retrieval"]


def test_weeks_in_which_nothing_ran_are_made_up_for_by_one_look(erased):
    days_later(erased, days=20)
    days_later(erased, days=20.1)

    assert [look.result for look in looks(erased)] == ["sound"]


def test_once_a_kind_of_backup_is_over_a_look_says_so(erased):
    for days in (29, 31.1, 91.1, 92.1, 200):
        days_later(erased, days=days)

    over = [[kept["set"] for kept in look.document["backups"] if kept["over"]] for look in looks(erased)]
    assert over == [[], ["keyring"], ["keyring", "database"]]


def test_what_fails_again_and_again_is_tried_less_and_less_often(agent, cora, carl, monkeypatch):
    a_memory(agent, "Ann lives in Reykjavik.")
    wish = Wish(Selector(user="ann"))
    request = plan(verify_identity(file_request(wish, by=cora), method="document", by=cora))
    files = next(s for s in STORES if s.name == "index-files")

    def broken(reach):
        raise OSError("no such device")

    monkeypatch.setattr(files, "erase", broken)
    request = execute.run(approve(request, plan_hash=request.plan_hash, by=carl))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(60):
            clock.shift(timedelta(minutes=11))
            worker.resume_due(timezone.now())
            drain("forget")

    assert Event.objects.filter(type="forget-answered").count() == 7  # after 10, 20, 40, 80, 160, 320 minutes
