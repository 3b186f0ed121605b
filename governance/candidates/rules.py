"""What a proposal must be before any stage looks at it: pure."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from governance.errors import Invalid
from governance.memories.models import KINDS, REASONS, SOURCES, VALIDITIES
from governance.memories.rules import is_empty
from governance.policies.rules import KeyRule, Policy
from governance.scopes.rules import ScopeSpec, has_unseen

# No class of source is believed beyond this; a caller can lower a confidence, never raise it past its class.
CONFIDENCE_CAP: Mapping[str, float] = {
    "business_system": 0.99,
    "reviewer": 0.95,
    "user_explicit": 0.95,
    "project_document": 0.90,
    "tool_result": 0.80,
    "inferred_behaviour": 0.50,
    "summary": 0.60,
    "agent_guess": 0.40,
}
SKEW = timedelta(minutes=5)  # that a caller's clock may run ahead of ours
AHEAD = "lies more than 5 minutes ahead of this server's clock; send when it was said, with its offset, or leave it out"
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
LONGEST = {"key": 200, "content": 4000, "context": 4000, "about": 200, "quote": 20_000, "source_ref": 500, "note": 2000}
MOST_TAGS, LONGEST_TAG, DEEPEST, LARGEST_VALUE = 20, 100, 10, 20_000


@dataclass(frozen=True)
class Draft:
    """A proposed memory as its caller wrote it, shapes checked by the door."""

    scope: ScopeSpec
    kind: str
    key: str = ""
    value: Any = None
    content: str = ""
    context: str = ""
    about: str = ""
    source_type: str = "agent_guess"
    source_ref: str = ""
    observation: str = ""
    quote: str = ""
    confidence: float | None = None
    observed_at: datetime | None = None
    valid_from: datetime | date | None = None
    valid_to: datetime | date | None = None
    validity: str = ""
    subjects: tuple[str, ...] = ()
    always: bool = False
    binding: bool = False
    tags: tuple[str, ...] = ()
    retention: str = "standard"
    reason: str = ""
    note: str = ""
    # What an extractor knows and a caller does not say; None: the stages find out.
    lasting: bool | None = None
    explicit: bool | None = None

    def words(self) -> dict[str, Any]:
        """Return the fields that are words: what is redacted, then sealed."""
        return {
            "content": self.content,
            "context": self.context,
            "about": self.about,
            "key": self.key,
            "value": self.value,
            "tags": list(self.tags),
            "quote": self.quote,
            "source_ref": self.source_ref,
            "note": self.note,
        }


@dataclass(frozen=True)
class Times:
    """The four times of a draft, resolved: aware, half-open."""

    observed_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    validity: str
    zone: tzinfo = field(default=UTC)


def check(draft: Draft) -> None:
    """Raise Invalid, naming every field that is wrong."""
    errors: dict[str, str] = {}
    if draft.kind not in KINDS:
        errors["/kind"] = "must be one of " + ", ".join(KINDS)
    if draft.source_type not in SOURCES or draft.source_type in ("reviewer", "summary"):
        errors["/source_type"] = "must be one of " + ", ".join(s for s in SOURCES if s not in ("reviewer", "summary"))
    if draft.validity and draft.validity not in VALIDITIES:
        errors["/validity"] = "must be one of " + ", ".join(VALIDITIES)
    if draft.reason and draft.reason not in REASONS:
        errors["/reason"] = "must be one of " + ", ".join(REASONS)
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        errors["/confidence"] = "must lie between 0 and 1"
    if not draft.key and draft.kind in ("semantic", "procedural"):
        errors["/key"] = f"is needed for {draft.kind} memories; only episodic ones do without"
    if draft.kind == "episodic" and draft.value is None and draft.content:
        pass
    elif is_empty(draft.value):
        errors["/value"] = "is empty; to say that nothing holds any more, delete the memory"
    for name in ("key", "content", "about", "context"):
        said = getattr(draft, name)
        if said and not is_visible(said):
            errors[f"/{name}"] = "holds nothing that can be seen; leave it out, or say something"
    errors |= text_errors(draft.words())
    if errors:
        raise Invalid(errors)


def is_visible(text: str) -> bool:
    """Return whether a text has anything that a reader sees."""
    return any(unicodedata.category(c)[0] not in "ZC" for c in text)


def text_errors(words: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with texts: too long, too many, NUL, half a surrogate pair, nested too deep."""
    errors: dict[str, str] = {}
    for name, value in words.items():
        pointer = f"/evidence/{name}" if name == "quote" else f"/{name}"
        if isinstance(value, str) and name in LONGEST and len(value) > LONGEST[name]:
            errors[pointer] = f"is longer than {LONGEST[name]} characters"
        problem = _unfit(value)
        if problem:
            errors[pointer] = problem
    tags = words.get("tags") or []
    if len(tags) > MOST_TAGS or any(len(t) > LONGEST_TAG for t in tags):
        errors["/tags"] = f"at most {MOST_TAGS} tags of {LONGEST_TAG} characters"
    key = words.get("key")
    if isinstance(key, str) and (has_unseen(key) or any(not c.isprintable() for c in key)):
        errors["/key"] = "holds a control or invisible character"
    return errors


