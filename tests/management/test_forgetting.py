"""`forget_request`, `verify_report` and `compact_index`."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from governance.erasure.actions import file_request
from governance.erasure.actions.file import Wish
from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.queries import handed_out
from governance.erasure.report import FORMAT, TAG, public_key
from governance.erasure.rules import Selector, canonical, digest
from governance.index.models import Shard
from governance.ledger.models import Event
from governance.ledger.outbox import drain
from governance.scopes.models import Tenant
from tests.factories import a_memory, a_tenant, an_agent, indexed, retracted
from tests.isolation import fresh_index
from tests.web.people import a_member

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    settings.JOURNAL_FILE = tmp_path / "journal.jsonl"
    yield from fresh_index(settings, tmp_path)


@pytest.fixture
def request_id() -> str:
    """A request to forget Ann, filed by Cora; Carl is another officer."""
    tenant = a_tenant("acme")
    agent = an_agent(tenant)
    a_memory(agent, "Ann lives in Reykjavik.")
    indexed()
    a_member(tenant, "carl", "compliance")
    return file_request(Wish(Selector(user="ann"), channel="command"), by=a_member(tenant, "cora", "compliance")).id


def told(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def working(done: threading.Event) -> threading.Thread:
    """Return a thread that does the worker's work until it is told to stop."""

    def work() -> None:
        while not done.wait(0.05):
            drain("forget")
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_verified_planned_approved_and_followed_to_its_answer(request_id):
    said = told("forget_request", request_id, "--verify-identity", "document", "--as", "cora")
    assert "memories: erase 1" in said
    done = threading.Event()
    worker = working(done)
    try:
        said = told("forget_request", request_id, "--approve", "--as", "carl")
    finally:
        done.set()
        worker.join()

    assert "memories: done, 1 erased" in said
    assert f"{request_id}: complete" in said
    assert "complete" in told("forget_request", request_id)
    told("forget_request", request_id, "--allow-again", "contract", "--as", "carl")
    with pytest.raises(CommandError, match="blocked"):
        told("forget_request", request_id, "--allow-again", "contract", "--as", "carl")
    assert Event.objects.filter(type="forget-allowed").count() == 1


def test_who_filed_it_does_not_approve_and_nothing_happens_without_a_name(request_id):
    told("forget_request", request_id, "--verify-identity", "document", "--as", "cora")

    with pytest.raises(CommandError, match="Another person"):
        told("forget_request", request_id, "--approve", "--as", "cora")
    with pytest.raises(CommandError, match="--as"):
        told("forget_request", request_id, "--approve")
    with pytest.raises(CommandError, match="plan"):
        told("forget_request", request_id, "--approve", "--as", "carl", "--plan-hash", "0" * 64)
    with pytest.raises(CommandError, match="no forget request"):
        told("forget_request", "forget_none")

    assert ForgetRequest.objects.get().status == "planned"


