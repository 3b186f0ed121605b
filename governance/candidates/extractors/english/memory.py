"""Corrections, what to remember or forget, standing wishes and instructions, tasks and events."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import (
    ADV,
    END,
    ME,
    NOT_OBJECT,
    START,
    Clause,
    Rule,
    X,
    dimension,
    rule,
)
from governance.candidates.extractors.statement import Said


def _wish(clause: Clause) -> Iterator[Said]:
    """A wish with a standing word or inside a complaint."""
    if not clause.is_standing or NOT_OBJECT.match(clause["x"]):
        return
    key, value = dimension(clause["x"])
    part = keys.slug(clause["x"])
    if key or part:
        yield Said(key or f"preference.wish.{part}", value or clause["x"], f"The user wants {clause['x']}.")


def _corrects(clause: Clause) -> Iterator[Said]:
    key, value = dimension(clause["x"])
    if not key and (found := keys.database(clause["x"])):
        yield Said("project.database", found, f"The project uses {found}.", level="project", intent="correct")
    elif key:
        yield Said(key, value, f"The user corrects this to {clause['x']}.", intent="correct", lasting=clause.lasts)


def _forgets(clause: Clause) -> Iterator[Said]:
    key, value = _named(clause["x"])
    level = "project" if key.startswith(("project.", "environment.")) else "user"
    content = f"The user asks to forget: {clause['x']}."
    yield Said(key, value, content, kind="semantic", level=level, intent="retract")


def _named(phrase: str) -> tuple[str, str]:
    """The key of something mentioned by name."""
    for word in re.findall(r"[\w+#]+", phrase):
        if found := keys.database(word):
            return "project.database", found
        if (known := keys.dimension(word))[0] and len(word) > 2:
            return known
    return "", ""


def _notes(clause: Clause) -> Iterator[Said]:
    if part := keys.slug(clause["x"]):
        yield Said(f"note.{part}", clause["x"], f"The user asks to remember: {clause['x']}.")


def _instructs(clause: Clause) -> Iterator[Said]:
    if clause.is_standing and not _CASE.match(clause["x"]) and (part := keys.slug(clause["x"], words=5)):
        words = clause.match[0].strip(" ,")
        is_personal = re.search(r"\b(?:me|my|us|our)\b", clause["x"], re.IGNORECASE)
        group, kind = ("wish", "semantic") if is_personal else ("instruction", "procedural")
        yield Said(f"preference.{group}.{part}", words, f"The user's standing instruction: {words}.", kind=kind)


def _task(clause: Clause) -> Iterator[Said]:
    yield Said("", clause["x"], f"The user asked to {clause['x']}.", kind="episodic", lasting=False)


def _event(clause: Clause) -> Iterator[Said]:
    words = clause["x"]
    words = re.sub(r"\bmy\b", "their", re.sub(r"\b(?:i|we)\b", "they", words, flags=re.IGNORECASE), flags=re.IGNORECASE)
    yield Said("", words, f"The user {words}.", kind="episodic")


_CASE = re.compile(r"(?:except|unless|when|while|if|during)\b", re.IGNORECASE)
_WHOLE = END.replace("|when|while|", "|").replace("|if|", "|").replace("|whenever|every|", "|")  # a case is part of it


_PAST = (
    "went visited adopted bought moved started finished graduated married met got had attended joined left lost won sold ran hiked traveled travelled flew drove saw watched read took "
    "painted cooked built ran signed hosted launched published submitted passed failed quit changed celebrated learned planted found gave made participated volunteered organized hired broke injured"
).replace(" ", "|")


_WHEN = r"(?:yesterday|last (?:week|month|year|night|summer|winter|spring|fall|autumn|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:\d+|a|two|three|four|five|six|a few|a couple of) (?:day|week|month|year)s? ago|in (?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|on (?:\w+ )?\d{1,2}(?:st|nd|rd|th)?(?: \w+)?|in (?:19|20)\d\d)"

FIRST: tuple[Rule, ...] = (
    rule(
        rf"^(?:no|nope|sorry|wait|correction|oops|actually)\b[,:;—\- ]+(?:no[, ]+)?(?:actually[, ]*|i meant |i mean |make (?:it|that) |it's |it is |it should be |use |rather |in |that should be )*{X}(?: (?:instead|please|rather))?[.!]?$",
        _corrects,
        cues="no|sorry|wait|correction|oops|actually",
    ),
    rule(rf"\bi meant (?:to say |in )?{X}{END}", _corrects, cues="i meant"),
    rule(rf"\bnot (?:in )?[\w+# ]{{2,20}}(?:[,;]| but) (?:but )?(?:in )?{X}[.!]?$", _corrects, cues="not "),
    rule(
        rf"(?<!n't )(?<!n’t )(?<!not )(?<!never )\b(?:forget|do not remember|don't remember|erase|stop remembering|delete)\b (?:that |about |the fact that |what i said about )(?:i |we |my )?{X}[.!]?$",
        _forgets,
        cues="forget|remember|erase|delete",
    ),
)

RULES: tuple[Rule, ...] = (
    rule(
        rf"\b{ME} {ADV}(?:want|wants|need|needs|expect|expects|require|requires|ask(?:ed)? for|book|books|fly|flies) {X}{END}",
        _wish,
        cues="want|need|expect|require|ask|book|fl",
    ),
    rule(
        rf"(?:{START}|\b(?:please|you|should|must|you to|and|but|to) )(?:from now on|from here on|going forward|henceforth|in (?:the )?future|by default|as a rule|always|never|every ?time|whenever|moving forward)\b[, ]*(?:please |you |just |do |not |only |always |never )*{X}{_WHOLE}",
        _instructs,
        cues="from now on|from here on|going forward|henceforth|future|default|as a rule|always|never|every|whenever|moving forward|all times|any more|anymore|ever again|until further",
    ),
    rule(
        rf"{START}(?:please |can you |could you |would you )?(?P<x>(?:use|give|keep|send|show|call|answer|write|include|add|avoid|put|start|end|check|ask|tell|remind|address|make|format|provide|book|suggest|recommend|treat|leave|be|don't|do not)\b[^,.;:!?\n\u2003()]{{2,60}}?),? (?:from now on|in (?:the )?future|going forward|by default|every ?time|always|at all times|any ?more|ever again|until further notice)\b",
        _instructs,
        cues="from now on|from here on|going forward|henceforth|future|default|as a rule|always|never|every|whenever|moving forward|all times|any more|anymore|ever again|until further",
    ),
    rule(rf"{START}(?:please )?(?:stop|quit) {X}{END}", _instructs, cues="stop|quit"),
    rule(
        rf"(?:{START}|\b(?:please|also|you to|should|must) )(?:remember|note|keep in mind|don't forget|do not forget|bear in mind|take note|make a note)(?: that|:|,)? {X}[.!]?$",
        _notes,
        cues="remember|note|keep in mind|forget|bear in mind",
    ),
    rule(
        rf"{START}(?:please |can you |i need to |we need to |you need to |have to |must )?(?P<x>(?:finish|submit|send|complete|deliver|prepare|finali[sz]e|write|review|book|call|pay|return|file|hand in|fix|ship|schedule)\b[^,;:!?\n]{{2,60}}? (?:by|before|no later than) (?:the )?(?:end of )?[^,.;!?\n]{{3,20}})",
        _task,
        cues=" by | before |no later",
    ),
    rule(
        rf"\b(?-i:I|We)(?:'ve| have)?(?: just| recently| finally)? (?P<x>(?:{_PAST})\b[^.;!?\n]{{2,80}}?\b{_WHEN})",
        _event,
        cues="yesterday|last | ago| in | on ",
    ),
    rule(
        rf"^(?P<when>{_WHEN}),? (?-i:I|i|we)(?: just| finally)? (?P<x>(?:{_PAST})\b[^.;!?\n]{{2,80}}?){END}",
        _event,
        cues="yesterday|last | ago| in | on ",
    ),
)
