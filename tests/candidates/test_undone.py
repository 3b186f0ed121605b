"""What a turn denies, takes back, ties to a condition or tells of the past is not remembered as its contrary.

Each row: what a user said, what the agent quotes of it, and the key, value and sentence ("": key and value) it makes.
"""

from typing import Any

import pytest

from tests.candidates.test_as_said import judged

Row = tuple[str, str, str, Any, str]

DENIED: list[Row] = [
    ("I'm not a smoker.", "", "habit.smoker", True, "The user is a smoker."),
    ("I'm not a vegan.", "", "diet.vegan", True, ""),
    ("I am no longer a member of the gym.", "", "gym.member", True, "The user is a member of the gym."),
    ("I don't eat shellfish.", "", "diet.shellfish", True, "The user eats shellfish."),
    ("I don't eat shellfish.", "", "diet", "shellfish", "The user eats shellfish."),
    ("I never drink alcohol.", "", "drink.alcohol", True, "The user drinks alcohol."),
    ("We don't use Terraform.", "", "project.terraform", True, "The project uses Terraform."),
    ("We aren't using Redis here.", "", "stack.redis", True, "The project uses Redis."),
    ("I don't have a car.", "", "car", True, "The user has a car."),
    ("I can't swim.", "", "sport.swim", True, "The user can swim."),
    ("I've never been to Peru.", "", "travel.peru", True, "The user has been to Peru."),
    ("I'm not a fan of musicals at all.", "", "taste.musicals", True, "The user is a fan of musicals."),
    ("I'm anything but an early bird.", "", "habit.early_bird", True, "The user is an early bird."),
    ("I couldn't care less about football.", "", "sport.football", True, "The user cares about football."),
    ("I'm far from fluent in Dutch.", "", "language.dutch", "fluent", "The user is fluent in Dutch."),
    ("Opera leaves me cold.", "", "taste.opera", True, "The user enjoys opera."),
    ("Camping isn't my thing.", "", "travel.camping", True, "The user likes camping."),
    ("我不喝酒。", "", "habit.alcohol", True, "用户喝酒。"),
    ("我不是素食者。", "", "diet.vegetarian", True, "用户是素食者。"),
    ("我没有车。", "", "car", True, "用户有车。"),
    ("我们没用 Redis。", "", "project.redis", True, "项目使用 Redis。"),
    ("我不会游泳。", "", "sport.swim", True, "用户会游泳。"),
    ("我从来不熬夜。", "", "habit.late", True, "用户熬夜。"),
    ("我对歌剧无感。", "", "taste.opera", True, "用户喜欢歌剧。"),
    ("奶茶我戒了。", "", "drink.milk_tea", True, "用户喝奶茶。"),
    ("足球我不感兴趣。", "", "sport.football", True, "用户对足球感兴趣。"),
]
SAID_SO: list[Row] = [
    ("I don't eat shellfish.", "", "diet.shellfish", False, "The user does not eat shellfish."),
    ("I don't eat shellfish.", "", "diet.avoid", "shellfish", "The user avoids shellfish."),
    ("I'm not a smoker.", "", "habit.smoker", False, "The user is a non-smoker."),
    ("I can't live without coffee.", "", "drink.coffee", True, "The user can't live without coffee."),
    ("I never skip breakfast.", "", "habit.breakfast", True, "The user eats breakfast."),
    ("I can't get enough of curry.", "", "food.favourite", "curry", "The user loves curry."),
    ("I don't mind early flights.", "", "travel.early_flights", True, "The user is fine with early flights."),
    ("Never book meetings before 9 am.", "", "meetings.earliest", "9 am", "Meetings are booked from 9 am on."),
    ("I'm not just a nurse, I'm a head nurse.", "I'm a head nurse", "job", "head nurse", "The user is a head nurse."),
    ("I don't eat meat, I'm a vegetarian.", "I'm a vegetarian", "diet.vegetarian", True, "The user is a vegetarian."),
    ("I don't like calls, write to me.", "write to me", "contact", "write", "The user wants to be written to."),
    (
        "I can't climb stairs.",
        "",
        "accessibility.walking",
        "can't climb stairs",
        "The user has difficulty with stairs.",
    ),
    ("I dont have any kids.", "", "family.note", "I dont have any kids.", "I dont have any kids."),
    ("I use Vim.", "", "tools.vim", True, "The user uses Vim."),
    ("No spicy food for me, please.", "", "food.spicy", False, "The user does not eat spicy food."),
    ("I don't drink coffee after 3 pm.", "", "drink.coffee.latest", "3 pm", "The user drinks coffee until 3 pm."),
    ("我不喝酒。", "", "habit.alcohol", False, "用户不喝酒。"),
    ("我离不开咖啡。", "", "drink", "咖啡", "用户离不开咖啡。"),
    ("我不介意早班机。", "", "travel.early", "早班机", "用户不介意早班机。"),
    ("我戒烟了。", "", "habit.smoking", "戒烟", "用户戒烟了。"),
    ("我不仅会法语,还会德语。", "还会德语", "language", "德语", "用户会德语。"),
    ("我不吃肉,我吃素。", "我吃素", "diet.type", "吃素", "用户吃素。"),
]
TAKEN_BACK: list[Row] = [
    ("I live in Bergen. Hmm, sorry, I got that wrong.", "I live in Bergen", "city", "Bergen", ""),
    ("My limit is 400 euros. Er, make that 600.", "My limit is 400 euros", "hotel.limit", "400 euros", ""),
    ("I prefer red wine. Or rather, white.", "I prefer red wine", "drink.wine", "red", ""),
    ("I prefer trains - scratch that, planes.", "I prefer trains", "travel.mode", "trains", ""),
    ("I work at Nokia, no wait, that was my old job.", "I work at Nokia", "employer", "Nokia", ""),
    ("I'm a vegetarian. Never mind, forget I said it.", "I'm a vegetarian", "diet.type", "vegetarian", ""),
    ("I like dogs. Oh, I mixed those two up.", "I like dogs", "pet", "dogs", ""),
    ("I like tea... on second thought, coffee.", "I like tea", "drink", "tea", ""),
    ("Call me Al. Oops, typo.", "Call me Al", "name", "Al", ""),
    ("我喜欢靠窗的座位……算了算了,当我没说。", "我喜欢靠窗的座位", "travel.seat", "靠窗", ""),
    ("我住在苏州,哦不,还是写无锡吧。", "我住在苏州", "city", "苏州", ""),
    ("我住在苏州。啊不对,是无锡。", "我住在苏州", "city", "苏州", ""),
    ("我的预算是四百元。呃说错了,六百。", "我的预算是四百元", "budget.month", "四百元", ""),
    ("我在华为上班,等等,记混了。", "我在华为上班", "employer", "华为", ""),
    ("我吃素。当我没说。", "我吃素", "diet.type", "吃素", ""),
    ("我喜欢红色。更正一下,是橙色。", "我喜欢红色", "color", "红色", ""),
]
NOT_TAKEN_BACK: list[Row] = [
    ("I live in Bergen. Sorry, can I ask something else?", "I live in Bergen", "city", "Bergen", ""),
    ("I live in Paris. No wait, I live in Rome.", "I live in Rome", "city", "Rome", ""),
    ("I prefer tea, not coffee.", "I prefer tea", "drink", "tea", ""),
    ("I like tea. Actually, could you find me a shop?", "I like tea", "drink", "tea", ""),
    ("I'm a nurse. Well, anyway, book the train.", "I'm a nurse", "job", "nurse", ""),
    ("I prefer trains. Make sure you book early.", "I prefer trains", "travel.mode", "trains", ""),
    ("I'm vegan. Wait for my confirmation before booking.", "I'm vegan", "diet.type", "vegan", ""),
    ("I work at Nokia. I made a mistake in the report yesterday.", "I work at Nokia", "employer", "Nokia", ""),
    ("我住在苏州,不是无锡。", "我住在苏州", "city", "苏州", ""),
    ("我喜欢茶。对了,帮我查一下天气。", "我喜欢茶", "drink", "茶", ""),
    ("我住在无锡。不好意思,再问一下。", "我住在无锡", "city", "无锡", ""),
    ("我吃素,还是很喜欢甜食。", "我吃素", "diet.type", "吃素", ""),
]


