"""One way to write a value: numbers, units, dates, times and versions, English and Chinese; pure.

Only a whole value is read, never a part of a sentence, and nothing is rounded: two values that come out the same *are*
the same. `3.9` and `3.10` stay two (a bare decimal may be a version, so its zeros count); so do `05/03/2026`, which may
be May or March, and `$5` beside `5 USD`.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction

LONGEST_READ = 200  # characters: what is longer is no number, date or version, and took the patterns minutes

# Unit -> what it is measured in, and how many of those it is.
_UNITS: dict[str, tuple[str, Fraction]] = {}
# Of words that are no unit alone: "5 pounds" may be money or weight, "5 dollars" of several countries.
_MONEY = {
    "eur": "€ eur euro euros 欧元",
    "gbp": "£ gbp",
    "usd": "us$ usd 美元",
    "$": "$ dollar dollars",
    "cny": "cny rmb 元 人民币 块",
    "¥": "¥",
    "chf": "chf",
    "jpy": "jpy 日元",
    "inr": "₹ inr",
}


def _units(base: str, sizes: dict[str, str]) -> None:
    for size, names in sizes.items():
        _UNITS.update({name: (base, Fraction(size)) for name in names.split("|")})


_units("%", {"1": "%|percent|per cent|pct"})
_units(
    "m",
    {
        "0.001": "mm|millimetre|millimetres|millimeter|millimeters|毫米",
        "0.01": "cm|centimetre|centimetres|centimeter|centimeters|厘米|公分",
        "1": "m|metre|metres|meter|meters|米",
        "1000": "km|kilometre|kilometres|kilometer|kilometers|公里|千米",
        "1609.344": "mi|mile|miles|英里",
        "0.0254": "inch|inches|英寸",
        "0.3048": "ft|foot|feet|英尺",
    },
)
_units(
    "g",
    {
        "0.001": "mg|毫克",
        "1": "g|gram|grams|克",
        "500": "斤",
        "1000": "kg|kilo|kilos|kilogram|kilograms|公斤|千克",
        "1000000": "tonne|tonnes|吨",
    },
)
_units(
    "s",
    {
        "0.001": "ms|millisecond|milliseconds|毫秒",
        "1": "s|sec|secs|second|seconds|秒|秒钟",
        "60": "min|mins|minute|minutes|分钟",
        "3600": "h|hr|hrs|hour|hours|小时|个小时",
        "86400": "d|day|days|天",
        "604800": "week|weeks|周|个星期|星期",
    },
)
_units("month", {"1": "month|months|个月", "12": "year|years|年"})
_units("l", {"0.001": "ml|millilitre|millilitres|milliliter|milliliters|毫升", "1": "l|litre|litres|liter|liters|升"})
_units("byte", {"1": "byte|bytes", "1000": "kb", "1000000": "mb", "1000000000": "gb", "1000000000000": "tb"})
_units("byte", {"1024": "kib", "1048576": "mib", "1073741824": "gib", "1099511627776": "tib"})
_units("bit/s", {"1000": "kbps|kbit/s", "1000000": "mbps|mbit/s", "1000000000": "gbps|gbit/s"})
_units("hz", {"1": "hz", "1000": "khz", "1000000": "mhz", "1000000000": "ghz"})
_units("w", {"1": "w|watt|watts|瓦", "1000": "kw|kilowatt|kilowatts|千瓦"})
_units("kcal", {"1": "kcal|千卡|大卡"})
_units("celsius", {"1": "°c|℃|celsius|degrees celsius|degree celsius|摄氏度"})
_units("fahrenheit", {"1": "°f|℉|fahrenheit|degrees fahrenheit|degree fahrenheit|华氏度"})
for _base, _names in _MONEY.items():
    _UNITS.update({name: (f"money {_base}", Fraction(1)) for name in _names.split()})

_SAID = dict(zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True))
_SAID |= dict(zip("一二三四五六七八九十", range(1, 11), strict=True)) | {"两": 2}
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = {name: n for n, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = {name: day for day in _DAYS for name in (day, f"{day}s", day[:3])}
_WEEKDAY |= {
    f"{week}{n}": day for n, day in zip("一二三四五六日", _DAYS, strict=True) for week in ("周", "星期", "礼拜")
}
_WEEKDAY |= {"tues": "tuesday", "thur": "thursday", "thurs": "thursday", "周天": "sunday", "星期天": "sunday"}

_NUMBER = r"[+-]?(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:\.\d+)?"
_IS_NUMBER = re.compile(rf"({_NUMBER})$")
_MEASURE = re.compile(
    rf"({_NUMBER}|{'|'.join(_SAID)}) ?-?({'|'.join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))})$"
)
_MONEY_FIRST = re.compile(rf"(us\$|[€£$¥₹]|(?:eur|gbp|usd|cny|chf|jpy|inr|rmb) ?) ?({_NUMBER}) ?(k?)$")
_TENS = re.compile(r"百分之(\d+(?:\.\d+)?|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])$")
_MONTH_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})$"),
    re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]?$"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>(?:19|20)\d\d)$"),
    re.compile(rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)? (?P<n>{_MONTH_NAME})\.?(?:,? (?P<y>\d{{4}}))?$"),
    re.compile(rf"(?P<n>{_MONTH_NAME})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?$"),
)
_EITHER_WAY = re.compile(r"(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)$")
_YEAR = re.compile(r"((?:19|20)\d\d)年$")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))? ?([ap])\.?m\.?$|(\d{1,2}):(\d\d)$")
_CLOCK_ZH = re.compile(r"(上午|早上|下午|晚上)?(\d{1,2})点(?:(\d{1,2})分|(半))?$")
_VERSION = re.compile(r"((?:[^\W\d_][\w+#.-]* )*?)(?:v|ver\.?|version|版本)? ?(\d[a-z0-9]*(?:[-+.][a-z0-9]+)*)$")
_NAMED = re.compile(r"([^\W\d_][\w+#.-]*) (\d+(?:\.\d+)*)$")
_QUOTES = "\"'`“”‘’„«»「」"


# Names that people shorten, and mean the same by.
_FULL_NAMES = {
    "postgres": "postgresql",
    "mongo": "mongodb",
    "mssql": "sql server",
    "golang": "go",
    "js": "javascript",
    "ts": "typescript",
    "k8s": "kubernetes",
    "vs code": "visual studio code",
    "vscode": "visual studio code",
}


def one_spelling(text: str, key: str = "") -> str:
    """Return a text, already folded, as everybody would have written it; itself where it is no such value.

    What the key says already is left out of a version: below `project.python.version`, `python 3.9` is `3.9`.
    """
    text = text.strip(_QUOTES) or text
    if len(text) > LONGEST_READ:
        return text
    for read in (_number, _measure, _money, _percent, _date, _time, _weekday):
        found = read(text)
        if found:
            return found
    return _version(_FULL_NAMES.get(text, text), key)


def numbers_name(text: str) -> tuple[str, str]:
    """Return the name and the number of a text such as `python 3.9`, ("", text) for a bare number, ("", "") else."""
    named = _NAMED.match(text)
    if named:
        return named.group(1), named.group(2)
    return ("", text) if re.fullmatch(r"\d+(?:\.\d+)*", text) else ("", "")


def _plain(number: str) -> str:
    return re.sub(r"[,' ]", "", number).removeprefix("+")


def _number(text: str) -> str:
    found = _IS_NUMBER.match(text)
    return _plain(text) if found else ""


def _exactly(number: str) -> Fraction:
    return Fraction(_SAID.get(number) or Fraction(_plain(number)))


def _measure(text: str) -> str:
    found = _MEASURE.match(text)
    if found is None or _YEAR.match(text):
        return ""
    base, size = _UNITS[found.group(2)]
    return f"{_exactly(found.group(1)) * size} {base}"


def _money(text: str) -> str:
    found = _MONEY_FIRST.match(text)
    if found is None:
        return ""
    amount = _exactly(found.group(2)) * (1000 if found.group(3) else 1)
    return f"{amount} {_UNITS[found.group(1).strip()][0]}"


def _percent(text: str) -> str:
    found = _TENS.match(text)
    if found is None:
        return ""
    said = found.group(1)
    if "十" in said:
        tens, ones = said.split("十")
        return f"{10 * _SAID.get(tens, 1) + _SAID.get(ones, 0)} %"
    return f"{_exactly(said)} %"


def _date(text: str) -> str:
    for pattern in _DATES:
        if found := pattern.match(text):
            parts = found.groupdict()
            month = _MONTH[parts["n"]] if parts.get("n") else int(parts["m"])
            return _day(parts.get("y"), month, int(parts["d"]))
    if found := _EITHER_WAY.match(text):
        one, other = int(found.group(1)), int(found.group(2))
        if one > 12 or other > 12 or one == other:
            return _day(found.group(3), min(one, other), max(one, other))
        return ""
    if found := _YEAR.match(text):
        return found.group(1)
    return _moment(text)


def _day(year: str | None, month: int, day: int) -> str:
    """Return a date as ISO writes it; without a year, `--03-14`. "" for no date."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return ""
    return f"{year or '-'}-{month:02}-{day:02}"


