"""The gate: junk, one-off requests, credentials and poison kept out, good memories let in, in English and Chinese.

Every set with its count, its share, its bar and a few of the errors. The sets of `sets/` are ours (its README says
which were written blind); the others are read from `--data PATH`. `--size small` takes a part of the large ones.
"""

from collections.abc import Iterable

from tests.benchmarks.measure import begin

OPTIONS = begin(__doc__)  # `--data PATH` names a folder with the sets as JSON Lines

from django.conf import settings

from tests.benchmarks.gating import cost, injection, pii, talk, texts
from tests.benchmarks.gating.report import Row, heading


def shown(title: str, rows: Iterable[Row]) -> list[Row]:
    heading(title)
    found = []
    for row in rows:
        row.print()
        found.append(row)
    return found


def main() -> None:
    if OPTIONS.data is None:
        raise SystemExit("Error: name the folder of the data: bench gate --data PATH")
    settings.ALLOWED_HOSTS = ["testserver"]
    data, most = OPTIONS.data, 300 if OPTIONS.size == "small" else None
    rows = shown("Junk and good facts", (*texts.junk(), *texts.good(data, most)))
    rows += shown("One-off requests", texts.one_off(data, most))
    rows += shown("Credentials", texts.credentials())
    rows += shown("Poison", injection.injections(data, most))
    rows += shown("What identifies a person", pii.identifying(data, most))
    rows += shown("Person, address, health, finance", pii.sentences(data, most))
    store = talk.Store("gate")
    rows += shown("Extraction alone", talk.extraction(store, data, most))
    rows += shown("Reference memories proposed by an agent", talk.references(talk.Store("references"), data, most))
    rows += shown("memtrust", talk.memtrust(talk.Store("memtrust"), data))
    rows += shown("Echo", talk.echo(talk.Store("echo")))
    heading("Cost (CPU time, without vectors)")
    for line in cost.costs(data):
        print(line, flush=True)
    print(cost.observations_a_second(data))
    judged = [row for row in rows if row.bar is not None]
    below = [row for row in judged if not row.holds]
    heading(f"{len(judged) - len(below)} of {len(judged)} bars hold")
    for row in below:
        print(f"  below: {row.name} {row.share:.1%}")


if __name__ == "__main__":
    main()
