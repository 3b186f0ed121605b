"""The product as a process of its own: `manage.py serve` on a folder of its own, spoken to over the network."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 90


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One store; it can be started, killed and started again. What it prints is kept in `log`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data, self.keys, self.journal = folder / "data", folder / "keys", folder / "journal" / "journal.jsonl"
        self.log = folder / "serve.log"
        self.port = free_port()
        self.key = ""
        self.process: subprocess.Popen | None = None

    @property
    def environment(self) -> dict[str, str]:
        own = {"DATA_DIR": self.data, "KEY_DIR": self.keys, "JOURNAL_FILE": self.journal, "PORT": self.port}
        services = ("DATABASE_URL", "KEYRING_URL", "CHROMA_URL", "CELERY_BROKER_URL")
        rest = {name: value for name, value in os.environ.items() if name not in services}
        return {**rest, **{name: str(value) for name, value in own.items()}, "LOG_LEVEL": "DEBUG"}

    def manage(self, *arguments: str, told: str = "") -> subprocess.CompletedProcess:
        """Run a command on the store's data and return what it said."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            input=told,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def start(self) -> None:
        command = [sys.executable, "manage.py", "serve", "--migrate"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + SECONDS
        while not self._answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.1)

    def make_agent(self, *arguments: str) -> None:
        made = self.manage("create_agent", "--tenant", "acme", "--create-tenant", "--name", "assistant", *arguments)
        assert made.returncode == 0, made.stderr
        self.key = made.stdout.strip()

    def kill(self) -> None:
        """End every process of it at once, as a power cut would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(30)

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return status and body of an answer; bytes are sent as they are. Raises OSError when the server is gone."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        try:
            with urlopen(Request(url, data, headers, method=method.upper()), timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/sign-in/", timeout=5):
                return True
        except HTTPError:
            return True
        except OSError:
            return False


def all_ok(answers: Sequence[tuple[int, Any]], status: int) -> list[Any]:
    """Return the bodies of answers that all have one status."""
    assert {s for s, _ in answers} == {status}, answers
    return [body for _, body in answers]
