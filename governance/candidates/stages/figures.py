"""Whether the figures of a claim were said: 500 is not 5000, and "five hundred" and 五百 are 500. Pure."""

import re

from governance.candidates.stages.text import plain

_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
# From a number's beginning only: tried at each digit, one of thousands of digits took seconds.
_SCALED = re.compile(r"(?<!\d)(?<!\d[.,])(\d+(?:[.,]\d+)*)\s?(k\b|thousand\b|m\b|million\b|[百千万亿])")
_LONGEST, _LONGEST_ZH = 120, 30  # characters: what is longer is no number that anybody says
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:t[\d:.]+(?:z|[+-][\d:]+)?)?\b")
_SCALES = {"k": 10**3, "thousand": 10**3, "m": 10**6, "million": 10**6, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {
    **{word: n for n, word in enumerate(_ONES)},
    **{word: 10 * n for n, word in enumerate(_TENS, 2)},
    "a": 1,
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "dozen": 12,
    "once": 1,
    "twice": 2,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
}
_SPELLED = re.compile(
    rf"\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?:(?:[\s-]|\sand\s)(?:{'|'.join(_WORDS)}))*\b"
)
_DIGITS_ZH = {**{c: n for n, c in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "半": 0.5}
_SPELLED_ZH = re.compile("[零〇一二两三四五六七八九十百千万亿半]+")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_RELATIVE = re.compile(
    r"\b(?:next|last|this) year\b|\byears? (?:ago|from now|old)\b|['’]\d\d\b|[明去今前后]年|年[前后]|岁"
)
_LATER = re.compile(r"\b(?:pm|p\.m\.|afternoon|evening|tonight|night)\b|下午|晚上|傍晚|晚")


def unsaid(claim: str, said: str) -> int:
    """Return how many figures of a claim were not said, in digits or in words, in either language."""
    here, there = plain(claim), plain(said)
    known = figures(there)
    wrong = sum(not _is_date_said(match, there, known) for match in _DATE.finditer(here))
    bare = _DATE.sub(" ", here)
    scaled = {match[1]: _scaled(match) for match in _SCALED.finditer(bare)}
    return wrong + sum(
        not ({_as_written(figure), scaled.get(figure, "")} & known or _is_meant(figure, there, known))
        for figure in set(_FIGURE.findall(bare))
    )


_ABOVE = re.compile(r"\b(?:more|longer|higher|later|older|greater) than \ue000|(?:超过|[高多大晚长]于)\ue000")
_NEVER = re.compile(r"\b(?:no|not|never|cannot)\b|n't\b|不|别|勿|没")
_BEYOND = re.compile(
    r"\b(?:more|longer|higher|later|older|greater|over|above|beyond|least|min(?:imum)?|exceed\w*|up)\b|[+>]|超|[高多大晚长]于|以上|至少|最少|起码"
)


def loses_bound(claim: str, said: str, value: str) -> bool:
    """Whether a figure was said only as what something lies above, and a claim has it for the thing itself."""
    clause = plain(said).replace(plain(value), "\ue000")
    above = _ABOVE.search(clause) if re.search(r"\d", value) else None
    return bool(above and not _NEVER.search(clause[: above.start() + 1]) and not _BEYOND.search(plain(claim)))


def figures(text: str) -> set[str]:
    """Return all numbers of a text (as of `plain`), in digits: as written, with their scale, and those in words."""
    return _in_digits(text) | _spelled(text) | _spelled_in_chinese(text)


def _in_digits(text: str) -> set[str]:
    written = _FIGURE.findall(text)
    found = {_as_written(figure) for figure in written}
    found |= {part for figure in written if ":" in figure for part in figure.split(":")}
    found |= {figure.replace(".", "") for figure in written if _THOUSANDS.fullmatch(figure)}
    return found | {_scaled(match) for match in _SCALED.finditer(text)} if written else found


_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def _spelled(text: str) -> set[str]:
    spoken = {word for word in _LETTERS.findall(text) if word in _WORDS}
    if not spoken:
        return set()  # most texts
    found = {_number(_in_words(m[0])) for m in _SPELLED.finditer(text) if len(m[0]) <= _LONGEST}
    return found | {str(_WORDS[word]) for word in spoken - {"a"}}


_LETTERS = re.compile("[a-z]+")


def _spelled_in_chinese(text: str) -> set[str]:
    return {_number(_in_chinese(m[0])) for m in _SPELLED_ZH.finditer(text) if len(m[0]) <= _LONGEST_ZH}


def _as_written(figure: str) -> str:
    """A figure without separators of thousands, with a point, without decimals that are nought."""
    bare = figure.rstrip(".,:")
    bare = re.sub(r",(?=\d{3}(?:\D|$))", "", bare).replace(",", ".")
    return re.sub(r"^0+(?=\d)", "", re.sub(r"\.0+$", "", bare))


def _scaled(match: re.Match[str]) -> str:
    written = _as_written(match[1])
    is_number = written.count(".") < 2 and len(written) <= _LONGEST
    return _number(float(written) * _SCALES[match[2]]) if is_number else written


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _in_words(run: str) -> float:
    total, part = 0, 0
    for word in re.findall(r"[a-z]+", run):
        value = _WORDS.get(word, 0)
        if word in ("thousand", "million"):
            total, part = total + (part or 1) * value, 0
        elif word in ("hundred", "dozen"):
            part = (part or 1) * value
        else:
            part += value
    return total + part


def _in_chinese(run: str) -> float:
    """The number a run of Chinese numerals writes: by places (三百五十), or digit by digit (二〇二六)."""
    if len(run) > 1 and not set(run) & set("十百千万亿半"):
        return int("".join(str(_DIGITS_ZH[c]) for c in run))
    total: float = 0
    section: float = 0
    digit: float = 0
    for character in run:
        if character in _DIGITS_ZH:
            digit = _DIGITS_ZH[character]
        elif character in "十百千":
            section, digit = section + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[character], 0
        else:
            total, section, digit = (total + section + digit or 1) * _SCALES[character], 0, 0
    return total + section + digit


def _is_date_said(match: re.Match[str], said: str, known: set[str]) -> bool:
    """Whether a date's day and month were said; its year may follow from when that was."""
    month, day = int(match[2]), str(int(match[3]))
    is_named = bool(re.search(rf"\b{_MONTHS[month - 1]}", said)) if 1 <= month <= 12 else False
    return day in known and (is_named or str(month) in known)


def _is_meant(figure: str, said: str, known: set[str]) -> bool:
    """Whether a figure is a year that was said by its distance, or an hour that was said on the clock of twelve."""
    if re.fullmatch(r"(?:19|20)\d\d", figure):
        return bool(_RELATIVE.search(said))
    hour, _, minutes = figure.partition(":")
    if not minutes or not re.fullmatch(r"\d{1,2}", hour):
        return False
    is_later = int(hour) > 12 and bool(_LATER.search(said))
    is_hour = str(int(hour)) in known or is_later and str(int(hour) - 12) in known
    return is_hour and (minutes == "00" or minutes in known or minutes == "30" and bool(re.search("half|半", said)))
