"""What a request comes to, whatever happens to it: each state computed, never declared."""

import hashlib
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps

from governance.candidates.actions import listen as listening
from governance.candidates.actions.observe import Said, observe
from governance.candidates.models import Candidate
from governance.erasure import execute
from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.models import ForgetReport, ForgetRequest, StoreRow
from governance.erasure.reach import of_person
from governance.erasure.rules import Outcome, Selector, computed_status, reach_of
from governance.erasure.stores import STORES
from governance.erasure.stores.words import SealedWords
from governance.erasure.worker import resume, resume_due
from governance.errors import Invalid
from governance.index import embedding, projector
from governance.index.models import Entry
from governance.ledger import sealing
from governance.ledger.models import Content
from governance.ledger.outbox import drain
from governance.ledger.rebuild import rebuild
from governance.lifecycle.actions import Covered, lift_hold, place_hold, summarise
from governance.lifecycle.actions import summaries as summarising
from governance.memories.models import Memory, Version
from governance.retrieval import weigh
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import Subject
from governance.scopes.queries import find_subject
from governance.scopes.rules import ScopeSpec
from tests.factories import a_conflict, a_memory, a_tenant, an_agent, indexed, retracted, revised
from tests.web.people import a_member, a_proposal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
ANN = Wish(Selector(user="ann"))
NAMES = [s.name for s in STORES]


def approved(wish: Wish, filer, approver) -> ForgetRequest:
    request = plan(verify_identity(file_request(wish, by=filer), method="document", by=filer))
    return approve(request, plan_hash=request.plan_hash, by=approver)


def lived(agent, user: str = "ann") -> Memory:
    """Say, propose, correct, contradict and ask as one person."""
    scope = ScopeSpec("user", user=user)
    observe(Said(role="user", text=f"My favourite colour is {user}-blue.", user=user, session="one"), by=agent)
    memory = a_memory(agent, f"{user} lives in Rome.", key="home", value="Rome", scope=scope)
    memory = revised(agent, memory, f"{user} lives in Oslo.", key="home", value="Oslo")
    a_conflict(agent, memory, "Bonn")
    indexed()
    recall(Question(query=f"Where does {user} live?", user=user), by=agent)
    return memory


def store(name: str) -> Any:
    return next(s for s in STORES if s.name == name)


def broken(*args: Any) -> int:
    raise OSError("no such device")


# --- unknown, erased already -----------------------------------------------------------------------------------------


def test_who_was_erased_already_is_unknown_and_may_be_erased_again_once_there_is_something(agent, cora, carl):
    memory = lived(agent)
    other = a_memory(agent, "Bob works by day.", scope=ScopeSpec("user", user="bob"))
    run(approved(ANN, cora, carl))

    again = file_request(ANN, by=cora)
    by_id = file_request(Wish(Selector(memory_ids=(memory.id,))), by=cora)
    both = file_request(Wish(Selector(memory_ids=(other.id, "mem_none"))), by=cora)
    a_memory(agent, "Ann is back and likes chess.")
    anew = run(approved(ANN, cora, carl))

    assert [(r.status, r.grounds) for r in (again, by_id, both)] == [
        ("refused", ["nothing-matched"]),
        ("refused", ["already-erased"]),
        ("refused", ["nothing-matched"]),
    ]
    assert (anew.status, anew.grounds) == ("complete", [])
    assert not Memory.objects.get(pk=other.pk).erased


