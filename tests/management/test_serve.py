"""`manage.py serve`, as a process of its own: what it says when it cannot serve, and how it stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from governance.ledger.models import SignedHead
from governance.management.serving import Worker
from governance.scopes.actions import create_tenant

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60

pytestmark = pytest.mark.xdist_group("serve")  # one server for all of them, and the last test stops it


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(folder: Path, port: int) -> dict[str, str]:
    own = {"DATA_DIR": folder / "data", "KEY_DIR": folder / "keys", "JOURNAL_FILE": folder / "journal.jsonl"}
    services = ("DATABASE_URL", "KEYRING_URL", "CHROMA_URL", "CELERY_BROKER_URL")
    rest = {name: value for name, value in os.environ.items() if name not in services}
    return {**rest, **{name: str(path) for name, path in own.items()}, "PORT": str(port)}


def serve(own: dict[str, str]) -> subprocess.CompletedProcess:
    command = [sys.executable, "manage.py", "serve", "--migrate"]
    return subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=SECONDS, check=False)


@dataclass
class Serving:
    process: subprocess.Popen
    folder: Path
    port: int

    def answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/", timeout=5):
                return True
        except HTTPError:
            return True
        except OSError:
            return False


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder, port = tmp_path_factory.mktemp("serve"), free_port()
    command = [sys.executable, "manage.py", "serve", "--migrate"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(folder, port), start_new_session=True)
    started = Serving(process, folder, port)
    end = time.monotonic() + SECONDS
    while not started.answers() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    yield started
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_it_answers(serving: Serving):
    assert serving.answers()


def test_a_second_one_on_the_same_data_is_told_who_serves_them(serving: Serving):
    second = serve(environment(serving.folder, free_port()))

    assert second.returncode == 1
    assert f"is being served already, by process {serving.process.pid}" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_taken_port_is_named_with_a_way_out(serving: Serving, tmp_path: Path):
    second = serve(environment(tmp_path, serving.port))

    assert second.returncode == 1
    assert f"Port {serving.port} is taken by another program" in second.stderr
    assert not (tmp_path / "data" / "db.sqlite3").exists()


@pytest.mark.parametrize("variable", ["DATA_DIR", "KEY_DIR"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, variable: str):
    (tmp_path / "file").touch()
    own = environment(tmp_path, free_port()) | {variable: str(tmp_path / "file" / "below")}

    refused = serve(own)

    assert refused.returncode == 1
    assert f"Error: {variable} {tmp_path}/file/below cannot be" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_port_that_is_no_number_is_named(tmp_path: Path):
    refused = serve(environment(tmp_path, free_port()) | {"PORT": "http"})

    assert refused.returncode == 1
    assert "PORT is 'http'" in refused.stderr


def test_ctrl_c_stops_every_process_it_started(serving: Serving):
    os.killpg(serving.process.pid, signal.SIGINT)

    serving.process.wait(15)

    assert not serving.answers()
    with pytest.raises(ProcessLookupError):
        os.killpg(serving.process.pid, 0)


@pytest.mark.django_db(transaction=True, databases=["default", "keyring"])
def test_a_worker_that_is_stopped_has_signed_what_was_recorded():
    worker = Worker()
    worker.start()
    tenant = create_tenant("stopped")

    worker.stop()

    assert not worker.is_alive()
    assert SignedHead.objects.get(tenant=tenant.id).seq == 2
