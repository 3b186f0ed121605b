"""Whether the clock tells a stranger's id from one that nobody has: every operation that takes an id, both kinds of id in
turn, medians and their ratio. What seems apart is looked at again, longer: chance does not repeat itself, a leak does.
`--data` is not needed; `--times` is how often each call is made."""

import statistics
import time
from typing import Any

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator

from tests.api.test_leaks import calls, one_of_each, unknown
from tests.flows.world import Agent, World

TIMES = OPTIONS.times or (40 if OPTIONS.size == "small" else 300)
WARM, APART, LONGER = 5, 0.20, 8
Call = tuple[str, str, Any]


def settled(agent: Agent, call: Call, other: Call) -> tuple[float, float]:
    """Return the ratios of two calls; where either is apart, those of a longer look."""
    first = ratios(agent, call, other, TIMES)
    return ratios(agent, call, other, LONGER * TIMES) if any(map(is_apart, first)) else first


def is_apart(ratio: float) -> bool:
    return abs(ratio - 1) > APART


def ratios(agent: Agent, call: Call, other: Call, times: int) -> tuple[float, float]:
    """Return how two calls made in turn compare in median time: by the clock, and in what the processor did."""
    taken: list[list[tuple[float, float]]] = [[], []]
    for turn in range(WARM + times):
        for which in (0, 1) if turn % 2 else (1, 0):
            clock, work = time.perf_counter(), time.thread_time()
            agent.send(*(call, other)[which])
            taken[which].append((time.perf_counter() - clock, time.thread_time() - work))
    there, nowhere = ([statistics.median(each) for each in zip(*column[WARM:], strict=True)] for column in taken)
    return there[0] / nowhere[0], there[1] / nowhere[1]


def main() -> None:
    settings.EMBEDDER = "tests.fakes.HashedWords"
    settings.API_REQUESTS_PER_MINUTE = 10_000_000
    document = SchemaGenerator().get_schema(request=None, public=True)
    world = World("acme")
    reaches = {
        "another tenant's": (world.agent("free", more=("inspect", "manage")), one_of_each(World("acme-corp"), "lin")),
        "another user's": (world.agent("bound", more=("inspect", "manage"), users=["lin"]), one_of_each(world, "ann")),
    }
    found = []
    for whose, (agent, ids) in reaches.items():
        for kind, known in ids.items():
            for call, other in zip(calls(document, known), calls(document, unknown(known)), strict=True):
                clock, work = settled(agent, call, other)
                found.append((clock, work))
                path = call[1].replace(known, "{id}")
                print(f"{clock:5.2f} {work:5.2f}  {whose} {kind}: {call[0]} {path}", flush=True)
    for name, column in zip(("by the clock", "of the processor"), zip(*found, strict=True), strict=True):
        apart = sum(map(is_apart, column))
        print(f"{name}: {len(column)} calls, ratio {min(column):.2f} to {max(column):.2f}, {apart} apart by over 20 %")


if __name__ == "__main__":
    main()
