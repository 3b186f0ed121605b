"""Payment cards, bank accounts, and sentences about a person's money."""

import re
from collections.abc import Iterator
from itertools import pairwise

from stdnum import iban, luhn

from governance.policies.detectors.spans import BLANK, Folded, Span

_CARD = re.compile(r"(?<![A-Za-z0-9.])\d(?:[ \-.\n]{0,2}\d){11,18}(?![A-Za-z0-9]|\.\d)")
_GROUPED = re.compile(
    r"^\d{4}([ \-.]{1,2})\d{4}[ \-.]{1,2}\d{4}[ \-.]{1,2}\d{1,7}(?:[ \-.]{1,2}\d{1,3})?$|^\d{4}[ \-.]{1,2}\d{6}[ \-.]{1,2}\d{4,5}$|^\d{6}[ \-.]{1,2}\d{8,13}$"
)
# With any signs between the digits: the longest row from each group on.
_SIGNED = re.compile(rf"(?<![A-Za-z0-9.])(?=(?P<row>\d(?:(?:[^\w{BLANK}]|_){{0,3}}\d){{11,18}})(?![A-Za-z0-9]))")
_GROUP = re.compile(r"\d+")
_CARD_GROUPS = frozenset({(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4)})
_LISTING = re.compile(r"[,;]?\s+|、\s*")  # a list of years or amounts has these
_THOUSANDS = re.compile(r"\d{1,3}(?:[,.' ]\d{3})+")
_IIN = re.compile(
    r"^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|220[0-4]\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]\d|095|[689]\d\d)\d{10,15}|35(?:2[89]|[3-8]\d)\d{12,15}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}"
    r"|62\d{14,17}|8[1]\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|1\d{14}|9558\d{15}|60\d{14,17})$"
)
_CONTEXT_CARD = re.compile(
    r"card|visa|master ?card|amex|american express|discover|unionpay|diners|jcb|maestro|\bcc\b|debit|credit|payment|\bpay\b"
    r"|银行卡|信用卡|借记卡|储蓄卡|卡号|账号|帐号|银联|付款|支付|收款|刷卡"
)
_NOT_A_CARD = re.compile(
    r"order|invoice|tracking|shipment|ticket|timestamp|serial|\bsku|\bimei|订单|单号|流水|快递|物流|编号|序列号|isbn"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \-]{0,2}[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])\d(?:[ \-]?\d){6,18}(?![A-Za-z0-9])")
_CONTEXT_ACCOUNT = re.compile(
    r"bank account|account (?:number|no|#)|routing (?:number|no)|\baba\b|sort code|checking account|savings account|银行(?:账|帐)[号户]|开户|对公账户|(?:收款|打款|转账)(?:账|帐)号"
)

_AMOUNT = r"(?:[$€£¥]\s?\d[\d,.]{0,20}\s?(?:k|m|million|thousand)?|\d[\d,.]{0,20}\s?(?:k|million|thousand)?\s?(?:usd|eur|gbp|cny|rmb|dollars?|euros?|pounds?|yuan|k\b)|\d[\d,.]{0,20}\s?(?:万|千|百|亿)?(?:元|块|美元|欧元|人民币|港币)|\d[\d,.]{0,20}万)"
_FINANCE = re.compile(
    rf"\b(?:salary|income|wages?|savings|net worth|mortgage|debts?|loans?|credit score|bonus|pension|401k|alimony|earn(?:s|ed|ing)?|overdraft|investments?|portfolio|bank balance|in the bank|credit card debt|owe[sd]?|inherit\w*)\b[^.!?\n]{{0,60}}?{_AMOUNT}"
    rf"|{_AMOUNT}[^.!?\n]{{0,40}}?\b(?:salary|income|in savings|in debt|mortgage|net worth|a year before tax|per year|annually|a month after tax|loan|in the bank)\b"
    r"|\bcredit score\b[^.!?\n]{0,30}?\d{3}|\b(?:bankrupt(?:cy)?|foreclosure|in debt|payday loan|garnish\w*|debt collector\w*|behind on (?:the|my|our) (?:mortgage|rent|loan))\b"
)
_FINANCE_ZH = re.compile(
    rf"(?:年薪|月薪|工资|薪水|薪资|收入|存款|积蓄|房贷|车贷|贷款|负债|欠款|欠了|资产|信用评分|信用分|信用卡欠|公积金|理财|股票|奖金)[^。！？!?\n]{{0,16}}?(?:{_AMOUNT}|\d[\d,.]{{0,20}}分|\d{{3,}})"
    r"|\d{3}分?的?[\u4e00-\u9fff]{0,4}信用评分|交易(?:参考|备注|信息|明细)[^。！？!?\n]{0,24}"
    r"|信用评分[^。！？\n]{0,8}?\d{3}|(?:交易记录|转账记录|银行流水|资金划转|转账)[^。！？!?\n]{0,24}|破产|被催收|网贷"
)
_DIGIT = re.compile(r"\d")


