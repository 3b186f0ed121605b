"""What a person's words do to a statement that somebody else worded: ask about it, deny it, say it again. Pure."""

import re

from governance.candidates.extractors.clauses import sentences
from governance.candidates.extractors.polarity import denies_naming

_DENIES = re.compile(
    r"\b(?:no|not|nope|nah|never|neither|nor|wrong|incorrect|false|without|cannot|stop|avoids?|hates?|dislikes?)\b|n['’]t\b"
    r"|不(?!错|客气|好意思)|别|没(?!错|问题|关系)|(?<!没)(?<!不)错|勿|非也|讨厌",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(r"\b(?:used to|formerly|in the past|once)\b|以前|曾经|过去", re.IGNORECASE)
_WORD = re.compile(r"[^\W_\u4e00-\u9fff]{2,}|[\u4e00-\u9fff]")
_EMPTY = frozenset(
    "the user users of to in an is are was has have wants prefers likes and for with that 的 了 用 户".split()
)
_BETWEEN = r"(?:(?!but\b|rather\b|instead\b|only\b|just\b)\w+\s+){0,2}"
_NEGATED = re.compile(
    r"\b(?:not|never|no longer|cannot|neither|nor)\b|n['’]t\b|不(?!错|客气|过|仅|但|同|久)|从未|从不|没有?|并非|无需",
    re.IGNORECASE,
)
_IT = "\ue000"  # stands where a value stood
_LESSER = re.compile(
    rf"\b(?:prefer|choose|like|love|pick|take|use|want)\b[^.!?;,]{{1,60}}\b(?:over|to|than) (?:the |a |an )?{_IT}(?!\w)"
    rf"|\b(?:rather than|instead of|as opposed to|more than|better than|hates?|detests?|dislikes?|can['’]t stand) (?:the |a |an )?{_IT}(?!\w)"
    rf"|\b(?:mov|switch|migrat|chang)\w* from (?:the )?{_IT}(?!\w)|\bexcept(?: for)? (?:the )?{_IT}(?!\w)|从{_IT}(?:[搬换转迁改])|除了?{_IT}"
    rf"|(?:比起|与其|胜过|强过|而不是|而非|讨厌|受不了){_IT}|比{_IT}(?:更|还)?[好强]|{_IT}不如",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"(?:\bnot|n['’]t|\bnever|\bno longer|\bno)\s+{_BETWEEN}{_IT}(?!\w)|(?:不|别|没)(?:(?!而是|错|只)[\u4e00-\u9fff]){{0,4}}{_IT}",
    re.IGNORECASE,
)
# A bound is no denial of its figure: "no more than 200", "never longer than 6 hours", 不超过200.
_BEYOND = r"(?:(?:more|less|fewer|greater|longer|later|earlier|older|younger|higher|lower|farther|further|shorter|bigger|larger) than|over|above|beyond|below|under|past|exceed\w*)"
_BEYOND_ZH = "(?:超过?|[高低多少大小早晚长短]于|过)"
_BOUND = re.compile(
    rf"(?:\b(?:no|not|never|cannot)\b|n['’]t\b)[^.!?;,]{{0,40}}?\b{_BEYOND} (?:the |an? )?{_IT}|\b{_BEYOND} (?:the |an? )?{_IT}"
    rf"|(?:不|别|勿|没)[^，。！？!?；;,\n]{{0,6}}?{_BEYOND_ZH}{_IT}",
    re.IGNORECASE,
)
_DISLIKED = re.compile(r"\b(?:exclud\w*|dislik\w*|aversion|ban(?:ned)?|unwanted|not)\b|忌|避|厌|不", re.IGNORECASE)
_ALLERGIC = re.compile(r"\ballerg|过敏", re.IGNORECASE)
_NOT_ALLERGIC = re.compile(
    r"(?:\b(?:not|never|no longer|no|without)|n['’]t)\b(?! (?:only|just)\b)(?: \w+){0,3} allerg"
    r"|(?:不(?:再|会|是|算|怎么|太|大)*|没有?(?:什么)?)(?:对[^，。！？!?；;,\n]{1,8})?过敏",
    re.IGNORECASE,
)
_VEGETARIAN = re.compile(r"vegetarian|vegan|吃[全纯]?素|素食", re.IGNORECASE)
_EATS_ALL = re.compile(r"不(?:再)?(?:吃[全纯]?素|是素食)")
_FIGURE = re.compile(
    r"\d|^(?:[零一二两三四五六七八九十百千万半]|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b)"
)
_ENOUGH = 0.5  # of the words of a statement, said again


def is_asked(text: str) -> bool:
    """Whether all that a text says is asked, and not a polite request for something standing."""
    said = list(sentences(text))
    return bool(said) and all(sentence.is_question for sentence in said)


def is_past(text: str, content: str) -> bool:
    """Whether a text speaks of what was, and the statement made of it does not."""
    return bool(_NO_LONGER.search(text)) and not _NO_LONGER.search(content)


def is_denied(text: str, value: str, content: str) -> bool:
    """Whether a text denies a value that the statement made of it affirms: "I don't want X" made into "wants X".

    What it is preferred to is denied as well: the coffee of "tea rather than coffee".
    """
    if _DENIES.search(content) or _DENIES.search(value):
        return False
    if _NOT_ALLERGIC.search(text) and _ALLERGIC.search(content):
        return True
    if _EATS_ALL.search(text) and _VEGETARIAN.search(f"{content} {value}"):
        return True
    denied = denies_naming(text, value)
    if denied or not value.strip():
        return bool(denied)
    said = text.lower().replace(value.strip().lower(), _IT)
    if _IT not in said:
        return False
    if _FIGURE.search(value):
        said = _BOUND.sub(_IT, said)
    if _LESSER.search(said) and not _DISLIKED.search(content):
        return True
    return denied is None and bool(_DENIED.search(said))


# What asks the other way round, or for one of two: a plain yes to it says neither.
_TAG = re.compile(
    r",? ?\b(?:don't|doesn't|aren't|isn't|haven't|won't|didn't|right|correct|no) ?(?:you|i|it|they)?\?|^\W*(?:don't|aren't|haven't|didn't|isn't it true that) (?=you\b)"
    r"|要不要|是不是|能不能|可不可以|对不对|好不好|会不会|有没有|需不需要|是否|不错|没错",
    re.IGNORECASE,
)
_STOPS = re.compile(
    r"\b(?:not|never|no longer|stop(?:ping)?|quit|cease|avoid|without|drop|forget|remove|delete|cannot|refrain|instead of|rather than|give up)\b|n['’]t\b"
    "|不|别|没|停|取消|放弃|戒|忘|删",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\bor\b(?! so\b)|还是|或者?", re.IGNORECASE)


def is_turned_or_open(offered: str, claimed: str) -> bool:
    """Whether a turn offers the contrary of what is claimed, or a choice, so that a plain yes to it confirms nothing."""
    asked = _TAG.sub("", offered.replace("’", "'"))
    return bool(_STOPS.search(asked)) != bool(_STOPS.search(claimed)) or (
        bool(_EITHER.search(asked)) and not _EITHER.search(claimed)
    )


def says_again(quote: str, value: str, content: str) -> bool:
    """Whether a person's words say a statement again, and deny and ask nothing."""
    if is_asked(quote) or bool(_DENIES.search(quote)) != bool(_DENIES.search(f"{content} {value}")):
        return False
    wanted = _words(value) or _words(content)
    return bool(wanted) and len(wanted & _words(quote)) >= _ENOUGH * len(wanted)


def is_turned(quote: str, content: str, value: str) -> bool:
    """Whether a sentence denies what its quote affirms: "allergic to nuts" made into "not allergic to nuts"."""
    return bool(_NEGATED.search(content)) and not (_DENIES.search(quote) or _NEGATED.search(f"{quote} {value}"))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _EMPTY
