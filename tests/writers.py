"""`python -m tests.writers KEY THREADS EACH`: one process of writers, for tests that need several.

Says `ready` when it has started, begins when told, and ends with how many proposals had which status.
"""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_admin.settings")
django.setup()

from governance.candidates import actions
from governance.candidates.actions.observe import Said
from governance.candidates.rules import Draft
from governance.errors import Refusal, outcome
from governance.scopes import queries
from governance.scopes.rules import Actor, ScopeSpec
from tests.together import at_once

ROOT = Path(__file__).resolve().parent.parent
SHARED = 5  # keys that all writers write


def run_processes(key: str, *, processes: int, threads: int, each: int) -> Counter[str]:
    """Have several processes of writers begin together on the databases of this one; return all statuses they had."""
    command = [sys.executable, "-m", "tests.writers", key, str(threads), str(each)]
    environment = {**os.environ, **own_databases()}
    begun = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for process in begun:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in begun:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    counted: Counter[str] = Counter()
    for process in begun:
        said, _ = process.communicate(timeout=1_800)
        assert process.returncode == 0
        counted.update(json.loads(said))
    return counted


def own_databases() -> dict[str, str]:
    """Return the addresses of the databases this process uses, test databases included."""
    found = {}
    for alias, variable in (("default", "DATABASE_URL"), ("keyring", "KEYRING_URL")):
        name = str(settings.DATABASES[alias]["NAME"])
        if "sqlite" in settings.DATABASES[alias]["ENGINE"]:
            found[variable] = f"sqlite:///{name}"
        else:
            found[variable] = os.environ[variable].rpartition("/")[0] + "/" + name
    return found


def write(agent: Actor, each: int) -> Counter[str]:
    """Propose a number of times: what others propose too, and what nobody else does, in turn."""
    return Counter(_propose(agent, number) for number in range(each))


def _propose(agent: Actor, number: int) -> str:
    me = f"p{os.getpid()}t{threading.get_ident()}n{number}"
    key = f"shelf.{me}" if number % 2 else f"shelf.shared{number % SHARED}"
    text = f"I keep volume {me}."
    said = outcome(lambda: actions.observe(Said(role="user", text=text, user="ann", extract=False), by=agent))
    if isinstance(said, Refusal):
        return said.type
    stated = {"source_type": "user_explicit", "observation": said.observation.id, "quote": text}
    draft = Draft(scope=ScopeSpec("user", user="ann"), kind="semantic", key=key, value=me, **stated)
    made = outcome(lambda: actions.propose(draft, by=agent))
    return made.type if isinstance(made, Refusal) else made.status


def main(arguments: Sequence[str]) -> None:
    threads, each = int(arguments[1]), int(arguments[2])
    agent = queries.actor_of_key(arguments[0])
    print("ready", flush=True)
    sys.stdin.readline()
    counted = at_once([lambda: write(agent, each)] * threads)
    print(json.dumps(sum(counted, Counter())))


if __name__ == "__main__":
    main(sys.argv[1:])
