# ruff: noqa: E501 - a pattern stays in one piece
"""Whom words are about, and whether they are meant: people nobody serves here, suppositions, reports, small talk."""

import re

from governance.candidates.stages.endings import is_over
from governance.candidates.stages.past import tells_of_then
from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.speaker import another_in
from governance.candidates.stages.support import is_chinese, shared, words
from governance.candidates.stages.surroundings import Told, told, told_in
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
_FINITE = re.compile(r"^(?:is|has|was|lives|works|likes|loves|prefers|hates|wants|needs|eats|speaks|owns|uses)\b")
_BUT = re.compile(r"\bbut\b|但是?|不过")
_SERVED = re.compile(r"\b(?:guest|client|customer|patient|travell?er)$|客人|客户|顾客|病人")  # what users may be called
_ASIDE = re.compile(r", [^,]*, ")
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
# Nothing that is so: granted for an argument, dreamt, played, said in fun or by nobody in particular.
_UNREAL = re.compile(
    r"^\W*(?:(?:please|just|so|ok(?:ay)?|now|let'?s|let us|for now|then)[, ]+)*(?:assum(?:e|ing)\b|say,? (?:that )?(?:i|we|my)\b|(?:suppose|supposing|imagine|pretend|picture)\b|(?:for|purely for) the sake of (?:the )?argument|for argument'?s sake|(?:treat|regard|consider|think of|see) (?:me|us) (?:as|like|to be)\b|act (?:as if|as though|like)|as (?:if|though) (?:i|we)\b|(?:as a joke|for fun|in (?:a|an|some|another) (?:parallel|alternate|alternative|other|different|imaginary|fictional) (?:universe|world|life|reality|timeline))\b)"
    r"|\bword on the street\b|\b(?:rumou?rs?|gossip|legend|word) (?:has|have|had|says?|goes|is|are|claims?)\b|\b(?:there(?:'s| is| are) (?:a )?(?:rumou?rs?|gossip|talk)|it(?:'s| is| was) (?:just |only )?(?:an? )?(?:myth|rumou?r|legend|lie|joke|hoax|said|rumou?red|alleged|claimed)) (?:going (?:a)?round )?(?:that|of)\b|\b(?:people|they|some|folks|others|everyone) (?:say|says|claim|claims|believe|believes|think|thinks|keep saying) (?:that )?(?:i|we|my)\b|\b(?:supposedly|allegedly|reportedly)\b"
    r"|\b(?:i|we) (?:dream(?:t|ed)|had a dream)(?! of\b)|\bin (?:my|a|the|his|her|our|this) (?:\w+ )?(?:dreams?|nightmare|game|video game|story|novel|film|movie|play|role-?play|fantasy|simulation|campaign)\b(?=,? (?:i|we|my)\b)|^\W*(?:i'm |i am |we're |we are )?(?:just |only )?(?:joking|kidding)\b"
    r"|(?:就当|权当|姑且[算说当]?|当作?|把)我|^\W*(?:比如说?|譬如|例如|好比|打个比方|设想|假想|假定|假设|就说)|传言|谣言|谣传|传闻|传说|都说我|据传|有人说|网上说|开玩笑|逗你|说着玩|闹着玩|梦(?:见|到|里|中)|做(?:了个?)?梦|^\W*(?:在)?(?:这个|那个)?(?:游戏|小说|故事|电影|剧本)(?:里|中)"
)
_TALK = re.compile(
    r"^\W*(?:(?:ha){2,}\W*|lol\W*|wow\W*|oh\W*|hm+\W*|nice\W*|good (?:morning|afternoon|evening|night)|okay?|alright|sounds (?:good|great)|cool|great|awesome|thanks?(?: you| a lot| so much)?|cheers|hi|hello|hey|bye|test(?:ing)?|[\d\s,.!?]|how are you(?: (?:today|doing))?|that(?:'s| is) (?:so |really |very )?(?:hilarious|funny|great|nice|awesome|cool|amazing|interesting)|[\s,.!?'])+$"
    r"|^\W*it(?:'s| is) (?:raining|snowing|sunny|cloudy|windy|hot|cold|freezing|late|getting late|dark)(?: (?:again|today|outside|here|now))*\W*$|\bi(?:'m| am) (?:so |very |really |just |a bit )*(?:tired|hungry|thirsty|sleepy|bored|busy|cold|hot|full|excited|stressed|annoyed)(?:(?:,| and)? (?:so |very )?(?:tired|hungry|thirsty|sleepy|bored|busy|cold|hot|full|stressed|annoyed))*(?: (?:right now|now|today|at the moment|again))*\W*$"
    r"|^\W*(?:哈+|呵+|嘿+)[\u4e00-\u9fff]{0,6}\W*$|^\W*(?:(?:太|真)?(?:好笑|搞笑|有意思|棒|好)了?|早上好|下午好|晚上好|早安|晚安|你好|您好|好的?|可以|谢谢你?|多谢|不错|行|嗯|哦|知道了|明白|再见|拜拜|今天怎么样|测试|辛苦了?|真贴心|太好了|[\d\s，,。.！!？?])+$"
    r"|^\W*(?:外面|今天|这里)?(?:又|在|正在)*(?:下雨|下雪|刮风|出太阳|打雷)了?\W*$|^\W*我?(?:现在|今天|有点|真的|好|很|太|快)+(?:累|困|饿|渴|忙|烦|冷|热|无聊|难受|开心|高兴|郁闷)(?:死|坏)?(?:了|啊|呀|哦)*\W*$"
)


