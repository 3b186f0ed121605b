"""What is behind somebody, said of another one pointed out, or a bound of a figure: told apart from how things are.

Each row: what a user said, the key and value that an agent makes of it, and its sentence ("": key and value).
"""

import pytest

from governance.candidates.extractors import Statement
from tests.candidates.test_as_said import judged
from tests.candidates.test_others import outcomes_of_rules
from tests.candidates.test_polarity import said as read

BEHIND = [
    ("I've moved on from Siemens.", "employer", "Siemens", "The user works at Siemens."),
    ("My vegan days are over.", "diet", "vegan", "The user is vegan."),
    ("Coffee and I are done.", "drink", "Coffee", "The user drinks coffee."),
    ("我早就离开字节跳动了。", "employer", "字节跳动", "用户在字节跳动工作。"),
    ("我戒烟了。", "habit", "烟", "用户抽烟。"),
    ("Berlin is behind me.", "city", "Berlin", "The user lives in Berlin."),
    ("My days at Siemens are behind me.", "employer", "Siemens", "The user works at Siemens."),
    ("Oracle is ancient history for us.", "db", "Oracle", "The user uses Oracle."),
    ("Berlin is a closed chapter.", "city", "Berlin", "The user lives in Berlin."),
    ("I'm through with Java.", "code", "Java", "The user uses Java."),
    ("I said goodbye to Berlin.", "city", "Berlin", "The user lives in Berlin."),
    ("I've put Berlin behind me.", "city", "Berlin", "The user lives in Berlin."),
    ("Smoking is in my past.", "habit", "Smoking", "The user smokes."),
    ("I'm past my vegan phase.", "diet", "vegan", "The user is vegan."),
    ("I turned my back on Java.", "code", "Java", "The user uses Java."),
    ("柏林对我来说已经是过去式了。", "city", "柏林", "用户住在柏林。"),
    ("我和柏林说再见了。", "city", "柏林", "用户住在柏林。"),
    ("我告别了西门子。", "employer", "西门子", "用户在西门子工作。"),
    ("西门子那一页翻过去了。", "employer", "西门子", "用户在西门子工作。"),
    ("咖啡我已经不碰了。", "drink", "咖啡", "用户喝咖啡。"),
]
OF_ANOTHER = [
    ("That would be my flatmate Leo who eats meat.", "diet", "meat", "The user eats meat."),
    ("Only Marta works at Bosch.", "employer", "Bosch", "The user works at Bosch."),
    ("老李啊，对海鲜过敏。", "allergy.seafood", "海鲜", "用户对海鲜过敏。"),
    ("爱喝咖啡的其实是陈静。", "drink", "咖啡", "用户爱喝咖啡。"),
    ("It's Tom who lives in Oslo.", "city", "Oslo", "The user lives in Oslo."),
    ("It is my brother's friend Paul that works at Bosch.", "employer", "Bosch", "The user works at Bosch."),
    ("The one who lives in Oslo is Tom.", "city", "Oslo", "The user lives in Oslo."),
    ("Tom is the one who lives in Oslo.", "city", "Oslo", "The user lives in Oslo."),
    ("Tom, who sits next to me, lives in Oslo.", "city", "Oslo", "The user lives in Oslo."),
    ("As for Tom, he's vegan.", "diet", "vegan", "The user is vegan."),
    ("Tom, on the other hand, hates jazz.", "music", "jazz", "The user hates jazz."),
    ("It was Anna who wanted window seats.", "seat", "window", "The user wants window seats."),
    ("小王，住在上海。", "city", "上海", "用户住在上海。"),
    ("小王呢，住在上海。", "city", "上海", "用户住在上海。"),
    ("李明，对虾过敏。", "allergy.shrimp", "虾", "用户对虾过敏。"),
    ("张伟他住在上海。", "city", "上海", "用户住在上海。"),
    ("至于小王，喜欢靠窗的座位。", "seat", "靠窗", "用户喜欢靠窗的座位。"),
    ("小王这个人不吃辣。", "diet", "辣", "用户不吃辣。"),
    ("是小王住在上海。", "city", "上海", "用户住在上海。"),
    ("住在上海的是小王。", "city", "上海", "用户住在上海。"),
    ("对虾过敏的是李明。", "allergy.shrimp", "虾", "用户对虾过敏。"),
    ("不吃香菜的人是张伟。", "diet", "香菜", "用户不吃香菜。"),
]
NO_LONGER = [
    ("I'm no longer vegetarian.", "diet.type", "vegetarian", "The user is vegetarian."),
    ("I'm not vegetarian any more.", "diet.type", "vegetarian", "The user is vegetarian."),
    ("I stopped being vegetarian.", "diet.type", "vegetarian", "The user is vegetarian."),
    ("I eat meat again.", "diet.type", "vegetarian", "The user is vegetarian."),
    ("我不再吃素了。", "diet.type", "vegetarian", "用户吃素。"),
    ("我已经不是素食者了。", "diet.type", "素食者", "用户是素食者。"),
    ("我现在开荤了，不吃素了。", "diet.type", "吃素", "用户吃素。"),
]
BOUND_LOST = [
    ("I earn more than 3000 euros.", "income", "3000 euros", "The user earns 3000 euros."),
    ("我每天睡眠多于8小时。", "sleep", "8小时", "用户每天睡8小时。"),
    ("I spend more than 200 euros on hotels.", "payment.limit.hotel", "200 euros", ""),
    ("I spend more than 200 euros on hotels.", "hotel", "200 euros", "The user spends 200 euros on hotels."),
    ("I like 3 meetings more than 5 meetings.", "meetings", "5 meetings", ""),
    ("I prefer tea to coffee, more than coffee.", "drink", "coffee", ""),
    ("My limit is not 200 euros.", "payment.limit", "200 euros", ""),
    ("我的预算超过200元。", "budget", "200元", ""),
    ("我的预算不是200元。", "budget", "200元", ""),
]
BOUNDED = [
    ("Meetings may not last longer than 30 minutes.", "meeting.max", "30 minutes", ""),
    ("Don't book anything over 150 euros.", "payment.limit", "150 euros", ""),
    ("会议不能超过30分钟。", "meeting.max", "30分钟", ""),
    (
        "I spend more than 200 euros on hotels.",
        "payment.hotel",
        "200 euros",
        "The user spends more than 200 euros on hotels.",
    ),
    ("My budget is more than 200 euros.", "budget", "more than 200 euros", "The user's budget is more than 200 euros."),
    ("I never pay more than 200 euros a night.", "payment.limit.hotel", "200 euros", ""),
    ("Hotels must not cost more than 200 euros.", "payment.limit.hotel", "200 euros", ""),
    ("I don't want to spend over 200 euros.", "payment.limit", "200 euros", ""),
    ("No more than 3 meetings a day.", "meetings.max", "3", "The user wants no more than 3 meetings a day."),
    (
        "Never book flights longer than 6 hours.",
        "flight.max",
        "6 hours",
        "The user wants no flights longer than 6 hours.",
    ),
    ("I sleep less than 6 hours.", "sleep", "less than 6 hours", "The user sleeps less than 6 hours."),
    ("每晚酒店不超过200元。", "payment.limit.hotel", "200元", ""),
    ("我的预算不能超过500元。", "payment.limit", "500元", ""),
    ("不要超过3个会议。", "meetings.max", "3", ""),
    ("酒店每晚别超过300元。", "payment.limit.hotel", "300元", ""),
    ("我的预算在200元以上。", "budget", "200元以上", ""),
]
SO = [
    ("Tom, please note that I live in Oslo.", "city", "Oslo", "The user lives in Oslo."),
    ("老李，我对海鲜过敏。", "allergy.seafood", "海鲜", "用户对海鲜过敏。"),
    ("I put my Berlin flat up for rent and live in Rome.", "city", "Rome", "The user lives in Rome."),
    ("I left Berlin behind and live in Rome.", "city", "Rome", "The user lives in Rome."),
    ("It's Oslo where I live.", "city", "Oslo", "The user lives in Oslo."),
    ("It's me who lives in Oslo.", "city", "Oslo", "The user lives in Oslo."),
    (
        "Behind me on planes there must be a wall; I prefer the last row.",
        "seat",
        "last row",
        "The user prefers the last row.",
    ),
    (
        "I prefer the seat behind the driver.",
        "seat",
        "behind the driver",
        "The user prefers the seat behind the driver.",
    ),
    ("我最喜欢的是茶。", "drink", "茶", "用户喜欢茶。"),
    ("小王，我住在上海。", "city", "上海", "用户住在上海。"),
    ("周末，喜欢爬山。", "hobby", "爬山", "用户喜欢爬山。"),
    ("另外，住在上海。", "city", "上海", "用户住在上海。"),
    ("住在上海的是我。", "city", "上海", "用户住在上海。"),
    ("平时，不吃辣。", "diet", "辣", "用户不吃辣。"),
    ("上海，是我住的地方。", "city", "上海", "用户住在上海。"),
    ("It's tea that I like.", "drink", "tea", "The user likes tea."),
    ("It's a pity that Tom's place is far; I live in Oslo.", "city", "Oslo", "The user lives in Oslo."),
]


