"""Who somebody is: name, home, work, family."""

import re
from collections.abc import Callable, Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import ADV, BE, END, KIN, ME, NOT_OBJECT, Clause, Rule, X, rule
from governance.candidates.extractors.statement import Said

_NOT_A_NAME = re.compile(
    r"^(?:back|later|when|if|at|on|tomorrow|today|asap|now|crazy|old|not|sure|sorry|fine|good|here|ready|a|an|the|after|before|by|tonight|soon|anytime|please|for|in|to|out|maybe|and|it|this|that)\b",
    re.IGNORECASE,
)


def _name(clause: Clause) -> Iterator[Said]:
    name = re.sub(r"\s+(?:please|instead|from now on|now|again)$", "", clause["x"], flags=re.IGNORECASE)
    if name and not _NOT_A_NAME.match(name) and name.count(" ") <= 3:
        yield Said("profile.name", name, f"The user's name is {name}.")


def _home(clause: Clause) -> Iterator[Said]:
    place = re.sub(
        r"\s+(?:now|today|yesterday|tomorrow|recently|(?:with|for|last|this|next|two|three|a|in|on|from|since) .*|\d.*)$",
        "",
        clause["x"],
    )
    if place and not re.match(
        r"(?:a|an|my|the (?:same|past|moment)|fear|this|that|here|there)\b", place, re.IGNORECASE
    ):
        yield Said("profile.home.city", place, f"The user lives in {place}.")


_NO_PLACE = re.compile(
    r"(?:apartments?|house|home|dorms?|town|country|city|suburbs?|states|area|building|fear|peace|hotel|there|here|countryside|flat|room|mountains|woods)$"
)


def _home_lower(clause: Clause) -> Iterator[Said]:
    if not _NO_PLACE.search(clause["x"]) and not re.match(r"(?:a|an|my|the|low|our|this|that)\b", clause["x"]):
        yield from _home(clause)


def _origin(clause: Clause) -> Iterator[Said]:
    if not _NO_PLACE.search(clause["x"]) and not re.match(
        r"(?:a|an|my|the (?!u)|this|that|here|there|work)\b", clause["x"], re.IGNORECASE
    ):
        yield Said("profile.origin", clause["x"], f"The user is from {clause['x']}.")


def _is_a(clause: Clause) -> Iterator[Said]:
    if not re.match(
        r"(?:bit|little|lot|fan|few|couple|huge fan|big fan|hurry|mess|tad|member|while|long|good mood|bad mood)\b",
        clause["x"],
        re.IGNORECASE,
    ):
        yield Said(f"profile.is.{keys.slug(clause['x'])}", True, f"The user is {clause['n']} {clause['x']}.")


def _does(clause: Clause) -> Iterator[Said]:
    verb = clause["verb"].lower()
    if not NOT_OBJECT.match(clause["x"]):
        part = keys.slug(f"{verb} {clause['x']}")
        yield Said(f"profile.does.{part}", clause["x"], f"The user {_third(verb)} {clause['x']}.")


def _third(verb: str) -> str:
    head, _, rest = verb.partition(" ")
    ending = (
        "ies"
        if head.endswith("y") and head[-2] not in "aeiou"
        else "es"
        if head.endswith(("ch", "sh", "s", "x"))
        else "s"
    )
    return f"{head[:-1] if ending == 'ies' else head}{ending}{' ' + rest if rest else ''}"


_TIMEZONE = r"(?P<x>(?:utc|gmt)\s?[+\-]\s?\d{1,2}(?::?\d\d)?|(?-i:[A-Z][a-z]+/[A-Z][A-Za-z_]+)|(?-i:[ECMP][SD]?T)|(?-i:CET|BST|JST|IST|AEST|UTC)|(?:us[/ ])?(?:pacific|eastern|central|mountain|beijing|london|tokyo)(?: time)?)"


