"""What the gate says of a proposal, asked without a store: redaction and stages, as `propose` asks them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from governance.candidates.actions import judge as judging
from governance.candidates.extractors import extract
from governance.candidates.rules import Draft
from governance.candidates.stages import Decision, Facts, Proposal, decide
from governance.candidates.tendency import tendency
from governance.policies.rules import DEFAULT
from governance.scopes.rules import ScopeSpec

NOTHING_ELSE = Facts()
SAID_AT = datetime(2025, 6, 4, 10, tzinfo=UTC)


def proposed(
    text: str, *, content: str = "", role: str = "user", key: str = "", facts: Facts = NOTHING_ELSE, **more: Any
) -> Decision:
    """Return the decision about what an agent makes of a turn: its words as they are, or a sentence of its own."""
    source = "user_explicit" if role == "user" else "agent_guess"
    said = content or text
    words: Mapping[str, Any] = {"kind": "semantic", "source_type": source, "quote": text, "value": said, **more}
    draft = Draft(scope=ScopeSpec("user", user="u"), key=key or "noted.fact", content=said, **words)
    return decision(draft, text, role, facts)


def decision(draft: Draft, text: str, role: str, facts: Facts = NOTHING_ELSE) -> Decision:
    """Return the decision about a draft that rests on a turn of the scope's own user (or on another role's)."""
    heard, in_turn = judging.redacted_text(text, DEFAULT)
    clean, masked = judging.redacted(draft, DEFAULT)
    clean = judging.with_sentence(clean, DEFAULT)
    proposal = Proposal(
        level=draft.scope.level,
        kind=clean.kind,
        key=clean.key,
        value=clean.value,
        content=clean.content,
        context=clean.context,
        about=clean.about,
        source_type=clean.source_type,
        quote=clean.quote,
        role_of_observation=role,
        observation_text=heard,
        observation_is_by_scope_user=role == "user",
        observed_at=SAID_AT,
        always=clean.always,
        lasting=clean.lasting,
        explicit=clean.explicit,
        tags=clean.tags,
        source_ref=clean.source_ref,
        placeholders=tuple(sorted({*masked, *(in_turn if "[" in clean.quote else ())})),
    )
    decided = decide(proposal, facts, DEFAULT)
    if clean.explicit is None and not decided.lane and decided.outcome != "reject":
        told = tendency([clean.content, *judging.other_words(clean)])
        return decide(proposal, replace(facts, tendency=told), DEFAULT)
    return decided


def extracted(text: str) -> Iterator[tuple[str, Decision]]:
    """Return what the rules find in a user's turn, and the decision about each."""
    clean, _ = judging.redacted_text(text, DEFAULT)
    for found in extract(clean, observed_at=SAID_AT, zone=UTC):
        if found.intent in ("retract", "confirm"):
            continue
        level = "user" if found.level == "user" else "project"
        draft = Draft(
            scope=ScopeSpec("user", user="u"),
            kind=found.kind,
            key=found.key,
            value=found.value,
            content=found.content,
            about=found.about,
            source_type="user_explicit",
            quote=clean[found.start : found.end],
            always=found.always,
            lasting=found.lasting,
            explicit=found.explicit,
        )
        yield f"{found.key}={found.value!r}", decision(replace(draft, scope=ScopeSpec(level)), clean, "user")


def reason(decided: Decision) -> str:
    """Return the stage and code that kept it out, else the outcome."""
    asked = [v for v in decided.verdicts if v.outcome == decided.outcome and v.outcome]
    return f"{decided.outcome} ({asked[0].code})" if asked else decided.outcome
