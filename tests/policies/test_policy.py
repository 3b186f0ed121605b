"""A policy is drafted, checked field by field, compared and published; what it says can all be set."""

from dataclasses import fields, replace

import pytest
from django.contrib.auth.models import User

from governance.errors import Invalid, NotAllowed, Stale
from governance.ledger.models import Event
from governance.policies import actions, queries
from governance.policies.checking import check
from governance.policies.comparing import compare
from governance.policies.documents import document_of, from_document, paths, with_value
from governance.policies.fields import lines_of_trust, trust_of
from governance.policies.models import PolicyDraft, PolicyVersion
from governance.policies.rules import DEFAULT, Policy
from governance.policies.sections import FIELDS
from governance.scopes import actions as scopes
from governance.scopes.queries import actor_of_member
from governance.scopes.rules import Actor
from tests.factories import a_tenant

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])
WHOLE = document_of(DEFAULT)


@pytest.fixture
def tenant():
    return a_tenant("acme")


@pytest.fixture
def adam(tenant) -> Actor:
    scopes.add_member(tenant, "adam", "administrator")
    return actor_of_member(User.objects.get(username="adam"), tenant.id)


def changed(path: str, value: object) -> dict:
    return with_value(WHOLE, path, value)


def test_a_document_comes_back_as_the_policy_it_was_made_of():
    assert from_document(1, WHOLE) == DEFAULT
    assert check(WHOLE) == {}


def test_everything_a_policy_says_can_be_set():
    settable = {*FIELDS, *(path for path in FIELDS if FIELDS[path].kind == "order")}
    said = {path for path, _ in paths(WHOLE)}

    assert {p for p in said if p not in settable and p.rpartition(".")[0] not in settable} == set()
    assert {path for path in FIELDS if FIELDS[path].help.strip() == ""} == set()
    assert {f.name for f in fields(Policy)} - {"number", "key_rules"} == {path.split(".")[0] for path in FIELDS}


def test_a_part_that_is_not_named_stays_the_default_s():
    policy = from_document(2, {"score": {"threshold": 0.5}, "sensitivity": {"phone": "reject"}})

    assert (policy.number, policy.score.threshold, policy.score.one_off) == (2, 0.5, DEFAULT.score.one_off)
    assert policy.sensitivity == {**DEFAULT.sensitivity, "phone": "reject"}
    assert policy.key_rules == DEFAULT.key_rules


def test_a_whole_document_may_drop_a_key_rule_of_the_default():
    rules = [r for r in WHOLE["key_rules"] if r["id"] != "seat"]

    assert from_document(2, {**WHOLE, "key_rules": rules}).key_rule("preference.travel.seat") is None
    assert from_document(2, {"key_rules": []}).key_rule("preference.travel.seat") is not None


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("score.threshold", 1.5, "/score/threshold"),
        ("score.threshold", "much", "/score/threshold"),
        ("score.threshold", True, "/score/threshold"),
        ("score.threshold", float("nan"), "/score/threshold"),
        ("score.probability.reviewer", -0.1, "/score/probability/reviewer"),
        ("score.magic", 1, "/score/magic"),
        ("magic", 1, "/magic"),
        ("sensitivity.phone", "shout", "/sensitivity/phone"),
        ("sensitivity.credential", "allow", "/sensitivity/credential"),
        ("sensitivity.allergy", "reject", "/sensitivity/allergy"),
        ("review_levels", ["moon"], "/review_levels"),
        ("review_levels", ["user", "user"], "/review_levels"),
        ("max_content_chars", 99.5, "/max_content_chars"),
        ("always_keys", ["Allergy *"], "/always_keys"),
        ("always_keys", [""], "/always_keys"),
        ("trust", {"user_explicit": 3}, "/trust"),
        ("rank.floor", 2, "/rank/floor"),
        ("half_life_days.semantic", 0, "/half_life_days/semantic"),
        ("key_rules", [{"id": "A b", "pattern": "x"}], "/key_rules/0/id"),
        ("key_rules", [{"id": "a", "pattern": "X y"}], "/key_rules/0/pattern"),
        ("key_rules", [{"id": "a", "pattern": "x", "half_life_days": 0}], "/key_rules/0/half_life_days"),
        ("key_rules", [{"id": "a", "pattern": "x", "cardinality": "many"}], "/key_rules/0/cardinality"),
        ("key_rules", [{"id": "a", "pattern": "x", "trust": {"moon": 1}}], "/key_rules/0/trust"),
        ("key_rules", [{"id": "a", "pattern": "x"}, {"id": "a", "pattern": "y"}], "/key_rules/1/id"),
        ("key_rules", "none", "/key_rules"),
    ],
)
def test_a_wrong_value_is_told_where_it_stands(adam, path, value, pointer):
    assert list(check(changed(path, value))) == [pointer]

    with pytest.raises(Invalid) as refused:
        actions.publish(changed(path, value), by=adam)
    assert refused.value.errors[0]["pointer"] == pointer
    assert not PolicyVersion.objects.exists()


