"""What a detector finds, and the folded text it looks at."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

PLACEHOLDERS = {
    "credential": "[credential]",
    "national_id": "[national id]",
    "card": "[card]",
    "passport": "[passport]",
    "bank_account": "[bank account]",
    "phone": "[phone]",
    "email": "[email]",
    "address": "[address]",
    "birth_date": "[birth date]",
    "ip_address": "[ip address]",
    "health": "[health]",
    "finance": "[finance]",
    "allergy": "[allergy]",
    "accessibility": "[accessibility]",
    "diet": "[diet]",
}
BLANK = "\ufffc"  # stands for a placeholder: no pattern matches it

_PLACEHOLDER = re.compile("|".join(re.escape(text) for text in PLACEHOLDERS.values()), re.IGNORECASE)
# Letters that look Latin: Cyrillic, Greek, Armenian, Cherokee and a few symbols (after Unicode's confusables).
LOOK_ALIKE = str.maketrans(
    "аАВВсСеЕНіІјЈКкМмоОрРТтхХуУѕЅԁԛԝһԌɡɑʟпгвнαΑΒβεΕηΗιΙκΚΜνΝοΟρΡτΤυΥχΧΖγωօοսցոհⅼǀıƖ|ꓲꓳꓮ",
    "aABBcCeEHiIjJKkMmoOpPTtxXyYsSdqwhGgaLnrBHaABBeEnHiIkKMvNoOpPtTuYxXZywoougnhllillIOA",
)
# A Latin letter beside one of another script that looks Latin: nobody writes so who means the other script.
MIXED = re.compile(
    "[A-Za-z][\u0370-\u03ff\u0400-\u04ff\u0530-\u058f]|[\u0370-\u03ff\u0400-\u04ff\u0530-\u058f][A-Za-z]"
)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fb\u00b7\u2022\u2e31"), "-")
_DIGITS = str.maketrans("〇零一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "001234567891123456789")
_SPELLED_DIGITS = re.compile("[〇零一二三四五六七八九幺壹贰叁肆伍陆柒捌玖]{7,}")
_WORDS_OF_DIGITS = "zero oh one two three four five six seven eight nine".split()
_DIGIT_OF = dict(zip(_WORDS_OF_DIGITS, "00123456789", strict=True))
_ONE_SPELLED = re.compile(rf"(?i)\b(?:{'|'.join(_WORDS_OF_DIGITS)})\b|\d")
_SPELLED_OUT = re.compile(
    rf"(?i)\b(?:{'|'.join(_WORDS_OF_DIGITS)})(?:[\s,.\-]{{1,3}}(?:{'|'.join(_WORDS_OF_DIGITS)}|\d+))" + r"{7,}\b"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch `start:end` of the original text that belongs to a sensitive category."""

    start: int
    end: int
    category: str
    detector: str


@dataclass(frozen=True)
class Folded:
    """Text as detectors read it: NFKC, one kind of dash and space, no invisible characters, digits as digits.

    `origin[i]` is the position in the original text of character i, `ends[i]` where what it stands for ends there;
    placeholders are blanked.
    """

    text: str
    origin: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int, category: str, detector: str) -> Span:
        """The span in the original text; edge spaces are left out."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return Span(self.origin[start], self.ends[end - 1], category, detector)

    @cached_property
    def lower(self) -> str:
        """The text in lower case, character for character."""
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else "".join(c.lower()[:1] or c for c in self.text)

    def around(self, start: int, end: int, before: int = 40, after: int = 20) -> str:
        """The words near a span, in lower case."""
        return self.lower[max(0, start - before) : start] + " " + self.lower[end : end + after]

    def before(self, start: int, size: int = 40) -> str:
        """The words just before a span, in lower case."""
        return self.lower[max(0, start - size) : start]


def fold(text: str) -> Folded:
    """Text in the form detectors read, with the way back to the original positions."""
    if text.isascii():
        folded, origin = text, tuple(range(len(text)))
    else:
        folded, origin = _fold_characters(text.translate(LOOK_ALIKE) if MIXED.search(text) else text)
        folded = _SPELLED_DIGITS.sub(lambda match: match[0].translate(_DIGITS), folded)
    ends = tuple(at + 1 for at in origin)
    folded, origin, ends = _digits_for_words(folded, origin, ends)
    return Folded(_PLACEHOLDER.sub(lambda match: BLANK * len(match[0]), folded), origin, ends)


def _digits_for_words(
    text: str, origin: tuple[int, ...], ends: tuple[int, ...]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text with long rows of English digit words written as digits, each standing for its word."""
    pieces: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    at = 0
    for row in _SPELLED_OUT.finditer(text):
        pieces.append(text[at : row.start()])
        starts.extend(origin[at : row.start()])
        stops.extend(ends[at : row.start()])
        for word in _ONE_SPELLED.finditer(text, row.start(), row.end()):
            pieces.append(_DIGIT_OF.get(word[0].lower(), word[0]))
            starts.append(origin[word.start()])
            stops.append(ends[word.end() - 1])
        at = row.end()
    if not at:
        return text, origin, ends
    pieces.append(text[at:])
    return "".join(pieces), (*starts, *origin[at:]), (*stops, *ends[at:])


def _fold_characters(text: str) -> tuple[str, tuple[int, ...]]:
    pieces: list[str] = []
    origin: list[int] = []
    for position, character in enumerate(text):
        piece = _folded(character)
        pieces.append(piece)
        origin.extend([position] * len(piece))
    return "".join(pieces), tuple(origin)


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    if unicodedata.category(character) in ("Cf", "Mn"):
        return ""
    return unicodedata.normalize("NFKC", character.translate(_DASHES)).translate(_DASHES)