# --- a hold midway ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("during", ["suppressions", "memories", "index-entries", "events"])
def test_a_hold_placed_midway_stops_it_before_the_next_store_and_it_goes_on_afterwards(
    agent, cora, carl, monkeypatch, during
):
    lived(agent)
    request = approved(ANN, cora, carl)
    holds = []
    done = store(during).erase

    def held(reach):
        gone = done(reach)
        holds.append(place_hold(Covered(), ground="litigation", by=cora))
        return gone

    with monkeypatch.context() as patch:
        patch.setattr(store(during), "erase", held)
        stopped = run(request)

    rows = {row.store: row.state for row in StoreRow.objects.filter(request=request)}
    cut = NAMES.index(during)
    assert (stopped.status, stopped.grounds[-1]) == ("partial", "held")
    assert {rows[name] for name in NAMES[: cut + 1]} == {"done"}
    assert {rows[name] for name in NAMES[cut + 1 :]} == {"waiting"}
    lift_hold(holds[0], by=cora)
    resume_due(stopped.answered_at)
    drain("forget")
    ended = execute.fresh(request)
    assert (ended.status, ended.grounds, ended.due_at) == ("complete", [], request.due_at)
    assert rebuild(apply=False).differences == []


# --- adapters that fail ----------------------------------------------------------------------------------------------


def test_words_whose_keys_went_though_their_store_failed_are_said_to_be_erased(agent, cora, carl, monkeypatch):
    lived(agent)
    request = approved(ANN, cora, carl)

    with monkeypatch.context() as patch:
        for one in STORES:
            if isinstance(one, SealedWords):
                patch.setattr(one, "erase", broken)
        failed = run(request)

    assert {"store-failed:memories", "store-failed:observations"} <= set(failed.grounds)
    assert not {"proof:chain"} & set(failed.grounds)
    well = run(resume(failed, "tried-again"))
    assert (well.status, well.grounds) == ("complete", [])
    assert rebuild(apply=False).differences == []


@pytest.mark.parametrize("what", ["find", "erase", "verify"])
def test_whichever_adapter_raises_it_is_partial_and_names_it_then_complete(agent, cora, carl, monkeypatch, what):
    lived(agent)
    request = approved(ANN, cora, carl)

    with monkeypatch.context() as patch:
        for one in STORES:
            patch.setattr(one, what, broken)
        failed = run(request)

    assert failed.status == "partial"
    assert {g for g in failed.grounds if g.startswith("store-failed")} == {f"store-failed:{name}" for name in NAMES}
    assert {row.error for row in StoreRow.objects.filter(request=request)} == {"OSError"}
    well = run(resume(failed, "tried-again"))
    assert (well.status, well.grounds) == ("complete", [])
    assert rebuild(apply=False).differences == []


@pytest.mark.parametrize("name", ["memories", "observations", "conflicts", "recalls", "identity", "index-files"])
def test_an_adapter_that_does_nothing_and_says_so_is_found_out(agent, cora, carl, monkeypatch, name):
    lived(agent)
    request = approved(ANN, cora, carl)

    with monkeypatch.context() as patch:
        patch.setattr(store(name), "erase", lambda reach: 0)
        patch.setattr(store("keyring"), "erase", lambda reach: 0)  # whose work would make good for it
        failed = run(request)

    row = StoreRow.objects.get(request=request, store=name)
    assert failed.status == "partial" and f"left:{name}" in failed.grounds
    assert row.left and row.erased == max(row.found - row.left, 0)
    assert run(resume(failed, "tried-again")).status == "complete"


@pytest.mark.parametrize(
    ("outcome", "ground"),
    [
        (Outcome("a", error="OSError", done=True), "store-failed:a"),
        (Outcome("a", found=3, erased=3, failed=1, done=True), "store-failed:a"),
        (Outcome("a", found=3, erased=3, left=1, done=True), "left:a"),
        (Outcome("a"), "store-unfinished:a"),
        (Outcome("b", done=True), "store-missing:a"),
    ],
)
def test_no_rows_with_an_error_nothing_done_or_no_line_at_all_is_never_complete(outcome, ground):
    status, grounds = computed_status([outcome], ["a"], held=0, proofs={})

    assert (status, ground in grounds) == ("partial", True)


# --- the others ------------------------------------------------------------------------------------------------------


