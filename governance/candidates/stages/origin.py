"""Who said it and whether it can be found there: role, recall echo, grounding, trust."""

import re
from collections.abc import Iterable

from governance.candidates.extractors.meaning import is_denied, is_turned
from governance.candidates.extractors.polarity import is_idiom, is_off_record, is_wider
from governance.candidates.stages.afterwards import is_conditional, is_taken_back
from governance.candidates.stages.denials import affirms_denied
from governance.candidates.stages.endings import tells_an_end
from governance.candidates.stages.figures import loses_bound, unsaid
from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.relation import is_told_otherwise
from governance.candidates.stages.support import (
    in_other_script,
    is_empty_truth,
    is_foreign,
    is_invented,
    is_named,
    is_unfit,
    names_somebody_else,
    says_more,
    shared,
    supports,
    words,
)
from governance.candidates.stages.surroundings import is_torn, told_in
from governance.candidates.stages.text import plain, words_of
from governance.conflicts.rules import is_authority

_PERSONAL = frozenset({"user", "session"})
_GRANTED = frozenset({"business_system", "project_document", "tool_result"})
_REPORTED = frozenset({"project_document", "tool_result"})
_UNSEEN = frozenset({"user", "session", "agent"})  # wider ones wait for a person anyway
# What their waiting is called, beside a clash that is no reason to wait: the claim stands in the conflict.
REPORTED = frozenset(("trust", source.replace("_", "-")) for source in _REPORTED)
_CLAIMS = ("user_explicit",)
# Refused for want of the user's word: that word opens it again (SPEC C4).
ASSISTANT, NOT_THEIRS = "assistant-text", "not-the-users-word"
UNCONFIRMED = frozenset({ASSISTANT, NOT_THEIRS})
RETOLD = 0.6  # of a sentence's words, found in the quote again
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")  # of a date said without it


