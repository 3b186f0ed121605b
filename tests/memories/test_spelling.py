"""Equal values in other spelling are one; a changed value stays another."""

import itertools

import pytest

from governance.memories.rules import value_text
from governance.memories.spelling import one_spelling

ONE = {
    "length": ["5 km", "5000 m", "5km", "５ｋｍ", "5 kilometres", "5,000 m", "5 公里"],
    "time": ["1 h", "60 min", "one hour", "60 minutes", "1小时"],
    "share": ["10 %", "10%", "10 percent", "１０％", "百分之十"],
    "number": ["1,000", "1000", 1000, 1000.0, "1 000", "1'000"],
    "decimal": ["3.9", 3.9, "v3.9", "version 3.9"],
    "day": ["2026-03-05", "5 March 2026", "March 5, 2026", "2026年3月5日", "05.03.2026", "5th March 2026"],
    "day of a year": ["14 March", "March 14", "14th of March", "3月14日"],
    "one reading only": ["25/12/2026", "12/25/2026", "2026-12-25"],
    "clock": ["15:00", "3 pm", "3:00 PM", "下午3点"],
    "weekday": ["Tuesday", "tue", "on Tuesdays", "星期二", "周二"],
    "money": ["€10", "10 EUR", "10 euros", "10.00 €"],
    "moment": ["2026-03-05T10:00:00Z", "2026-03-05T12:00:00+02:00"],
    "word": ["PostgreSQL", "postgresql", "  PostgreSQL ", "“PostgreSQL”", "ＰｏｓｔｇｒｅＳＱＬ"],
    "list": [["5 km", "1,000"], ["5000 m", 1000]],
    "short name": ["PostgreSQL", "Postgres", "postgres "],
}


@pytest.mark.parametrize("spellings", ONE.values(), ids=ONE)
def test_one_value_has_one_spelling(spellings):
    assert len({value_text(one) for one in spellings}) == 1


def test_values_that_differ_stay_apart():
    values = ["3.9", "3.10", "3.90", "3.1", "3.9.1", "5 km", "5 m", "5", "10", "10 %", "05/03/2026", "$5", "5 USD"]
    values += ["1 month", "30 days", "Python 3.9", "Ruby 3.9", "May", "0.1", "1,5", "007", "room 12a", "4.30", "4:30"]
    values += [True, "1", None, "1 GB", "1 GiB", "20 °C", "20 °F", "2026-03-05", "2026-03-06", "14 March", "14 May"]

    for one, other in itertools.combinations(values, 2):
        assert value_text(one) != value_text(other), (one, other)


def test_a_version_need_not_repeat_what_its_key_says():
    key = "project.python.version"

    assert value_text("Python 3.9", key) == value_text("3.9", key) == value_text("Python v3.9", key)
    assert value_text("Ruby 3.9", key) != value_text("3.9", key)
    assert value_text("Python 3.10", key) != value_text("3.9", key)


@pytest.mark.parametrize(
    "text",
    ["16yeky6gmjenkaincby7zhrlomsgg1boyz 3j98t1wpez73cnmqviecrnyiwrnqrhwnly", "1" + "a1" * 40 + " !", "1-a" * 30 + "-"],
)
def test_what_only_resembles_a_version_is_left_as_it_is(text):
    assert one_spelling(text) == text
