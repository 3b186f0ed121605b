"""Weighing, pure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.policies.rules import DEFAULT
from governance.retrieval import rules
from governance.retrieval.rules import Keyed, Piece

PIECES = st.lists(st.integers(1, 300), max_size=12)


@given(PIECES, PIECES, PIECES, st.integers(1, 2000), st.integers(0, 200), st.floats(0, 1))
def test_the_budget_is_never_exceeded_and_nothing_is_dropped_silently(binding, always, ranked, budget, frame, share):
    named = {
        name: [Piece(f"{name}{i}", tokens) for i, tokens in enumerate(sizes)]
        for name, sizes in (("b", binding), ("a", always), ("r", ranked))
    }

    packed = rules.pack(
        frame=frame, binding=named["b"], always=named["a"], ranked=named["r"], budget=budget, share=share
    )

    cost = {p.id: p.tokens for pieces in named.values() for p in pieces}
    taken = [*packed.binding, *packed.always, *packed.ranked]
    assert packed.tokens <= budget
    assert not taken or packed.tokens == frame + sum(cost[i] for i in taken)
    assert sum(cost[i] for i in packed.always) <= budget * share
    assert sorted([*taken, *packed.left_out]) == sorted(cost)
    assert len(packed.binding) == len(binding) or not [*packed.always, *packed.ranked]


def test_where_a_rule_finds_no_room_no_memory_stands_without_it():
    packed = rules.pack(
        frame=10,
        binding=[Piece("short", 5), Piece("long", 50)],
        always=[Piece("allergy", 1)],
        ranked=[Piece("tea", 1)],
        budget=30,
        share=0.5,
    )

    assert (packed.binding, packed.always, packed.ranked) == (["short"], [], [])
    assert packed.left_out == {"long": "budget", "allergy": "budget", "tea": "budget"}


def test_half_of_its_freshness_is_left_after_a_half_life():
    assert rules.freshness(90 * rules.DAY, 90) == pytest.approx(0.5)
    assert rules.freshness(-5, 90) == 1.0


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("what language does the user like", ["language"]),
        ("which programming language", ["code-language"]),
        ("用户说什么语言", ["language"]),
        ("any allergies?", ["allergy"]),
        ("dbase and hardbound", []),
    ],
)
def test_a_question_names_a_key_by_the_longest_label(query, named):
    assert rules.rules_named(query, DEFAULT.key_rules) == named


@pytest.mark.parametrize(
    ("query", "kind"),
    [("why did we move", "episodic"), ("上次去了哪里", "episodic"), ("how should I deploy", "procedural"), ("tea", "")],
)
def test_a_question_says_what_kind_it_is_after(query, kind):
    assert rules.asked_kind(query) == kind


def test_the_narrowest_scope_wins_but_not_over_what_happened_or_several_values():
    rows = [
        Keyed("wide", "k", "tenant", "semantic"),
        Keyed("narrow", "k", "user", "semantic"),
        Keyed("event", "k", "project", "episodic"),
        Keyed("many", "m", "tenant", "semantic", multi=True),
        Keyed("many-too", "m", "user", "semantic", multi=True),
    ]

    assert rules.overruled(rows) == {"wide": "narrow"}


def test_relevance_is_the_sum_of_what_vectors_and_words_say():
    words, cosines = np.array([0.0, 0.5, 0.5, 0.0]), np.array([0.8, 0.8, np.nan, np.nan])

    found = rules.fused_all(words, cosines, (0.6, 1.0))

    words_say = (1 - rules.VECTOR_SHARE) * 0.5**rules.WORDS_RAISED
    unknown = rules.VECTOR_SHARE * rules.UNKNOWN_VECTOR
    assert np.allclose(found, [rules.VECTOR_SHARE / 2, rules.VECTOR_SHARE / 2 + words_say, unknown + words_say, 0.0])