def _unfit(value: Any, depth: int = 0) -> str:
    """Return why a JSON value cannot be kept, "" when it can."""
    problem = _unfit_inside(value, depth)
    if not problem and not depth and isinstance(value, list | dict) and len(json.dumps(value)) > LARGEST_VALUE:
        return f"is longer than {LARGEST_VALUE} characters as JSON"
    return problem


def _unfit_inside(value: Any, depth: int) -> str:
    if depth > DEEPEST:
        return f"is nested deeper than {DEEPEST} levels"
    if isinstance(value, str):
        return unfit_text(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return "holds a number beyond 64 bits; send it as text"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return "holds a number that is not finite"
    if isinstance(value, list):
        return next((p for p in (_unfit(v, depth + 1) for v in value[:LARGEST_VALUE]) if p), "")
    if isinstance(value, dict):
        parts = [x for pair in value.items() for x in pair]
        return next((p for p in (_unfit(v, depth + 1) for v in parts) if p), "")
    return ""


def unfit_text(text: str) -> str:
    """Return why a text cannot be kept, "" when it can."""
    if "\x00" in text:
        return "holds a NUL character"
    if len(text) > LARGEST_VALUE:
        return f"is longer than {LARGEST_VALUE} characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair; send valid Unicode"
    return ""


def is_ahead(moment: datetime, now: datetime) -> bool:
    """Return whether something would be said in the future, beyond what clocks differ by."""
    return moment > now + SKEW


def resolve_times(draft: Draft, *, said_at: datetime, now: datetime) -> Times:
    """Return the draft's times. A plain date means that day in the utterance's offset; `valid_to` includes it.

    `said_at` is when it was observed, in the zone it was said in. Raises Invalid.
    """
    zone = said_at.tzinfo or UTC
    errors = {}
    start = _bound(draft.valid_from, zone, end=False)
    end = _bound(draft.valid_to, zone, end=True)
    for pointer, moment in (("/observed_at", said_at), ("/valid_from", start), ("/valid_to", end)):
        if moment is not None and not EARLIEST <= moment <= LATEST:
            errors[pointer] = "must lie between the years 1900 and 9000"
    if end is not None and (start or said_at) >= end:
        errors["/valid_to"] = "must be later than valid_from"
    if draft.validity == "until_date" and end is None:
        errors["/valid_to"] = "is needed with validity until_date"
    if draft.validity == "permanent" and end is not None:
        errors["/validity"] = "permanent has no end: leave out valid_to, or say until_date"
    if errors:
        raise Invalid(errors)
    validity = draft.validity or ("until_date" if end else "until_replaced")
    return Times(said_at, start, end, validity, zone)


def _bound(value: datetime | date | None, zone: tzinfo, *, end: bool) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    if end and value == date.max:
        return datetime.max.replace(tzinfo=UTC)
    return datetime.combine(value + timedelta(days=1) if end else value, time(), tzinfo=zone)


def capped(confidence: float | None, source_type: str) -> float:
    """Return the confidence a source of this class is given at most."""
    cap = CONFIDENCE_CAP[source_type]
    return cap if confidence is None else min(confidence, cap)


def rendered(key: str, value: Any, rule: KeyRule | None, about: str = "") -> str:
    """Return one sentence for a value without a sentence of its own: its label and the value."""
    label = (rule.labels.get("en") if rule else None) or key.rsplit(".", 1)[-1].replace("_", " ")
    text = value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    whose = f"{about}: " if about else ""
    return f"{whose}{label}: {text}"


def risk_of(level: str, kind: str, *, lane: str, always: bool, binding: bool) -> str:
    """Return the risk class of a proposal: how much goes wrong, for how many, if it should not have been approved."""
    if level in ("tenant", "global") or binding or lane == "quarantine":
        return "high"
    return "raised" if level == "project" or kind == "procedural" or always else "normal"


def due_at(created_at: datetime, risk: str, policy: Policy) -> datetime:
    """Return when an item of a risk class is late."""
    return created_at + timedelta(hours=policy.due_hours.get(risk, 168.0))


def dueness(created_at: datetime, risk: str, policy: Policy, now: datetime) -> str:
    """Return "overdue", "soon" (a quarter of its time is left) or ""."""
    due = due_at(created_at, risk, policy)
    if due <= now:
        return "overdue"
    return "soon" if due - now < (due - created_at) / 4 else ""


def is_flood(waiting: int, last_minute: int, policy: Policy) -> bool:
    """Return whether an agent has so much in the queue, or proposes so fast, that the next is held back."""
    return waiting >= policy.flood_waiting or last_minute >= policy.flood_per_minute
