"""What a detector finds, and the folded text it looks at."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

PLACEHOLDERS = {
    "credential": "[credential]",
    "national_id": "[national id]",
    "card": "[card]",
    "passport": "[passport]",
    "bank_account": "[bank account]",
    "phone": "[phone]",
    "email": "[email]",
    "address": "[address]",
    "birth_date": "[birth date]",
    "ip_address": "[ip address]",
    "health": "[health]",
    "finance": "[finance]",
    "allergy": "[allergy]",
    "accessibility": "[accessibility]",
    "diet": "[diet]",
}
BLANK = "\ufffc"  # stands for a placeholder: no pattern matches it

_PLACEHOLDER = re.compile("|".join(re.escape(text) for text in PLACEHOLDERS.values()), re.IGNORECASE)
# Letters that look Latin: Cyrillic, Greek, Armenian, Cherokee and a few symbols (after Unicode's confusables).
LOOK_ALIKE = str.maketrans(
    "аАВВсСеЕНіІјЈКкМмоОрРТтхХуУѕЅԁԛԝһԌɡɑʟпгвнαΑΒβεΕηΗιΙκΚΜνΝοΟρΡτΤυΥχΧΖγωօοսցոհⅼǀıƖ|ꓲꓳꓮ",
    "aABBcCeEHiIjJKkMmoOpPTtxXyYsSdqwhGgaLnrBHaABBeEnHiIkKMvNoOpPtTuYxXZywoougnhllillIOA",
)
# A Latin letter beside one of another script that looks Latin: nobody writes so who means the other script.
MIXED = re.compile(
    "[A-Za-z][\u0370-\u03ff\u0400-\u04ff\u0530-\u058f]|[\u0370-\u03ff\u0400-\u04ff\u0530-\u058f][A-Za-z]"
)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fb\u00b7\u2022\u2e31"), "-")
# The characters of our Chinese key words as they are written in Taiwan and Hong Kong.
_TRADITIONAL = str.maketrans(
    "萬與專東個為爲鄉於產親億們會傳體債儲內關農減憑別動勞區醫單歷壓廈縣參雙發髮臺颱號喫後聽獃嘔員諮園場塊處備"
    "複頭獎媽宮對爾層島幣師帳並廣庫開強錄徵懷態總惡戶護報撥掛換據數斷無時暈暫術機條來鬆檢樓歐註瀉灣溼濕潰靈燒熱爺"
    "狀現電療瘡瘍癥癡癬鹽盤確礙種積穩醣係繫紅約線練組細經結絡統續綜編網聾聯腸腎腫鬍臟髒腦腳節藥獲慮錶視覺訂認訓記"
    "設證評診詞話詢讀負財帳賬質貧貳貸資贏車轉輪輸過還遞遺郵鬱裡裏針鑰銀鎖鎮鏡門閉問間悶隊陸難預頸題風駛駕驗鮮麩齊祕碼復劃兒棟絞癇癲黴臘叄",
    "万与专东个为为乡于产亲亿们会传体债储内关农减凭别动劳区医单历压厦县参双发发台台号吃后听呆呕员咨园场块处备"
    "复头奖妈宫对尔层岛币师账并广库开强录征怀态总恶户护报拨挂换据数断无时晕暂术机条来松检楼欧注泻湾湿湿溃灵烧热爷"
    "状现电疗疮疡症痴癣盐盘确碍种积稳糖系系红约线练组细经结络统续综编网聋联肠肾肿胡脏脏脑脚节药获虑表视觉订认训记"
    "设证评诊词话询读负财账账质贫贰贷资赢车转轮输过还递遗邮郁里里针钥银锁镇镜门闭问间闷队陆难预颈题风驶驾验鲜麸齐秘码复划儿栋绞痫癫霉腊叁",
)
_DIGITS = str.maketrans("〇零一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "001234567891123456789")
_SPELLED_DIGITS = re.compile("[〇零一二三四五六七八九幺壹贰叁肆伍陆柒捌玖]{7,}")
_WORDS_OF_DIGITS = "zero oh one two three four five six seven eight nine".split()
_DIGIT_OF = dict(zip(_WORDS_OF_DIGITS, "00123456789", strict=True))
_ONE_SPELLED = re.compile(rf"(?i)\b(?:{'|'.join(_WORDS_OF_DIGITS)})\b|\d")
_SPELLED_OUT = re.compile(
    rf"(?i)\b(?:{'|'.join(_WORDS_OF_DIGITS)})(?:[\s,.\-]{{1,3}}(?:{'|'.join(_WORDS_OF_DIGITS)}|\d+))" + r"{7,}\b"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch `start:end` of the original text that belongs to a sensitive category."""

    start: int
    end: int
    category: str
    detector: str


