"""Races with full counts, on SQLite or, with `--services`, on a PostgreSQL server of its own: identical proposals,
revisions of one version, one idempotency key from many threads, writers of several processes. `--times` is how many pairs.
`--data` is not needed.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)

from django.conf import settings

from governance.candidates import actions
from governance.candidates.actions.observe import Said
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.errors import Stale, outcome
from governance.ledger.models import Event
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.memories.models import Memory, Version
from governance.scopes import queries
from governance.scopes.models import IdempotencyRow
from governance.scopes.rules import Actor, ScopeSpec
from tests.benchmarks.servers import again_on_postgresql, is_on_postgresql
from tests.flows.world import Agent, World
from tests.together import at_once, in_step
from tests.writers import run_processes

FULL = OPTIONS.size == "full"
PAIRS, REVISIONS, ROUNDS = (1_000, 200, 20) if FULL else (50, 20, 3)
PAIRS = OPTIONS.times or PAIRS
SAME, PROCESSES, THREADS, EACH = 20, 2, 32, 10 if FULL else 2
ANN = ScopeSpec("user", user="ann")


def main() -> None:
    if OPTIONS.services and not is_on_postgresql():
        again_on_postgresql("races", connections=2 * PROCESSES * THREADS + 40)  # room for every writer's two
        return
    settings.EMBEDDER = "tests.fakes.HashedWords"
    settings.API_REQUESTS_PER_MINUTE = 10_000_000
    world = World("races")
    key = world.agent().key
    agent = queries.actor_of_key(key)
    print(f"on {settings.DATABASES['default']['ENGINE'].rpartition('.')[2]}", flush=True)
    for name, race in (
        (f"{PAIRS:,} pairs of identical proposals", lambda: identical_proposals(agent)),
        (f"{REVISIONS} pairs of revisions", lambda: revisions(agent)),
        (f"{ROUNDS} idempotency keys, each from {SAME} threads", lambda: one_key(Agent(key))),
        (f"{PROCESSES} processes of {THREADS} writers", lambda: writers(key)),
    ):
        start = time.perf_counter()
        print(f"{name}: {race()}  ({time.perf_counter() - start:.1f} s)", flush=True)
    report = verify(world.tenant.id)
    must(report.sound, f"the chain is not sound: {report.findings[:3]}")
    must(not rebuild(apply=False).differences, "the state is not the fold of the ledger")
    print(f"the chain of {report.events:,} events is linear and sound, the state its fold")


def must(true: bool, otherwise: str) -> None:
    if not true:
        raise SystemExit(f"Error: {otherwise}")


def stated(agent: Actor, text: str) -> dict[str, Any]:
    heard = actions.observe(Said(role="user", text=text, user="ann", extract=False), by=agent)
    return {"source_type": "user_explicit", "observation": heard.observation.id, "quote": text}


def identical_proposals(agent: Actor) -> str:
    drafts = [
        Draft(scope=ANN, kind="semantic", key=f"pair.n{n}", value=n, **stated(agent, f"My pair {n} is {n}."))
        for n in range(PAIRS)
    ]
    works: Sequence[Callable[[], Candidate]] = [lambda d=draft: actions.propose(d, by=agent) for draft in drafts]

    both = in_step(works, works)

    statuses = Counter(made.status for column in both for made in column)
    memories = Memory.objects.count()
    must(memories == PAIRS, f"{memories} memories")
    must(statuses == {"committed": PAIRS, "merged": PAIRS}, f"statuses {statuses}")
    return f"{memories:,} memories; {dict(statuses)}"


def revisions(agent: Actor) -> str:
    draft = Draft(scope=ANN, kind="semantic", key="revised", value="0", **stated(agent, "My number is 0."))
    memory = actions.propose(draft, by=agent).memory
    must(memory is not None, "nothing to revise")
    # What is said later is revised later: else a person is asked.
    said = {(n, side): stated(agent, f"My number is {n}.{side}.") for n in range(REVISIONS) for side in (1, 2)}

    def revise(n: int, side: int) -> Any:
        change = Change(expected=n + 1, reason="correction", fields={"value": f"{n}.{side}"}, **said[n, side])
        return outcome(lambda: actions.revise(Memory.objects.get(pk=memory.pk), change, by=agent))

    both = in_step(*([lambda n=n, s=side: revise(n, s) for n in range(REVISIONS)] for side in (1, 2)))

    told = sum(isinstance(answer, Stale) for column in both for answer in column)
    rows = list(Version.objects.filter(memory=memory).order_by("number").values_list("number", "supersedes"))
    must(told == REVISIONS, f"{told} were told, {REVISIONS} should have been")
    must([n for n, _ in rows] == list(range(1, REVISIONS + 2)), "the versions are not those that were answered")
    must(all(b[1] == a[0] for a, b in pairwise(rows)), "a version does not follow the one before it")
    return f"{len(rows) - 1} versions, {told} told that they came too late, 0 lost"


def one_key(agent: Agent) -> str:
    before = Candidate.objects.count()

    def send(n: int) -> Any:
        body = {"scope": {"level": "user", "user": "ann"}, "kind": "semantic", "key": f"same.n{n}", "value": n}
        while True:
            answer = agent.again().send("post", "candidates", body, idempotency_key=f"key-{n}")
            if answer.status_code not in (409, 503):  # waited for longer than five seconds: try again, as told
                return answer

    for n in range(ROUNDS):
        answers = at_once([lambda n=n: send(n)] * SAME)

        must({a.status_code for a in answers} == {201}, f"answers {Counter(a.status_code for a in answers)}")
        must(len({a.json()["id"] for a in answers}) == 1, "more than one resource")
        must(sum("Idempotency-Replayed" not in a for a in answers) == 1, "more than one did the work")
    made = Candidate.objects.count() - before
    must(made == ROUNDS == IdempotencyRow.objects.count(), f"{made} resources")
    return f"{made} resources"


def writers(key: str) -> str:
    before = Event.objects.filter(type="candidate-proposed").count()

    counted = run_processes(key, processes=PROCESSES, threads=THREADS, each=EACH)

    written = Event.objects.filter(type="candidate-proposed").count() - before
    refused = counted["busy"]
    must(sum(counted.values()) == PROCESSES * THREADS * EACH, "somebody was not answered")
    must(set(counted) <= {"committed", "merged", "busy"}, f"statuses {counted}")
    must(written == sum(counted.values()) - refused, f"{written} proposals in the ledger")
    return f"{dict(counted)}; no deadlock"


if __name__ == "__main__":
    main()