def test_of_three_people_the_other_two_and_every_other_tenant_are_byte_for_byte_what_they_were(agent, cora, carl):
    elsewhere = an_agent(a_tenant("acme-corp"))
    for user in ("ann", "bob", "cid"):
        lived(agent, user)
        lived(elsewhere, user)
    request = approved(ANN, cora, carl)
    others = [find_subject(agent.tenant, user) for user in ("bob", "cid")]
    before = [digest(belongings(s)) for s in others] + [digest(of_tenant(elsewhere.tenant))]

    done = run(request)

    proof = ForgetReport.objects.get(request=request).document["proof"]["bytes"]
    assert (done.status, done.grounds) == ("complete", [])
    assert (proof["vectors"], proof["vectors_others_have"]) == (0, 3)  # another Ann said the same elsewhere
    assert [digest(belongings(s)) for s in others] + [digest(of_tenant(elsewhere.tenant))] == before
    assert len(set(before)) == 3
    for by in (agent, elsewhere):
        assert "Oslo" in recall(Question(query="Where does bob live?", user="bob"), by=by).context
    assert "Oslo" in recall(Question(query="Where does ann live?", user="ann"), by=elsewhere).context


def belongings(subject: Subject) -> list[Any]:
    """Return every row that a request for this person would touch."""
    reach = of_person("", Subject.objects.get(pk=subject.pk))
    named = {
        "Memory": reach.memories,
        "Candidate": reach.candidates,
        "Conflict": reach.conflicts,
        "Observation": reach.observations,
        "Recall": reach.recalls,
        "Content": reach.all_contents(),
        "ContentKey": reach.kids,
        "Entry": reach.entries,
        "Scope": reach.scopes,
        "Subject": [reach.subject],
    }
    rows = [rows_of(apps.get_model("governance", name), pk__in=ids) for name, ids in named.items()]
    return rows + [rows_of(m, memory__in=reach.memories) for m in (Version, apps.get_model("governance", "Period"))]


def of_tenant(tenant: str) -> list[Any]:
    """Return every row of every table that names a tenant."""
    models = [m for m in apps.get_app_config("governance").get_models() if "tenant" in {f.name for f in m._meta.fields}]
    return [rows_of(m, tenant=tenant) for m in models]


def rows_of(model: Any, **among: Any) -> tuple[str, list[Any]]:
    rows = model._default_manager.using("keyring" if getattr(model, "keyring", False) else "default").filter(**among)
    return model.__name__, [
        tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in rows.order_by("pk").values_list()
    ]


def digest(rows: list[Any]) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_what_others_retracted_leaves_the_files_at_the_second_attempt(agent, cora, carl):
    elsewhere = an_agent(a_tenant("acme-corp"))
    same = [a_memory(by, "ann sails the Mistral.") for by in (agent, elsewhere)]
    for i in range(130):  # more than Chroma keeps in memory
        a_memory(elsewhere, f"bob reads volume {i}.", scope=ScopeSpec("user", user="bob"))
    indexed()
    retracted(elsewhere, same[1])
    indexed()

    failed = run(approved(ANN, cora, carl))
    done = run(resume(failed, "tried-again"))

    assert failed.grounds == ["proof:bytes"]
    assert (done.status, done.grounds) == ("complete", [])


# --- work that was under way -----------------------------------------------------------------------------------------


@pytest.fixture
def forget_meanwhile(agent, cora, carl, monkeypatch) -> Callable[[Any, str], list[ForgetRequest]]:
    """Have Ann forgotten, to the end, when some work has read and before it writes."""

    def pause(where: Any, name: str) -> list[ForgetRequest]:
        done, ended = getattr(where, name), []

        def paused(*args: Any, **kwargs: Any) -> Any:
            answer = done(*args, **kwargs)
            if not ended:
                ended.append(None)
                ended[0] = run(approved(ANN, cora, carl))
            return answer

        monkeypatch.setattr(where, name, paused)
        return ended

    return pause


def assert_nothing_came_back(agent, ended: list[ForgetRequest]) -> None:
    [request] = ended
    assert (request.status, request.grounds) == ("complete", [])
    reach = reach_of(ForgetReport.objects.get(request=request).request.plan.reach)
    assert {s.name: s.find(reach) for s in STORES if s.bucket == "erase" and s.find(reach)} == {}
    assert find_subject(agent.tenant, "ann") is None
    opened = sealing.unseal(Content.objects.values_list("pk", flat=True))
    assert not [dict(w) for w in opened.values() if "ann" in str(dict(w)).casefold()]
    assert rebuild(apply=False).differences == []


