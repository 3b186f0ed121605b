# ruff: noqa: E501 - a pattern stays in one piece
"""Whether a person's later word says that something changed, or denies what they said before.

"I moved to Bristol" after "I live in Leeds" is a change. "I have never used Zotero" after "I downloaded Zotero" is not,
nor is "I flew to Vienna" after "I took the night train to Vienna": what happened stays happened, so one of the two is a
slip. Read from the words of the two quotes, and of the key, alone.
"""

import re

from governance.conflicts.rules.tense import is_over

_PERFECT = r"(?:(?:i|we|you|they|he|she|it|who)(?:'ve|'s|'d| have| has| had)|have|has|had)"
# A denial about all of the past, which no later event can make true: "I have never …", "never attended …", "从没去过".
_DENIES_PAST = re.compile(
    r"\b(?:(?:have|has|had|'ve|'s|'d)(?: \w+ly)? (?:never|not ever|yet to)|(?:haven't|hasn't|hadn't|didn't) (?:ever|once)"
    r"|(?:haven't|hasn't|hadn't) (?:\w+ly )?(?:\w+ed|been|done|had|gone|seen|met|made|written|taken|begun|got|gotten|read)"
    r"|never (?:once |actually |really |even |ever |before )?(?:\w{2,}ed|been|did|had|went|saw|met|made|wrote|took|got|read|spoke)"
    r"|not once|(?:no|zero|without any) (?:\w+ )?experience|(?:this|it) (?:is|was|will be|would be) (?:my|our) (?:very )?first time)\b"
    r"|从来?没有?|从未|未曾|不曾|(?:一次|压根|根本)[也都]?没|没有?[^，。；,;]{1,8}过|没有?任何[^，。；,;]{0,6}经验"
)
# "Ever" and "any" behind a perfect stand in the shadow of a denial, wherever the "not" itself is said: "I doubt that I
# have ever …", "I don't think we have met any …". Not so in questions, conditions, comparisons and behind "the best".
_POLAR = re.compile(rf"\b{_PERFECT}(?: \w+ly)?(?: \w+)? (?:ever|any|anyone|anybody|anything)\b")
_FREE = re.compile(
    r"\?|\b(?:if|whether|than|every|each|all|only|first|last|best|worst|most|least|whenever|before i|in case)\b|\b\w{2,}est\b"
)
# A denial of one event: it denies only another telling of it.
_DENIES_ONE = re.compile(
    r"\b(?:didn't|did not|wasn't|was not|weren't|were not)\b|没有?(?:去|来|参加|用|买|看|读|写|做|完成|交|出席|见|吃|坐)"
)
_RENOUNCES = re.compile(r"\bnever again\b|\bany ?more\b|\bno longer\b|再也不|不再")
# That the later word tells of a change, or of its moment.
_CHANGES = re.compile(
    r"\b(?:now|no longer|any ?more|instead|used to|these days|lately|recently|finally|since|as of|from now on|just"
    r"|today|yesterday|start(?:ed|ing)|beg[au]n|became|become|switch(?:ed|ing)?|mov(?:ed|ing)|chang(?:ed|es|ing)"
    r"|updat(?:ed|ing)|increas(?:ed|ing)|decreas(?:ed|ing)|rais(?:ed|ing)|reduc(?:ed|ing)|extend(?:ed|ing)"
    r"|adjust(?:ed|ing)|reschedul(?:ed|ing)|replac(?:ed|ing)|upgrad(?:ed|ing)|migrat(?:ed|ing)|promoted|grown)\b"
    r"|现在|如今|最近|刚刚?|终于|开始|已经|改[成为到]|换[成了到]|变[成为]|搬[到去]|升[级到为]|不再|从今|之后|以后"
)
# That it is about another occasion than the earlier word, or goes on counting.
_ANEW = re.compile(
    r"\b(?:again|another|also|too|this (?:time|week|month|year|morning|evening)|last (?:time|night|week|month|year)|next|newest|latest"
    r"|second|third|by now|so far|meanwhile|ago|improv(?:ed|ing)|rose|fell|grew|dropped|went (?:up|down)|cut|lower(?:ed|ing)"
    r"|postponed|cancel+ed|shift(?:ed|ing)|took over|quit|left|sold|gave up|stopped)\b"
    r"|又|再次|这次|这回|上次|第二次|另|涨|降|推迟|改期|取消|接替|辞|卖"
)
# Keys of what goes on changing; a preference is the latest word about it.
_CHANGING_KEY = re.compile(
    r"(?:^|[._\s-])(?:preferences?|favou?rite|last|latest|current|currently|recent|recently|most_recent|next|now|today)(?:$|[._\s-])|最近|上次|目前|当前|最新"
)
# What does not change with time: a later, other value is a slip or a correction.
_FIXED = re.compile(
    r"\bborn\b|\bbirth(?:day|date|place| year| date)?\b|\bgrew up\b|\bchildhood\b|\bnative\b|\bmother tongue\b|\boriginally\b"
    r"|\bgraduated\b|\ball my life\b|\bonly child\b|\bfirst (?:\w+ ){1,2}i (?:ever )?(?:\w+ed|had|got|bought|took|owned)\b"
    r"|\bmy (?:very )?first \w+ (?:was|were)\b|\bbefore anything else\b|\bgot married\b|\bour wedding\b|\bhometown\b"
    r"|\b(?:family|parents|ancestors|folks|people) (?:comes?|came|hails?|are|is) (?:\w+ )?from\b|\bi (?:come|hail) from\b|\bby birth\b"
    r"|出生|生于|生日|籍贯|老家|祖籍|母语|从小|毕业|独生|一辈子|第一[次个辆台部份]|结的婚|婚礼"
)
# What was said to have been so always: a telling of other days denies it, what is new from now on does not.
_ALWAYS = re.compile(
    r"\ball my life\b|\b(?:have|has|'ve|'s) always\b|\bsince (?:childhood|birth|i was)\b|从小|一直|一辈子|向来"
)
_ONCE = re.compile(r"\buntil\b|\bused to\b|\bback then\b|\bas a (?:child|student|teenager)\b|以前|过去|曾经|小时候")
# Done, and then not yet.
_DONE = re.compile(
    r"\b(?:finished|completed|submitted|delivered|handed in|paid off|wrapped up|read through)\b|[看读写做学听办交修]完|完成|交了"
)
_UNDONE = re.compile(
    r"\b(?:half ?way|still|yet to|to go|in the middle of|remaining|unfinished|not done|(?:am|is|are|'m|'re) (?:\w+ ){0,2}through)\b"
    r"|才[^，。；,;]{0,4}一半|还没|还在|还剩|还差"
)
# Who says that there are none, and then speaks of one.
_NONE_OF = (
    (r"\bonly child\b|\bno (?:siblings|brothers|sisters)\b|独生", r"\b(?:sister|brother|sibling|twin)s?\b|[姐妹哥弟]"),
    (r"\bnever (?:been )?married\b", r"\bex-?(?:wife|husband)\b|\bdivorced?\b|前[妻夫]|离婚"),
)
# A correction says of itself that the earlier word was a slip.
_CORRECTS = re.compile(
    r"(?:^|[.;,] )actually\b|\bactually,|\b(?:sorry|correction|i meant|i mean|my mistake|i was wrong|i misspoke|to be precise)\b|其实|更正|说错|记错|搞错|纠正"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"\d+(?:[.,/:]\d+)*")


