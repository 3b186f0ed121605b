"""The ledger's proof of itself: how fast a chain is verified, state laid from nothing, and compared with the log.
With `--services` on a PostgreSQL server of its own. `--data` is not needed.
"""

import time
from collections.abc import Callable

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)

from governance.ledger.actions import sign_heads
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from tests.benchmarks.servers import again_on_postgresql, is_on_postgresql
from tests.ledger.bulk import a_long_log

EVENTS = {"small": 20_000, "full": 200_000}
WANTED = {"verify_ledger": 50_000, "rebuild_state --check": 10_000}


def timed(name: str, events: int, work: Callable[[], object]) -> float:
    """Print how many events a second a piece of work handles, the best of three."""
    taken = [_seconds(work) for _ in range(3)]
    best, busy = min(clock for clock, _ in taken), min(work for _, work in taken)
    wanted = f"  (wanted: {WANTED[name]:,})" if name in WANTED else ""
    rates = f"{events / best:10,.0f} events/s by the clock, {events / busy:10,.0f} of this processor"
    print(f"{name:24} {rates}{wanted}", flush=True)
    return events / best


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    clock, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - busy


def main() -> None:
    if OPTIONS.services and not is_on_postgresql():
        again_on_postgresql("ledger", connections=20)
        return
    events = EVENTS[OPTIONS.size]
    start = time.perf_counter()
    tenant = a_long_log("bench", events)
    sign_heads()
    print(f"a log of {events:,} events was written in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    laid = rebuild(apply=True)
    print(f"its state was laid in {time.perf_counter() - start:.1f} s: {len(laid.differences):,} rows")
    timed("verify_ledger", events, lambda: _sound(tenant.id))
    timed("rebuild_state --check", events, _equal)


def _sound(tenant: str) -> None:
    if not verify(tenant).sound:
        raise SystemExit("Error: the log just written is not sound.")


def _equal() -> None:
    if rebuild(apply=False).differences:
        raise SystemExit("Error: the state just laid is not the fold of the log.")


if __name__ == "__main__":
    main()
