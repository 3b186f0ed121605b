"""A bare word stands under no key, and in no sentence, that tells of it what its clause does not.

Each row: what a user said, what the agent quotes of it, and the key, value and sentence ("": key and value) it makes.
"""

import pytest

from tests.candidates.test_as_said import judged

TOLD_OTHERWISE = [
    ("I miss Hamburg a lot.", "I miss Hamburg a lot.", "home_city", "Hamburg", ""),
    ("I visited Porto last May.", "I visited Porto last May.", "profile.home.city", "Porto", ""),
    ("I admire Tesla.", "I admire Tesla.", "employer", "Tesla", ""),
    ("I own Tesla shares.", "I own Tesla shares.", "profile.employer", "Tesla", ""),
    ("No cilantro, please, ever.", "No cilantro, please, ever.", "favourite.food", "cilantro", ""),
    ("Mushrooms make me sick.", "Mushrooms make me sick.", "food.favourite", "Mushrooms", ""),
    ("我很想念大连。", "我很想念大连。", "home_city", "大连", ""),
    ("我买了腾讯的股票。", "我买了腾讯的股票。", "employer", "腾讯", ""),
    ("我吃芒果会起疹子。", "我吃芒果会起疹子。", "favourite.food", "芒果", ""),
    ("I hate Berlin.", "Berlin", "home_city", "Berlin", ""),
    ("I love Berlin.", "Berlin", "profile.home.city", "Berlin", ""),
    ("I adore Lisbon.", "Lisbon", "city", "Lisbon", ""),
    ("I adore Lisbon.", "I adore Lisbon.", "note", "Lisbon", "The user lives in Lisbon."),
    ("Keep me away from peanuts.", "Keep me away from peanuts.", "favourite.food", "peanuts", ""),
    ("Keep me away from peanuts.", "peanuts", "favourite.food", "peanuts", ""),
    ("Please leave out the onions.", "Please leave out the onions.", "food.likes", "onions", ""),
    ("Hold the mayo on everything.", "Hold the mayo on everything.", "food.favourite", "mayo", ""),
    ("I can't stand cilantro.", "I can't stand cilantro.", "food.likes", "cilantro", ""),
    ("I like tea.", "I like tea.", "employer", "tea", ""),
    ("I like tea.", "tea", "profile.employer", "tea", "The user works at tea."),
    ("I like tea.", "tea", "name", "tea", ""),
    ("I prefer Siemens.", "I prefer Siemens.", "profile.employer", "Siemens", ""),
    ("I live in Oslo.", "I live in Oslo.", "profile.employer", "Oslo", ""),
    ("I work at Bosch.", "I work at Bosch.", "home.city", "Bosch", ""),
    ("I'm allergic to peanuts.", "I'm allergic to peanuts.", "favourite.food", "peanuts", ""),
    ("I love peanuts.", "I love peanuts.", "food.dislikes", "peanuts", ""),
    ("I love peanuts.", "I love peanuts.", "snack", "peanuts", "The user is allergic to peanuts."),
    ("我讨厌柏林。", "柏林", "home_city", "柏林", ""),
    ("我很喜欢成都。", "成都", "profile.home.city", "成都", ""),
    ("我喜欢喝茶。", "我喜欢喝茶。", "employer", "茶", ""),
    ("我喜欢喝茶。", "我喜欢喝茶。", "profile.name", "茶", ""),
    ("离花生远一点。", "离花生远一点。", "favourite.food", "花生", ""),
    ("别给我放香菜。", "别给我放香菜。", "food.likes", "香菜", ""),
    ("我住在上海。", "我住在上海。", "profile.employer", "上海", ""),
    ("我在腾讯上班。", "我在腾讯上班。", "profile.home.city", "腾讯", ""),
    ("我对花生过敏。", "我对花生过敏。", "最爱.食物", "花生", ""),
    ("我喜欢杭州。", "我喜欢杭州。", "note", "杭州", "用户住在杭州。"),
    ("我爱吃花生。", "我爱吃花生。", "food.dislikes", "花生", ""),
    ("I like tea for breakfast.", "I like tea for breakfast.", "employer", "tea", ""),
    ("I love tea from India.", "I love tea from India.", "employer", "tea", ""),
    ("I work in Berlin.", "I work in Berlin.", "home.city", "Berlin", ""),
    ("I live near Siemens.", "I live near Siemens.", "employer", "Siemens", ""),
]
TOLD = [
    (
        "I always fly with Lufthansa.",
        "I always fly with Lufthansa.",
        "airline",
        "Lufthansa",
        "The user flies with Lufthansa.",
    ),
    ("My home is in Graz and I love it.", "My home is in Graz and I love it.", "home_city", "Graz", ""),
    ("I teach at a school in Linz.", "I teach at a school in Linz.", "job.city", "Linz", ""),
    ("I'm employed by Bosch.", "I'm employed by Bosch.", "employer", "Bosch", ""),
    ("I started at Bosch.", "I started at Bosch.", "employer", "Bosch", ""),
    ("I love sushi.", "I love sushi.", "favourite.food", "sushi", ""),
    ("Sushi is the best.", "Sushi is the best.", "favourite.food", "Sushi", ""),
    ("I can't eat peanuts.", "I can't eat peanuts.", "food.avoid", "peanuts", ""),
    ("我家在青岛。", "我家在青岛。", "home_city", "青岛", ""),
    ("我目前就职于字节跳动。", "我目前就职于字节跳动。", "employer", "字节跳动", ""),
    ("我最爱吃火锅。", "我最爱吃火锅。", "favourite.food", "火锅", ""),
    ("I live in Berlin.", "Berlin", "home_city", "Berlin", ""),
    ("I love Berlin, I've lived here for years.", "Berlin", "home_city", "Berlin", ""),
    ("I'm based in Oslo and I love it.", "I'm based in Oslo and I love it.", "city", "Oslo", ""),
    ("I'm at Siemens.", "I'm at Siemens.", "profile.employer", "Siemens", ""),
    ("I love my job at Siemens.", "I love my job at Siemens.", "profile.employer", "Siemens", ""),
    ("I enjoy being a nurse at Charité.", "I enjoy being a nurse at Charité.", "profile.employer", "Charité", ""),
    ("I like tea.", "tea", "drink", "tea", ""),
    ("I like tea.", "I like tea.", "favourite.drink", "tea", ""),
    ("My favourite city is Rome.", "My favourite city is Rome.", "favourite.city", "Rome", ""),
    ("I love Rome more than any other city.", "I love Rome more than any other city.", "favourite.city", "Rome", ""),
    (
        "Short answers work best for me.",
        "Short answers work best for me.",
        "preference.answer",
        "short",
        "The user prefers short answers.",
    ),
    ("Keep me away from peanuts.", "Keep me away from peanuts.", "food.avoid", "peanuts", ""),
    (
        "Keep me away from peanuts.",
        "Keep me away from peanuts.",
        "note.food",
        "peanuts",
        "The user wants to be kept away from peanuts.",
    ),
    ("I hate broccoli.", "broccoli", "food.dislikes", "broccoli", ""),
    ("No onions for me, ever.", "No onions for me, ever.", "food.dislikes", "onions", ""),
    ("I prefer Lufthansa.", "I prefer Lufthansa.", "travel.airline", "Lufthansa", ""),
    ("I prefer remote.", "I prefer remote.", "work.mode", "remote", ""),
    ("I like it at 21 degrees at home.", "I like it at 21 degrees at home.", "home.temperature", "21 degrees", ""),
    ("Call me Jo, everybody likes it.", "Jo", "name", "Jo", ""),
    ("My favourite editor is Vim.", "Vim", "editor", "Vim", ""),
    ("I work in Vim all day.", "I work in Vim all day.", "editor", "Vim", ""),
    ("I work as a nurse.", "I work as a nurse.", "profile.job", "nurse", "The user works as a nurse."),
    ("我住在柏林。", "柏林", "home_city", "柏林", ""),
    ("我喜欢喝茶。", "茶", "drink.favourite", "茶", ""),
    ("我在腾讯做产品。", "我在腾讯做产品。", "profile.employer", "腾讯", ""),
    ("我很喜欢在腾讯工作。", "我很喜欢在腾讯工作。", "profile.employer", "腾讯", ""),
    ("我喜欢成都，在那里住了十年。", "我喜欢成都，在那里住了十年。", "profile.home.city", "成都", ""),
    ("我老家在长沙，我很喜欢那里。", "我老家在长沙，我很喜欢那里。", "hometown", "长沙", ""),
    ("我不吃香菜。", "我不吃香菜。", "food.avoid", "香菜", ""),
    ("我讨厌香菜。", "我讨厌香菜。", "food.dislikes", "香菜", ""),
    ("叫我小乔。", "叫我小乔。", "name", "小乔", ""),
    ("我最爱的城市是苏州。", "我最爱的城市是苏州。", "favourite.city", "苏州", ""),
    ("I love being at Siemens.", "I love being at Siemens.", "employer", "Siemens", ""),
    ("I live and work in Oslo.", "I live and work in Oslo.", "city", "Oslo", ""),
    ("I'm from Lyon and love it.", "I'm from Lyon and love it.", "hometown", "Lyon", ""),
    ("I live in Munich and work for BMW.", "I live in Munich and work for BMW.", "employer", "BMW", ""),
    ("我喜欢在腾讯。", "我喜欢在腾讯。", "employer", "腾讯", ""),
    ("我是苏州人，喜欢吃甜的。", "我是苏州人，喜欢吃甜的。", "hometown", "苏州", ""),
    ("I enjoy my work as a vet.", "I enjoy my work as a vet.", "job", "vet", ""),
]


@pytest.mark.parametrize(("said", "quote", "key", "value", "content"), TOLD_OTHERWISE)
def test_a_word_of_which_something_else_was_told_waits(said: str, quote: str, key: str, value: str, content: str):
    assert judged(said, quote, key, value, content=content) == "review"


@pytest.mark.parametrize(("said", "quote", "key", "value", "content"), TOLD)
def test_a_word_under_a_key_that_fits_its_clause_commits(said: str, quote: str, key: str, value: str, content: str):
    assert judged(said, quote, key, value, content=content) == "commit"
