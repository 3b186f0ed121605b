"""Times named in a clause, resolved against when it was said, in the speaker's zone.

Ranges are half-open: "until 31 August" ends at 1 September 00:00. dateparser sees only spans that were cut here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo

import dateparser

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_NUMBER = r"(?:\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few)"
_UNIT = r"(?:day|week|month|year)"
_PART_EN = r"(?:(?:the )?(?:(?P<%s>first|second|third|fourth|1st|2nd|3rd|4th) (?P<%s>quarter|half)(?: of)?|(?P<%s>[qh])(?P<%s>[1-4])(?: of)?) (?P<%s>\d{4}|this year|next year))"
_PART_READ = re.compile(_PART_EN % ("nth", "of", "sign", "n", "year"))
_PART_EN = re.sub(r"\?P<%s>", "?:", _PART_EN)
_DAY_EN = (
    rf"(?:{_PART_EN}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}})?|{_MONTH}\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? \d{{4}})?"
    rf"|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}|(?:the )?end of (?:the |this |next )?(?:month|year|week|{_MONTH}(?: \d{{4}})?)"
    rf"|(?:last|next|this) (?:{_WEEKDAY}|week|month|year)|(?:on )?{_WEEKDAY}|today|tomorrow|yesterday|{_NUMBER} {_UNIT}s? ago|in {_NUMBER} {_UNIT}s?"
    rf"|{_MONTH} \d{{4}}|(?:in |of )?{_MONTH}\b(?! \w+ (?:i|you)\b)|(?:19|20)\d\d)"
)
_ZH_N = "[一二两三四五六七八九十\\d]{1,3}"
_PART_ZH = "的?(?:第?[一二三四1-4]季度?|[上下]半年)"
# "2027年夏天", "明年春节": a part of a year that no calendar bounds
_NOT_A_YEAR = "(?![底末初年]|的?(?:第?[一二三四1-4]季|[上下]半年|[春夏秋冬暑寒]|中(?![国文心])|国庆|五一|圣诞|元旦|中秋|端午|清明))"
_DAY_ZH = (
    rf"(?:(?:\d{{4}}|今|明|去|(?<!以)后)年{_PART_ZH}|(?:\d{{4}}年|今年|明年|去年|(?<!以)后年)?{_ZH_N}月(?:份)?(?:{_ZH_N}[日号]|底|末|初)?|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}|(?:\d{{4}}|今|明|去|(?<!以)后)年(?:年?[底末]|初)?{_NOT_A_YEAR}|{_ZH_N}[日号](?!楼|线)|今天|明天|后天|昨天|前天"
    rf"|(?:上|下|这|本)(?:个)?(?:周|星期|礼拜)[一二三四五六日天]?|(?:周|星期|礼拜)[一二三四五六日天]|(?:上|下|这|本)个?月(?:底|末)?|月底|年底|{_ZH_N}(?:天|周|个星期|个月|年)(?:前|后|以前|之前|以后|之后))"
)
_RANGE_EN = re.compile(
    rf"\b(?:from|between)\s+(?P<day>{_DAY_EN})\s*(?:to|until|till|through|and|[-–—])\s*(?P<day2>{_DAY_EN})",
    re.IGNORECASE,
)
_UNTIL_EN = re.compile(
    rf"(?<!not )\b(?P<word>until|till|through|up to|by|before|no later than)\s+(?:and including\s+)?(?P<day>{_DAY_EN})",
    re.IGNORECASE,
)
_FOR_EN = re.compile(
    rf"\bfor (?:the )?(?P<day>(?:next|coming) (?:{_NUMBER} )?{_UNIT}s?)\b|\bfor (?P<day2>another {_NUMBER} {_UNIT}s?)\b",
    re.IGNORECASE,
)
_FROM_EN = re.compile(
    rf"\b(?P<word>not (?:before|until|till)|no (?:earlier|sooner) than|from|since|starting(?: on| from)?|as of|as from|beginning(?: on)?|effective|after)\s+(?:on\s+)?(?P<day>{_DAY_EN})(?:\s+(?:on|onwards?))?",
    re.IGNORECASE,
)
_ON_EN = re.compile(rf"\b(?:on |in )?(?P<day>{_DAY_EN})\b", re.IGNORECASE)
_RANGE_ZH = re.compile(rf"(?:从|自)?\s*(?P<day>{_DAY_ZH})\s*(?:到|至|[-–—~])\s*(?P<day2>{_DAY_ZH})")
_UNTIL_ZH = re.compile(
    rf"(?:一直)?(?:到|至|直到|截止到?|截至)\s*(?P<day>{_DAY_ZH})(?P<word>为止|之前|以前|前|止)?|在?\s*(?P<day2>{_DAY_ZH})(?P<word2>之前|以前|前(?!天))"
)
_FOR_ZH = re.compile(rf"(?:接下来|未来|今后|往后)的?(?P<day>{_ZH_N}(?:天|周|个星期|个月|年))(?!前|后|以|之)")
_FROM_ZH = re.compile(rf"(?:从|自|打)?\s*(?P<day>{_DAY_ZH})(?:开始|起|以后|之后|后)|(?:从|自|打)\s*(?P<day2>{_DAY_ZH})")
_ON_ZH = re.compile(rf"(?P<day>{_DAY_ZH})")
_HAS_CJK = re.compile("[\u4e00-\u9fff]")
_DIGITS_ZH = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS_ZH = "一二三四五六日"
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "a couple of": 2,
    "a few": 3,
}


@dataclass(frozen=True, slots=True)
class Period:
    """A time named at `start:end` of a clause: bound (`until`, `from`), point (`on`), days of every week (`each`), or `unread`:
    no date, or none for sure; half-open, in UTC."""

    start: int
    end: int
    role: str
    valid_from: datetime | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Moment:
    """When something was said, in the zone of who said it."""

    at: datetime
    zone: tzinfo

    @property
    def day(self) -> datetime:
        """Midnight of that day, local."""
        return datetime.combine(self.at.astimezone(self.zone).date(), time(), self.zone)

    def local(self, year: int, month: int, day: int) -> datetime | None:
        """Midnight of a date, or nothing if there is no such date."""
        try:
            return datetime(year, month, day, tzinfo=self.zone)
        except ValueError:
            return None


def find_periods(clause: str, said: Moment) -> list[Period]:
    """The times in a clause, in order, bounds before points; each character belongs to one of them."""
    chinese = bool(_HAS_CJK.search(clause))
    patterns = (
        (("range", _RANGE_ZH), ("until", _FOR_ZH), ("until", _UNTIL_ZH), ("from", _FROM_ZH), ("on", _ON_ZH))
        if chinese
        else (("range", _RANGE_EN), ("until", _FOR_EN), ("until", _UNTIL_EN), ("from", _FROM_EN), ("on", _ON_EN))
    )
    found: list[Period] = []
    for role, pattern in patterns:
        for match in pattern.finditer(clause):
            if not any(match.start() < p.end and p.start < match.end() for p in found):
                found.extend(_within_the_calendar(match, role, said, chinese))
    return sorted(found, key=lambda period: period.start)


def _within_the_calendar(match: re.Match[str], role: str, said: Moment, chinese: bool) -> list[Period]:
    try:
        return list(_period(match, role, said, chinese))
    except OverflowError:  # "until 31 December 9999" ends on a day that no calendar has
        return []


def _period(match: re.Match[str], role: str, said: Moment, chinese: bool) -> Iterator[Period]:
    groups = match.groupdict()
    if role == "range":
        yield from _range(match, said, chinese)
        return
    words = (groups.get("day") or groups.get("day2") or "").strip().lower()
    word = (groups.get("word") or groups.get("word2") or "").lower()
    days = (_days_zh if chinese else _days_en)(words, said, role)
    if days is None:
        yield Period(match.start(), match.end(), "unread", None, None)
        return
    first, after = days
    if role == "on":
        yield Period(match.start(), match.end(), "on", _utc(first), _utc(after))
    elif role == "from":
        yield Period(match.start(), match.end(), "from", _utc(after if word == "after" else first), None)
    else:
        exclusive = (word in ("before", "之前", "以前", "前") and not _IS_END.search(words)) or (
            word in ("until", "till") and _is_month(words)
        )
        yield Period(match.start(), match.end(), "until", None, _utc(first if exclusive else after))


_IS_END = re.compile("^(?:the )?end of|[底末]$")  # "before the end of the month" is as long as the month


def _range(match: re.Match[str], said: Moment, chinese: bool) -> Iterator[Period]:
    """A beginning and an end; "from Monday to Friday" is every week, and bounds nothing."""
    read = _days_zh if chinese else _days_en
    one, other = (match[name].strip().lower() for name in ("day", "day2"))
    if _BARE_WEEKDAY.fullmatch(one) and _BARE_WEEKDAY.fullmatch(other):
        yield Period(match.start(), match.end(), "each", None, None)
        return
    begin, end = read(one, said, "from"), read(other, said, "until")
    if begin is None or end is None:
        yield Period(match.start(), match.end(), "unread", None, None)
        return
    first, after = begin[0], end[1]
    if first >= after and not _HAS_YEAR.search(one):
        first = said.local(after.year, first.month, first.day) or first  # "from June to August 2019"
    elif first >= after and not _HAS_YEAR.search(other):
        after = said.local(first.year + 1, after.month, after.day) or after
    yield Period(match.start(), match.start("day2"), "from", _utc(first), None)
    yield Period(match.start("day2"), match.end(), "until", None, _utc(after))


_BARE_WEEKDAY = re.compile(rf"(?:on )?{_WEEKDAY}|(?:周|星期|礼拜)[一二三四五六日天]")
_HAS_YEAR = re.compile(r"\d{4}|year|[今明去后]年")


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _is_month(words: str) -> bool:
    return words.removeprefix("in ")[:3] in _MONTHS and not any(map(str.isdigit, words))


Days = tuple[datetime, datetime]


def _one(day: datetime | None) -> Days | None:
    return None if day is None else (day, _plus(day, 1))


def _plus(day: datetime, days: int) -> datetime:
    """Midnight `days` later: local midnights, whatever the clock does in between."""
    return datetime.combine(day.date() + timedelta(days=days), time(), day.tzinfo)


def _month(year: int, month: int, said: Moment) -> Days:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    nxt = (year + 1, 1) if month == 12 else (year, month + 1)
    return datetime(year, month, 1, tzinfo=said.zone), datetime(*nxt, 1, tzinfo=said.zone)


def _year(year: int, said: Moment) -> Days:
    return datetime(year, 1, 1, tzinfo=said.zone), datetime(year + 1, 1, 1, tzinfo=said.zone)


def _week(day: datetime) -> Days:
    monday = _plus(day, -day.weekday())
    return monday, _plus(monday, 7)


def _nearest(month: int, day: int, said: Moment, role: str) -> datetime | None:
    """A date without a year: the next one for a bound, the one nearest to now for a point."""
    today = said.day
    years = (today.year - 1, today.year, today.year + 1)
    dates = [date for year in years if (date := said.local(year, month, day)) is not None]
    if role != "on":
        dates = [date for date in dates if date >= today] or dates
        return min(dates) if dates else None
    return min(dates, key=lambda date: abs(date - today)) if dates else None


def _days_en(words: str, said: Moment, role: str) -> Days | None:
    words = re.sub(r"^(?:the|on|in|of) (?!\w+ (?:day|week|month|year))", "", words)
    for read in (_relative_en, _weekday_en, _end_en, _part_en, _dated_en):
        if (days := read(words, said, role)) is not None:
            return days
    return None if re.search(r"\d", words) else _by_dateparser(words, said, "en")


def _relative_en(words: str, said: Moment, role: str) -> Days | None:
    today = said.day
    simple = {"today": 0, "tomorrow": 1, "yesterday": -1}
    if words in simple:
        return _one(_plus(today, simple[words]))
    if match := re.fullmatch(r"(last|next|this) (week|month|year)", words):
        return _shifted(today, {"last": -1, "this": 0, "next": 1}[match[1]], match[2], said)
    if match := re.fullmatch(rf"(?:next|coming|another) (?:({_NUMBER}) )?({_UNIT})s?", words):
        number = match[1] or "a"
        return _distance(today, int(number) if number.isdigit() else _NUMBERS[number], match[2], said)
    if match := re.fullmatch(rf"(?:(in) )?({_NUMBER}) ({_UNIT})s?( ago)?", words):
        number = int(match[2]) if match[2].isdigit() else _NUMBERS[match[2]]
        return _distance(today, number if match[1] else -number, match[3], said)
    return None


def _shifted(today: datetime, steps: int, unit: str, said: Moment) -> Days:
    if unit == "week":
        return _week(_plus(today, 7 * steps))
    return _month(today.year, today.month + steps, said) if unit == "month" else _year(today.year + steps, said)


def _distance(today: datetime, steps: int, unit: str, said: Moment) -> Days | None:
    if unit in ("day", "week"):
        return _one(_plus(today, steps * (7 if unit == "week" else 1)))
    return _month(today.year, today.month + steps, said) if unit == "month" else _year(today.year + steps, said)


def _weekday_en(words: str, said: Moment, role: str) -> Days | None:
    match = re.fullmatch(rf"(?:(last|next|this) )?({_WEEKDAY})", words)
    if match is None:
        return None
    ahead = (_WEEKDAYS.index(match[2]) - said.day.weekday()) % 7
    if match[1] == "last":
        return _one(_plus(said.day, ahead - 7))
    if match[1] == "next":
        return _one(_plus(said.day, ahead or 7))
    return _one(_plus(said.day, ahead))


def _end_en(words: str, said: Moment, role: str) -> Days | None:
    match = re.fullmatch(rf"end of (?:the |this |(next) )?(month|year|week|{_MONTH})(?: (\d{{4}}))?", words)
    if match is None:
        return None
    if match[2] in ("month", "year", "week"):
        _, after = _shifted(said.day, 1 if match[1] else 0, match[2], said)
    else:
        first = _nearest(_MONTHS.index(match[2][:3]) + 1, 1, said, "until")
        year = int(match[3]) if match[3] else (first or said.day).year
        _, after = _month(year, _MONTHS.index(match[2][:3]) + 1, said)
    return _plus(after, -1), after


_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def _part_en(words: str, said: Moment, role: str) -> Days | None:
    match = _PART_READ.fullmatch(words)
    if match is None:
        return None
    number = int(match["n"] or _NTH.get(match["nth"]) or match["nth"][0])
    year = said.day.year + (match["year"] == "next year") if "year" in match["year"] else int(match["year"])
    return _part(year, number, match["sign"] == "h" or match["of"] == "half", said)


def _part(year: int, number: int, is_half: bool, said: Moment) -> Days | None:
    """A quarter or a half of a year."""
    months = 6 if is_half else 3
    if number * months > 12:
        return None
    return _month(year, (number - 1) * months + 1, said)[0], _month(year, number * months, said)[1]


def _figures(words: str, said: Moment) -> Days | None:
    """A date in figures; a day and a month that could be each other are none: nobody knows which was meant."""
    if match := re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", words):
        return _one(said.local(int(match[1]), int(match[2]), int(match[3])))
    if match := re.fullmatch(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})", words):
        one, other = int(match[1]), int(match[2])
        if one == other or max(one, other) > 12:
            return _one(said.local(int(match[3]), min(one, other), max(one, other)))
    return None


def _dated_en(words: str, said: Moment, role: str) -> Days | None:
    if (days := _figures(words, said)) is not None:
        return days
    if match := re.fullmatch(r"(?:19|20)\d\d", words):
        return _year(int(words), said)
    match = re.fullmatch(
        rf"(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?({_MONTH})\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?)?(?:,? (\d{{4}}))?",
        words,
    )
    if match is None:
        return None
    month, day, year = _MONTHS.index(match[2][:3]) + 1, match[1] or match[3], match[4]
    if day is None:
        first = _nearest(month, 1, said, role)
        return _month(int(year) if year else (first or said.day).year, month, said)
    return _one(said.local(int(year), month, int(day)) if year else _nearest(month, int(day), said, role))


def _days_zh(words: str, said: Moment, role: str) -> Days | None:
    for read in (_relative_zh, _weekday_zh, _dated_zh):
        if (days := read(words, said, role)) is not None:
            return days
    return None if re.search(r"\d", words) else _by_dateparser(words, said, "zh")


def _number_zh(text: str) -> int:
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if ten:
        return (_DIGITS_ZH.get(tens, 1) if tens else 1) * 10 + (_DIGITS_ZH.get(ones, 0) if ones else 0)
    return _DIGITS_ZH.get(text[-1:], 0)


def _relative_zh(words: str, said: Moment, role: str) -> Days | None:
    today = said.day
    simple = {"今天": 0, "明天": 1, "后天": 2, "昨天": -1, "前天": -2}
    if words in simple:
        return _one(_plus(today, simple[words]))
    if match := re.fullmatch(r"([上下这本])个?月(底|末)?", words):
        days = _shifted(today, {"上": -1, "下": 1}.get(match[1], 0), "month", said)
        return (_plus(days[1], -1), days[1]) if match[2] else days
    if words in ("月底", "年底"):
        _, after = _shifted(today, 0, "month" if words == "月底" else "year", said)
        return _plus(after, -1), after
    if match := re.fullmatch(rf"({_ZH_N})(天|周|个星期|个月|年)(?:(?:以|之)?(前|后))?", words):
        unit = {"天": "day", "周": "week", "个星期": "week", "个月": "month", "年": "year"}[match[2]]
        return _distance(today, _number_zh(match[1]) * (-1 if match[3] == "前" else 1), unit, said)
    return None


def _weekday_zh(words: str, said: Moment, role: str) -> Days | None:
    match = re.fullmatch(r"([上下这本]?)个?(?:周|星期|礼拜)([一二三四五六日天])?", words)
    if match is None:
        return None
    monday, after = _week(_plus(said.day, {"上": -7, "下": 7}.get(match[1], 0)))
    if match[2] is None:
        return monday, after
    day = _plus(monday, _WEEKDAYS_ZH.index(match[2].replace("天", "日")))
    return _one(_plus(day, 7) if not match[1] and day < said.day else day)


def _dated_zh(words: str, said: Moment, role: str) -> Days | None:
    if (days := _figures(words, said)) is not None:
        return days
    this = said.day.year
    years = {"今年": this, "明年": this + 1, "去年": this - 1, "后年": this + 2}
    if match := re.fullmatch(r"(\d{4}|[今明去后])年的?(?:第?([一二三四1-4])季度?|([上下])半年)", words):
        whole = int(match[1]) if match[1].isdigit() else years[f"{match[1]}年"]
        return _part(whole, _number_zh(match[2]) if match[2] else "上下".index(match[3]) + 1, not match[2], said)
    match = re.fullmatch(rf"(\d{{4}}年|[今明去后]年)?(?:({_ZH_N})月份?)?(?:({_ZH_N})[日号]|年?(底|末|初))?", words)
    if match is None or not any(match.groups()):
        return None
    year = None if match[1] is None else years.get(match[1]) or int(match[1][:4])
    if match[2] is None:
        return _yearly_zh(year, match, said, role)
    month = _number_zh(match[2])
    if not 1 <= month <= 12:
        return None
    if match[3]:
        day = _number_zh(match[3])
        return _one(said.local(year, month, day) if year else _nearest(month, day, said, role))
    first = _nearest(month, 1, said, role) or said.day
    days = _month(year or (this if month == said.day.month else first.year), month, said)
    return (_plus(days[1], -1), days[1]) if match[4] in ("底", "末") else days


def _yearly_zh(year: int | None, match: re.Match[str], said: Moment, role: str) -> Days | None:
    if match[3] and year is None:
        day = said.local(said.day.year, said.day.month, _number_zh(match[3]))
        return _one(day)
    if year is None:
        return None
    days = _year(year, said)
    return (_plus(days[1], -1), days[1]) if match[4] in ("底", "末") else days


def _by_dateparser(words: str, said: Moment, language: str) -> Days | None:
    parsed = dateparser.parse(
        words,
        languages=[language],
        settings={"RELATIVE_BASE": said.at.astimezone(said.zone).replace(tzinfo=None), "PREFER_DATES_FROM": "future"},
    )
    return None if parsed is None else _one(said.local(parsed.year, parsed.month, parsed.day))


_BOUNDS = re.compile(
    r"(?:not before|no earlier|no sooner|until|till|through|up to|from|between|since|starting|as of|as from|beginning|effective|for)\b",
    re.IGNORECASE,
)
_PART = re.compile(rf"[;；。!?！？]\s*|(?<!\d)\.\s+|\b(?:and(?! (?:\d|{_MONTH}\b))|then|but)\b", re.IGNORECASE)
_COMMA = re.compile(r"[,，](?!\d)\s*")
_MOST_OF_INTRO = 40  # characters of "from 1 September," in front of a clause, or behind it
_ENDS = " .!?。！？"
_MOST_BESIDE = 4  # letters of such a piece that belong to no time


_LIMITED = re.compile(
    rf"\b(?:until|till)\b(?! (?:now|recently|then|when|further notice))|\bfor the (?:next|coming|rest of|duration of)\b|\bduring (?:lent|ramadan|advent|(?:my|our|this) (?:pregnancy|holidays?|vacation|stay|trip|leave|visit|treatment|month|year))\b"
    rf"|\b(?:every|in|over|during) (?:the )?(?:spring|summer|autumn|fall|winter)s?\b|\b\d{{1,2}}\s?(?:-|to)\s?\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d{{1,2}}\s?(?:-|to)\s?\d"
    r"|\bas long as\b|\bwhile i(?:'m| am)\b|直到|期间|接下来|未来.{0,3}[天周月年]|每?年?[春夏秋冬](?:天|季)",
    re.IGNORECASE,
)


def limits_time(said: str) -> bool:
    """Whether words limit when something holds, in whatever way."""
    return bool(_LIMITED.search(said))


_MOVED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)?(?: just| recently)? (?:moved|relocated|settled|switched|migrated|upgraded)\b|[搬换迁改切]",
    re.IGNORECASE,
)
_MOVING = re.compile(
    r"\b(?:i|we)(?:['’](?:ll|re|m)| will| shall| are| am)?(?: going to| to)? (?:mov|switch|migrat|chang|relocat|upgrad|start|beg[ai]n)\w*\b|开始",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\bsince\b|\balready\b|(?:\b(?:have|has)|['’]ve) (?:\w+ )?(?:been|lived|\w{2,}ed)\b|自|以来|一直(?!到|至)|已经?|早就",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|shall|going to|next|coming|upcoming)\b|['’]ll\b|将|会|要|明|下|打算|准备", re.IGNORECASE
)
_DONE = re.compile(r"了\s*[。.!！]?\s*$")
_HELD = re.compile(
    r"\b(?:used|was|were|had|worked|lived|ran|stayed|preferred|liked|loved|owned|drove|studied|chose|ate|drank|wore)\b"
    r"|[用住在吃喝]|喜欢|工作|上班",
    re.IGNORECASE,
)
_SINCE_THEN = re.compile(
    r"\b(?:born|joined|started|began|became|bought|got|founded|since)\b|开始|起|出生|加入|入职|毕业|结婚|买|成立"
)
_EACH = re.compile(r"\b(?:every|each|always|usually)\b|每", re.IGNORECASE)
_OF_A_THING = re.compile(r"\b(?:the|our|my|a|this)\s+$", re.IGNORECASE)  # "the 2027 roadmap"
_DEADLINE = re.compile(r"(?:by|no later than)\b", re.IGNORECASE)
_SPAN = r"(?:days?|weeks?|months?|years?|quarters?)"
_SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|xmas|easter|new year|thanksgiving|ramadan|semester|term|season|school year|fiscal year|q[1-4]|h[12]|quarter|half)"
# A time that no calendar was asked for: of these none is now.
_NOT_NOW = re.compile(
    rf"\b(?:from|as of|starting|beginning|effective|after|before|next|coming)(?: (?:on|in|with|the|early|mid|late|next|coming|\w+ half of|beginning of|end of))* {_SEASON}\b"
    rf"|\bin q[1-4]\b|\b(?:{_NUMBER}|several|some|half a) {_SPAN}['’]? (?:from (?:now|today)|time)\b|\bin (?:several|some|many|half a) {_SPAN}\b|\b(?:day|week|month|year) after (?:next|tomorrow)\b"
    r"|(?:\b(?:will|going to)\b|['’]ll\b)[^.!?]*\b(?:soon|later|eventually|some ?day|one day|at some point)\b|\b(?:19|20)\d\d ?[-–—/] ?(?:19|20)?\d\d\b(?![-/]\d)"
    r"|(?:从|自|等到?)[^,，。]{0,8}(?:[春夏秋冬][天季]|春节|圣诞|国庆|五一|元旦|中秋|[暑寒]假|学期|季度|半年|年中)|(?:明|(?<!以)后|\d{4})年的?(?:[春夏秋冬暑寒]|中(?![国文心])|国庆|五一|圣诞|元旦|中秋|端午|清明)"
    r"|下个?(?:季度|学期|半年)|大后天|(?:再过|过)(?:一段时间|[一二两三四五六七八九十\d几半]+个?(?:天|周|星期|礼拜|月|季度|年))|(?:几|半|数)个?(?:天|周|星期|礼拜|月|季度|年)(?:以后|之后|后)|不久(?:以|之)?后|迟早",
    re.IGNORECASE,
)
_HALF_A_YEAR = timedelta(days=183)


def stated_bounds(said: str, value: str, moment: Moment) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when a sentence says that its value holds; (None, None) where it does not say.

    Read in the clause that names the value; deadlines ("by Friday") and days on which something happens are no bounds.
    """
    return _stated(said, value, moment)[0]


