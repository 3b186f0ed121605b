"""What a user states outright is understood, in both languages; what is asked, supposed or reported is not taken."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from governance.candidates.extractors import Statement, extract

BERLIN = ZoneInfo("Europe/Berlin")
SAID = datetime(2025, 8, 20, 10, tzinfo=BERLIN)  # a Wednesday


def said(text: str, at: datetime = SAID, zone=BERLIN) -> list[Statement]:
    return extract(text, observed_at=at, zone=zone)


def one(text: str) -> Statement:
    statements = said(text)
    assert len(statements) == 1, statements
    return statements[0]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("From now on give me Python examples", "preference.code.language", "Python"),
        ("Please always use TypeScript for code", "preference.code.language", "TypeScript"),
        ("以后都用Python写示例", "preference.code.language", "Python"),
        ("请用中文回答", "language", "中文"),
        ("以后用中文", "language", "中文"),
        ("Please answer in Chinese.", "language", "中文"),
        ("以后能不能用英文回复我？", "language", "English"),
        ("Can you please always reply in German?", "language", "Deutsch"),
        ("I prefer my output as CSV", "preference.output.format", "CSV"),
        ("From now on export reports as Parquet.", "preference.output.format", "Parquet"),
        ("以后报告都导出成CSV格式", "preference.output.format", "CSV"),
        ("Keep your answers short from now on", "preference.answer.length", "short"),
        ("以后回答简短一点", "preference.answer.length", "short"),
        ("Stop using emojis.", "preference.answer.emoji", "none"),
        ("别再用表情符号了", "preference.answer.emoji", "none"),
        ("I love pizza", "preference.taste.pizza", "like"),
        ("I hate pizza", "preference.taste.pizza", "dislike"),
        ("我喜欢吃火锅", "preference.taste.火锅", "like"),
        ("我讨厌火锅", "preference.taste.火锅", "dislike"),
        ("I prefer window seats", "preference.travel.seat", "window"),
        ("我喜欢靠过道的座位", "preference.travel.seat", "aisle"),
        ("My name is Joy.", "profile.name", "Joy"),
        ("Call me Max from now on", "profile.name", "Max"),
        ("我叫王小明", "profile.name", "王小明"),
        ("叫我老周就行。", "profile.name", "老周"),
        ("以后称呼我小林就可以了", "profile.name", "小林"),
        ("I live in Hangzhou", "profile.home.city", "Hangzhou"),
        ("我住在杭州", "profile.home.city", "杭州"),
        ("I work as a nurse.", "profile.job.title", "nurse"),
        ("我是一名软件工程师。", "profile.job.title", "软件工程师"),
        ("My time zone is UTC+8", "profile.timezone", "UTC+8"),
    ],
)
def test_an_explicit_statement_is_lasting_and_keyed(text, key, value):
    statement = one(text)

    assert (statement.key, statement.value) == (key, value)
    assert statement.lasting and statement.explicit and statement.level == "user"


@pytest.mark.parametrize(
    "text",
    [
        "My favourite colour is blue.",
        "Blue is my favorite color",
        "I like blue best",
        "The name of my favourite colour is Blue.",
    ],
)
def test_four_wordings_of_one_preference_share_key_and_value(text):
    statement = one(text)

    assert (statement.key, statement.value) == ("preference.color", "blue")


@pytest.mark.parametrize(
    "text", ["use Go this time", "这次用Go写", "For this report use PDF", "Just for today, answer in French."]
)
def test_a_one_off_wish_does_not_last(text):
    assert all(not statement.lasting for statement in said(text))


@pytest.mark.parametrize(
    "text",
    [
        "Do I like Python?",
        "what is my favourite colour",
        "我喜欢什么颜色？",
        "If I lived in Paris I would love wine.",
        "Suppose I am allergic to nuts.",
        "如果我住在北京",
        "My friend loves jazz.",
        "My boss said I prefer tea.",
        'He told me: "I hate Mondays and I love cats"',
        "他说我喜欢喝酒",
        "I used to live in Oslo.",
        "我以前住在上海",
        'Translate "my name is Joy and I live here" into French',
        "I'd like a table for two.",
        "I love it!",
        "记得，是在1997年12月20日。",
        "I remember when nobody had a television.",
        "叫我起床。",
    ],
)
def test_what_is_asked_supposed_quoted_or_about_others_makes_no_statement(text):
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("no, actually English", "language", "English"),
        ("No, I meant Parquet.", "preference.output.format", "Parquet"),
        ("不对，是英文", "language", "English"),
        ("我是说日语", "language", "日本語"),
    ],
)
def test_a_correction_finds_its_key_by_its_value(text, key, value):
    statement = one(text)

    assert (statement.key, statement.value, statement.intent) == (key, value, "correct")


def test_allergies_come_with_every_answer_one_by_one():
    statements = said("I'm allergic to peanuts and shellfish, so please be careful.")

    assert [(each.key, each.always) for each in statements] == [("allergy.peanut", True), ("allergy.shellfish", True)]
    assert one("我对花生过敏").key == "allergy.peanut"


@pytest.mark.parametrize(
    "text",
    [
        "I'm travelling with my mother, 78, who walks badly, and neither of us eats beef.",
        "我要带78岁的妈妈去旅行，她腿脚不便，我们都不吃牛肉",
    ],
)
def test_a_companions_need_is_kept_about_the_companion(text):
    mother, both = said(text)

    assert (mother.key, mother.about, mother.always) == ("accessibility.mother.walking", "mother", True)
    assert (both.key, both.about, both.always) == ("diet.beef", "", True)


@pytest.mark.parametrize("text", ["My mother is now vegetarian", "我妈妈现在吃素了"])
def test_a_relatives_diet_is_about_the_relative(text):
    statement = one(text)

    assert (statement.key, statement.value, statement.about) == ("diet.mother.type", "vegetarian", "mother")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Stay on Python 3.9", "project.python.version", "3.9"),
        ("继续用Python 3.9", "project.python.version", "3.9"),
        ("We decided to use PostgreSQL", "project.database", "PostgreSQL"),
        ("In prod we use PostgreSQL", "environment.prod.database", "PostgreSQL"),
        ("开发环境用MySQL", "environment.dev.database", "MySQL"),
    ],
)
def test_a_decision_belongs_to_the_project(text, key, value):
    statement = one(text)

    assert (statement.level, statement.key, statement.value) == ("project", key, value)


def test_moving_to_a_language_and_preferring_it_are_two_statements():
    project, user = said("we moved to TypeScript, prefer TypeScript")

    assert (project.level, project.key) == ("project", "project.code.language")
    assert (user.level, user.key, user.value) == ("user", "preference.code.language", "TypeScript")


@pytest.mark.parametrize(
    "text", ["We use MySQL until 31 August, PostgreSQL from 1 September", "我们用MySQL到8月31日，9月1日起用PostgreSQL"]
)
def test_until_a_day_ends_at_the_next_midnight_where_it_was_said(text):
    mysql, postgres = said(text)
    midnight = datetime(2025, 9, 1, tzinfo=BERLIN)

    assert (mysql.value, mysql.valid_to, mysql.validity) == ("MySQL", midnight, "until_date")
    assert (postgres.value, postgres.valid_from, postgres.valid_to) == ("PostgreSQL", midnight, None)
    assert mysql.key == postgres.key == "project.database"


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("I went to Paris last week", (11, 8), (18, 8)),
        ("I adopted a cat two days ago", (18, 8), (19, 8)),
        ("上周我去了北京", (11, 8), (18, 8)),
    ],
)
def test_a_relative_time_resolves_against_when_it_was_said(text, first, after):
    statement = next(each for each in said(text) if each.kind == "episodic")

    assert statement.valid_from == datetime(2025, first[1], first[0], tzinfo=BERLIN)
    assert statement.valid_to == datetime(2025, after[1], after[0], tzinfo=BERLIN)


def test_a_move_holds_from_the_day_it_was_made():
    statement = one("I moved to Oslo yesterday")

    assert (statement.key, statement.value) == ("profile.home.city", "Oslo")
    assert (statement.valid_from, statement.valid_to) == (datetime(2025, 8, 19, tzinfo=BERLIN), None)


def test_last_week_said_two_years_ago_was_two_years_ago():
    statement = said("I went to Paris last week", at=datetime(2023, 3, 15, tzinfo=UTC), zone=UTC)[0]

    assert statement.valid_from == datetime(2023, 3, 6, tzinfo=UTC)


def test_no_time_given_is_no_time_invented():
    statement = one("I live in Hangzhou")

    assert (statement.valid_from, statement.valid_to, statement.validity) == (None, None, "until_replaced")


@pytest.mark.parametrize("text", ["finish the offer by Friday", "周五之前把报价完成"])
def test_a_task_ends_with_its_deadline(text):
    statement = one(text)

    assert (statement.kind, statement.lasting) == ("episodic", False)
    assert statement.valid_to == datetime(2025, 8, 23 if "by" in text else 22, tzinfo=BERLIN)


@pytest.mark.parametrize("text", ["The guest prefers quiet rooms", "客人喜欢安静的房间"])
def test_the_guest_means_the_user(text):
    statement = one(text)

    assert statement.level == "user" and not statement.about
    assert statement.content.startswith(("The user", "用户"))


@pytest.mark.parametrize(
    ("text", "key"),
    [("Why do you always answer in German? I want English.", "language"), ("怎么又用英文？我要中文", "language")],
)
def test_a_complaint_with_a_wish_is_lasting(text, key):
    statement = one(text)

    assert statement.key == key and statement.lasting


@pytest.mark.parametrize("text", ["forget that I use PostgreSQL", "忘掉我用PostgreSQL这件事"])
def test_asking_to_forget_is_a_retraction(text):
    statement = one(text)

    assert (statement.intent, statement.key, statement.value) == ("retract", "project.database", "PostgreSQL")


@pytest.mark.parametrize("text", ["Yes, do that.", "yes please", "好的，记住吧", "对"])
def test_a_short_yes_is_not_thrown_away(text):
    assert one(text).intent == "confirm"


def test_the_span_is_where_it_was_said():
    text = "Hello there! By the way, I live in Hangzhou. Bye."
    statement = one(text)

    assert text[statement.start : statement.end] == "I live in Hangzhou"


@pytest.mark.parametrize(("text", "start"), [("I love hiking", "The user"), ("我喜欢爬山", "用户")])
def test_content_is_a_sentence_about_the_user_in_the_speakers_language(text, start):
    assert one(text).content.startswith(start)


def test_an_overlong_text_yields_nothing():
    assert said("I love pizza. " * 1000) == []
