# ruff: noqa: E501 - a pattern stays in one piece
"""Who does what a clause tells, where it is neither its speaker nor left out: "Tom lives in Oslo", 李明对虾过敏. Pure."""

import re

_STARTS = r"(?:^|\b(?:and|or|but|that|because|since|so|think|know|guess|believe|sure|while|as|where|whereas|note|remember)\b:?)\W*"
_LEADS = r"(?:(?:also|well|today|actually|now|then|even|only|still|please|by the way|btw|fyi|apparently|fact|anyway|hey|hi|ok(?:ay)?|yes|no|as far as i know|for the record)\b[,:]?\s+)*"
# Not whom something is told of: the speaker, the one spoken to, what stands for things, words that begin an order.
_NO_ONE = r"(?:i|i'\w+|we|we'\w+|me|my|mine|us|our|ours|myself|you|your|it|its|this|that|these|those|there|here|nothing|everything|all|none|what|which|who|when|where|how|why|if|one|always|never|usually|often|sometimes|generally|normally|currently|mostly|really|just|not|do|don't|please|user)"
_WORD = rf"(?!{_NO_ONE}\b)[\w'.&-]+"
_HOW = r"(?:(?:also|always|never|usually|often|sometimes|really|still|now|only|just|currently|mostly|generally|strongly|definitely|both|all|has|have|had|been|already|recently) )*"
_DOES = r"(?:lives|works|likes|loves|prefers|hates|dislikes|enjoys|wants|needs|eats|speaks|owns|studies|teaches|drives|avoids|uses|smokes|resides|stays|comes|travels|belongs|suffers|reacts|hails|sleeps|cooks|knows|carries|wears|takes|goes|has|drinks(?! (?:with|without|to|on|for|that|which|at|in)\b)(?= \w)|plays(?= \w))"
_DID = r"(?:lived|worked|moved|became|went|preferred|liked|loved|hated|studied|relocated|settled|married|retired|got|bought)"
_IS = r"(?:is|was|isn't|'s)(?= (?:not |now |still |also |very |really |highly |severely |always |currently )*(?:an? |the |my |our |from |in |at |on |based|living|working|married|single|divorced|engaged|allergic|intolerant|vegan|vegetarian|pescatarian|muslim|jewish|hindu|buddhist|christian|catholic|halal|kosher|celiac|coeliac|diabetic|asthmatic|pregnant|blind|deaf|disabled|autistic|dyslexic|epileptic|left-handed|right-handed|retired|unemployed|self-employed|afraid|fond|lactose|gluten|colou?r[- ]?blind|\d|\w+(?:ese|ish|ian|ist|er|or)\b))"
_BE = _IS.replace("is|was|isn't|'s", "'s", 1)
_MAY = r"(?:can't|cannot|can|doesn't|does|won't|must|will|would|could|was)(?= (?:not |never |only )*(?:born|live|work|eat|drink|have|use|speak|like|stand|tolerate|walk|see|hear|fly|drive|play|need|want)\b)"
_DO = r"(?:live|work|like|love|prefer|hate|dislike|enjoy|want|need|eat|drink|speak|own|avoid|use|are|don't|can't|cannot|come|study|have)"
_NAMED = re.compile(
    rf"{_STARTS}{_LEADS}(?:(?P<whose>his|hers?|their|(?!(?:what|that|it|there|here|who|let|today|tomorrow|tonight)')[a-zà-öø-ÿ.-]+'s)(?: (?!\b(?:i|my|me|is|are)\b)[\w-]+){{1,4}}? (?:is|are|was|were|has|have)\b"
    rf"|(?P<one>{_WORD}(?: {_WORD}){{0,4}}?) {_HOW}(?:{_DOES}|{_DID}|{_IS}|{_MAY})(?!\w)"
    rf"|(?P<some>they|both of them|{_WORD} and {_WORD}|the {_WORD}s) {_HOW}(?:{_DO}|{_DID}|were|will)\b|(?P<they>(?:he|she|they)'(?:s|re|d|ll|ve))\b|(?P<short>(?!{_NO_ONE}\b)[a-zà-öø-ÿ.-]+){_BE})"
)
# Whom a sentence points out: "it's Tom who lives in Oslo", "the one who lives in Oslo is Tom", 住在上海的是小王.
_POINTED_OUT = re.compile(
    rf"\b(?:it|that)(?:'s| is| was| would be| must be) (?:(?:only|just|actually|really) )?(?P<who>(?:(?:my|our|the|an?) )?{_WORD}(?: {_WORD}){{0,4}}?) (?:who|that) {_HOW}(?:{_DOES}|{_DID}|{_IS}|{_MAY}|wants|wanted)(?!\w)"
    rf"|\bthe (?:one|person|man|woman|guy) (?:who|that) {_HOW}(?:{_DOES}|{_DID}|{_IS}|{_MAY})(?!\w)[^.!?]{{0,60}}? (?:is|was) (?P<whom>(?:(?:my|our|the|an?) )?{_WORD}(?: {_WORD}){{0,3}}?)\W*$"
)
_FAMILY = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧肖程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧"
_NO_NAME_ZH = "(?:周[一二三四五六日天末]|高[铁速]|文[件档章]|常[常年]?|金秋|余生|万幸|任[何务]|万一|方[案便]|白[天色酒]|马上|龙虾|夏[天季]|黄[色油瓜]|曾经|许多|程序|金[额融]|于是|何时|段落|方言|石头|江[西苏]|余[额下]|小[时孩狗猫吃说心红]|老[是实家年]|钱包|雷雨|毛[衣巾]|田园)"
_CALLED_ZH = "(?:先生|女士|小姐|太太|总|经理|老师|医生|教授|律师|主任|师傅|阿姨|叔叔|同学|工)"
_WHO_ZH = rf"(?!{_NO_NAME_ZH})(?:(?:欧阳|司徒|上官|诸葛|司马|皇甫|慕容|[{_FAMILY}])(?:{_CALLED_ZH}|[\u4e00-\u9fff]{{1,2}}?)|[小老阿大][\u4e00-\u9fff]|他们?|她们?|人家|别人|大家|老板娘?|上司|领导|同事|客户|客人|顾客|病人|房东|邻居|朋友|同学|室友|[a-z][a-z. ]*)"
_DOES_ZH = "(?:也|都|还|就|又|很|最|更|特别|非常|一直|从来|从小|平时|经常|现在|目前|严重|向来|最近|只|今年|其实)*(?:对[^，。,.]{1,16}?(?:过敏|不耐受)|住在?|喜欢|喜爱|爱[吃喝看玩用]|偏[好爱]|讨厌|不[吃喝喜爱能要用会]|[吃喝]|是|在[^，。,.]{1,10}(?:工作|上班|住|上学|读书)|来自|搬[到去]|会[说讲]|有|想要?|怕|姓|信|用|养|习惯|需要|只[吃喝用])"
_SAYS_SO_ZH = "(?:其实|今天|现在|另外|还有|对了|顺便说一下|而且|但是?|不过|因为|所以|据我所知|我知道|我觉得|我想|记住|请记住|你知道|注意|我说过|告诉你|至于|说到|是)*"
_NAMED_ZH = re.compile(
    rf"^\W*{_SAYS_SO_ZH}[，, :]*(?P<one>{_WHO_ZH}(?:[和与跟、](?!我|咱){_WHO_ZH})*)(?:{_DOES_ZH}|(?<![a-z. ])(?:这个?人|呢|啊|嘛|的话|[他她])?[，, ]*{_DOES_ZH}|的[^，。,.我咱]{{1,8}}?(?:是|有|在|叫|为)|叫(?!我))"
    rf"|^\W*{_SAYS_SO_ZH}{_DOES_ZH}[^，。,.我咱]{{0,16}}的人?(?:就|其实|正|才)*是(?P<whom>{_WHO_ZH})\W*$"
)
_SPEAKER = re.compile(r"\b(?:i|we)\b|我们?|咱")


def another_in(clause: str) -> str:
    """Return whom a clause (in words for comparing) tells something of, where that is not its speaker; "" else."""
    found = [(m.start(), next(filter(None, m.groups()))) for m in _NAMED.finditer(clause)]
    if found and not any(m.start() > found[-1][0] for m in _SPEAKER.finditer(clause)):
        return found[-1][1]
    if pointed := _POINTED_OUT.search(clause):
        return pointed["who"] or pointed["whom"]
    chinese = _NAMED_ZH.search(clause)
    who = chinese and (chinese["one"] or chinese["whom"])
    return who if chinese and who and not _SPEAKER.search(clause[chinese.start(chinese.lastgroup or 0) :]) else ""