def test_who_may_not_approve_is_refused_before_anything_is_planned_or_shown(request_id):
    tenant = Tenant.objects.get(name="acme")
    a_member(tenant, "ada", "auditor")
    before = Event.objects.count()
    out = io.StringIO()

    for name in ("ada", "cora"):
        with pytest.raises(CommandError):
            call_command(
                "forget_request", request_id, "--verify-identity", "document", "--approve", "--as", name, stdout=out
            )

    assert out.getvalue() == ""
    assert (ForgetRequest.objects.get().status, Event.objects.count()) == ("received", before)


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Return what a command says in a process of its own, with no variables of ours but these."""
    kept = {k: v for k, v in os.environ.items() if k not in ("DATA_DIR", "KEY_DIR", "JOURNAL_FILE", "MAKES_NOTHING")}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]
    return subprocess.run(command, env=kept | variables, capture_output=True, text=True, timeout=120, check=False)


def a_signed_report() -> tuple[str, str]:
    """Return a report as it is handed out, as JSON, and the key it is signed with."""
    signing = Ed25519PrivateKey.generate()
    document = {"format": FORMAT, "mandate": {"request": "forget_x"}, "status": "complete"}
    integrity = {"sha256": digest(document), "signature": signing.sign(TAG + canonical(document)).hex()}
    return json.dumps({"report": document, "integrity": integrity}), signing.public_key().public_bytes_raw().hex()


def test_without_an_installation_a_report_is_checked_by_the_published_key_and_nothing_is_made(tmp_path):
    text, published = a_signed_report()
    file, key = tmp_path / "report.json", tmp_path / "key.txt"
    file.write_text(text)
    key.write_text(published + "\n")
    nowhere = {"DATA_DIR": str(tmp_path / "d" / "data"), "KEY_DIR": str(tmp_path / "d" / "keys")}

    alone = manage("verify_report", str(file), **nowhere)
    by_key = manage("verify_report", str(file), "--public-key", key.read_text().strip(), **nowhere)
    by_file = manage("verify_report", str(file), "--public-key", str(key), **nowhere)

    assert alone.returncode == 1 and len(alone.stderr.splitlines()) == 2
    assert "DATA_DIR" in alone.stderr and "--public-key" in alone.stderr
    assert (by_key.stdout, by_file.stdout) == ("genuine: forget_x, complete\n",) * 2
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("genuine", "instead", "why"),
    [
        ('"status": "complete"', '"status": "refused", "status": "complete"', "comes twice: 'status'"),
        ('{"report"', '{"report": {}, "report"', "comes twice: 'report'"),
        ('{"report"', '{"note": "all of it was erased", "report"', "nobody signed: 'note'"),
        ('{"sha256"', '{"status": "complete", "sha256"', "nobody signed: 'status'"),
        ('{"sha256"', '{"public_key": "00", "sha256"', "another algorithm or key"),
        ('{"sha256"', '{"public_key": 7, "sha256"', "another algorithm or key"),
        ('"complete"', "NaN", "no report"),
        ('{"report"', "[", "no report"),
        ('"complete"', "[" * 2000 + "]" * 2000, "no report"),
    ],
)
def test_a_file_that_says_more_than_was_signed_is_not_genuine(tmp_path, genuine, instead, why):
    text, key = a_signed_report()
    file = tmp_path / "report.json"
    file.write_text(text.replace(genuine, instead, 1))
    out = io.StringIO()

    with pytest.raises(SystemExit) as left:
        call_command("verify_report", str(file), "--public-key", key, stdout=out)

    assert left.value.code == 1
    assert why in out.getvalue() and "genuine" not in out.getvalue()


@pytest.mark.parametrize("asked", [["--help"], ["serve", "--help"]])
def test_help_makes_no_folder_and_no_key(tmp_path, asked):
    told = manage(*asked, DATA_DIR=str(tmp_path / "d" / "data"), KEY_DIR=str(tmp_path / "d" / "keys"))

    assert (told.returncode, told.stderr) == (0, "") and "serve" in told.stdout
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(("variables", "place"), [({}, "var-journal"), ({"DATA_DIR": "/srv/a/data"}, "data-journal")])
def test_the_journal_lies_beside_the_data_it_is_about(tmp_path, variables, place):
    told = manage("shell", "-v0", "-c", "from django.conf import settings; print(settings.JOURNAL_FILE)",
                  MAKES_NOTHING="true", KEY_DIR=str(tmp_path), **variables)  # fmt: skip

    file = Path(told.stdout.strip())
    assert (file.name, file.parent.name) == ("journal.jsonl", place)
    assert file.parent.parent == (Path(variables["DATA_DIR"]).parent if variables else settings.BASE_DIR)


def test_a_report_is_checked_with_nothing_but_the_public_key(request_id, tmp_path, capsys):
    told("forget_request", request_id, "--verify-identity", "document", "--as", "cora")
    done = threading.Event()
    worker = working(done)
    told("forget_request", request_id, "--approve", "--as", "carl")
    done.set()
    worker.join()
    handed = handed_out(ForgetReport.objects.get())
    key = public_key()
    genuine, forged = tmp_path / "report.json", tmp_path / "forged.json"
    genuine.write_text(json.dumps(handed))
    handed["report"]["stores"][1]["erased"] += 1
    forged.write_text(json.dumps(handed, indent=2))

    assert told("verify_report", str(genuine), "--public-key", key) == f"genuine: {request_id}, complete\n"
    assert told("verify_report", str(genuine)).startswith("genuine")
    for arguments in ((str(forged), "--public-key", key), (str(genuine), "--public-key", "00" * 32)):
        with pytest.raises(SystemExit) as left:
            told("verify_report", *arguments)
        assert left.value.code == 1


def test_the_index_forgets_what_was_taken_out_of_it():
    agent = an_agent(a_tenant("acme"))
    a_memory(agent, "Ann lives in Reykjavik.")
    gone = a_memory(agent, "Ann keeps a tortoise.")
    indexed()
    retracted(agent, gone)
    drain("index")
    indexed()

    said = told("compact_index")

    assert said.startswith("Compacted 1 collections")
    assert not Shard.objects.filter(dirty=True).exists()
