"""Passwords and codes by the sentence that gives them away: name, at most a few words, a connector, then the value."""

import re
from collections.abc import Iterator

from governance.policies.detectors.abroad import given_away_abroad
from governance.policies.detectors.giving import (
    HIDDEN,
    PROSE,
    is_handed_over,
    is_mixed,
    is_password,
    is_plain,
    looks_secret,
    phrase_length,
)
from governance.policies.detectors.spans import BLANK, Folded, Span


def _misspelt(word: str) -> str:
    """A pattern of a word with one letter left out, doubled, exchanged or swapped with the next."""
    at = range(1, len(word))
    forms = {word[:i] + word[i + 1 :] for i in at} | {word[: i + 1] + word[i:] for i in range(len(word))}
    forms |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    return "|".join(sorted(forms | {word[:i] + "[a-z]" + word[i + 1 :] for i in at}, key=len, reverse=True))


_PASSWORD = rf"(?!passwort)(?:{_misspelt('password')}|{_misspelt('passcode')}|{_misspelt('passphrase')}|passwd|paswd|pswrd|pswd|pwd)"
_NAME = (
    rf"(?:{_PASSWORD}|pass(?=['\"]?\s*(?:=>|[:=]))|p/w|pin(?: ?code| number)?|otp|cvv2?|cvc|security code|[🔑🔐🗝🔏🔒](?: ?code)?|(?:secret|magic|code|safe) ?word|"
    r"(?:verification|access|one[- ]time|auth(?:entication)?|login|backup|door|gate|alarm|unlock|2fa|mfa|sms) code|"
    r"(?:api|access|secret|private|client|auth|signing|encryption|license|account|master|app|bot|bearer|refresh|session|root)"
    r"(?:[ _-](?:access|secret|api))?[ _-]?(?:key|token|secret)|secret|token|credentials?|creds)"
)
_OF = rf"(?:\s+(?:for|to|of|on|at|in)\s+[^\n.,;:={BLANK}]{{1,40}}?)?"
_IS = (
    r"(?:is|was|are|were|(?:will|would|should|could|might|may|must|going to|used to|has to) be|has been|equals|becomes|became|remains|stays"
    r"|set to|changed to|to be)(?:\s+(?:now|still|just|simply|always|currently|usually|probably|literally|actually|something like|set to|changed to))?"
)
_SAYS = rf"\s*(?:=>|[:=])\s*|\s+{_IS}(?:\s*[:=])?\s+|['’]s\s+|['\"]\s*:\s*"
_SENTENCE = re.compile(
    rf"(?i)(?<![a-z])(?P<name>{_NAME})(?![a-z]){_OF}(?P<how>{_SAYS}|\s+(?=[^\s]*\d[^\s]*))"
    rf"(?P<value>\"[^\"\n{BLANK}]{{3,80}}\"|'[^'\n{BLANK}]{{3,80}}'|`[^`\n{BLANK}]{{3,80}}`|“[^”\n{BLANK}]{{3,80}}”|[^\s,;，。；、{BLANK}]{{3,200}})"
)
# Several words, up to the end of the clause.
_WORDS = re.compile(
    rf"(?i)(?P<mine>\b(?:my|our|his|her|their)\s(?:[\w-]+\s){{0,3}})?(?<![a-z]){_PASSWORD}(?![a-z]){_OF}(?P<how>{_SAYS})[\"'“]?"
    rf"(?P<words>[^.,;:!?\n\"”(){BLANK}]{{5,160}})"
)
_SET_TO_WORDS = re.compile(
    rf"(?i)\b(?:set|chang|updat|reset|switch)\w*\s[^.\n{BLANK}]{{0,40}}?(?<![a-z]){_PASSWORD}(?![a-z])[^.\n{BLANK}]{{0,30}}?\sto\s+"
    rf"(?P<words>[^.,;:!?\n\"”(){BLANK}]{{5,160}})"
)
_WORD = re.compile(r"[^\s\-]+")
_DIGIT = r"(?:(?:double |triple )?(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)|\d)"
_SPELT = re.compile(
    rf"(?i)(?<![a-z])(?:{_NAME})(?![a-z]){_OF}(?:{_SAYS}|\s+(?=(?:{_DIGIT}[\s,.\-]{{1,3}}){{3}}))(?P<value>{_DIGIT}(?:[\s,.\-]{{1,3}}{_DIGIT}){{2,11}})(?![\w])"
    rf"(?!\s+(?:of|or|to|and|digits?|characters?|letters?|times)\b)"
)
_ASSIGNMENT = re.compile(
    r"(?i)(?P<name>password|passwd|pwd|passphrase|secret|token|api_?key|apikey|access_?key|private_?key|auth_?key|credential)s?"
    rf"(?:_[A-Za-z0-9_]{{1,12}})?[\"']?\s*(?:=>|:=|=|:)\s*[\"']?(?P<value>[^\s\"',;{BLANK}]{{4,200}})"
)
_VALUE = rf"[^\s,;，。；、\"'`{BLANK}]{{4,100}}"
_LOGIN = re.compile(
    rf"(?i)\b(?:log ?in|sign ?in|login|user(?:name)?|account)\b[^\n.]{{1,40}}?[,;/ ]\s*(?:{_PASSWORD})\s+(?P<value>[^\s,;，。{BLANK}]{{4,100}})"
    rf"|(?:用户名?|账号|帐号|网络|无线网?|wifi)[^\n。]{{1,24}}?[,，、；;\s](?:登录)?(?:密码|口令)\s*(?P<zh>[A-Za-z0-9!@#$%^&*_.+\-=~?]{{4,100}})"
)
_BEFORE = re.compile(
    rf"(?i)(?<!\S)[\"'`“]?(?P<value>{_VALUE})[\"'`”]?\s+(?:is|as)\s+(?:(?:my|the|a|our|your|its|new)\s+){{0,2}}(?:[\w-]+\s)?"
    rf"(?:{_PASSWORD}|pin|login code)\b(?P<rest>.{{0,12}})"
)
_WITH_NAME = re.compile(
    rf"(?i)\b(?:log|sign)(?:ged|s)?[ -]?in (?:as|with|using) \S{{2,60}} (?:with|using|and) (?P<value>{_VALUE})"
)
# A name and a password side by side, or "pass" as people say it in a hurry.
_PAIR = re.compile(
    rf"(?i)(?:\b(?:log|sign)(?:ged|ging|s)?[ -]?in\b|\bcredentials?\b|\bcreds\b|账号|登录)[^\n.{BLANK}]{{0,24}}?(?<![\w./@:-])"
    rf"[a-z][\w.+-]{{1,40}}(?:@[\w.-]{{3,60}})?(?:\s*[:|]\s*|\s+/\s*|(?<![a-z]\.[a-z]{{2}})(?<![a-z]\.[a-z]{{3}})(?<![a-z]\.[a-z]{{4}})/)(?P<value>[^\s/,;，。{BLANK}]{{6,100}})"
)
_PASS = re.compile(
    rf"(?i)(?:\b(?:with|using|and)|[,;/])\s*(?:the\s|my\s)?(?:pass|pw)\s+(?P<value>[^\s,;，。{BLANK}]{{4,100}})"
)
_FROM_TO = re.compile(
    rf"(?i)(?<![a-z])(?:{_PASSWORD}|pin(?: code)?){_OF}(?:\s+(?:was|were|is|has been|got)?\s?(?:changed|updated|reset|switched|renamed))?"
    rf"(?P<from>\s+from)?\s+[\"'`“]?(?P<old>{_VALUE})[\"'`”]?(?:\s+(?:to|into|with|by)\s+|\s*[-=]>\s*)[\"'`“]?(?P<new>{_VALUE})"
)
_NOW = re.compile(
    rf"(?i)(?<![a-z])(?:{_PASSWORD}|pin)(?![a-z])[^\n{BLANK}]{{0,80}}?\bnow,?\s+(?:it(?:'s|’s|\sis)\s+|is\s+)?[\"'`“]?(?P<value>{_VALUE})"
)
_CHANGE = re.compile(r"chang|updat|reset|switch|replac|swap|rotat|renam")
_CARD_CODE = re.compile(
    r"(?i)\b(?:cvv2?|cvc2?|card (?:security|verification) code)\b(?: code| number)?\s*(?:is|was|:|=)?\s*(?P<value>\d{3,4})\b"
)
_ANSWER = re.compile(
    rf"(?i)\b(?:answer to (?:my|the|your|our) (?:\w+ )?(?:security|secret|recovery) question|(?:security|secret|recovery)[ -](?:question )?answer)\s*(?:is|was|:|=)\s*[\"'“]?(?P<value>[^\n.,;\"'”{BLANK}]{{2,60}})"
    rf"|(?:密保|安全问题|找回问题)(?:问题)?的?答案\s*(?:是|为|:)\s*(?P<zh>[^\s。，；,;{BLANK}]{{1,40}})"
)
_PHRASE = re.compile(
    r"(?i)\b(?:passphrase|pass phrase|password phrase)\s*(?:is|was|:|=)\s*[\"'“]?(?P<value>(?-i:[a-z]{3,12})(?:[ -](?-i:[a-z]{3,12})){3,11})\b(?=[\"'”.!]*\s*$|[.\"'”,;\n])"
)
_CODE = r"(?:[A-Za-z0-9]{3,5}-?[A-Za-z0-9]{3,5}|\d{6,10})"
_BACKUP = re.compile(
    rf"(?i)(?:(?:backup|recovery|one-time|2fa|mfa|two-factor)[- ](?:\w+[- ])?codes?|备用(?:验证)?码|恢复码|备份码)\s*(?:are|is|[:=]|是|为)?\s*(?P<value>{_CODE}(?:[\s,，、]+{_CODE}){{0,15}})"
)
_COOKIE = re.compile(
    rf"(?i)\b(?:sess(?:ion)?_?id|sid|phpsessid|jsessionid|csrftoken|auth_?token)=(?P<value>[^\s;,{BLANK}]{{12,}})"
)
_PASSWORD_LIKE = re.compile(rf"(?i)(?:{_PASSWORD}|pass|p/w|.*code|pin.*)$")
_NAMES_ONE = re.compile(
    r"\bpw\b|p[ ._*-]?[a@4][ ._*-]?[s$5]|p[a-z]{0,2}s[a-z]?[sw]|apss|pswd|sign|log|answer|答案|pass|pwd|p/w|pin|otp|cvv|cvc|code|secret"
    r"|token|cred|key|[🔑🔐🗝🔏🔒]|word|密|口令|令牌|账号|登录|备用|恢复码|备份码|cookie|sess|sid=|验证码|暗号|私钥|码"
)