def test_an_index_job_paused_before_it_writes_makes_no_ghost(agent, forget_meanwhile):
    memory = a_memory(agent, "Ann lives in Oslo.")
    ended = forget_meanwhile(embedding, "embed_passages")

    projector.project([memory.id])

    assert_nothing_came_back(agent, ended)
    assert not Entry.objects.filter(memory=memory).exists()


def test_an_extraction_paused_after_it_read_the_turn_proposes_nothing(agent, forget_meanwhile):
    observe(Said(role="user", text="My name is Ann Lee. I live in Oslo.", user="ann", extract=False), by=agent)
    heard = apps.get_model("governance", "Observation").objects.select_related("subject", "project").get()
    observing = sys.modules[observe.__module__]
    ended = forget_meanwhile(observing, "words_of_subject")

    observing._extract(heard)

    assert_nothing_came_back(agent, ended)
    assert not Candidate.objects.exclude(status="erased").exists()


def test_a_model_that_answers_too_late_proposes_nothing(agent, forget_meanwhile, monkeypatch):
    observe(Said(role="user", text="I am Ann and sail the Mistral.", user="ann", extract=False), by=agent)
    heard = apps.get_model("governance", "Observation").objects.select_related("subject").get()
    found = {"kind": "semantic", "key": "boat.name", "value": "Mistral", "content": "Ann sails the Mistral."}
    found = SimpleNamespace(**found, quote="I am Ann and sail the Mistral.")
    monkeypatch.setattr("governance.candidates.extractors.model.ask", lambda text: [found])
    ended = forget_meanwhile(listening.scope_queries, "external_id")

    listening._listen(heard)

    assert_nothing_came_back(agent, ended)
    assert not Candidate.objects.exclude(status="erased").exists()


def test_a_recall_paused_before_its_trace_keeps_no_question(agent, forget_meanwhile):
    lived(agent)
    ended = forget_meanwhile(weigh, "limit")

    recall(Question(query="Where does Ann live?", user="ann"), by=agent)

    assert_nothing_came_back(agent, ended)


def test_a_summary_paused_after_it_read_its_sources_says_nothing(agent, tenant, forget_meanwhile):
    rita = a_member(tenant, "rita", "reviewer")
    episodes = [a_memory(agent, f"Ann flew to {city}.", kind="episodic") for city in ("Rome", "Bari", "Nice")]
    ended = forget_meanwhile(summarising, "extract")

    with pytest.raises(Invalid):
        summarise(episodes, by=rita)

    assert_nothing_came_back(agent, ended)


def test_a_proposal_that_waits_is_gone_for_who_opens_it_late(agent, cora, carl):
    waiting = a_proposal(agent, "Ann wishes for a boat.")

    run(approved(ANN, cora, carl))

    assert Candidate.objects.get(pk=waiting.pk).status == "erased"


def test_what_comes_in_while_it_runs_goes_too_and_is_counted_once(agent, cora, carl, monkeypatch):
    lived(agent)
    request = approved(ANN, cora, carl)
    planned = {line["store"]: line["erase"] for line in request.plan.document["stores"]}
    done, came = store("observations").erase, []

    def comes_in(reach):
        if not came:
            came.append(a_memory(agent, "Ann came in late.", scope=ScopeSpec("user", user="ann")))
        return done(reach)

    monkeypatch.setattr(store("observations"), "erase", comes_in)
    ended = run(request)

    memories = StoreRow.objects.get(request=request, store="memories")
    assert (ended.status, ended.grounds) == ("complete", [])
    assert Memory.objects.get(pk=came[0].pk).erased
    assert (memories.found, memories.erased, memories.passes) == (planned["memories"] + 1, planned["memories"] + 1, 2)
    assert rebuild(apply=False).differences == []
