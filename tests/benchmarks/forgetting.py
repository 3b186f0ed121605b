"""Forgetting one person of many: how soon nobody can find or read it, how soon that is shown, who waits meanwhile.

One person has 800 memories; small is 20,000 memories in all, full 200,000, with invented sentences and vectors made by
the bulk path (`bulk.py`). The request is filed, planned and approved as people do it, and runs in a thread of this
process, as `manage.py serve` runs it, while other people's recalls go on one after another.
"""

import os
import random
import time
from collections.abc import Iterator
from threading import Thread

os.environ["EMBEDDER"] = "tests.benchmarks.hashed.Hashed"

from tests.benchmarks.measure import Row, Times, begin, percentile, table

OPTIONS = begin(__doc__)  # size, and --data: a folder of JSON Lines with `text`

from django.db import connections

from governance.erasure.actions import approve, file_request, plan, verify_identity
from governance.erasure.actions.file import Wish
from governance.erasure.execute import run
from governance.erasure.models import ForgetReport, ForgetRequest, StoreRow
from governance.erasure.rules import Selector
from governance.ledger.apart import answer_others
from governance.ledger.outbox import drain
from governance.memories.models import Memory
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Actor
from tests.benchmarks.filled import Sentences, Store

SMALL = OPTIONS.size == "small"
MEMORIES = 20_000 if SMALL else 200_000
THEIRS = 800
EACH = 100  # memories of everybody else
WARM = 20  # people whose recalls are measured
BEFORE = 400  # recalls


def officer(store: Store, name: str) -> Actor:
    return actor_of_member(scopes.add_member(store.tenant, name, "compliance").user, store.tenant.id)


def recalls(store: Store, times: Times) -> Iterator[None]:
    """Recall for one warm person after another, without end."""
    pick = random.Random(3)
    people = list(store.people)[1 : WARM + 1]
    while True:
        user = pick.choice(people)
        with times.one():
            recall(Question(query=f"What about {pick.choice(store.said[user])}", user=user), by=store.by)
        yield


def approved(store: Store, person: str) -> tuple[ForgetRequest, float]:
    """Return the request, approved by a second person, and how many seconds its plan took."""
    cora, carl = officer(store, "cora"), officer(store, "carl")
    filed = file_request(Wish(Selector(user=person)), by=cora)
    verified = verify_identity(filed, method="document", by=cora)
    start = time.perf_counter()
    planned = plan(verified)
    took = time.perf_counter() - start
    return approve(planned, plan_hash=planned.plan_hash, by=carl), took


def run_apart(request: ForgetRequest) -> None:
    run(request)
    connections.close_all()


def main() -> None:
    store = Store("home", Sentences(OPTIONS.data))
    store.grow(1, THEIRS)
    store.grow((MEMORIES - THEIRS) // EACH, EACH)
    person = next(iter(store.people))
    before, meanwhile = Times(), Times()
    calm = recalls(store, before)
    for _ in range(WARM * 5 + BEFORE):  # the first ones warm up
        next(calm)
    before.taken = before.taken[-BEFORE:]
    request, planning = approved(store, person)

    answer_others()
    begun = time.time()
    thread = Thread(target=run_apart, args=(request,))
    thread.start()
    busy = recalls(store, meanwhile)
    while thread.is_alive():
        next(busy)
    took = time.time() - begun

    print("\n" + table(list(found(request, planning, begun, took, before, meanwhile))))


def found(
    request: ForgetRequest, planning: float, begun: float, took: float, before: Times, meanwhile: Times
) -> Iterator[Row]:
    request.refresh_from_db()
    written = ForgetReport.objects.get(request=request).document
    gone = {row.store: row.finished_at.timestamp() - begun for row in StoreRow.objects.filter(request=request)}
    scan, left = written["proof"]["bytes"], Memory.objects.filter(erased=False).count()
    yield Row(f"plan of {THEIRS} memories of one person in {MEMORIES:,}", f"{planning:.1f} s")
    keys = f"{gone['index-retrieval']:.1f} / {gone['keyring']:.1f} s"
    yield Row("not retrievable / its keys gone, after it began", keys)
    yield Row(
        "the signed report, after it began", f"{took:.1f} s ({written['time']['verifying_seconds']:.1f} of proof)"
    )
    yield Row("  it says", f"{request.status} {' '.join(request.grounds)}", "complete", request.status == "complete")
    looked = f"{scan['files']:,} files, {scan['bytes'] / 1e6:,.0f} MB"
    yield Row(f"  looked through for {scan['vectors']:,} vectors, {scan['texts']:,} texts", looked)
    yield Row("  found there", f"{len(scan['hits'])} in {', '.join(scan['forms'])}", "0", not scan["hits"])
    yield Row("  memories of everybody else", f"{left:,}", "all", left == MEMORIES - THEIRS)
    ratio = percentile(meanwhile.taken, 95) / percentile(before.taken, 95)
    yield Row("recalls of others before", before.said())
    yield Row("recalls of others meanwhile", meanwhile.said())
    yield Row("  p95 meanwhile to p95 before", f"{ratio:.1f}x; the longest {max(meanwhile.taken) / 1000:.1f} s")
    slowest = sorted(store_seconds(request), reverse=True)[:5]
    yield Row("  the longest steps", ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slowest))


def store_seconds(request: ForgetRequest) -> Iterator[tuple[float, str]]:
    for row in StoreRow.objects.filter(request=request):
        yield (row.finished_at - row.started_at).total_seconds(), row.store


if __name__ == "__main__":
    drain()
    main()