def given_away(folded: Folded) -> Iterator[Span]:
    """Passwords, codes and answers that a sentence hands over; prose that only talks about them passes."""
    yield from given_away_abroad(folded)
    if not _NAMES_ONE.search(folded.lower):
        return
    for match in _SENTENCE.finditer(folded.text):
        value = match["value"].rstrip(".!?)")
        how = match["how"].strip()
        called_one = bool(how not in ("", "'s", "’s") and _PASSWORD_LIKE.match(match["name"]))
        if not how and match["name"].lower().startswith("pin") and not value.isdigit():
            continue  # of a circuit
        if value and is_handed_over(value, folded.text[match.start("value") + len(value) :], called_one=called_one):
            yield _taken(folded, match.start("value"), value, "sentence")
    for match in _ASSIGNMENT.finditer(folded.text):
        value = match["value"].rstrip(".!?)")
        is_count = value.isdigit() and not match["name"].lower().startswith("p")
        if len(value) >= 4 and looks_secret(value) and not HIDDEN.match(value) and not is_count:
            yield _taken(folded, match.start("value"), value, "assignment")
    yield from _in_words(folded)
    yield from _by_place(folded)
    yield from _by_other_words(folded)
    yield from _changed(folded)


def _taken(folded: Folded, start: int, value: str, detector: str) -> Span:
    return folded.span(start, start + len(value), "credential", detector)


