# ruff: noqa: E501 - a pattern stays in one piece
"""What stands around a quote: a span cut out of "I do not live in Vienna" says what was never said. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from governance.candidates.extractors.clauses import Sentence, is_cited
from governance.candidates.extractors.meaning import is_asked
from governance.candidates.extractors.quoted import is_passed_on
from governance.candidates.extractors.times import Moment, is_unread, stated_bounds
from governance.candidates.rules import EARLIEST, LATEST
from governance.candidates.stages.proposal import Proposal
from governance.candidates.stages.text import plain, words_of
from governance.policies.detectors import JSON

_SENTENCE = re.compile(r"(?<=[.!?;？！；])(?!\d)\s*")
_CLAUSE = re.compile(r"[,，、]|\bbut\b|但是?|而是")
_SEGMENT = re.compile(r"[,:](?!\d)|[，、]|\bbut\b|但是?|而是")
_JOINED = re.compile(r"\b(?:and|or|because|so|since|although|though|while|which|that)\b|因为|所以|而且|并且|不过")
_DENIED = re.compile(
    r"\b(?:not|never|no longer|stop|without|avoid|\w+n't)\b(?! (?:only|just)\b)|不(?!仅|但|光)|别|勿|没|莫|停止|避免"
)
_DENIED_FRAME = re.compile(
    r"\b(?:not true|untrue|false|not the case|(?:n't|not|never) (?:think|believe|say|said|mean|meant|claim(?:ed)?|suppose)|doubt)\b[^,]{0,20}\b(?:i|we|my)\b|(?:不是|并非|不觉得|没说过?|从没说过?)我"
)
_REPORTED = re.compile(
    r"\b(?!i\b)\w+ (?:says?|said|told \w+|claims?|claimed|thinks?|thought|wrote|asked)\b|\bapparently\b|(?<!我)(?:说|讲|告诉|认为|问)(?:我|过|，|:|：|了)?$|[他她]说|听说|据说|传闻"
)
_ASKED = re.compile(r"\b(?:is it|is that|are you|am i|do i|did i|does|whether|true)\b|是不是|是否|真的|难道")
_SUPPOSED = re.compile(
    r"\bif (?:i|we|you)\b.*\b(?:were|was|had|lived|would|could|might)\b|\bi wish (?:i|we)\b|\b(?:suppose|imagine|pretend)\b|如果我|假如|要是我|假设|但愿|希望我[住有是能在]"
)
_PERHAPS = re.compile(
    r"^\W*(?:(?:and|but|so|well)\s+)?(?:maybe|perhaps|possibly)\b|\b(?:one|some) ?day\W*$|^\W*我?(?:也许|可能(?!的话)|或许|说不定)|总有一天"
    r"|\b(?:i'd|i would|we'd|we would) (?:love|like) to (?:live|move|become|work|own|be)\b|\b(?:i'm|i am|we're|we are) (?:thinking (?:of|about)|considering|planning (?:to|on)|hoping to)\b|\b(?:i|we) (?:almost|nearly|might|may)\b|我(?:打算|考虑|差点|计划|想着)"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|in case|provided that)\b(?! (?:possible|you (?:can|could|don't mind)|at all|needed|i (?:may|can)|it's ok(?:ay)?|that's ok(?:ay)?))|的话|如果|要是|除非"
)
_FORWARDED = re.compile(
    r"\b(?:forwarded|fwd?:|original message)\b|\b\w+'s (?:e-?mail|mail|message|note|text|review|post)\s?:|\b(?:wrote|writes)\s?:|转发|的(?:邮件|消息|短信|留言|来信)\s?:"
)
_TOLD_TO = re.compile(
    r"\b(?:tell|ask|remind|inform|let) (?!me\b|us\b|you\b)\w+ (?:to|that|know)\b|(?:告诉|叫|让|提醒)(?!我)[\u4e00-\u9fff]{1,4}(?:要|以后)"
)
_MOCKED = re.compile(
    r"^\W*(?:rumou?r|legend|word) has it\b|^\W*(?:oh,? sure|yeah,? right|oh,? (?:great|fantastic|wonderful|yes),|as if)\b|\bi (?:just|really|so|absolutely) (?:love|enjoy|adore) (?:it when|how|getting|being|having to|waiting|(?:\w+ ){1,3}with (?:screaming|crying|broken))\b|呵呵|可真(?:喜欢|爱|是)"
)
_RELAYED = re.compile(
    r"\b(?:translate|proof-?read|rephrase|paraphrase|rewrite|reword|correct|spell[- ]?check|summari[sz]e|improve|shorten|polish|edit|type|draft|write (?:an?|to|him|her|them|my)|tell (?:him|her|them|my)|text (?:him|her|them|my)|reply|respond to|answer (?:him|her|them|my)|send (?:him|her|them|my)|read out|repeat after me|how do (?:you|i) say|(?:user|someone|somebody|people|customer|person)s? (?:might|may|could|would|will|can) (?:say|type|write|ask)|subject|caption|title|lyrics?)\b[^.!?:]*:[\s\"'(]*$"
    r"|(?:翻译|改写|润色|校对|造句|朗读|缩写|修改|检查|写(?:封|个|一)|回复(?:他|她|一下)|发给|告诉(?:他|她)|转告)[^.！？:]*:[\s\"'(]*$"
)
_ONCE = re.compile(
    r"\b(?:just|only) (?:for )?(?:today|now|once|tonight)\b|\bthis (?:one )?time\b|\bfor once\b|只是今天|就这次|这一?次|今天只|暂时"
)
_TAKEN_BACK = re.compile(
    r"^[\s\"',-]*(?:(?:but |and )?(?:that|this|which|it)(?:'s| is| was)(?: all| just)? (?:false|wrong|untrue|not true|a lie|a joke)|(?:just |only )?kidding|not true)\b|^\W*(?:no,? wait|wait,? no|actually,? no|correction|scratch that|(?:sorry|no),? i meant?)\b|^[，,\s]*(?:开玩笑|才怪|不是真的|是假的|骗你的|不对[，,]|[哦噢]?[，,]?(?:我)?(?:说错|记错)了?|更正)"
)
_SAID_BY = re.compile(r"^[\s,\"'.!]*(?:said|says|wrote|asked|replied) (?!i\b)\w+")
_SPEAKER = re.compile(
    r"(?:^|[.!?;\s])(customer|client|agent|user|assistant|support|operator|interviewer|caller|bot|human|客户|客服|用户|助手|主持人|顾客)\s?:(?!\d)"
)
_SUBJECT = re.compile(r"\b(?:i|we|he|she|they|you|it|my|our|his|her|their)\b|[我你您他她它咱]")
_OWN = re.compile(r"^\W*(?:(?:and|but|so|also|well|please|that)\s+)*(?:i|we)\b|^\W*(?:我|咱)")
_FINITE = re.compile(
    r"^(?:is|has|was|does|likes|loves|prefers|lives|works|wants|needs|hates|uses|speaks|plays|drinks|eats|owns|enjoys|avoids|travels|can't|cannot|never|always|doesn't)\b"
)
_GRANTED = re.compile(
    r"\b(?:the fact that|given (?:that )?|considering (?:that )?|now that|since|because)\s*$|\b(?:can|could|would|will) you (?:please )?(?:help (?:me|us) )?(?:to )?$"
)
_WAY_TO = re.compile(r"\b(?:ways?|how|best|strateg\w+|approach|time|place) to\s*$")
_KNOWN = re.compile(r"\b(?:my|our|the (?:new|updated|revised|extra))\b")
_MOST_OF_INTRO = 40  # characters of "for this one email", "from now on"
_EDGES = " .,;:!?\"'"


@dataclass(frozen=True, slots=True)
class Told:
    """Where in a turn something is stated, in words for comparing (`plain`)."""

    sentence: str
    before: str  # of the sentence, in front of the clause that states it
    lead: str  # of the clause, in front of what is quoted, or of its value
    clause: str  # that states it, up to where another statement begins
    statement: str  # the clause with what limits it: "for this one email", "from now on"
    earlier: str  # all that stands in front of the quote, or of its value
    after: str  # all that follows it
    is_asked: bool


@lru_cache(maxsize=1)  # every stage asks for the same one
def told(quote: str, text: str, value: str = "") -> Told | None:
    """Return where a turn states what is quoted, the value where the quote names it; None where it is not found."""
    whole, cut = plain(text), plain(quote).strip(_EDGES)
    at = whole.find(cut) if cut else -1
    if at < 0:
        return None
    named = cut.find(plain(value)) if value else -1
    point = at + max(named, 0)
    start, sentence = _piece(_SENTENCE, whole, point)
    begin, segment = _piece(_SEGMENT, sentence, point - start)
    lead = sentence[begin : point - start]
    if _FINITE.match(cut) and point == at and not lead.strip():
        begin, segment, lead = 0, sentence, sentence[: point - start]  # "Petra, who sits here, | loves spicy food"
    joined = 0 if not _has_own_subject(cut, at, point, whole) else _last_end(_JOINED, lead)
    rest = sentence[begin:][len(lead) :]
    rest = rest[: _next_start(_SEGMENT, rest, 1)]
    end = len(lead) + _next_start(_JOINED, rest, max(0, at + len(cut) - point))
    clause = sentence[begin : begin + end][joined:].strip(" ?？")
    around = [*_intros(sentence[:begin]), clause, *_trails(sentence[begin + len(segment) :])]
    after = whole[point + len(plain(value)) :] if named >= 0 else whole[at + len(cut) :]
    return Told(
        sentence=sentence.strip(),
        before=sentence[:begin],
        lead=lead,
        clause=clause,
        statement=", ".join(around).strip(),
        earlier=whole[:point],
        after=after,
        is_asked=(_is_asked(sentence, segment) or is_asked(clause)) and not _presupposes(lead, cut),
    )


def told_in(proposal: Proposal) -> Told | None:
    """Return where a user's turn states what is proposed; None where no user is claimed to have said it, or rules read it."""
    if proposal.source_type != "user_explicit" or proposal.explicit is not None:
        return None
    value = plain(proposal.value) if isinstance(proposal.value, str) else ""
    quote = plain(proposal.quote)
    named = value if value and value in quote else _closest(quote, f"{proposal.content} {value}")
    return told(proposal.quote, proposal.observation_text, named)


