"""National identity numbers and passports: shape, check digit and the words around them."""

import re
from collections.abc import Iterator
from datetime import date
from types import ModuleType

from stdnum import luhn
from stdnum.au import tfn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ca import sin
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar, pan
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.se import personnummer
from stdnum.th import pin
from stdnum.tr import tckimlik
from stdnum.us import itin, ssn
from stdnum.za import idnr as za_idnr

from governance.policies.detectors.spans import BLANK, Folded, Span

_GAP = r"[\s\-._/,|+()]{0,2}"
_CONTEXT_CN = re.compile(
    r"身份证|身份号|身分证|证件号|证号|居民证|公民身份|身份信息|身份编号"
    r"|\bid\b|\bid[ -]?(?:card|number|no)|identity|national|resident|\bids\b|\bsfz"
)
_NOT_CN = re.compile(
    r"订单|单号|流水|物流|快递|编号(?<!身份编号)|统一社会信用|order|tracking|invoice|serial|timestamp|银行卡|卡号|账号"
)
_CN_18 = re.compile(rf"(?<![A-Za-z0-9])[1-9](?:{_GAP}\d){{16}}{_GAP}[\dXx](?![A-Za-z0-9])")
_CN_15 = re.compile(rf"(?<![A-Za-z0-9])[1-9](?:{_GAP}\d){{14}}(?![A-Za-z0-9])")
_PROVINCES = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83".split()
)

_SSN = re.compile(r"(?<![\w\-.])(?!000|666|9\d\d)\d{3}([-. ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w\-]|\.\d)")
_SSN_BARE = re.compile(r"(?<![\w\-.])\d{9}(?![\w\-]|\.\d)|(?<![\w\-.])\d{3}[-. /]?\d{2}[-. /]?\d{4}(?![\w\-]|\.\d)")
_CONTEXT_SSN = re.compile(
    r"\bssns?\b|social[ -]security|\bsoc(?:ial)? ?(?:sec|#)|社会安全号|社保号|社会保障号|\bitin\b|taxpayer"
)
_NOT_SSN = re.compile(r"order|invoice|tracking|ticket|part|model|phone|call|tel\b|订单|单号|电话|zip")

