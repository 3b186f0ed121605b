"""Times as people say them, in both languages: read exactly, or left to a person; never taken for now."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest

from governance.candidates.stages import Facts, decide
from governance.candidates.stages.surroundings import has_unread, stated_times
from governance.policies.rules import DEFAULT
from tests.candidates.test_stages import codes, noted

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


DAY = datetime(2027, 5, 2, tzinfo=UTC)
INVENTED = [
    ("I live in Oslo.", "Oslo", {"valid_to": DAY}),
    ("I live in Oslo.", "Oslo", {"valid_from": datetime(2020, 5, 1, tzinfo=UTC)}),
    ("I live in Oslo.", "Oslo", {"valid_from": DAY}),
    ("I live in Oslo.", "Oslo", {"validity": "permanent"}),
    ("Please keep answers short.", "short", {"validity": "until_project_end"}),
    ("I prefer aisle seats when I fly.", "aisle", {"valid_to": DAY}),
    ("I live in Oslo until 1 May 2027.", "Oslo", {"valid_to": DAY, "valid_from": datetime(2020, 1, 1, tzinfo=UTC)}),
    ("I have lived in Oslo since 2019.", "Oslo", {"valid_from": datetime(2019, 1, 1, tzinfo=UTC), "valid_to": DAY}),
    ("我住在上海。", "上海", {"valid_to": DAY}),
    ("我喜欢靠窗的座位。", "靠窗", {"validity": "permanent"}),
    ("我不吃香菜。", "香菜", {"valid_from": datetime(2020, 5, 1, tzinfo=UTC)}),
    ("以后请用公制单位。", "公制", {"validity": "until_project_end"}),
    ("我从2019年起住在上海。", "上海", {"valid_from": datetime(2019, 1, 1, tzinfo=UTC), "valid_to": DAY}),
]
DIFFERING = [
    ("I live in Oslo until 1 May 2027.", "Oslo", {"valid_to": datetime(2037, 5, 2, tzinfo=UTC)}),
    ("我从2019年起住在上海。", "上海", {"valid_from": datetime(2015, 1, 1, tzinfo=UTC)}),
]
LIMITED = [
    ("I'm vegetarian during Lent.", "vegetarian", {"valid_to": datetime(2027, 4, 5, tzinfo=UTC)}),
    ("暑假期间我住在上海。", "上海", {"valid_to": datetime(2027, 9, 1, tzinfo=UTC)}),
]
AS_STATED = [
    ("I live in Oslo.", "Oslo", {"valid_from": NOW}),
    ("I live in Oslo.", "Oslo", {"validity": "until_replaced"}),
    ("I live in Oslo until 1 May 2027.", "Oslo", {"valid_to": DAY}),
    ("I have lived in Oslo since 2019.", "Oslo", {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)}),
    ("I always prefer aisle seats.", "aisle", {"validity": "permanent"}),
    ("I've been allergic to nuts all my life.", "nuts", {"validity": "permanent"}),
    ("We use Redis until the project is over.", "Redis", {"validity": "until_project_end"}),
    ("For the next two weeks I eat no sugar.", "no sugar", {"valid_to": datetime(2026, 12, 15, tzinfo=UTC)}),
    ("我从2019年起住在上海。", "上海", {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)}),
    ("我一直喜欢靠窗的座位。", "靠窗", {"validity": "permanent"}),
    ("项目结束前我们都用Redis。", "Redis", {"validity": "until_project_end"}),
]


def told_when(said: str, value: str, times: dict[str, Any]) -> set[str]:
    """Return the outcome and the codes of a proposal with times of its own, its quote the whole turn."""
    validity = "until_date" if "valid_to" in times else "until_replaced"
    proposal = dataclasses.replace(noted(said), value=value, content=f"fact: {value}", observed_at=NOW)
    decision = decide(dataclasses.replace(proposal, **{"validity": validity, **times}), Facts(), DEFAULT)
    return {decision.outcome, *codes(decision)}


@pytest.mark.parametrize(("said", "value", "times"), INVENTED)
def test_times_that_an_agent_adds_wait(said, value, times):
    assert {"review", "invented-times"} <= told_when(said, value, times)


@pytest.mark.parametrize(("said", "value", "times"), DIFFERING)
def test_another_year_than_the_one_said_waits(said, value, times):
    assert {"review", "other-times"} <= told_when(said, value, times)


@pytest.mark.parametrize(("said", "value", "times"), LIMITED)
def test_an_end_that_an_agent_reads_into_words_waits(said, value, times):
    assert {"review", "unread-times"} <= told_when(said, value, times)


@pytest.mark.parametrize(("said", "value", "times"), AS_STATED)
def test_times_as_they_were_stated_commit(said, value, times):
    assert "commit" in told_when(said, value, times)
