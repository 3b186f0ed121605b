"""The timeline is pure: any history, in any order of arrival, gives one that never overlaps."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from governance.memories.models import FOREVER
from governance.memories.rules import Span, Stated, at, timeline

DAY = datetime(2026, 8, 20, tzinfo=UTC)


def day(number: int) -> datetime:
    return DAY + timedelta(days=number)


def test_one_statement_holds_from_when_it_was_said_for_ever():
    assert timeline([Stated(1, day(0), day(0), None)]) == (Span(1, day(0), FOREVER),)


def test_what_is_said_later_covers_what_was_said_earlier():
    spans = timeline([Stated(1, day(0), day(0), None), Stated(2, day(5), day(5), None, supersedes=1)])

    assert spans == (Span(1, day(0), day(5)), Span(2, day(5), FOREVER))


def test_a_change_for_the_future_waits_and_switches_by_itself():
    spans = timeline([Stated(1, day(0), day(0), day(12)), Stated(2, day(0), day(12), None, supersedes=1)])

    assert at(spans, day(5)) == 1
    assert at(spans, day(12)) == 2
    assert at(spans, day(13)) == 2


def test_a_correction_takes_the_start_of_what_it_corrects():
    spans = timeline([Stated(1, day(0), day(0), None), Stated(2, day(5), day(5), None, corrects=True, supersedes=1)])

    assert spans == (Span(2, day(0), FOREVER),)


def test_a_correction_of_a_correction_takes_the_first_start():
    first = Stated(1, day(0), day(0), None)
    second = Stated(2, day(5), day(5), None, corrects=True, supersedes=1)
    third = Stated(3, day(6), day(6), None, corrects=True, supersedes=2)

    assert timeline([first, second, third]) == (Span(3, day(0), FOREVER),)


def test_a_correction_of_what_was_to_begin_later_begins_when_it_was_said():
    later = Stated(1, day(0), day(90), None)

    assert timeline([later, Stated(2, day(5), day(5), None, corrects=True, supersedes=1)]) == (
        Span(2, day(5), FOREVER),
    )


def test_a_period_inside_another_splits_it():
    spans = timeline([Stated(1, day(0), day(0), None), Stated(2, day(1), day(10), day(20), supersedes=1)])

    assert spans == (Span(1, day(0), day(10)), Span(2, day(10), day(20)), Span(1, day(20), FOREVER))


def test_a_tombstone_ends_everything_even_what_was_said_with_a_fast_clock():
    spans = timeline(
        [
            Stated(1, day(0), day(0), None),
            Stated(2, day(9), day(9), None, supersedes=1),
            Stated(3, day(5), day(5), None, supersedes=2, tombstone=True),
        ]
    )

    assert spans == ()


def test_what_is_restored_after_a_tombstone_holds_again():
    spans = timeline(
        [
            Stated(1, day(0), day(0), None),
            Stated(2, day(5), day(5), None, tombstone=True),
            Stated(3, day(6), day(0), None, supersedes=2),
        ]
    )

    assert spans == (Span(3, day(0), FOREVER),)


@st.composite
def histories(draw: st.DrawFn) -> list[Stated]:
    versions = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        start = draw(st.integers(0, 60))
        length = draw(st.one_of(st.none(), st.integers(1, 40)))
        end = None if length is None else day(start + length)
        corrects = number > 1 and draw(st.booleans())
        versions.append(
            Stated(number, day(draw(st.integers(0, 60))), day(start), end, corrects, number - 1 if number > 1 else None)
        )
    return versions


@settings(max_examples=300, deadline=None)
@given(histories(), st.randoms())
def test_any_order_of_arrival_gives_the_same_timeline_without_overlap(history: list[Stated], chance: random.Random):
    spans = timeline(history)
    shuffled = list(history)
    chance.shuffle(shuffled)

    assert timeline(shuffled) == spans
    assert all(one.ends_at <= other.starts_at for one, other in pairwise(spans))
    assert all(s.starts_at < s.ends_at for s in spans)


@settings(max_examples=300, deadline=None)
@given(histories(), st.integers(0, 120))
def test_at_every_moment_the_last_said_of_what_covers_it_holds(history: list[Stated], number: int):
    stated = {v.number: v for v in history}

    def start(v: Stated) -> datetime:
        own = v.valid_from
        while v.corrects and v.supersedes in stated:
            v = stated[v.supersedes]
        return min(own, v.valid_from)

    covering = [v for v in history if start(v) <= day(number) < (v.valid_to or FOREVER)]
    expected = max(covering, key=lambda v: (v.observed_at, v.number)).number if covering else None

    assert at(timeline(history), day(number)) == expected


@settings(max_examples=300, deadline=None)
@given(histories(), st.randoms())
def test_whoever_arrives_first_the_final_timeline_says_the_same(history: list[Stated], chance: random.Random):
    """Numbers are given in order of arrival; what was said when, and for when, is all that counts."""
    said = [replace(v, observed_at=day(n), corrects=False) for n, v in enumerate(history)]
    arrival = list(enumerate(said))
    chance.shuffle(arrival)
    numbered = [replace(v, number=n, supersedes=n - 1 or None) for n, (_, v) in enumerate(arrival, 1)]
    who = {n: word for n, (word, _) in enumerate(arrival, 1)}

    assert [(who[s.number], s.starts_at, s.ends_at) for s in timeline(numbered)] == [
        (s.number - 1, s.starts_at, s.ends_at) for s in timeline(said)
    ]


@settings(max_examples=300, deadline=None)
@given(histories(), st.integers(0, 120))
def test_what_nobody_stated_is_a_gap_and_nothing_else_is(history: list[Stated], number: int):
    stated = [replace(v, corrects=False) for v in history]

    is_stated = any(v.valid_from <= day(number) < (v.valid_to or FOREVER) for v in stated)

    assert (at(timeline(stated), day(number)) is not None) == is_stated


@settings(max_examples=300, deadline=None)
@given(histories(), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 40), st.booleans()), max_size=4))
def test_what_is_undone_leaves_the_timeline_as_it_was(history: list[Stated], between: list[tuple[int, int, bool]]):
    last = len(history)
    written = [
        Stated(last + n, day(90 + n), day(start), day(start + length), False, last + n - 1, tombstone)
        for n, (start, length, tombstone) in enumerate(between, 1)
    ]
    number = last + len(written) + 1
    undone = Stated(number, day(99), day(0), None, supersedes=number - 1, undoes=True, restores=last)

    spans = timeline([*history, *written, undone])

    assert spans == tuple(replace(s, number=number if s.number == last else s.number) for s in timeline(history))


def test_what_is_undone_twice_is_still_as_it_was():
    history = [
        Stated(1, day(0), day(3), None),
        Stated(2, day(5), day(0), day(1), supersedes=1),
        Stated(3, day(6), day(3), None, supersedes=2, undoes=True, restores=1),
        Stated(4, day(7), day(0), day(2), supersedes=3),
        Stated(5, day(8), day(0), None, supersedes=4, tombstone=True),
        Stated(6, day(9), day(3), None, supersedes=5, undoes=True, restores=3),
    ]

    assert timeline(history) == (Span(6, day(3), FOREVER),)
