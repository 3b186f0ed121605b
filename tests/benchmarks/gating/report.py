"""How figures of the gate are printed: one line a row with its counts and bar, a few of the errors below it."""

from dataclasses import dataclass, field

SHOWN = 4
WIDTH = 110


@dataclass
class Row:
    """How many of a set came out right. A bar of None is reported and not judged."""

    name: str
    bar: float | None = None
    at_most: bool = False  # the bar is a ceiling: "right" then counts what must be rare
    right: int = 0
    total: int = 0
    errors: list[str] = field(default_factory=list)
    note: str = ""

    def count(self, is_right: bool, words: str = "", why: str = "") -> None:
        self.total += 1
        self.right += is_right
        if is_right == self.at_most and words:
            self.errors.append(f"{why + ': ' if why else ''}{' '.join(words.split())[:WIDTH]}")

    @property
    def share(self) -> float:
        return self.right / self.total if self.total else float("nan")

    @property
    def holds(self) -> bool:
        return self.bar is None or (self.share <= self.bar if self.at_most else self.share >= self.bar)

    @property
    def result(self) -> str:
        return f"{self.share:.1%}"

    def print(self) -> None:
        sign = "<=" if self.at_most else ">="
        bar = "" if self.bar is None else f"bar {sign} {self.bar:.0%}  {'ok' if self.holds else 'BELOW'}"
        print(
            f"{self.name:<58}{self.right:>6}/{self.total:<6}{self.share:7.1%}  {bar}  {self.note}".rstrip(), flush=True
        )
        for error in self.errors[:SHOWN]:
            print(f"      {error}", flush=True)


@dataclass
class Cost:
    """What something costs, in milliseconds of processor time, and how much it may."""

    name: str
    spent: float
    bar: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.bar is None or self.spent < self.bar

    @property
    def result(self) -> str:
        return f"{self.spent:.3f} ms"

    def print(self) -> None:
        bar = "" if self.bar is None else f"bar < {self.bar:g} ms  {'ok' if self.holds else 'BELOW'}"
        print(f"{self.name:<58}{self.spent:>13.3f} ms  {self.note}  {bar}".rstrip(), flush=True)


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def every(rows: list, most: int | None) -> list:
    """Return all rows, or about so many spread evenly over them."""
    return rows[:: max(1, len(rows) // most)] if most else rows