def _profile(key: str, sentence: str) -> Callable[[Clause], Iterator[Said]]:
    def build(clause: Clause) -> Iterator[Said]:
        if clause["x"]:
            yield Said(key, clause["x"], sentence.format(x=clause["x"]))

    return build


def _trait(clause: Clause) -> Iterator[Said]:
    trait, value = clause["t"].lower(), clause["x"]
    if not re.match(
        r"(?:not|n't|never|also|very|so|too|in|on|at|here|the same|really|just|being|getting|going|coming)\b", value
    ):
        yield Said(f"profile.{keys.slug(trait)}", value, f"The user's {trait} is {value}.")


def _kin_name(clause: Clause) -> Iterator[Said]:
    kin = keys.companion(clause["kin"])
    yield Said(f"profile.family.{kin}.name", clause["x"], f"The user's {clause['kin']} is called {clause['x']}.")


_POSSESSION = r"(?P<n>an?|one|two|three|four|five|six|\d+|twin)\s(?:\w+\s){0,2}?(?P<what>dogs?|cats?|rabbits?|hamsters?|parrots?|horses?|birds?|fish|puppy|puppies|kittens?|kids?|children|child|sons?|daughters?|brothers?|sisters?|siblings?|cars?|house|apartment|boat|motorcycle|bike)"


def _has(clause: Clause) -> Iterator[Said]:
    what = keys.singular(clause["what"].lower())
    named = f" named {clause['name']}" if clause["name"] else ""
    yield Said(
        f"profile.has.{what}", clause["name"] or clause["n"], f"The user has {clause['n']} {clause['what']}{named}."
    )


