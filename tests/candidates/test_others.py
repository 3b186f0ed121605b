"""What is said of others, what is over, supposed or told for fun is not filed as how things are with the user.

Each row: what a user said, and the sentence and value that an agent makes of it.
"""

import dataclasses
from datetime import UTC, datetime

import pytest

from governance.candidates.extractors import extract
from governance.candidates.stages import Facts, Proposal, decide
from governance.policies.rules import DEFAULT
from tests.candidates.test_stages import codes, noted, proposal

NOW = datetime(2024, 11, 20, 10, tzinfo=UTC)

OF_OTHERS = [
    ("Tom lives in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("tom lives in oslo", "The user lives in Oslo.", "Oslo"),
    ("They live in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("They're vegan.", "The user is vegan.", "vegan"),
    ("Marie is allergic to peanuts.", "The user is allergic to peanuts.", "peanuts"),
    ("Tom works at Siemens.", "The user works at Siemens.", "Siemens"),
    ("Anna prefers window seats.", "The user prefers window seats.", "window"),
    ("Dr. Weber prefers email.", "The user prefers email.", "email"),
    ("Mrs Hill lives in Rome.", "The user lives in Rome.", "Rome"),
    ("Marie is vegan.", "The user is vegan.", "vegan"),
    ("Tom is a lawyer.", "The user is a lawyer.", "lawyer"),
    ("Tom has moved to Berlin.", "The user moved to Berlin.", "Berlin"),
    ("Peter and Paul live in Berlin.", "The user lives in Berlin.", "Berlin"),
    ("The Millers live in Berlin.", "The user lives in Berlin.", "Berlin"),
    ("By the way, Tom hates jazz.", "The user hates jazz.", "jazz"),
    ("I think Tom lives in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("I live in Rome and Tom lives in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("Tom, who is five, lives in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("Tom can't eat gluten.", "The user cannot eat gluten.", "gluten"),
    ("Tom's allergic to nuts.", "The user is allergic to nuts.", "nuts"),
    ("Anna Maria Schmidt speaks Italian.", "I speak Italian.", "Italian"),
    ("小王住在上海。", "用户住在上海。", "上海"),
    ("张伟是素食者。", "用户是素食者。", "素食者"),
    ("李明对虾过敏。", "用户对虾过敏。", "虾"),
    ("王芳喜欢靠窗的座位。", "用户喜欢靠窗的座位。", "靠窗"),
    ("李总不吃香菜。", "用户不吃香菜。", "香菜"),
    ("王老师住在北京。", "用户住在北京。", "北京"),
    ("其实陈静在腾讯工作。", "用户在腾讯工作。", "腾讯"),
    ("他们住在南京。", "用户住在南京。", "南京"),
    ("Tom住在上海。", "用户住在上海。", "上海"),
    ("小李和小王都不吃辣。", "用户不吃辣。", "辣"),
    ("Tom does not eat meat.", "The user does not eat meat.", "meat"),
    ("Tom was born in Rome.", "The user was born in Rome.", "Rome"),
    ("Tom's budget is 500 euros.", "The user's budget is 500 euros.", "500 euros"),
    ("His name is Jonas.", "The user's name is Jonas.", "Jonas"),
    ("李明的预算是500元。", "用户的预算是500元。", "500元"),
    ("欧阳娜娜住在上海。", "用户住在上海。", "上海"),
]
OF_THE_USER = [
    ("Tom and I live in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("Tom, Anna and I live in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("I live in Oslo with Tom.", "The user lives in Oslo.", "Oslo"),
    ("Ann lives in Rome.", "The user lives in Rome.", "Rome"),
    ("My home is in Rome.", "The user lives in Rome.", "Rome"),
    ("Oslo is where I live.", "The user lives in Oslo.", "Oslo"),
    ("Window seats are what I like.", "The user likes window seats.", "window"),
    ("Please keep answers short.", "The user wants short answers.", "short"),
    ("Emails should always be short.", "The user wants short emails.", "short"),
    ("Nothing before 9 am, please.", "The user wants nothing before 9 am.", "9 am"),
    ("Always serve drinks without ice.", "The user wants drinks without ice.", "without ice"),
    ("Still live in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("Production runs on Debian.", "Production runs on Debian.", "Debian"),
    ("Python is my favourite language.", "The user prefers Python.", "Python"),
    ("As Tom knows, I live in Oslo.", "The user lives in Oslo.", "Oslo"),
    ("我和小王住在上海。", "用户住在上海。", "上海"),
    ("小王和我住在上海。", "用户住在上海。", "上海"),
    ("住在上海。", "用户住在上海。", "上海"),
    ("对虾过敏。", "用户对虾过敏。", "虾"),
    ("平时不吃香菜。", "用户不吃香菜。", "香菜"),
    ("高铁是我的首选。", "用户首选高铁。", "高铁"),
    ("周末喜欢爬山。", "用户周末喜欢爬山。", "爬山"),
    ("小时候就喜欢爬山,现在也喜欢爬山。", "用户喜欢爬山。", "爬山"),
    ("从小对花生过敏。", "用户对花生过敏。", "花生"),
    ("Rex is my dog.", "The user has a dog named Rex.", "Rex"),
    ("Anna is my wife.", "The user's wife is Anna.", "Anna"),
    ("The meeting is at 10.", "The user's meeting is at 10.", "10"),
    ("Short answers work best for me.", "The user prefers short answers.", "short"),
    ("Everyone calls me Jo.", "The user is called Jo.", "Jo"),
    ("白天喜欢喝茶。", "用户白天喜欢喝茶。", "茶"),
    ("马上要搬家,我住在上海。", "用户住在上海。", "上海"),
    ("咱们住在上海。", "用户住在上海。", "上海"),
]
OVER = [
    ("I quit Siemens.", "The user works at Siemens.", "Siemens"),
    ("I left Berlin.", "The user lives in Berlin.", "Berlin"),
    ("I left Berlin for Paris.", "The user lives in Berlin.", "Berlin"),
    ("We dropped Oracle.", "The user uses Oracle.", "Oracle"),
    ("I outgrew my milk allergy.", "The user is allergic to milk.", "milk"),
    ("My milk allergy is gone.", "The user is allergic to milk.", "milk"),
    ("I avoid window seats.", "The user prefers window seats.", "window"),
    ("I gave up meat.", "The user eats meat.", "meat"),
    ("I've given up coffee.", "The user drinks coffee.", "coffee"),
    ("I got rid of my car.", "The user owns a car.", "car"),
    ("I sold my BMW.", "The user drives a BMW.", "BMW"),
    ("I stopped using Java.", "The user uses Java.", "Java"),
    ("I hardly ever drink coffee.", "The user drinks coffee.", "coffee"),
    ("I rarely eat meat.", "The user eats meat.", "meat"),
    ("I seldom fly economy.", "The user flies economy.", "economy"),
    ("I resigned from Bosch.", "The user works at Bosch.", "Bosch"),
    ("I moved out of Kreuzberg.", "The user lives in Kreuzberg.", "Kreuzberg"),
    ("I cancelled my Netflix subscription.", "The user has a Netflix subscription.", "Netflix"),
    ("I broke up with Java.", "The user uses Java.", "Java"),
    ("我从西门子辞职了。", "用户在西门子工作。", "西门子"),
    ("我辞掉了西门子的工作。", "用户在西门子工作。", "西门子"),
    ("我搬离了北京。", "用户住在北京。", "北京"),
    ("我离开了北京。", "用户住在北京。", "北京"),
    ("我放弃了咖啡。", "用户喝咖啡。", "咖啡"),
    ("我很少吃肉。", "用户吃肉。", "吃肉"),
    ("我戒了咖啡。", "用户喝咖啡。", "咖啡"),
    ("我把宝马卖了。", "用户开宝马。", "宝马"),
    ("My limit was 300 euros, now it's 200.", "The user's limit is 300 euros.", "300 euros"),
    ("我的预算原来是300元,现在是200元。", "用户的预算是300元。", "300元"),
]
NOT_OVER = [
    ("I left Berlin for Paris.", "The user lives in Paris.", "Paris"),
    ("I quit Siemens and work at Bosch.", "The user works at Bosch.", "Bosch"),
    ("I stopped using Java.", "The user no longer uses Java.", "Java"),
    ("I gave up meat.", "The user does not eat meat.", "meat"),
    ("I gave up meat and eat vegan.", "The user eats vegan.", "vegan"),
    ("I avoid window seats.", "The user avoids window seats.", "window"),
    ("I avoid window seats.", "The user dislikes window seats.", "window"),
    ("I rarely eat meat.", "The user rarely eats meat.", "meat"),
    ("I sold my BMW.", "The user sold their BMW.", "BMW"),
    ("We dropped Oracle for Postgres.", "The user uses Postgres.", "Postgres"),
    ("I dropped Oracle and now use Postgres.", "The user uses Postgres.", "Postgres"),
    ("I like it when dishes are left uncovered.", "The user likes dishes left uncovered.", "uncovered"),
    ("我很少吃肉。", "用户很少吃肉。", "很少吃肉"),
    ("我离开北京去了上海,住在上海。", "用户住在上海。", "上海"),
    ("My limit was 300 euros, now it's 200.", "The user's limit is 200 euros.", "200"),
    ("I prefer left-aligned text.", "The user prefers left-aligned text.", "left-aligned"),
]
NOT_MEANT = [
    ("Assume I'm a doctor and explain this.", "The user is a doctor.", "doctor"),
    ("Say I'm a lawyer.", "The user is a lawyer.", "lawyer"),
    ("Let us assume I live in Rome.", "The user lives in Rome.", "Rome"),
    ("Treat me as if I were a doctor.", "The user is a doctor.", "doctor"),
    ("For the sake of argument, I live in Rome.", "The user lives in Rome.", "Rome"),
    ("就当我是素食者,推荐几道菜。", "用户是素食者。", "素食者"),
    ("比如说我住在西安。", "用户住在西安。", "西安"),
    ("譬如我是律师。", "用户是律师。", "律师"),
    ("姑且算我住在西安。", "用户住在西安。", "西安"),
    ("Rumour has it that I live in Rome.", "The user lives in Rome.", "Rome"),
    ("People say that I live in Rome.", "The user lives in Rome.", "Rome"),
    ("It is a myth that I live in Rome.", "The user lives in Rome.", "Rome"),
    ("I dreamed that I lived in Rome.", "The user lives in Rome.", "Rome"),
    ("In my dream I live in Rome.", "The user lives in Rome.", "Rome"),
    ("Supposedly I live in Rome.", "The user lives in Rome.", "Rome"),
    ("In the game I'm a wizard.", "The user is a wizard.", "wizard"),
    ("I'm joking, I live on Mars.", "The user lives on Mars.", "Mars"),
    ("开玩笑的,我住在火星。", "用户住在火星。", "火星"),
    ("有传言说我住在罗马。", "用户住在罗马。", "罗马"),
    ("我梦见我住在罗马。", "用户住在罗马。", "罗马"),
    ("都说我住在罗马。", "用户住在罗马。", "罗马"),
    ("In a parallel universe I live in Rome.", "The user lives in Rome.", "Rome"),
    ("As a joke: I live on Mars.", "The user lives on Mars.", "Mars"),
    ("Word on the street is that I live in Rome.", "The user lives in Rome.", "Rome"),
    ("游戏里我是法师。", "用户是法师。", "法师"),
]
FOR_ONCE = [
    ("Get me an aisle seat on LH402.", "The user prefers aisle seats.", "aisle"),
    ("Book me a window seat for the flight on Friday.", "The user prefers window seats.", "window"),
    ("Could you reserve a quiet room in Graz?", "The user prefers quiet rooms.", "quiet"),
    ("Please order a vegetarian pizza.", "The user is vegetarian.", "vegetarian"),
    ("Please use metric units in this table.", "The user prefers metric units.", "metric"),
    ("Could you use metric units in this table?", "The user prefers metric units.", "metric"),
    ("Use PDF for the next report.", "The user prefers PDF.", "PDF"),
    ("下一份报告用PDF。", "用户喜欢用PDF。", "PDF"),
    ("帮我订一张周五靠窗的票。", "用户喜欢靠窗的座位。", "靠窗"),
    ("I need a window seat on Friday.", "The user prefers window seats.", "window"),
    ("给我订靠窗的座位,周五的航班。", "用户喜欢靠窗的座位。", "靠窗"),
    ("这张表用公制单位。", "用户喜欢公制单位。", "公制"),
    ("给我来一杯咖啡。", "用户喜欢咖啡。", "咖啡"),
]
STANDING = [
    ("Always book me a window seat.", "The user prefers window seats.", "window"),
    ("Please book me a window seat whenever I fly.", "The user prefers window seats.", "window"),
    ("Please send invoices by email.", "The user wants invoices by email.", "email"),
    ("Use PDF for reports.", "The user wants PDF for reports.", "PDF"),
    ("以后都帮我订靠窗的票。", "用户要靠窗的票。", "靠窗"),
    ("I like this country's tea.", "The user likes tea.", "tea"),
    ("People say I'm funny; I live in Rome.", "The user lives in Rome.", "Rome"),
    ("I dream of quiet hotels and I prefer quiet hotels.", "The user prefers quiet hotels.", "quiet"),
]


def outcome(said: str, content: str, value: str, **more) -> str:
    """Return what becomes of a proposal whose quote is the whole turn."""
    proposal = Proposal(
        level="user",
        kind="semantic",
        key="profile.note",
        value=value,
        content=content,
        source_type="user_explicit",
        quote=said,
        role_of_observation="user",
        observation_text=said,
        observation_is_by_scope_user=True,
        observed_at=NOW,
        user="ann",
        **more,
    )
    return decide(proposal, Facts(), DEFAULT).outcome


@pytest.mark.parametrize(("said", "content", "value"), OF_OTHERS + OVER + NOT_MEANT + FOR_ONCE, ids=lambda v: v)
def test_what_is_not_so_with_the_user_never_commits(said, content, value):
    assert outcome(said, content, value) in ("review", "event_only")


@pytest.mark.parametrize(("said", "content", "value"), OF_THE_USER + NOT_OVER + STANDING, ids=lambda v: v)
def test_what_is_so_with_the_user_commits(said, content, value):
    assert outcome(said, content, value) == "commit"


READ_OF_OTHERS = [
    "李明对虾过敏。",
    "老板对花粉过敏。",
    "小李对虾过敏。",
    "王芳对虾过敏。",
    "我的同事对虾过敏。",
    "Tom对虾过敏。",
]
READ_OF_FANCIES = ["Say I'm a lawyer.", "Say I'm allergic to nuts.", "就当我是素食者,推荐几道菜。", "就当我对虾过敏。"]
READ_OF_THE_USER = [
    "我对虾过敏。",
    "对虾过敏。",
    "从小对虾过敏。",
    "其实我对虾过敏。",
    "我和小王都对花生过敏。",
    "我女儿对虾过敏。",
]


def outcomes_of_rules(said: str) -> set[str]:
    """Return what becomes of what the rules read in a turn."""
    return {
        decide(
            Proposal(
                level="user",
                kind=read.kind,
                key=read.key,
                value=read.value,
                content=read.content,
                about=read.about,
                source_type="user_explicit",
                quote=said[read.start : read.end],
                role_of_observation="user",
                observation_text=said,
                observation_is_by_scope_user=True,
                observed_at=NOW,
                always=read.always,
                lasting=read.lasting,
                explicit=read.explicit,
                user="ann",
            ),
            Facts(),
            DEFAULT,
        ).outcome
        for read in extract(said, observed_at=NOW, zone=UTC)
    }


@pytest.mark.parametrize("said", READ_OF_OTHERS + READ_OF_FANCIES)
def test_what_rules_read_of_others_or_of_fancies_never_commits(said):
    assert "commit" not in outcomes_of_rules(said)


@pytest.mark.parametrize("said", READ_OF_THE_USER)
def test_what_rules_read_of_the_user_commits(said):
    assert outcomes_of_rules(said) == {"commit"}


@pytest.mark.parametrize(
    ("said", "content", "key", "value"),
    [
        ("Book me a table for Friday, I'm allergic to nuts.", "The user is allergic to nuts.", "allergy.nuts", True),
        ("帮我订周五的餐厅，我对花生过敏。", "用户对花生过敏。", "allergy.peanut", True),
        ("下个月我带妈妈去杭州，我不吃牛肉。", "用户不吃牛肉。", "diet.avoid", "牛肉"),
        ("Find me a hotel in Rome, I prefer quiet rooms.", "The user prefers quiet rooms.", "preference.room", "quiet"),
        ("Get me an aisle seat because I have long legs.", "The user has long legs.", "profile.legs", "long legs"),
    ],
)
def test_what_one_is_or_prefers_lasts_whatever_is_asked_for_beside_it(said, content, key, value):
    proposed = dataclasses.replace(noted(said), content=content, key=key, value=value)

    assert "one-off" not in codes(decide(proposed, Facts(), DEFAULT))


PASSED_ON = [
    ("小王跟我说:我住在常州", "我住在常州", "city", "常州"),
    ("我妈说:我对虾过敏", "我对虾过敏", "allergy.虾", "虾"),
    ("我同事的原话:我从来不喝咖啡", "我从来不喝咖啡", "drink", "从来不喝咖啡"),
    ("我爸总念叨我喜欢钓鱼", "我喜欢钓鱼", "hobby", "钓鱼"),
    ("我对虾过敏,其实没有。", "我对虾过敏", "allergy.虾", "虾"),
    ("这是小陈的签名:我喜欢爬山", "我喜欢爬山", "hobby", "爬山"),
    ("Quoting my landlord: I live in Bonn.", "I live in Bonn", "city", "Bonn"),
    ("In Ana's own words, I prefer tea.", "I prefer tea", "drink", "tea"),
    ("It's from Leo's profile, I work at Nokia", "I work at Nokia", "employer", "Nokia"),
    ("My aunt always says: I prefer tea.", "I prefer tea", "drink", "tea"),
    ("I love camping, said nobody ever.", "I love camping", "hobby", "camping"),
    ("I live in Bonn, or so my aunt says.", "I live in Bonn", "city", "Bonn"),
]


@pytest.mark.parametrize(("text", "quote", "key", "value"), PASSED_ON)
def test_words_passed_on_without_marks_of_quotation_are_not_the_users(text, quote, key, value):
    offered = proposal(text, quote=quote, key=key, value=value, content=f"{key}: {value}")

    assert decide(offered, Facts(), DEFAULT).outcome != "commit"


@pytest.mark.parametrize(
    "text",
    [
        "小王说：以后都用德语回答我。",
        "我爸说我对花生过敏，其实没有。",
        "我老板的原话：我对花生过敏。",
        "Quoting my landlord: I live in Bonn.",
        "This is from Leo's bio, I live in Bonn.",
        "I'm allergic to dogs, said nobody in this house ever.",
        "I live in Bonn, or rather I will if they accept me.",
    ],
)
def test_rules_read_nothing_that_is_passed_on(text):
    assert [each for each in extract(text, observed_at=NOW, zone=UTC) if each.explicit] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("我跟小王说：我住在常州。", "常州"),
        ("我说过，我住在常州。", "常州"),
        ("I told my boss: I live in Bonn.", "Bonn"),
        ("As I said, I live in Bonn.", "Bonn"),
        ("In my own words: I live in Bonn.", "Bonn"),
        ("I live in Bonn, as I said.", "Bonn"),
    ],
)
def test_what_users_say_they_said_is_theirs(text, value):
    assert [each.value for each in extract(text, observed_at=NOW, zone=UTC)] == [value]