def contradicts(new: str, held: str, key: str = "") -> bool:
    """Return whether a later word denies an earlier one without saying that anything changed: then it is asked back.

    Either denies all of the past what the other tells of, or both tell of what is over or cannot change. A word that
    corrects itself ("sorry, I meant …") contradicts nothing, nor does one that only says more or less of the same.
    """
    new, held = _flat(new), _flat(held)
    if _CORRECTS.search(new):
        return False
    denied, denied_before = _denies(new), _denies(held)
    if denied != denied_before:
        return denied or not _CHANGES.search(new)
    if _says_no_more(new, held):
        return False
    if _FIXED.search(new) and _FIXED.search(held):
        return True
    return _is_at_odds(new, held) or (not _CHANGING_KEY.search(key) and _retells(new, held))


def _is_at_odds(new: str, held: str) -> bool:
    """Return whether what the two mean excludes one another at any time."""
    if any(
        re.search(none, one) and re.search(some, other) for none, some in _NONE_OF for one, other in _both(new, held)
    ):
        return True
    if _DONE.search(held) and _UNDONE.search(new) and not _DONE.search(new):
        return True
    return bool(_ALWAYS.search(held) and not _CHANGES.search(new) and (_ONCE.search(new) or is_over(new)))


def _both(one: str, other: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, other), (other, one)


def _retells(new: str, held: str) -> bool:
    """Return whether two words tell otherwise of one thing that is over; another occasion or count is no retelling."""
    denied, denied_before = bool(_DENIES_ONE.search(new)), bool(_DENIES_ONE.search(held))
    over, over_before = denied or is_over(new), denied_before or is_over(held)
    if _CHANGES.search(new) or _ANEW.search(new) or not (over and over_before):
        return False
    if denied != denied_before:
        return True
    return not (_counts(new) and _counts(held))


def _says_no_more(new: str, held: str) -> bool:
    """Return whether all the words of one are in the other, which only tells more of the same."""
    said, said_before = set(re.findall(r"\w+", new)), set(re.findall(r"\w+", held))
    return said <= said_before or said_before <= said


def _counts(text: str) -> list[str]:
    """Return the numbers of a text that are no years: scores, distances and prices go on."""
    return _NUMBER.findall(_YEAR.sub("", text))


def _denies(text: str) -> bool:
    if _RENOUNCES.search(text):
        return False
    return bool(_DENIES_PAST.search(text) or (_POLAR.search(text) and not _FREE.search(text)))


def _flat(text: str) -> str:
    return " ".join(text.replace("’", "'").casefold().split())
