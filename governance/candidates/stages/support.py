# ruff: noqa: E501 - a table stays in one piece
"""Whether what is proposed stands in what was quoted: its value, and its sentence. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from governance.candidates.extractors import keys
from governance.candidates.stages.figures import figures, unsaid
from governance.candidates.stages.proposal import Proposal
from governance.candidates.stages.text import plain, words_of
from governance.policies.detectors import JSON

_LATIN = re.compile(r"[a-zà-öø-ÿ]{2,}|\d+(?:[.,]\d+)*")
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_EMPTY = frozenset(
    "the an of in on at to for from by with and or is are was were be been being has have had do does did it its "
    "this that these those their his her they he she him them you your me my mine we us our ours user users person "
    "client guest wants want wanted needs need prefers prefer preferred preference likes like liked loves love "
    "enjoys enjoy dislikes dislike hates says said asked asks states stated mentions mentioned who which what when "
    "where as so not no yes very really also more most some any all about into than then there here would will "
    "should can could may might must just always never usually currently now recently lives live works work uses "
    "use named called ".split()
)
_EMPTY_ZH = re.compile(
    "用户|喜欢|不喜欢|希望|想要|需要|使用|的|了|是|在|有|和|与|他|她|我|你|您|们|这|那|就|都|也|很|会|要"
)
_LEAST_ALIKE = 4  # letters at the front that make two words one: "vegetarian", "vegetarians"
ENOUGH = 0.5  # of a value's words


def words(text: str) -> set[str]:
    """The words that carry meaning: of English without endings, of Chinese the pairs of characters."""
    folded = plain(text)
    found = {_stem(w) for w in _LATIN.findall(folded) if w not in _EMPTY}
    found |= {figure for figure in figures(folded) if figure.isdigit()}
    for run in _CHINESE.findall(_EMPTY_ZH.sub(" ", folded)):
        found |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return found


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


_ENDING = re.compile("(?<=[^ ]{3})(?:ations|ation|ings|ing|ians|ies|ers|ed|es|er|ly|s|e|y)$")


def supports(said: str, value: JSON) -> bool:
    """Whether what was said bears out a value: at least half of its words stand there, of one or two all of them, or
    its usual name does.

    Truth values and what has no words of its own (punctuation, a stop word) are borne out by the sentence alone.
    """
    leaves = [leaf for leaf in _leaves(value) if words(leaf)]
    return all(_stands(leaf, said) for leaf in leaves)


def _leaves(value: JSON) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield re.sub(r"_|(?<!\d)-|-(?!\d)", " ", value)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _stands(leaf: str, said: str) -> bool:
    wanted, there = words(leaf), words(said)
    if re.search(r"\d", leaf) and not re.search(r"[^\W\d_]{4,}", leaf) and not unsaid(leaf, said):
        return True  # "500元" of 五百元
    if plain(leaf) in plain(said) or plain(leaf) in _names(said):
        return True
    enough = shared(wanted, there)
    return enough >= ENOUGH * len(wanted) if len(wanted) > 2 else enough == len(wanted)


def shared(wanted: set[str], there: set[str]) -> int:
    """How many words of one set stand in the other, endings aside; a Chinese word counts by either of its pairs."""
    return sum(word in there or _is_near(word, there) for word in wanted)


def _is_near(word: str, there: set[str]) -> bool:
    head = word[: max(_LEAST_ALIKE, len(word) - 3)]
    return len(word) >= _LEAST_ALIKE and any(
        other.startswith(head) or word.startswith(other) for other in there if len(other) >= _LEAST_ALIKE
    )


def _names(said: str) -> set[str]:
    """The usual names of what a text mentions: the language, product, colour or seat behind the words used for it."""
    folded = plain(said)
    tokens = set(_TOKEN.findall(folded))
    found = {plain(name) for read in _READERS for token in tokens if (name := read(token))}
    found |= {plain(name) for name in keys.names_in_chinese(folded)}
    return found | {name for name, pattern in _USUAL if pattern.search(folded)}


_TOKEN = re.compile(r"[a-z0-9+#]+")
_READERS = (
    keys.language,
    keys.code_language,
    keys.output_format,
    keys.database,
    keys.color,
    keys.ingredient,
    keys.companion,
)


# What people mean, and how values usually write it.
_USUAL = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("aisle", "过道|走廊"),
        ("window", "靠窗|窗边|窗口"),
        ("short", r"\bbrief|\bconcise|\bterse|to the point|succinct|简短|简洁|精简|短一点"),
        ("concise", r"\bbrief|\bshort|\bterse|to the point|succinct|简短|简洁|精简"),
        ("brief", r"\bshort|\bconcise|\bterse|to the point|简短|简洁|精简"),
        ("detailed", r"\bin depth|thorough|elaborate|详细|具体|细致"),
        ("dark", "深色|暗色|夜间"),
        ("light", "浅色|亮色"),
        ("vegetarian", r"no meat|(?:do not|don't|never) eat meat|素"),
        ("vegan", "纯素|全素"),
        ("halal", "清真"),
        ("wheelchair", "轮椅"),
        ("none", r"\bno\b|\bnot\b|without|don't|不|没|别|无"),
        ("email", r"\be-?mail|邮件|邮箱"),
        ("phone", r"\bcall\b|电话|手机"),
        ("morning", "早上|上午|早晨"),
        ("evening", r"\bnight|晚上|傍晚"),
        ("pdf", r"\bpdf"),
        ("avoid", r"\bno\b|\bnot\b|without|can't|cannot|don't|never|不|别|忌|戒"),
        ("like", r"\blov|\blik|\benjoy|\bfond|\bfan of|喜欢|爱|喜爱"),
        ("dislike", r"\bhat|\bdislik|\bdon't like|can't stand|讨厌|不喜欢|不爱|受不了"),
    )
)  # fmt: skip


# Common values with their Chinese names: in another script nothing else says that "coffee" is not 茶.
_PAIRS = """
coffee 咖啡|tea 茶|milk 奶|juice 果汁|beer 啤酒|wine 酒|water 水|cola 可乐|rice 饭 米|noodles 面|bread 面包|beef 牛|pork 猪|chicken 鸡|fish 鱼
lamb 羊|seafood 海鲜|shrimp 虾|crab 蟹|egg 蛋|peanut 花生|nut 坚果|tofu 豆腐|vegetables 菜 蔬|fruit 水果|apple 苹果|mango 芒果|spicy 辣|sweet 甜
sour 酸|salty 咸|cold 冷 冰 凉|hot 热 烫|red 红|blue 蓝|green 绿|yellow 黄|black 黑|white 白|pink 粉|purple 紫|grey 灰|gray 灰|orange 橙 橘|brown 棕 褐
train 火车 高铁 动车|plane 飞机 航班|flight 飞机 航班|bus 公交 巴士 大巴|car 车|taxi 出租 打车|subway 地铁|metro 地铁|bike 自行车 单车|walking 步行 走路
monday 周一 星期一|tuesday 周二 星期二|wednesday 周三 星期三|thursday 周四 星期四|friday 周五 星期五|saturday 周六 星期六|sunday 周日 周天 星期日 星期天
weekend 周末|morning 早|evening 晚|night 晚 夜|noon 中午|afternoon 下午|early 早|late 晚|daily 每天 每日|weekly 每周|monthly 每月|yearly 每年
cat 猫|dog 狗|bird 鸟|rabbit 兔|doctor 医生|nurse 护士|teacher 老师 教师|engineer 工程师|lawyer 律师|student 学生|designer 设计师|manager 经理
beijing 北京|shanghai 上海|guangzhou 广州|shenzhen 深圳|hangzhou 杭州|chengdu 成都|nanjing 南京|wuhan 武汉|hong_kong 香港|taipei 台北|tokyo 东京
paris 巴黎|london 伦敦|new_york 纽约|berlin 柏林|rome 罗马|singapore 新加坡|chinese 中文 汉语|english 英文 英语|japanese 日语 日文|french 法语 法文
quiet 安静 静|high 高|low 低|big 大|small 小|large 大|soft 软|hard 硬|cash 现金|card 卡|wechat 微信|alipay 支付宝|running 跑|swimming 游泳
reading 读 看书 阅读|music 音乐|jazz 爵士|rock 摇滚|movies 电影|football 足球|basketball 篮球|tennis 网球|hiking 爬山 徒步|cooking 做饭 烹饪
table 表|list 列表|single 单身|married 结婚 已婚|divorced 离婚|male 男|female 女|left 左|right 右
"""
_CHINESE_OF = {
    name.replace("_", " "): tuple(rest)
    for entry in _PAIRS.replace("\n", "|").split("|")
    if entry.strip()
    for name, *rest in [entry.split()]
}
_ENGLISH_OF = {
    written: tuple(name for name, rest in _CHINESE_OF.items() if written in rest)
    for names in _CHINESE_OF.values()
    for written in names
}


def other_names(leaf: str) -> tuple[str, ...]:
    """The known names of a common value in the other script: 茶 of "tea", "tea" of 茶."""
    name = plain(leaf)
    return _CHINESE_OF.get(name) or _CHINESE_OF.get(keys.singular(name)) or _ENGLISH_OF.get(name) or ()


def is_named(value: JSON, said: str) -> bool | None:
    """Whether a value in another script than what was said is named there; None where its name there is not known."""
    folded = plain(said)
    known = [names for leaf in _leaves(value) if (names := other_names(leaf))]
    return all(any(name in folded for name in names) for names in known) if known else None


def in_other_script(value: JSON, said: str) -> bool:
    """Whether a value is written in another script than what was said, so that their words cannot be compared."""
    here = any(_CHINESE.search(leaf) for leaf in _leaves(value))
    return here != is_chinese(said)


def is_translated(proposal: Proposal) -> bool:
    """Whether sentence and quote are in different scripts, so that their words cannot be compared."""
    return is_chinese(proposal.content) != is_chinese(proposal.quote)


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese, whatever names and terms of other scripts it has."""
    return len(_CHARACTER.findall(text)) >= max(1, len(_SPELT.findall(text)))