_RULES: tuple[tuple[str, ModuleType, str, str], ...] = (
    # name, check, shape, context words
    ("uk-nhs", nhs, r"\d(?:[ \-]?\d){9}", r"\bnhs\b|health service"),
    ("ca-sin", sin, r"\d{3}[ \-]?\d{3}[ \-]?\d{3}", r"\bsin\b|social insurance"),
    ("au-tfn", tfn, r"\d{3}[ \-]?\d{3}[ \-]?\d{2,3}", r"\btfn\b|tax file"),
    ("in-aadhaar", aadhaar, r"[2-9]\d{3}[ \-:]?\d{4}[ \-:]?\d{4}", r"aadhaar|aadhar|\buidai?\b"),
    ("in-pan", pan, r"[A-Za-z]{5}\d{4}[A-Za-z]", r"\bpan\b|permanent account"),
    ("de-idnr", idnr, r"\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}", r"steuer|tax id|identifikationsnummer|\bidnr\b|\btin\b"),
    ("es-dni", dni, r"\d{8}[ \-]?[A-Za-z]", r"\bdni\b|\bnif\b|documento nacional|spanish id|identity|\bid\b"),
    ("es-nie", nie, r"[XYZxyz][ \-]?\d{7}[ \-]?[A-Za-z]", r"\bnie\b|extranjero|foreigner|identity|\bid\b"),
    (
        "fi-hetu",
        hetu,
        r"\d{6}[+\-ABCDEFYXWVUabcdefyxwvu]\d{3}[0-9A-Ya-y]",
        r"hetu|henkil|personal identity|identity|\bid\b",
    ),
    ("fr-nir", nir, r"[12][ ]?\d{2}[ ]?\d{2}[ ]?[\dAB]{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}", r"\bnir\b|s[eé]cu|insee|social"),
    ("it-cf", codicefiscale, r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]", r"."),
    ("kr-rrn", rrn, r"\d{6}-?[1-8]\d{6}", r"\brrn\b|resident|주민"),
    ("mx-curp", curp, r"[A-Za-z]{4}\d{6}[HMhm][A-Za-z]{5}[A-Za-z0-9]\d", r"."),
    ("pl-pesel", pesel, r"\d{11}", r"pesel"),
    ("se-personnummer", personnummer, r"(?:\d{2})?\d{6}[\-+]?\d{4}", r"personnummer|swedish|identity number"),
    ("th-pin", pin, r"\d-?\d{4}-?\d{5}-?\d{2}-?\d", r"thai|บัตรประชาชน|national id"),
    ("tr-tckn", tckimlik, r"\d{11}", r"\bt\.?c\.?\b|kimlik|turkish"),
    ("za-id", za_idnr, r"\d{13}", r"south africa|\brsa\b|\bid\b|identity"),
    ("br-cpf", cpf, r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", r"\bcpf\b"),
    ("nl-bsn", bsn, r"\d{9}", r"\bbsn\b|burgerservice"),
    ("be-nn", nn, r"\d{2}\.?\d{2}\.?\d{2}[\-.]?\d{3}[\-.]?\d{2}", r"rijksregister|registre national|national number"),
    ("dk-cpr", cpr, r"\d{6}-?\d{4}", r"\bcpr\b|personnummer"),
    ("no-fnr", fodselsnummer, r"\d{6} ?\d{5}", r"f[oø]dselsnummer|\bfnr\b|personnummer"),
    ("us-itin", itin, r"9\d{2}[ \-]?\d{2}[ \-]?\d{4}", r"\bitin\b|taxpayer"),
)
_OTHERS = tuple(
    (name, module, re.compile(rf"(?<![\w\-]){shape}(?![\w\-])"), re.compile(context))
    for name, module, shape, context in _RULES
)
_SHAPED = (
    # no check digit, but a shape of their own and a word that names them
    (
        "uk-nino",
        re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Za-ceghj-pr-tw-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d](?!\w)"),
        r"\bnino?\b|national insurance",
    ),
    (
        "sg-nric",
        re.compile(r"(?<!\w)[STFGMstfgm]\d{7}[A-Za-z](?!\w)"),
        r"nric|\bfin\b|singapore|\bic\b|identity|身份证",
    ),
    ("hk-hkid", re.compile(r"(?<!\w)[A-Za-z]{1,2}\d{6} ?[(（]?[\dAa][)）]?(?!\w)"), r"hkid|hong kong|香港|身份证"),
    ("tw-id", re.compile(r"(?<!\w)[A-Za-z][12]\d{8}(?!\w)"), r"taiwan|台湾|身[分份]证"),
    (
        "driver-license",
        re.compile(r"(?<!\w)(?=[A-Za-z0-9\-]{0,14}\d{4})[A-Za-z0-9][A-Za-z0-9\-]{5,17}(?!\w)"),
        r"driv(?:er'?s?|ing) licen[cs]e|驾驶证号|驾照号",
    ),
)
_OTHERS_SHAPED = tuple((name, shape, re.compile(context)) for name, shape, context in _SHAPED)

