"""Sensitive categories found before storing: the words are gone already, here the candidate is answered."""

import dataclasses

from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.support import is_care
from governance.candidates.stages.text import everything
from governance.policies.detectors import CARE, JSON, PLACEHOLDERS, find

STAGE = "sensitivity"
_WEIGHT = {"reject": 3, "event_only": 2, "review": 1, "allow": 0}


def sensitivity(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Answers with the heaviest action among the categories found: reject, event_only, review or none."""
    categories = _categories(proposal)
    actions = {category: policy.sensitivity.get(category, "review") for category in categories - CARE}
    actions |= {category: _care_action(proposal, policy, category) for category in categories & CARE}
    if not actions:
        return Verdict(STAGE, "nothing-sensitive", "Nothing sensitive was found.")
    category, action = max(actions.items(), key=lambda item: (_WEIGHT.get(item[1], 1), item[0]))
    named: dict[str, JSON] = {"category": category.replace("_", " ")}
    if action == "allow":
        return Verdict(STAGE, "allowed", _FOUND[action], None, named)
    return Verdict(STAGE, f"sensitive-{category.replace('_', '-')}", _FOUND[action], action, named)


_FOUND = {
    "allow": "Holds a {category} detail, which the policy allows.",
    "reject": "Holds a {category}, which must not be kept. It was removed.",
    "event_only": "Concerns {category}: that it was said is recorded, the words are not kept.",
    "review": "Holds a {category} detail: a person decides whether it may be kept.",
}


def _categories(proposal: Proposal) -> frozenset[str]:
    words = everything(dataclasses.replace(proposal, quote=""))  # what was in the quote comes as `placeholders`
    words = f"{proposal.key}\n{words}"
    seen = {category for category, placeholder in PLACEHOLDERS.items() if placeholder in words}
    masked = set(proposal.placeholders)
    if is_care(proposal.key):  # "I'm [health], no sugar in my food" is kept for the sugar: the diagnosis is gone
        masked.discard("health")
    return frozenset(seen | masked | {span.category for span in find(words)})


def _care_action(proposal: Proposal, policy: Policy, category: str) -> str:
    """Care is allowed in a user's own scope; in a wider one a person decides."""
    action = policy.sensitivity.get(category, "allow")
    return "review" if action == "allow" and proposal.level not in ("user", "session") else action
