"""The opposite of what was said is never remembered, nor an idiom, a case as the rule, or what is off the record."""

from datetime import UTC, datetime

import pytest

from governance.candidates.extractors import Statement, extract
from governance.candidates.extractors.meaning import is_denied
from governance.candidates.stages.deciding import decide
from governance.candidates.stages.proposal import Facts
from tests.candidates.test_stages import DEFAULT, codes, proposal

SAID = datetime(2025, 8, 20, 10, tzinfo=UTC)
CHOICES = ("language", "preference.code.language", "preference.output.format", "preference.answer.length")


def said(text: str) -> list[Statement]:
    return [each for each in extract(text, observed_at=SAID, zone=UTC) if each.lasting]


NEGATED = [
    ("Never answer me in Chinese.", "中文", "The user wants answers in Chinese."),
    ("Never reply in French.", "French", "The user wants answers in French."),
    ("Please don't answer in Russian.", "Русский", "The user wants answers in Russian."),
    ("Do not answer in French.", "Français", "The user wants answers in French."),
    ("From now on don't answer in English.", "English", "The user wants answers in English."),
    ("I don't want you to answer in French.", "French", "The user wants answers in French."),
    ("I'm tired of you answering me in English.", "English", "The user wants answers in English."),
    ("I hate it when you answer in French.", "French", "The user wants answers in French."),
    ("No longer write in German.", "Deutsch", "The user wants answers in German."),
    ("Don't use Python for examples any more.", "Python", "The user wants code examples in Python."),
    ("From now on, don't give me Python examples.", "Python", "The user wants code examples in Python."),
    ("You should never use YAML.", "YAML", "The user wants output as YAML."),
    ("Never give me output as JSON.", "JSON", "The user wants output as JSON."),
    ("不要再用英文回答我了。", "English", "用户希望用英文回答。"),
    ("以后不要用日语回答。", "日本語", "用户希望用日语回答。"),
    ("以后别用中文回复。", "Chinese", "用户希望用中文回答。"),
    ("请不要用繁体中文回答。", "繁體中文", "用户希望用繁体中文回答。"),
    ("以后不许用英文跟我说话。", "English", "用户希望用英文回答。"),
    ("我不希望你用英文回复我。", "English", "用户希望用英文回答。"),
    ("用英文回答我看不懂。", "English", "用户希望用英文回答。"),
    ("以后都不用英文回答。", "英文", "用户希望用英文回答。"),
    ("以后别用Python写示例了。", "Python", "用户希望代码示例使用 Python。"),
    ("千万别用Java写代码。", "Java", "用户希望代码示例使用 Java。"),
    ("以后不要输出JSON。", "JSON", "用户希望输出为 JSON。"),
    ("以后尽量少用英文回答", "English", "用户希望用英文回答。"),
    ("别再用表格了。", "table", "用户希望输出为表格。"),
]


@pytest.mark.parametrize(("text", "value", "content"), NEGATED)
def test_a_negated_wish_never_makes_its_positive(text, value, content):
    assert not [each for each in said(text) if each.key in CHOICES]
    assert is_denied(text, value, content)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Don't answer in Chinese, answer in English.", "English"),
        ("I don't understand German so answer in English.", "English"),
        ("Don't forget to answer in French.", "Français"),
        ("No, not French, German", "Deutsch"),
        ("No problem, please answer in Dutch from now on.", "Nederlands"),
        ("Use Rust, not Python, for code from now on.", "Rust"),
        ("别用英文回答，用中文回答。", "中文"),
        ("不要英文要中文", "中文"),
        ("我英语不好请用中文回答", "中文"),
        ("以后别忘了用中文回答。", "中文"),
        ("以后能不能用英文回复我？", "English"),
        ("以后不要用Python，用Rust写示例", "Rust"),
    ],
)
def test_what_is_wished_beside_a_denial_is_kept(text, value):
    found = [each.value for each in said(text) if each.key in CHOICES]

    assert found == [value]
    assert not is_denied(text, value, f"The user wants {value}.")