_PASSPORT = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,3}[ \-]?\d{6,9}|\d{8,9}|[A-Za-z]\d{2}[A-Za-z]{2}\d{4}|\d{2}[A-Za-z]{2}\d{5}|[A-Za-z]\d{3}[A-Za-z]\d{4}|[A-Za-z]\d{2}[A-Za-z]\d{2}[A-Za-z]\d{2})(?![A-Za-z0-9])"
)
_PASSPORT_CN = re.compile(r"(?<![A-Za-z0-9])(?:[EeGgDdSsPpHh]\d{8}|[Ee][A-Ha-hJ-Nj-nP-Zp-z]\d{7})(?![A-Za-z0-9])")
# With no word for it, the shapes that few other things have; a German one needs its check digit.
_PASSPORT_ALONE = re.compile(
    r"(?i)[ACDEGHMOPRS]\d{8}|[A-Z]{2}\d{7}|[A-LN-PR-WY][1-9]\d{5}[1-9]|[A-Z]{3}\d{6}|[MSROD]\d{3}[A-Z]\d{4}"
)
_PASSPORT_DE = re.compile(r"(?i)[CFGHJKLMNPRTVWXYZ](?:\d{8}|\d{2}[A-Z]\d{2}[A-Z]\d{2})")
_CONTEXT_PASSPORT = re.compile(
    r"passport|여권|pass-?nr|pass no|护照|通行证|reisepass|pasaporte|passeport|travel document"
)
# Behind the word for it, a number in parts: each with a digit in it, or a few capital letters.
_NAMED = re.compile(
    rf"(?:{_CONTEXT_PASSPORT.pattern})(?P<between>[^\d.;!?\n{BLANK}]{{0,30}}?)"
    r"(?<![a-z\d])(?P<parts>[a-z]{0,3}\d[a-z\d]{0,8}(?:[ \-./_,|]{1,2}[a-z\d]{1,9}){1,12}(?![a-z\d])|[a-z]{1,3}(?:[ \-./_,|]{1,2}[a-z\d]{1,9}){1,12}(?![a-z\d]))"
)
_PART = re.compile(r"[A-Za-z\d]+")
_NO_NUMBER = re.compile(r"office|phone|\bcall|\btel\b|photo|\bfees?\b|order|costs?\b|control|电话|订单|照片|办理费")
_DATES = re.compile(
    r"(?:19|20)\d\d\W{1,2}(?:(?:19|20)\d\d|\d{1,2}\W{1,2}\d{1,2})|\d{1,2}\W{1,2}\d{1,2}\W{1,2}(?:19|20)\d\d"
)
_MRZ = re.compile(
    r"(?<![A-Z0-9<])[PIAC][A-Z<][A-Z]{3}[A-Z<]{20,39}|(?<![A-Z0-9<])[A-Z0-9<]{9}\d[A-Z]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{10,16}"
)
_DIGIT = re.compile(r"\d")


def find_identity(folded: Folded) -> Iterator[Span]:
    """National ids and passport numbers. China: with the right check digit anywhere, without it beside a word for it."""
    if _DIGIT.search(folded.text) is None:
        return
    yield from _chinese(folded)
    yield from _american(folded)
    yield from _other_countries(folded)
    yield from _passports(folded)


def _chinese(folded: Folded) -> Iterator[Span]:
    for match in _CN_18.finditer(folded.text):
        digits = re.sub(r"[^\dXx]", "", match[0]).upper()
        named = _CONTEXT_CN.search(folded.around(*match.span(), before=60)) is not None
        if (
            _plausible_cn(digits)
            and (named or _sound_cn(digits))
            or named
            and _CONTEXT_CN.search(folded.before(match.start(), 16))
            and not luhn.is_valid(digits)
        ):
            yield folded.span(*match.span(), "national_id", "cn-resident-id")
    for match in _CN_15.finditer(folded.text):
        digits = re.sub(r"\D", "", match[0])
        if digits[:2] in _PROVINCES and _date(f"19{digits[6:12]}") and _CONTEXT_CN.search(folded.before(match.start())):
            yield folded.span(*match.span(), "national_id", "cn-resident-id-15")


def _plausible_cn(digits: str) -> bool:
    return digits[:2] in _PROVINCES and _date(digits[6:14])


def _sound_cn(digits: str) -> bool:
    """The check digit of GB 11643-1999."""
    return ric.calc_check_digit(digits) == digits[-1]


