"""All that can be set in a policy, in the order in which people read it. Pure."""

from collections.abc import Mapping

from governance.policies.detectors import CARE, DEFAULT_ACTIONS
from governance.policies.fields import (
    ACTIONS,
    KINDS,
    RISKS,
    SCOPES,
    SOURCES,
    VALIDITIES,
    Field,
    Group,
    Section,
    each,
    spaced,
)
from governance.scopes.models import LEVELS

_CATEGORIES: Mapping[str, str] = {
    "credential": "Passwords, keys and tokens. They are always cut out before anything is stored.",
    "national_id": "Identity card and social security numbers.",
    "card": "Numbers of bank cards.",
    "passport": "Passport numbers.",
    "bank_account": "Account numbers and IBANs.",
    "phone": "Telephone numbers.",
    "email": "E-mail addresses.",
    "address": "Where somebody lives.",
    "birth_date": "Dates of birth.",
    "ip_address": "Addresses of machines.",
    "health": "Illness, treatment, disability.",
    "finance": "Income, debts, wealth.",
    "allergy": "Allergies; agents need them to do no harm. In wider scopes than one person's, always reviewed.",
    "accessibility": "What somebody needs to take part. In wider scopes than one person's, always reviewed.",
    "diet": "What somebody does not eat. In wider scopes than one person's, always reviewed.",
}


def _sensitive(category: str) -> Field:
    """Return the field of a category. Credentials never stay; words of care are never cut out, so never refused."""
    may = ("event_only", "reject") if category == "credential" else ACTIONS[:2] if category in CARE else ACTIONS
    name = "IP address" if category == "ip_address" else spaced(category)
    return Field(f"sensitivity.{category}", name, _CATEGORIES.get(category, ""), kind="choice", choices=may)


def _retention(name: str, help_: str) -> Group:
    """Return the limits of a retention class."""
    at = f"retention.{name}"
    return Group(
        f"Retention: {name}",
        f"{help_} Days; 0 is for ever.",
        (
            Field(f"{at}.demote_below", "Demoted below", "Priority under which it is given only when asked for."),
            _days(f"{at}.archive_after_days", "Archived after", "So long after it was demoted, no longer listed."),
            _days(f"{at}.erase_after_days", "Due after", "So long after it was demoted or retracted, to be erased."),
            _days(f"{at}.expire_after_days", "Ends after", "So long after it was last observed, it holds no more."),
        ),
    )


def _days(path: str, label: str, help_: str) -> Field:
    return Field(path, label, help_, most=36_500)