@pytest.mark.parametrize("text", ["Never use tabs.", "From now on don't answer in English.", "以后不要用日语回答。"])
def test_a_lasting_prohibition_is_kept_in_its_own_words(text):
    (kept,) = said(text)

    assert kept.key.startswith("preference.instruction.")
    assert kept.value.strip("。.") == text.strip("。.")


@pytest.mark.parametrize(
    "text",
    [
        "我对花生不过敏。",
        "我对虾没有过敏。",
        "我对海鲜不过敏了。",
        "我儿子对鸡蛋不过敏。",
        "我老公不对花生过敏。",
        "我花生不过敏",
        "我不吃素了。",
        "I have no peanut allergy.",
        "I have no known drug allergies.",
        "I'm not allergic to peanuts.",
        "I don't eat vegan any more.",
        "我不是盲人。",
        "我不需要轮椅。",
    ],
)
def test_what_somebody_does_not_suffer_from_is_no_need(text):
    assert [each for each in said(text) if each.intent != "retract"] == []


@pytest.mark.parametrize(
    "text",
    [
        "I can't stand Java.",
        "I can't see the attachment.",
        "I can't see why.",
        "I can't hear you.",
        "I can't walk away from this offer.",
        "I can't climb that wall of text.",
        "I have trouble seeing the point.",
        "I'm unable to stand this noise.",
        "I'm blind to that kind of thing.",
        "I walk with a friend every day.",
    ],
)
def test_an_idiom_is_no_need(text):
    assert not [each for each in said(text) if each.always]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I can't walk far.", "accessibility.walking"),
        ("I can't walk long distances.", "accessibility.walking"),
        ("My mother can't climb stairs.", "accessibility.mother.walking"),
        ("I can't stand for long.", "accessibility.walking"),
        ("I can't hear well.", "accessibility.hearing"),
        ("I can't see.", "accessibility.vision"),
        ("I have difficulty walking.", "accessibility.walking"),
        ("I walk with a cane.", "accessibility.walking"),
        ("我对不锈钢过敏", "allergy.不锈钢"),
        ("我对榛子过敏", "allergy.榛子"),
        ("我对头孢过敏", "allergy.头孢"),
        ("I'm allergic to amoxicillin.", "allergy.amoxicillin"),
        ("I'm allergic to dust mites.", "allergy.dust_mite"),
        ("I'm allergic to grass pollen.", "allergy.grass_pollen"),
    ],
)
def test_a_need_of_the_body_is_always_recalled(text, key):
    (need,) = said(text)

    assert (need.key, need.always, need.explicit) == (key, True, True)


@pytest.mark.parametrize(
    "text", ["I'm allergic to meetings.", "I'm allergic to Mondays.", "我对加班过敏。", "我对周一过敏"]
)
def test_an_allergy_to_what_nobody_is_known_to_react_to_is_a_guess(text):
    assert all(not each.explicit for each in said(text))


OFF_RECORD = [
    "Don't remember this: I prefer cats.",
    "Please don't save this: I prefer cats.",
    "This is off the record: I prefer cats.",
    "Keep this out of your memory: I prefer cats.",
    "I prefer cats. Don't remember that.",
    "不要记：我喜欢cats。",
    "别存：我喜欢cats。",
    "别记下来，我喜欢cats。",
    "这句话别记：我喜欢cats。",
]


@pytest.mark.parametrize("text", OFF_RECORD)
def test_what_is_off_the_record_is_kept_out(text):
    offered = proposal(text, key="preference.taste.cat", value="cats", content="The user prefers cats.")

    decision = decide(offered, Facts(), DEFAULT)

    assert said(text) == []
    assert decision.outcome == "reject"
    assert "off-the-record" in codes(decision)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Don't forget that I prefer cats.", "preference.taste.cat"),
        ("不要忘记我住在大连", "profile.home.city"),
        ("我叫王明，别记错了", "profile.name"),
        ("I don't remember this hotel. I live in Rome.", "profile.home.city"),
    ],
)
def test_not_to_forget_is_to_remember(text, key):
    assert [each.key for each in said(text)] == [key]


