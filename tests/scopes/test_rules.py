import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.errors import Invalid
from governance.scopes import keys
from governance.scopes.rules import Actor, Grant, clean_name, default_grants, parse_grant, parse_scope


@pytest.mark.parametrize("name", ["u1", "acme/corp", "a:b", "100%", "a_b", "..", "张三", "🦜", "a b"])
def test_an_id_is_taken_as_it_is(name):
    assert clean_name(name, "/user") == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " u1", "u1 ", "u\n1", "u\x001", "u\u200b1", "u\u202e1", "\ufeffu1", "\ud800", "x" * 201, 7, None, ["u"]),
        *(
            "u\u034f1",
            "u\u115f1",
            "u\u17b51",
            "u\u180b1",
            "u\u2800",
            "u\u3164",
            "u\ufe0f1",
            "u\uffa0",
            "u\uffff1",
            "u\U000e01001",
        ),
    ],
)
def test_an_id_that_could_be_mistaken_for_another_is_refused(name):
    with pytest.raises(Invalid) as refused:
        clean_name(name, "/user")

    assert refused.value.errors[0]["pointer"] == "/user"


def test_two_spellings_of_one_letter_are_one_id():
    assert clean_name("Cafe\u0301", "/user") == clean_name("Caf\u00e9", "/user")


@pytest.mark.parametrize(
    ("scope", "pointer"),
    [
        ({}, "/scope/level"),
        ({"level": "team"}, "/scope/level"),
        ({"level": ["user"]}, "/scope/level"),
        ({"level": "user"}, "/scope/user"),
        ({"level": "user", "user": "u", "project": "p"}, "/scope/project"),
        ({"level": "session", "user": "u"}, "/scope/session"),
        ({"level": "tenant", "user": "u"}, "/scope/user"),
        ({"level": "user", "user": "u", "usr": "x"}, "/scope"),
        ({"level": "user", "user": None}, "/scope/user"),
        ("user", "/scope"),
        (None, "/scope"),
    ],
)
def test_a_scope_that_is_not_exact_is_refused_by_the_name_of_its_field(scope, pointer):
    with pytest.raises(Invalid) as refused:
        parse_scope(scope)

    assert pointer in {e["pointer"] for e in refused.value.errors}


def test_a_default_key_sees_no_lists_and_manages_nothing():
    granted = {g.action for g in default_grants()}

    assert "inspect" not in granted
    assert "manage" not in granted
    assert {g.level for g in default_grants()} == {"session", "user", "agent", "project"}


def test_a_grant_for_one_project_is_none_for_another():
    actor = Actor(tenant="t", id="agent:a", agent="a", grants=frozenset({Grant("recall", "project", "p1")}))

    assert actor.holds("recall", "project", "p1")
    assert not actor.holds("recall", "project", "p2")
    assert not actor.holds("recall", "user")


@pytest.mark.parametrize("text", ["recall", "fly:user", "recall:planet", "recall:user:p1", ""])
def test_a_grant_that_means_nothing_is_refused(text):
    with pytest.raises(Invalid):
        parse_grant(text)


def test_a_key_is_told_from_a_typing_error_without_a_database():
    key = keys.make()
    wrong = key.text[:-1] + ("A" if key.text[-1] != "A" else "B")

    assert keys.parse(key.text) == (key.id, key.secret_hash)
    assert keys.parse(wrong) is None


@given(st.text(max_size=60))
def test_no_other_text_is_a_key(text):
    assert keys.parse(text) is None
