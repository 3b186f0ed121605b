"""Where it would stand among what is remembered: width, duplicate, key clash."""

import re
from fnmatch import fnmatchcase

from governance.candidates.stages.origin import effective_source
from governance.candidates.stages.proposal import Facts, Policy, Proposal, Rival, Verdict
from governance.candidates.stages.shape import is_explicit
from governance.candidates.stages.surroundings import told_in
from governance.candidates.stages.text import plain
from governance.conflicts.rules import Ruling, Side, precedence
from governance.policies.detectors import JSON

_GUESSES = frozenset({"agent_guess", "inferred_behaviour", "summary"})

# What is said of the project at hand.
_OF_A_PROJECT = re.compile(
    r"\b(?:in|for|on|at|within) (?:this|the|our) (?:\w+ )?(?:project|repo(?:sitory)?|codebase)\b"
    r"|\b(?:this|our) (?:project|repo(?:sitory)?|codebase)\b|(?:这个|本|我们的?|该)(?:项目|仓库|代码库)"
)


def width(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """The wider the scope, the higher the bar; rules of conduct and `always` off the list need a person."""
    if facts.said_elsewhere:
        return Verdict("width", "said-elsewhere", "The words were said in another project.", "review")
    if proposal.level in policy.review_levels:
        return Verdict("width", "wide-scope", "Would hold for a whole {level}.", "review", _level(proposal))
    if proposal.level == "agent" and proposal.role_of_observation == "user":
        return Verdict(
            "width", "wider-than-said", "One person's words would hold for all whom the agent serves.", "review"
        )
    where = told_in(proposal)
    if proposal.level in ("user", "agent") and where is not None and _OF_A_PROJECT.search(where.sentence):
        return Verdict("width", "wider-than-said", "Said of one project; it would hold everywhere.", "review")
    if proposal.names_others:
        return Verdict("width", "names-others", "It would be filed under other people too.", "review")
    if proposal.kind == "procedural":
        return Verdict("width", "procedural", "A rule of conduct.", "review")
    if facts.changes_always:
        return Verdict("width", "relied-on", "It accompanies every recall: a person decides on its change.", "review")
    if proposal.always and not may_be_always(proposal.key, policy):
        return Verdict(
            "width", "always-off-list", "Would come with every recall, under a key not on the policy's list.", "review"
        )
    return Verdict("width", "narrow", "Holds for one person, agent or session.")


def _level(proposal: Proposal) -> dict[str, JSON]:
    return {"level": "installation" if proposal.level == "global" else proposal.level}


def may_be_always(key: str, policy: Policy) -> bool:
    """Whether a key is on the policy's list of what may accompany every recall without review."""
    return any(fnmatchcase(key, pattern) for pattern in policy.always_keys)


def duplicate(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """The same value under the same key is more evidence for one memory."""
    if facts.same_value_memory is None:
        return Verdict("duplicate", "new", "Not remembered yet.")
    if effective_source(proposal, facts) in _GUESSES and not facts.is_change:
        known = "Already remembered as {memory}: a guess adds nothing to it."
        return Verdict("duplicate", "known", known, "event_only", {"memory": facts.same_value_memory})
    more = "Already remembered as {memory}: counts as evidence for it."
    return Verdict("duplicate", "same-value", more, None, {"memory": facts.same_value_memory})


def clash(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Another value in force under the key is replaced by an equally trusted, explicit, later word, else reviewed."""
    rival = facts.key_holder
    if facts.same_value_memory is not None or rival is None or same_value(rival.value, proposal.value):
        return Verdict("clash", "no-clash", "No other value is in force under its key.")
    if _is_multi(proposal, policy):
        return Verdict("clash", "one-of-several", "Its key may hold several values.")
    ruled = _ruled(rival, facts.ruling or _by_default(proposal, rival, facts, policy))
    if facts.takes_from_always and not facts.is_change and ruled.outcome is None:
        taken = "Would take the place of what accompanies every recall: a person decides."
        return Verdict("clash", "relied-on", taken, "review")
    return ruled


# What precedence says, as a reviewer reads it; None: no person is needed for it.
_RULINGS = {
    "authority": (
        "supersedes",
        "Comes from the authority of this key: replaces version {version} of {memory} (rule: {rule}).",
        None,
    ),
    "trust": (
        "supersedes",
        "From a more trusted source, and not older: replaces version {version} of {memory} (rule: {rule}).",
        None,
    ),
    "later-word": (
        "supersedes",
        "A later, explicit word: replaces version {version} of {memory} (rule: {rule}).",
        None,
    ),
    "earlier-word": (
        "history",
        "Said earlier: takes its place in history before version {version} of {memory} (rule: {rule}).",
        None,
    ),
    "held-leads": (
        "outranked",
        "From a less trusted source, and not newer than version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "authority-contradicted": (
        "conflicts",
        "Contradicts the authority of this key, which said version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "business-fact-contradicted": (
        "conflicts",
        "Contradicts what a business system says in version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "denies-earlier-word": (
        "conflicts",
        "Denies, without saying that it changed, what was said in version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "undecided-trust": (
        "conflicts",
        "Newer, but from a less trusted source than version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "undecided-explicitness": (
        "conflicts",
        "Newer, but less explicit than version {version} of {memory} (rule: {rule}).",
        "review",
    ),
    "undecided-freshness": (
        "conflicts",
        "From a better source, but older than version {version} of {memory} (rule: {rule}).",
        "review",
    ),
}


def _ruled(rival: Rival, ruling: Ruling) -> Verdict:
    code, words, outcome = _RULINGS[ruling.rule]
    values: dict[str, JSON] = {"version": rival.version, "memory": rival.memory, "rule": ruling.rule}
    return Verdict("clash", code, words, outcome, values)


def _by_default(proposal: Proposal, rival: Rival, facts: Facts, policy: Policy) -> Ruling:
    """Return precedence by trust, explicitness and time alone, where nobody looked for an authority."""
    source = effective_source(proposal, facts)
    observed_at = proposal.observed_at or rival.observed_at
    new = Side(source, observed_at, is_explicit(proposal) and source != "agent_guess")
    held = Side(rival.source_type, rival.observed_at, rival.explicit)
    return precedence(new, held, _ranks(proposal, policy))


def same_value(one: JSON, other: JSON) -> bool:
    """Whether two values are equal, texts whatever their case, width and spacing; true is not 1."""
    if isinstance(one, str) and isinstance(other, str):
        return plain(one) == plain(other)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _ranks(proposal: Proposal, policy: Policy) -> dict[str, int]:
    rule = policy.key_rule(proposal.key)
    return dict((rule.trust if rule is not None else None) or policy.trust)


def _is_multi(proposal: Proposal, policy: Policy) -> bool:
    rule = policy.key_rule(proposal.key)
    return not proposal.key or (rule is not None and rule.cardinality == "multi")
