"""The assistant's words about the user, as the user would have said them: what a plain yes makes the user's own."""

import re

_OFFER = re.compile(
    r"\b(?:shall|should|may|can|could) i (?:please )?|\b(?:do you want|would you like|would you prefer) me to |\bi(?:'ll| will| can) ",
    re.IGNORECASE,
)
_OFFER_ZH = re.compile("(?:要不要|需不需要|是否需要|需要)我|我(?:会|将|可以)(?=以后|今后|一直|每次|都)")
_YOU = (
    (re.compile(r"\byou(?:'re| are)\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byou(?:'ve| have)\b", re.IGNORECASE), "I have"),
    (re.compile(r"\byou(?:'d| would) (?:like|prefer)\b", re.IGNORECASE), "I prefer"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
    (re.compile("您|你"), "我"),
)
_LEAD = re.compile(
    r"^\W*(?:(?:so|then|ok(?:ay)?|got it|right|great|understood|noted|just to (?:confirm|be sure)|to confirm|if i understand (?:you )?(?:correctly|right))\b[,:. ]*)+",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile("^(?:好的?|明白了?|那么?|也就是说|所以|确认一下|跟您确认一下)[，,：: ]*")
_TAG = re.compile(
    r",? (?:right|correct|is that (?:right|correct)|don't you|aren't you|do you)\s*\?|[，,]?(?:对吗|是吗|对吧|是吧|没错吧|吗|好吗|可以吗)[?？]"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def as_first_person(text: str) -> str:
    """What the user affirms by saying yes: offers as orders, "you prefer" as "I prefer", questions as statements.

    Only sentences about the user or offers to them are returned; everything else the assistant said stays its own.
    """
    return " ".join(filter(None, (_turned(match[0].strip()) for match in _SENTENCE.finditer(text))))


def _turned(sentence: str) -> str:
    bare = _LEAD_ZH.sub("", _LEAD.sub("", sentence))
    stated = re.sub(r"[?？]\s*$", ".", _TAG.sub(".", bare))
    offered = _OFFER_ZH.sub("", _OFFER.sub("", stated))
    about_user = re.search(r"\byou|您|你", stated, re.IGNORECASE)
    if offered == stated and not about_user:
        return ""
    for pattern, own in _YOU:
        offered = pattern.sub(own, offered)
    return offered.strip()
