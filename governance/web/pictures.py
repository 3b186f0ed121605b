"""Numbers laid out for pictures: positions in per cent, so that a template only draws."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.timezone import localtime
from django.utils.translation import gettext

from governance.memories.events import stated
from governance.memories.models import BEGINNING, FOREVER, Version
from governance.memories.queries import Moment
from governance.memories.rules import at, timeline
from governance.web.tags import date as dated

FACTORS = (
    ("probability", "right", "P"),
    ("utility", "useful later", "U"),
    ("reuse", "reusable", "R"),
    ("validity", "still valid", "A"),
    ("cost", "cost", "C"),
)


@dataclass(frozen=True)
class Bar:
    label: str
    text: str
    x: float
    width: float


@dataclass(frozen=True)
class Row:
    """One version, or one claim that is none yet: as it was stated, and the parts of it that are still believed."""

    label: str
    recorded_at: datetime
    y: float
    stated: Bar
    parts: tuple[Bar, ...]
    is_known: bool
    is_held: bool
    is_claim: bool
    is_named: bool
    is_assumed: bool

    @property
    def tip(self) -> str:
        return f"{self.label}: {self.stated.text}"


@dataclass(frozen=True)
class Timeline:
    """Validity from left to right in per cent, recording from top to bottom in pixels; each version is a row.

    `now` and `as_of` are upright lines, `known_at` one across: what is below it was not known yet.
    """

    rows: tuple[Row, ...]
    bar: float
    height: int
    now: float
    as_of: float | None
    known_at: float | None
    ticks: tuple[datetime, ...]
    held: str
    legend: str

    @property
    def has_claims(self) -> bool:
        return any(row.is_claim for row in self.rows)

    @property
    def tick_format(self) -> str:
        """How a date below the picture is written: as finely as the dates differ."""
        apart = self.ticks[-1] - self.ticks[0]
        return "j M H:i" if apart < timedelta(days=8) else "j M Y"


ROW, TALLEST, LEAST, LETTERING = 24, 480, 3, 16


@dataclass(frozen=True)
class Stretch:
    """A version or a claim as the picture needs it: where it was stated to hold, when it was recorded."""

    label: str
    starts_at: datetime
    ends_at: datetime
    recorded_at: datetime
    number: int = 0  # of a version
    assumed: bool = False


def timeline_of(
    versions: Sequence[Version], moment: Moment, now: datetime, claims: Sequence[Stretch] = ()
) -> Timeline | None:
    """Return the picture of a memory at a moment; None when nothing of it was ever stated to hold."""
    stretches = [_stretch(v) for v in versions if not (v.tombstone or v.closes)] + sorted(
        claims, key=lambda c: c.recorded_at
    )
    if not stretches:
        return None
    known = [v for v in versions if moment.known_at is None or v.recorded_at <= moment.known_at]
    spans = timeline(stated(v) for v in known)
    held = at(spans, moment.as_of)
    place, ticks = _axis([b for s in stretches for b in (s.starts_at, s.ends_at)], [now, moment.as_of])
    row = min(ROW, max(LEAST, TALLEST // len(stretches)))
    every = math.ceil(LETTERING / row)
    numbers = {v.number for v in known}
    rows = tuple(
        Row(
            label=s.label,
            recorded_at=s.recorded_at,
            y=i * row,
            stated=_bar(s, place),
            parts=tuple(
                _bar(Stretch(s.label, p.starts_at, p.ends_at, now), place) for p in spans if p.number == s.number
            ),
            is_known=not s.number or s.number in numbers,
            is_held=bool(s.number) and s.number == held,
            is_claim=not s.number,
            is_named=i % every == 0 and (i == 0 or i * row + LETTERING <= row * len(stretches)),
            is_assumed=s.assumed,
        )
        for i, s in enumerate(stretches)
    )
    return Timeline(
        rows=rows,
        bar=row - max(1, row // 4),
        height=row * len(stretches),
        now=place(now),
        as_of=place(moment.as_of) if moment.as_of != now else None,
        known_at=_across(stretches, moment, row),
        ticks=ticks,
        held=f"v{held}" if held else "",
        legend=gettext("{rows} rows from {first} to {last}; ").format(
            rows=len(stretches), first=_day(ticks[0]), last=_day(ticks[-1])
        )
        + (gettext("version {held} holds").format(held=held) if held else gettext("none holds")),
    )


def _stretch(version: Version) -> Stretch:
    return Stretch(
        label=f"v{version.number}",
        starts_at=version.valid_from,
        ends_at=version.valid_to or FOREVER,
        recorded_at=version.recorded_at,
        number=version.number,
        assumed=version.valid_from_assumed,
    )


def _axis(
    bounds: Sequence[datetime], moments: Sequence[datetime]
) -> tuple[Callable[[datetime], float], tuple[datetime, ...]]:
    """Return where a moment stands in per cent, and five dates along the way; the ends of time are cut off."""
    finite = [b for b in bounds if b not in (BEGINNING, FOREVER)] + list(moments)
    first, last = min(finite), max(finite)
    margin = max((last - first) * 0.12, timedelta(minutes=10))
    start, end = first - margin / 3, last + margin

    def place(moment: datetime) -> float:
        return round(100 * (min(max(moment, start), end) - start) / (end - start), 2)

    return place, tuple(start + (end - start) * i / 4 for i in range(5))


def _bar(stretch: Stretch, place: Callable[[datetime], float]) -> Bar:
    x, until = place(stretch.starts_at), place(stretch.ends_at)
    said = gettext("from {first}") if stretch.ends_at == FOREVER else gettext("from {first} to {last}")
    text = said.format(first=_day(stretch.starts_at), last=_day(stretch.ends_at))
    return Bar(stretch.label, text, min(x, 99.5), max(round(until - x, 2), 0.5))


def _day(moment: datetime) -> str:
    ends = {BEGINNING: gettext("the beginning"), FOREVER: ""}
    return ends.get(moment) or dated(localtime(moment), "j M Y")


def _across(stretches: Sequence[Stretch], moment: Moment, row: int) -> float | None:
    """Return the height of the line below what was known; None where no such moment was chosen."""
    if moment.known_at is None:
        return None
    return row * sum(s.recorded_at <= moment.known_at for s in stretches) - 0.5


@dataclass(frozen=True)
class ScorePicture:
    """V = P x U x R x A - C, each factor as a bar; `threshold` and `width` in per cent of the value's own scale."""

    value: float
    threshold: float
    width: float
    mark: float
    passes: bool
    factors: tuple[Bar, ...]


