"""A proposal is judged as its words were said: in their sentence, of whom, for how long, with their figures.

Each row: what a user said, what the agent quotes of it, and the key, value and more that it proposes. Each is tried
with the quote alone and with the whole turn as the quote.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from governance.candidates.rules import rendered
from governance.candidates.stages import Facts, Proposal, decide
from governance.candidates.stages.figures import unsaid
from governance.candidates.stages.surroundings import stated_times
from governance.policies.rules import DEFAULT

NOW = datetime(2024, 11, 20, 10, tzinfo=UTC)
Row = tuple[str, str, str, Any, dict[str, Any]]

SAID: list[Row] = [
    (
        "From now on please write all code examples in Go.",
        "From now on please write all code examples in Go",
        "code.language",
        "Go",
        {},
    ),
    ("以后请用简体中文回答我。", "以后请用简体中文回答我", "language", "简体中文", {}),
    (
        "I'm allergic to shellfish, please always keep that in mind.",
        "I'm allergic to shellfish",
        "allergy.food",
        "shellfish",
        {"always": True},
    ),
    ("我对花生过敏,以后订餐都要注意。", "我对花生过敏", "allergy.food", "花生", {"always": True}),
    (
        "I use a wheelchair, so I need step-free access everywhere.",
        "I need step-free access",
        "accessibility.mobility",
        "step-free access",
        {"always": True},
    ),
    (
        "My daughter Lily is vegetarian; keep that in mind whenever you plan our meals.",
        "My daughter Lily is vegetarian",
        "diet.daughter",
        "vegetarian",
        {"about": "daughter"},
    ),
    ("I live in Lisbon now.", "I live in Lisbon", "city", "Lisbon", {}),
    ("我现在住在杭州。", "我现在住在杭州", "city", "杭州", {}),
    ("I always want aisle seats when I fly.", "I always want aisle seats", "travel.seat", "aisle", {}),
    ("坐飞机我一直喜欢靠窗的座位。", "我一直喜欢靠窗的座位", "travel.seat", "靠窗", {}),
    (
        "Never schedule meetings for me before 10 am.",
        "Never schedule meetings for me before 10 am",
        "meetings.earliest",
        "10 am",
        {},
    ),
    ("请以后都用公制单位。", "请以后都用公制单位", "units", "公制", {}),
    ("I no longer eat meat.", "I no longer eat meat", "diet.meat", "no meat", {}),
    ("I work as a nurse at night shifts.", "I work as a nurse", "job", "nurse", {}),
    ("My name is Jonas Vetter, call me Jo.", "call me Jo", "name.call", "Jo", {}),
    ("我不吃香菜,以后点菜都别放。", "我不吃香菜", "diet.cilantro", "不吃香菜", {}),
    (
        "You keep answering in long essays and it drives me mad; keep answers short from now on.",
        "keep answers short from now on",
        "answer.length",
        "short",
        {},
    ),
    ("My sister lives in Rome.", "My sister lives in Rome", "sister.city", "Rome", {}),
    (
        "My sister lives in Rome.",
        "My sister lives in Rome",
        "family.city",
        "Rome",
        {"content": "The user's sister lives in Rome."},
    ),
    ("I live with my sister in Rome.", "I live with my sister in Rome", "city", "Rome", {}),
    ("I live with my sister in Rome.", "in Rome", "city", "Rome", {}),
    ("Please send invoices by email.", "invoices by email", "invoice.channel", "email", {}),
    ("I really like hiking and prefer quiet hotels.", "prefer quiet hotels", "hotel", "quiet", {}),
    ("My favourite editor is Vim.", "Vim", "editor", "Vim", {}),
    ("I like dogs, and today I go to the zoo.", "I like dogs", "pet", "dogs", {}),
    ("I'm tired today. Please always answer in French.", "always answer in French", "language", "French", {}),
    ("I'm tired, so please always answer in French.", "always answer in French", "language", "French", {}),
    ("Hi! Could you please use metric units from now on?", "use metric units from now on", "units", "metric", {}),
    ("I think I like jazz best.", "I like jazz best", "music", "jazz", {}),
    ("When I fly, I prefer window seats.", "I prefer window seats", "travel.seat", "window", {}),
    ("As a vegetarian I never eat meat.", "I never eat meat", "diet.meat", "never meat", {}),
    ("我和我老婆都不吃猪肉。", "我和我老婆都不吃猪肉", "diet.pork", "不吃猪肉", {}),
    ("我平时喜欢喝茶,你帮我记一下。", "我平时喜欢喝茶", "drink", "茶", {}),
    ("客人不吃香菜。", "客人不吃香菜", "diet.cilantro", "不吃香菜", {}),
    ("The guest prefers a high floor.", "prefers a high floor", "hotel.floor", "high floor", {}),
    ("My budget is 500 euros per month.", "My budget is 500 euros per month", "budget.month", "500 euros", {}),
    ("My budget is 1,500 euros.", "My budget is 1,500 euros", "budget.month", "1500 euros", {}),
    ("My budget is 500 euros.", "My budget is 500 euros", "budget.month", 500, {}),
    ("My budget is five hundred euros.", "My budget is five hundred euros", "budget.month", "500 euros", {}),
    ("我的预算是五百元。", "我的预算是五百元", "budget.month", "500元", {}),
    ("I have two kids.", "I have two kids", "kids", 2, {}),
    ("I prefer tea to coffee.", "I prefer tea to coffee", "drink", "tea", {}),
    ("比起咖啡我更喜欢茶。", "比起咖啡我更喜欢茶", "drink", "茶", {}),
    ("Remember this: I prefer aisle seats.", "I prefer aisle seats", "seat", "aisle", {}),
    ("Please note: I prefer aisle seats.", "I prefer aisle seats", "seat", "aisle", {}),
    ("记住:我喜欢靠窗。", "我喜欢靠窗", "seat", "靠窗", {}),
    ("We prefer trams.", "We prefer trams", "transport", "trams", {}),
    ("I will be in Berlin from March on, I want German answers.", "I want German answers", "language", "German", {}),
    ("I'd prefer tea.", "I'd prefer tea", "drink", "tea", {}),
    ("You may have noticed that I prefer tea.", "I prefer tea", "drink", "tea", {}),
    ("I work at Siemens and live in Munich.", "live in Munich", "city", "Munich", {}),
    ("I moved from Rome to Paris.", "I moved from Rome to Paris", "city", "Paris", {}),
    ("我住在上海,我妈妈住在成都。", "我住在上海", "city", "上海", {}),
    ("我女儿对花生过敏。", "我女儿对花生过敏", "allergy.food", "花生", {"about": "daughter"}),
    ("My wife and I love sushi.", "My wife and I love sushi", "food", "sushi", {}),
    ("My kids and I never eat pork.", "never eat pork", "diet.pork", "never eat pork", {}),
    ("I moved the deadline to 15 March.", "I moved the deadline to 15 March", "deadline", "15 March", {}),
    ("I prefer trains during the day.", "I prefer trains during the day", "transport", "trains", {}),
    ("My user: please note I like tea.", "I like tea", "drink", "tea", {}),
    ("I smoke.", "I smoke", "smoker", True, {"content": "The user smokes."}),
    ("I moved from Berlin to Paris.", "I moved from Berlin to Paris", "city", "Paris", {}),
    ("我从北京搬到了上海。", "我从北京搬到了上海", "city", "上海", {}),
    ("I hate jazz.", "I hate jazz", "music.dislikes", "jazz", {}),
    ("My dog is called Rex.", "My dog is called Rex", "dog.name", "Rex", {}),
    ("I would like you to always answer in Dutch.", "always answer in Dutch", "language", "Dutch", {}),
    ("If possible, I prefer window seats.", "I prefer window seats", "seat", "window", {}),
    ("My wheelchair needs a ramp.", "My wheelchair needs a ramp", "accessibility.need", "ramp", {"always": True}),
    (
        "I can spend at most 200 euros a night on hotels.",
        "I can spend at most 200 euros a night on hotels",
        "payment.limit.hotel",
        "200 euros",
        {"always": True},
    ),
    ("我的手机号码不要外传。", "我的手机号码不要外传", "privacy.phone", "不要外传", {}),
    (
        "Please stop using emojis.",
        "Please stop using emojis",
        "style.emojis",
        "stop using emojis",
        {"content": "The user does not want emojis."},
    ),
    (
        "I do not drink coffee.",
        "I do not drink coffee",
        "drink.avoid",
        "coffee",
        {"content": "The user does not drink coffee."},
    ),
]
NOT_SAID: list[Row] = [
    # A word cut out of what was said of it, and sentences in a script that nobody spoke in.
    ("I hate tea.", "tea", "likes", "tea", {"content": "The user likes tea."}),
    ("我讨厌茶。", "茶", "drink.favourite", "茶", {"content": "用户喜欢茶。"}),
    ("I like tea a lot.", "I like tea a lot", "drink", "tea", {"content": "用户叫乌尔夫，在慕尼黑做财务总监。"}),
    ("I like tea.", "I like tea", "drink", "tea", {"content": "The user likes tea. ユーザーは東京に住んでいる。"}),
    ("I like tea.", "I like tea", "drink", "tea", {"content": "Пользователь живёт в Москве."}),
    ("For this one email, write in French.", "write in French", "language", "French", {}),
    ("Just today I'd like the vegetarian menu.", "I'd like the vegetarian menu", "diet", "vegetarian", {}),
    ("今天中午给我点个素食吧。", "给我点个素食", "diet", "素食", {}),
    ("这次报告用英文写就行。", "用英文写", "language", "英文", {}),
    ("My colleague Petra loves spicy food.", "loves spicy food", "food.taste", "spicy food", {}),
    ("我同事老王不吃猪肉。", "不吃猪肉", "diet", "不吃猪肉", {}),
    ("My boss said that I prefer Java.", "I prefer Java", "code.language", "Java", {}),
    ("听说我喜欢用Java写代码,谁传的?", "我喜欢用Java写代码", "code.language", "Java", {}),
    ("Rumour has it I love working weekends.", "I love working weekends", "work.weekends", "loves", {}),
    (
        "Oh sure, I just love getting 50 notifications a day.",
        "I just love getting 50 notifications a day",
        "notifications",
        "50 a day",
        {},
    ),
    ("呵呵,我可真喜欢半夜被电话吵醒呢。", "我可真喜欢半夜被电话吵醒", "contact.time", "半夜", {}),
    (
        "Yeah right, I really enjoy flying economy with screaming babies.",
        "I really enjoy flying economy",
        "travel.class",
        "economy",
        {},
    ),
    (
        'The sign said: "From now on use dark roast only."',
        "From now on use dark roast only",
        "coffee",
        "dark roast",
        {},
    ),
    (
        'He wrote to me: "I prefer window seats." What should I answer him?',
        "I prefer window seats",
        "travel.seat",
        "window",
        {},
    ),
    ("邮件里写着:“以后都用德语回复。”你怎么看?", "以后都用德语回复", "language", "德语", {}),
    ("Do I prefer tea or coffee?", "I prefer tea", "drink", "tea", {}),
    ("Should I live in Berlin?", "I live in Berlin", "city", "Berlin", {}),
    ("我是不是应该住在上海?", "住在上海", "city", "上海", {}),
    ("It's not true that I live in Paris.", "I live in Paris", "city", "Paris", {}),
    ("I don't think I'm allergic to nuts.", "I'm allergic to nuts", "allergy.nuts", "nuts", {}),
    ("并不是我喜欢红色。", "我喜欢红色", "color", "红色", {}),
    ("I never said that I like jazz.", "I like jazz", "music", "jazz", {}),
    ("My sister is a lawyer.", "is a lawyer", "job", "lawyer", {}),
    ("My sister lives in Rome and works as a vet.", "lives in Rome", "city", "Rome", {}),
    ("我妈妈住在成都。", "住在成都", "city", "成都", {}),
    ("I used to live in Madrid.", "live in Madrid", "city", "Madrid", {}),
    ("我以前住在广州。", "住在广州", "city", "广州", {}),
    ("If I moved to Canada, I would prefer Toronto.", "I would prefer Toronto", "city", "Toronto", {}),
    ("Maybe I'll become a vegan one day.", "I'll become a vegan", "diet", "vegan", {}),
    ("Imagine I am a pirate called Redbeard.", "I am a pirate", "job", "pirate", {}),
    ("假设我是一名飞行员。", "我是一名飞行员", "job", "飞行员", {}),
    ("I like dogs but I hate cats.", "I like dogs", "pet", "cats", {}),
    ("I prefer Python over Ruby.", "I prefer Python over Ruby", "code.language", "Ruby", {}),
    ("I can drink two coffees a day.", "I can drink two coffees a day", "coffee.max", "20", {}),
    (
        "My limit for payments is 500 euros.",
        "My limit for payments is 500 euros",
        "payment.limit",
        "5000 euros",
        {"always": True},
    ),
    ("Book it with my wife's card, she prefers hotels with a pool.", "prefers hotels with a pool", "hotel", "pool", {}),
    ("The user manual says the user prefers metric units.", "the user prefers metric units", "units", "metric", {}),
    (
        "Translate into German: I am allergic to penicillin.",
        "I am allergic to penicillin",
        "allergy.drug",
        "penicillin",
        {"always": True},
    ),
    ("翻译成英文:我喜欢吃榴莲。", "我喜欢吃榴莲", "food", "榴莲", {}),
    ("My late husband and I lived in Kyoto; he liked silence.", "liked silence", "noise", "silence", {}),
    ("I'm in Dublin this week.", "I'm in Dublin", "city", "Dublin", {}),
    ("我这周在深圳出差。", "我这周在深圳", "city", "深圳", {}),
    ("I'm tired and hungry.", "I'm tired", "state", "tired", {}),
    ("Remind me to pay rent by Friday.", "pay rent by Friday", "task", "pay rent", {}),
    ("Half of us prefer Linux.", "prefer Linux", "os", "Linux", {}),
    ("She loves tea.", "She loves tea", "drink", "tea", {}),
    ("他喜欢喝茶。", "他喜欢喝茶", "drink", "茶", {}),
    ("My sister lives in Rome.", "My sister lives in Rome", "city", "Rome", {}),
    ("My budget is 500 euros.", "My budget is 500 euros", "budget.month", "50 euros", {}),
    ("My budget is 500 euros.", "My budget is 500 euros", "budget.month", 5000, {}),
    ("I prefer tea to coffee.", "I prefer tea to coffee", "drink", "coffee", {}),
    ("Use tabs instead of spaces.", "Use tabs instead of spaces", "indent", "spaces", {}),
    ("比起咖啡我更喜欢茶。", "比起咖啡我更喜欢茶", "drink", "咖啡", {}),
    ("Proofread this: I prefer aisle seats.", "I prefer aisle seats", "seat", "aisle", {}),
    ("Everyone at work hates Mondays.", "hates Mondays", "day", "Mondays", {}),
    ("People in my town prefer trams.", "prefer trams", "transport", "trams", {}),
    ("Perhaps I'd prefer tea.", "I'd prefer tea", "drink", "tea", {}),
    ("我住在上海,我妈妈住在成都。", "我妈妈住在成都", "city", "成都", {}),
    ("我女儿对花生过敏。", "我女儿对花生过敏", "allergy.food", "花生", {}),
    ("In this project we always deploy with Nomad.", "we always deploy with Nomad", "deploy.tool", "Nomad", {}),
    ("Never tell me about security warnings.", "Never tell me about security warnings", "alerts", "never", {}),
    (
        "I like it when transfers under 500 euros go through without asking me.",
        "transfers under 500 euros go through without asking me",
        "transfers",
        "500 euros",
        {},
    ),
    ("For all future logins use the account of Anna.", "use the account of Anna", "login", "Anna", {}),
    ("I'm vegetarian during Lent.", "I'm vegetarian during Lent", "diet", "vegetarian", {}),
    ("Every summer I live in Nice.", "I live in Nice", "city", "Nice", {}),
    ("I'm on holiday 3-10 December.", "I'm on holiday 3-10 December", "state", "holiday", {}),
    ("Customer: I live in Graz. Agent: thanks.", "I live in Graz", "city", "Graz", {}),
    ("I live in Athens, said Nikos.", "I live in Athens", "city", "Athens", {}),
    ("我住在北京。不对,说错了,是天津。", "我住在北京", "city", "北京", {}),
    ("I live in Paris. No wait, in Rome.", "I live in Paris", "city", "Paris", {}),
    (
        "I'm allergic to peanuts.",
        "I'm allergic to peanuts",
        "allergy.food",
        "peanuts",
        {"always": True, "content": "The user is not allergic to peanuts."},
    ),
    (
        "I prefer metric units.",
        "I prefer metric units",
        "units",
        "metric",
        {"content": "The user never prefers metric units."},
    ),
    (
        "I prefer metric units.",
        "I prefer metric units",
        "units",
        "metric",
        {"content": "Everybody in the company prefers metric units."},
    ),
    ("I prefer metric units.", "I prefer metric units", "allergy.food", "metric", {"always": True}),
    ("I prefer metric units.", "I prefer metric units", "payment.limit", "metric", {"always": True}),
    ("I prefer metric units.", "I prefer metric units", "accessibility.display", "metric", {"always": True}),
    ("I prefer metric units.", "I prefer metric units", "smoker", True, {}),
    ("I moved from Berlin to Paris.", "I moved from Berlin to Paris", "city", "Berlin", {}),
    ("我从北京搬到了上海。", "我从北京搬到了上海", "city", "北京", {}),
    ("I switched from vim to emacs.", "I switched from vim to emacs", "editor", "vim", {}),
    ("I eat everything except fish.", "I eat everything except fish", "food.eats", "fish", {}),
    ("I hate jazz.", "I hate jazz", "music.favourite", "jazz", {}),
    ("我讨厌蓝色。", "我讨厌蓝色", "color.favourite", "蓝色", {}),
    ("I'd love to live in Rome.", "I'd love to live in Rome", "city", "Rome", {}),
    ("I'm thinking of becoming vegetarian.", "I'm thinking of becoming vegetarian", "diet", "vegetarian", {}),
    ("我打算以后吃素。", "我打算以后吃素", "diet", "吃素", {}),
    ("I almost moved to Oslo.", "I almost moved to Oslo", "city", "Oslo", {}),
    ("If it rains I prefer the bus.", "I prefer the bus", "transport", "bus", {}),
    ("下雨的话我就坐公交。", "我就坐公交", "transport", "公交", {}),
    (
        "Forwarded from Anna:\n> I prefer window seats.\nCan you handle it?",
        "I prefer window seats",
        "seat",
        "window",
        {},
    ),
    ("Anna's mail:\n\nHi, I prefer window seats. Best, Anna", "I prefer window seats", "seat", "window", {}),
    ("For example, a user might type: I prefer dark mode.", "I prefer dark mode", "mode", "dark", {}),
    ("Tell Bob to always use tabs.", "always use tabs", "indent", "tabs", {}),
    ("My cat is allergic to fish.", "My cat is allergic to fish", "allergy.food", "fish", {"always": True}),
    ("You live in the cloud, right?", "You live in the cloud", "city", "cloud", {}),
    ("I don't have the basic plan.", "I don't have the basic plan", "bs", "premium plan", {}),
    (
        "From now on pay without asking me.",
        "From now on pay without asking me",
        "conduct.money",
        "pay without asking",
        {},
    ),
]


def outcomes(row: Row) -> dict[str, str]:
    """Return what becomes of a proposal with each of its quotes."""
    text, quote, key, value, more = row
    return {cited: judged(text, cited, key, value, **more) for cited in (quote, text)}


def judged(text: str, quote: str, key: str, value: Any, *, about: str = "", content: str = "", **more: Any) -> str:
    proposal = Proposal(
        level="user",
        kind="semantic",
        key=key,
        value=value,
        content=content or rendered(key, value, None, about),
        about=about,
        source_type="user_explicit",
        quote=quote,
        role_of_observation="user",
        observation_text=text,
        observation_is_by_scope_user=True,
        observed_at=NOW,
        **more,
    )
    return decide(proposal, Facts(), DEFAULT).outcome


@pytest.mark.parametrize("row", SAID, ids=lambda row: row[0])
def test_what_was_said_of_the_user_commits(row: Row):
    assert set(outcomes(row).values()) == {"commit"}


@pytest.mark.parametrize("row", NOT_SAID, ids=lambda row: row[0])
def test_what_was_not_said_so_never_commits(row: Row):
    assert "commit" not in outcomes(row).values()


@pytest.mark.parametrize(
    ("text", "value", "start", "end"),
    [
        ("For the next two weeks I'm on a sugar-free diet.", "sugar-free", None, "2024-12-05"),
        ("I live in Kiel until the end of next year.", "Kiel", None, "2026-01-01"),
        ("Last week I moved to Lyon.", "Lyon", "2024-11-11", None),
        ("我上个月搬到了武汉。", "武汉", "2024-10-01", None),
        ("接下来两周我不吃糖。", "不吃糖", None, "2024-12-05"),
        ("I have lived in Oslo since May.", "Oslo", "2024-05-01", None),
        ("I moved the deadline to 15 March.", "15 March", None, None),
    ],
)
def test_times_are_read_where_they_were_said(text, value, start, end):
    found = [moment and moment.date().isoformat() for moment in stated_times(text, text, value, NOW)]

    assert found == [start, end]


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("5000 euros", "My limit is 500 euros"),
        ("50", "500 euros"),
        ("2026-12-05", "until 6 December"),
        ("20", "two coffees"),
        ("3.10", "Python 3.1"),
        ("2027", "my code is 20"),
    ],
)
def test_a_figure_that_was_not_said_is_seen(claim, said):
    assert unsaid(claim, said) == 1


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("500", "five hundred euros"),
        ("500元", "我的预算是五百元"),
        ("1500 euros", "1,500 euros"),
        ("1500", "1.500 Euro"),
        ("5000", "5k a month"),
        ("20000", "两万"),
        ("350", "三百五十块"),
        ("25", "twenty-five people"),
        ("120", "a hundred and twenty"),
        ("15.00", "15 euros"),
        ("2026-12-05", "until 5 December 2026"),
        ("18:30", "half past six pm"),
        ("20:00", "晚上八点"),
        ("2026", "二〇二六年"),
        ("2027", "next year"),
    ],
)
def test_a_figure_said_otherwise_is_said(claim, said):
    assert unsaid(claim, said) == 0