def is_unread(said: str, value: str, moment: Moment) -> bool:
    """Return whether a sentence says that its value holds at some time, and at which is not read for sure."""
    return _stated(said, value, moment)[1]


Bounds = tuple[datetime | None, datetime | None]


def _stated(said: str, value: str, moment: Moment) -> tuple[Bounds, bool]:
    clause = _clause_of(said, value, moment)
    at = clause.casefold().find(value.casefold()) if value else -1
    periods = [p for p in find_periods(clause, moment) if not p.start <= at < p.end]  # what is the value bounds nothing
    if _is_moved(clause, periods, moment):  # "last week I moved to Lyon"
        periods = [replace(p, role="from", valid_to=None) if p.role == "on" else p for p in periods]
    if at < 0 and (_COMMA.search(clause.rstrip(_ENDS)) or _PART.search(clause.rstrip(_ENDS))):
        return _bounds_of(clause, periods, moment) or (None, None), False  # which of several clauses says it?
    is_date = bool(re.search(r"\d{4}-\d\d", value) or find_periods(value, moment))
    unread = not is_date and (
        any(p.role == "unread" or _is_other_day(p, clause, moment) for p in periods)
        or any(not any(p.start <= m.start() < p.end for p in periods) for m in _NOT_NOW.finditer(clause))
    )
    bounds = None if unread else _bounds_of(clause, periods, moment)
    gave_up = bounds is None and any(
        p.role in ("from", "until") and not _DEADLINE.match(clause[p.start : p.end].strip()) for p in periods
    )
    return bounds or (None, None), unread or (gave_up and not is_date)


