"""The key convention: what a statement is about, so that different things never share a key.

    language                              the language to answer in
    preference.<topic>                    one choice among many: code.language, output.format, color, travel.seat
    preference.taste.<thing>              like or dislike of one thing
    preference.answer.<trait>             how answers should be: length, style, emoji
    profile.<trait>                       facts about the person: name, home.city, job.title, timezone
    allergy.<x> accessibility.<x> diet.<x>    what serving the person must heed
    project.<topic>                       decisions: database, python.version, deadline
    environment.<name>.<topic>            the same where it holds for one environment only
    <companion>.<key>                     the same for somebody the person is responsible for

Parts are lower case; words inside a part are joined by `_`; Chinese words stay Chinese where there is no common name.
"""

import re
import unicodedata

LANGUAGES = {
    "中文": "chinese mandarin 中文 汉语 普通话 国语 华语 简体中文 简体",
    "繁體中文": "繁体中文 繁體中文 繁体",
    "English": "english 英文 英语",
    "日本語": "japanese 日语 日文 日本語",
    "한국어": "korean 韩语 韩文 한국어",
    "Français": "french 法语 法文 français",
    "Deutsch": "german 德语 德文 deutsch",
    "Español": "spanish 西班牙语 西语 español",
    "Italiano": "italian 意大利语 italiano",
    "Português": "portuguese 葡萄牙语 葡语",
    "Русский": "russian 俄语 俄文",
    "العربية": "arabic 阿拉伯语",
    "Nederlands": "dutch 荷兰语",
    "Türkçe": "turkish 土耳其语",
    "हिन्दी": "hindi 印地语",
    "ไทย": "thai 泰语",
    "Tiếng Việt": "vietnamese 越南语",
    "Polski": "polish 波兰语",
    "Svenska": "swedish 瑞典语",
    "粤语": "cantonese 粤语 广东话",
}
_LANGUAGE = {name: value for value, names in LANGUAGES.items() for name in names.split()}
_CODE = {
    name.lower(): name
    for name in "Python TypeScript JavaScript Java Kotlin Swift Rust Ruby PHP Scala Haskell Elixir Erlang Clojure Perl Lua Julia Dart Zig OCaml Fortran COBOL MATLAB Groovy Solidity C++ C# F# R C Go Golang Bash PowerShell".split()
} | {"golang": "Go", "js": "JavaScript", "ts": "TypeScript", "cpp": "C++", "csharp": "C#", "py": "Python"}
_FORMAT = {
    name.lower(): name
    for name in "CSV Parquet JSON YAML XML Markdown PDF HTML Excel XLSX TSV LaTeX TOML Avro JSONL DOCX Word PowerPoint PPTX".split()
}
_FORMAT |= {
    "plain text": "plain text",
    "纯文本": "plain text",
    "表格": "table",
    "table": "table",
    "tables": "table",
    "bullet points": "bullet points",
    "列表": "list",
}
_DATABASE = {
    name.lower(): name
    for name in "PostgreSQL MySQL MariaDB SQLite MongoDB Redis Oracle DynamoDB Cassandra CockroachDB ClickHouse Snowflake BigQuery DuckDB Elasticsearch Neo4j Firestore TiDB".split()
} | {"postgres": "PostgreSQL", "pg": "PostgreSQL", "mongo": "MongoDB", "sql server": "SQL Server"}
_COLORS = "red blue green yellow orange purple pink black white gray grey brown teal cyan magenta beige tan khaki maroon navy turquoise violet indigo gold silver olive lavender coral crimson".split()
_COLORS_ZH = {
    "红": "red",
    "蓝": "blue",
    "绿": "green",
    "黄": "yellow",
    "橙": "orange",
    "紫": "purple",
    "粉": "pink",
    "黑": "black",
    "白": "white",
    "灰": "gray",
    "棕": "brown",
    "青": "cyan",
}
_ALLERGENS = {
    "花生": "peanut",
    "坚果": "nut",
    "海鲜": "seafood",
    "虾": "shrimp",
    "蟹": "crab",
    "螃蟹": "crab",
    "贝类": "shellfish",
    "牛奶": "milk",
    "乳糖": "lactose",
    "奶制品": "dairy",
    "鸡蛋": "egg",
    "小麦": "wheat",
    "麸质": "gluten",
    "大豆": "soy",
    "芝麻": "sesame",
    "鱼": "fish",
    "青霉素": "penicillin",
    "花粉": "pollen",
    "尘螨": "dust_mite",
    "猫毛": "cat",
    "猫": "cat",
    "狗毛": "dog",
    "狗": "dog",
    "芒果": "mango",
    "猕猴桃": "kiwi",
    "草莓": "strawberry",
    "酒精": "alcohol",
    "乳胶": "latex",
    "蜂蜜": "honey",
    "杏仁": "almond",
    "牛肉": "beef",
    "猪肉": "pork",
    "羊肉": "lamb",
    "香菜": "cilantro",
    "辣": "spicy",
    "肉": "meat",
    "葱": "scallion",
    "蒜": "garlic",
    "内脏": "offal",
    "鸡肉": "chicken",
    "红肉": "red_meat",
    "生食": "raw_food",
    "酒": "alcohol",
}
_ENVIRONMENTS = {
    "production": "prod",
    "prod": "prod",
    "live": "prod",
    "生产": "prod",
    "线上": "prod",
    "staging": "staging",
    "预发": "staging",
    "预发布": "staging",
    "development": "dev",
    "dev": "dev",
    "开发": "dev",
    "local": "local",
    "本地": "local",
    "test": "test",
    "testing": "test",
    "测试": "test",
    "qa": "qa",
    "ci": "ci",
}
COMPANIONS = {
    "mother": "mother mom mum mama 母亲 妈妈 老妈 我妈 妈",
    "father": "father dad papa 父亲 爸爸 老爸 我爸 爸",
    "daughter": "daughter 女儿 闺女",
    "son": "son 儿子",
    "child": "child kid baby toddler 孩子 小孩 宝宝 娃",
    "children": "children kids 孩子们",
    "wife": "wife 妻子 老婆 太太 爱人 媳妇",
    "husband": "husband 丈夫 老公 先生",
    "partner": "partner girlfriend boyfriend fiancé fiancée 伴侣 女朋友 男朋友 女友 男友 对象",
    "parents": "parents 父母 爸妈",
    "grandmother": "grandmother grandma 奶奶 外婆 姥姥",
    "grandfather": "grandfather grandpa 爷爷 外公 姥爷",
    "sister": "sister 姐姐 妹妹",
    "brother": "brother 哥哥 弟弟",
}
_COMPANION = {name: value for value, names in COMPANIONS.items() for name in names.split()}
_FILLER = re.compile(
    r"^(?:the|a|an|my|our|some|any|all|really|very|quite|to|of|most|more|such|that|those|these|your|using|use|having|getting|own)\s+"
)
_TOKEN = re.compile(r"[a-z0-9+#]+(?:[.\-][a-z0-9]+)*|[\u4e00-\u9fff]+|[^\W_]+", re.IGNORECASE)