RULES: tuple[Rule, ...] = (
    rule(
        r"\b(?:my (?:full |first |last |real |nick)?name(?: is|'s)|please call me|call me|refer to me as|i(?:'m| am) called|start calling me(?: by my name which is)?|i go by|address me as|you can call me|change my name to)\s+(?P<x>(?-i:[A-Z\u00c0-\u017f])[\w'’\-\u00c0-\u017f]*(?:\s(?-i:[A-Z\u00c0-\u017f])[\w'’.\-\u00c0-\u017f]*){0,3}|[a-z]+(?=[.!,]|$| (?:please|from now on|instead)))",
        _name,
    ),
    rule(
        r"^(?:hi|hello|hey)?[,! ]*(?-i:I'm|I am) (?P<x>(?-i:[A-Z])[a-z]+(?<!ish)(?<!ian)(?<!ese)(?<!can)(?:\s(?-i:[A-Z])[a-z]+)?)(?=[,.!]|$| from\b)",
        _name,
    ),
    rule(r"^(?P<x>(?-i:[A-Z])[a-z]+) is (?:what i am called|what i'm called|my name|the name i go by)\b", _name),
    rule(rf"\b{KIN}(?:'s name is| is called| is named) (?P<x>(?-i:[A-Z])[\w\-]+)", _kin_name, cues="name|called"),
    rule(
        rf"\b(?:{ME} (?:currently |now |still |just |recently )?(?:live|lives|reside|resides|am based|are based|moved|relocated|settled)|{BE} (?:currently |now )?(?:based|living|located|residing)) (?:here )?(?:in|to) (?P<x>(?-i:[A-Z])[^,.;:!?\n\u2003]{{1,40}}?){END}",
        _home,
        cues="live|reside|based|moved|relocated|settled|living|located|town|city|base",
    ),
    rule(rf"\b{ME} live in (?P<x>[a-z]+(?: [a-z]+)?)(?=[.,!]|$)", _home_lower, cues="live in"),
    rule(
        rf"\b(?:{BE} (?:originally )?from|{ME} (?:grew up|was raised) in) (?P<x>[A-Za-z][^,.;:!?\n]{{1,30}}?){END}",
        _origin,
        cues="from|grew up|was raised",
    ),
    rule(
        rf"\bmy (?:home ?(?:town|city|base)|city|current city)(?: is|'s) (?:in )?(?P<x>(?-i:[A-Z])[^,.;:!?\n]{{1,40}}?){END}",
        _home,
        cues="live|reside|based|moved|relocated|settled|living|located|town|city|base",
    ),
    rule(
        rf"\b(?:my time ?zone is|set my time ?zone to|{BE} (?:in|on)) (?:the )?{_TIMEZONE}(?:\s?time ?zone)?",
        _profile("profile.timezone", "The user's time zone is {x}."),
        cues="time|utc|gmt|cet|est|pst|/| bst| jst| ist",
    ),
    rule(
        rf"\b{ME} (?:currently |now |also )?works? as (?:an? |the )?(?P<x>[^,.;:!?\n]{{3,50}}?)(?=\s*(?:[,.;:!?\n]|$|\b(?:at|for|in|and i|but|because|with|who)\b))",
        _profile("profile.job.title", "The user works as {x}."),
        cues=" work",
    ),
    rule(
        rf"\b{ME} (?:currently |now )?works? (?:at|for) (?P<x>(?-i:[A-Z])[^,.;:!?\n]{{1,40}}?)(?=\s*(?:[,.;:!?\n]|$|\b(?:as|in|and|but|because|on)\b))",
        _profile("profile.employer", "The user works at {x}."),
        cues=" work",
    ),
    rule(
        rf"\b{BE} (?:an? )(?:\w+ )?(?P<x>(?:\w+ ){{0,2}}(?:engineer|developer|teacher|nurse|doctor|lawyer|designer|manager|student|accountant|chef|writer|artist|musician|scientist|researcher|analyst|consultant|architect|programmer|professor|journalist|photographer|pilot|driver|electrician|plumber|carpenter|farmer|librarian|pharmacist|dentist|vet|veterinarian|salesperson|mechanic|barista|waiter|waitress|cashier|soldier|police officer|firefighter|actor|actress|singer|dancer|editor|translator|entrepreneur|freelancer|retiree|housewife|stay[- ]at[- ]home \w+))(?=[,.;:!?\n]|$| (?:at|in|for|from|and|by|who|with)\b)",
        _profile("profile.job.title", "The user is a {x}."),
    ),
    rule(
        rf"\b{BE} (?P<x>\d{{1,3}})(?: years? old| years of age|(?=[,.]| and\b))",
        _profile("profile.age", "The user is {x} years old."),
    ),
    rule(
        rf"\b{ME} (?:was|were) born (?:on|in) (?P<x>[^,.;:!?\n]{{3,30}}?){END}",
        _profile("profile.birth", "The user was born in {x}."),
        cues=" born ",
    ),
    rule(
        rf"\bmy (?P<t>job|job title|profession|occupation|employer|company|nationality|native language|mother tongue|major|hobby|hobbies|pronouns|birthday|team|manager|boss|role|department|budget|shoe size|height|religion|zodiac sign|personality type|blood type|goal|dream|(?:home |work |mailing |new )?address|phone number|email|seat preference|preferred airline|preferred \w+|highest education level|education) (?:is|are|'s) {X}{END}",
        _trait,
        cues="my ",
    ),
    rule(
        r"\b(?-i:I'm|I am|i am|i'm) (?P<n>an?) (?P<x>[a-z][a-z\- ]{3,40}?)(?=[,.;!]|$| (?:who|and|but|from|living|working|with)\b)",
        _is_a,
        cues=" am |'m ",
    ),
    rule(
        rf"(?:^|[,;] |\band )(?:i|we) {ADV}(?P<verb>play|collect|teach|study|coach|speak|paint|practice|practise|listen to|attend|major in|volunteer at|volunteer|drive|grow|write|breed|own) {X}{END}",
        _does,
    ),
    rule(
        rf"\b{ME} (?:have|has|own|owns) {_POSSESSION}(?:,? (?:named|called) (?P<name>(?-i:[A-Z])\w+))?\b",
        _has,
        cues=" have | has | own",
    ),
)
