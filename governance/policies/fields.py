"""What a setting of a policy is: its bounds, its help, and how an order of trust is written. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

ACTIONS = ("allow", "review", "event_only", "reject")


@dataclass(frozen=True)
class Field:
    """One thing a policy says, at a path of its document."""

    path: str
    label: str
    help: str
    kind: str = "number"  # number, optional, whole, choice, several, patterns, order
    least: float = 0.0
    most: float = 1.0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Fields that are read together."""

    title: str
    help: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Section:
    """One page of the editor. `keys` has none: its rules are a list of their own."""

    id: str
    title: str
    summary: str
    groups: tuple[Group, ...] = field(default=())


SOURCES: Mapping[str, str] = {
    "business_system": "A system of record, such as billing.",
    "reviewer": "A person on the review desk.",
    "user_explicit": "The user's own words, quoted and found.",
    "project_document": "A document of the project.",
    "tool_result": "What a tool returned.",
    "inferred_behaviour": "Inferred from what somebody does.",
    "summary": "A summary of other memories.",
    "agent_guess": "What the agent thinks, without better evidence.",
}
KINDS: Mapping[str, str] = {
    "semantic": "Facts and preferences.",
    "episodic": "What happened, on its day.",
    "procedural": "Rules of conduct.",
}
SCOPES: Mapping[str, str] = {
    "session": "One conversation.",
    "user": "One person, in every conversation.",
    "agent": "One agent's own conduct.",
    "project": "All participants of a project.",
    "tenant": "Everybody in this tenant.",
    "global": "Every tenant of the installation.",
}
RISKS: Mapping[str, str] = {
    "normal": "One person's facts and preferences.",
    "raised": "Project scope, rules of conduct, always given.",
    "high": "Tenant and global scope, binding rules, quarantine.",
}
VALIDITIES: Mapping[str, str] = {
    "permanent": "Never changes, such as a birthplace.",
    "until_replaced": "Holds until a newer value comes.",
    "until_project_end": "Ends with the project.",
    "until_date": "Ends on a day that was said.",
}


def spaced(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def each(path: str, names: Mapping[str, str], *, most: float = 1.0, least: float = 0.0) -> tuple[Field, ...]:
    return tuple(Field(f"{path}.{n}", spaced(n), text, least=least, most=most) for n, text in names.items())


def order_of(trust: Mapping[str, int]) -> list[list[str]]:
    """Return sources, the most trusted first, those of one rank together and by name."""
    levels = sorted(set(trust.values()), reverse=True)
    return [sorted(s for s, rank in trust.items() if rank == level) for level in levels]


def lines_of_trust(trust: Mapping[str, int]) -> str:
    """Return an order of trust as people write it: one source a line, equals joined by `=`."""
    return "\n".join(" = ".join(equals) for equals in order_of(trust))


def trust_of(text: str) -> dict[str, int]:
    """Return an order of trust from the lines people write: higher is more trusted. Raises ValueError."""
    lines = [[name.strip() for name in line.split("=")] for line in text.splitlines() if line.strip()]
    said = [name for line in lines for name in line]
    if unknown := [name for name in said if name not in SOURCES]:
        raise ValueError(f"there is no source {unknown[0]}")
    if len(set(said)) < len(said):
        raise ValueError("a source is named twice")
    return {name: 10 * (len(lines) - at) for at, line in enumerate(lines) for name in line}