def _in_words(folded: Folded) -> Iterator[Span]:
    """Several words that are a password, and digits spelt out."""
    for pattern in (_WORDS, _SET_TO_WORDS):
        for match in pattern.finditer(folded.text):
            words = list(_WORD.finditer(folded.text, *match.span("words")))
            is_said = pattern is _WORDS and (match["mine"] or match["how"].strip() not in (":", "="))
            if length := phrase_length([word[0] for word in words], least=2 if is_said else 4):
                yield folded.span(match.start("words"), words[length - 1].end(), "credential", "phrase")
    for match in _SPELT.finditer(folded.text):
        yield folded.span(*match.span("value"), "credential", "spelt-out")


def _by_place(folded: Folded) -> Iterator[Span]:
    """What stands where a password or a code is given: behind a user's name, behind "backup codes are", in a cookie."""
    for pattern, name in ((_LOGIN, "login"), (_BACKUP, "backup-codes"), (_COOKIE, "cookie")):
        for match in pattern.finditer(folded.text):
            start, value = _value(match)
            if any(c.isdigit() for c in value) and not HIDDEN.match(value):
                yield _taken(folded, start, value, name)
    for pattern in (_PAIR, _PASS):
        for match in pattern.finditer(folded.text):
            start, value = _value(match)
            if is_mixed(value):
                yield _taken(folded, start, value, "login")


