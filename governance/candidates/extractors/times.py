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
_DAY_EN = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}})?|{_MONTH}\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? \d{{4}})?"
    rf"|\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}|(?:the )?end of (?:the |this |next )?(?:month|year|week|{_MONTH}(?: \d{{4}})?)"
    rf"|(?:last|next|this) (?:{_WEEKDAY}|week|month|year)|(?:on )?{_WEEKDAY}|today|tomorrow|yesterday|{_NUMBER} {_UNIT}s? ago|in {_NUMBER} {_UNIT}s?"
    rf"|{_MONTH} \d{{4}}|(?:in |of )?{_MONTH}\b(?! \w+ (?:i|you)\b)|(?:19|20)\d\d)"
)
_ZH_N = "[一二两三四五六七八九十\\d]{1,3}"
_DAY_ZH = (
    rf"(?:(?:\d{{4}}年|今年|明年|去年)?{_ZH_N}月(?:份)?(?:{_ZH_N}[日号]|底|末|初)?|\d{{4}}-\d{{1,2}}-\d{{1,2}}|(?:\d{{4}}|今|明|去)年(?:底|末|初)?|{_ZH_N}[日号](?!楼|线)|今天|明天|后天|昨天|前天"
    rf"|(?:上|下|这|本)(?:个)?(?:周|星期|礼拜)[一二三四五六日天]?|(?:周|星期|礼拜)[一二三四五六日天]|(?:上|下|这|本)个?月(?:底|末)?|月底|年底|{_ZH_N}(?:天|周|个星期|个月|年)(?:前|后|以前|之前|以后|之后))"
)
_UNTIL_EN = re.compile(
    rf"\b(?P<word>until|till|through|up to|by|before|no later than)\s+(?:and including\s+)?(?P<day>{_DAY_EN})",
    re.IGNORECASE,
)
_FOR_EN = re.compile(
    rf"\bfor (?:the )?(?P<day>(?:next|coming) (?:{_NUMBER} )?{_UNIT}s?)\b|\bfor (?P<day2>another {_NUMBER} {_UNIT}s?)\b",
    re.IGNORECASE,
)
_FROM_EN = re.compile(
    rf"\b(?P<word>from|since|starting(?: on| from)?|as of|as from|beginning(?: on)?|effective|after)\s+(?:on\s+)?(?P<day>{_DAY_EN})(?:\s+(?:on|onwards?))?",
    re.IGNORECASE,
)
_ON_EN = re.compile(rf"\b(?:on |in )?(?P<day>{_DAY_EN})\b", re.IGNORECASE)
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
    """A time named at `start:end` of a clause: bound (`until`, `from`) or point (`on`); half-open, in UTC."""

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
        (("until", _FOR_ZH), ("until", _UNTIL_ZH), ("from", _FROM_ZH), ("on", _ON_ZH))
        if chinese
        else (("until", _FOR_EN), ("until", _UNTIL_EN), ("from", _FROM_EN), ("on", _ON_EN))
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
    words = (groups.get("day") or groups.get("day2") or "").strip().lower()
    word = (groups.get("word") or groups.get("word2") or "").lower()
    days = (_days_zh if chinese else _days_en)(words, said, role)
    if days is None:
        return
    first, after = days
    if role == "on":
        yield Period(match.start(), match.end(), "on", _utc(first), _utc(after))
    elif role == "from":
        yield Period(match.start(), match.end(), "from", _utc(after if word == "after" else first), None)
    else:
        exclusive = word in ("before", "之前", "以前", "前") or (word in ("until", "till") and _is_month(words))
        yield Period(match.start(), match.end(), "until", None, _utc(first if exclusive else after))


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
    for read in (_relative_en, _weekday_en, _end_en, _dated_en):
        if (days := read(words, said, role)) is not None:
            return days
    return _by_dateparser(words, said, "en")


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


def _dated_en(words: str, said: Moment, role: str) -> Days | None:
    if match := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", words):
        return _one(said.local(int(match[1]), int(match[2]), int(match[3])))
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
    return _by_dateparser(words, said, "zh")


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
    if match := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", words):
        return _one(said.local(int(match[1]), int(match[2]), int(match[3])))
    this = said.day.year
    years = {"今年": this, "明年": this + 1, "去年": this - 1}
    match = re.fullmatch(rf"(\d{{4}}年|今年|明年|去年)?(?:({_ZH_N})月份?)?(?:({_ZH_N})[日号]|(底|末|初))?", words)
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
    r"(?:until|till|through|up to|from|since|starting|as of|as from|beginning|effective|for)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;，；。!?！？]\s*|(?<!\d)\.\s+|\b(?:and|then|but)\b")


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
    r"\b(?:i|we)(?:['’]ve| have)?(?: just| recently)? (?:moved|relocated|settled|switched|migrated|upgraded)\b|[搬换迁]",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\bsince\b|自|以来", re.IGNORECASE)


def stated_bounds(said: str, value: str, moment: Moment) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when a sentence says that its value holds; (None, None) where it does not say.

    Read in the clause that names the value; deadlines ("by Friday") and days on which something happens are no bounds.
    """
    clause = next((c for c in _CLAUSE.split(said) if value and value.casefold() in c.casefold()), said)
    periods = find_periods(clause, moment)
    chinese = bool(_HAS_CJK.search(clause))
    moved = _MOVED.search(clause)
    if moved:  # "last week I moved to Lyon"; a day that is itself the value ("moved it to 5 May") begins nothing
        named = clause.casefold().find(value.casefold())
        periods = [p for p in periods if not p.start <= named < p.end]
        periods = [replace(p, role="from", valid_to=None) if p.role == "on" else p for p in periods]
    starts = [p.valid_from for p in periods if p.role == "from"]
    ends = [p.valid_to for p in periods if p.role == "until"]
    are_bounds = all(
        p.role != "on" and (chinese or moved or _BOUNDS.match(clause[p.start : p.end].strip())) for p in periods
    )
    if not are_bounds or len(starts) > 1 or len(ends) > 1:
        return None, None
    start, end = (starts or [None])[0], (ends or [None])[0]
    if start is not None and start > moment.at and _SINCE.search(clause) and (start.month, start.day) != (2, 29):
        start = start.replace(year=start.year - 1)  # "since May" is the May that was
    return (None, None) if end is not None and (start or moment.at) >= end else (start, end)
