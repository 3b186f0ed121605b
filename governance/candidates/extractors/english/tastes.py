"""What somebody prefers, likes and dislikes."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import (
    ADV,
    BE,
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

_DOING = re.compile(
    r"^(?:to |going to |the taste of )?(?:listen(?:ing)? to|watch(?:ing)?|eat(?:ing)?|drink(?:ing)?|play(?:ing)?|wear(?:ing)?|read(?:ing)?|us(?:e|ing)|hav(?:e|ing)|go(?:ing)? to|visit(?:ing)?|collect(?:ing)?|to)\s+(?=\w)",
    re.IGNORECASE,
)

# That it turned, said behind the thing: "I don't like jazz any more".
_SINCE = re.compile(r"\s+(?:any ?more|any longer|at all|these days|nowadays|now)$", re.IGNORECASE)


def _thing(phrase: str) -> str:
    """The key part of what is liked: the thing, whatever one does with it."""
    return keys.slug(_DOING.sub("", re.sub(r"\s+(?:best|the most)$", "", phrase)))


def _prefers(clause: Clause) -> Iterator[Said]:
    phrase = clause["x"]
    if NOT_OBJECT.match(phrase):
        return
    key, value = dimension(phrase)
    over = f" over {clause['over']}" if clause["over"] else ""
    content = f"The user prefers {phrase}{over}."
    if key:
        yield Said(key, value, content, lasting=clause.lasts)
    elif part := _thing(phrase):
        yield Said(f"preference.taste.{part}", "prefer", content, lasting=clause.lasts)


def _likes(clause: Clause) -> Iterator[Said]:
    phrase, verb = _SINCE.sub("", clause["x"]), clause["verb"].lower()
    if NOT_OBJECT.match(phrase):
        return
    best = re.search(r"\b(?:best|the most)$", phrase)
    key, value = dimension(phrase) if best else ("", "")
    likes = not re.search(r"hate|dislike|detest|stand|not|n't|loathe|despise|never", verb)
    part = _thing(phrase)
    if key:
        yield Said(key, value, f"The user likes {phrase}.", lasting=clause.lasts)
    elif part:
        content = f"The user {'likes' if likes else 'dislikes'} {phrase}."
        yield Said(f"preference.taste.{part}", "like" if likes else "dislike", content, lasting=clause.lasts)


def _favourite(clause: Clause) -> Iterator[Said]:
    topic = keys.slug(clause["t"]).replace("colour", "color")
    value = keys.dimension(clause["x"])[1] if topic == "color" else clause["x"]
    if topic and clause["x"] and not NOT_OBJECT.match(clause["x"]):
        yield Said(f"preference.{topic}", value or clause["x"], f"The user's favourite {clause['t']} is {clause['x']}.")


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b(?:the name of )?my (?:all[- ]time |absolute |current )?favou?rite (?P<t>[a-z]+(?: [a-z]+)?) (?:is|are|has always been|could be described as|would be|will always be|was always) (?:the colou?r )?{X}{END}",
        _favourite,
        cues="favo",
    ),
    rule(
        rf"(?:^|[,;] ){X} (?:is|are) my (?:all[- ]time |absolute |current )?favou?rite (?P<t>[a-z]+(?: [a-z]+)?){END}",
        _favourite,
        cues="favo",
    ),
    rule(
        rf"\b{ME} {ADV}prefers? {X}(?: (?:over|rather than|instead of|to) (?P<over>[^,.;:!?\n]{{2,40}}?))?{END}",
        _prefers,
        cues="prefer",
    ),
    rule(
        rf"{START}(?:please )?prefer {X}(?: (?:over|rather than|instead of) (?P<over>[^,.;:!?\n]{{2,40}}?))?{END}",
        _prefers,
        cues="prefer",
    ),
    rule(
        rf"\b(?:{ME} {ADV}(?P<verb>loves?|likes?|enjoys?|adores?|hates?|dislikes?|detests?|loathes?|despises?|can't stand|cannot stand|can not stand|(?:don't|do not|doesn't|does not|never) (?:really |much |particularly )?(?:like|enjoy)))\s{X}{END}",
        _likes,
        cues="lov|like|enjoy|ador|hat|detest|loath|despis|stand|fan of|fond|into|obsessed|passionate|crazy",
    ),
    rule(
        rf"\b{BE} (?P<verb>(?:not )?(?:a (?:big |huge |great )?fan of|fond of|really into|into|obsessed with|passionate about|crazy about))\s{X}{END}",
        _likes,
        cues="lov|like|enjoy|ador|hat|detest|loath|despis|stand|fan of|fond|into|obsessed|passionate|crazy",
    ),
)
