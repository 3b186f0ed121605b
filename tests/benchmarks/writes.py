"""Governed writes over HTTP against a real `manage.py serve`: redaction, stages, seal, event, commit; the embedding of
what was written runs beside, in the worker, as it does in life. `--data` is not needed."""

import os
import threading
from pathlib import Path

from tests.benchmarks.measure import Times, begin
from tests.flows.server import Server

OPTIONS = begin(__doc__)
WARM = 10


def write(server: Server, i: int, observe: Times, propose: Times) -> None:
    text = f"From now on my locker number {i} is on floor {i % 9}."
    user = f"user-{i % 40}"
    with observe.one():
        status, heard = server.send(
            "post", "observations", {"role": "user", "text": text, "user": user, "extract": False}
        )
    if status != 201:
        raise SystemExit(f"Error: observations answered {status}: {heard}")
    draft = {
        "scope": {"level": "user", "user": user},
        "kind": "semantic",
        "key": f"profile.locker.{i}",
        "value": i % 9,
        "content": f"The user's locker {i} is on floor {i % 9}.",
        "source_type": "user_explicit",
        "evidence": {"observation": heard["id"], "quote": text},
    }
    with propose.one():
        status, made = server.send("post", "candidates", draft)
    if (status, made.get("status")) != (201, "committed"):
        raise SystemExit(f"Error: candidates answered {status}: {made}")


def measure(server: Server, first: int, number: int, threads: int) -> tuple[Times, Times]:
    observe, propose = Times(), Times()
    numbers, lock = iter(range(first, first + number)), threading.Lock()

    def work() -> None:
        while True:
            with lock:
                i = next(numbers, None)
            if i is None:
                return
            write(server, i, observe, propose)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return observe, propose


def main() -> None:
    number = 200 if OPTIONS.size == "small" else 2_000
    server = Server(Path(os.environ["DATA_DIR"]).parent)
    server.start()
    try:
        server.make_agent()
        measure(server, 0, WARM, 1)
        for threads in (1, 4):
            observe, propose = measure(server, threads * 100_000, number, threads)
            print(f"{threads} caller(s): observe  {observe.said()}")
            print(f"{threads} caller(s): propose  {propose.said()}  (a governed write, committed)")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
