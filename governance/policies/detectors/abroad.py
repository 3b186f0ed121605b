"""Passwords that a sentence gives away in other languages: Chinese first, and names in disguise."""

import re
from collections.abc import Iterator

from governance.policies.detectors.giving import HIDDEN, PROSE, QUOTES, is_password, is_plain_abroad, looks_secret
from governance.policies.detectors.spans import BLANK, LOOK_ALIKE, Folded, Span

_NAME_ZH = (
    r"(?:(?:登录|支付|银行卡?|开机|解锁|管理员|数据库|账户|账号|邮箱|无线|网络|交易|取款|门禁|手机|电脑|wifi|wi-fi|root)?(?:密码|口令|密钥|秘钥|令牌|验证码|暗号)"
    r"|私钥|通行码|动态码|安全码|门禁码|开门码|pin码?)"
)
_ASCII = r"[A-Za-z0-9!@#$%^&*_.+\-=~?/]"
_MEANWHILE = (
    r"(?:也|还|就|都|全|总|现在|已经?|暂时|一直|一向|始终|永远|从来|总是|仍然?|依然|原来|以前|之前|目前|其实|应该|大概|好像|可能|默认|通常"
    r"|一般|平时|今后|以后|刚刚?|刚才|今天|昨天|后来|最后|统一|我|我们|帮我|请|被|给){0,4}"
)
_IS_ZH = r"(?:设置?成了?|设为|改成了?|改为|换成了?|是|为|:|=|就是|叫|用的?是?)"
_COUNTED = r"(?:[一二三四五六七八九十两\d]{1,2}[位个][\u4e00-\u9fff]{0,4}[\s,:]*)?"
_CODE_ZH = re.compile(rf"(?i){_NAME_ZH}[^\S\n]*(?P<value>(?<!\d)\d{{4,8}})(?!\d|[^\S\n]*[位个字天次年月分小种条元块])")
_SENTENCE_ZH = re.compile(
    rf"(?i){_NAME_ZH}{_MEANWHILE}{_IS_ZH}+[:=\s]*{_COUNTED}"
    rf"(?P<value>[\"'“‘「『《][^\"'”’」』》\n{BLANK}]{{3,60}}[\"'”’」』》]|{_ASCII}{{4,100}}|[〇零一二三四五六七八九两幺]{{4,12}})(?P<next>.?)"
)
_CLAUSE_END = r"(?=\s*(?:[。!?！？,，;；.\n\"”]|$))"
# Characters with digits behind them; characters alone, when it is said whose password they are.
_CHARACTERS_ZH = re.compile(
    rf"(?i)(?P<mine>(?:我|我们|咱们?|他|她|家里?)的?[\u4e00-\u9fffA-Za-z-]{{0,6}}?)?{_NAME_ZH}{_MEANWHILE}{_IS_ZH}[:=\s]*"
    rf"(?P<value>(?P<characters>[\u4e00-\u9fff]{{1,8}})(?P<digits>{_ASCII}{{0,40}})){_CLAUSE_END}"
)
_SAID_ZH = re.compile(
    r"[的了吗呢吧啊是不没有在我你他她它们这那哪什么怎谁几必须可以能会要应该很太最都也还就被把给让用从到和与或及一位个天年月日点分秒字数母符号"
    r"长短强弱新旧空对错]|安全|正确|过期|失效|随机|默认|自动|保密|加密|明文|相同|生日|名字|电话|号码|手机|信息|凭证|关键|重要|管理|记不|忘"
)
_BEFORE_ZH = re.compile(
    rf"(?i)(?P<value>{_ASCII}{{4,100}})(?:(?:就)?是(?:我|我们|你)?的?|\s*(?:这个|这串|这组|作为|做为|当成|当作|当|做|作|为)(?:我的?|我们的|新的?)?)"
    rf"{_NAME_ZH}(?!管理|本|箱|学|工具|生成|规则|策略|机|库|服务|验证|加密|输入)"
)
_FROM_TO_ZH = re.compile(
    rf"(?i){_NAME_ZH}{_MEANWHILE}[从由]\s*(?P<old>{_ASCII}{{4,100}})\s*(?:改|换|变|更新|更改|修改)[成为到]了?\s*(?P<new>{_ASCII}{{4,100}})"
)
_NOT_A_VALUE_ZH = frozenset("位个字天次年月分小种条")

