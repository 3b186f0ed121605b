"""The ledger's proof of itself: how fast a chain is verified, state laid from nothing, and compared with the log.
`--data` is not needed."""

import time
from collections.abc import Callable

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)

from governance.ledger.actions import sign_heads
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from tests.ledger.bulk import a_long_log

EVENTS = {"small": 20_000, "full": 200_000}
WANTED = {"verify_ledger": 50_000, "rebuild_state --check": 10_000}


def timed(name: str, events: int, work: Callable[[], object]) -> float:
    """Print how many events a second a piece of work handles, the best of three."""
    best = min(_seconds(work) for _ in range(3))
    wanted = f"  (wanted: {WANTED[name]:,})" if name in WANTED else ""
    print(f"{name:24} {events / best:10,.0f} events/s  {best:6.2f} s for {events:,}{wanted}", flush=True)
    return events / best


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
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
