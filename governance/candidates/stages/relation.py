# ruff: noqa: E501 - a pattern stays in one piece
"""What a clause tells of a thing: that somebody likes it, shuns it, lives there, works for it. A bare word cut out of it
stands under no key, and in no sentence, that tells another. Pure."""

import re

from governance.candidates.stages.proposal import Proposal
from governance.candidates.stages.support import is_chinese, shared, words
from governance.candidates.stages.surroundings import told_in
from governance.candidates.stages.text import plain, words_of

# Of each relation the words that tell it, and those that may mean it among others.
_RELATIONS = {
    "like": (
        r"\b(?:i|we|really|also|do|don't|much|always|still|just|who|that) likes?\b|\blov(?:e|es|ed|ing)\b|\b(?:enjoy|prefer|ador)\w*|\bfavou?rites?\b|\b(?:fond of|fan of|keen on|crazy about|partial to|addicted to|works? (?:best|well|better|fine|great|for me))\b|喜欢|喜爱|最爱|偏[好爱]|钟爱|热爱|首选|爱(?=[吃喝看听玩坐住用穿读打])",
        r"\b(?:lik\w+|best|into|fan|enough of|obsessed|go-to|choice|first|always)\b|爱|好",
    ),
    "dislike": (
        r"\b(?:hat(?:e|es|ed)|(?:dislik|detest|loath|despis|avoid)\w*|(?:can't|cannot|can not) (?:stand|bear|eat|take)|sick of|tired of|fed up|averse|aversion|spare me|save me from|leave out|hold the|skip|not for me|afraid of|scared of|(?:keep|stay|get|steer|take|throw|send)\b[^.!?]{0,30}?\b(?:away|clear|off|out of))\b|讨厌|厌恶|反感|受不了|嫌弃|害怕|远离|离[^，。]{0,6}远|别(?:给|放|加|让|来|点|碰)|不(?:要|想|吃|喝|喜欢|爱|碰)|拿走|拿开|去掉|忌|戒",
        r"\b(?:no|not|never|without|nothing|less|sick|ill|upset|hurt\w*|worse|worst|rash|gross|awful|terrible|disgust\w*)\b|n't\b|不|别|没|少|怕|疹|难受|恶心|吐|疼",
    ),
    "home": (
        r"\b(?:(?<!my )(?<!a )liv(?:e|es|ed|ing)|resid(?:e|es|ing|ence)|relocat\w+|settled|home ?town|my (?:home|house|flat|apartment|address))\b|住|搬[到去来家]|定居|老家|家乡|我家",
        r"\b(?:home|house|flat|apartment|mov\w+|based?|stay\w*|born|grew up|raised|native|here|place|town|city|left|find me|resident)\b|\b(?:from|in) (?:the )?\ue000|家|来自|出生|长大|离开|去了|在\ue000|\ue000人",
    ),
    "work": (
        r"\b(?:work(?:s|ed|ing)?(?! (?:best|well|better|fine|great|for me|out\b))|my (?:job|employer|company|office|boss)|employ\w*|hired|career)\b|工作|上班|任职|就职|入职|打工",
        r"\b(?:job|compan\w+|office|team|join\w*|colleagues?|salary|profession|occupation|business|paid|pays?|found(?:ed|er)|run|living as|what i do)\b|\b(?:at|for|with|as|from|an?|my)(?: (?:an?|the))? \ue000|公司|单位|老板|同事|职业|员工|工资|创办|供职|效力|[是在做当]\ue000",
    ),
    "allergy": (r"allerg|intoleran|过敏|不耐", r"react|can(?:'t|not)|\bno\b|不能|忌"),
    "name": (r"\bmy (?:\w+ )?name\b|\bcall(?:ed|s)? me\b|\bi(?:'m| am) called\b|我叫|名字|叫我", r"name|call|know|\bi'?m\b|\bam\b|叫|姓|是|称|本人"),
}  # fmt: skip
_TELLS = {name: re.compile(sure) for name, (sure, _) in _RELATIONS.items()}
_MAY_TELL = {name: re.compile(f"{sure}|{perhaps}") for name, (sure, perhaps) in _RELATIONS.items()}
_KEYS = {
    "like": "favourite favorite favourites favorites fav likes like loves 最爱 喜欢".split(),
    "dislike": "dislike dislikes disliked hates avoid avoids avoided aversion aversions 讨厌 忌口".split(),
    "home": "home city hometown residence domicile address location country town 城市 住址 居住地 家乡".split(),
    "work": "employer company job occupation profession workplace 雇主 公司 职业".split(),
    "name": "name nickname 名字 姓名".split(),
}
_OWN = frozenset(
    "profile user personal person info about me contact bio identity current title first last full".split()
)
_BY_ANY_PART = ("like", "dislike")
_BACK = re.compile(r"\b(?:here|there|where|it|its|this|that)\b|这|那")
_JOINED = re.compile(r"\w+(?= (?:and|or) $)")  # a verb that has the same object: "I live and | work in Oslo"
_ENGLISH = re.compile(r"\b(?:i|my|we|our|the|is|are|was|of|it|make|makes|please)\b")
_PLACES = frozenset({"home", "work"})
_IT = "\ue000"  # stands where the word stood
_MOST_OF_A_NAME = 3  # words: what is longer says itself what it says