_CHARACTER = re.compile("[\u4e00-\u9fff]")
_SPELT = re.compile(r"[^\W\d_\u4e00-\u9fff]+")  # a word of any other script
_WHOSE = frozenset("the user users s 用 户".split())  # whom a sentence is about, as everybody calls them


def is_foreign(proposal: Proposal, labels: Iterable[str] = ()) -> bool:
    """Whether a sentence has words in a script that nobody spoke in: then nothing of it can be compared, and it may
    say anything. Names and terms that were said themselves, the value, and the key or its labels are no such words."""
    named = proposal.key.replace(".", " ").replace("_", " "), proposal.about, words_of(proposal.value)
    known = {*_pieces(" ".join((proposal.quote, *named, *_leaves(proposal.value), *labels))), *_WHOSE}
    return bool(_scripts(_pieces(proposal.content) - known) - _spoken(proposal.quote))


def _pieces(text: str) -> set[str]:
    folded = plain(text)
    return {*_CHARACTER.findall(folded), *_SPELT.findall(folded)}


def _spoken(quote: str) -> set[str]:
    """Return the scripts that somebody spoke in: a term of another one in a sentence makes no language of it."""
    return _scripts(_pieces(quote)) - {"LATIN" if is_chinese(quote) else "CJK"}


def _scripts(pieces: Iterable[str]) -> set[str]:
    """Return the scripts of some words, by the first word of their letters' Unicode names: LATIN, CJK, CYRILLIC."""
    return {unicodedata.name(c, "?").split()[0] for c in {c for piece in pieces for c in piece}}