def test_an_order_of_trust_is_written_as_lines():
    text = "business_system\nreviewer = user_explicit\nagent_guess"

    assert trust_of(text) == {"business_system": 30, "reviewer": 20, "user_explicit": 20, "agent_guess": 10}
    assert lines_of_trust(trust_of(text)) == text
    with pytest.raises(ValueError, match="moon"):
        trust_of("moon")
    with pytest.raises(ValueError, match="twice"):
        trust_of("reviewer\nreviewer")


def test_what_changed_is_named_with_what_was_said_before():
    rule = {**WHOLE["key_rules"][0], "half_life_days": 30.0}
    after = with_value(changed("score.threshold", 0.4), "key_rules", [rule, *WHOLE["key_rules"][2:]])

    told = [(c.label, c.part, c.before, c.after) for c in compare(WHOLE, after)]

    assert told == [
        ("Threshold", "", "0.2", "0.4"),
        ("language", "half-life in days", "", "30"),
        ("code-language", "", "preference.code.language", ""),
    ]
    assert compare(WHOLE, WHOLE) == ()


def test_a_rule_that_moved_is_a_change():
    first, second, *others = WHOLE["key_rules"]

    told = compare(WHOLE, {**WHOLE, "key_rules": [second, first, *others]})

    assert [(c.label, c.part, c.before, c.after) for c in told] == [("code-language", "place", "2", "1")]


def test_a_draft_is_changed_and_published_as_an_event(adam, tenant):
    draft = actions.begin_draft(by=adam)
    draft = actions.set_fields({"score.threshold": 0.4}, expected=draft.version, by=adam)
    assert queries.current(tenant.id) == DEFAULT
    assert queries.named(tenant.id, "draft") == replace(DEFAULT, number=2, score=replace(DEFAULT.score, threshold=0.4))

    published = actions.publish_draft(expected=draft.version, by=adam)

    assert queries.current(tenant.id).score.threshold == 0.4
    event = Event.objects.get(type="policy-published")
    assert (published.number, event.actor, published.published_by) == (2, adam.id, adam.id)
    assert not PolicyDraft.objects.exists()
    assert queries.named(tenant.id, "1") == DEFAULT


def test_a_wrong_field_changes_nothing_of_the_draft(adam):
    draft = actions.begin_draft(by=adam)

    with pytest.raises(Invalid) as refused:
        actions.set_fields({"score.threshold": 7, "rank.floor": 0.5}, expected=1, by=adam)

    assert [e["pointer"] for e in refused.value.errors] == ["/score/threshold"]
    draft.refresh_from_db()
    assert (draft.version, draft.document) == (1, WHOLE)


def test_of_two_who_edit_the_second_is_told(adam):
    actions.begin_draft(by=adam)
    actions.set_fields({"rank.floor": 0.5}, expected=1, by=adam)

    with pytest.raises(Stale):
        actions.set_fields({"rank.floor": 0.6}, expected=1, by=adam)
    with pytest.raises(Stale):
        actions.publish_draft(expected=1, by=adam)

    assert PolicyDraft.objects.get().document["rank"]["floor"] == 0.5


def test_a_draft_of_an_older_policy_waits_until_somebody_has_compared(adam, tenant):
    draft = actions.begin_draft(by=adam)
    actions.publish({"score": {"threshold": 0.3}}, by=adam)

    with pytest.raises(Stale):
        actions.publish_draft(expected=draft.version, by=adam)
    rebased = actions.rebase_draft(expected=draft.version, by=adam)
    actions.publish_draft(expected=rebased.version, by=adam)

    assert queries.current(tenant.id).number == 3


def test_key_rules_are_added_moved_and_removed(adam):
    actions.begin_draft(by=adam)
    rule = {"id": "tea", "pattern": "preference.tea", "labels": {"en": "tea", "zh": "茶"}}

    actions.set_key_rule(rule, was="", place=1, expected=1, by=adam)
    actions.set_key_rule({**rule, "id": "drink"}, was="tea", place=2, expected=2, by=adam)
    with pytest.raises(Invalid):
        actions.set_key_rule({**rule, "id": "seat"}, was="drink", place=2, expected=3, by=adam)
    assert [r["id"] for r in PolicyDraft.objects.get().document["key_rules"]][:3] == [
        "language",
        "drink",
        "code-language",
    ]

    actions.drop_key_rule("drink", expected=3, by=adam)
    assert PolicyDraft.objects.get().document == WHOLE


def test_only_an_administrator_sets_policy(adam, tenant):
    scopes.add_member(tenant, "rita", "reviewer")
    rita = actor_of_member(User.objects.get(username="rita"), tenant.id)
    actions.begin_draft(by=adam)

    for deed in (
        lambda: actions.begin_draft(by=rita),
        lambda: actions.set_fields({"rank.floor": 0.5}, expected=1, by=rita),
        lambda: actions.drop_key_rule("seat", expected=1, by=rita),
        lambda: actions.rebase_draft(expected=1, by=rita),
        lambda: actions.discard_draft(expected=1, by=rita),
        lambda: actions.publish_draft(expected=1, by=rita),
        lambda: actions.publish({}, by=rita),
    ):
        with pytest.raises(NotAllowed):
            deed()

    assert PolicyDraft.objects.get().version == 1
    assert not PolicyVersion.objects.exists()