def _date(digits: str) -> bool:
    try:
        return 1890 <= date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])).year <= 2050
    except ValueError:
        return False


_ITIN = re.compile(r"(?<![\w\-.])9\d{2}[- ]?(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])[- ]?\d{4}(?![\w\-]|\.\d)")


def _american(folded: Folded) -> Iterator[Span]:
    for match in _ITIN.finditer(folded.text):
        if re.search(r"\D", match[0]) and not _NOT_SSN.search(folded.before(match.start(), 24)):
            yield folded.span(*match.span(), "national_id", "us-itin")
    for match in _SSN.finditer(folded.text):
        named = _CONTEXT_SSN.search(folded.around(*match.span(), before=50)) is not None
        sound = ssn.is_valid(re.sub(r"\D", "", match[0])) and not _NOT_SSN.search(folded.before(match.start(), 24))
        if named or sound:
            yield folded.span(*match.span(), "national_id", "us-ssn")
    for match in _SSN_BARE.finditer(folded.text):
        if _CONTEXT_SSN.search(folded.before(match.start(), 40)):
            yield folded.span(*match.span(), "national_id", "us-ssn")


def _other_countries(folded: Folded) -> Iterator[Span]:
    for name, module, shape, context in _OTHERS:
        if context.search(folded.lower) is None:
            continue
        for match in shape.finditer(folded.text):
            if context.search(folded.around(*match.span(), before=60)) and module.is_valid(match[0]):
                yield folded.span(*match.span(), "national_id", name)
    for name, shape, context in _OTHERS_SHAPED:
        if context.search(folded.lower) is None:
            continue
        for match in shape.finditer(folded.text):
            if context.search(folded.before(match.start(), 50)):
                yield folded.span(*match.span(), "national_id", name)


def _passports(folded: Folded) -> Iterator[Span]:
    for match in _PASSPORT.finditer(folded.text):
        if _CONTEXT_PASSPORT.search(folded.around(*match.span(), before=50, after=28)):
            yield folded.span(*match.span(), "passport", "passport")
    for match in _NAMED.finditer(folded.lower):
        if not _NO_NUMBER.search(match["between"]):
            yield from _in_parts(folded, *match.span("parts"))
    for match in _PASSPORT_CN.finditer(folded.text):
        if match[0][0].isupper() and not _NOT_CN.search(folded.before(match.start(), 16)):
            yield folded.span(*match.span(), "passport", "cn-passport")
    alone = folded.text.strip()
    if _PASSPORT_ALONE.fullmatch(alone) or _sound_german(alone):
        yield folded.span(0, len(folded.text), "passport", "alone")
    for match in _MRZ.finditer(folded.text):
        if "<" in match[0]:
            yield folded.span(*match.span(), "passport", "machine-readable-zone")


def _in_parts(folded: Folded, start: int, end: int) -> Iterator[Span]:
    """The longest row of parts that makes one number."""
    parts = list(_PART.finditer(folded.text, start, end))
    rows = ((first, last) for first in range(len(parts)) for last in range(len(parts) - 1, first, -1))
    for first, last in rows:
        row = parts[first : last + 1]
        written = folded.text[row[0].start() : row[-1].end()]
        is_number = all(any(c.isdigit() for c in m[0]) or m[0].isupper() for m in row)
        if is_number and _PASSPORT.fullmatch("".join(m[0] for m in row)) and not _DATES.fullmatch(written):
            yield folded.span(row[0].start(), row[-1].end(), "passport", "passport")
            return


def _sound_german(number: str) -> bool:
    """The check digit of ICAO 9303: weights 7, 3, 1."""
    if not _PASSPORT_DE.fullmatch(number):
        return False
    total = sum(int(c, 36) * weight for c, weight in zip(number[:8], (7, 3, 1, 7, 3, 1, 7, 3), strict=True))
    return total % 10 == int(number[8])