def slug(text: str, words: int = 4) -> str:
    """A part of a key: lower case, without filler words, at most `words` words, the last one in the singular."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    while (shorter := _FILLER.sub("", plain)) != plain:
        plain = shorter
    tokens = [token.replace(".", "_") for token in _TOKEN.findall(plain)][:words]
    if tokens:
        tokens[-1] = singular(tokens[-1])
    return "_".join(tokens)[:40]


def singular(word: str) -> str:
    """An English noun without its plural ending, roughly; other words as they are."""
    if not word.isascii() or len(word) < 4 or word.endswith(("ss", "us", "is", "ics", "news")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "toes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def language(text: str) -> str:
    """The language a phrase names, in its own name; '' if none."""
    words = text.strip().lower().strip("\"'“”「」.。!！")
    return _LANGUAGE.get(words) or _LANGUAGE.get(words.removesuffix(" language")) or ""


def code_language(text: str) -> str:
    """The programming language a phrase names; '' if none."""
    return _CODE.get(text.strip().lower().removesuffix(" code").removesuffix("语言"), "")


def output_format(text: str) -> str:
    """The file or text format a phrase names; '' if none."""
    words = text.strip().lower().removesuffix("格式").removesuffix("文件").strip()
    return _FORMAT.get(words) or _FORMAT.get(re.sub(r"\s*(?:format|files?|output)$", "", words)) or ""


def database(text: str) -> str:
    """The database product a phrase names; '' if none."""
    return _DATABASE.get(text.strip().lower().removesuffix("数据库"), "")


def color(text: str) -> str:
    """The colour a phrase names, in English; '' if none."""
    words = text.strip().lower()
    if words.endswith("色"):
        return _COLORS_ZH.get(words[-2:-1], "")
    return words if words in _COLORS else ""


def ingredient(text: str) -> str:
    """The key part of something eaten or reacted to: the common English name where there is one."""
    words = text.strip().lower()
    return _ALLERGENS.get(words) or _ALLERGENS.get(words.removesuffix("类").removesuffix("肉")) or slug(words)


def environment(text: str) -> str:
    """The environment a phrase names (prod, dev, ...); '' if none."""
    return _ENVIRONMENTS.get(text.strip().lower(), "")


def companion(text: str) -> str:
    """The common name of a relative; '' if it is none."""
    return _COMPANION.get(text.strip().lower(), "")


# Everything above that is written in Chinese, with the name it goes by.
_WRITTEN_ZH = [
    (written, name)
    for names in (_LANGUAGE, _CODE, _FORMAT, _DATABASE, _ALLERGENS, _COMPANION)
    for written, name in names.items()
    if not written.isascii()
] + [(f"{colour}色", name) for colour, name in _COLORS_ZH.items()]
_NAMES_ZH = {written: {name for other, name in _WRITTEN_ZH if other == written} for written, _ in _WRITTEN_ZH}
_NAMED_ZH = re.compile(f"(?=({'|'.join(sorted(map(re.escape, _NAMES_ZH), key=len, reverse=True))}))")


def names_in_chinese(text: str) -> set[str]:
    """The usual names of the languages, products, colours, foods and relatives that a Chinese text mentions."""
    return {name for match in _NAMED_ZH.finditer(text) for name in _NAMES_ZH[match[1]]}


def dimension(value: str) -> tuple[str, str]:
    """The preference that a known value belongs to, and the value's usual spelling: ('language', '中文'); else ('', '')."""
    readers = (
        ("language", language),
        ("preference.code.language", code_language),
        ("preference.output.format", output_format),
        ("preference.color", color),
    )
    return next(((key, found) for key, read in readers if (found := read(value))), ("", ""))


LANGUAGE_WORDS = "|".join(sorted(map(re.escape, _LANGUAGE), key=len, reverse=True))
CODE_WORDS = "|".join(sorted(map(re.escape, _CODE), key=len, reverse=True))
FORMAT_WORDS = "|".join(sorted(map(re.escape, _FORMAT), key=len, reverse=True))
DATABASE_WORDS = "|".join(sorted(map(re.escape, _DATABASE), key=len, reverse=True))
ENVIRONMENT_WORDS = "|".join(sorted(map(re.escape, _ENVIRONMENTS), key=len, reverse=True))
COMPANION_WORDS = "|".join(sorted(map(re.escape, _COMPANION), key=len, reverse=True))
