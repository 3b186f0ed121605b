"""Times as people say them, in both languages: read exactly, or left to a person; never taken for now."""

from datetime import UTC, datetime

import pytest

from governance.candidates.stages.surroundings import has_unread, stated_times

NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)
READ = [
    ("We used Redis from 2019 to 2021.", "2019-01-01", "2022-01-01"),
    ("Not before 1 May 2027 will we use Redis.", "2027-05-01", None),
    ("From Q2 2027 we use Redis.", "2027-04-01", None),
    ("From the second quarter of 2027 we use Redis.", "2027-04-01", None),
    ("From H2 2027, we use Redis.", "2027-07-01", None),
    ("We will switch to Redis in 2028.", "2028-01-01", None),
    ("We switch to Redis in two weeks.", "2026-12-14", None),
    ("Next year we switch to Redis.", "2027-01-01", None),
    ("明年我们改用Redis。", "2027-01-01", None),
    ("2019年到2021年我们用Redis。", "2019-01-01", "2022-01-01"),
    ("从2019年到2021年我们用的是Redis。", "2019-01-01", "2022-01-01"),
    ("As of 1 September we have been using Redis.", "2026-09-01", None),
    ("我们从9月1日起就一直用Redis。", "2026-09-01", None),
    ("我们从9月1日起开始用Redis了。", "2026-09-01", None),
    ("9月1日开始用Redis了。", "2026-09-01", None),
    ("Since 1 September we use Redis.", "2026-09-01", None),
    ("今年年底之前我们用Redis。", None, "2027-01-01"),
    ("今年底之前我们用Redis。", None, "2027-01-01"),
    ("从2027年第二季度起我们用Redis。", "2027-04-01", None),
    ("2027年下半年开始我们用Redis。", "2027-07-01", None),
    ("From 25/04/2027 we use Redis.", "2027-04-25", None),
    ("We use Redis until 04/25/2027.", None, "2027-04-26"),
    ("两周后我们换成Redis。", "2026-12-14", None),
    ("从后年起我们用Redis。", "2028-01-01", None),
    ("I've lived in Oslo since 2019.", "2019-01-01", None),
    ("In 2020 I moved to Oslo.", "2020-01-01", None),
    ("Since 2019, I have lived in Oslo.", "2019-01-01", None),
    ("I have lived in Oslo since May.", "2026-05-01", None),
    ("From 1 January 2037 until 5 December 2037 I live in Oslo.", "2037-01-01", "2037-12-06"),
    ("From 1 January, we use Redis.", "2027-01-01", None),
    ("We use Redis.", None, None),
    ("From now on we use Redis.", None, None),
    ("Between 2019 and 2021 we used Redis.", "2019-01-01", "2022-01-01"),
    ("From June to August 2019 we used Redis.", "2019-06-01", "2019-09-01"),
    ("I work from Monday to Friday in Oslo.", None, None),
    ("我周一到周五在Oslo上班。", None, None),
    ("Every year in May I'm in Oslo.", None, None),
    ("I started using Redis in 2019.", None, None),
    ("从12月1日起我们用Redis。", "2026-12-01", None),
    ("We moved to Redis last week.", "2026-11-23", None),
    ("我上个月搬到了Oslo。", "2026-10-01", None),
    ("I live in Oslo until the end of next year.", None, "2028-01-01"),
    ("We use Redis for the next two weeks.", None, "2026-12-15"),
    ("From 1 September we will use Redis.", "2027-09-01", None),
    ("From 1 September 2027 we use Redis.", "2027-09-01", None),
    ("我从2019年起住在Oslo。", "2019-01-01", None),
    ("我2019年搬到Oslo。", "2019-01-01", None),
    ("我住在Oslo三年了。", None, None),
    ("We have used Redis for two years.", None, None),
    ("Today we switched to Redis.", "2026-11-30", None),
    ("We use Redis this year.", None, None),
    ("For our project we use Redis 7.", None, None),
    ("From tomorrow we use Redis.", "2026-12-01", None),
    ("Until 2028 we use Redis.", None, "2029-01-01"),
    ("直到明年年底我们都用Redis。", None, "2028-01-01"),
    ("The 2027 roadmap uses Redis.", None, None),
    ("I was born in Oslo in 1990.", None, None),
]
UNREAD = [
    "Before 1 May we used Redis.",
    "We use Redis from 30 February 2027.",
    "We use Redis from 2027-02-30.",
    "Next year we use Redis.",
    "明年我们用Redis。",
    "We used Redis in 2020.",
    "In 2020 we used Redis.",
    "2020年我们用Redis。",
    "我们公司从9月1日起改用Redis。",
    "From 03/04/2027 we use Redis.",
    "从03/04/2027起我们用Redis。",
    "Until 03/04/2027 we use Redis.",
    "从2027年夏天起我们用Redis。",
    "2027年春节后我们用Redis。",
    "再过两周我们用Redis。",
    "后年我们用Redis。",
    "From summer 2027 we use Redis.",
    "From early 2027 we use Redis.",
    "From Christmas we use Redis.",
    "We'll use Redis soon.",
    "Two weeks from now we use Redis.",
    "We used Redis 2019-2021.",
    "From 1 September we use Redis.",
]


def value_of(text: str) -> str:
    return "Oslo" if "Oslo" in text else "Redis"


@pytest.mark.parametrize(("text", "start", "end"), READ)
def test_what_is_said_exactly_holds_exactly_then(text, start, end):
    found = [moment and moment.date().isoformat() for moment in stated_times(text, text, value_of(text), NOW)]

    assert found == [start, end]
    assert not has_unread(text, text, value_of(text), NOW)


@pytest.mark.parametrize("text", UNREAD)
def test_a_time_that_is_not_read_for_sure_is_seen_and_not_guessed(text):
    assert has_unread(text, text, value_of(text), NOW)
    assert stated_times(text, text, value_of(text), NOW) == (None, None)
