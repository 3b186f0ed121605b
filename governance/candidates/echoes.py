"""What a turn repeats of what its agent was given: found, blanked, never evidence. Pure."""

import re
from collections.abc import Iterable
from functools import lru_cache

from governance.candidates.stages.proposal import Proposal
from governance.candidates.stages.support import shared, supports, words
from governance.candidates.stages.text import plain
from governance.ledger.sealing import Lifetime
from governance.retrieval.block import recalled_spans

BLANK = "\u2003"  # as quotations are blanked for the rules
_lifetime = Lifetime()
_LEAST = 6  # characters; a shorter sentence may stand anywhere by chance


def without_echoes(text: str, given: Iterable[str]) -> str:
    """A text of the same length in which recalled blocks and sentences that a recall gave are blanked."""
    if _lifetime.is_over():
        forget_sentences()
    spans = [*recalled_spans(text), *(m.span() for g in given if len(g) >= _LEAST for m in _pattern(g).finditer(text))]
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", BLANK, text[start:end]) + text[end:]
    return text


def forget_sentences() -> None:
    """Drop this process's copies of sentences that recalls gave: after an erasure."""
    _pattern.cache_clear()


@lru_cache(maxsize=1024)
def _pattern(sentence: str) -> re.Pattern[str]:
    """Finds a sentence whatever its case and spacing, with or without its full stop."""
    pieces = sentence.strip().rstrip(".。!！").split()
    return re.compile(r"\s+".join(map(re.escape, pieces)) + r"[.。!！]?", re.IGNORECASE)


def is_echo(proposal: Proposal, given: Iterable[str]) -> bool:
    """Whether a proposal rests on nothing but what a recall gave: without that its quote no longer says it."""
    given = tuple(given)
    said = proposal.observation_text
    left = without_echoes(said, given)
    if left == said:
        return False
    quote = proposal.quote or said
    if plain(quote) in plain(left):
        return False
    rest = without_echoes(quote, given)
    rest = "" if rest == quote and plain(quote) in plain(said) else rest
    told = words(proposal.content)
    return shared(told, words(rest)) < 0.5 * len(told) or not supports(rest, proposal.value)
