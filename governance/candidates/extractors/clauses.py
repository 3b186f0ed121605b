"""Sentences of an utterance, and whether what they say is meant: not asked, supposed, quoted or reported."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from governance.candidates.extractors.quoted import is_passed_on

_SENTENCE = re.compile(r"(?:[^.!?。！？;；\n]|[.](?=[^\s.]))+[.!?。！？;；]*")
_FENCE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_QUOTE = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』|‘[^’\n]{8,400}’|(?<![\w])'[^'\n]{12,400}'(?![\w])"
)
_SPEECH = re.compile(
    r"(?:sa(?:id|ys|ying)|tells?|told|asks?|asked|wr(?:ote|ites)|repl(?:ied|ies)|sings?|lyrics?|line|quote|reads?|translate|phrase|sentence|says?|mean(?:s)?|spell|pronounce)\W*$"
    r"|(?:说|写|问|回答|回复|喊|唱|翻译|叫做|台词|歌词|引用|这句话?)[道了：:，, ]*$",
    re.IGNORECASE,
)
_QUESTION_EN = re.compile(
    r"^(?:so|and|but|ok|okay|hey|hi|well|then|um|please)?[, ]*(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|am|was|were|can|could|should|shall|will|would|have|has|had|may|might|isn't|aren't|don't you|doesn't|didn't|won't|wouldn't|any idea)\b"
    r"(?=\s+(?:i|you|we|he|she|it|they|the|there|this|that|my|your|a|an|is|are|do|does|did|was|many|much|to|should|can|would|could|kind|language|if|any|\w+)\b)",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:(?:so|and|but)\s+)?(?:when|where|how)(?:ever)?\b[^,?]*,\s*\w", re.IGNORECASE
)  # "When I fly, I …"
_ASK_EN = re.compile(
    r"^(?:please |can you |could you )?(?:tell me|remind me|show me|check|find out|look up|let me know|i (?:wonder|was wondering|want to know|forgot|don't (?:know|remember))|do you (?:know|remember)|any idea)\b.{0,40}\b(?:what|who|where|when|why|how|which|if|whether)\b",
    re.IGNORECASE,
)
_QUESTION_ZH = re.compile(
    r"[吗呢么吧][?？。！!~～\s]*$|(?:什么|怎么|为什么|哪(?:里|儿|个|些|种|家|位|天)?|谁|几点|多少|多久|多大|是否|能否|可否|有没有|是不是|好不好|行不行|要不要|对不对|会不会|可不可以|能不能|如何)(?!都|也)"
)
_POLITE = re.compile(
    r"\b(?:can|could|would|will|may|can't|couldn't)\s+(?:you|i|we)\s+(?:please\s+)?(?:ask you to\s+)?(?:(?:always|only|just|from now on|in future|never|stop|start|keep|call|remember|please|refer|make sure|switch|answer|reply|respond|speak|use)\b)|\bwould you mind\b|(?:能不能|可不可以|可以|能否|可否|能)(?:请)?(?:以后|今后|从现在|一直|都|别|不要|记住|叫我|用)|(?:以后|今后|从现在起?).{0,12}(?:可以吗|好吗|行吗|好不好|行不行|可不可以|能不能)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if (?!possible|you can|you could|you don't mind|at all|it's okay|that's okay|needed)(?=\w)|suppose|supposing|imagine|assum(?:e|ing)(?: that)?|hypothetically|let's say|pretend|what if|as if|as though|wish|would (?:be|have|love|like|prefer|rather)|i'd|should i|were (?:i|to)|might|maybe|perhaps|not sure|unless|in theory|role[- ]?play|act as|character|fictional|novel|short story|poem|lyrics|essay about)\b"
    r"|如果|假如|假设|要是|假使|倘若|万一|比如说?|例如|也许|可能|或许|说不定|想象|角色扮演|扮演|的话",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?!i\b|we\b|you\b|that\b|as\b|and\b|but\b|just\b|already\b|have\b|ve\b)(?:\w+)\s+(?:said|says|say|told (?!you\b)|tells|claims?|claimed|thinks?|thought|mentioned|believes?|wrote|writes|asked|asks|wants me|insists?|argues?|reckons?|heard)\b"
    r"|\baccording to\b|\bi (?:heard|read|was told)\b|\b(?:the )?(?:article|book|page|email|website|blog|movie|song|post|review|paper|manual|docs?|documentation) (?:says|said|states|claims)\b"
    r"|(?:他|她|它|他们|她们|别人|有人|老板|同事|朋友|经理|领导|客服|老师|网上|文章|书上|新闻|人家|大家|[\u4e00-\u9fff]{1,3}(?:经理|总|老师))(?:曾?经?(?:说|讲|告诉|认为|觉得|写道|提到|声称|问|想让|表示|以为))|据说|听说",
    re.IGNORECASE,
)
_USED_TO = re.compile(
    r"\b(?:used to|once (?:lived|worked|liked|loved|used)|back when|when i was|in the past)\b|以前(?!一样)|曾经|过去|小时候|当年|原来(?:在|住|用)",
    re.IGNORECASE,
)
_PAUSE = re.compile(",|，")
_CJK = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence at `start` of the utterance; quoted words in it are blanked, its length is kept."""

    start: int
    text: str
    raw: str

    @property
    def is_chinese(self) -> bool:
        """Whether Chinese rules read it."""
        return bool(_CJK.search(self.text))

    @property
    def is_question(self) -> bool:
        """Whether it asks, and does not politely request something standing."""
        return _asks(self.text) and not _POLITE.search(self.text)

    def is_meant(self, at: int) -> bool:
        """Whether what stands at a position is the speaker's own word about how things are."""
        before = self.text[: at + 1]
        return not (_SUPPOSED.search(before) or _REPORTED.search(before) or _USED_TO.search(self.text[: at + 24]))

    def is_passed_on(self, start: int, end: int) -> bool:
        """Whether what stands between two positions is told as somebody else's words, or as nobody's."""
        pauses = [start + pause.start() for pause in _PAUSE.finditer(self.text[start:end])]
        return any(is_passed_on(self.text[:start], self.text[at:]) for at in (end, *pauses))


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of an utterance, code and quotations blanked."""
    plain = _blanked(text)
    for match in _SENTENCE.finditer(plain):
        words = match[0]
        lead = len(words) - len(words.lstrip())
        if words.strip():
            start = match.start() + lead
            yield Sentence(start, words.strip(), text[start : start + len(words.strip())])


def _blanked(text: str) -> str:
    text = _FENCE.sub(lambda match: _blank(match[0]), text)
    return _QUOTE.sub(lambda match: _blank(match[0]) if _is_quotation(text, match) else match[0], text)


def is_cited(text: str, words: str) -> bool:
    """Whether words stand in a text only inside code or a quotation of what somebody else said."""
    places = [m.start() for m in re.finditer(re.escape(words.strip()), text)] if words.strip() else []
    blanked = _blanked(text)
    return bool(places) and all(not blanked[at : at + len(words.strip())].strip() for at in places)


def _is_quotation(text: str, match: re.Match[str]) -> bool:
    inner = match[0][1:-1]
    is_long = inner.count(" ") >= 3 or len(_CJK.findall(inner)) >= 6
    return is_long or bool(_SPEECH.search(text[max(0, match.start() - 24) : match.start()]))


def _blank(text: str) -> str:
    return "".join("\n" if character == "\n" else "\u2003" for character in text)


def _asks(text: str) -> bool:
    ends = text.rstrip(" \"'”」)）").endswith(("?", "？"))
    if _CJK.search(text):
        return ends or bool(_QUESTION_ZH.search(text))
    return ends or bool(_QUESTION_EN.search(text) and not _WHEN.match(text) or _ASK_EN.search(text))