def _closest(quote: str, words: str) -> str:
    """Return the sentence of a quote that shares most words with what is proposed; "" where it has only one."""
    parts = [part.strip(_EDGES) for part in _SENTENCE.split(quote) if part.strip(_EDGES)]
    wanted = tokens(words)
    return max(parts, key=lambda part: len(wanted & tokens(part))) if len(parts) > 1 else ""


def tokens(text: str) -> set[str]:
    """Return the words of three letters and more, the figures and the Chinese characters of a text."""
    return set(re.findall(r"[a-z]{3,}|\d+|[\u4e00-\u9fff]", plain(text)))


def stated_times(quote: str, text: str, value: JSON, said_at: datetime) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when the sentence of a quote says that its value holds (SPEC A2).

    Times that nobody can write down ("since 1850") count as not said.
    """
    found = told(quote, text, value if isinstance(value, str) else "")
    moment = Moment(said_at, said_at.tzinfo or UTC)
    bounds = stated_bounds(found.sentence if found else quote, plain(words_of(value)), moment)
    return bounds if all(b is None or EARLIEST <= b <= LATEST for b in bounds) else (None, None)


def has_unread(quote: str, text: str, value: JSON, said_at: datetime) -> bool:
    """Return whether the sentence of a quote says when its value holds, in words that `stated_times` does not read."""
    found = told(quote, text, value if isinstance(value, str) else "")
    moment = Moment(said_at, said_at.tzinfo or UTC)
    return is_unread(found.sentence if found else quote, plain(words_of(value)), moment)


def _piece(boundary: re.Pattern[str], text: str, point: int) -> tuple[int, str]:
    """Return where the piece of a text begins in which a point lies, and that piece."""
    edges = [0, *(m.end() for m in boundary.finditer(text)), len(text)]
    start = max(e for e in edges if e <= point)
    ends = [m.start() for m in boundary.finditer(text) if m.start() > point]
    return start, text[start : min(ends, default=len(text))]


def _has_own_subject(cut: str, at: int, point: int, whole: str) -> bool:
    return bool(_OWN.match(cut)) or bool(re.search(r"\b(?:i|we)\b|我", whole[at:point]))


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((m.end() for m in pattern.finditer(text)), default=0)


def _next_start(pattern: re.Pattern[str], text: str, least: int) -> int:
    return min((m.start() for m in pattern.finditer(text) if m.start() >= least), default=len(text))


def _intros(before: str) -> list[str]:
    """Return what stands in front of a clause and states nothing itself, back to the nearest that does."""
    found: list[str] = []
    for part in reversed(_SEGMENT.split(before)):
        if part.strip() and (len(part) > _MOST_OF_INTRO or _SUBJECT.search(part)):
            break
        found.insert(0, part.strip())
    return [part for part in found if part]


def _trails(after: str) -> list[str]:
    found = []
    for part in _SEGMENT.split(after):
        if part.strip() and (len(part) > _MOST_OF_INTRO or _SUBJECT.search(part) or _JOINED.match(part.strip())):
            break
        found.append(part.strip(" .!"))
    return [part for part in found if part]


def _is_asked(sentence: str, segment: str) -> bool:
    """Whether the clause asks; in "I like tea, can you order some?" the first one states."""
    if not sentence.rstrip(_EDGES.replace("?", "")).endswith(("?", "？")):
        return False
    is_last = sentence.rstrip().rstrip("?？ \"'").endswith(segment.rstrip().rstrip("?？ \"'"))
    words = segment.rstrip("?？ ") + ("?" if is_last else "")
    return Sentence(0, words.strip(), words).is_question


def _presupposes(lead: str, cut: str) -> bool:
    """Whether a question takes for granted what is quoted of it: "how can I use the fact that | I moved?"."""
    return bool(_GRANTED.search(lead)) or bool(_WAY_TO.search(lead) and _KNOWN.search(cut))


def is_torn(quote: str, text: str, value: str = "") -> bool:
    """Whether the words around a quote deny, report, ask, suppose, mock, relay or take back what it says on its own.

    Looked at are the rest of its clause before it, the rest of its sentence, and what follows at once; with a value,
    the sentence of the quote that names it. A quote that is not found is for grounding to judge.
    """
    found = told(quote, text, value)
    if found is None:
        return False
    before, cut, after = _split(quote, text)
    asked = bool(re.match(r"[^.!;！；。]*[?？]", after)) and _ASKED.search(before)
    within = found.before + found.lead
    return bool(
        _DENIED.search(_CLAUSE.split(before)[-1])
        or _REPORTED.search(before)
        or (_REPORTED.search(within) if value else None)
        or asked
        or found.is_asked
        or _SUPPOSED.search(before + cut + " " + re.split(r"[.!?;]", after)[0])
        or _PERHAPS.search(found.clause)
        or _CONDITION.search(found.before + found.lead)
        or _ONCE.search(before)
        or is_cited(text, value if value and value in quote else quote)
        or is_not_meant(quote, text, value)
    )


def is_not_meant(quote: str, text: str, value: str = "") -> bool:
    """Whether what a quote says is said to be untrue, is mocked, taken back, or only passed on: to translate, in the
    transcript of a talk, as somebody's words."""
    found = told(quote, text, value)
    if found is None:
        return False
    before, cut, _ = _split(quote, text)
    return bool(
        _DENIED_FRAME.search(found.before + found.lead + cut[:3])
        or _MOCKED.search(found.statement)
        or _RELAYED.search(found.before + (before if before.rstrip(" \"'(").endswith(":") else ""))
        or _TAKEN_BACK.search(re.sub(r"^[.,!\s]+", "", found.after))
        or _TOLD_TO.search(found.before + found.lead)
        or _FORWARDED.search(found.earlier)
        or is_passed_on(found.before + found.lead, found.after)
        or _SAID_BY.match(found.after)
        or len({match[1] for match in _SPEAKER.finditer(plain(text))}) > 1
    )


def _split(quote: str, text: str) -> tuple[str, str, str]:
    """Return the rest of its sentence before a quote that is there, the quote, and all that follows it."""
    whole, cut = plain(text), plain(quote).strip(_EDGES)
    at = whole.find(cut)
    return _SENTENCE.split(whole[:at])[-1], cut, whole[at + len(cut) :]
