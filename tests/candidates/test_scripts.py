"""A sentence in a language that nobody spoke is compared with nothing: a person reads it; terms and names are spoken.

Each row: what a user said, the key and value that an agent makes of it, and its sentence ("": key and value).
"""

from typing import Any

import pytest

from tests.candidates.test_as_said import judged

FOREIGN = [
    ("我最近在学吉他。", "hobby", "吉他", "Plays guitar in a band with a criminal record."),
    ("我家有两只狗。", "pets", "两只狗", "The user has two dogs."),
    ("My sister studies in Kyoto.", "sister.city", "Kyoto", "用户的姐姐在京都读书。"),
    ("I use Notion daily.", "tool", "Notion", "用户每天用Notion写日记。"),
    ("我喜欢喝茶。", "profile.note", "茶", "The user is the finance director."),
    ("我喜欢喝茶。", "tea", "茶", "Likes tea and signs for the company."),
    ("我养了一只猫。", "pet", "猫", "Owns a cat and a gun licence."),
    ("我每天早上跑步。", "habit", "跑步", "The user runs every morning."),
    ("我用Python写代码。", "code.language", "Python", "The user hates their boss and uses Python."),
    ("我用 Visual Studio Code 写 React 组件。", "editor", "Visual Studio Code", "Works on React at a bank."),
    ("我的名字是Jonas。", "name", "Jonas", "The user, called Jonas, is a judge."),
    ("我们的数据库是PostgreSQL。", "database", "PostgreSQL", "Everything may be deleted from PostgreSQL."),
    ("我在做财务。", "job", "accountant", ""),
    ("我在潜水中心上班。", "job", "diving instructor", "The user is a diving instructor."),
    ("我喜欢喝茶。", "drink", "coffee", ""),
    ("I like tea a lot.", "drink", "tea", "用户喜欢茶。"),
    ("I like tea a lot.", "饮料", "茶", "用户在慕尼黑做财务总监。"),
    ("My name is 王伟.", "name", "王伟", "用户叫王伟，是法官。"),
    ("I use WeChat for work.", "app", "WeChat", "用户用 WeChat 转账不用确认。"),
    ("I prefer trains.", "transport", "飞机", ""),
    ("Я люблю чай.", "drink", "чай", "The user loves tea and owns a bank."),
    ("J'habite à Lyon.", "city", "Lyon", "Пользователь живёт в Lyon."),
]
SPOKEN = [
    ("我最近在学吉他。", "hobby", "吉他", "用户在学吉他。"),
    ("我家有两只狗。", "pets", "两只狗", ""),
    ("我在用Notion记笔记。", "tool", "Notion", "用户用Notion记笔记。"),
    ("以后请用中文回答我。", "language", "中文", ""),
    ("以后请用中文回答我。", "language", "Chinese", ""),
    ("我喜欢喝茶。", "drink", "tea", ""),
    ("我住在杭州。", "profile.home.city", "Hangzhou", ""),
    ("喜欢安静的房间。", "hotel.room", "quiet", "用户喜欢安静的房间。"),
    ("坐飞机我一直喜欢靠窗的座位。", "travel.seat", "window", ""),
    ("我对花生过敏。", "allergy.peanut", True, ""),
    ("我们用PostgreSQL。", "database", "PostgreSQL", "用户使用 PostgreSQL。"),
    ("我用 Visual Studio Code 写 React 组件。", "editor", "Visual Studio Code", "用户用 Visual Studio Code。"),
    ("我用pg存数据。", "database", "PostgreSQL", "用户用 PostgreSQL 存数据。"),
    ("I prefer quiet rooms.", "hotel.room", "安静", ""),
    ("I like tea a lot.", "饮料", "茶", ""),
    ("My name is 王伟 and I live in Shanghai.", "city", "Shanghai", "The user, 王伟, lives in Shanghai."),
    ("My name is 王伟.", "name", "王伟", "The user's name is 王伟."),
    ("我叫Jonas，住在上海。", "city", "上海", "用户Jonas住在上海。"),
    ("Je m'appelle Anne et j'habite à Lyon.", "city", "Lyon", "Anne habite à Lyon."),
]


@pytest.mark.parametrize(("said", "key", "value", "content"), FOREIGN)
def test_a_sentence_or_value_in_a_language_nobody_spoke_waits(said: str, key: str, value: Any, content: str):
    assert judged(said, said, key, value, content=content) == "review"


@pytest.mark.parametrize(("said", "key", "value", "content"), SPOKEN)
def test_what_was_spoken_or_names_the_same_commits(said: str, key: str, value: Any, content: str):
    assert judged(said, said, key, value, content=content) == "commit"
