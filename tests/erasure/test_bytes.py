"""What is erased stands in no file: texts in every encoding, vectors as float32 and float16, raw and normalised."""

import numpy as np
import pytest
from django.db import connection

from governance.candidates.actions.observe import Said, observe
from governance.erasure import needles
from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.needles import Needles
from governance.erasure.proofs.files import Scan
from governance.erasure.proofs.scan import forms_of, scan
from governance.erasure.rules import Selector, reach_of
from governance.erasure.stores import STORES
from governance.index.models import Entry
from governance.ledger.outbox import drain
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.queries import find_scope
from governance.scopes.rules import ScopeSpec
from tests.factories import a_conflict, a_memory, indexed, revised
from tests.web.people import a_proposal

BOB = ScopeSpec("user", user="bob")
MANY = 130  # more than Chroma keeps in memory before it writes its files
TEXT = "zq5f27 鹮鹝 keeps a tortoise called Mabel"


def unit(rows) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def planted() -> np.ndarray:
    return unit(np.random.default_rng(7).normal(size=(40, 384)).astype(np.float32))


@pytest.mark.parametrize("form", list(forms_of(TEXT)))
def test_a_planted_text_is_found_in_every_encoding(tmp_path, form):
    (tmp_path / "a").write_bytes(b"\x00" * 1001 + forms_of(TEXT)[form] + b"\xff" * 77)

    found = scan([tmp_path / "a"], ["something else that nobody wrote", TEXT], [])

    assert form in {hit.form for hit in found.hits}
    assert found.files == 1


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4097])
@pytest.mark.parametrize("text", ["exactly 16 bytes", TEXT])
def test_a_planted_text_is_found_wherever_it_stands_and_at_the_end_of_a_file(tmp_path, before, text):
    (tmp_path / "a").write_bytes(b"\x01" * before + text.encode())

    assert [hit.form for hit in scan([tmp_path / "a"], [text], []).hits][-1] == "utf-8"
    assert not scan([tmp_path / "a"], [text[:-1] + "?"], []).hits


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4097])
@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("length", [1.0, 1.0004])
def test_a_planted_vector_is_found_wherever_it_stands(tmp_path, planted, before, kind, length):
    noise = np.random.default_rng(1).normal(size=20_000).astype("<f4").tobytes()
    there = (planted[17].astype(np.float16).astype(np.float32) * length).astype(kind).tobytes()
    (tmp_path / "a").write_bytes(noise[: 4 * before] + b"\x01" * before + there + noise)

    found = scan([tmp_path / "a"], [], [planted])

    assert [hit.form for hit in found.hits] == [kind]


def test_what_is_not_there_is_not_found(tmp_path, planted):
    others = unit(np.random.default_rng(8).normal(size=(500, 384)).astype(np.float32))
    (tmp_path / "a").write_bytes(others.tobytes() + others.astype(np.float16).tobytes() + b"somebody else's words")

    assert scan([tmp_path / "a"], [TEXT], [planted]).hits == ()


def approved(wish: Wish, filer, approver) -> ForgetRequest:
    request = plan(verify_identity(file_request(wish, by=filer), method="document", by=filer))
    return approve(request, plan_hash=request.plan_hash, by=approver)


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_before_every_store_holds_it_and_the_files_the_vectors_and_afterwards_none_does(agent, cora, carl):
    for i in range(MANY):
        a_memory(agent, f"Ann keeps a tortoise called Mabel {i} in room {i * 7}.")
    a_conflict(agent, revised(agent, a_memory(agent, TEXT, key="pet"), f"{TEXT} II", key="pet"), "a hare")
    observe(Said(role="user", text=f"My favourite colour is {TEXT}.", user="ann", session="s"), by=agent)
    a_proposal(agent, f"Ann wishes for {TEXT}.")
    for i in range(20):
        a_memory(agent, f"Bob reads the {i}th volume of an encyclopaedia.", scope=BOB)
    indexed()
    recall(Question(query=TEXT, user="ann"), by=agent)
    drain()
    theirs = Entry.objects.filter(memory__scope__subject__isnull=False).exclude(memory__scope__id=scope_of(agent))
    request = approved(Wish(Selector(user="ann")), cora, carl)
    reach = reach_of(request.plan.reach)
    vectors = stored(Entry.objects.filter(memory__in=reach.memories))
    bobs = stored(theirs)
    held = ("memories", "observations", "candidates", "conflicts", "recalls", "identity", "keyring")
    held += ("index-entries", "index-retrieval", "index-files")

    def found() -> dict[str, bool]:
        return {s.name: s.find(reach) > 0 for s in STORES if s.name in held and s.name != "index-files"}

    assert found() == dict.fromkeys(found(), True)
    assert forms_there(Needles((TEXT,), {64: vectors})) >= {"float32", "float16"}

    request = run(request)

    proof = ForgetReport.objects.get(request=request).document["proof"]
    assert (request.status, request.grounds) == ("complete", []), named(proof["bytes"]["hits"])
    assert found() == dict.fromkeys(found(), False)
    assert forms_there(Needles((TEXT,), {64: vectors})) == set()
    assert forms_there(Needles((), {64: bobs})) >= {"float16"}
    assert proof["bytes"]["vectors"] >= MANY
    assert proof["bytes"]["texts"] >= MANY
    assert proof["bytes"]["files"] > 3
    assert proof["read_back"]["unseal_attempts"] > MANY
    assert needles.read(request) == Needles((), {})


def scope_of(agent) -> str:
    return find_scope(agent, ScopeSpec("user", user="ann")).id


def stored(entries) -> np.ndarray:
    rows = entries.filter(vector__isnull=False).values_list("vector", flat=True)
    return np.stack([np.frombuffer(bytes(v), dtype=np.float16) for v in rows]).astype(np.float32)


def forms_there(wanted: Needles) -> set[str]:
    return {hit.form for hit in Scan(wanted).found().hits}


def named(hits) -> list:
    """Return hits with the name of the table whose file it is."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT relfilenode::text, relname FROM pg_class")
            tables = dict(cursor.fetchall())
            return [(hit, tables.get(hit["file"])) for hit in hits]
    return hits