SECTIONS: tuple[Section, ...] = (
    Section(
        "score",
        "Value score",
        "V = P × U × R × A − C. What reaches the threshold may be committed without a person.",
        (
            Group(
                "What commits",
                "The least value that may be committed without a person.",
                (Field("score.threshold", "Threshold", "Higher: more waits for review. Lower: less does."),),
            ),
            Group(
                "P: how likely it is right",
                "By the source as the server believes it, never as it was claimed.",
                (
                    *each("score.probability", SOURCES),
                    Field("score.ungrounded", "Without evidence", "P is multiplied by this where no quote is found."),
                ),
            ),
            Group(
                "U: how useful it will be later",
                "By kind, raised where it will be asked for by name.",
                (
                    *each("score.utility", KINDS),
                    Field("score.utility_keyed", "With a key", "U is multiplied by this.", most=2.0),
                    Field("score.utility_always", "Always given", "U is multiplied by this.", most=2.0),
                ),
            ),
            Group("R: how far it can be reused", "By the scope it would hold in.", each("score.reuse", SCOPES)),
            Group(
                "A: how likely it still holds when it is read",
                "By how long it was said to hold.",
                (
                    *each("score.validity", VALIDITIES),
                    Field("score.one_off", "Said for this once", "A is multiplied by this."),
                ),
            ),
            Group(
                "C: what it costs to keep",
                "Taken off the product: storage, upkeep, privacy, the spread of an error.",
                (
                    Field("score.cost_base", "Every memory", "Upkeep of one more memory."),
                    Field("score.cost_per_1000_chars", "Each 1,000 characters", "Tokens of the recalls that show it."),
                    Field("score.cost_sensitive", "Something sensitive", "Added where something had to be masked."),
                    Field("score.cost_wide", "Wide scope", "Added for project, tenant and global: an error spreads."),
                ),
            ),
        ),
    ),
    Section(
        "sensitivity",
        "Sensitive words",
        "What happens to a proposal that holds something sensitive. The strictest category decides.",
        (
            Group(
                "By category",
                "Allow keeps the words. Review asks a person first. Event only and reject cut the words out before "
                "anything is stored; event only notes that it was said.",
                tuple(_sensitive(category) for category in DEFAULT_ACTIONS),
            ),
        ),
    ),
    Section(
        "review",
        "Review and trust",
        "What needs a person whatever its value, and who is believed when sources differ.",
        (
            Group(
                "What people must see",
                "These rules hold beside the value score.",
                (
                    Field(
                        "review_levels",
                        "Scopes that need a person",
                        "Nothing of these is committed without review.",
                        kind="several",
                        choices=LEVELS,
                    ),
                    Field(
                        "max_content_chars",
                        "Longest statement",
                        "Characters. What is longer is not one fact, and is rejected.",
                        kind="whole",
                        least=50,
                        most=4000,
                    ),
                ),
            ),
            Group(
                "Trust",
                "When two sources differ, the more trusted one leads. A key rule may have an order of its own.",
                (
                    Field(
                        "trust",
                        "Order of trust",
                        "One source a line, the most trusted first; equals on one line, with = between them.",
                        kind="order",
                        choices=tuple(SOURCES),
                    ),
                ),
            ),
        ),
    ),
    Section(
        "desk",
        "Review desk",
        "How people decide: what can be undone, what takes two, when an item is late, what is too much at once.",
        (
            Group(
                "Decisions",
                "What happens between a decision and its effect.",
                (
                    Field(
                        "undo_seconds",
                        "Seconds to undo",
                        "So long a decision waits before it takes effect. 0: at once.",
                        kind="whole",
                        most=3600,
                    ),
                    Field(
                        "two_people",
                        "Risks that take two people",
                        "The owner of the agent is neither of them.",
                        kind="several",
                        choices=tuple(RISKS),
                    ),
                ),
            ),
            Group(
                "Hours until an item is late",
                "By its risk, from when it was proposed.",
                tuple(Field(f"due_hours.{r}", spaced(r), text, least=1, most=8760) for r, text in RISKS.items()),
            ),
            Group(
                "Too much at once",
                "One agent must not push others' proposals down, and nobody should wave things through.",
                (
                    Field(
                        "flood_waiting",
                        "Waiting of one agent",
                        "What it proposes past this is held back as one item.",
                        kind="whole",
                        least=1,
                        most=100_000,
                    ),
                    Field(
                        "flood_per_minute",
                        "Proposals a minute",
                        "What an agent proposes faster is held back.",
                        kind="whole",
                        least=1,
                        most=100_000,
                    ),
                    Field(
                        "tired_per_minute",
                        "Decisions a minute",
                        "Whoever decides faster is warned.",
                        kind="whole",
                        least=1,
                        most=1000,
                    ),
                ),
            ),
        ),
    ),
    Section("keys", "Key rules", "What keys are called, and how they behave. The first rule that fits a key counts."),
    Section(
        "always",
        "Always list",
        "Memories that come with every recall in their scope, whatever the question.",
        (
            Group(
                "What may be always given",
                "Allergies, accessibility, limits: what an agent must not forget.",
                (
                    Field(
                        "always_keys",
                        "Keys",
                        "Patterns, one a line; * stands for anything. Other keys need a person to become always.",
                        kind="patterns",
                    ),
                    Field(
                        "always_share",
                        "Share of the budget",
                        "The part of a recall's tokens they may take. What does not fit is named.",
                    ),
                ),
            ),
        ),
    ),
    Section(
        "ranking",
        "Ranking",
        "What a recall puts first: a weight for each part, each part between 0 and 1.",
        (
            Group(
                "Weights",
                "Rank = a relevance + b scope + c freshness + d confidence + e kind − l risk.",
                (
                    Field("rank.relevance", "Relevance", "a: how well words and meaning fit the question.", most=5.0),
                    Field("rank.scope", "Scope", "b: how near its scope is to the one who asks.", most=5.0),
                    Field("rank.freshness", "Freshness", "c: how lately it was observed.", most=5.0),
                    Field("rank.confidence", "Confidence", "d: how sure its source was.", most=5.0),
                    Field("rank.kind", "Kind", "e: whether the question asks for this kind.", most=5.0),
                    Field("rank.risk", "Risk", "l: taken off for doubt, staleness, conduct and conflict.", most=5.0),
                    Field("rank.floor", "Floor", "What is less relevant than this is left out."),
                    Field(
                        "rank.vectors",
                        "By meaning",
                        "Off: nothing is compared; all in scope is listed by precedence and freshness.",
                        kind="choice",
                        choices=("on", "off"),
                    ),
                ),
            ),
            Group("Scope", "How near each scope counts.", each("rank.scope_match", SCOPES)),
        ),
    ),
    Section(
        "retention",
        "Freshness and retention",
        "How quickly memories grow old, and how long what waits may wait.",
        (
            Group(
                "Half-life",
                "Days after which a memory not observed again counts half as fresh. A key rule may have its own.",
                tuple(
                    Field(f"half_life_days.{kind}", spaced(kind), f"{text} In days.", least=0.1, most=36_500)
                    for kind, text in KINDS.items()
                ),
            ),
            Group(
                "Limits",
                "When something is called stale, and when a proposal gives up waiting.",
                (
                    Field("stale_below", "Stale below", "Freshness under which a memory is shown as stale."),
                    Field(
                        "pending_days",
                        "Proposals wait",
                        "Days. What nobody decided by then expires; it stays listed and can be opened again.",
                        kind="whole",
                        least=1,
                        most=3650,
                    ),
                ),
            ),
            _retention("standard", "What a memory is kept by when nothing else is said."),
            _retention("short", "For what matters for a while."),
            _retention("keep", "For what must stay."),
            Group(
                "Sweeps",
                "Priority = utility × confidence × freshness. What sweeps leave alone whatever its priority.",
                (
                    _days("sweep.grace_days", "Too new", "Days since it was last observed."),
                    Field(
                        "sweep.spared_after_use_days", "Lately given", "Days since an agent had it.", least=0, most=3650
                    ),
                    Field("sweep.unused", "Never given", "The share of its utility that it has all the same."),
                ),
            ),
        ),
    ),
)
FIELDS: Mapping[str, Field] = {f.path: f for s in SECTIONS for g in s.groups for f in g.fields}
SECTION_OF: Mapping[str, Section] = {f.path: s for s in SECTIONS for g in s.groups for f in g.fields}


def section(name: str) -> Section | None:
    return next((s for s in SECTIONS if s.id == name), None)


def fields_of(one: Section) -> tuple[Field, ...]:
    return tuple(f for group in one.groups for f in group.fields)
