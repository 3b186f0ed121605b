"""Long work is done by another process where this one answers people: its result and its progress arrive all the same."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from governance.ledger import apart as apart_module
from governance.ledger.apart import WorkFailed, apart


def where(first: str, second: str, *, progress):
    progress(1)
    progress(2)
    return {"pid": os.getpid(), "about": [first, second]}


def failing(*, progress):
    raise LookupError


def endless(file: str, *, progress):
    Path(file).write_text(str(os.getpid()))
    time.sleep(60)


@pytest.fixture
def answering(monkeypatch):
    monkeypatch.setattr(apart_module, "_answering", True)


def test_who_answers_nobody_does_it_here():
    done = []
    found = apart(where, "a", "b", progress=done.append)
    assert found == {"pid": os.getpid(), "about": ["a", "b"]}
    assert done == [1, 2]


def test_who_answers_others_has_it_done_elsewhere(answering):
    done = []
    found = apart(where, "a: b/%", "中文", progress=done.append)
    assert found["pid"] != os.getpid()
    assert found["about"] == ["a: b/%", "中文"]
    assert done == [1, 2]


def test_what_fails_there_fails_here(answering):
    with pytest.raises(WorkFailed):
        apart(failing)


def test_it_ends_when_who_asked_is_killed(tmp_path):
    file = tmp_path / "pid"
    asking = (
        "from governance.ledger import apart; from tests.ledger import test_apart; "
        "apart.answer_others(); apart.apart(test_apart.endless, sys.argv[1])"
    )
    program = f"import sys, django; django.setup(); {asking}"
    named = {**os.environ, "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE}
    parent = subprocess.Popen([sys.executable, "-c", program, str(file)], cwd=settings.BASE_DIR, env=named)
    until(lambda: file.exists() and file.read_text())
    child = int(file.read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: not is_running(child))


def until(holds, seconds: float = 60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"  # nobody may wait for it here
