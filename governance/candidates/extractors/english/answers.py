"""How answers should be: their language, code, format and style."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import ADV, ME, Clause, Rule, rule
from governance.candidates.extractors.statement import Said

_SPEAKS = re.compile(
    r"\b(?:i|we|they|he|she|who|people|you)(?:'ll|'m| can| could| also| only| mostly| will| do| am| are)*\s$",
    re.IGNORECASE,
)


def _answer_language(clause: Clause) -> Iterator[Said]:
    if _SPEAKS.search(clause.sentence[: clause.match.start()]) and not re.search(
        r"\b(?:can|could) you ", clause.sentence, re.IGNORECASE
    ):
        return
    value = keys.language(clause["x"])
    yield Said("language", value, f"The user wants answers in {clause['x']}.", lasting=clause.lasts)


def _switch_language(clause: Clause) -> Iterator[Said]:
    yield Said(
        "language", keys.language(clause["x"]), f"The user wants answers in {clause['x']}.", lasting=clause.lasts
    )


def _code(clause: Clause) -> Iterator[Said]:
    value = keys.code_language(clause["x"])
    yield Said(
        "preference.code.language", value, f"The user wants code examples in {value}.", lasting=clause.is_standing
    )


def _format(clause: Clause) -> Iterator[Said]:
    value = keys.output_format(clause["x"])
    lasting = clause.lasts if clause["state"] else clause.is_standing
    yield Said("preference.output.format", value, f"The user wants output as {value}.", lasting=lasting)


_STYLES = (
    (re.compile(r"short|brief|concise|terse|to the point|succinct"), "preference.answer.length", "short"),
    (re.compile(r"detailed|long|thorough|in[- ]depth|elaborate|comprehensive"), "preference.answer.length", "detailed"),
    (re.compile(r"bullet"), "preference.answer.layout", "bullet points"),
    (re.compile(r"step[- ]by[- ]step"), "preference.answer.layout", "step by step"),
    (re.compile(r"informal|casual|friendly|relaxed"), "preference.answer.tone", "informal"),
    (re.compile(r"formal|professional|polite"), "preference.answer.tone", "formal"),
)


def _style(clause: Clause) -> Iterator[Said]:
    for pattern, key, value in _STYLES:
        if pattern.search(clause["x"].lower()):
            lasting = clause.lasts if clause["state"] else clause.is_standing
            yield Said(key, value, f"The user wants {clause['x'].lower()} answers.", lasting=lasting)
            return


def _emoji(clause: Clause) -> Iterator[Said]:
    yield Said("preference.answer.emoji", "none", "The user wants no emoji in answers.", lasting=clause.lasts)


_LANG = rf"(?P<x>{keys.LANGUAGE_WORDS})"


_CODE = rf"(?P<x>{keys.CODE_WORDS})"


_FORMAT = rf"(?P<x>{keys.FORMAT_WORDS})"

RULES: tuple[Rule, ...] = (
    rule(
        rf"\b(?:answer|reply|respond|speak|talk|communicate|explain(?: things| everything)?|continue|chat|write)(?: (?:to |with )?(?:me|us))?(?: back)?(?: only)?(?: in)? {_LANG}(?! (?:word|phrase|sentence|food|restaurant|essay|poem|teacher|class|people|speaker|homework|test))\b(?! (?:this|that|the|these) )",
        _answer_language,
        cues=keys.LANGUAGE_WORDS.replace("\\", ""),
    ),
    rule(
        rf"\b{ME} {ADV}(?:prefers?|wants?|needs?) (?:your |all |my )?(?:answers?|replies|responses|everything|to (?:speak|talk|chat|communicate))(?: to be)?(?: in)? {_LANG}\b",
        _answer_language,
        cues=keys.LANGUAGE_WORDS.replace("\\", ""),
    ),
    rule(
        rf"\b(?:switch|change|go|set)(?: the| my| your)?(?: language)?(?: back)?(?: over)? to {_LANG}\b",
        _switch_language,
        cues=" to ",
    ),
    rule(
        rf"\b(?:give|show|send|write|use|provide|answer|code)(?: (?:me|us))?(?: all| your| the| any| only| my)*(?: code)?(?: examples?| snippets?| samples?| code)?(?: in| with| using)? {_CODE}(?: code)?(?: examples?| snippets?| samples?)?(?=\W|$)(?!-)",
        _code,
        cues="give|show|send|write|use|provide|answer|code",
    ),
    rule(
        rf"\b(?P<state>{ME} {ADV}(?:prefers?|wants?|needs?|likes?) (?:all |my |our |the |your )*(?:output|outputs|exports?|reports?|results?|files?|data|tables?)(?: to be)?(?: delivered| formatted| exported)?|(?:my|our|the) (?:preferred |default )?output format(?: is|:| should be)|output format:?)(?: in| as| to be)?(?: an?)? {_FORMAT}\b",
        _format,
        cues="csv|parquet|json|yaml|xml|markdown|pdf|html|excel|xlsx|tsv|latex|toml|avro|docx|word|powerpoint|pptx|text|table|bullet|表|列表",
    ),
    rule(
        rf"\b(?:export|output|send|give|save|return|deliver|format|produce|provide|use|write|make)\b(?: (?:me|us|it|them))?[^.;!?\n\u2003]{{0,40}}?(?: in| as| to|)(?: an?| the)? {_FORMAT}\b(?: format| files?| output)?",
        _format,
        cues="csv|parquet|json|yaml|xml|markdown|pdf|html|excel|xlsx|tsv|latex|toml|avro|docx|word|powerpoint|pptx|text|table|bullet|表|列表",
    ),
    rule(
        r"\b(?:keep|make|give|write|want|with)\b[^.;!?\n]{0,24}?\b(?:answers?|replies|responses|explanations|it|messages)(?: me| us)? (?P<x>(?:short|brief|concise|terse|detailed|formal|informal|casual|to the point)(?: and \w+)?)",
        _style,
        cues="answer|repl|response|explanation|messages|tone|style|language| it ",
    ),
    rule(
        rf"\b(?:(?P<state>{ME} {ADV}(?:prefers?|wants?|likes?|needs?))|give me|use|write|answer (?:me )?(?:with|in)) (?P<x>short|brief|concise|terse|detailed|long|thorough|formal|informal|casual|bullet[- ]point|step[- ]by[- ]step)(?:,? (?:and )?\w+)? (?:answers?|replies|responses|explanations|messages|tone|style|language)",
        _style,
        cues="answer|repl|response|explanation|messages|tone|style|language| it ",
    ),
    rule(
        r"\b(?:no|without|stop (?:using|with the)|never use|don't use|do not use|drop the|skip the|hate) (?:any )?emojis?\b",
        _emoji,
        cues="emoji",
    ),
)