def _clause_of(said: str, value: str, moment: Moment) -> str:
    """Return the clause that names a value, with the times that stand beside it: "from 1 May, ..."."""
    wanted = value.casefold()
    part = next((p for p in _PART.split(said) if wanted and wanted in p.casefold()), said)
    pieces = _COMMA.split(part)
    at = next((n for n, piece in enumerate(pieces) if wanted and wanted in piece.casefold()), None)
    if at is None:
        return part
    first, last = at, at
    while first and _is_aside(pieces[first - 1], moment):
        first -= 1
    while last + 1 < len(pieces) and _is_aside(pieces[last + 1], moment):
        last += 1
    return ", ".join(pieces[first : last + 1])


def _is_aside(piece: str, moment: Moment) -> bool:
    """Whether a piece of a sentence names a time and nothing else."""
    if len(piece) > _MOST_OF_INTRO:
        return False
    rest = _NOT_NOW.sub("", piece)
    for period in reversed(find_periods(rest, moment)):
        rest = rest[: period.start] + rest[period.end :]
    is_bare = not _HAS_CJK.search(rest.strip("从自在起的"))
    return rest != piece and is_bare and len(re.findall(r"\w", rest)) <= _MOST_BESIDE


def _is_moved(clause: str, periods: list[Period], moment: Moment) -> bool:
    if _MOVED.search(clause):
        return True
    days = [p for p in periods if p.role == "on"]
    return bool(_MOVING.search(clause)) and all(p.valid_from is not None and p.valid_from > moment.at for p in days)


