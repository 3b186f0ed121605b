"""`kill -9` at random points of writing, indexing and rebuilding, as often as `--times` says (20): what was answered holds,
the ledger is sound, state is its fold, the index agrees with the database. With `--services` on PostgreSQL and a Chroma
server. `--data` is not needed.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from tests.benchmarks.measure import begin

os.environ.setdefault("EMBEDDER", "tests.fakes.HashedWords")
OPTIONS = begin(__doc__)

from django.conf import settings
from django.core.management import call_command
from django.db import connections, transaction
from django.db.backends.signals import connection_created
from django.utils import timezone

from governance.candidates import actions
from governance.candidates.actions.observe import Said
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.errors import Refusal, outcome
from governance.index import upkeep
from governance.index.chroma import IndexDown
from governance.ledger import sealing
from governance.ledger.actions import sign_heads
from governance.ledger.models import Outbox
from governance.ledger.outbox import drain, take_over
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import tenants, verify
from governance.memories.models import Memory, Version
from governance.scopes import queries
from governance.scopes.rules import Actor, ScopeSpec
from tests.flows.world import World
from tests.services.cluster import private_postgresql
from tests.services.outage import chroma_server

TIMES = OPTIONS.times or 20
KINDS = ("writing", "indexing", "rebuilding")
MOST_STATEMENTS = 1_500  # that a process lives to give a database: time alone would tell more of the machine's load
WHOLE_EVERY = 10  # kills between two comparisons of all state with the ledger
WRITERS = 2
STATEMENT = b".\n"


def main() -> None:
    if OPTIONS.services and not settings.CHROMA_URL:
        on_services()
        return
    chance = random.Random(OPTIONS.times)
    key = in_a_process(prepare)
    answered: dict[str, list[Any]] = {}
    killed: Counter[str] = Counter()
    for number in range(1, TIMES + 1):
        kind = KINDS[number % len(KINDS)]
        told = kill_one(key, kind, chance.random(), chance.randrange(MOST_STATEMENTS))
        answered.update({line[0]: line for line in told})
        killed[kind] += 1
        whole = number % WHOLE_EVERY == 0 or number == TIMES
        found = in_a_process(partial(check, answered, whole))
        if found:
            raise SystemExit(f"Error: after {number} kills, the last while {kind}: {found}")
        if whole:
            print(f"{number} kills, {len(answered):,} answers: all hold, ledger, state and index agree", flush=True)
    print(f"killed {dict(killed)} on {settings.DATABASES['default']['ENGINE'].rpartition('.')[2]}: nothing was lost")


def in_a_process(work: Callable[[], Any]) -> Any:
    """Return what a work returns in a process of its own; this one opens neither database nor index."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        status = 1
        try:
            with os.fdopen(writing, "w") as told:
                json.dump(work(), told)
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit("Error: a process failed; see above.")
    return json.loads(said)


