"""How the gate does, laid out for pictures: positions in per cent, so that a template only draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from django.utils.translation import gettext

from governance.candidates.labels import Tally, Week

OUTCOMES = ("commit", "review", "quarantine", "event_only", "reject")


@dataclass(frozen=True)
class Point:
    """One week: where it stands, and what it says; a value is None where nothing was to be measured."""

    start: date
    x: float
    precision: float | None
    recall: float | None
    total: int

    @property
    def precision_y(self) -> float | None:
        return None if self.precision is None else _height(self.precision)

    @property
    def recall_y(self) -> float | None:
        return None if self.recall is None else _height(self.recall)


@dataclass(frozen=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class GateChart:
    """Precision and recall week by week, and over all of them."""

    points: tuple[Point, ...]
    precision: tuple[Line, ...]
    recall: tuple[Line, ...]
    whole: Tally

    @property
    def has_course(self) -> bool:
        """Whether more than one week has answers, so that there is a course to draw."""
        return sum(point.total > 0 for point in self.points) > 1

    @property
    def legend(self) -> str:
        """The chart in words."""
        said = gettext("{weeks} weeks, {answers} answers; precision {precision}, recall {recall}")
        return said.format(
            weeks=len(self.points),
            answers=self.whole.total,
            precision=_per_cent(self.whole.precision),
            recall=_per_cent(self.whole.recall),
        )


def _per_cent(share: float | None) -> str:
    return gettext("not known") if share is None else f"{100 * share:.0f} %"


def _height(share: float) -> float:
    return round(6 + 88 * (1 - share), 2)


def gate_of(weeks: Sequence[Week]) -> GateChart:
    """Return the picture of what people answered; a line breaks where a week says nothing."""
    step = 100 / len(weeks)
    points = tuple(
        Point(week.start, round(step * (i + 0.5), 2), week.tally.precision, week.tally.recall, week.tally.total)
        for i, week in enumerate(weeks)
    )
    whole = Tally()
    for week in weeks:
        t = week.tally
        whole = Tally(
            whole.right_in + t.right_in,
            whole.wrong_in + t.wrong_in,
            whole.right_out + t.right_out,
            whole.wrong_out + t.wrong_out,
        )
    return GateChart(
        points,
        _line([(p.x, p.precision_y) for p in points]),
        _line([(p.x, p.recall_y) for p in points]),
        whole,
    )


def _line(places: Sequence[tuple[float, float | None]]) -> tuple[Line, ...]:
    return tuple(Line(x1, y1, x2, y2) for (x1, y1), (x2, y2) in pairwise(places) if y1 is not None and y2 is not None)


@dataclass(frozen=True)
class Outcome:
    """How many candidates come to an outcome now and under a draft, as bars of one scale."""

    name: str
    before: int
    after: int
    before_width: float
    after_width: float

    @property
    def difference(self) -> str:
        return f"{self.after - self.before:+d}" if self.after != self.before else "0"


def outcomes_of(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Outcome, ...]:
    """Return both counts of every outcome that one of them has."""
    most = max([*before.values(), *after.values(), 1])
    return tuple(
        Outcome(
            name,
            before.get(name, 0),
            after.get(name, 0),
            round(100 * before.get(name, 0) / most, 1),
            round(100 * after.get(name, 0) / most, 1),
        )
        for name in OUTCOMES
        if before.get(name) or after.get(name)
    )
