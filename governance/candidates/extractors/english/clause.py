"""What an English rule is: a pattern for a clause, and what it makes of it; the pieces that patterns share."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from governance.candidates.extractors import keys
from governance.candidates.extractors.permanence import is_one_off, is_standing
from governance.candidates.extractors.statement import Said

ME = r"(?:i|we|(?:the|this|our|my) (?:guest|client|customer|passenger|travell?er))"


BE = r"(?:(?:i|we)(?:'m|'re| am| are)|(?:the|this|our|my) (?:guest|client|customer|passenger|travell?er) is)"


KIN = rf"my (?:\d+[- ]year[- ]old |elderly |old |little |young(?:er|est)? |old(?:er|est) |dear )?(?P<kin>{keys.COMPANION_WORDS})"


WHO = rf"(?:{BE}|{KIN}(?:'s| is| are|,? who is)|(?P<both>both of us are|we both are|we're both|neither of us))"


ADV = r"(?:(?:really|much|always|strongly|generally|usually|still|also|absolutely|just|do|both|all|particularly|especially|actually|personally|truly|totally|honestly|mostly|now|kind of|definitely|certainly) )*"


X = r"(?P<x>[^,.;:!?\n\u2003()]{2,70}?)"


END = r"(?=\s*(?:[,.;:!?\n()\u2003—]|$|\b(?:because|since|but|so that|so|can you|could you|would you|will you|do you|and (?:i|we|my|please|the|then)|when|while|as (?:it|they|i|a|he|she)|if|please|too|now|these days|nowadays|a lot|very much|as well|anyway|that's|until|from now|instead|whenever|every|at the moment|right now|today|this time|for now|thanks|thank)\b))"


START = r"(?:^|(?<=[,;:—] )|(?<=\band )|(?<=\bso )|(?<=\bbut )|(?<=\bplease )|(?<=\bthen ))"


NOT_OBJECT = re.compile(
    r"^(?:it|move it|that|this|these|those|them|him|her|you|your|he|she|they|to (?:know|see|hear|ask|book|buy|order|get|make|be|have a|find|change|cancel|check|schedule|pay|speak|talk|say|add|set|make|thank)\b|the (?:idea|way|sound|look|fact|thought|first|second|one|last|other)|how|what|when|where|who|why|if|one|some|more|another|any|so|too|not|nothing|everything|anything|something|all of|most of|both|in|on|at|for|what's|a (?:lot|bit)|my (?:bank|account|card|balance)|crap|crazy)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A match of a rule in its sentence."""

    match: re.Match[str]
    sentence: str
    complains: bool = False  # somewhere in the utterance

    def __getitem__(self, name: str) -> str:
        """A group, without edge spaces; '' when it took no part."""
        groups: Mapping[str, str | None] = self.match.groupdict()
        return (groups.get(name) or "").strip(" \"'“”")

    @property
    def lasts(self) -> bool:
        """Whether a wish that claims nothing about time holds from now on."""
        return not is_one_off(self.sentence)

    @property
    def is_standing(self) -> bool:
        """Whether a request says itself that it holds from now on."""
        return (self.complains or is_standing(self.sentence)) and not is_one_off(self.sentence)

    @property
    def companion(self) -> str:
        """The relative it is about, as called here; looked for before "who", "she", 她, where none is the subject."""
        if self["kin"] or not _ABOUT_ANOTHER.search(self.match[0]):
            return self["kin"]
        before = self.sentence[: self.match.end()]
        return next((found[0] for found in reversed(list(_ANY_KIN.finditer(before)))), "")


_ABOUT_ANOTHER = re.compile(r"\b(?:who|she|he)\b|[她他]", re.IGNORECASE)


_ANY_KIN = re.compile(rf"(?<![A-Za-z])(?:{keys.COMPANION_WORDS})(?![A-Za-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """What to look for and what to make of it; rules that stand first win where matches overlap."""

    pattern: re.Pattern[str]
    build: Callable[[Clause], Iterator[Said]]
    cues: tuple[str, ...] = ()  # one of these stands in every sentence the rule can match


def rule(pattern: str, build: Callable[[Clause], Iterator[Said]], cues: str = "") -> Rule:
    """A rule whose pattern ignores case; `cues` are separated by `|`."""
    return Rule(re.compile(pattern, re.IGNORECASE), build, tuple(cues.split("|")) if cues else ())


_DIMENSIONS = (
    (re.compile(r"\b(window|aisle|middle) (?:seats?)\b|^(?:the )?(window|aisle)$"), "preference.travel.seat"),
    (re.compile(r"\b(dark|light) (?:mode|theme)\b"), "preference.theme"),
    (re.compile(r"\b(metric|imperial)\b"), "preference.units"),
    (re.compile(r"\b(celsius|fahrenheit)\b"), "preference.temperature"),
    (re.compile(r"\b(24|12)[- ]hour\b"), "preference.clock"),
)


_WRAPPING = re.compile(
    r"^(?:to (?:use|have|get|write|see|work with|work in|code in|receive|sit (?:at|by|in|on)|fly|read|program in)|using|having|my (?:answers|replies|examples|code|reports|output|data|files|exports)(?: to be)?|answers|replies|examples|code examples|code|output|reports|everything|it)?\s*(?:(?:in|as|with)\s+)?",
    re.IGNORECASE,
)


_TRAILING = re.compile(
    r"\s+(?:examples?|code|format|files?|output|answers?|best|the most|more|most|better|a lot|very much|so much|now|again|instead)$",
    re.IGNORECASE,
)


def dimension(phrase: str) -> tuple[str, str]:
    """The key and value of a known choice in a phrase, or ('', '')."""
    core = _WRAPPING.sub("", phrase.strip(), count=1)
    for words in (core, _TRAILING.sub("", core)):
        if (known := keys.dimension(words))[0]:
            return known
    for pattern, key in _DIMENSIONS:
        if match := pattern.search(phrase.lower()):
            return key, next(group for group in match.groups() if group)
    return "", ""