def says_more(proposal: Proposal) -> bool:
    """Whether a sentence says what neither its quote, nor its key, nor its value says, or gives leave, speaks of
    everybody or names figures where nobody did (SPEC B7). In another script than its quote only the rest is seen."""
    told, quote = plain(f"{proposal.content} {proposal.context}"), plain(proposal.quote)
    if any(kind.search(told) and not kind.search(quote) for kind in (_LEAVE, _EVERYBODY)):
        return True
    if unsaid(_NAMED_BY_CODE.sub(" ", proposal.context), proposal.observation_text):
        return True
    if is_translated(proposal):
        return False
    borne = words(proposal.quote) | words(proposal.key.replace(".", " ").replace("_", " "))
    borne |= {w for leaf in _leaves(proposal.value) for w in words(leaf)}
    borne |= words(" ".join(_names(proposal.quote))) | words(proposal.about)
    borne |= {character for run in _CHINESE.findall(quote) for character in run}
    claimed = words(_WHO.sub("", proposal.content))
    return shared(claimed, borne) < ENOUGH * len(claimed)


_WHO = re.compile(r"^[A-Z][\w-]*(?:['’]s)?\s+(?=[a-z])")  # whom it is about, by a name that nobody says of themselves
_LEAVE = re.compile(
    r"\b(?:authori[sz]\w*|allow\w*|permit\w*|permission|approv\w*|consent\w*|without asking|waive\w*|grants?|granted)\b"
    "|授权|允许|准许|批准|同意|许可|放行|无需确认|不用问"
)