def judged_row(row: Row) -> str:
    text, quote, key, value, content = row
    return judged(text, quote or text, key, value, content=content)


@pytest.mark.parametrize("row", DENIED, ids=lambda row: row[0])
def test_what_was_denied_is_not_affirmed(row: Row):
    assert judged_row(row) == "review"


@pytest.mark.parametrize("row", SAID_SO, ids=lambda row: row[0])
def test_a_denial_told_as_one_commits(row: Row):
    assert judged_row(row) == "commit"


@pytest.mark.parametrize("row", TAKEN_BACK, ids=lambda row: row[0])
def test_what_the_next_words_take_back_waits(row: Row):
    assert judged_row(row) == "review"


@pytest.mark.parametrize("row", NOT_TAKEN_BACK, ids=lambda row: row[0])
def test_what_the_next_words_leave_standing_commits(row: Row):
    assert judged_row(row) == "commit"


PAST: list[Row] = [
    ("I was a smoker.", "", "habit.smoker", True, "The user is a smoker."),
    ("Back in school I was a goalkeeper, gave it up ages ago.", "I was a goalkeeper", "hobby", "goalkeeper", ""),
    ("I worked at Ericsson.", "", "employer", "Ericsson", "The user works at Ericsson."),
    ("I worked at Ericsson.", "", "employer", "Ericsson", ""),
    ("I lived in Ghent for four years.", "", "city", "Ghent", "The user lives in Ghent."),
    ("We were on Oracle.", "", "project.database", "Oracle", "The project uses Oracle."),
    ("We used Oracle for the billing.", "", "project.database", "Oracle", "The project uses Oracle."),
    ("As a kid I played the violin.", "I played the violin", "hobby", "violin", "The user plays the violin."),
    ("I had a dog.", "", "pet", "dog", "The user has a dog."),
    ("When I was small, I hated fish.", "I hated fish", "food.dislikes", "fish", "The user hates fish."),
    ("I applied for a job at Ericsson.", "", "employer", "Ericsson", "The user works at Ericsson."),
    ("I had an interview with Ericsson.", "", "employer", "Ericsson", ""),
    ("读大学那会儿我抽烟,早戒了。", "我抽烟", "habit.smoking", "抽烟", "用户抽烟。"),
    ("小时候我住在苏州。", "我住在苏州", "city", "苏州", "用户住在苏州。"),
    ("小时候,我很怕狗。", "我很怕狗", "fear", "狗", "用户怕狗。"),
    ("刚毕业那两年我在华为上班。", "我在华为上班", "employer", "华为", "用户在华为上班。"),
    ("怀孕前我天天喝咖啡。", "我天天喝咖啡", "drink", "咖啡", "用户喝咖啡。"),
    ("我们原先用的是 Oracle。", "", "project.database", "Oracle", "项目用的是 Oracle。"),
    ("我在华为工作过。", "", "employer", "华为", "用户在华为工作。"),
    ("我投了华为的简历。", "", "employer", "华为", ""),
]
PRESENT: list[Row] = [
    ("I moved to Ghent.", "", "city", "Ghent", "The user lives in Ghent."),
    ("I switched to Vim.", "", "editor", "Vim", "The user uses Vim."),
    ("I decided to go vegan.", "", "diet.type", "vegan", "The user is vegan."),
    ("I got a dog.", "", "pet", "dog", "The user has a dog."),
    ("I told you I prefer tea.", "I prefer tea", "drink", "tea", "The user prefers tea."),
    ("I was born in Ghent.", "", "birthplace", "Ghent", "The user was born in Ghent."),
    ("I worked at Ericsson.", "", "former_employer", "Ericsson", "The user worked at Ericsson."),
    ("I've lived in Ghent since I was a child.", "", "city", "Ghent", "The user lives in Ghent."),
    ("I was in Bonn for a while, but now I live in Ghent.", "I live in Ghent", "city", "Ghent", ""),
    ("我搬到了苏州。", "", "city", "苏州", "用户住在苏州。"),
    ("我从小就怕狗。", "", "fear", "狗", "用户怕狗。"),
    ("我小时候就对花生过敏。", "", "allergy.花生", "花生", "用户对花生过敏。"),
    ("我在华为上班。", "", "employer", "华为", "用户在华为上班。"),
    ("我养了一只猫。", "", "pet", "猫", "用户养了一只猫。"),
    ("后来我搬到了苏州。", "", "city", "苏州", "用户住在苏州。"),
]
CONDITIONAL: list[Row] = [
    ("We will use Pulsar only if the pilot works out.", "We will use Pulsar", "project.queue", "Pulsar", ""),
    ("I take the sleeper, provided it isn't sold out.", "I take the sleeper", "travel.mode", "sleeper", ""),
    ("I work from the Ghent office as long as the train runs.", "I work from the Ghent office", "office", "Ghent", ""),
    ("I'm staying at Nokia, unless they cut my pay.", "I'm staying at Nokia", "employer", "Nokia", ""),
    ("我们用 Pulsar,前提是试点能过。", "我们用 Pulsar", "project.queue", "Pulsar", ""),
    ("我去华为上班,如果他们给我涨工资的话。", "我去华为上班", "employer", "华为", ""),
    ("我坐高铁,除非下大雪。", "我坐高铁", "travel.mode", "高铁", ""),
    ("我住苏州,要是房东肯续租的话。", "我住苏州", "city", "苏州", ""),
]
UNCONDITIONAL: list[Row] = [
    ("I prefer aisle seats if possible.", "I prefer aisle seats", "travel.seat", "aisle", ""),
    ("I'm vegan, let me know if that's a problem.", "I'm vegan", "diet.type", "vegan", ""),
    ("Answer in German unless I say otherwise.", "Answer in German", "language", "German", ""),
    ("I live in Ghent, if that helps.", "I live in Ghent", "city", "Ghent", ""),
    ("I prefer tea, and if you book a hotel, check the reviews.", "I prefer tea", "drink", "tea", ""),
    ("I prefer tea. If coffee is your thing, fine.", "I prefer tea", "drink", "tea", ""),
    ("I take the train even if it's slow.", "I take the train", "travel.mode", "train", ""),
    ("我喜欢靠窗的座位,如果可以的话。", "我喜欢靠窗的座位", "travel.seat", "靠窗", ""),
    ("我吃素,所以如果订餐请注意。", "我吃素", "diet.type", "吃素", ""),
]


@pytest.mark.parametrize("row", PAST, ids=lambda row: row[0])
def test_what_was_is_not_what_is(row: Row):
    assert judged_row(row) != "commit"


@pytest.mark.parametrize("row", PRESENT, ids=lambda row: row[0])
def test_what_changed_or_was_always_so_is(row: Row):
    assert judged_row(row) == "commit"


@pytest.mark.parametrize("row", CONDITIONAL, ids=lambda row: row[0])
def test_what_hangs_on_a_condition_waits(row: Row):
    assert judged_row(row) == "review"


@pytest.mark.parametrize("row", UNCONDITIONAL, ids=lambda row: row[0])
def test_a_courtesy_is_no_condition(row: Row):
    assert judged_row(row) == "commit"