def _moment(text: str) -> str:
    if not re.match(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d", text):
        return ""
    try:
        moment = datetime.fromisoformat(text.upper())
        return (moment.astimezone(UTC) if moment.tzinfo else moment).isoformat().lower()
    except (ValueError, OverflowError):  # no date, or one beyond the calendar in UTC
        return ""


def _time(text: str) -> str:
    if found := _CLOCK_ZH.match(text):
        part, hour, minutes, half = found.groups()
        return _clock(
            int(hour) + (12 if part in ("下午", "晚上") and int(hour) < 12 else 0), 30 if half else int(minutes or 0)
        )
    found = _CLOCK.match(text)
    if found is None:
        return ""
    hour, minutes, half_day, hour_of_day, minutes_of_day = found.groups()
    if half_day:
        return _clock(int(hour) % 12 + (12 if half_day == "p" else 0), int(minutes or 0)) if int(hour) <= 12 else ""
    return _clock(int(hour_of_day), int(minutes_of_day))


def _clock(hour: int, minutes: int) -> str:
    return f"{hour:02}:{minutes:02}" if hour < 24 and minutes < 60 else ""


def _weekday(text: str) -> str:
    return _WEEKDAY.get(text.removeprefix("on ").removeprefix("every "), "")


def _version(text: str, key: str) -> str:
    found = _VERSION.match(text)
    if found is None:
        return text
    name, number = found.group(1).split(), found.group(2)
    known = set(_parts(key))
    left = [word for word in name if word not in known]
    return " ".join([*left, number])


def _parts(key: str) -> Iterable[str]:
    return re.split(r"[._\-\s/]+", key.casefold())