_NAMED_BY_CODE = re.compile(r"\b\w*[^\W\d_]\w*\b")  # words and codes: their digits count nothing
_EVERYBODY = re.compile(
    r"\b(?:every(?:one|body)|all (?:users|employees|staff|people|customers|colleagues)|the (?:whole|entire)|(?:the|our) (?:team|company))\b"
    "|所有人|大家|全公司|全员|每个人|所有(?:用户|员工|客户)"
)
# What a key of care speaks of, in the words people use for it: nothing else stands under it without a person.
_SPOKEN_OF = (
    (
        "allergy",
        re.compile(
            r"allerg|intoleran|react(?:s|ion)? to|anaphyla|can(?:'t|not) (?:eat|have|tolerate)|过敏|不耐|不能吃|忌"
        ),
    ),
    (
        "accessibility",
        re.compile(
            r"wheel ?chair|blind|deaf|hear|see\b|sight|screen reader|braille|step|stair|lift|elevator|ramp|walk|mobil|crutch|cane|access|caption|subtitle|sign language|large print|contrast|font|text size|colou?r[- ]?blind|dyslex|autis|epilep|flash|disab|轮椅|盲|聋|听|视|无障碍|楼梯|台阶|电梯|腿脚|走路|行动|拐杖|字幕|大字|色盲|残"
        ),
    ),
    (
        "payment.limit",
        re.compile(
            r"pay|spend|spent|limit|budget|price|cost|charge|expens|purchas|buy|book|per (?:day|night|month|trip|order)|[$€£¥]|euros?|dollars?|付|花|预算|限额|额度|上限|价|消费|支出|元|块"
        ),
    ),
)


def is_unfit(proposal: Proposal) -> bool:
    """Whether a key of care (allergy, accessibility, payment limit) stands over words that speak of something else."""
    said = plain(f"{proposal.quote} {proposal.observation_text}")
    key = plain(proposal.key)
    return any(key.startswith(name) and not words.search(said) for name, words in _SPOKEN_OF)


def is_empty_truth(proposal: Proposal) -> bool:
    """Whether a value is only true or false, and what its key names was not spoken of."""
    if not isinstance(proposal.value, bool) or is_translated(proposal):
        return False
    named = words(re.split(r"[.:]", proposal.key)[-1].replace("_", " "))
    said = words(proposal.quote)
    return bool(named) and not in_other_script(proposal.key, proposal.quote) and not shared(named, said)


def names_somebody_else(proposal: Proposal) -> bool:
    """Whether what was said names nobody like the one it is said to be about."""
    said, about = proposal.observation_text, proposal.about
    return bool(words(about)) and not in_other_script(about, said) and not supports(said, about)


def is_invented(proposal: Proposal) -> bool:
    """Whether no word of sentence and value stands anywhere in what was said, in the same script."""
    if is_translated(proposal) or not proposal.observation_text.strip() or is_care(proposal.key):
        return False
    claimed = words(proposal.content) | {w for leaf in _leaves(proposal.value) for w in words(leaf)}
    claimed -= words(proposal.key.replace(".", " ").replace("_", " "))  # a label that stands before a value
    if len(claimed) < 2 or shared(claimed, words(proposal.observation_text)):
        return False
    is_named = not isinstance(proposal.value, bool) and supports(proposal.observation_text, proposal.value)
    return not is_named


def is_care(key: str) -> bool:
    """Whether a key is one of care: "I can't eat peanuts" made into "allergic to nuts" is for a person to see."""
    return bool({"allergy", "diet", "accessibility"} & set(key.split(".")))
