"""Telephone numbers, e-mail and network addresses, postal addresses, dates of birth."""

import ipaddress
import re
from collections.abc import Iterator

import phonenumbers

from governance.policies.detectors.spans import Folded, Span

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9\-]{0,22}[A-Za-z0-9]"
)
_INTERNATIONAL = re.compile(r"(?<![\w+])(?:\+|00(?=[1-9]))[ ]?(?:\(?\d{1,4}\)?)(?:[ \-./()]{0,2}\d){5,14}(?![\w])")
_CN_MOBILE = re.compile(
    r"(?<![A-Za-z0-9+])(?:\+?86[ \-.]{0,2}|0086[ \-.]{0,2}|\(\+?86\)[ ]?)?1[ \-.]{0,2}[3-9](?:[ \-.]{0,2}\d){9}(?![A-Za-z0-9])(?!\.\d)"
)
_CN_LANDLINE = re.compile(
    r"(?<![A-Za-z0-9\-])\(?0(?:10|2\d|[3-9]\d{2})\)?[ \-]{0,2}\d{3,4}[ \-]?\d{4}(?:(?:转|-|x|ext\.?) ?\d{1,5})?(?![A-Za-z0-9\-])"
)
_CN_SERVICE = re.compile(r"(?<![A-Za-z0-9\-])400[ \-]?\d{3,4}[ \-]?\d{3,4}(?![A-Za-z0-9\-])")
_US = re.compile(
    r"(?<![\w\-.+])(?:\+?1[ \-.]?)?(?:\([2-9]\d{2}\)[ \-.]?|[2-9]\d{2}([\-. ]))[2-9]\d{2}[\-. ]\d{4}(?:[ ]?(?:x|ext\.?|#)[ ]?\d{1,5})?(?![\w\-]|\.\d)"
)
_NATIONAL = re.compile(
    r"(?<![\w+.\-])\(?\d{1,5}\)?(?:[ \-./]{0,2}\(?\d{1,5}\)?){1,6}(?:[ ]?(?:x|ext\.?)[ ]?\d{1,5})?(?![\w\-]|\.\d)"
)
_CONTEXT_PHONE = re.compile(
    r"phone|\btel\b|telephone|\bcall\b|calling|mobile|\bcell|\bfax\b|whatsapp|\btext me|\bsms\b|hotline|reach (?:me|us|him|her|them) (?:at|on)|dial|contact|answering at|messages? (?:to|on|from)|(?:my|his|her|registered) number|registered"
    r"|电话|手机|手机号|联系方式|传真|致电|来电|座机|拨打|微信|联系人|联系"
)
_LABEL_AFTER = re.compile(r"[ \-,;:(\\]{0,3}(?:office|fax|mobile|cell|home|work|tel|phone|电话|手机|传真)")
# A text that is nothing but a national number with its trunk prefix, or ten digits in the usual groups.
_ALONE = re.compile(
    r"0[ ]?\(?\d{3}\)?[ ]?\d{3}[ ]?\d{2}[ ]?\d{2}|0[ ]?\(?\d{3}\)?[ ]?\d{7}|0\d{10}|[45]\d{2} \d{3} \d{2} \d{2}"
)
_NOT_A_PHONE = re.compile(
    r"order|invoice|tracking|serial|ticket|订单|单号|编号|流水|快递|物流|身份证|证件|护照|card|卡号|账号|\bid\b|isbn|version|issue|pr #|zip|postcode"
    r"|不是(?:手机|电话)"
)
_IPV4 = re.compile(r"(?<![\w.\-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w\-]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%[A-Za-z0-9]+)?(?![\w:])"
)
_NOT_AN_IP = re.compile(r"version|\bv$|release|版本|python|chrome|build|section|§")

