"""The gate: junk, one-off requests, credentials and poison kept out, good memories let in, in English and Chinese.

Every set with its count, its share, its bar and a few of the errors. The sets of `sets/` are ours (its README says
which were written blind); the others are read from `--data PATH`. `--size small` takes a part of the large ones,
`--sets poison,echo` only the named ones.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with the sets as JSON Lines

from django.conf import settings

from tests.benchmarks.gating import cost, injection, pii, talk, texts
from tests.benchmarks.gating.report import Cost, Row, heading

Rows = Iterable[Row | Cost]
SETS: dict[str, tuple[str, Callable[[Path, int | None], Rows]]] = {
    "junk": ("Junk and good facts", lambda data, most: chain(texts.junk(), texts.good(data, most))),
    "oneoff": ("One-off requests", texts.one_off),
    "credentials": ("Credentials", lambda data, most: texts.credentials()),
    "poison": ("Poison", injection.injections),
    "pii": ("What identifies a person", pii.identifying),
    "sensitive": ("Person, address, health, finance", pii.sentences),
    "extraction": ("Extraction alone", lambda data, most: talk.extraction(talk.Store("gate"), data, most)),
    "references": (
        "Reference memories proposed by an agent",
        lambda data, most: talk.references(talk.Store("references"), data, most),
    ),
    "memtrust": ("memtrust", lambda data, most: talk.memtrust(talk.Store("memtrust"), data)),
    "echo": ("Echo", lambda data, most: talk.echo(talk.Store("echo"))),
    "cost": (
        "Cost in processor time, without vectors",
        lambda data, most: chain(cost.stages(data), cost.observations(talk.Store("cost"), data, most)),
    ),
}


def shown(title: str, rows: Rows) -> list[Row | Cost]:
    heading(title)
    found: list[Row | Cost] = []
    for row in rows:
        row.print()
        found.append(row)
    return found


def chosen() -> list[str]:
    """Return the names of the sets asked for, all of them unless some are named."""
    names = OPTIONS.sets.split(",") if OPTIONS.sets else list(SETS)
    if unknown := set(names) - set(SETS):
        raise SystemExit(f"Error: there is no set {', '.join(sorted(unknown))}. Sets: {', '.join(SETS)}")
    return names


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench gate --data PATH")
    settings.ALLOWED_HOSTS = ["testserver"]
    most = 300 if OPTIONS.size == "small" else None
    rows = [row for name in chosen() for row in shown(SETS[name][0], SETS[name][1](OPTIONS.data, most))]
    judged = [row for row in rows if row.bar is not None]
    below = [row for row in judged if not row.holds]
    heading(f"{len(judged) - len(below)} of {len(judged)} bars hold")
    for row in below:
        print(f"  below: {row.name} {row.result}")


if __name__ == "__main__":
    main()
