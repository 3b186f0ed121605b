"""Credentials by their format, and by the sentence that gives one away."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from governance.policies.detectors.spans import BLANK, Folded, Span

# Published formats; documented example keys have the same shape and are found too.
_FORMATS = {
    "aws-access-key": r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}",
    "github": r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "gitlab": r"gl(?:pat|ptt|dt|rt|cbt|imt|ft|oas|agent)-[A-Za-z0-9_\-]{20,300}",
    "openai-like": r"sk-(?:proj-|svcacct-|admin-|ant-|or-|live-|test-|secret-|key-|lf-)*[A-Za-z0-9_\-]{16,200}",
    "stripe": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}|whsec_[A-Za-z0-9+/=]{16,100}",
    "webhook": r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|[\w.-]+\.webhook\.office\.com|outlook\.office\.com/webhook)/[\w/@.\-]{20,300}",
    "slack": r"xox[abeoprs]-[A-Za-z0-9\-]{10,250}|xapp-\d-[A-Za-z0-9\-]{10,250}|xoxe\.xox[bp]-[A-Za-z0-9\-]{10,250}",
    "google": r"AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,300}|GOCSPX-[A-Za-z0-9_\-]{20,40}",
    "jwt": r"ey[JI][A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*){0,3}",
    "sendgrid": r"SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{30,64}",
    "huggingface": r"hf_[A-Za-z0-9]{20,60}|api_org_[A-Za-z0-9]{30,40}",
    "npm": r"npm_[A-Za-z0-9]{30,60}",
    "pypi": r"pypi-[A-Za-z0-9_\-]{16,300}",
    "rubygems": r"rubygems_[a-f0-9]{40,64}",
    "crates": r"cio[A-Za-z0-9]{32}",
    "docker": r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,64}",
    "digitalocean": r"do[opr]_v1_[a-f0-9]{40,80}",
    "shopify": r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    "square": r"(?:sq0(?:atp|csp|idp)-|EAAA)[A-Za-z0-9_\-]{22,80}",
    "telegram": r"\d{8,10}:AA[A-Za-z0-9_\-]{32,34}",
    "discord": r"[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}",
    "twilio": r"(?:SK|AC)[a-f0-9]{32}",
    "mailgun": r"key-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}",
    "mailchimp": r"[a-f0-9]{32}-us\d{1,2}",
    "linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
    "notion": r"secret_[A-Za-z0-9]{40,50}|ntn_[A-Za-z0-9]{40,50}",
    "figma": r"fig[du]_[A-Za-z0-9_\-]{30,60}",
    "airtable": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|key[A-Za-z0-9]{14}(?=\b)(?<=[0-9][A-Za-z0-9])",
    "atlassian": r"ATATT3[A-Za-z0-9_\-=]{40,250}|ATCTT3[A-Za-z0-9_\-=]{40,250}|ATBB[A-Za-z0-9]{24,40}",
    "azure": r"AccountKey=[A-Za-z0-9+/]{40,90}={0,2}|SharedAccessKey=[A-Za-z0-9+/]{30,60}={0,2}"
    r"|[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}|sig=[A-Za-z0-9%+/]{30,90}={0,2}",
    "databricks": r"dapi[a-f0-9]{32}(?:-\d)?",
    "heroku": r"HRKU-[A-Za-z0-9_\-]{36,70}",
    "netlify": r"nfp_[A-Za-z0-9]{36,44}",
    "vercel": r"vc[apirk]_[A-Za-z0-9]{24,80}",
    "supabase": r"sb[ps]_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_\-]{20,60}",
    "planetscale": r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.\-]{32,64}",
    "postman": r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    "newrelic": r"NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}|NRAL[A-Za-z0-9_\-]{32,40}",
    "grafana": r"gl(?:c|sa)_[A-Za-z0-9+/=_]{32,400}",
    "sentry": r"sntry[su]_[A-Za-z0-9+/=_\-]{40,250}",
    "vault": r"hv[sbr]\.[A-Za-z0-9_\-]{20,300}|\bs\.[A-Za-z0-9]{24}\b",
    "doppler": r"dp\.(?:pt|st|ct|scim|audit|sa)\.[A-Za-z0-9_.\-]{40,60}",
    "tailscale": r"tskey-[a-z]+-[A-Za-z0-9\-]{16,80}",
    "terraform": r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,70}",
    "facebook": r"EAA[A-Z][A-Za-z0-9]{60,300}",
    "alibaba": r"LTAI[A-Za-z0-9]{12,26}",
    "tencent": r"AKID[A-Za-z0-9]{32}",
    "groq-xai-replicate": r"gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{40,100}|r8_[A-Za-z0-9]{37,40}|pplx-[A-Za-z0-9]{40,60}",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{50,60}",
    "memory-governance": r"mgv_[A-Za-z0-9]+_[A-Za-z0-9]{16,120}",
}
_FORMAT = re.compile(
    r"(?<![A-Za-z0-9_])(?:" + "|".join(f"(?P<f{i}>{p})" for i, p in enumerate(_FORMATS.values())) + r")(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_FORMAT_NAMES = tuple(_FORMATS)

_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_URL_PASSWORD = re.compile(rf"[A-Za-z][A-Za-z0-9+.\-]*://[^\s:/@{BLANK}]*:([^\s/{BLANK}]+)@(?=[\w\[])")
_HEADER = re.compile(
    rf"(?i)\b(?:authorization\s*[:=]\s*)?\b(?:bearer|basic)\s+([A-Za-z0-9._~+/\-]{{16,}}={{0,2}})"
    rf"|\bcurl\b[^\n]{{0,400}}\s-(?:u|-user)\s*['\"]?[^\s:{BLANK}]+:([^\s'\"{BLANK}]+)"
    rf"|\b(?:set-)?cookie\s*:\s*[^\n{BLANK}]{{0,600}}?(?:sess\w*|token|sid)=([^\s;{BLANK}]{{8,}})"
)
_HEADER_CUE = re.compile(r"bearer|basic|curl|cookie")
_MNEMONIC_CUE = re.compile(r"seed|recovery|mnemonic|secret|backup|助记词")
_WORDS = r"[a-z]{3,8}"
_MNEMONIC = re.compile(
    r"(?i)(?:seed|recovery|mnemonic|secret|backup)[ -]?(?:phrase|words|seed)?[^\n]{0,20}?[:=\s]\s*"
    rf"['\"]?((?-i:(?:{_WORDS}[ ,]+){{11,23}}{_WORDS}))|助记词[^a-z\n]{{0,8}}((?:{_WORDS}[ ,]+){{11,23}}{_WORDS})"
)
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9]*[/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_/+.\-])[A-Za-z0-9_\-+/]{20,200}={0,2}(?![A-Za-z0-9_/+\-])")
_TOKEN_CONTEXT = re.compile(
    r"\b(?:api|access|secret|private|auth|client|account|license|encryption|signing|deploy|webhook)?[ _-]?"
    r"(?:key|token|secret|credential)s?\b|密钥|令牌|秘钥|凭证|口令"
)

# A sentence that hands one over: name, at most a few words, a connector, then the value.
_NAME_EN = (
    r"(?:pass(?:word|wd|code|phrase)|pass(?=['\"]?\s*(?:=>|[:=]))|pwd|p/w|pin(?: ?code| number)?|otp|cvv2?|cvc|security code|"
    r"(?:verification|access|one[- ]time|auth(?:entication)?|login|backup|door|gate|alarm|unlock|2fa|mfa|sms) code|"
    r"(?:api|access|secret|private|client|auth|signing|encryption|license|account|master|app|bot|bearer|refresh|session|root)"
    r"(?:[ _-](?:access|secret|api))?[ _-]?(?:key|token|secret)|secret|token|credentials?|creds)"
)
_NAME_ZH = (
    r"(?:(?:登录|支付|银行卡?|开机|解锁|管理员|数据库|账户|账号|邮箱|无线|网络|交易|取款|门禁|wifi|wi-fi|root)?(?:密码|口令|密钥|秘钥|令牌|验证码|暗号)"
    r"|私钥|通行码|动态码|安全码|pin码)"
)
_SENTENCE_EN = re.compile(
    rf"(?i)(?<![A-Za-z])(?P<name>{_NAME_EN})(?![A-Za-z])(?P<between>(?:\s+(?:for|to|of|on|at|in)\s+[^\n.,;:={BLANK}]{{1,40}}?)?)"
    r"(?P<how>\s*(?:=>|[:=])\s*|\s+(?:is|was|are|will be|equals|should be|set to|changed to|to be)(?:\s+(?:now|still|just|simply|set to|changed to))?"
    r"(?:\s*[:=])?\s+|['\"]\s*:\s*|\s+(?=[^\s]*\d[^\s]*))"
    rf"(?P<value>\"[^\"\n{BLANK}]{{3,80}}\"|'[^'\n{BLANK}]{{3,80}}'|`[^`\n{BLANK}]{{3,80}}`|“[^”\n{BLANK}]{{3,80}}”|[^\s,;，。；、{BLANK}]{{3,200}})"
)
_ASSIGNMENT = re.compile(
    rf"(?i)(?<![A-Za-z0-9])[\"']?[A-Za-z0-9_.\-]{0, 60}?(?:password|passwd|pwd|secret|token|api_?key|apikey|access_?key|private_?key|"
    rf"auth_?key|passphrase|credential)s?(?:_[A-Za-z0-9_]{{1,12}})?[\"']?\s*(?:=>|:=|=|:)\s*[\"']?(?P<value>[^\s\"',;{BLANK}]{{4,200}})"
)
_LOGIN = re.compile(
    rf"(?i)\b(?:log ?in|sign ?in|login|user(?:name)?|account)\b[^\n.]{{1,40}}?[,;/ ]\s*pass(?:word|code|phrase)?\s+(?P<value>[^\s,;，。{BLANK}]{{4,100}})"
    rf"|(?:用户名?|账号|帐号|网络|无线网?|wifi)[^\n。]{{1,24}}?[,，、；;\s](?:登录)?(?:密码|口令)\s*(?P<zh>[A-Za-z0-9!@#$%^&*_.+\-=~?]{{4,100}})"
)
# The same in other languages and in disguise, the value behind its name, before it, or without any connector.
_SPACED_OUT = r"p[ ._*-]a[ ._*-]s[ ._*-]s[ ._*-]?w[ ._*-]o[ ._*-]r[ ._*-]d|p[a@4][s$5]{2}w[o0]rd|pass ?w[o0]rd|pw|passcode|passphrase"
_NAME_ABROAD = (
    rf"(?:{_SPACED_OUT}|passwort|kennwort|mot de passe|contrase[nñ]a|clave(?: de acceso)?|senha|wachtwoord|lösenord|has[łl]o|пароль|"
    r"パスワード|暗証番号|비밀번호|wi-?fi (?:key|password)|network key|(?:log ?in|account) (?:code|secret))"
)
_VALUE = rf"[^\s,;，。；、\"'`{BLANK}]{{4,100}}"
_ABROAD = re.compile(
    rf"(?i)(?<![a-z])(?P<name>{_NAME_ABROAD})(?:\s+(?:for|to|of|für|pour|de|del|do|для)\s+[^\n.,;:={BLANK}]{{1,30}}?)?"
    rf"(?:\s*(?:=>|->|[:=?？])\s*|['’]s\s+|\s+(?:is|was|to|ist|lautet|est|es|è|é|är|jest|would be|will be)\s+|\s*(?:は|は、|는|은)\s*)"
    rf"[\"'`«“]?(?P<value>{_VALUE})"
)
_BEFORE = re.compile(
    rf"(?i)(?<!\S)[\"'`“]?(?P<value>{_VALUE})[\"'`”]?\s+(?:is|as)\s+(?:(?:my|the|a|our|your|its|new)\s+){{0,2}}(?:[\w-]+\s)?"
    rf"(?:password|passwd|pwd|passcode|passphrase|pin|login code)\b(?P<rest>.{{0,12}})|(?P<zh>[A-Za-z0-9!@#$%^&*_.+\-=~?/]{{4,100}})(?:就)?是(?:我|我们|你)?的?{_NAME_ZH}"
)
_WITH_NAME = re.compile(
    rf"(?i)\b(?:log|sign)(?:ged|s)?[ -]?in (?:as|with) \S{{2,60}} (?:with|using|and) (?P<value>{_VALUE})"
)
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
_BACKUP = re.compile(
    r"(?i)(?:(?:backup|recovery|one-time|2fa|mfa|two-factor)[- ](?:\w+[- ])?codes?|备用(?:验证)?码|恢复码|备份码)\s*(?:are|is|[:=]|是|为)?\s*(?P<value>(?:[A-Za-z0-9]{3,5}-?[A-Za-z0-9]{3,5}|\d{6,10})(?:[\s,，、]+(?:[A-Za-z0-9]{3,5}-?[A-Za-z0-9]{3,5}|\d{6,10})){0,15})"
)
_COOKIE = re.compile(
    rf"(?i)\b(?:sess(?:ion)?_?id|sid|phpsessid|jsessionid|csrftoken|auth_?token)=(?P<value>[^\s;,{BLANK}]{{12,}})"
)
_CODE_ZH = re.compile(
    rf"(?i)(?:{_NAME_ZH})[^\S\n]*(?P<value>(?<!\d)\d{{4,8}})(?!\d|[^\S\n]*[位个字天次年月分小种条元块])"
)
_SENTENCE_ZH = re.compile(
    rf"(?i){_NAME_ZH}(?:也|还|就|都|现在|已经?|暂时)?(?:设置?成了?|设为|改成了?|改为|换成了?|是|为|:|=|就是)+[:=\s]*"
    rf"(?P<value>[\"'“‘「『《][^\"'”’」』》\n{BLANK}]{{3,60}}[\"'”’」』》]|[A-Za-z0-9!@#$%^&*_.+\-=~?/]{{4,100}})(?P<next>.?)"
)
_PROSE = frozenset(
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
    "one two three four five six seven eight nine ten twelve sixteen ours theirs mine yours dead alive".split()
)
_PROSE_ENDING = re.compile(r"(?i)(?:ed|ing|able|ible|ly|ive|ful|less|ous|ment|tion|ity)$")
_HIDDEN = re.compile(
    r"^[*x•.#\-_?]+$|^[<{$%(\[].*$|^(?:os|process|env|settings|config|self|request)\b[.\[].*$", re.IGNORECASE
)
_QUOTES = "\"'`“”"
_SHORT_NUMBER = re.compile(r"^\d{1,3}$")
_UNIT = re.compile(
    r"(?i)\s*(?:characters?|chars|digits?|letters?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|bits?|bytes?|words?|tokens?"
    r"|percent|%|users?)\b"
)
_ENDS = re.compile(r"\s*(?:[.!,;。\n)]|$|and\b|please\b)")
_PASSWORD_LIKE = re.compile(r"(?i)pass|pwd|p/w|.*code$|login|pin")
_NOT_A_VALUE_ZH = frozenset("位个字天次年月分小种条")


_LONG = re.compile(r"[A-Za-z0-9_\-./+=:~%]{16}")
_NAMES_ONE = re.compile(
    r"\bpw\b|p[ ._*-]?[a@4][ ._*-]?[s$5]|kennwort|mot de|contrase|clave|senha|wachtw|lösen|has[łl]o|пароль|パスワード|暗証|비밀|sign|log|answer|答案|wi-?fi|network|pass|pwd|p/w|pin|otp|cvv|cvc|code|secret|token|cred|key|密|口令|令牌|备用|恢复码|备份码|cookie|sess|sid=|验证码|暗号|私钥|码"
)


def find_credentials(folded: Folded) -> Iterator[Span]:
    """Keys, tokens, private keys and passwords; prose that only talks about them passes."""
    if _LONG.search(folded.text):
        yield from _by_format(folded)
        yield from _by_entropy(folded)
    yield from _by_wrapping(folded)
    if _NAMES_ONE.search(folded.lower):
        yield from _by_sentence(folded)


def _by_format(folded: Folded) -> Iterator[Span]:
    for match in _FORMAT.finditer(folded.text):
        name = _FORMAT_NAMES[int(str(match.lastgroup)[1:])]
        if name not in _NEEDS_DIGIT or any(c.isdigit() for c in match[0]) or _entropy(match[0]) > 3.8:
            yield folded.span(match.start(), match.end(), "credential", name)


_NEEDS_DIGIT = frozenset({"openai-like", "pypi", "gitlab", "vault"})


_PLACES = frozenset(
    "password pass passwd pw pwd secret your_password yourpassword mypassword xxx xxxx changeme token".split()
)


def _by_wrapping(folded: Folded) -> Iterator[Span]:
    text = folded.text
    if "-----" in text:
        for match in _PEM.finditer(text):
            yield folded.span(match.start(), match.end(), "credential", "private-key")
    if "://" in text:
        for match in _URL_PASSWORD.finditer(text):
            if match[1].lower() in _PLACES:
                continue
            yield folded.span(match.start(1), match.end(1), "credential", "url-password")
    for pattern, name, cue in ((_HEADER, "header", _HEADER_CUE), (_MNEMONIC, "mnemonic", _MNEMONIC_CUE)):
        for match in pattern.finditer(text) if cue.search(folded.lower) else ():
            start, end = match.span(match.lastindex or 0)
            yield folded.span(start, end, "credential", name)


def _by_sentence(folded: Folded) -> Iterator[Span]:
    for match in _SENTENCE_EN.finditer(folded.text):
        value = match["value"].rstrip(".!?)")
        if value and _is_handed_over(
            match["name"], value, match["how"], folded.text[match.start("value") + len(value) :]
        ):
            start = match.start("value")
            yield folded.span(start, start + len(value), "credential", "sentence")
    for match in _ASSIGNMENT.finditer(folded.text):
        value = match["value"].rstrip(".!?)")
        if len(value) >= 4 and _looks_secret(value) and not _HIDDEN.match(value):
            start = match.start("value")
            yield folded.span(start, start + len(value), "credential", "assignment")
    yield from _by_place(folded)
    yield from _by_other_words(folded)
    for match in _CODE_ZH.finditer(folded.text):
        yield folded.span(match.start("value"), match.end("value"), "credential", "sentence")
    for match in _SENTENCE_ZH.finditer(folded.text):
        if (
            match["next"] not in _NOT_A_VALUE_ZH
            and match["value"].lower() not in _PROSE
            and not _HIDDEN.match(match["value"])
        ):
            yield folded.span(match.start("value"), match.end("value"), "credential", "sentence")


def _by_place(folded: Folded) -> Iterator[Span]:
    """What stands where a password or a code is given: behind a user's name, behind "backup codes are", in a cookie."""
    for pattern, name in ((_LOGIN, "login"), (_BACKUP, "backup-codes"), (_COOKIE, "cookie")):
        for match in pattern.finditer(folded.text):
            value = next(v for v in (match.groupdict().get("value"), match.groupdict().get("zh")) if v)
            start = match.start("value") if match.groupdict().get("value") else match.start("zh")
            if any(c.isdigit() for c in value) and not _HIDDEN.match(value):
                yield folded.span(start, start + len(value.rstrip(".!?)")), "credential", name)


