"""The pages on a full store: processor time of each, how many questions they ask, and whether both depend on its size.

Small is 10,000 waiting proposals and 4,000 memories; full is 100,000 and 200,000. Proposals are written straight into
their table, sealed, without events of their own: what is measured is reading (`--data` names sentences). The own
thread's processor time is given, since a machine that does other things would otherwise be measured; that of the
database, too, where it is SQLite. With `--services` on a PostgreSQL server of its own, whose time is its own, and so
the time that went by is given. At the end one agent proposes as much as a minute holds, and moves nobody down.
"""

import os
import time
from collections.abc import Iterator
from datetime import timedelta

os.environ["EMBEDDER"] = "tests.benchmarks.hashed.Hashed"
os.environ["UNDO_SECONDS_MOST"] = "0"

from tests.benchmarks.measure import Row, begin, percentile, table

OPTIONS = begin(__doc__)

import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.candidates import waiting as waiting_rooms
from governance.candidates.actions.propose import propose
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.ledger import ids, sealing
from governance.ledger.models import Content
from governance.ledger.writing import folding_allowed
from governance.memories.models import Memory
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member, agent_actor
from governance.scopes.rules import Actor, ScopeSpec
from tests.benchmarks import bulk
from tests.benchmarks.filled import Sentences, Store
from tests.benchmarks.servers import again_on_postgresql, is_on_postgresql

SMALL = OPTIONS.size == "small"
WAITING, PEOPLE, EACH = (10_000, 40, 100) if SMALL else (100_000, 2_000, 100)
FLOOD = 500 if SMALL else 5_000
LOUD = 40  # proposals of the last hour at least: their agent is loud in a store of any size
BAR = 150.0  # ms
TIMES = OPTIONS.times or 20
CLOCK = time.perf_counter if OPTIONS.services else time.thread_time
KINDS = ("semantic", "episodic", "procedural")
RISKS = ("normal", "raised", "high")


def waiting(store: Store, number: int) -> list[Candidate]:
    """Write proposals that wait, in every combination of what they are narrowed by; many of the last hour."""
    now, people = timezone.now(), list(store.people.values())
    made: list[Candidate] = []
    for start in range(0, number, 2_000):
        rows, contents = [], []
        for i in range(start, min(start + 2_000, number)):
            scope = people[i % len(people)]
            words = {"content": f"Somebody keeps number {i} in the cellar.", "key": f"note.n{i}", "value": str(i)}
            sealed = sealing.seal_shared(
                words, tenant=store.by.tenant, scope=scope.id, subject=scope.subject_id or "", period="bench"
            )
            contents.append(sealed.row())
            waited = timedelta(minutes=i if i < LOUD else i * 37 % 20_000)
            rows.append(_row(i, scope, sealed.id, store, now - waited))
        Content.objects.bulk_create(contents)
        with folding_allowed():
            made += Candidate.objects.bulk_create(rows)
    return made


def _row(i: int, scope, content: str, store: Store, at) -> Candidate:
    return Candidate(
        id=ids.new("cand"),
        tenant_id=store.by.tenant,
        scope_id=scope.id,
        status="pending",
        outcome="review",
        content_id=content,
        kind=KINDS[i % 3],
        level=scope.level,
        risk=RISKS[i % 10 % 3],
        key_mac=b"%032d" % i,
        value_mac=b"%032d" % i,
        claimed_source="agent_guess",
        source_type="agent_guess",
        confidence=0.4,
        agent_id=store.by.agent,
        proposed_by=store.by.id,
        observed_at=at,
        validity="until_replaced",
        reason="",
        policy_version=1,
        created_at=at,
        created_seq=1_000_000_000 + i,
    )


class Reviewer:
    """A person at work in the pages."""

    def __init__(self, tenant) -> None:
        self.tenant = tenant.id
        for role in ("reviewer", "administrator", "resolver"):
            scopes.add_member(tenant, "rita", role, password=None if role != "reviewer" else "a-long-enough-one")
        self.http = Client()
        self.http.force_login(User.objects.get(username="rita"))

    def measured(self, name: str, addresses: list[str]) -> tuple[Row, int]:
        """Return what the pages took, and the number of questions of the last."""
        taken, asked = [], 0
        self.http.get(addresses[0])
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                worked = CLOCK()
                response = self.http.get(address)
                taken.append((CLOCK() - worked) * 1000)
            assert response.status_code == 200, (address, response.status_code)
            asked = len(queries)
        slow = percentile(taken, 95)
        found = f"p50 {percentile(taken, 50):6.1f}  p95 {slow:6.1f} ms  {asked} queries"
        return Row(name, found, f"p95 <= {BAR:.0f} ms", slow <= BAR), asked

    @property
    def actor(self) -> Actor:
        return actor_of_member(User.objects.get(username="rita"), self.tenant)

    def order(self, ids: list[str]) -> list[int]:
        """Return how many items of the queue stand before each of some."""
        rows = waiting_rooms.queue(self.actor)
        return [rows.filter(created_seq__lt=Candidate.objects.get(pk=pk).created_seq).count() for pk in ids]

    def decided(self, rows: list[Candidate]) -> Row:
        taken = []
        for row in rows:
            self.http.get(f"/review/{row.id}/")
            worked = CLOCK()
            response = self.http.post(f"/review/{row.id}/reject/", {"version": "1", "reason": "unclear"})
            taken.append((CLOCK() - worked) * 1000)
            assert response.status_code == 302, response.status_code
        slow = percentile(taken, 95)
        return Row(
            "a decision", f"p50 {percentile(taken, 50):6.1f}  p95 {slow:6.1f} ms", f"p95 <= {BAR:.0f} ms", slow <= BAR
        )