@dataclass(frozen=True)
class Folded:
    """Text as detectors read it: NFKC, one kind of dash and space, no invisible characters, digits of any script as
    digits, the Chinese of key words in simplified characters.

    `origin[i]` is the position in the original text of character i, `ends[i]` where what it stands for ends there;
    placeholders are blanked.
    """

    text: str
    origin: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int, category: str, detector: str) -> Span:
        """The span in the original text; edge spaces are left out."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return Span(self.origin[start], self.ends[end - 1], category, detector)

    @cached_property
    def lower(self) -> str:
        """The text in lower case, character for character."""
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else "".join(c.lower()[:1] or c for c in self.text)

    def around(self, start: int, end: int, before: int = 40, after: int = 20) -> str:
        """The words near a span, in lower case."""
        return self.lower[max(0, start - before) : start] + " " + self.lower[end : end + after]

    def before(self, start: int, size: int = 40) -> str:
        """The words just before a span, in lower case."""
        return self.lower[max(0, start - size) : start]


def fold(text: str) -> Folded:
    """Text in the form detectors read, with the way back to the original positions."""
    if text.isascii():
        folded, origin = text, tuple(range(len(text)))
    else:
        folded, origin = _fold_characters(text.translate(LOOK_ALIKE) if MIXED.search(text) else text)
        folded = _SPELLED_DIGITS.sub(lambda match: match[0].translate(_DIGITS), folded)
    ends = tuple(at + 1 for at in origin)
    folded, origin, ends = _digits_for_words(folded, origin, ends)
    return Folded(_PLACEHOLDER.sub(lambda match: BLANK * len(match[0]), folded), origin, ends)


def _digits_for_words(
    text: str, origin: tuple[int, ...], ends: tuple[int, ...]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text with long rows of English digit words written as digits, each standing for its word."""
    pieces: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    at = 0
    for row in _SPELLED_OUT.finditer(text):
        pieces.append(text[at : row.start()])
        starts.extend(origin[at : row.start()])
        stops.extend(ends[at : row.start()])
        for word in _ONE_SPELLED.finditer(text, row.start(), row.end()):
            pieces.append(_DIGIT_OF.get(word[0].lower(), word[0]))
            starts.append(origin[word.start()])
            stops.append(ends[word.end() - 1])
        at = row.end()
    if not at:
        return text, origin, ends
    pieces.append(text[at:])
    return "".join(pieces), (*starts, *origin[at:]), (*stops, *ends[at:])


def _fold_characters(text: str) -> tuple[str, tuple[int, ...]]:
    pieces: list[str] = []
    origin: list[int] = []
    for position, character in enumerate(text):
        piece = _folded(character)
        pieces.append(piece)
        origin.extend([position] * len(piece))
    return "".join(pieces), tuple(origin)


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    if unicodedata.category(character) in ("Cf", "Mn"):
        return ""
    plain = unicodedata.normalize("NFKC", character.translate(_DASHES)).translate(_DASHES).translate(_TRADITIONAL)
    digit = unicodedata.digit(plain, None) if len(plain) == 1 else None  # of any script
    return plain if digit is None else str(digit)