@pytest.mark.parametrize(
    "text",
    [
        "Always answer in French when I'm at work.",
        "From now on, except on Sundays, reply in German.",
        "Please always reply in English or Spanish.",
        "Always use Python or Rust for code.",
        "能不能以后都用英文写注释?",
        "注释请用英文。",
        "上班的时候用英文回答。",
    ],
)
def test_a_wish_for_one_case_or_one_of_two_is_not_the_rule(text):
    assert not [each for each in said(text) if each.key in CHOICES]


def test_an_instruction_keeps_its_case():
    (kept,) = said("Always answer in French when I'm at work.")

    assert kept.value == "Always answer in French when I'm at work"


@pytest.mark.parametrize(
    "text", ["我在深圳工作，做后端开发。", "我在上海浦东工作", "我在义乌市工作", "我在成都的一家公司工作"]
)
def test_where_somebody_works_is_no_employer(text):
    assert said(text) == []


@pytest.mark.parametrize(("text", "value"), [("我在阿里巴巴工作", "阿里巴巴"), ("我在中国银行工作", "中国银行")])
def test_an_employer_is(text, value):
    assert [each.value for each in said(text)] == [value]


@pytest.mark.parametrize("text", ["我对虾没有过敏。", "我对虾不过敏了。", "我不对虾过敏。"])
def test_an_allergy_that_was_denied_is_held(text):
    assert is_denied(text, "", "用户对虾过敏。")


@pytest.mark.parametrize("text", ["我不能吃虾会过敏。", "我不吃虾因为过敏。", "我对虾过敏。"])
def test_an_allergy_that_is_why_somebody_avoids_is_not_denied(text):
    assert not is_denied(text, "", "用户对虾过敏。")


@pytest.mark.parametrize(
    ("text", "key", "value", "content"),
    [
        ("我不吃素了。", "diet.type", "vegetarian", "用户吃素。"),
        ("我对虾没有过敏。", "allergy.shrimp", True, "用户对虾过敏。"),
        ("I can't stand Java.", "accessibility.walking", "can't stand", "The user has difficulty walking."),
        ("I can't hear you.", "accessibility.hearing", "can't hear", "The user is hard of hearing."),
        ("I'm allergic to meetings.", "allergy.meetings", "meetings", "The user is allergic to meetings."),
        ("我对加班过敏。", "allergy.加班", "加班", "用户对加班过敏。"),
        ("Always answer in French when I'm at work.", "language", "French", "The user wants answers in French."),
        ("Please always reply in English or Spanish.", "language", "English", "The user wants answers in English."),
        ("From now on, except on Sundays, reply in German.", "language", "German", "The user wants answers in German."),
        ("以后都用英文写注释", "language", "英文", "用户希望用英文回答。"),
        ("Never answer me in Chinese.", "language", "中文", "The user wants answers in Chinese."),
    ],
)
def test_the_same_as_a_proposal_waits(text, key, value, content):
    assert decide(proposal(text, key=key, value=value, content=content), Facts(), DEFAULT).outcome == "review"


@pytest.mark.parametrize(
    ("text", "key", "value", "content"),
    [
        ("我对虾过敏。", "allergy.shrimp", True, "用户对虾过敏。"),
        ("I'm allergic to tree nuts.", "allergy.tree_nuts", "tree nuts", "The user is allergic to tree nuts."),
        ("Always answer in French.", "language", "French", "The user wants answers in French."),
        ("Don't answer in Chinese, answer in English.", "language", "English", "The user wants answers in English."),
        ("I can't climb stairs.", "accessibility.walking", "can't climb stairs", "The user can't climb stairs."),
    ],
)
def test_a_good_one_commits(text, key, value, content):
    assert decide(proposal(text, key=key, value=value, content=content), Facts(), DEFAULT).outcome == "commit"
