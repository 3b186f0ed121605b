# ruff: noqa: E501 - a pattern stays in one piece
"""What stands around a quote: a span cut out of "I do not live in Vienna" says what was never said. Pure."""

import re

from governance.candidates.stages.text import plain

_SENTENCE = re.compile(r"(?<=[.!?;？！；])\s*")
_CLAUSE = re.compile(r"[,，、]|\bbut\b|但是?|而是")
_DENIED = re.compile(
    r"\b(?:not|never|no longer|stop|without|avoid|\w+n't)\b(?! (?:only|just)\b)|不(?!仅|但|光)|别|勿|没|莫|停止|避免"
)
_REPORTED = re.compile(
    r"\b(?!i\b)\w+ (?:says?|said|told \w+|claims?|claimed|thinks?|thought|wrote|asked)\b|(?<!我)(?:说|讲|告诉|认为|问)(?:我|过|，|:|：|了)?$|[他她]说"
)
_ASKED = re.compile(r"\b(?:is it|is that|are you|am i|do i|did i|does|whether|true)\b|是不是|是否|真的|难道")
_SUPPOSED = re.compile(
    r"\bif (?:i|we|you)\b.*\b(?:were|was|had|lived|would|could|might)\b|\bi wish (?:i|we)\b|\b(?:suppose|imagine|pretend)\b|如果我|假如|要是我|假设|但愿|希望我[住有是能在]"
)
_ONCE = re.compile(
    r"\b(?:just|only) (?:for )?(?:today|now|once|tonight)\b|\bthis (?:one )?time\b|\bfor once\b|只是今天|就这次|这一?次|今天只|暂时"
)
_TAKEN_BACK = re.compile(
    r"^[\s\"',-]*(?:(?:but |and )?(?:that|this|which|it)(?:'s| is| was)(?: all| just)? (?:false|wrong|untrue|not true|a lie|a joke)|(?:just |only )?kidding|not true)\b|^[，,\s]*(?:开玩笑|才怪|不是真的|是假的|骗你的)"
)


def is_torn(quote: str, text: str) -> bool:
    """Whether the words around a quote deny, report, ask, suppose or take back what it says on its own.

    Looked at are the rest of its clause before it, the rest of its sentence, and what follows at once. A quote that is
    not found is for grounding to judge.
    """
    whole, cut = plain(text), plain(quote).strip(" .,;:!?\"'")
    at = whole.find(cut) if cut else -1
    if at < 0:
        return False
    before = _SENTENCE.split(whole[:at])[-1]
    after = whole[at + len(cut) :]
    clause = _CLAUSE.split(before)[-1]
    asked = bool(re.match(r"[^.!;！；。]*[?？]", after)) and _ASKED.search(before)
    return bool(
        _DENIED.search(clause)
        or _REPORTED.search(before)
        or asked
        or _SUPPOSED.search(before + cut + " " + re.split(r"[.!?;]", after)[0])
        or _ONCE.search(before)
        or _TAKEN_BACK.search(re.sub(r"^[.,!\s]+", "", after))
    )
