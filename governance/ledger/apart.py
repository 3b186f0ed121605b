"""Work that reads every row: where this process answers people another one does it, so that nobody waits for it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import django
import orjson
from django.conf import settings

Progress = Callable[[int], None]
# Returns what JSON can say; says with the progress it is given how far it has come.
Work = Callable[..., Any]

BEHIND = 10  # how far it stands back (`nice`) for those who answer people

_answering = False


class WorkFailed(Exception):
    """The other process ended without a result."""


def answer_others() -> None:
    """Note that this process answers people from now on."""
    global _answering
    _answering = True


def apart(work: Work, *about: str, progress: Progress = lambda done: None) -> Any:
    """Return what a module's function returns for some ids, called with `progress`; raises WorkFailed or its own error.

    The other process sees what is committed. It ends when this one does.
    """
    if not _answering:
        return work(*about, progress=progress)
    command = [sys.executable, "-m", __name__, work.__module__, work.__qualname__, *about]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    named = {**os.environ, "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE}
    with subprocess.Popen(command, cwd=settings.BASE_DIR, env=named, **pipes) as child:  # type: ignore[call-overload]
        told: list[Any] = []
        for line in child.stdout:
            name, value = orjson.loads(line)
            progress(value) if name == "done" else told.append(value)
    if child.returncode or not told:
        raise WorkFailed
    return told[0]


def _tell(name: str, value: Any) -> None:
    sys.stdout.buffer.write(orjson.dumps([name, value]) + b"\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # until whoever asked is gone
    os._exit(1)


def main() -> None:
    """Do one work for the process that started this one."""
    os.nice(BEHIND)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    django.setup()
    work = getattr(import_module(sys.argv[1]), sys.argv[2])
    _tell("result", work(*sys.argv[3:], progress=lambda done: _tell("done", done)))


if __name__ == "__main__":
    main()
