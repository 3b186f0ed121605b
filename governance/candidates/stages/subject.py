# ruff: noqa: E501 - a pattern stays in one piece
"""Whom words are about, and whether they are meant: people nobody serves here, suppositions, reports, small talk."""

import re

from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.surroundings import Told, told_in
from governance.candidates.stages.text import plain, words_of

_PERSONAL = frozenset({"user", "session"})
_STRANGERS = (
    r"(?:colleague|co-?worker|boss|neighbou?r|intern|landlord|landlady|teacher|professor|classmate|roommate|flatmate|friend|buddy|cousin|uncle|aunt|nephew|niece"
    r"|man|woman|guy|girl|boy|lady|stranger|driver|waiter|waitress|barber|plumber|singer|actor|actress|president|celebrity|manager|teammate|acquaintance|ex)s?"
)
_STRANGERS_ZH = "(?:同事|朋友|邻居|老板|领导|实习生|房东|同学|老师|室友|舍友|表[哥弟姐妹]|堂[哥弟姐妹]|闺蜜|哥们|上司|经理|客服|司机|那个人|这个人|有个人|网友|明星)"
_RELATIVES = r"(?:wife|husband|partner|girlfriend|boyfriend|spouse|fianc[eé]e?|son|daughter|child|kid|baby|toddler|mother|mom|mum|father|dad|parent|sister|brother|sibling|grand(?:mother|father|son|daughter|ma|pa|child|parent)|(?:mother|father|sister|brother)-in-law|twin|step(?:son|daughter|mother|father)|cat|dog|puppy|kitten|hamster|rabbit|horse|parrot|pet)s?|children"
_PERSON_EN = rf"(?:(?:my|our|his|her|their|the|a|an)\s(?:[\w-]+\s){{0,2}}?(?:{_STRANGERS}|{_RELATIVES})\b(?!(?:\s\w+)?\s(?:and|or)\s(?:i|me)\b))"
_RELATIVES_ZH = "(?:妈妈?|母亲|爸爸?|父亲|爸妈|父母|哥哥?|姐姐?|弟弟?|妹妹?|老公|老婆|丈夫|妻子|太太|先生|爱人|女儿|儿子|孩子|宝宝|小孩|奶奶|爷爷|外公|外婆|姥姥|姥爷|岳[父母]|公公|婆婆|男朋友|女朋友|男友|女友|对象|侄[子女]|外甥女?|孙[子女]|猫|狗|宠物)"
# Whom a clause is about, where it is not the speaker: at its beginning, or where one begins within it.
_OTHER = re.compile(
    rf"(?:^|\b(?:and|or|but|that|because|since|so|think|know|guess|says?|sure|while|as|where)\s)\W*(?:(?:also|well|today|actually|now|then|even|only|still)\s)*(?P<who>{_PERSON_EN}|he\b|she\b|you (?:live|work|are|like|love|prefer|speak|own)\b|every(?:one|body)\b|people\b|nobody\b|no one\b|some(?:one|body)\b|(?:half|most|some|many|none|few|several) of (?:us|them|my|our|the)\b)"
    rf"|{_PERSON_EN}\s(?:who|that)\b"
    rf"|^\W*(?:今天|现在|以前|其实|因为|所以|而|听说)*(?:(?:我们?|咱们?)?的?[\u4e00-\u9fff]{{0,2}}?(?:{_RELATIVES_ZH}|{_STRANGERS_ZH})(?!和我|跟我|与我|给我|让我|叫我|对我)|[他她]们?|大家|有人|别人|人家)"
)
_PERSON = re.compile(rf"\b(?:{_STRANGERS}|{_RELATIVES})\b|{_RELATIVES_ZH}|{_STRANGERS_ZH}")
_SPEAKER = re.compile(r"\b(?:i|we)\b|^\W*(?:我们?|咱们?)(?:和|跟|与)")
_STRANGER_EN = re.compile(
    rf"^\W*(?:(?:and|but|so|well|also|by the way|btw)[, ]+)?(?:(?:my|our|the|a|an|this|that|some|one of my)\s)(?:(?!best\b|favou?rite\b)[\w-]+\s){{0,2}}?{_STRANGERS}(?:'s? [\w-]+)?\b(?![^.!?]*\b(?:i|me|my|us|we|our|myself)\b)(?=[^.!?]*\b(?:\w+s|is|are|was|were|has|had|said|told|\w+ed)\b)"
)
_STRANGER_ZH = re.compile(
    rf"^\W*(?:我们?|咱们?|公司|部门)?(?:的|以前的|之前的|新来的|楼[上下]的|隔壁的?|[\u4e00-\u9fff]{{1,4}}[上里的])*?{_STRANGERS_ZH}(?!和我|跟我|给我|让我|叫我|对我)(?!(?:[^。！？]*)(?:给我|让我|叫我|和我|跟我|我们))[^。！？我]{{2,}}"
)
_REPORTED = re.compile(
    r"^\W*(?:he|she|they|someone|somebody|people|everyone|my \w+) (?:told|said|says|tells|claims|claimed|thinks|mentioned)\b(?!.{0,20}\bthat i\b)|^\W*according to (?!me\b)|^\W*(?:i (?:heard|read) that)\b"
    r"|\b(?:the )?(?:poem|song|lyrics?|novel|book|article|manual|example|tutorial|quote|text|docs?|documentation|character|story) (?:in \w+ \w+ )?(?:goes|says|reads|said|states|shows)\b"
    r"|^\W*(?:[他她]们?|别人|有人)(?:跟我|对我|和我)?(?:说|讲|告诉)|^\W*(?:听|据)[\u4e00-\u9fff]{0,4}说|(?:诗|歌词|书|小说|文章|手册|教程|例子|文档)(?:里|中|上)?(?:的例子)?(?:写|说|唱)(?:道|的是|着)?"
)
_SUPPOSED = re.compile(
    r"^\W*(?:if (?:i|we) (?:were|was|had|could|won)\b|suppose\b|supposing\b|imagine\b|let'?s (?:say|imagine|pretend|suppose)|pretend\b|hypothetically\b|what if\b|in theory\b)|\b(?:maybe|perhaps|might)\b.{0,60}\b(?:no idea|not sure|never tried|don't know)\b"
    r"|^\W*(?:如果|假如|假设|假使|倘若|要是)(?!.{0,16}(?:以后|每次|都|请)).{0,24}|^\W*(?:想象一下|假装)|(?:也许|可能|或许).{0,24}(?:不知道|没试过|没吃过|说不准)"
)
_TALK = re.compile(
    r"^\W*(?:(?:ha){2,}\W*|lol\W*|wow\W*|oh\W*|hm+\W*|nice\W*|good (?:morning|afternoon|evening|night)|okay?|alright|sounds (?:good|great)|cool|great|awesome|thanks?(?: you| a lot| so much)?|cheers|hi|hello|hey|bye|test(?:ing)?|[\d\s,.!?]|how are you(?: (?:today|doing))?|that(?:'s| is) (?:so |really |very )?(?:hilarious|funny|great|nice|awesome|cool|amazing|interesting)|[\s,.!?'])+$"
    r"|^\W*it(?:'s| is) (?:raining|snowing|sunny|cloudy|windy|hot|cold|freezing|late|getting late|dark)(?: (?:again|today|outside|here|now))*\W*$|\bi(?:'m| am) (?:so |very |really |just |a bit )*(?:tired|hungry|thirsty|sleepy|bored|busy|cold|hot|full|excited|stressed|annoyed)(?:(?:,| and)? (?:so |very )?(?:tired|hungry|thirsty|sleepy|bored|busy|cold|hot|full|stressed|annoyed))*(?: (?:right now|now|today|at the moment|again))*\W*$"
    r"|^\W*(?:哈+|呵+|嘿+)[\u4e00-\u9fff]{0,6}\W*$|^\W*(?:(?:太|真)?(?:好笑|搞笑|有意思|棒|好)了?|早上好|下午好|晚上好|早安|晚安|你好|您好|好的?|可以|谢谢你?|多谢|不错|行|嗯|哦|知道了|明白|再见|拜拜|今天怎么样|测试|辛苦了?|真贴心|太好了|[\d\s，,。.！!？?])+$"
    r"|^\W*(?:外面|今天|这里)?(?:又|在|正在)*(?:下雨|下雪|刮风|出太阳|打雷)了?\W*$|^\W*我?(?:现在|今天|有点|真的|好|很|太|快)+(?:累|困|饿|渴|忙|烦|冷|热|无聊|难受|开心|高兴|郁闷)(?:死|坏)?(?:了|啊|呀|哦)*\W*$"
)