def _is_other_day(period: Period, clause: str, moment: Moment) -> bool:
    """Whether something holds on a day that is not now: it will, or it did."""
    if period.role != "on" or period.valid_from is None or period.valid_to is None or _EACH.search(clause):
        return False
    words = clause[period.start : period.end]
    if words.isdigit() and _OF_A_THING.search(clause[: period.start]):
        return False
    if period.valid_from > moment.at:
        return not _is_yearless(words) or bool(_AHEAD.search(clause))
    return period.valid_to <= moment.at and bool(_HELD.search(clause)) and not _SINCE_THEN.search(clause)


def _is_yearless(words: str) -> bool:
    """Whether a day is named by month or weekday alone."""
    named = re.search(
        rf"\b(?:{_MONTH}|{_WEEKDAY})\b|{_ZH_N}月|(?:周|星期|礼拜)[一二三四五六日天]", words, re.IGNORECASE
    )
    return bool(named) and not re.search(
        r"\d{4}|[今明去后]年|\b(?:next|last|this)\b|[上下]个?(?:周|星期|礼拜)", words, re.I
    )


def _bounds_of(clause: str, periods: list[Period], moment: Moment) -> Bounds | None:
    """Return the bounds that periods make; None where they make none for sure."""
    chinese = bool(_HAS_CJK.search(clause))
    moved = _is_moved(clause, periods, moment)
    starts = [p for p in periods if p.role == "from"]
    ends = [p.valid_to for p in periods if p.role == "until"]
    if len(starts) > 1 or len(ends) > 1 or any(p.role == "on" for p in periods):
        return None
    follows = [p for p in periods if p.role == "until" and starts]  # the second half of "from 1 May to 5 June"
    if not all(p in follows or chinese or moved or _BOUNDS.match(clause[p.start : p.end].strip()) for p in periods):
        return None
    start, end = starts[0].valid_from if starts else None, (ends or [None])[0]
    if (
        start is not None
        and end is None
        and start > moment.at
        and _is_yearless(clause[starts[0].start : starts[0].end])
    ):
        start = _in_its_year(start, clause, moment)
        if start is None:
            return None
    return None if end is not None and (start or moment.at) >= end else (start, end)


def _in_its_year(start: datetime, clause: str, moment: Moment) -> datetime | None:
    """Return a day said without its year, in the next or the last: "since May" is the May that was. None where the
    last is nearer and nothing says which."""
    last = None if (start.month, start.day) == (2, 29) else start.replace(year=start.year - 1)
    is_nearer = start - moment.at > _HALF_A_YEAR
    if _SINCE.search(clause) or (is_nearer and _DONE.search(clause)):
        return last or start
    return None if is_nearer and not _AHEAD.search(clause) else start