def _by_other_words(folded: Folded) -> Iterator[Span]:
    """What is named in another language or in disguise, stands before its name, or answers for somebody."""
    for pattern in (_ABROAD, _BEFORE, _WITH_NAME, _CARD_CODE, _ANSWER, _PHRASE):
        for match in pattern.finditer(folded.text):
            groups = match.groupdict()
            part = "value" if groups.get("value") else "zh"
            value = groups[part].rstrip(".!?)")
            rest = folded.text[match.start(part) + len(value) :]
            if pattern in (_ABROAD, _BEFORE, _WITH_NAME) and not _is_password(value, groups.get("rest"), rest):
                continue
            if pattern is _ANSWER and (value.lower().split() or [""])[0] in {"", *_PROSE}:
                continue
            yield folded.span(match.start(part), match.start(part) + len(value), "credential", "sentence")


def _is_password(value: str, before: str | None, rest: str) -> bool:
    """Whether a word is one that is given away: it looks like one, or is called one and nothing follows."""
    if value.lower() in _PROSE or _HIDDEN.match(value) or _SHORT_NUMBER.match(value) or _UNIT.match(rest):
        return False
    is_called_one = before is not None and value.isalpha() and not _PROSE_ENDING.search(value) and _ENDS.match(before)
    return _looks_secret(value) or bool(is_called_one and value.lower() not in _NO_PASSWORD)