def kill_one(key: str, kind: str, seed: float, after: int) -> list[list[Any]]:
    """Let a process work, kill it after some statements, and return the answers it gave."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            live(key, kind, seed, writing)
        finally:
            sys.stderr.flush()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as told:
        before = [line for line, _ in zip(told, range(after + 1), strict=False)]
        gone, _ = os.waitpid(child, os.WNOHANG)
        if gone or not before:
            raise SystemExit(f"Error: a process ended by itself while {kind}; see above.")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines = [*before, *told.read().splitlines(keepends=True)]
    return [json.loads(line) for line in lines if line.startswith("[") and line.endswith("\n")]


def live(key: str, kind: str, seed: float, told: int) -> None:
    """Work until killed: write in threads, and drain, rebuild the index or lay the state anew beside them."""

    def told_of(execute: Callable[..., Any], *statement: Any) -> Any:
        os.write(told, STATEMENT)
        return execute(*statement)

    connection_created.connect(lambda connection, **_: connection.execute_wrappers.append(told_of), weak=False)
    agent = queries.actor_of_key(key)
    take_over()
    for number in range(WRITERS if kind != "rebuilding" else 1):
        threading.Thread(target=write, args=[agent, random.Random(f"{seed}{number}"), told], daemon=True).start()
    while True:
        if kind == "rebuilding":
            patiently(upkeep.rebuild)
            rebuild(apply=True)
        elif kind == "indexing":
            Outbox.objects.bulk_create(_owed_again(agent.tenant))
        patiently(drain)
        sign_heads()


def _owed_again(tenant: str) -> list[Outbox]:
    some, now = Memory.objects.order_by("?").values_list("id", flat=True)[:50], timezone.now()
    return [Outbox(topic="index", tenant=tenant, ref=memory, due_at=now) for memory in some]


def patiently(work: Callable[[], Any]) -> None:
    try:
        work()
    except IndexDown:
        time.sleep(0.05)


def write(agent: Actor, chance: random.Random, told: int) -> None:
    """Say, propose, revise and retract; tell of each answer once it was given."""
    person = f"user-{chance.randrange(5)}"
    mine: list[tuple[str, int]] = []
    try:
        while True:
            text = f"I want {chance.randrange(10**9)}."
            heard = actions.observe(Said(role="user", text=text, user=person, extract=False), by=agent).observation
            said = {"source_type": "user_explicit", "observation": heard.id, "quote": text}
            memory, number = mine.pop() if mine and chance.random() < 0.5 else ("", 0)
            if not memory:
                draft = Draft(
                    scope=ScopeSpec("user", user=person), kind="semantic", key=f"k.{heard.id}", value=text, **said
                )
                made = outcome(lambda draft=draft: actions.propose(draft, by=agent))
            else:
                is_end = chance.random() < 0.3
                change = Change(number, {} if is_end else {"value": text}, reason="correction", **said)
                row, act = Memory.objects.get(pk=memory), actions.retract if is_end else actions.revise
                made = outcome(lambda row=row, act=act, change=change: act(row, change, by=agent))
            if isinstance(made, Refusal):
                continue
            os.write(told, json.dumps([made.id, made.memory_id, made.memory_version, text]).encode() + b"\n")
            if made.memory_id and made.status == "committed":
                mine.append((made.memory_id, made.memory_version))
    finally:
        connections.close_all()


def check(answered: dict[str, list[Any]], whole: bool) -> str:
    """Return what is wrong, or nothing: as a worker that starts anew finds it."""
    take_over()
    while drain():
        pass
    sign_heads()
    if lost := set(answered) - set(Candidate.objects.values_list("id", flat=True)):
        return f"{len(lost)} candidates that were answered are gone"
    versions = set(Version.objects.values_list("memory", "number"))
    if lost := [a for a in answered.values() if a[1] and (a[1], a[2]) not in versions]:
        return f"{len(lost)} versions that were answered are gone, such as {lost[0]}"
    for tenant in tenants():
        if findings := verify(tenant).findings:
            return f"the ledger is not sound: {findings[:3]}"
    drift = upkeep.drift()
    if not drift.agrees:
        return f"the index does not agree: {drift}"
    if whole and (wrong := rebuild(apply=False).differences):
        return f"state is not the fold of the ledger: {wrong[:3]}"
    return unread(answered) if whole else ""


def unread(answered: dict[str, list[Any]]) -> str:
    """Return which words that were stored cannot be read."""
    contents = dict(Candidate.objects.filter(pk__in=list(answered)).values_list("id", "content_id"))
    opened = sealing.unseal([c for c in contents.values() if c])
    dark = [i for i, c in contents.items() if c and (c not in opened or opened[c].erased)]
    return f"the words of {len(dark)} answers cannot be read" if dark else ""


def prepare() -> str:
    for alias in ("default", "keyring"):
        call_command("migrate", database=alias, verbosity=0)
    with transaction.atomic():
        world = World("killed")
        return world.agent().key


@contextmanager
def services(folder: Path) -> Iterator[dict[str, str]]:
    chroma = chroma_server(folder / "chroma")
    with private_postgresql(connections=60) as url:
        chroma.start()
        try:
            with psycopg.connect(f"{url}/postgres", autocommit=True) as server:
                for name in ("killed", "killed_keyring"):
                    server.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
            yield {
                "DATABASE_URL": f"{url}/killed",
                "KEYRING_URL": f"{url}/killed_keyring",
                "CHROMA_URL": f"http://127.0.0.1:{chroma.port}",
            }
        finally:
            chroma.stop()


def on_services() -> None:
    """Run this again on servers of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-kill-") as folder, services(Path(folder)) as own:
        environment = {**os.environ, **own}
        again = [sys.executable, "-m", "tests.benchmarks.kill", *sys.argv[1:]]
        done = subprocess.run(again, cwd=settings.BASE_DIR, env=environment, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