def subject(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Whom a user's words are about and whether they are meant (SPEC C5): what governs serving this user stays."""
    if proposal.role_of_observation != "user" or proposal.level not in _PERSONAL or proposal.explicit is not None:
        return Verdict("subject", "not-asked", "Rests on no words of a user's own, or was read by the rules.")
    found = told_in(proposal)
    said = found.statement if found else plain(proposal.quote or proposal.content)
    if _TALK.search(said) and not proposal.is_confirmed:
        return Verdict("subject", "small-talk", "Small talk, or how things are this minute.", "event_only")
    if _SUPPOSED.search(said):
        return Verdict("subject", "supposed", "Supposed, not stated.", "event_only")
    if _REPORTED.search(said):
        return Verdict("subject", "reported", "What somebody else said, or what stands somewhere.", "event_only")
    stranger = _STRANGER_EN.search(said) or _STRANGER_ZH.search(said)
    if stranger and not proposal.about and not _says_who_it_is(proposal, said):
        return Verdict(
            "subject", "about-another", "About somebody whom serving this user does not depend on.", "event_only"
        )
    if found and not proposal.about and _is_about_another(proposal, found):
        return Verdict("subject", "about-companion", "Said of somebody else, proposed of the user.", "review")
    return Verdict("subject", "own", "The user's own words, and meant.")


def _is_about_another(proposal: Proposal, found: Told) -> bool:
    """Whether a clause has another subject than its speaker, and neither the sentence nor the key says so."""
    others = list(_OTHER.finditer(found.clause))
    if not others or _PERSON.search(plain(f"{proposal.content} {proposal.key.replace('.', ' ').replace('_', ' ')}")):
        return False
    after = found.clause[others[-1].end() :]
    stands = max((m.end() for m in _SPEAKER.finditer(found.clause)), default=-1)
    return stands < others[-1].start() + 1 and not re.search(r"\b(?:i|me|us)\b|我", after)


def _says_who_it_is(proposal: Proposal, said: str) -> bool:
    """Whether a sentence names the one its key asks for ("My landlord is Mrs Hill"): that is a fact of the user's own."""
    role = re.escape(proposal.key.rpartition(".")[2].replace("_", " "))
    named = re.escape(plain(words_of(proposal.value)))
    by_role = rf"(?:my|our) {role}(?:'s name)? is (?:called |named )?{named}"
    by_name = rf"我们?的?{_STRANGERS_ZH}(?:叫|姓|名叫|名字[是叫]){named}"
    return bool(role and named and re.fullmatch(rf"\W*(?:{by_role}|{by_name})\W*", said))
