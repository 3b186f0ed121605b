"""Credentials by their format, by what they are wrapped in, and by how random they are."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from governance.policies.detectors.passwords import given_away
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


_LONG = re.compile(r"[A-Za-z0-9_\-./+=:~%]{16}")


def find_credentials(folded: Folded) -> Iterator[Span]:
    """Keys, tokens, private keys and passwords; prose that only talks about them passes."""
    if _LONG.search(folded.text):
        yield from _by_format(folded)
        yield from _by_entropy(folded)
    yield from _by_wrapping(folded)
    yield from given_away(folded)


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
