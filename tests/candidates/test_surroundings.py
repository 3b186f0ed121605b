"""A quote cut out of its sentence does not say what the sentence does not."""

import pytest

from governance.candidates.stages.surroundings import is_torn

TORN = [
    ("Please never use tabs in my code.", "use tabs"),
    ("I do not live in Vienna.", "live in Vienna"),
    ("My colleague said I live in Bonn, that is false.", "I live in Bonn"),
    ("Is it true that I live in Kiel?", "I live in Kiel"),
    ("Just for today: I want answers in Dutch.", "I want answers in Dutch"),
    ("he said: I prefer dark mode", "I prefer dark mode"),
    ("请不要用制表符缩进", "用制表符缩进"),
    ("Please do not use crimson buttons.", "use crimson buttons"),
    ("It is not GitLab CI.", "GitLab CI"),
    ("If I lived in Berlin I would be happy.", "If I lived in Berlin I would be happy"),
    ("I wish I lived in Zug.", "I wish I lived in Zug."),
    ("我希望我住在拉萨", "我希望我住在拉萨"),
    ("I live in Paris, just kidding.", "I live in Paris"),
    ("No, please do not do that; Elm is wrong.", "do that"),
]
WHOLE = [
    ("I don't like tabs, use spaces.", "use spaces"),
    ("Don't use tabs but use spaces.", "use spaces"),
    ("I said I prefer window seats.", "I prefer window seats"),
    ("Never mind. I live in Vienna.", "I live in Vienna"),
    ("From now on answer in English, please.", "answer in English"),
    ("不要用制表符，用空格缩进", "用空格缩进"),
    ("Could you always answer in English?", "always answer in English"),
    ("If possible, I prefer window seats.", "I prefer window seats"),
    ("I do not eat beef.", "I do not eat beef"),
    ("Not only that, I live in Vienna now.", "I live in Vienna now"),
    ("I live in Vienna. Is it true that it rains?", "I live in Vienna"),
]


@pytest.mark.parametrize(("text", "quote"), TORN)
def test_what_denies_reports_asks_supposes_or_limits_around_a_quote_is_seen(text, quote):
    assert is_torn(quote, text)


@pytest.mark.parametrize(("text", "quote"), WHOLE)
def test_what_says_the_same_in_its_sentence_stands(text, quote):
    assert not is_torn(quote, text)
