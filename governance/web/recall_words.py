"""Why a memory is in an answer or is not, in the reader's language."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from governance.retrieval.queries import Why

REASONS = {
    "floor": "not relevant enough",
    "limit": "ranked below the limit",
    "budget": "no room in the token budget",
    "always-share": "no room in the share of what is always given",
    "overruled": "a narrower scope answers for its key",
    "conflicted": "claims disagree about it; the question is given instead",
    "gone": "changed while it was being read",
}
NUMBERS = {
    "floor": "relevance {relevance:.2f}, below {floor:.2f}",
    "budget": "{over} tokens too many",
}
WHY = {
    "shown": "It is in the block.",
    "binding": "It is a binding rule and accompanies every recall.",
    "floor": "It was found, and is not relevant enough{numbers}.",
    "limit": "It was found, and others ranked higher than the limit lets in.",
    "budget": "It was found and did not fit into the token budget{numbers}.",
    "always-share": "It is always given, and the share of the budget for such memories was used up.",
    "overruled": "A memory of the same key in a narrower scope stands in its place.",
    "conflicted": "Claims disagree about it, so the agent is given the question instead.",
    "gone": "It changed while this was being read.",
    "not-similar": "Nothing in the question led to it, neither words nor meaning.",
    "not-recorded-yet": "It was not known yet at that moment.",
    "demoted": "It has aged, and comes only when it is asked for by key, id or history.",
    "elsewhere": "It holds in a scope this agent does not read here: {detail}.",
    "superseded": "Another version has taken its place.",
    "scheduled": "It does not hold yet at that moment.",
    "expired": "It no longer held at that moment.",
    "archived": "It is archived.",
    "retracted": "It was retracted.",
    "erased": "It was erased.",
}


def why_in_words(why: Why) -> str:
    """Return the sentence that answers "why not?"."""
    said, numbers = gettext(WHY.get(why.reason, "It was left out.")), _numbers(why.reason, why.values)
    return said.format(
        detail=gettext(why.detail) if why.detail else "",
        numbers=gettext(": {numbers}").format(numbers=numbers) if numbers else "",
    )


def reason_in_words(fate: Mapping[str, Any]) -> str:
    """Return why a candidate of a recall was left out, in a few words."""
    code, numbers = fate["fate"], _numbers(fate["fate"], fate.get("values"))
    reason = gettext(REASONS.get(code, code))
    return gettext("{reason} ({numbers})").format(reason=reason, numbers=numbers) if numbers else reason


def _numbers(code: str, values: Mapping[str, float] | None) -> str:
    return gettext(NUMBERS[code]).format(**values) if values and code in NUMBERS else ""