def subject(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Whom a user's words are about and whether they are meant (SPEC C5): what governs serving this user stays."""
    if proposal.role_of_observation != "user" or proposal.level not in _PERSONAL or proposal.is_confirmed:
        return Verdict("subject", "not-asked", "Rests on no words of a user's own, or on their yes.")
    if proposal.explicit is not None:
        return _of_what_rules_read(proposal)
    found = told_in(proposal)
    said = found.statement if found else plain(proposal.quote or proposal.content)
    if _TALK.search(said) and not proposal.is_confirmed:
        return Verdict("subject", "small-talk", "Small talk, or how things are this minute.", "event_only")
    if _SUPPOSED.search(said) or (found and _is_unreal(found)):
        return Verdict("subject", "supposed", "Supposed, not stated.", "event_only")
    if _REPORTED.search(said):
        return Verdict("subject", "reported", "What somebody else said, or what stands somewhere.", "event_only")
    stranger = _STRANGER_EN.search(said) or _STRANGER_ZH.search(said)
    if stranger and not proposal.about and not _says_who_it_is(proposal, said):
        return Verdict(
            "subject", "about-another", "About somebody whom serving this user does not depend on.", "event_only"
        )
    if found and not proposal.about and (_is_about_another(proposal, found) or _is_named(proposal, found)):
        return Verdict("subject", "about-companion", "Said of somebody else, proposed of the user.", "review")
    if found and proposal.kind != "episodic" and _is_no_more(proposal, found):
        return Verdict("subject", "over", "Said to be over, or hardly ever so.", "review")
    return Verdict("subject", "own", "The user's own words, and meant.")


def _is_no_more(proposal: Proposal, found: Told) -> bool:
    is_then = proposal.valid_to is None and tells_of_then(found, proposal.key, proposal.content)
    return is_then or is_over(found, words_of(proposal.value), proposal.content)


def _of_what_rules_read(proposal: Proposal) -> Verdict:
    """Rules know what they read, not always whom it was said of, or that it was supposed."""
    found = told(proposal.quote, proposal.observation_text) if proposal.source_type == "user_explicit" else None
    if found and _is_unreal(found):
        return Verdict("subject", "supposed", "Supposed, not stated.", "event_only")
    if found and not proposal.about and (_STRANGER_ZH.search(found.clause) or _is_named(proposal, found)):
        return Verdict("subject", "about-companion", "Said of somebody else, proposed of the user.", "review")
    return Verdict("subject", "not-asked", "Rests on no words of a user's own, or was read by the rules.")


def _is_unreal(found: Told) -> bool:
    before = _BUT.split(found.before)[-1]
    return any(_UNREAL.search(text) for text in (before + found.lead, before + found.clause, found.clause))


def _is_named(proposal: Proposal, found: Told) -> bool:
    """Whether a clause tells something of one who is neither its speaker nor named in what is proposed."""
    who = another_in(_ASIDE.sub(" ", found.sentence) if _FINITE.match(found.clause) else found.clause)
    if not who and is_chinese(found.clause):
        who = another_in(found.before + found.clause)  # 小王，住在上海
    if not who or _SERVED.search(who) or _is_own_name(who, proposal.user):
        return False
    named = words(f"{proposal.content} {proposal.key.replace('.', ' ').replace('_', ' ')} {words_of(proposal.value)}")
    return not (words(who) and shared(words(who), named))


def _is_own_name(who: str, user: str) -> bool:
    """Whether users speak of themselves by the name they are known by."""
    own = plain(user)
    return bool(own) and (who == own or set(re.findall(r"\w+", who)) <= set(re.findall(r"[^\W_]+", own)))


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
