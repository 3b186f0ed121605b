# ruff: noqa: E501 - a pattern stays in one piece
"""A sentence that affirms what its words deny: "I don't eat fish" does not say "eats fish". Pure."""

import re

from governance.candidates.extractors.polarity import negations
from governance.candidates.stages.proposal import Proposal
from governance.candidates.stages.support import shared, words
from governance.candidates.stages.surroundings import Told
from governance.candidates.stages.text import plain, words_of

# A denial without a word of denial in front of what it denies.
_IN_OTHER_WORDS = re.compile(
    r"\b(?:far from|(?:the )?(?:last|furthest) thing from|couldn't care less|could care less|(?:no|not|isn't|aren't|n't) (?:(?:a|an|any|much of an?|really|exactly|the) )*(?:fan|friend|lover|believer|person|type|kind)|leaves? me cold|not (?:for me|my (?:thing|cup of tea|cuppa|jam|style|scene|taste))|isn't (?:for me|my (?:thing|cup of tea|jam|style|scene))|does nothing for me|do nothing for me|have no (?:interest|time|use|need|love) |lost (?:all )?interest|hard pass|a no-?go|off the table|allergic to the idea)\b"
    r"|无感|没(?:什么)?(?:感觉|兴趣)|不感(?:冒|兴趣)|提不起(?:兴趣|劲)|戒(?:掉)?了|敬谢不敏|免谈|谈不上|算不上|称不上|没门|敬而远之|不来电|欣赏不来|[吃喝用住听看穿坐做玩睡]不(?:来|惯|了|下|起)"
)
_ANYTHING_BUT = re.compile(r"\banything but\b([^.!?;,]*)")  # its clause ends at "but"
# What keeps a denial from being the contrary of its words: a bound, an exception, a turn of speech.
_LIMITED = re.compile(
    r"\b(?:before|after|until|till|unless|except|but|than|other|only|just|too|very|so|enough|always|often|all|every\w*|both|exceed|above|below|over|under|past|later|earlier|for long)\b|之前|以前|之后|以后|超过|[早晚高低多少]于|除了?|只|太|很|总|都|每|全"
)
_OF_SPEECH = re.compile(
    r"(?:n't|not|never|cannot) (?:mind|wait|help|beat|go wrong|get enough|imagine|say no|hurt|matter|know|think|worry|(?:do|live|function|survive|start|leave|work|go|travel|be) (?:\w+ ){0,3}?without)\b|\bno (?:doubt|question|wonder|worries|idea)\b|\bwhy not\b|\b(?:miss(?:es|ed)?|skips?|fails?|refuses?|runs? out of)\b|离不开|少不了|不介意|不能没有|不可或缺|不在话下|不得不|忍不住|舍不得|没说的|不可缺|缺不了"
)
_DENIES_TOO = re.compile(
    r"\b(?:no|nobody|nothing|nowhere|none|non|neither|nor|never|not|false|ex|free|off|out|against|without|un(?:able|willing|happy|comfortable|interested|employed)|avers\w*|avoid\w*|stop\w*|quit(?:s|ting)?|former\w*|past|was|were|used to|dislik\w*|hat(?:es?|ed)|loath\w*|detest\w*|refus\w*|reject\w*|exclud\w*|skip\w*|drop(?:s|ped)?|remov\w*|omit\w*|ban(?:s|ned)?|forb\w+|prohibit\w*|restrict\w*|declin\w*|lack(?:s|ing)?|little|less|few|rare\w*|seldom|hardly|barely|limit\w*|difficult\w*|trouble\w*|problem\w*|hard|struggl\w*|instead|rather|intoleran\w*|allerg\w*|sensitiv\w*|[a-z]+less|only|cannot|lactose|zero|minus|keep\w* (?:away|clear)|block(?:s|ed|ing)?|disab\w*|turn\w* down|no longer|far|anything but|care less|(?:do|does|did|is|are|was|were|wo|has|have)nt)\b|n't\b"
    r"|[不没无别勿非未免戒忌禁厌停]|讨厌|拒绝|排除|避|反感|困难|障碍|少|过敏|曾|前"
)
_OPENS = re.compile(
    r"^(?:the (?:user|project|team|company|client|customer)|user|用户|客户|项目|团队|该?公司)(?:'s)?\s*(?:们|组)?"
)
_MOST = 0.5
_SAY_NOTHING = frozenset({"1", "tru"})  # of "a vegan", "vegan: true"


def affirms_denied(proposal: Proposal, found: Told) -> bool:
    """Whether the clause of a quote denies what key, value and sentence of a proposal affirm."""
    value = proposal.value
    claim = plain(f"{proposal.key.replace('.', ' ').replace('_', ' ')} {words_of(value)}")
    if value is False or _DENIES_TOO.search(claim) or _DENIES_TOO.search(plain(proposal.content)):
        return False
    told = _OPENS.sub("", plain(proposal.content))
    claimed = words(told) - _SAY_NOTHING
    if _OF_SPEECH.search(found.clause):
        return False
    if far := _ANYTHING_BUT.search(found.sentence):
        return bool(shared(claimed, words(far[1])))
    if _IN_OTHER_WORDS.search(found.clause):
        return bool(shared(claimed, words(found.clause)))
    ends = negations(found.clause)
    denied = found.clause[ends[-1] :] if len(ends) == 1 else ""
    if not denied or _LIMITED.search(denied):
        return False
    there = words(denied) - _SAY_NOTHING
    both = shared(there, claimed)
    return bool(both) and (both > _MOST * len(there) or both > _MOST * len(claimed))