_STREET = (
    r"(?:street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|ter|way|highway|hwy|parkway|pkwy"
    r"|crescent|close|alley|trail|loop|circle|cir|plaza|row|walk|quay|mews|gardens|grove|hill|pike|route)"
)
_ADDRESS_EN = re.compile(
    rf"(?<![\w.$€£#])\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}})?,?\s(?:(?:north|south|east|west|n|s|e|w|ne|nw|se|sw)\.?\s)?"
    rf"(?:(?-i:[A-Z0-9])[\w'’.\-]*\s){{1,4}}{_STREET}\b\.?"
    r"(?:,?\s(?:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|bldg|#)\.?\s?#?[\w\-]{1,6})?"
    r"(?:[,\n]?\s?(?-i:[A-Z])[A-Za-z.'\-]+(?:\s(?-i:[A-Z])[A-Za-z.'\-]+){0,2},?\s(?-i:[A-Z]{2})\b)?(?:[,\s]+\d{4,5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
_PO_BOX = re.compile(r"\bp\.?\s?o\.?\s?box\s\d{1,6}\b")
_ADDRESS_NAMED = re.compile(
    r"\b(?:my|our|his|her|their|the guest's|home|mailing|postal|billing|delivery|shipping|new|current|work|office)\s(?:\w+\s)?address\s?(?:is|:|=|of\s\w+\sis)\s?(?=[^\n.;]{0,60}\d)(?P<place>[^\n;。]{6,90})"
    r"|\b(?:i|we|he|she|they)(?:'m| am| are)?\s(?:live|lives|reside|resides|living)\s(?:at|in)\s(?P<home>\d{1,5}\s[^\n.;]{4,80})"
)
_ADDRESS_ZH = re.compile(
    r"(?:[\u4e00-\u9fff]{2,8}(?:省|自治区|特别行政区))?(?:[\u4e00-\u9fff]{2,8}?(?:市|地区|自治州|盟))?(?:[\u4e00-\u9fff]{1,8}?(?:区|县|旗|镇|乡|街道))?"
    r"[\u4e00-\u9fff]{1,10}(?:路|街|道|巷|弄|胡同|大道|里|村|社区|小区|花园|苑|公寓|大厦|广场|新村|家园)"
    r"(?:[东西南北中]?[一二三四五六七八九十\d]{0,3}段)?[ ]?(?:[\dA-Za-z]{1,6}(?:-\d{1,4})*|[一二三四五六七八九十]{1,4})[ ]?(?:号院?|弄|幢|栋|座|楼|室|单元|村|组|队)"
    r"(?:[ ,]?[\dA-Za-z一二三四五六七八九十]{1,5}(?:-\d{1,4})*(?:号楼?|幢|栋|座|楼|层|室|单元|户|门))*"
)
_DATE = (
    r"(?:\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}|\d{4}年\d{1,2}月(?:\d{1,2}[日号]?)?|\d{4}[-/. ]\d{1,2}(?!\d)|\d{1,2}月\d{1,2}[日号]|\d{1,2}-\d{1,2}(?!\d)"
    r"|(?:[零〇一二三四五六七八九]{2,4}年)?(?:农历)?(?:正|腊|[一二三四五六七八九十]{1,2})月(?:初)?[一二三四五六七八九十廿]{1,3}[日号]?"
    r"|(?:19|20)\d{2},? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2})?"
    r"|(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?:\sof)?\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:\s\d{1,2}(?:st|nd|rd|th)?)?(?:,?\s\d{4})?|\d{8})"
)
_BIRTH = re.compile(
    rf"(?:\bborn(?:\son|\sin)?(?:\sthe)?|\bdate of birth|\bbirth ?da(?:te|y)|\bd\.?o\.?b\b\.?|出生(?:日期|年月日?|于|在)?|生日|生于|day of birth)(?: ?\([^)\n]{{1,16}}\))?(?:'s)?[ :=,()]{{0,3}}(?:is|was|on|falls on(?: the)?|是|为|在)?[ :]{{0,2}}({_DATE})(?:日?出生)?"
    rf"|({_DATE})[日号]?(?:出生|生人|生的)"
)


_NUMBERED = re.compile(r"\d|::")


def find_contacts(folded: Folded) -> Iterator[Span]:
    """Ways to reach or find a person. Phones: international form always, national form with a word for it."""
    if "@" in folded.text:
        for match in _EMAIL.finditer(folded.text):
            yield folded.span(*match.span(), "email", "email")
    if _NUMBERED.search(folded.text):
        yield from _phones(folded)
        yield from _networks(folded)
    if _NUMBERED.search(folded.text) or "号" in folded.text:
        yield from _addresses(folded)
    for match in _BIRTH.finditer(folded.lower):
        yield folded.span(*match.span(match.lastindex or 0), "birth_date", "birth-date")


def _phones(folded: Folded) -> Iterator[Span]:
    text = folded.text
    for match in _INTERNATIONAL.finditer(text):
        if _is_international(match[0]):
            yield folded.span(*match.span(), "phone", "international")
    for pattern, name in (
        (_CN_MOBILE, "cn-mobile"),
        (_US, "us"),
        (_CN_LANDLINE, "cn-landline"),
        (_CN_SERVICE, "cn-service"),
    ):
        for match in pattern.finditer(text):
            if _IPV4.fullmatch(match[0]) is None and not _denied(folded, match):
                yield folded.span(*match.span(), "phone", name)
    for match in _NATIONAL.finditer(text):
        if 7 <= sum(map(str.isdigit, match[0])) <= 13 and _is_national(folded, match):
            yield folded.span(*match.span(), "phone", "national")


def _is_national(folded: Folded, match: re.Match[str]) -> bool:
    """Whether the words before name a phone, and nothing nearer names another number."""
    named = _CONTEXT_PHONE.search(folded.before(match.start(), 30)) or _LABEL_AFTER.match(folded.lower, match.end())
    named = named or (_ALONE.fullmatch(folded.text.strip()) if match[0].strip() == folded.text.strip() else None)
    other = _NOT_A_PHONE.search(folded.before(match.start(), 20)) or re.match(r"\d{4}-\d\d-\d\d", match[0])
    return named is not None and other is None


def _denied(folded: Folded, match: re.Match[str]) -> bool:
    """Whether the words around it say that the digits are something else."""
    return (
        bool(_NOT_A_PHONE.search(folded.before(match.start(), 14)))
        or "不是" in folded.lower[match.end() : match.end() + 4]
    )


def _is_international(text: str) -> bool:
    digits = "+" + re.sub(r"\D", "", text).removeprefix("00")
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(digits, None))
    except phonenumbers.NumberParseException:
        return False


def _networks(folded: Folded) -> Iterator[Span]:
    for match in _IPV4.finditer(folded.text):
        if not _NOT_AN_IP.search(folded.before(match.start(), 12)):
            yield folded.span(*match.span(), "ip_address", "ipv4")
    if folded.text.count(":") < 2:
        return
    for match in _IPV6.finditer(folded.text):
        try:
            ipaddress.IPv6Address(match[0])
        except ValueError:
            continue
        yield folded.span(*match.span(), "ip_address", "ipv6")


def _addresses(folded: Folded) -> Iterator[Span]:
    for match in _ADDRESS_EN.finditer(folded.text):
        yield folded.span(*match.span(), "address", "street")
    for match in _PO_BOX.finditer(folded.lower):
        yield folded.span(*match.span(), "address", "po-box")
    for match in _ADDRESS_NAMED.finditer(folded.lower):
        yield folded.span(*match.span(match.lastgroup or 0), "address", "named")
    for match in _ADDRESS_ZH.finditer(folded.text):
        yield folded.span(*match.span(), "address", "cn-address")