def role(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """System and tool text never becomes a user's memory; assistant text is only the agent's guess."""
    said_by = proposal.role_of_observation
    if said_by == "system":
        return Verdict("role", "system-text", "Rests on system text, which says nothing about a user.", "reject")
    if said_by == "tool" and proposal.level in _PERSONAL and not _GRANTED & facts.granted_sources:
        return Verdict("role", "tool-text", "Rests on a tool's output, which is not a user's word.", "reject")
    if said_by == "assistant" and proposal.source_type == "user_explicit":
        return Verdict("role", NOT_THEIRS, "Claims as the user's word what the assistant said.", "reject")
    if said_by == "assistant" and proposal.level in _PERSONAL:
        return Verdict(
            "role", ASSISTANT, "Rests on the assistant's own words, which count once the user confirms them.", "reject"
        )
    if said_by == "assistant":
        return Verdict("role", ASSISTANT, "Rests on the assistant's own words: a person decides.", "review")
    if said_by == "user" and not proposal.observation_is_by_scope_user and proposal.level in _PERSONAL:
        return Verdict("role", "another-user", "Rests on what another user said.", "reject")
    return Verdict(
        "role",
        "fitting" if said_by else "no-observation",
        "The speaker fits." if said_by else "Rests on no observation.",
    )


def echo(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Text that a recall gave to the agent is not new evidence."""
    if facts.suppressed:
        return Verdict("echo", "suppressed", "This was erased on request and must not come back.", "reject")
    if facts.is_recall_echo:
        return Verdict("echo", "recall-echo", "Repeats what the agent was given by a recall.", "reject")
    return Verdict("echo", "new", "Not an echo of a recalled memory.")


def grounding(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """The quote stands in the observation, whatever its spacing, case and width."""
    if not proposal.role_of_observation:
        return Verdict("grounding", "no-evidence", "Names no observation: an agent's guess until confirmed.")
    if proposal.role_of_observation == "user" and is_off_record(proposal.observation_text):
        return Verdict("grounding", "off-the-record", "The user asked that it be not remembered.", "reject")
    if not proposal.quote.strip():
        return Verdict(
            "grounding", "no-quote", "Quotes nothing from its observation: an agent's guess until confirmed."
        )
    if proposal.is_confirmed:
        return Verdict("grounding", "confirmed", "The user said yes to it, in the observation it now rests on.")
    if proposal.source_type == "user_explicit" and is_invented(proposal):
        return Verdict("grounding", "invented", "No word of it stands in what was said.", "reject")
    if not is_grounded(proposal):
        return _misquoted(proposal)
    named = proposal.value if isinstance(proposal.value, str) else ""
    if _is_told_of(proposal) and (is_torn(proposal.quote, proposal.observation_text, named) or _is_undone(proposal)):
        return Verdict(
            "grounding",
            "out-of-context",
            "The words around the quote deny, report, ask, suppose or limit it.",
            "review",
        )
    if missing := _unsupported(proposal):
        return Verdict(
            "grounding",
            "unsupported-value",
            "{missing} of the value's words or numbers are not in the quote.",
            "review",
            {"missing": missing},
        )
    claim = f"{proposal.key} {proposal.content} {named}"
    if _is_told_of(proposal) and (not is_borne_out(proposal) or loses_bound(claim, proposal.quote, named)):
        return Verdict("grounding", "unsupported-value", "The quote does not say what the value says.", "review")
    if _is_told_of(proposal) and (
        is_foreign(proposal, _labels(proposal, policy))
        or says_more(proposal)
        or is_wider(proposal.quote, named, proposal.content)
    ):
        return Verdict("grounding", "unsupported-sentence", "The sentence says more than its quote.", "review")
    stated = _stated(proposal)
    turned = is_turned(stated, proposal.content, named) and not tells_an_end(stated)
    if _is_told_of(proposal) and turned:
        return Verdict("grounding", "denied", "It denies what the quote says.", "review")
    if _is_told_of(proposal) and (is_unfit(proposal) or is_empty_truth(proposal) or is_told_otherwise(proposal)):
        return Verdict("grounding", "unsupported-key", "The quote does not speak of what the key names.", "review")
    if _is_told_of(proposal) and is_idiom(proposal.key, proposal.quote, f"{proposal.content} {named}"):
        return Verdict("grounding", "unsupported-key", "The quote does not speak of what the key names.", "review")
    if _is_told_of(proposal) and names_somebody_else(proposal):
        return Verdict("grounding", "unsupported-about", "Nobody like the one it is about was spoken of.", "review")
    where = told_in(proposal)
    if where is not None and affirms_denied(proposal, where):
        return Verdict("grounding", "denied", "The quote denies what is proposed.", "review")
    if proposal.source_type == "user_explicit" and is_denied(
        stated, words_of(proposal.value) if isinstance(proposal.value, str) else "", proposal.content
    ):
        return Verdict("grounding", "denied", "The quote denies what is proposed.", "review")
    return Verdict("grounding", "grounded", "The quote is in the observation.")


def _is_undone(proposal: Proposal) -> bool:
    """Whether what follows the quote takes it back, or makes it depend on a condition."""
    where = told_in(proposal)
    return where is not None and (is_taken_back(where) or is_conditional(where, proposal.content))


def _labels(proposal: Proposal, policy: Policy) -> Iterable[str]:
    rule = policy.key_rule(proposal.key) if proposal.key else None
    return rule.labels.values() if rule is not None else ()


def _stated(proposal: Proposal) -> str:
    """Return what is quoted; of a quote of a word or two, which states nothing, the clause it stands in."""
    where = told_in(proposal)
    is_cut = len(_PIECE_OF_WORDS.findall(proposal.quote)) <= 2
    return where.clause if where is not None and is_cut else proposal.quote


def _misquoted(proposal: Proposal) -> Verdict:
    """A quotation that was never said: of what was said in other words a person judges, of the rest nobody needs to."""
    if proposal.source_type == "user_explicit" and not supports(proposal.observation_text, proposal.value):
        return Verdict("grounding", "invented", "Neither the quote nor the value is in the observation.", "reject")
    return Verdict("grounding", "ungrounded", "The quote is not in the observation.", "review")


_PIECE_OF_WORDS = re.compile(r"[\u4e00-\u9fff]{1,2}|[^\W_\u4e00-\u9fff]+")


def _is_told_of(proposal: Proposal) -> bool:
    """Whether an agent claims that a user said it: what rules cut out of a sentence is borne out by how it was cut."""
    return proposal.source_type == "user_explicit" and proposal.explicit is None


def is_borne_out(proposal: Proposal) -> bool:
    """Whether the quote says the value.

    A value in another script (an agent's "quiet" for 安静) is borne out by its name in the quote's language; where none
    is known, by a sentence that tells the quote again.
    """
    value, quote = proposal.value, proposal.quote
    if supports(quote, value):
        return True
    if not in_other_script(value, quote):
        return False
    if (named := is_named(value, quote)) is not None:
        return named
    told = words(proposal.content)
    return shared(told, words(quote)) >= RETOLD * len(told)


def is_grounded(proposal: Proposal) -> bool:
    """Whether a non-empty quote is a span of the observation."""
    return stands_in(proposal.quote, proposal.observation_text)


def stands_in(quote: str, text: str) -> bool:
    """Whether a non-empty quote stands in a text, whatever its spacing, case and width."""
    cut = _compact(quote)
    return bool(cut) and cut in _compact(text)


def _compact(text: str) -> str:
    """Without spaces between Chinese characters and without punctuation at the edges."""
    return re.sub(r"(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])", "", plain(text)).strip(" .,;:!?\"'，。；：！？、")


def _unsupported(proposal: Proposal) -> int:
    """How many figures and capitalised names were not said: a value's in its quote, a sentence's in the turn."""
    if proposal.role_of_observation != "user":
        return 0
    turn, value = proposal.observation_text, words_of(proposal.value)
    where = told_in(proposal)
    stated = f"{proposal.quote} {where.sentence}" if where else turn
    known = set(_FIGURE.findall(f"{proposal.key} {value}"))  # of the label, and those looked for already
    content = _FIGURE.sub(lambda m: "" if m[0] in known or _YEAR.fullmatch(m[0]) else m[0], proposal.content)
    names = set(re.findall(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]{2,}\b", proposal.content)) - {"The", "User", "True", "False"}
    if is_named(proposal.value, turn):  # "Chinese" of 中文
        names -= set(value.split())
    return unsaid(value, stated) + unsaid(content, turn) + sum(plain(name) not in plain(turn) for name in names)


def effective_source(proposal: Proposal, facts: Facts) -> str:
    """The source as the server takes it (SPEC B7): a user's word needs that user's observation and a quote found in
    it; systems, documents and tools need a grant; everything else is the agent's guess. Never more than was claimed.
    """
    claimed = proposal.source_type
    if claimed in _GRANTED:
        return claimed if claimed in facts.granted_sources else "agent_guess"
    if claimed == "user_explicit":
        by_user = proposal.role_of_observation == "user" and proposal.observation_is_by_scope_user
        return claimed if by_user and is_grounded(proposal) and proposal.explicit is not False else "agent_guess"
    if claimed == "reviewer":
        return "reviewer" if "reviewer" in facts.granted_sources else "agent_guess"
    return claimed if claimed in ("inferred_behaviour", "summary") else "agent_guess"


def trust(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Names the source the server believes; guesses and inferences wait for a person or for confirmation.

    So does what a tool or a document says at a level that no person looks at otherwise, unless the key's rule names it
    as the authority: without a person only a user's own word commits, and what a business system states.
    """
    source = effective_source(proposal, facts)
    counts = "Counts as {source}."
    outcome = None
    is_new = facts.same_value_memory is None
    if source in _REPORTED and proposal.level in _UNSEEN and is_new and not _is_commissioned(proposal, source, policy):
        outcome = "review"
        counts = "Counts as {source}, which no rule names as the authority of its key: a person decides."
    if source in ("agent_guess", "inferred_behaviour", "summary"):
        outcome = "review"
        if source != proposal.source_type:
            counts = "Counts as {source}. The claim of a better source is not borne out."
    return Verdict("trust", source.replace("_", "-"), counts, outcome, {"source": source.replace("_", " ")})


def _is_commissioned(proposal: Proposal, source: str, policy: Policy) -> bool:
    rule = policy.key_rule(proposal.key) if proposal.key else None
    return is_authority(source, proposal.source_ref, rule)
