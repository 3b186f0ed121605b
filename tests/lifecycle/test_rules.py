"""What is kept in front, and for how long: pure."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from governance.lifecycle.rules import Ageing, Source, extract, next_step, priority, utility
from governance.policies.documents import from_document
from governance.policies.rules import DEFAULT

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def an_ageing(**known) -> Ageing:
    base = Ageing(kind="semantic", key_rule="", retention="standard", confidence=0.9, last_observed_at=ago(0))
    return replace(base, **known)


def test_priority_is_utility_times_confidence_times_freshness():
    fresh, old = an_ageing(), an_ageing(last_observed_at=ago(365))

    assert priority(fresh, DEFAULT, NOW) == pytest.approx(0.8 * 0.5 * 0.9)
    assert priority(old, DEFAULT, NOW) == pytest.approx(0.8 * 0.5 * 0.9 * 0.5)


def test_use_feeds_utility_and_never_more_than_its_worth():
    shares = [utility(an_ageing(injected=n), DEFAULT) for n in (0, 1, 3, 1000)]

    assert shares == pytest.approx([0.4, 0.6, 0.75, 0.8])
    assert utility(an_ageing(recalled=4), DEFAULT) == utility(an_ageing(injected=1), DEFAULT)


@pytest.mark.parametrize(
    ("known", "step"),
    [
        ({"last_observed_at": ago(3000)}, "demote"),
        ({"last_observed_at": ago(100)}, ""),
        ({"last_observed_at": ago(29), "confidence": 0.01}, ""),  # too new to be judged
        ({"last_observed_at": ago(3000), "last_injected_at": ago(89)}, ""),
        ({"last_observed_at": ago(3000), "is_safe": True}, ""),
        ({"last_observed_at": ago(3000), "retention": "keep"}, ""),
        ({"demoted": True, "shelved_at": ago(179)}, ""),
        ({"demoted": True, "shelved_at": ago(180)}, "archive"),
        ({"demoted": True, "archived": True, "shelved_at": ago(729)}, ""),
        ({"demoted": True, "archived": True, "shelved_at": ago(730)}, "mark-due"),
        ({"demoted": True, "archived": True, "shelved_at": ago(3000), "due": True}, ""),
        ({"retracted": True, "shelved_at": ago(730)}, "mark-due"),
        ({"retracted": True, "is_safe": True, "shelved_at": ago(730)}, "mark-due"),
        ({"retention": "short", "last_observed_at": ago(31)}, "expire"),
        ({"retention": "short", "last_observed_at": ago(31), "closed": True}, ""),
        ({"retention": "unheard-of", "last_observed_at": ago(3000)}, "demote"),
    ],
)
def test_one_step_at_a_time(known, step):
    assert next_step(an_ageing(**known), DEFAULT, NOW) == step


def test_a_policy_says_otherwise():
    policy = from_document(2, {"retention": {"standard": {"demote_below": 0.3}}, "sweep": {"grace_days": 5}})

    assert next_step(an_ageing(last_observed_at=ago(365)), policy, NOW) == "demote"
    assert next_step(an_ageing(last_observed_at=ago(4), confidence=0.1), policy, NOW) == ""
    assert policy.retention_class("keep") == DEFAULT.retention_class("keep")


def test_a_summary_says_sentences_once_and_names_what_it_says():
    sources = [Source("a", 1, "Ann flew to Rome."), Source("b", 2, "ann flew to rome"), Source("c", 1, "Ann liked it.")]

    text, said = extract(sources, 100)

    assert text == "Ann flew to Rome. Ann liked it."
    assert [s.memory for s in said] == ["a", "b", "c"]


def test_what_does_not_fit_is_not_named():
    text, said = extract(
        [Source("a", 1, "Short."), Source("b", 1, "Much longer than that."), Source("c", 1, "Ok.")], 10
    )

    assert text == "Short. Ok."
    assert [s.memory for s in said] == ["a", "c"]