def flooded(store: Store, person: Reviewer) -> Row:
    """Have one agent propose, within a minute, far more than its share: nobody's items move, one digest item."""
    owner = scopes.first_administrator(store.tenant)
    quiet, loud = (_agent(store, name, owner) for name in ("quiet", "loud"))
    others = [_proposed(quiet, i).id for i in range(20)]
    before = person.order(others)
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        for i in range(FLOOD):
            _proposed(loud, i)
    digests = [flood for flood in waiting_rooms.floods(person.actor) if flood.agent == loud.agent]
    stayed = person.order(others) == before
    held = digests[0].count if digests else 0
    shown = waiting_rooms.queue(person.actor).filter(agent=loud.agent).count()
    met = stayed and len(digests) == 1 and held + shown == FLOOD
    return Row(f"{FLOOD:,} of one agent in a minute", f"{shown} shown, {held:,} in one item", "others stay", met)


def _agent(store: Store, name: str, owner) -> Actor:
    made = scopes.create_agent(store.tenant, name, owner=owner)
    return agent_actor(made, scopes.issue_key(made)[0])


def _proposed(by: Actor, i: int) -> Candidate:
    scope, said = ScopeSpec("user", user=f"{by.agent}-{i % 50}"), f"Somebody likes number {i}."
    return propose(Draft(scope=scope, kind="semantic", key=f"preference.n{i}", value=i, content=said), by=by)


def pages(made: list[Candidate], memories: list[str]) -> Iterator[tuple[str, list[str]]]:
    yield "dashboard", ["/"] * TIMES
    yield "review queue", ["/review/"] * TIMES
    yield "review queue, narrowed", ["/review/?kind=episodic&risk=raised", "/review/?due=overdue"] * (TIMES // 2)
    yield "review queue, far down", [f"/review/?after={r.created_seq}" for r in made[:: len(made) // TIMES][:TIMES]]
    yield "a proposal", [f"/review/{r.id}/" for r in made[:: len(made) // TIMES][:TIMES]]
    yield "all proposals", ["/proposals/", "/proposals/?outcome=review"] * (TIMES // 2)
    yield "memories", ["/memories/"] * TIMES
    yield "memories, narrowed", ["/memories/?status=active", "/memories/?source=user_explicit"] * (TIMES // 2)
    yield "a memory", [f"/memories/{m}/" for m in memories[:TIMES]]
    yield "conflicts", ["/conflicts/"] * TIMES
    yield "recalls", ["/recalls/"] * TIMES
    yield "audit log", ["/audit-log/"] * TIMES


def main() -> None:
    if OPTIONS.services and not is_on_postgresql():
        again_on_postgresql("desks", connections=40)
        return
    bulk.projector.upsert = lambda shard, entries: None  # no page of these asks Chroma
    scopes.ensure_system_tenant()
    store = Store("acme", Sentences(OPTIONS.data))
    print(f"Making {PEOPLE * EACH:,} memories and {WAITING:,} waiting proposals…", flush=True)
    store.grow(PEOPLE, EACH)
    few = waiting(store, 500)
    person = Reviewer(few[0].tenant)
    memories = list(Memory.objects.values_list("pk", flat=True)[:TIMES])
    before = {name: person.measured(name, addresses[:2])[1] for name, addresses in pages(few, memories)}
    with folding_allowed():
        Candidate.objects.all().delete()
    made = waiting(store, WAITING)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if is_on_postgresql() else "ANALYZE")  # as its own keeper leaves it
    rows = []
    for name, addresses in pages(made, memories):
        row, asked = person.measured(name, addresses)
        rows.append(row)
        if asked > before[name]:
            rows.append(Row(f"  {name}: queries", f"{asked}, on a small store {before[name]}", "no more", False))
    rows.append(person.decided(made[-TIMES:]))
    rows.append(flooded(store, person))
    print(table(rows))


if __name__ == "__main__":
    main()