_SPACED_OUT = r"p[ ._*-]a[ ._*-]s[ ._*-]s[ ._*-]?w[ ._*-]o[ ._*-]r[ ._*-]d|p[a@4][s$5]{2}w[o0]rd|pass ?w[o0]rd|pw|passcode|passphrase"
# Beside a Latin letter Cyrillic is read as what it looks like: then the name is written so too.
_CYRILLIC = "|".join(
    name for word in ("пароль", "пароля", "пин-код", "пинкод") for name in (word, word.translate(LOOK_ALIKE))
)
_NAME = (
    rf"(?:{_SPACED_OUT}|passwort|kennwort|mot de passe|contrase[nñ]a|clave(?: de acceso)?|senha|wachtwoord|lösenord|passord|adgangskode|"
    rf"has[łl]o|heslo|salasana|jelszó|şifrem?|{_CYRILLIC}|パスワード|暗証番号|비밀번호|wi-?fi (?:key|password)|network key|"
    r"(?:log ?in|account) (?:code|secret))"
)
_VALUE = rf"[^\s,;，。；、\"'`{BLANK}]{{4,100}}"
_ABROAD = re.compile(
    rf"(?i)(?P<mine>\b(?:mein|mon|mi|minha|mijn|mitt|min|moje|mój|mia|la mia|мой|моя|наш|unser|notre|nuestra) (?:[\w-]+[ -])?)?(?<![^\W_])(?P<name>{_NAME})"
    rf"(?:\s+(?:for|to|of|für|pour|de|del|do|для|от)\s+[^\n.,;:={BLANK}]{{1,30}}?)?"
    rf"(?P<how>\s*(?:=>|->|[:=?？])\s*|\s+-+\s+|['’]s\s+|\s+(?:is|was|to|ist|lautet|heißt|est|es|è|é|är|er|on|jest|это|would be|will be)\s+"
    rf"|\s*(?:は|は、|는|은)\s*|\s+(?=\S*\d))[\"'`«“]?(?P<value>{_VALUE})"
)
_NAMES_ONE = re.compile(
    rf"\bpw\b|p[ ._*-]?[a@4][ ._*-]?[s$5]|kennwort|mot de|contrase|clave|senha|wachtw|lösen|has[łl]o|heslo|salasana|jelsz|şifre|adgangs"
    rf"|{_CYRILLIC.lower()}|パスワード|暗証|비밀|log|wi-?fi|network|pin|密|秘|口令|令牌|验证码|暗号|私钥|码"
)


def given_away_abroad(folded: Folded) -> Iterator[Span]:
    """Passwords that Chinese and other languages hand over, and those of a name in disguise."""
    if not _NAMES_ONE.search(folded.lower):
        return
    for match in _ABROAD.finditer(folded.text):
        value = match["value"].rstrip(".!?)»”")
        if _is_given(match, value, folded.text[match.start("value") + len(value) :]):
            yield _taken(folded, match.start("value"), value)
    yield from _chinese(folded)


def _is_given(match: re.Match[str], value: str, rest: str) -> bool:
    how = match["how"].strip()
    if not how:  # nothing says that it is one
        is_pin = match["name"].lower().startswith("пин")
        return (is_pin or any(c.isalpha() for c in value)) and is_password(value, rest)
    says_a_name = how in ("lautet", "heißt") or (match["mine"] and how not in ("to", "?", "？"))
    plain = bool(says_a_name) and is_plain_abroad(value)
    return is_password(value, rest, called_one=plain)


def _chinese(folded: Folded) -> Iterator[Span]:
    for pattern in (_CODE_ZH, _SENTENCE_ZH):
        for match in pattern.finditer(folded.text):
            value, after = match["value"], match.groupdict().get("next") or ""
            if (
                (not after or after not in _NOT_A_VALUE_ZH)
                and value.strip(QUOTES).lower() not in PROSE
                and not HIDDEN.match(value)
            ):
                yield _taken(folded, match.start("value"), value)
    for match in _CHARACTERS_ZH.finditer(folded.text):
        is_one = len(match["digits"]) > 2 if match["digits"] else match["mine"] and len(match["characters"]) > 2
        if is_one and not _SAID_ZH.search(match["characters"]):
            yield _taken(folded, match.start("value"), match["value"])
    for match in _BEFORE_ZH.finditer(folded.text):
        value = match["value"]
        if is_password(value, folded.text[match.end("value") :]):
            yield _taken(folded, match.start("value"), value)
    for match in _FROM_TO_ZH.finditer(folded.text):
        for part in ("old", "new"):
            if looks_secret(match[part]):
                yield _taken(folded, match.start(part), match[part])


def _taken(folded: Folded, start: int, value: str) -> Span:
    return folded.span(start, start + len(value), "credential", "sentence")
