"""Keys that may mean the same are told from keys that only resemble each other."""

import pytest

from governance.conflicts.rules import alike, is_one_claim
from governance.policies.rules import DEFAULT_KEY_RULES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("preference.favourite.colour", "preference.favorite.color"),
        ("profile.home.city", "home.town"),
        ("user.email", "profile.mail"),
        ("environment.prod.database", "environment.prod.db"),
        ("preference.travel.seat", "travel.seats"),
        ("language", "preference.语言"),
    ],
)
def test_one_thing_under_two_names_is_offered(one, other):
    assert alike([one, other], DEFAULT_KEY_RULES) == [(one, other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("environment.dev.database", "environment.prod.database"),
        ("preference.number.n1", "preference.number.n11"),
        ("profile.home.city", "profile.work.city"),
        ("preference.drink.morning", "preference.drink.evening"),
        ("order.77.state", "order.78.state"),
        ("profile.name", "preference.name.of.pet"),
        ("user", "profile"),
    ],
)
def test_what_differs_in_one_telling_part_is_not(one, other):
    assert alike([one, other], DEFAULT_KEY_RULES) == []


@pytest.mark.parametrize(
    ("one", "said", "other", "said_of_other"),
    [
        ("Python 3.9", "We are on Python 3.9.", "3.9", "The project runs on 3.9."),
        ("3.9", "It runs on Python 3.9", "Python 3.9", ""),
        ("iPhone 12", "", "12", ""),
    ],
)
def test_a_number_with_its_name_before_it_is_one_claim(one, said, other, said_of_other):
    assert is_one_claim(one, said, other, said_of_other)
    assert is_one_claim(other, said_of_other, one, said)


@pytest.mark.parametrize(
    ("one", "said", "other", "said_of_other"),
    [
        ("Python 3.9", "", "Ruby 3.9", ""),
        ("Ruby 3.9", "", "3.9", "The project runs on Python 3.9."),
        ("Python 3.9", "", "3.10", "The project runs on 3.10."),
        ("Python 3.9", "", "3.9.1", ""),
        ("PostgreSQL", "", "MySQL", ""),
    ],
)
def test_another_name_or_number_is_another_claim(one, said, other, said_of_other):
    assert not is_one_claim(one, said, other, said_of_other)
    assert not is_one_claim(other, said_of_other, one, said)