def score_of(score: Mapping[str, Any]) -> ScorePicture | None:
    """Return the picture of a value score; None where a person decided and nothing was scored."""
    if not score:
        return None
    value, threshold = float(score["value"]), float(score["threshold"])
    factors = tuple(
        Bar(label=text, text=sign, x=0, width=round(100 * min(max(float(score[name]), 0), 1), 1))
        for name, text, sign in FACTORS
    )
    return ScorePicture(
        value, threshold, round(100 * min(max(value, 0), 1), 1), round(100 * threshold, 1), value >= threshold, factors
    )


@dataclass(frozen=True)
class Column:
    """One day of a chart: its parts stacked from the bottom, heights and tops in per cent."""

    day: date
    total: int
    x: float
    width: float
    parts: tuple[tuple[str, int, float, float], ...]  # outcome, count, y, height


OUTCOMES = ("commit", "review", "event_only", "reject")


def columns_of(days: Mapping[date, Mapping[str, int]]) -> tuple[Column, ...]:
    """Return outcomes a day as columns; () when there was nothing on any day."""
    most = max((sum(counts.values()) for counts in days.values()), default=0)
    if not most:
        return ()
    step = 100 / len(days)
    return tuple(_column(day, counts, i * step, step, most) for i, (day, counts) in enumerate(sorted(days.items())))


def _column(day: date, counts: Mapping[str, int], x: float, step: float, most: int) -> Column:
    parts, top = [], 100.0
    for outcome in OUTCOMES:
        if n := counts.get(outcome, 0):
            height = 96 * n / most
            top -= height
            parts.append((outcome, n, round(top, 2), round(height, 2)))
    return Column(day, sum(counts.values()), round(x + step * 0.12, 2), round(step * 0.76, 2), tuple(parts))


@dataclass(frozen=True)
class StoreBar:
    """One store of a plan: its counts, and their shares of the longest bar in per cent."""

    store: str
    reason: str
    parts: tuple[tuple[str, int, float, float], ...]  # bucket, count, x, width

    @property
    def total(self) -> int:
        return sum(n for _, n, _, _ in self.parts)


def store_bars(lines: Sequence[Mapping[str, Any]]) -> tuple[StoreBar, ...]:
    """Return the stores of a plan that hold something as bars; widths by the square root, so that small ones show."""
    longest = max((math.sqrt(_held(line)) for line in lines), default=0) or 1
    return tuple(_store_bar(line, longest) for line in lines if _held(line))


def _held(line: Mapping[str, Any]) -> int:
    return int(line["erase"]) + int(line["restrict"]) + int(line["retain"])


def _store_bar(line: Mapping[str, Any], longest: float) -> StoreBar:
    whole = 100 * math.sqrt(_held(line)) / longest
    parts, x = [], 0.0
    for bucket in ("erase", "restrict", "retain"):
        if n := int(line[bucket]):
            width = whole * n / _held(line)
            parts.append((bucket, n, round(x, 2), round(width, 2)))
            x += width
    return StoreBar(str(line["store"]), str(line.get("reason", "")), tuple(parts))
