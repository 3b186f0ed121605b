# ruff: noqa: E501 - a pattern stays in one piece
"""What was so, or was only sought, is not how things are: "I worked at Volvo" does not say "works at Volvo". Pure."""

import re

from governance.candidates.stages.surroundings import Told
from governance.candidates.stages.text import plain

_I = r"\b(?:i|we)(?: (?:\w+ly|also|just|once|only|always|never|both|then|all))* "
# What somebody was or did for a time. "I was told", "I was born", "I was wondering" tell something else.
_WAS = re.compile(
    rf"{_I}(?:was|were)(?! (?:born|told|given|raised|made|diagnosed|hired|wondering|thinking|hoping|going|looking|trying|saying|asking|just|about|able|promoted|introduced|transferred|assigned|sent|moved|accepted|admitted|adopted|advised|asked|wrong|so|glad|happy to|surprised|in (?:a|an) (?:accident|crash))\b)|{_I}(?:worked|lived|resided|smoked|vaped|owned|rented|studied|drank|drove|ran on|used(?! to\b)|relied on|had (?:an?|the|my|our|two|three|four|no) )"
)
_THEN = re.compile(
    r"\b(?:back (?:in|when|then|at)|in those days|as (?:a|an) (?:young |little |small )?(?:kid|child|teen(?:ager)?|student|boy|girl|undergrad\w*|youngster|toddler|freshman|intern)s?(?! of\b)|in (?:my|our) (?:early |late |mid )?(?:childhood|youth|teens|twenties|thirties|forties|college days|student days|school days|university days|younger (?:days|years))|growing up|at (?:my|our) (?:old|previous|former|last) \w+|once upon a time|formerly|previously|originally|(?:years|ages|decades) ago)\b|^\W*(?:when|before) (?:i|we) (?:was|were|had|got|became|moved|married|lived|worked)\b"
    r"|小时候|(?:上|读|念)(?:大学|中学|小学|高中|初中|本科|研|书|学)(?:那会儿?|那时候?|那几年|那阵子|的时候|时|期间)|(?:大学|高中|初中|中学|小学|学生)(?:那会儿?|那时候?|那几年|时代|时期|期间|的时候|时(?=[,我]))|那会儿?|那时候?|那阵子|那几年|那两年|当时|当年|从前|早年|早些年|前些年|年轻(?:时|的时候|那会)|原先|原来(?=[是住用在叫吃喝抽养])|我们?本来|曾经?|刚(?:毕业|工作|参加工作|来|结婚|入行)[^,.]{0,4}(?:那|时|的时候)|(?:怀孕|结婚|婚|生娃|生孩子|产|搬家|出国|辞职|毕业|退休|手术|生病|疫情|创业|换工作|当妈|当爸|有孩子)(?:之|以)?前(?!夕)|[一二两三四五六七八九十几多\d]+年(?:以|之)?前|上(?:一)?份工作|[前老]东家|前公司|(?:住|工作|待|呆|干|上班|养|抽|用)过(?![敏来去程])"
)
# Words of change tell what is so since, and some say that it still is.
_SINCE = re.compile(
    r"\b(?:still|since|ever since|to this day|so far|until now|and counting|now|nowadays|these days|currently|today|always been|have been|has been|moved|switched|decided|bought|got|became|began|started|joined|learn(?:ed|t)|adopted|married|developed|inherited|diagnosed|broke|lost|quit|settled|relocated|born|founded|set up|opened|chose|migrated|converted|(?:i|we)(?: \w+ly)? (?:am|have|live|work|eat|use|prefer|like|love|need|want)|i'm|we're|i've|we've)\b"
    r"|现在|如今|目前|至今|到现在|仍|依然|还[是在有]|一直|就(?!读|职|业)|今天|搬|换|改|买|开始|决定|辞|加入|入职|生了|领养|收养|结了?婚|学会|确诊|查出|发现|出生|毕业于|以来|后来|迁|转"
)
_TELLS_PAST = re.compile(
    r"\b(?:was|were|had|did|used to|former\w*|previous\w*|past|once|ex|back|no longer|until|ago|originally|history|[a-z]{3,}(?:ed)|old|last|as an? (?:kid|child|teen\w*|student)|childhood|experience\w*|before|went|grew|drank|drove|ran|came|in (?:19|20)\d\d)\b|曾|以前|过去|从前|原先|原来|之前|前|小时候|当时|那时|当年|过[。.,]?|了"
)
# What is sought or hoped for is not yet so.
_SOUGHT = re.compile(
    r"\b(?:appl(?:ied|ying|y) (?:for|to|at)|(?:had|have|having|got|went to|did) (?:an? |my |the )?(?:\w+ )?interview|interview(?:ed|ing) (?:at|with|for)|(?:got |was |were |been )?(?:rejected|turned down) (?:by|for|at|from)|waiting to hear (?:back )?from|(?:sent|submitted|handed in) (?:in )?(?:my|an?|our) (?:cv|resume|application))\b"
    r"|投(?:了|过|的是)?(?:[^,.]{0,8})?简历|面试|应聘|求职|(?:递|交)了?申请|申请了?[^,.]{0,10}(?:职位|岗位|工作)|还没(?:收到|有)?(?:回音|消息|offer)"
)
_SOUGHT_SAID = re.compile(
    r"\b(?:appl\w+|interview\w*|reject\w*|turned down|candidate|cv|resume|hop\w+|want\w*|seek\w*)\b|投|面试|应聘|求职|申请|拒|想"
)


def tells_of_then(found: Told, key: str, content: str) -> bool:
    """Whether a clause tells of what was, or of what was sought, and the statement made of it of what is."""
    told = plain(f"{content} {key.replace('.', ' ').replace('_', ' ')}")
    if _SOUGHT.search(found.clause):
        return not _SOUGHT_SAID.search(told)
    if _TELLS_PAST.search(told):
        return False
    said = found.statement if _THEN.search(found.statement) else f"{_intro(found.before)}{found.clause}"
    was = _WAS.search(found.clause)
    return bool(
        (was or _THEN.search(said)) and not _SINCE.search(f"{_intro(found.before)}{found.clause} {_behind(found)}")
    )


def _intro(before: str) -> str:
    """Return what stands right in front of a clause and sets its time: "when I was small, | ..."."""
    part = before.rstrip(" ,，").rpartition(",")[2]
    return f"{part.strip()}, " if _THEN.search(part) else ""


def _behind(found: Told) -> str:
    """Return what follows in the sentence and goes on telling of the same: "and still do"."""
    after = re.split("[.!?;]", found.after)[0]
    still = re.search(r"\b(?:still|to this day|ever since|and counting)\b|至今|到现在|一直到|仍|依然", after)
    return still[0] if still else ""
