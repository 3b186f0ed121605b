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
# What people do react to; endings stand for whole kinds ("hazelnut", "amoxicillin", 榛果). "Allergic to meetings" is none.
_REACTED_TO = re.compile(
    r"(?:^|.*[\s_-])(?:foods?|fruits?|vegetables?|apples?|pears?|peach(?:es)?|plums?|cherr(?:y|ies)|apricots?|bananas?|avocados?|pineapples?|melons?|oranges?|citrus|lemons?|limes?|grapes?|figs?|dates?|papayas?|lychees?|tomato(?:es)?|potato(?:es)?|peppers?|celery|carrots?|onions?|garlic|spinach|corn|maize|mushrooms?|eggplants?|aubergines?|cucumbers?|zucchini|soya?|tofu|beans?|peas?|chickpeas?|lentils?|lupins?|legumes?|rice|oats?|rye|barley|buckwheat|quinoa|grains?|yeast|bread|wheat|gluten|flour|sugar|fructose|milk|dairy|cheese|butter|yogh?urt|cream|lactose|casein|whey|eggs?|yolks?|poultry|turkey|duck|pork|beef|lamb|mutton|meat|gelatine?|honey|chocolate|cocoa|cacao|coffee|caffeine|tea|wine|beer|alcohol|vinegar|cinnamon|vanilla|mustard|paprika|curry|spices?|herbs?|cilantro|coriander|parsley|mint|ginger|saffron|turmeric|sesame|sunflower|coconuts?|almonds?|cashews?|pecans?|pistachios?|macadamias?|nuts?|seeds?|salmon|tuna|cod|trout|sardines?|anchov(?:y|ies)|mackerel|squid|octopus|prawns?|shrimps?|crabs?|lobsters?|crayfish|crustaceans?|molluscs?|mollusks?|clams?|mussels?|oysters?|scallops?|seafood|sushi|msg|glutamate|aspartame|sulph?ites?|preservatives?|additives?|colou?rings?|dyes?|kiwis?|mangoe?s?|strawberr(?:y|ies)"
    r"|cats?|dogs?|horses?|rabbits?|hamsters?|guinea pigs?|mice|mouse|rats?|birds?|feathers?|fur|hair|dander|wool|animals?|pets?|bees?|wasps?|hornets?|ants?|mosquito(?:e?s)?|insects?|stings?|bites?|mites?|cockroach(?:es)?|pollens?|birch|ragweed|grass(?:es)?|hay|trees?|flowers?|lilies|roses?|ivy|oak|mou?lds?|spores?|fungi|dust|smoke|sun(?:light)?|cold|heat|water"
    r"|latex|rubber|nickel|cobalt|chromium|gold|silver|metals?|steel|jewell?ery|plasters?|adhesives?|tapes?|glue|formaldehyde|perfumes?|fragrances?|scents?|deodorants?|shampoos?|soaps?|detergents?|bleach|chlorine|lanolin|parabens?|cosmetics?|make-?up|sunscreens?|lotions?|leather|down|polyester|nylon|acrylics?|iodine|silicone"
    r"|drugs?|medicines?|medications?|antibiotics?|aspirin|paracetamol|acetaminophen|ibuprofen|naproxen|nsaids?|codeine|morphine|opioids?|opiates?|sulfa|sulph?a|sulfonamides?|insulin|heparin|contrast(?: dye| media| agents?)?|an(?:ae|e)sthe(?:tics?|sia)|vaccines?|steroids?|cortisone|statins?|quinolones?|metformin|warfarin|tramadol|diclofenac|metamizole|penicillins?|chlorhexidine|cephalosporins?)$"
    r"|.*(?:nuts?|berr(?:y|ies)|fish|cillins?|mycins?|micins?|cyclines?|floxacin|sulfa\w*|caine|profen|prazole|azole|statin|pollens?|venom|dust mites?|oils?|juice|butter|sauce|milk|flour|proteins?|extracts?|powder)$",
    re.IGNORECASE,
)
_REACTED_TO_ZH = re.compile(
    "(?:.*(?:[鱼虾蟹贝蚝蛎螺蚌肉禽蛋奶酪酸豆麦米面粉菜瓜果莓桃梨李杏枣椒葱蒜姜菇菌笋薯芋藕茄芹笋仁麻油酱醋糖蜜酒茶酶精素碱胺药苗剂胶漆毛绒羽皮尘螨霉草花树木叶藤蜂蚁虫蚊猫狗兔鼠马牛羊鸟鸡鸭鹅猪铜镍金银铁钢烟醛水光膏霜乳液皂]|霉素|西林|头孢|沙星|洛芬|洛尔|因|林|物|食品|食物|坚果|[榛栗瓜松橙桃李杏梨枣柿椰茄莲蚊兔鸽]子|腰果|核桃|巧克力|可可|咖啡|味精|香料|香水|香精|化妆品|护肤品|洗发水|洗衣液|防晒|染发|塑料|橡胶|尼龙|金属|紫外线|阳光|冷空气|海鲜|河鲜|水产|柠檬|橙子?|橘子?|柚子?|柑橘|葡萄|苹果|香蕉|菠萝|凤梨|荔枝|龙眼|榴莲|猕猴桃|番茄|土豆|玉米|小麦|麸质|麸|乳糖|蛋白|香菜|蘑菇|香菇|造影|麻醉|阿司匹林|布洛芬|磺胺)(?:类|制品|产品|类药物)?)",
)
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
_HAS_CJK = re.compile("[\u4e00-\u9fff]")
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


def is_reacted_to(text: str) -> bool:
    """Whether people are known to be allergic to what a phrase names: a food, drug, plant, animal or material."""
    words = text.strip().lower()
    if words in _ALLERGENS:
        return True
    return bool(_REACTED_TO_ZH.fullmatch(words) if _HAS_CJK.search(words) else _REACTED_TO.fullmatch(words))


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
