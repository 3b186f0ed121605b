"""What benchmarks share: setting up Django on the store that `manage.py bench` made, and percentiles."""

import argparse
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django


def begin(description: str) -> argparse.Namespace:
    """Set Django up and return the options of `manage.py bench`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--size", choices=["small", "full"], default="small")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--times", type=int)
    parser.add_argument("--sets")
    parser.add_argument("--services", action="store_true")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_admin.settings"
    django.setup()
    return options


class Times:
    """Durations in milliseconds."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    @contextmanager
    def one(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.taken.append((time.perf_counter() - start) * 1000)

    def said(self) -> str:
        return (
            f"p50 {percentile(self.taken, 50):6.1f} ms  p95 {percentile(self.taken, 95):6.1f} ms  n {len(self.taken)}"
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(len(ranked) * share / 100) - 1)] if ranked else float("nan")


@dataclass(frozen=True)
class Row:
    """One line of a table of figures: what was measured, what came out, what was wanted."""

    figure: str
    found: str
    bar: str = ""
    met: bool | None = None  # None: reported, no bar at this size

    def line(self) -> str:
        verdict = {True: "yes", False: "NO", None: ""}[self.met]
        return f"{self.figure:<64} {self.found:<38} {self.bar:<16} {verdict}"


def table(rows: Sequence[Row]) -> str:
    return "\n".join([Row("figure", "found", "bar").line() + "met", *(r.line() for r in rows)])
