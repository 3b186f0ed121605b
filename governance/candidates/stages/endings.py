# ruff: noqa: E501 - a pattern stays in one piece
"""What is over, or hardly ever so, is not how things are: "I quit Siemens" does not say "works at Siemens". Pure."""

import re

from governance.candidates.stages.support import shared, words
from governance.candidates.stages.surroundings import Told
from governance.candidates.stages.text import plain

_ENDS = re.compile(
    r"\b(?:quit(?:ting)?|left(?![- ](?:hand|align|click|side))|dropped|ditched|outgrew|(?:have|'ve|has) outgrown|avoid(?:ed|ing)?|gave up(?: on)?|(?:have|'ve|has|am|'m|be) giv(?:en|ing) up(?: on)?|(?:got|gotten|getting) rid of|sold|stopped|ceased|abandoned|retired from|resigned from|moved (?:out of|away from)|parted with|(?:broke|split) up with|done with|cancel?led|unsubscribed from|deleted|uninstalled|swore off|(?:went|am|'m) off|cut out|lost|was fired from|got fired from|(?:hardly|barely|scarcely) ever|hardly|rarely|seldom|stay away from|steer clear of|try not to|through with|moved on from|grew out of|grown out of|(?:said|say|saying|bid|wave[ds]?) (?:a |my |our )?(?:final )?(?:good-?bye|farewell|bye|adieu) to|(?:turned|turning) (?:my|our) back on|past (?:my|our)|put(?=[^.!?;,]{1,40} behind (?:me|us)\b))\b"
    r"|辞(?:掉|去|了|职)|搬(?:离|走|出)|离开了?|离职|放弃了?|很少|极少|几乎不|戒(?:掉|了)?|卖(?:掉|了)|停(?:止|用|了)|弃用了?|退(?:订|出|掉)了?|不再|注销了?|尽量不|避开|远离|告别了?|[和跟与](?=[^，。]{1,12}说(?:了|过)?(?:再见|拜拜))"
)
# Where what has ended is over and something else begins.
_THEN = re.compile(
    r"[.!?;,]|\b(?:for|to|and|but|because|so|when|since|in favou?r of|now|instead|after|before)\b|[，、]|去了|改|换|现在|而"
)
_GONE = re.compile(
    r"\b(?:is|are|has|have|'s) (?:now |all |finally |completely )*(?:gone|over|cured|healed|disappeared|vanished|history|(?:been )?sold|(?:been )?cancel?led|a thing of the past|behind (?:me|us)|(?:ancient|past) history|(?:a )?closed (?:chapter|book)|in (?:my|our|the) (?:past|rear-?view mirror)|(?:a )?past chapter)\b|\b(?:went away|disappeared|vanished)\b|\band (?:i|we) are (?:done|through|finished|history)\b"
    r"|(?:已经)?(?:治?好了|没了|消失了|卖(?:掉)?了)|辞职了?|离职了?|搬走了|(?:成了?|是|已经?)(?:过去|历史|往事)式?了|翻篇|翻过去|(?:已经?|早就|早已|再也|现在)不再?[\u4e00-\u9fff]{1,2}了"
)
_UNTIL = re.compile(r"\b(?:until|till|once|before|when|as long as)\b|直到|等到?")  # it will be over, and is not yet
_SAYS_SO = re.compile(
    r"\b(?:no|not|never|non|former(?:ly)?|used to|ex|stop\w*|quit\w*|left|leav\w+|drop\w*|avoid\w*|dislik\w*|hat(?:es?|ed)|g[ai]v\w+ up|rid|sold|sells?|ended|over|gone|cancel\w*|abandon\w*|resign\w*|retir\w*|moved?|outgr\w+|lost|rarely|seldom|hardly|barely|little|less|was|were|previous\w*|past|delet\w+|uninstall\w+|without|cut|off|out)\b|n't\b"
    r"|[不没别戒辞卖停离弃退避]|很少|极少|以前|曾|前"
)
_WAS = re.compile(r"\b(?:was|were|used to be)\b[^.!?]*$|(?:原来|之前|本来|以前|原先)[^.!?]*$")
_NOW = re.compile(
    r"^[^.!?]{0,24}(?:[,;]|\b(?:but|and)\b|[，]).{0,12}(?:\bnow\b|\bthese days\b|\btoday\b|现在|如今)|^[^.!?]{0,30}\.\s*(?:but )?(?:now\b|it'?s now|现在)"
)


def is_over(found: Told, value: str, content: str) -> bool:
    """Whether a clause says that what is proposed has ended, is shunned or hardly ever so, and the proposal does not."""
    if _SAYS_SO.search(plain(f"{content} {value}")):
        return False
    said = plain(value)
    if said and _WAS.search(found.earlier) and found.earlier and _NOW.search(found.after):
        return True
    claimed = words(f"{content} {value}")
    for ends in _ENDS.finditer(found.clause):
        object_ = _THEN.split(found.clause[ends.end() :])[0]
        if shared(claimed, words(object_)) or (said and said in object_):
            return True
    clause = _UNTIL.split(found.clause)[0]
    gone = _GONE.search(clause)
    return bool(gone and shared(claimed, words(clause[: gone.start()])))


def tells_an_end(quote: str) -> bool:
    """Whether words say that something is over or shunned, without a word of denial."""
    return bool(_ENDS.search(plain(quote)) or _GONE.search(plain(quote)))