@pytest.mark.parametrize(("said", "key", "value", "content"), BEHIND + OF_ANOTHER + NO_LONGER + BOUND_LOST)
def test_what_is_over_of_another_or_a_bound_alone_waits(said: str, key: str, value: str, content: str):
    assert judged(said, said, key, value, content=content) in ("review", "event_only")


@pytest.mark.parametrize(("said", "key", "value", "content"), BOUNDED + SO)
def test_a_bound_as_said_and_what_is_so_with_the_user_commit(said: str, key: str, value: str, content: str):
    assert judged(said, said, key, value, content=content) == "commit"


@pytest.mark.parametrize("said", ["小王，对花生过敏。", "李明呢，对虾过敏。", "对花生过敏的是小王。"])
def test_what_rules_read_of_one_named_before_a_comma_never_commits(said: str):
    assert "commit" not in outcomes_of_rules(said)


TAKEN_BACK = [
    ("I'm no longer vegetarian.", "diet.type", "vegetarian"),
    ("I am no longer a vegan.", "diet.type", "vegan"),
    ("I'm not vegetarian any more.", "diet.type", "vegetarian"),
    ("I've stopped being vegan.", "diet.type", "vegan"),
    ("I'm not allergic to peanuts any longer.", "allergy.peanut", True),
    ("My mother is no longer vegetarian.", "diet.mother.type", "vegetarian"),
    ("I don't live in Berlin anymore.", "profile.home.city", "Berlin"),
    ("I no longer work at Siemens.", "profile.employer", "Siemens"),
    ("我不再吃素了", "diet.type", "vegetarian"),
    ("我已经不是素食者了。", "diet.type", "vegetarian"),
    ("我对海鲜不过敏了。", "allergy.seafood", True),
    ("我妈妈不吃素了。", "diet.mother.type", "vegetarian"),
    ("我不再住在北京了。", "profile.home.city", "北京"),
]
NOT_TAKEN_BACK = [
    "Are you no longer vegetarian?",
    "If I were no longer vegetarian, I'd eat fish.",
    "Anna says I no longer live in Berlin.",
    "From 1 May I no longer live in Berlin.",
    "I don't want tea any more.",
    "I'm not hungry any more.",
    "No longer write in German.",
    "我不想去了。",
    "我不吃饭了。",
    "明年我不再住在北京了。",
    "听说我不再住在北京了。",
]


def taken_back(text: str) -> list[Statement]:
    return [each for each in read(text) if each.intent == "retract"]


@pytest.mark.parametrize(("text", "key", "value"), TAKEN_BACK)
def test_what_holds_no_more_is_taken_back(text: str, key: str, value: str | bool):
    (found,) = taken_back(text)

    assert (found.key, found.value) == (key, value)


@pytest.mark.parametrize("text", NOT_TAKEN_BACK)
def test_what_is_asked_supposed_reported_or_to_come_takes_nothing_back(text: str):
    assert taken_back(text) == []


def test_what_is_stated_anew_is_not_taken_back_beside_it():
    assert [(s.value, s.intent) for s in read("I'm no longer vegetarian, I'm vegan now.")] == [("vegan", "state")]
