"""Words that say whether something holds this once or from now on, in English and Chinese."""

import re

_ONE_OFF_EN = re.compile(
    r"\b(?:this (?:time|once|one time|instance|case|particular|round|question|answer|task|email|message|file|document|trip|stay|visit|order|booking|query|request|one|week|weekend|month|morning|afternoon|evening)"
    r"|(?:just|only) (?:this|once|today|tonight|now|for now|one)|for (?:this|the) (?:one|time being|moment|question|answer|task|email|file|document|trip|order|now|meeting|report|demo|call|night)|for now|for once|for today|for tonight"
    r"|right now|at the moment|currently just|temporar(?:y|ily)|one[- ]off|one time only|until (?:i|we) (?:say|tell|finish|are done)|in this (?:chat|conversation|session|message|reply|answer|case|thread|instance)"
    r"|today|tonight|tomorrow|this (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|next (?:time only|hour)|instead of usual|except(?:ionally)?(?= today| now| this)|exceptionally|the next (?:hour|few minutes|answer|message))\b"
)
_STANDING_EN = re.compile(
    r"\b(?:from now on|from here on|from today(?: on)?|going forward|henceforth|in (?:the )?future|always|never(?! mind)|every ?time|each time|whenever|by default|as a rule|generally|usually|in general|permanently"
    r"|every (?:day|week|month|morning|evening|night|answer|reply|response|trip|booking|stay|file|report|commit|meeting|monday|friday)|all (?:my|our|your) (?:answers|replies|responses|files|reports|trips|bookings|emails|code)"
    r"|for good|forever|for ever|all the time|any ?more|any ?longer|ever again|at all times|until further notice|no more|moving forward|the rule is|default to|daily|weekly|monthly|yearly)\b"
    # How to address somebody, and in what to show them things, is said once and for all.
    r"|^\W*(?:please )?(?:start |stop )?call(?:ing)? me (?:by )?(?!a\b|an\b|when|if|at|on|in|back|later|tomorrow)\w+|^\W*(?:please )?(?:show|give|display|list|quote|write|state)(?: me)? (?:all )?(?:prices|dates|times|temperatures|distances|amounts|weights|numbers|measurements|costs)\b.{0,20}\bin\b"
)
_COMPLAINT_EN = re.compile(
    r"\b(?:again and again|once again|yet again|(?:the )?(?:second|third|fourth|fifth|nth) time|how (?:many times|often) (?:do|did|have|must)|i(?:'ve| have)? (?:already )?(?:told|asked|said)(?: you)?(?: this| that| it)?(?: many| several| a hundred| twice| three)? ?(?:times|before|already|twice)?"
    r"|you keep|keeps? (?:on )?\w+ing|why do (?:you|they|i) (?:always|keep)|stop (?:suggesting|recommending|sending|giving|using|asking|calling|adding|putting|offering|booking|showing|assigning|addressing|including|writing|answering|replying) \w+|tired of|sick of|fed up|every single time|still (?:not|no|getting|giving|answering|using)|always get|as i(?:'ve| have)? said)\b"
)
_ONE_OFF_ZH = re.compile(
    "这(?:一)?(?:次|回|趟|单|封|份|个(?:问题|任务|文件|项目里?的这|回答|会话|对话|月|星期|周)|条(?:消息|回复)?|顿|晚|周|几天|两天)(?!开始|起)|本次|此次|仅(?:此|限|这)|就(?:这|今|一)(?:一)?(?:次|天|晚|回)|只(?:这|今)(?:一)?(?:次|天)"
    "|暂时|临时|先(?:这样|凑合|用着)|目前先|眼下|今天|今晚|今早|今日|今儿|明天|明早|明晚|后天|现在(?:先|就)|当前(?:任务|问题|对话)|破例|例外(?:一次)?|下一?(?:条|个回答)|待会|一会儿?|刚才那|偶尔"
)
_STANDING_ZH = re.compile(
    "(?<![完了过后到之])以后|今后|从(?:现在|今天|今|此|这次|这|下次)(?:开始|起|往后|以后|后|之后)|从今往后|往后|将来|始终|永远|一直|一向|一律|总是|每次|每回|每当|每逢|每天|每周|每个月|每月|默认|都(?:要|用|给|请|得)|再也|从来|不要再|别再|不许再|长期|一贯|平时|通常|习惯"
)
_COMPLAINT_ZH = re.compile(
    "又(?:是|给|用|被|安排|不)|老是|总是|总给|每次都|说(?:过|了)(?:很?多|好?几|多少|无数|[二两三四五六])(?:次|遍)|第[二三四五六七八九几]次|怎么(?:还|又|老)|为什么(?:还|又|老|总)|受够|别再|不要再|我都说"
)


def is_standing(text: str) -> bool:
    """Whether the words claim to hold from now on; a complaint that a wish was not met counts."""
    lower = text.lower()
    return bool(_STANDING_EN.search(lower) or _STANDING_ZH.search(lower) or is_complaint(text))


def is_complaint(text: str) -> bool:
    """Whether somebody complains that this keeps happening."""
    lower = text.lower()
    return bool(_COMPLAINT_EN.search(lower) or _COMPLAINT_ZH.search(lower))


def is_one_off(text: str) -> bool:
    """Whether the words limit themselves to this once, and do not claim to hold from now on."""
    lower = text.lower()
    if not (_ONE_OFF_EN.search(lower) or _ONE_OFF_ZH.search(lower)):
        return False
    return not is_standing(text) or bool(_ONLY_ONCE.search(lower))


_ONLY_ONCE = re.compile(
    r"\b(?:just|only) (?:this|once|today|tonight|for now)\b|\bthis (?:time|once)\b|\bfor now\b|这(?:一)?次(?!开始|起)|就今天|仅此|只这"
)