def is_told_otherwise(proposal: Proposal) -> bool:
    """Whether key or sentence tell of a bare word what its clause does not: an employer, of "I like tea"."""
    found, word = told_in(proposal), plain(words_of(proposal.value))
    if found is None or not word or word not in found.clause or len(word.split()) > _MOST_OF_A_NAME or _told(word):
        return False
    clause = found.clause.replace(word, _IT)
    told = _told(clause)
    if not told and not (words(clause) and (_ENGLISH.search(clause) or is_chinese(clause))):
        return False  # a bare answer ("Berlin", "it's Berlin"), or words of a language that is not read here
    before, _, after = found.sentence.partition(found.clause)
    besides = _JOINED.search(before)
    said = f"{besides[0] if besides else ''} {clause}"
    said += f" {before} {after}" if _BACK.search(f"{before} {after}") else ""
    asked = _asked(proposal.key)
    if asked and not any(_may_tell(name, said) for name in asked) and not _is_labelled(proposal.key, said):
        return True
    stated = _told(plain(proposal.content).replace(word, _IT))
    if told and "like" in stated and "dislike" not in stated and told <= {"dislike", "allergy"}:
        return True
    sure = stated & {"home", "work", "allergy"}
    return bool(sure) and not any(_may_tell(name, said) for name in sure)


def _is_labelled(key: str, said: str) -> bool:
    """Whether words name what a key names: "my city is Rome"."""
    return bool(shared(words(re.sub(r"[._]", " ", key)), words(said))) and not _told(said)


def _told(text: str) -> set[str]:
    return {name for name, pattern in _TELLS.items() if pattern.search(text)}


def _may_tell(name: str, said: str) -> bool:
    """Whether words may tell a relation; those of living somewhere tell nothing of working there, nor the other way."""
    if _TELLS[name].search(said) or not _MAY_TELL[name].search(said):
        return bool(_TELLS[name].search(said))
    return name not in _PLACES or not _told(said) & (_PLACES - {name})


def _asked(key: str) -> set[str]:
    """Return what a key tells of its value, where that is plain: one thing of the person, or what one likes."""
    parts = [set(re.findall(r"[^\W_]+", part)) for part in plain(key).split(".")]
    found = {name for name in _BY_ANY_PART if any(part & set(_KEYS[name]) for part in parts)}
    if found or not parts:
        return found
    own = {word for part in parts[:-1] for word in part} <= {*_OWN, "home", "work"}
    last = parts[-1] - _OWN
    return {name for name, named in _KEYS.items() if own and last and last <= set(named)}
