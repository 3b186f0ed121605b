"""Who holds a key is a pure question: trust, explicitness, time, and the authority that a policy names."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.conflicts.rules import Rival, Side, is_authority, precedence, question, side
from governance.policies.rules import DEFAULT, KeyRule

NOW = datetime(2026, 8, 20, tzinfo=UTC)
LATER = NOW + timedelta(days=20)
TRUST = DEFAULT.trust
PAYMENT = KeyRule(id="payment-state", pattern="order.*.state", authority="payment-system")


def one(source_type: str, at: datetime = NOW, *, explicit: bool = True, authority: bool = False) -> Side:
    return Side(source_type, at, explicit, authority)


@pytest.mark.parametrize(
    ("new", "held", "winner", "rule"),
    [
        (one("user_explicit", LATER), one("user_explicit"), "new", "later-word"),
        (one("user_explicit", LATER), one("project_document"), "new", "trust"),
        (one("user_explicit", LATER), one("inferred_behaviour", explicit=False), "new", "trust"),
        (one("user_explicit"), one("user_explicit", LATER), "held", "earlier-word"),
        (one("project_document"), one("user_explicit", LATER), "held", "held-leads"),
        (one("user_explicit", LATER), one("business_system"), "", "business-fact-contradicted"),
        (one("tool_result", LATER), one("user_explicit"), "", "undecided-trust"),
        (one("user_explicit"), one("project_document", LATER), "", "undecided-freshness"),
        (one("business_system", authority=True), one("user_explicit", LATER), "new", "authority"),
        (one("user_explicit", LATER), one("tool_result", authority=True), "", "authority-contradicted"),
    ],
)
def test_the_rule_that_decided_is_named(new, held, winner, rule):
    ruling = precedence(new, held, TRUST)

    assert (ruling.winner, ruling.rule) == (winner, rule)


def test_a_winner_is_never_behind_in_anything():
    sources = list(TRUST)
    for source in sources:
        for other in sources:
            for at in (NOW, LATER):
                ruling = precedence(one(source, at), one(other, NOW + timedelta(days=1)), TRUST)
                if ruling.winner == "new" and ruling.rule != "authority":
                    assert TRUST[source] >= TRUST[other]
                    assert at >= NOW + timedelta(days=1)


@pytest.mark.parametrize(
    ("source_type", "reference", "is_one"),
    [
        ("business_system", "payment-system@v7", True),
        ("business_system", "payment-system", True),
        ("business_system", "payment-system-copy", False),
        ("user_explicit", "payment-system", False),
        ("agent_guess", "payment-system@v7", False),
        ("business_system", "", False),
    ],
)
def test_an_authority_is_named_by_its_reference_never_by_dialogue(source_type, reference, is_one):
    assert is_authority(source_type, reference, PAYMENT) is is_one


def test_a_key_without_an_authority_has_none():
    assert not is_authority("business_system", "payment-system", None)
    assert not side("business_system", "", NOW, rule=KeyRule(id="x", pattern="x")).authority


def test_the_question_names_both_claims_and_the_change():
    text = question(
        "database",
        "数据库",
        [Rival("MySQL", "business_system", "deploy-platform@3", NOW), Rival("PostgreSQL", "user_explicit", "", LATER)],
    )

    assert "MySQL" in text
    assert "PostgreSQL" in text
    assert "deploy-platform" in text
    assert "moved from “MySQL” to “PostgreSQL”" in text


def test_a_question_about_chinese_values_is_asked_in_chinese():
    text = question(
        "city", "城市", [Rival("杭州", "user_explicit", "", NOW), Rival("上海", "tool_result", "crm", LATER)]
    )

    assert text.startswith("关于城市")
    assert "杭州" in text
    assert "上海" in text
