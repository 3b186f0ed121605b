"""The value of a proposal from its features (the formula is in `governance.policies.scoring`)."""

from governance.candidates.stages.origin import effective_source, is_grounded
from governance.candidates.stages.proposal import WIDE_LEVELS, Facts, Policy, Proposal, Verdict
from governance.candidates.stages.shape import is_lasting
from governance.candidates.stages.text import words_of
from governance.policies.scoring import Score, ScoreWeights, score


def value_of(proposal: Proposal, facts: Facts, policy: Policy) -> Score:
    """V = P x U x R x A - C of a proposal under a policy."""
    weights = policy.score
    return score(
        probability=_probability(proposal, facts, weights),
        utility=_utility(proposal, weights),
        reuse=weights.reuse.get(proposal.level, 0.5),
        validity=weights.validity.get(proposal.validity, 0.7) * (1.0 if is_lasting(proposal) else weights.one_off),
        cost=_cost(proposal, weights),
        threshold=weights.threshold,
    )


def _probability(proposal: Proposal, facts: Facts, weights: ScoreWeights) -> float:
    """The source's share, lowered by the agent's own doubt (never raised) and by missing evidence."""
    share = weights.probability.get(effective_source(proposal, facts), 0.4)
    doubt = 1.0 if proposal.confidence is None else min(1.0, max(0.0, proposal.confidence))
    rests = is_grounded(proposal) or not proposal.role_of_observation
    return min(share, share * doubt if doubt < share else share) * (1.0 if rests else weights.ungrounded)


def _utility(proposal: Proposal, weights: ScoreWeights) -> float:
    utility = weights.utility.get(proposal.kind, 0.5)
    utility *= weights.utility_keyed if proposal.key else 1.0
    return utility * (weights.utility_always if proposal.always else 1.0)


def _cost(proposal: Proposal, weights: ScoreWeights) -> float:
    size = len(proposal.content) + len(words_of(proposal.value)) + len(proposal.context)
    cost = weights.cost_base + weights.cost_per_1000_chars * size / 1000
    cost += weights.cost_sensitive if proposal.placeholders else 0.0
    return cost + (weights.cost_wide if proposal.level in WIDE_LEVELS else 0.0)


def value(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Below the policy's threshold nothing commits by itself."""
    result = value_of(proposal, facts, policy)
    numbers = {"value": result.value, "threshold": result.threshold}
    if result.passes:
        return Verdict("value", "worth-keeping", "Value {value:.2f}, at least {threshold:.2f}.", None, numbers)
    return Verdict("value", "low-value", "Value {value:.2f}, below {threshold:.2f}.", "review", numbers)
