# ruff: noqa: E501 - a pattern stays in one piece
"""What follows a quote at once and undoes it: words that take it back or put it right, a condition. Pure."""

import re

from governance.candidates.stages.surroundings import Told
from governance.candidates.stages.text import plain

_FILLED = r"(?:\W|\b(?:e+r+m*|u+[mh]+|h+m+|oh|ah|oops|whoops|ugh|well|argh|damn|sorry|apologies|pardon|my bad|hang on|hold on|wait|no|nope|but|and|actually|ok(?:ay)?)\b)*"
_FILLED_ZH = "(?:[^\\w\u4e00-\u9fff]|呃|额|嗯|啊|哦|噢|唉|哎呀?|欸|诶|哈|呀|等等|等一?下|慢着|抱歉|对不起|不好意思|那个|我|又|刚才|刚刚|前面|上面|好像)*"
_BACK = (
    r"(?:make (?:that|it) (?!clear|sure|easy|short|a habit)|or rather\b|rather,|(?:no|sorry|wait|er+|uh+|um+)\W+(?:not (?!only|just)\w+|i meant?\b|it(?:'s| is| was)\b|that(?:'s| is| was)\b|make\b)|i meant\b|i mean,? (?!it\b|that\b|who\b|what\b|really\b|come\b|you\b|i\b|we\b|how\b)\w|(?:scratch|strike|ignore|disregard|forget|delete|undo) (?:that|this|it\b|what i|i (?:said|mentioned)|my last|the last|all (?:of )?that)|never ?mind(?:\W*$|[,.!]|\W*(?:that\b|what i|this\b|me\b|it\b))"
    r"|(?:i(?:'ve| have)? )?(?:just )?(?:mixed|mix|got|messed|screwed) (?:(?:that|this|it|them|those|these|things|the|my) (?:\w+ ){0,2})?(?:up|wrong|mixed|muddled|backwards?)|(?:i )?(?:misspoke|mis-?typed|misremembered|was wrong|was mistaken|got confused|said (?:that|it) wrong|lied|was (?:just )?(?:kidding|joking))\b|(?:that|this|it)(?:'s| is| was|'s been)(?: \w+)? (?:wrong|not right|incorrect|a mistake|a typo|out of date|outdated|nonsense|old info)\b|that(?:'s| is) not (?:right|true|it|correct|what i)|(?:my mistake|typo|correction|edit)\b\W|(?:wrong|incorrect)\W*(?:$|it's|i\b)|(?:i )?take (?:that|it) back\b|let me (?:rephrase|correct|take that|start over|try (?:that )?again)|on second thoughts?\b|(?:i(?:'ve| have)? )?changed my mind|change of plans?\b|not really\W*(?:$|[.,!])|not any ?more\b|(?:just )?(?:kidding|jk)\b|psych\b)"
)
_BACK_ZH = "(?:算了|当我没(?:说|讲|提)|(?:[说记讲打写弄搞口听看念]|说反|搞混|记混|弄混)(?:[错误反混岔]|成)|口误|笔误|打错字|不对(?![劲称])|不不|不是(?:[,.!]|$|的|,?是)|(?:不|错了?)[,.! ]*(?:还是|应该|改成)|不[,.! ]+是|还是(?:算了|改|换|不要|别)|更正|纠正|订正|改(?:口|成|为)|(?:准确|确切|严格)(?:地|来|一点)?(?:说|讲)|忘了?(?:它|这|刚|我)|忽略|作废|收回|撤回|不算数?[,.!了]|不作数|别当真|开(?:个|你)?玩笑|逗你|骗你|才怪|才不|其实(?:没有|没这|并没|并不|不是|是[他她]))"
_PAUSE = re.compile(r"[.!?;,:]+|(?<=\s)-+(?=\s)")
_COMMA = re.compile("[,:]")
_EDGES = " ,\"'"
_WITHIN = re.compile("[^.!?;]*")
_ONLY = re.compile(r"^[.!; ]*(?:but |and )?(?:only if|provided|前提|但前提|除非)")
_TAKEN_BACK = re.compile(rf"^{_FILLED}{_BACK}|^{_FILLED_ZH}{_BACK_ZH}")
_REST = re.compile(r"[^.!?;]*[.!?;]+")  # of a sentence
_MOST = 160  # characters behind a quote that can be about it

_CONDITION = re.compile(
    r"(?<!even )(?<!as )(?<!know )(?<!wonder )(?<!see )(?<!check )(?<!sure )(?<!asked )(?<!asking )\b(?:if|unless|provid(?:ed|ing)|assuming|on (?:the )?condition|on the premise|subject to|contingent|depending|(?:as|so) long as(?! possible)|pending)\b"
    r"(?! (?:possible|available|necessary|needed|at all|any(?:one|body|thing)?|not\b|you|i may|i can\b|i remember|i recall|i haven't|i said|i say|i ask|i tell|i(?:'m| am) (?:honest|not mistaken|right)|(?:that|it|this)(?:'s| is)? (?:ok(?:ay)?|fine|possible|helps?|matters?|relevant|useful|any help|makes)|it's not|stated|told|noted|otherwise|specified|asked))"
    r"|前提(?:条件)?是|条件是|如果|假如|假使|倘若|要是|只要|除非|万一|取决于|[看视](?:情况|.{1,8}而定)|得看|的话(?=[,.!了吧]|$)"
)
_POLITE_ZH = re.compile(
    "(?:如果|要是)?(?:可以|可能|方便|不介意|不麻烦|没记错|没弄错|需要|有|能|允许|行)的话|(?:如果|要是)(?:可以|可能|方便|不介意|没记错|有(?:的话|需要))|除非我"
)
_NEXT = re.compile(
    r"\b(?:and|but|so|because|since|then|please|let me|tell me|ask me)\b|但是?|所以|因为|不过|请|而且|另外"
)
_ALONE = re.compile("^ *(?:(?:but|and|only|just|但|不过|当然|只有?) ?)+")


def is_taken_back(found: Told) -> bool:
    """Whether what follows a quote, in its sentence or at the start of the next one, takes it back or puts it right."""
    after = found.after[:_MOST]
    rest = _REST.match(after)
    pauses = [0, *(pause.end() for pause in _PAUSE.finditer(after, 0, rest.end() if rest else len(after)))]
    return any(_TAKEN_BACK.match(after[at:]) for at in pauses)


def is_conditional(found: Told, content: str) -> bool:
    """Whether a condition follows a quote in its own clause, or right behind it, of which a sentence says nothing."""
    if _CONDITION.search(plain(content)):
        return False
    if _ONLY.match(found.after):
        return True
    said = _POLITE_ZH.sub("", _WITHIN.match(found.after.lstrip(_EDGES))[0])  # type: ignore[index]
    clause, *behind = _COMMA.split(said)
    if _NEXT.search(clause):
        return bool(_CONDITION.search(_NEXT.split(clause)[0]))
    return bool(_CONDITION.search(clause) or behind and _CONDITION.match(_ALONE.sub("", behind[0])))
