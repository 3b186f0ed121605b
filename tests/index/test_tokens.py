"""The words of a text, both languages; nothing of them readable."""

import numpy as np
import pytest

from governance.index.tokens import WIDTH, Corner, as_query, bm25, hash_tokens, postings, tokens

KEY = b"k" * 32


def ranked(texts: list[str], query: str) -> list[int]:
    found = postings([hash_tokens(tokens(t), KEY) for t in texts])
    scores = bm25([Corner(found, np.ones(len(texts), dtype=bool), as_query(tokens(query, asked=True), KEY))])[0]
    return [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > 0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Running shoes", ["run", "shoe"]),
        ("ＰＹＴＨＯＮ 3.9", ["python", "3", "9"]),
        ("对花生过敏", ["对花", "花生", "生过", "过敏"]),
        ("茶", ["茶"]),
        ("用Python写", ["用", "python", "写"]),
        ("", []),
    ],
)
def test_tokens(text, found):
    assert tokens(text) == found


def test_a_question_of_nothing_but_small_words_keeps_them():
    assert tokens("what is it", asked=True) == tokens("what is it")


def test_the_text_with_the_words_comes_first():
    texts = ["用户喜欢绿茶", "用户对花生过敏", "The user runs every morning", "A user walks"]

    assert ranked(texts, "花生") == [1]
    assert ranked(texts, "who is running") == [2]


def test_hashes_differ_between_scopes_and_tell_no_words():
    one, other = hash_tokens(["peanut"], KEY), hash_tokens(["peanut"], b"o" * 32)

    assert one != other
    assert len(one) == WIDTH
    assert b"peanut" not in one


def test_what_does_not_count_changes_no_score():
    blobs = [hash_tokens(tokens(t), KEY) for t in ("green tea", "green tea", "black tea")]
    query = as_query(["green"], KEY)
    alone = bm25([Corner(postings(blobs[1:]), np.array([True, True]), query)])[0]

    hidden = bm25([Corner(postings(blobs), np.array([False, True, True]), query)])[0]

    assert hidden[0] == 0
    assert np.allclose(hidden[1:], alone)
