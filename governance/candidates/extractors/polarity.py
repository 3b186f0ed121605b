"""What the words around a wish make of it: its opposite, a case among others, one of two, nothing to be kept. Pure."""

import re
from itertools import pairwise

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.care import is_bodily

_CUT = re.compile(
    r"[,;:.!?，。；：！？、\n\u2003]|\b(?:but|so|because|since|instead(?! of)|then|please|and (?:i|we|my|our|please))\b|请(?!不|别|勿)|而是|但是?|还是|所以|因为|改用|改成|换成",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:no|not|never|cannot|nor|neither|without|avoid|stop|quit|cease|refrain|hate|dislike|tired of|sick of|fed up|instead of|rather than|anything but|other than|dont|doesnt)\b(?! (?:only|just|forget|fail|hesitate|problem|matter)\b)"
    r"|n['’]t\b(?! (?:forget|fail|hesitate|only|just|you)\b)"
    r"|不(?!过|仅|但|管|论|然|错|好意思|妨|断|光|得不|如|锈钢|要忘|能忘|可忘|许忘)(?!(?<=能不)能|(?<=可不)可|(?<=要不)要|(?<=好不)好|(?<=行不)行|(?<=是不)是|(?<=会不)会)|(?<![特分区级性个类差])别(?!的|人|忘|名|墅|处|致)|没(?!关系|问题|事|药|错|忘)|勿(?!忘)|(?<![至不多减])少(?=用|给|写|说|发|输出)|禁止|避免|停止|拒绝|杜绝|无需|无须|讨厌|反感|受够",
    re.IGNORECASE,
)
_TURNED_AFTER = re.compile(
    r"^\s*(?:(?:no more|no longer|never|not)\s*(?:[.!,;]|$)|(?:is|are|was|were) (?:not?|never|out of|forbidden)\b|(?:isn|aren)['’]t\b)"
    r"|^[^，。！？!?；;,\n]{0,6}?(?:不行|不可以|不必|不需要|免了|看不懂|不习惯|不喜欢|是假的|(?:已经|早就?|都)(?:好了|治好))",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    rf"(?<![A-Za-z])(?:{keys.LANGUAGE_WORDS}|{keys.CODE_WORDS}|{keys.FORMAT_WORDS})(?![A-Za-z])", re.IGNORECASE
)
_CASE = re.compile(
    r"\b(?:when|whenever|while|if|unless|except|only (?:for|in|on|at)|apart from|during)\b(?! (?:possible|you (?:can|could|don't mind|answer|reply|respond|write|speak|talk)|at all|needed|i (?:may|can|ask|write|talk)|it's ok(?:ay)?|that's ok(?:ay)?|answering|replying|responding|writing))"
    r"|\b(?:at work|at home|at school|in the office|on (?:weekdays|weekends|sundays|mondays|holidays)|in (?:the |my |your |all )?(?:comments?|docs|documentation|docstrings?|e-?mails?|commit messages?|code|meetings?|subject lines?)|(?:to|with) (?:my|our) \w+)\b"
    r"|写(?:注释|代码|文档|邮件|标题|变量名?|提交信息|报告|论文|简历|日志|合同)|的时候|上班时|工作时|在家时|除了|除非|除外|如果|要是|的话|周末|工作日|开会|会议上|(?:注释|代码|文档|邮件|标题|变量名?|提交信息|报告|论文|简历|日志|界面|合同)里?(?:请|都|一律|要|就|也|统一)*(?:用|使用|写)",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\b(?:can['’]t|cannot|can not|unable to) (?:walk|climb|see|hear|stand)\b", re.IGNORECASE)
_THING = re.compile(r"[^\w-]+")
_THING_ZH = re.compile(r"(?:对|和|、|与|跟|及)([\u4e00-\u9fff]{1,6}?)(?=过敏|严重|和|、|与|跟|及)")
_OR = re.compile(r"^\s*(?:or|and|/|或者?|还是|和|、)\s*(?:in |as |用)?", re.IGNORECASE)
_THIS = r"(?:this|that|it|these|those|any of (?:this|that|it)|what i(?:['’]m| am)? \w+|the following|anything)\b"
_OFF_RECORD = re.compile(
    rf"(?:^|[.!?;:,—(]\s*|\b(?:please|you|and|but|so|to|must|should|just)\s+)(?:(?:do not|don['’]?t|didn['’]t|never|not|mustn['’]t|shouldn['’]t|no need to|needn['’]t)(?: ever| please)? (?:remember|memori[sz]e|(?:make|take) (?:a )?notes? of|retain) {_THIS}"
    rf"|(?:do not|don['’]?t|never|not|no need to|needn['’]t)(?: ever| please)? (?:save|store|record|log|note|keep|write down|jot down|put) {_THIS}(?: down)?(?:\s*[:：—,.!;]|\s*$| (?:in|to|into) (?:your |the )?(?:memory|memories|notes|records?)))"
    r"|\boff[- ]the[- ]record\b|\b(?:keep|leave) (?:this|that|it) out of (?:your |the )?(?:memory|memories|records?|notes)\b|\bnot for (?:the record|your memory|your records)\b"
    r"|(?:^|[，。！？!?；;,：:\s]|请|可|你|但|也|先|就|都)(?:不要|别|不用|不必|不许|不准|不能|无需|无须|勿|请勿)(?:再|帮我|替我|把)?(?:这[个些句件]?[话事]?|它|以下(?:内容)?|下面(?:的话)?)?(?:记(?!错|恨|仇|得|混|岔|漏|反|性|忆[力犹]|者|不)|存(?:下|入|进)?|保存(?:这|下面|以下|[：:，,。]|$)|写(?:进|入)记忆)(?:住|下来?|录|忆|在心|到记忆里?|进记忆)?(?:这[个些句件]?[话事]?|它|下面|以下)?\s*(?=[：:，,。！!；;—]|$)"
    r"|这(?:句|些|件|段)?(?:话|事|个)?(?:不要|别|不用|不必|不许)(?:再)?(?:记(?!错|恨|仇|得|混)|存|保存|写进)|私下(?:里)?(?:跟你)?说",
    re.IGNORECASE,
)


def is_turned_round(before: str, after: str = "") -> bool:
    """Whether the words in front of a wish, or right behind it, say that it is not wished: "never answer me | in Chinese".

    What is denied of another language, format or product before it ("not in French, | in German") denies that one.
    """
    lead = before[max((cut.end() for cut in _CUT.finditer(before)), default=0) :]
    negated = [found.end() for found in _NOT.finditer(lead)]
    return bool(negated) and not _KNOWN.search(lead, negated[-1]) or bool(_TURNED_AFTER.search(after))


def negations(clause: str) -> list[int]:
    """Return where each word of denial in a clause ends."""
    return [found.end() for found in _NOT.finditer(clause)]


def is_for_a_case(text: str) -> bool:
    """Whether a wish holds in some case only: at work, when something is so, for comments."""
    return bool(_CASE.search(text))


def is_one_of_two(after: str) -> bool:
    """Whether another language, format or product stands beside the one named: "English | or Spanish"."""
    joined = _OR.match(after)
    return bool(joined and _KNOWN.match(after, joined.end()))


def is_off_record(text: str) -> bool:
    """Whether somebody asks that what they say be not remembered: "don't remember this", "off the record", 不要记."""
    return bool(_OFF_RECORD.search(text))


def denies_naming(text: str, value: str) -> bool | None:
    """Whether a text names a language, format or product only to say that it is not wished; None where it names none."""
    kind = ("language", value) if value in keys.LANGUAGES else keys.dimension(value.strip())
    named = [found for found in _KNOWN.finditer(text) if kind[0] and keys.dimension(found[0]) == kind]
    if not named:
        return None
    return all(is_turned_round(text[: found.start()], text[found.end() :]) for found in named)


def is_wider(text: str, value: str, content: str) -> bool:
    """Whether a text wishes a language for one case, or beside another, and the statement made of it says neither."""
    if is_for_a_case(content) or keys.dimension(value.strip())[0] != "language":
        return False
    named = [found for found in _KNOWN.finditer(text) if keys.dimension(found[0]) == keys.dimension(value.strip())]
    return bool(named) and (is_for_a_case(text) or all(is_one_of_two(text[found.end() :]) for found in named))


def is_idiom(key: str, text: str, content: str) -> bool:
    """Whether a need is made of an idiom: "I can't stand Java", or an allergy to what nobody is known to react to."""
    parts = key.split(".")
    if "accessibility" in parts:
        return bool(_CANNOT.search(text)) and not is_bodily(text)
    if "allergy" not in parts:
        return False
    things = {*parts, *_THING.split(content), *_THING_ZH.findall(content), *_THING_ZH.findall(text)}
    words = _THING.split(f"{content} {text}")
    pairs = {f"{one} {two}" for one, two in pairwise(words)}
    return not any(keys.is_reacted_to(thing.replace("_", " ")) for thing in {*things, *words, *pairs} if thing)
