"""From an utterance to its statements: sentences, guards, rules, times."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from governance.candidates.extractors import chinese, english
from governance.candidates.extractors.clauses import Sentence, sentences
from governance.candidates.extractors.english import Clause, Rule
from governance.candidates.extractors.former import as_before
from governance.candidates.extractors.permanence import is_complaint, is_one_off
from governance.candidates.extractors.polarity import is_for_a_case, is_off_record, is_one_of_two, is_turned_round
from governance.candidates.extractors.statement import Said, Statement
from governance.candidates.extractors.times import Moment, Period, find_periods

MAX_CHARACTERS = 8_000

_CONFIRMS = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|correct|right|exactly|that's (?:right|correct|it|true)|please do|do (?:that|it|so)|go ahead|sounds good|confirmed|absolutely|of course)"
    r"(?:[,.! ]+(?:please(?: do)?|yes|i do|i would|(?:that|it) (?:would|will) be (?:great|good|nice|fine|perfect|lovely)|perfect|great|fine|do (?:that|it|so)|go ahead|that's (?:right|correct|fine)|correct|right|exactly|remember (?:that|it)|save (?:that|it)|keep (?:that|it)|thanks?|thank you|sounds good|let's do (?:that|it)))*\W*$"
    r"|^\W*(?:是的?|对的?|嗯+|好的?|没错|可以|行|确认|同意|就这样|就这么办|正确|没问题|当然)(?:[，,。！! ]*(?:是的?|对|好的?|没错|可以|行|确认|记住吧?|就这样(?:办|吧)?|就这么办|按你说的做?|这样做|谢谢|照办|请记住|记下来?吧?))*\W*$",
    re.IGNORECASE,
)


# Words of change: a day named beside them is when the new state began or begins.
_CHANGES = re.compile(
    r"\b(?:mov(?:ed|ing)|relocated|settled|switch(?:ed|ing)|migrat(?:ed|ing)|upgraded)\b|[搬换改迁切]", re.IGNORECASE
)

_BUT = re.compile(r"\bbut\b|但是?|不过", re.IGNORECASE)  # "I'm vegetarian, but today I'll have the steak"


def extract(text: str, *, observed_at: datetime, zone: tzinfo) -> list[Statement]:
    """What the user states explicitly in one utterance, in order; an empty list when nothing is meant to last or last out.

    Only text of role user is passed here. Relative times resolve against `observed_at` in `zone`. Questions,
    suppositions, quotations, reports and facts about strangers make no statement, nor does the opposite of what is
    wished, or what is not to be remembered; what holds this once is marked `lasting=False`.
    """
    if len(text) > MAX_CHARACTERS:
        return []
    if _CONFIRMS.match(text):
        return [_confirmation(text)]
    said = Moment(observed_at, zone)
    reading = _reading(text, said)
    found = [statement for sentence in sentences(text) for statement in _read_whole(sentence, reading)]
    if is_off_record(text):
        found = [statement for statement in found if statement.intent == "retract"]
    return _once_each(found)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What holds for a whole utterance: when it was said, and the rules that can match somewhere in it."""

    said: Moment
    complains: bool
    english: tuple[Rule, ...]
    chinese: tuple[Rule, ...]


def _reading(text: str, said: Moment) -> _Reading:
    lower = text.lower()
    possible = (tuple(rule for rule in rules if _may_match(rule, lower)) for rules in (english.RULES, chinese.RULES))
    return _Reading(said, is_complaint(text), *possible)


def _may_match(rule: Rule, lower: str) -> bool:
    if not rule.cues:
        return True
    for cue in rule.cues:  # noqa: SIM110 - twice as fast as `any`, in the innermost loop
        if cue in lower:
            return True
    return False


def is_yes(text: str) -> bool:
    """Whether a turn says yes and nothing else."""
    return bool(_CONFIRMS.match(text))


def _confirmation(text: str) -> Statement:
    start = len(text) - len(text.lstrip())
    content = (
        "用户确认了助手刚才的话。"
        if re.search("[\u4e00-\u9fff]", text)
        else "The user confirms what the assistant just said."
    )
    return Statement(start, len(text.rstrip()), "semantic", "", None, content, intent="confirm")


def _read_whole(sentence: Sentence, reading: _Reading) -> Iterator[Statement]:
    """What a sentence states, and what it takes back: of "I'm no longer vegetarian" that the user is."""
    yield from _read(sentence, reading)
    held = as_before(sentence.text)
    if not held or sentence.is_question or find_periods(sentence.text, reading.said):
        return  # what will be over is not over
    for former in _read(Sentence(sentence.start, held, held), reading):
        content = f"{'不再如此：' if sentence.is_chinese else 'No longer so: '}{former.content}"
        start, end = sentence.start, sentence.start + len(sentence.text)
        if former.key and former.intent == "state":
            yield replace(former, content=content, intent="retract", start=start, end=end)