def find_money(folded: Folded) -> Iterator[Span]:
    """Cards (Luhn, known issuer range, context or grouped form), bank accounts, and personal finances."""
    if _DIGIT.search(folded.text):
        yield from _cards(folded)
        yield from _accounts(folded)
    for pattern in (_FINANCE, _FINANCE_ZH):
        for match in pattern.finditer(folded.lower):
            yield folded.span(*match.span(), "finance", "finances")


def _cards(folded: Folded) -> Iterator[Span]:
    for match in _CARD.finditer(folded.text):
        for start, end in _card_windows(match):
            digits = re.sub(r"\D", "", folded.text[start:end])
            if luhn.is_valid(digits) and len(set(digits)) > 1 and _is_card(folded, start, end, digits):
                yield folded.span(start, end, "card", "card")
                break
    for match in _SIGNED.finditer(folded.text):
        groups = list(_GROUP.finditer(folded.text, *match.span("row")))
        named = _names_a_card(folded, *match.span("row"))
        for last in range(len(groups) if named else min(5, len(groups)), 1, -1):
            if _is_signed_card(folded, groups[:last], named):
                yield folded.span(groups[0].start(), groups[last - 1].end(), "card", "card")
                break


def _card_windows(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The whole run, then without a trailing group (an expiry date or a code written behind the number)."""
    yield match.span()
    parts = re.split(r"[ \-.\n]+", match[0])
    for drop in range(1, min(3, len(parts))):
        rest = match[0].rsplit(parts[-drop], 1)[0].rstrip(" -.\n")
        if 12 <= len(re.sub(r"\D", "", rest)):
            yield match.start(), match.start() + len(rest)


def _is_card(folded: Folded, start: int, end: int, digits: str) -> bool:
    if _CONTEXT_CARD.search(folded.around(start, end, before=50)) and digits[0] != "0":
        return not _NOT_A_CARD.search(folded.before(start, 16))
    if _IIN.match(digits) is None:
        return False
    alone = not folded.text[:start].strip() and not folded.text[end:].strip()
    return (
        alone
        or bool(_GROUPED.match(folded.text[start:end]))
        or (len(digits) >= 15 and not _NOT_A_CARD.search(folded.around(start, end, before=30, after=10)))
    )


def _is_signed_card(folded: Folded, groups: list[re.Match[str]], named: bool) -> bool:
    """Whether groups of digits make a card: in its usual groups, between them one sign or beside a word for it."""
    digits = "".join(group[0] for group in groups)
    if _IIN.match(digits) is None or not luhn.is_valid(digits) or len(set(digits)) == 1:
        return False
    signs = {folded.text[left.end() : right.start()] for left, right in pairwise(groups)}
    is_grouped = tuple(len(group[0]) for group in groups) in _CARD_GROUPS
    is_even = len(signs) == 1 and not _THOUSANDS.fullmatch(folded.text, groups[0].start(), groups[-1].end())
    return (named and (is_grouped or is_even)) or (is_grouped and is_even and not _LISTING.fullmatch(min(signs)))


def _names_a_card(folded: Folded, start: int, end: int) -> bool:
    is_named = _CONTEXT_CARD.search(folded.around(start, end, before=50)) is not None
    return is_named and not _NOT_A_CARD.search(folded.before(start, 16))


def _accounts(folded: Folded) -> Iterator[Span]:
    for match in _IBAN.finditer(folded.text):
        for text in _iban_forms(match[0]):
            if iban.is_valid(text, check_country=False):
                yield folded.span(match.start(), match.start() + len(text), "bank_account", "iban")
                break
    for match in _ACCOUNT.finditer(folded.text):
        if _CONTEXT_ACCOUNT.search(folded.before(match.start(), 30)):
            yield folded.span(*match.span(), "bank_account", "account")


def _iban_forms(text: str) -> Iterator[str]:
    """The run, then shortened word by word: prose may follow a number written with spaces."""
    yield text
    while " " in text:
        text = text.rsplit(" ", 1)[0].rstrip()
        yield text