# What is said of a password, or does it: "this is my password", "that is the PIN".
_NO_PASSWORD = frozenset(
    "that this it which what here below above same thing word name else it's that's google github bcrypt argon2 keycloak".split()
)


def _is_handed_over(name: str, value: str, how: str, rest: str) -> bool:
    inner = value.strip(_QUOTES)
    if len(inner) < 3 or inner.lower() in _PROSE or _HIDDEN.match(inner):
        return False
    if inner != value or _looks_secret(inner):
        return not _SHORT_NUMBER.match(inner) and not _UNIT.match(rest)
    is_plain_word = inner.isascii() and inner.isalpha() and not _PROSE_ENDING.search(inner)
    return is_plain_word and bool(how.strip() and _PASSWORD_LIKE.match(name) and _ENDS.match(rest))


def _looks_secret(value: str) -> bool:
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    symbols = any(c in "!@#$%^&*_+=~?" for c in value)
    mixed = letters and any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return (letters and (digits or symbols)) or (digits and len(value) >= 4) or (mixed and len(value) >= 8)


def _by_entropy(folded: Folded) -> Iterator[Span]:
    for match in _AWS_SECRET.finditer(folded.text):
        if _is_random(match[0]) and "/" != match[0][0] and match[0].count("/") <= 4:
            yield folded.span(match.start(), match.end(), "credential", "aws-secret")
    for match in _TOKEN.finditer(folded.text):
        near = folded.before(match.start(), 36)
        if _TOKEN_CONTEXT.search(near) and _is_random(match[0]):
            yield folded.span(match.start(), match.end(), "credential", "token")


def _is_random(value: str) -> bool:
    kinds = sum((any(c.isdigit() for c in value), any(c.islower() for c in value), any(c.isupper() for c in value)))
    is_hex = len(value) >= 32 and all(c in "0123456789abcdefABCDEF" for c in value)
    return (
        is_hex
        or (kinds == 3 and _entropy(value) > 3.5)
        or (kinds == 2 and any(map(str.isdigit, value)) and _entropy(value) > 3.8)
    )


def _entropy(value: str) -> float:
    """Bits per character (Shannon)."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
