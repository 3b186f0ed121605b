"""What serving somebody must heed: allergies, diet, accessibility; also of their companions."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import (
    ADV,
    BE,
    END,
    KIN,
    ME,
    NOT_OBJECT,
    WHO,
    Clause,
    Rule,
    X,
    rule,
)
from governance.candidates.extractors.statement import Said


def _someone(clause: Clause) -> tuple[str, str]:
    """Whom it is about ('' for the user) and how content calls them."""
    called = clause.companion
    kin = keys.companion(called)
    return kin, f"The user's {called.lower()}" if kin else "The user"


def _care(group: str, part: str, kin: str) -> str:
    return ".".join(piece for piece in (group, kin, part) if piece)


def _allergy(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    for thing in re.split(r",\s*(?:and |or )?|\s+(?:and|or)\s+", clause["x"]):
        bare = re.sub(r"^(?:the|some|all|any)\s+", "", thing.strip())
        if (part := keys.ingredient(bare)) and not re.match(r"(?:no|not|nothing|never)\b", bare):
            content = f"{who} is allergic to {thing.strip()}."
            is_meant = keys.is_reacted_to(bare)
            yield Said(_care("allergy", part, kin), True, content, about=kin, always=True, explicit=is_meant)


def _diet_type(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    value = keys.slug(clause["x"])
    yield Said(_care("diet", "type", kin), value, f"{who} is {clause['x'].lower()}.", about=kin, always=True)


def _avoids(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    for thing in re.split(r",\s*(?:and |or )?|\s+(?:and|or)\s+", clause["x"]):
        food = re.sub(r"\s+(?:anymore|any more|either|at all|products?)$", "", thing.strip())
        part = keys.ingredient(food)
        if (
            part
            and not NOT_OBJECT.match(food)
            and not re.match(
                r"(?:much|a lot|vegetarian|vegan|halal|kosher|breakfast|lunch|dinner|out|well|anywhere|there|here)\b",
                food,
            )
        ):
            yield Said(_care("diet", part, kin), "avoid", f"{who} does not eat {food}.", about=kin, always=True)


_NEEDS = (
    (re.compile(r"wheelchair"), "wheelchair", "uses a wheelchair"),
    (re.compile(r"walk|climb|stairs|stand|crutches|cane"), "walking", "has difficulty walking"),
    (
        re.compile(
            r"screen[- ]?reader|voiceover|braille|blind(?!ness test)|see(?:ing)?\b|visual|large print|guide dog"
        ),
        "vision",
        "is visually impaired",
    ),
    (re.compile(r"deaf|hear|sign language"), "hearing", "is hard of hearing"),
    (re.compile(r"dyslexi"), "dyslexia", "is dyslexic"),
)


# What these verbs mean of the body: where the sentence ends, or by what they take behind them.
_BODILY = (
    r"(?=\s*(?:[.!;\n]|$|,\s*(?:so|and|because|i|my|please)\b|(?:and|so|because|due|since|but) (?:i|we|he|she|my|need|needs|use|uses|to|please)\b"
    r"|(?:very |too |that |so )?(?:far|well|long|much|properly|clearly|fast)\b|for (?:long|more|\d)|more than|without|unaided|unassisted|alone|at all\s*(?:[.!,;]|$)|any ?(?:more|longer)\s*(?:[.!,;]|$)|\d|long distances?|distances?"
    r"|(?:up |down )?(?:the |many |any |steep )?(?:stairs?|steps|stairways?|ladders?|hills?|slopes?)\b|(?:small|fine|tiny|little) (?:print|text|letters|type|fonts?)|colou?rs?\b|(?:in|on|with|from|out of) (?:my |one |either |both |the )?(?:left |right )?(?:ears?|eyes?)))"
)


def _access(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    words = clause["x"].lower()
    for pattern, part, says in _NEEDS:
        if pattern.search(words):
            part, says = ("color_vision", "is colour-blind") if re.search(r"colou?r", words) else (part, says)
            yield Said(_care("accessibility", part, kin), clause["x"].lower(), f"{who} {says}.", about=kin, always=True)
            return


_CANNOT = re.compile(rf"\b(?:can['’]t|cannot|can not|unable to) (?:walk|climb|see|hear|stand){_BODILY}", re.IGNORECASE)


def is_bodily(text: str) -> bool:
    """Whether somebody says what the body cannot do: "can't walk far", not "can't walk away from this offer"."""
    return bool(_CANNOT.search(text))


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b{WHO}\s{ADV}(?:\w+ly )?allergic to (?P<x>[^.;:!?\n\u2003]{{2,60}}?)(?=\s*(?:[.;:!?\n]|$|,? (?:so|but|and (?:i|we|my|please|can)|because|which|please)\b))",
        _allergy,
        cues="allerg|intoleran",
    ),
    rule(
        rf"\b(?:{ME}|{KIN}) (?:have|has|got|suffers? from) (?:an? )?(?:\w+ly )?(?:(?:severe|serious|bad|strong|slight|mild) )?(?P<x>[a-z\- ]{{3,30}}?) allerg(?:y|ies)\b",
        _allergy,
        cues="allerg|intoleran",
    ),
    rule(
        rf"\b(?:{ME}|{KIN}) (?:have|has) (?:an? )?(?:(?:severe|serious|bad) )?allerg(?:y|ies) to {X}{END}",
        _allergy,
        cues="allerg|intoleran",
    ),
    rule(rf"\b{WHO}\s{ADV}(?P<x>\w+)[- ]intolerant\b", _allergy, cues="allerg|intoleran"),
    rule(
        rf"\b{WHO}\s{ADV}(?:an? )?(?:strict )?(?P<x>vegetarian|vegan|pescatarian|coeliac|celiac|gluten[- ]free|lactose[- ]free|dairy[- ]free|kosher|halal)s?\b",
        _diet_type,
        cues="vegetarian|vegan|pescatarian|celiac|coeliac|free|kosher|halal|low|keto",
    ),
    rule(
        rf"\b(?:{ME}|{KIN}) (?:only )?(?:eats?|keeps?|follows?|needs?|am on|is on|are on) (?:an? |only )?(?:strict(?:ly)? )?(?P<x>vegetarian|vegan|halal|kosher|gluten[- ]free|low[- ]sodium|low[- ]salt|low[- ]carb|keto)\b",
        _diet_type,
        cues="vegetarian|vegan|pescatarian|celiac|coeliac|free|kosher|halal|low|keto",
    ),
    rule(
        rf"\b(?:(?:{ME}|{KIN}|(?P<both>both of us|we both)) {ADV}(?:do not|don't|does not|doesn't|can't|cannot|can not|never|no longer) eats?|neither of us eats?) {X}{END}",
        _avoids,
        cues=" eat",
    ),
    rule(
        rf"\b(?:{BE}|{KIN}(?:'s| is| are|,? who is)) {ADV}(?P<x>(?:in|using|confined to|on) (?:a |an )?(?:wheelchair|crutches)|(?:legally |partially |colou?r[- ]?)?blind|deaf|hard of hearing|dyslexic|visually impaired|hearing impaired|unable to (?:walk|climb|stand){_BODILY}[^,.;!?]*)(?! to\b| spots?\b)",
        _access,
        cues="wheelchair|crutch|blind|deaf|hear|dyslexic|impaired|unable|step|reader|voiceover|print|braille|guide dog|sign language|cane|walk|climb|see|stand",
    ),
    rule(
        rf"\b(?:{ME}|{KIN})(?:[^.;!?\n]{{0,40}}?\bwho)? {ADV}(?P<x>(?:uses?|needs?|rel(?:y|ies) on|requires?) (?:a |an )?(?:step[- ]free|wheelchair|screen[- ]?reader|voiceover|large print|braille|guide dog|hearing aids?|sign language|crutches|cane)[^,.;!?]{{0,30}}|walks? (?:\w+ )?(?:badly|poorly|slowly|with (?:an? |great |some )?(?:canes?|sticks?|walking sticks?|crutch(?:es)?|walkers?|frame|rollator|limp|difficulty|pain|trouble)\b)|(?:can't|cannot|can not) (?:walk|climb|see|hear|stand){_BODILY}(?: (?:far|well|stairs|long|for long|properly|very well))?|(?:have|has) (?:trouble|difficulty|problems) (?:walking|seeing|hearing|climbing){_BODILY}[^,.;!?]{{0,20}})",
        _access,
        cues="wheelchair|crutch|blind|deaf|hear|dyslexic|impaired|unable|step|reader|voiceover|print|braille|guide dog|sign language|cane|walk|climb|see|stand",
    ),
)