def _read(sentence: Sentence, reading: _Reading) -> Iterator[Statement]:
    if sentence.is_question:
        return
    taken: list[tuple[int, int]] = []
    periods: list[Period] | None = None
    lower = sentence.text.lower()
    for rule in reading.chinese if sentence.is_chinese else reading.english:
        if len(rule.cues) <= 12 and not _may_match(rule, lower):
            continue
        for match in _matches(rule, sentence, taken):
            if sentence.is_passed_on(*match.span()):
                continue
            clause = Clause(match, sentence.text, reading.complains)
            built = [each for each in rule.build(clause) if _is_affirmed(each, match, sentence.text)]
            if built:
                taken.append(match.span())
                periods = find_periods(sentence.text, reading.said) if periods is None else periods
                yield from (_placed(each, match, sentence, periods) for each in built)


def _matches(rule: Rule, sentence: Sentence, taken: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    for match in rule.pattern.finditer(sentence.text):
        free = all(match.end() <= start or end <= match.start() for start, end in taken)
        if free and sentence.is_meant(match.start()):
            yield match


_CHOICE = re.compile(r"language$|preference\.(?:output|answer\.(?!emoji)|travel|theme|units|temperature|clock|color)")
_CARE = re.compile(r"(?:allergy|accessibility)\.|diet\.(?:\w+\.)?type$")


def _is_affirmed(built: Said, match: re.Match[str], text: str) -> bool:
    """Whether the words around a choice or a need leave it standing, alone and in every case."""
    is_choice = bool(_CHOICE.match(built.key) or built.key == "preference.code.language")
    if not (is_choice or _CARE.match(built.key)) or built.intent == "retract":
        return True
    named = match.start("x") if "x" in match.groupdict() and match.group("x") else match.start()
    if is_turned_round(text[:named], text[match.end() :]):
        return False
    return not (is_choice and (is_for_a_case(text) or is_one_of_two(text[match.end("x") :])))


def _placed(built: Said, match: re.Match[str], sentence: Sentence, periods: list[Period]) -> Statement:
    valid_from, valid_to = _bounds(built, match, sentence, periods)
    said = _BUT.split(sentence.text[match.end() :])[0]
    lasting = built.lasting if built.lasting is not None else not is_one_off(sentence.text[: match.end()] + said)
    start, end = sentence.start + match.start(), sentence.start + match.end()
    return Statement(
        start=start,
        end=end,
        kind=built.kind,
        key=built.key,
        value=built.value,
        content=built.content,
        level=built.level,
        intent=built.intent,
        lasting=lasting,
        explicit=built.explicit,
        about=built.about,
        valid_from=valid_from,
        valid_to=valid_to,
        validity="until_date"
        if valid_to and built.kind != "episodic" or valid_to and not lasting
        else "until_replaced",
        always=built.always,
    )


def _bounds(
    built: Said, match: re.Match[str], sentence: Sentence, periods: list[Period]
) -> tuple[datetime | None, datetime | None]:
    """The bounds said nearest behind the match, before the next comma; for an event the time it happened."""
    if built.kind == "episodic" and built.lasting is None:
        happened = next((period for period in periods if period.role == "on"), None)
        return (happened.valid_from, happened.valid_to) if happened else (None, None)
    begin, finish = _segment(match, sentence.text)
    near = [period for period in periods if begin <= period.start < finish]
    if _CHANGES.search(match[0]):
        near = [replace(period, role="from", valid_to=None) if period.role == "on" else period for period in near]
    starts = next((period.valid_from for period in near if period.role == "from"), None)
    ends = next((period.valid_to for period in near if period.role == "until"), None)
    return starts, ends


def _segment(match: re.Match[str], text: str) -> tuple[int, int]:
    """The part of the sentence between the commas (or "then") around the match."""
    cuts = [cut.end() for cut in re.finditer(r"[,，、](?!\s*\d{4})|\bthen\b|\band\b|\bbut\b|然后|再|之后再", text)]
    begin = max((cut for cut in cuts if cut <= match.start()), default=0)
    finish = min((cut for cut in cuts if cut >= match.end()), default=len(text))
    return begin, finish


def _once_each(found: list[Statement]) -> list[Statement]:
    """In order of place; of two that say the same of the same key only the first; what is stated anew takes nothing back."""
    stated = {each.key for each in found if each.intent != "retract"}
    seen: set[tuple[str, str, str, str, str]] = set()
    kept: list[Statement] = []
    for each in sorted(found, key=lambda statement: (statement.start, statement.end)):
        words = "" if each.key else each.content
        mark = (each.key, repr(each.value), each.intent, words, repr(each.valid_from))
        is_kept = each.intent != "retract" or not each.key or each.key not in stated
        if is_kept and mark not in seen:
            seen.add(mark)
            kept.append(each)
    return kept
