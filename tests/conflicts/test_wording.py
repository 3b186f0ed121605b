"""A change is told from a denial by the words of both."""

import pytest

from governance.conflicts.rules import contradicts


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I downloaded Zotero in March.", "I've never used any citation software."),
        ("I performed in the recital.", "I've never actually performed in a recital."),
        ("I met Kelly at the book club.", "I have never met Kelly."),
        ("I attended the workshop.", "I haven't ever attended a workshop."),
        ("I've never written a Flask route.", "My Flask route returns static HTML."),
        ("我用 Zotero 管理文献。", "我从来没有用过文献管理软件。"),
        ("我没去过罗马。", "我在罗马看过斗兽场。"),
        ("I was born in 1985.", "My birthday is in 1988, the year I was born."),
        ("我毕业于复旦大学。", "我毕业于南京大学。"),
        ("I toured Japan in 2016.", "I doubt that I have ever been to Asia."),
        ("We ran Kubernetes at work.", "This is my first time with Kubernetes."),
        ("I took the night train to Vienna.", "I flew to Vienna."),
        ("I attended the conference.", "I did not attend the conference."),
        ("I handed in the thesis in May.", "I am still writing the thesis."),
        ("I have always lived in this town.", "As a child I lived in Toulouse."),
        ("I am an only child.", "My twin sister lives in Ghent."),
        ("手表是爷爷送给我的。", "手表是我自己买的。"),
        ("我参加了去年的年会。", "去年的年会我没参加。"),
    ],
)
def test_who_denies_what_they_said_is_asked(earlier, later):
    assert contradicts(later, earlier)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Leeds.", "I moved to Bristol."),
        ("I live in Leeds.", "I live in Bristol."),
        ("I've never used Zotero.", "I started using Zotero yesterday."),
        ("I drink coffee.", "I never drink coffee any more."),
        ("I eat meat.", "I'll never again eat meat."),
        ("I like jazz.", "I don't like jazz."),
        ("I was born in 1985.", "Sorry, I meant that I was born in 1986."),
        ("I was born in 1985.", "Actually, I was born in 1986."),
        ("我没用过 Zotero。", "我已经开始用 Zotero 了。"),
        ("我喝咖啡。", "我再也不喝咖啡了。"),
        ("我毕业于复旦大学。", "我说错了，我毕业于南京大学。"),
        ("我住在苏州。", "我从北京过来，住在杭州。"),
        ("I ran the marathon in 3:52.", "I ran the marathon in 3:41."),
        ("We built the site with Rails.", "We rewrote the site in Phoenix this year."),
        ("My parents live in a farmhouse.", "My parents sold the farmhouse and rent a flat."),
        ("I graduated in 2012.", "I graduated in 2012 from Delft."),
        ("I drink coffee.", "It is the best coffee I have ever had."),
        ("我每周去两次健身房。", "我每周去四次健身房。"),
    ],
)
def test_what_changed_or_was_corrected_simply_replaces(earlier, later):
    assert not contradicts(later, earlier)


def test_a_preference_is_the_latest_word_about_it():
    assert contradicts("I loved the steak.", "I ordered the fish.", "dinner.friday")
    assert not contradicts("I loved the steak.", "I ordered the fish.", "preference.dinner")
