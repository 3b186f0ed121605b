"""State after an erasure: folded anew for what was touched, and compared byte for byte for all the rest."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from governance.conflicts.models import Claim
from governance.erasure.actions import file_request
from governance.erasure.actions.file import Wish
from governance.erasure.execute import fresh, run
from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.proofs import folded, survey
from governance.erasure.report import records_of
from governance.erasure.rules import Selector, reach_of
from governance.ledger.writing import folding_allowed
from governance.memories.models import About, Memory, Period, Version
from governance.scopes.models import Subject
from tests.erasure.test_run import BOB, approved, lived, worked_off
from tests.factories import a_memory, a_tenant, an_agent, revised

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])


def quiet(done: int) -> None:
    """Nobody watches."""


@pytest.fixture
def forgotten(agent, cora, carl):
    """The request by which ann was forgotten, complete."""
    lived(agent)
    request = approved(Wish(Selector(user="ann")), cora, carl)
    worked_off()
    return fresh(request)


def differing(request) -> set[str]:
    return {d.table for d in folded.compare(request, progress=quiet).differences}


def test_what_was_touched_is_folded_anew_and_what_was_not_is_left_to_the_survey(agent, forgotten):
    shown = ForgetReport.objects.get(request=forgotten).document["proof"]["state"]

    assert (shown["holds"], shown["differences"], shown["whole"]) == (True, [], None)
    reach = reach_of(forgotten.plan.reach)
    assert shown["streams"] >= len({*reach.memories, *reach.candidates, *reach.conflicts, *reach.observations})
    bobs = Memory.objects.filter(erased=False).exclude(pk__in=reach.memories)
    assert bobs.exists() and not set(bobs.values_list("pk", flat=True)) & folded.streams_of(forgotten)[agent.tenant]


def test_what_an_erasure_left_behind_or_lost_is_a_difference(forgotten):
    macs = {Version: "value_mac", Claim: "value_mac", Memory: "key_mac", Subject: "external_mac"}
    memory = Memory.objects.filter(erased=True).first()
    with folding_allowed():
        for model, column in macs.items():
            row = model.objects.filter(**{column: b""}).first()
            model.objects.filter(pk=row.pk).update(**{column: b"left behind"})
        About.objects.filter(memory=memory).delete()
        Period.objects.create(
            memory=memory,
            version=Version.objects.filter(memory=memory).first(),
            starts_at=memory.last_observed_at - timedelta(days=9),
            ends_at=memory.last_observed_at - timedelta(days=8),
        )

    assert differing(forgotten) == {"About", "Claim", "Memory", "Period", "Subject", "Version"}


@pytest.fixture
def others(agent, cora):
    """A request that nobody works on, and somebody of another tenant."""
    waiting = file_request(Wish(Selector(user="bob")), by=cora)
    stranger = an_agent(a_tenant("globex"))
    return SimpleNamespace(waiting=waiting, stranger=stranger, memory=a_memory(stranger, "Ivo likes figs."))


def changed(others) -> None:
    Memory.objects.filter(erased=False).update(kind="episodic")


def added(others) -> None:
    row = Memory.objects.filter(erased=False).first()
    row.pk, row.slot = "mem_out_of_nowhere", None
    Memory.objects.bulk_create([row])


def lost_its_time(others) -> None:
    Period.objects.filter(memory=others.memory).delete()


def another_request(others) -> None:
    ForgetRequest.objects.filter(pk=others.waiting.pk).update(status="planned")


def touched_elsewhere(others) -> None:
    row = revised(others.stranger, others.memory, "Ivo likes dates.")
    Version.objects.filter(memory=row, number=row.latest).update(kind="episodic")


@pytest.mark.parametrize(
    ("meddle", "grounds", "table"),
    [
        (changed, ["proof:bystanders"], "Memory"),
        (added, ["proof:bystanders"], "Memory"),
        (lost_its_time, ["proof:bystanders"], "Period"),
        (another_request, ["proof:bystanders"], "ForgetRequest"),
        (touched_elsewhere, ["proof:state"], "Version"),
    ],
)
def test_a_row_of_others_that_no_event_made_so_fails_the_report(
    agent, cora, carl, others, meddle, grounds, table, monkeypatch
):
    lived(agent)
    request = approved(Wish(Selector(user="ann")), cora, carl)
    seen = []

    def look(pk, *, progress):
        with folding_allowed():
            meddle(others)
        seen.append(records_of(pk, progress=progress))
        return seen[-1]

    monkeypatch.setattr("governance.erasure.report.records_of", look)
    run(request)

    assert (fresh(request).status, fresh(request).grounds) == ("partial", grounds)
    assert {*seen[0]["bystanders"]["unaccounted"], *(d["table"] for d in seen[0]["state"]["differences"])} == {table}


def test_what_others_write_while_rows_are_compared_is_theirs(agent, cora, carl, monkeypatch):
    lived(agent)
    request = approved(Wish(Selector(user="ann")), cora, carl)
    hashed = survey._hashed

    def meanwhile(model):
        if model is Memory and ForgetRequest.objects.get(pk=request.pk).status == "verifying":
            bobs = Memory.objects.get(scope__subject__external_mac__gt=b"", erased=False, key_mac__gt=b"")
            revised(agent, bobs, "Bob lives in Vienna.", key="profile.home.city", value="Vienna")
            a_memory(agent, "Bob plays the cello.", scope=BOB)
        return hashed(model)

    monkeypatch.setattr(survey, "_hashed", meanwhile)
    worked_off()

    assert fresh(request).status == "complete", fresh(request).grounds