def _value(match: re.Match[str]) -> tuple[int, str]:
    """Where a value begins, and the value without what ends the sentence."""
    part = "value" if match.groupdict().get("value") else "zh"
    return match.start(part), match[part].rstrip(".!?)")


def _by_other_words(folded: Folded) -> Iterator[Span]:
    """What stands before its name, or answers for somebody."""
    for pattern in (_BEFORE, _WITH_NAME):
        for match in pattern.finditer(folded.text):
            start, value = _value(match)
            before = match.groupdict().get("rest")
            if is_password(
                value, folded.text[start + len(value) :], called_one=before is not None, before=before or "."
            ):
                yield _taken(folded, start, value, "sentence")
    for pattern in (_CARD_CODE, _ANSWER, _PHRASE):
        for match in pattern.finditer(folded.text):
            start, value = _value(match)
            if pattern is not _ANSWER or (value.lower().split() or [""])[0] not in {"", *PROSE}:
                yield _taken(folded, start, value, "sentence")


def _changed(folded: Folded) -> Iterator[Span]:
    """The old and the new of a password that was changed."""
    for match in _NOW.finditer(folded.text):
        start, value = _value(match)
        if looks_secret(value) and is_password(value, folded.text[start + len(value) :]):
            yield _taken(folded, start, value, "changed")
    for match in _FROM_TO.finditer(folded.text):
        is_change = _CHANGE.search(folded.lower, max(0, match.start() - 30), match.end())
        if not is_change or not (match["from"] or looks_secret(match["old"])):
            continue
        values = [(match.start(part), match[part].rstrip(".!?)")) for part in ("old", "new")]
        ends = not folded.text[values[1][0] + len(values[1][1]) :].strip(" .!?)\"'`”\n")
        one_shows = any(looks_secret(value) for _, value in values)
        for start, value in values:
            if looks_secret(value) or (
                is_plain(value) and (one_shows or (ends and all(is_plain(v) for _, v in values)))
            ):
                yield _taken(folded, start, value, "changed")
