"""Whether the words behind "the password is" are one that is given away, or say something about it."""

import re
from collections.abc import Sequence

PROSE = frozenset(
    "required optional wrong incorrect correct weak strong expired hashed encrypted stored saved reset changed missing empty needed "
    "long short mandatory safe secure invalid valid good bad important case-sensitive case sensitive not never always also only too very "
    "a an the in on at by for from to of and or but so if that this what which where when how why who whose it its there here your my our "
    "hard easy difficult simple complex unique shared public private hidden visible masked blank null none true false unknown forgotten "
    "protected protection manager managers reuse policy policies generator rotation field fields hint hints string str text number integer "
    "everything something anything nothing no yes ok okay fine being been be now still just really almost about more less than as "
    "created generated used sent checked verified compromised leaked exposed stolen shown given kept managed rotated revoked granted "
    "set stronger weaker longer shorter better worse necessary essential sufficient enough ready available obsolete "
    "usage count counts limit limits budget budgets window ring stealing theft economy tokens words characters digits letters "
    "length size type format name id env process config os.environ getenv todo tbd n/a example placeholder redacted changeme_later "
    "one two three four five six seven eight nine ten twelve sixteen ours theirs mine yours dead alive "
    "lost gone broken known back up down out off written chosen taken hit cut shut built nice great cool tricky obvious identical similar "
    "different same old new plain plaintext clear random numeric alphanumeric default secret top super pretty quite way rather fairly "
    "completely totally again soon yet today tomorrow yesterday already well minimum maximum common certain open close due password passwd pwd 密码 口令".split()
)
# A sentence that is about a password has one of these sooner or later; a phrase that is one has none.
_FUNCTION = frozenset(
    "a an the this that these those in on at by for from to of and or but so if as than then with without within into onto over under "
    "between among through during before after since until while because about against across behind beside inside outside near per via "
    "i you he she it we they me him her us them my your his its our their mine yours who whom whose which what where when why how "
    "is are was were be been being am do does did done has have had having will would shall should can could may might must need needs "
    "not no never nor neither only also too very just still ever every each any some all both such own there here please thanks thank "
    "someone somebody anyone anybody everyone everybody something anything everything nothing see isn't wasn't don't can't cannot".split()
)
_ENDS_IT = frozenset("and but or so please thanks thank because which since if when unless".split())
_ENDS_A_LONG_ONE = _ENDS_IT | frozenset("for on at in".split())
# What is said of a password, or does it: "this is my password", "that is the PIN".
_NO_PASSWORD = frozenset(
    "that this it which what here below above same thing word name else it's that's google github bcrypt argon2 keycloak "
    "oauth2 oauth2.0 oauth1 saml2 saml2.0 fido2 webauthn auth0 office365 microsoft365 2fa time work home phone laptop desktop browser page".split()
)
_ENDING = re.compile(r"(?i)(?:ed|ing|able|ible|ly|ive|ful|less|ous|ment|tion|ity)$")
_ENDING_ABROAD = re.compile(
    r"(?i)(?:t|en|lich|ig|bar|los|isch|ée?s?|eux|euse|oire|if|ant|[aiu]d[oa]|ct[oa]|os[oa]|ur[oa]|[aiu]t[oa]|ória|il|ый|ий|[ео]н[аоы]?|ая|ой|но|то)$"
)
_PROSE_ABROAD = frozenset(
    "geheim falsch sicher unsicher leer kurz lang stark schwach einfach neu alt weg da hier nicht folgendermaßen anders gleich egal kein "
    "faux vide court long fort faible simple nouveau secret mala corta larga débil fuerte fácil simple nueva forte fraca curta nova "
    "korrekt kort lang sterk zwak onjuist leeg neplatné".split()
)
HIDDEN = re.compile(
    r"^[*x•.#\-_?]+$|^[<{$%(\[].*$|^(?:os|process|env|settings|config|self|request)\b[.\[].*$", re.IGNORECASE
)
QUOTES = "\"'`“”"
_SHORT_NUMBER = re.compile(r"^\d{1,3}$")
_UNIT = re.compile(
    r"(?i)\s*(?:characters?|chars|digits?|letters?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|bits?|bytes?|words?|tokens?"
    r"|percent|%|users?|hashed|hash|encoded|encrypted)(?![a-z])"
)
_ENDS = re.compile(r"\s*(?:[.!,;。\n)]|$|and\b|please\b)")


def is_password(value: str, rest: str, *, called_one: bool = False, before: str = "") -> bool:
    """Whether a word is given away: it looks like a secret, or is called one and nothing but `before` follows."""
    if value.lower() in PROSE | _NO_PASSWORD or HIDDEN.match(value) or _SHORT_NUMBER.match(value) or _UNIT.match(rest):
        return False
    return looks_secret(value) or (called_one and is_plain(value) and bool(_ENDS.match(before or rest)))


def is_plain(word: str) -> bool:
    """Whether a word of letters says nothing about a password."""
    return word.isalpha() and word.lower() not in PROSE | _NO_PASSWORD and not _ENDING.search(word)


def is_plain_abroad(word: str) -> bool:
    """The same of a word of another language."""
    return is_plain(word) and word.lower() not in _PROSE_ABROAD and not _ENDING_ABROAD.search(word)


def is_handed_over(value: str, rest: str, *, called_one: bool) -> bool:
    """Whether a value, perhaps in quotes, is given away; a plain word is when it is `called_one` and nothing follows."""
    inner = value.strip(QUOTES)
    if len(inner) < 3 or inner.lower() in PROSE or HIDDEN.match(inner):
        return False
    if inner != value or looks_secret(inner):
        return not _SHORT_NUMBER.match(inner) and not _UNIT.match(rest)
    return called_one and inner.isascii() and is_plain(inner) and bool(_ENDS.match(rest))


def phrase_length(words: Sequence[str], *, least: int) -> int:
    """How many of the words make a phrase that is a password, such as "correct horse battery staple"; 0 for prose."""
    end = next((i for i, word in enumerate(words) if word.lower() in (_ENDS_A_LONG_ONE if i > 2 else _ENDS_IT)), None)
    phrase = [word.strip(QUOTES).lower() for word in words[:end]]
    about = sum(word in PROSE or bool(_ENDING.search(word)) for word in phrase)
    is_one = least <= len(phrase) <= 12 and not _FUNCTION & set(phrase) and about <= (len(phrase) > 3)
    return len(phrase) if is_one else 0


def looks_secret(value: str) -> bool:
    """Whether a word has what words of prose have not: digits or signs among letters, capitals within."""
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    symbols = any(c in "!@#$%^&*_+=~?" for c in value)
    mixed = letters and any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return (letters and (digits or symbols)) or (digits and len(value) >= 4) or (mixed and len(value) >= 8)


def is_mixed(value: str) -> bool:
    """Whether letters stand beside digits, in a word that is no well-known name."""
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    return letters and digits and value.lower() not in _NO_PASSWORD and not HIDDEN.match(value)
