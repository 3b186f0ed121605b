"""Names, scopes, grants and roles: pure decisions, no database."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.errors import Invalid
from governance.scopes.models import LEVELS, SYSTEM

LONGEST_NAME = 200
# Letters, marks and symbols that show nothing (Unicode's default-ignorable ones, and the blank Braille cell), and
# code points that are no characters: by their category they look like any other.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\uffa0\ufffe\uffff\U000e0000-\U000e0fff]"
)
PARTS: Mapping[str, tuple[str, ...]] = {
    "session": ("user", "session"),
    "user": ("user",),
    "agent": (),
    "project": ("project",),
    "tenant": (),
    "global": (),
}
ACTIONS = ("observe", "propose", "recall", "inspect", "revise", "retract", "forget", "manage", "recall-unattended")
DEFAULT_ACTIONS = ("observe", "propose", "recall", "revise", "retract", "forget")
DEFAULT_LEVELS = ("session", "user", "agent", "project")
WIDE = ("project", "tenant", "global")

# What a role may do in the dashboard; the only table that says so. An auditor sees skeletons, opens words one by one.
ROLE_PERMITS: Mapping[str, frozenset[str]] = {
    "reviewer": frozenset({"see-queue", "decide", "see-memories", "read-words"}),
    "resolver": frozenset({"see-memories", "read-words", "resolve"}),
    "compliance": frozenset({"see-memories", "read-words", "erase", "hold", "sweep", "see-log"}),
    "auditor": frozenset({"see-queue", "see-memories", "see-log", "open-words"}),
    "administrator": frozenset(
        {
            "see-queue",
            "decide",
            "see-memories",
            "read-words",
            "see-log",
            "set-binding",
            "manage-agents",
            "manage-roles",
            "set-policy",
            "act-as-agent",
            "sweep",
        }
    ),
    "operator": frozenset({"see-log", "operate"}),
}


@dataclass(frozen=True)
class ScopeSpec:
    """A scope as a caller names it, every part cleaned."""

    level: str
    user: str = ""
    session: str = ""
    project: str = ""


@dataclass(frozen=True)
class Grant:
    """One permission of a key: an action at a level; `project` limits it to one project ("" is any)."""

    action: str
    level: str
    project: str = ""


@dataclass(frozen=True)
class Actor:
    """Who asks: an agent through a key, a member in the browser, or the system itself."""

    tenant: str
    id: str
    agent: str = ""
    key: str = ""
    owner: str = ""  # the person answerable: the agent's owner, or the member; an auth user's id
    grants: frozenset[Grant] = frozenset()
    users: frozenset[str] | None = None  # subjects the key is bound to; None: all
    sources: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    projects: frozenset[str] | None = None  # a reviewer's projects; None: all

    @property
    def is_agent(self) -> bool:
        return bool(self.agent)

    def may(self, permission: str) -> bool:
        """Return whether one of the member's roles permits this."""
        return any(permission in ROLE_PERMITS[role] for role in self.roles)

    def holds(self, action: str, level: str = "", project: str = "") -> bool:
        """Return whether the key grants an action (at a level, for a project); without a level: anywhere at all."""
        return any(
            g.action == action
            and (not level or g.level == level)
            and (not g.project or not project or g.project == project)
            for g in self.grants
        )

    def serves(self, subject: str) -> bool:
        """Return whether the key may act for this person."""
        return self.users is None or subject in self.users


def clean_name(raw: Any, pointer: str) -> str:
    """Return an id a caller chose, in NFC. Raises Invalid for anything that could be mistaken for another id."""
    if not isinstance(raw, str):
        raise Invalid({pointer: "must be text"})
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise Invalid({pointer: "holds half of a surrogate pair; send valid Unicode"}) from None
    name = unicodedata.normalize("NFC", raw)
    if not name:
        raise Invalid({pointer: "is empty"})
    if len(name) > LONGEST_NAME:
        raise Invalid({pointer: f"is longer than {LONGEST_NAME} characters"})
    if name != name.strip():
        raise Invalid({pointer: "begins or ends with a space"})
    if has_unseen(name):
        raise Invalid({pointer: "holds a control or invisible character"})
    return name


def has_unseen(text: str) -> bool:
    """Return whether a text holds control characters or others that nobody sees."""
    return bool(_UNSEEN.search(text)) or any(
        unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co") for c in text
    )


def parse_scope(raw: Any, pointer: str = "/scope") -> ScopeSpec:
    """Return the scope a caller named: a level and exactly the parts it needs. Raises Invalid naming the field."""
    if not isinstance(raw, Mapping):
        raise Invalid({pointer: 'must be an object such as {"level": "user", "user": "…"}'})
    level = raw.get("level")
    if not isinstance(level, str) or level not in PARTS:
        raise Invalid({f"{pointer}/level": "must be one of " + ", ".join(LEVELS)})
    needed = PARTS[level]
    missing = [p for p in needed if raw.get(p) is None]
    extra = [str(k) for k in raw if k != "level" and k not in needed]
    if missing or extra:
        known = [k for k in extra if k in ("user", "session", "project")]
        errors = [(f"{pointer}/{p}", f"is needed at level {level}") for p in missing]
        errors += [(f"{pointer}/{k}", f"does not belong to level {level}") for k in known]
        if len(known) < len(extra):
            errors.append((pointer, "holds a field that no scope has"))
        raise Invalid(errors)
    return ScopeSpec(level=level, **{p: clean_name(raw[p], f"{pointer}/{p}") for p in needed})


def parse_grant(text: str) -> Grant:
    """Return the grant written `ACTION:LEVEL[:PROJECT]`. Raises Invalid."""
    action, _, rest = text.partition(":")
    level, _, project = rest.partition(":")
    if action not in ACTIONS:
        raise Invalid({"/grants": "an action is one of " + ", ".join(ACTIONS)})
    if level not in LEVELS:
        raise Invalid({"/grants": "a level is one of " + ", ".join(LEVELS)})
    if project and level != "project":
        raise Invalid({"/grants": "only level project is limited to a project"})
    return Grant(action, level, project)


def default_grants() -> tuple[Grant, ...]:
    """Return what a key holds when nobody says otherwise: never `inspect`, `manage`, or a scope wider than project."""
    return tuple(Grant(a, level) for a in DEFAULT_ACTIONS for level in DEFAULT_LEVELS)


def is_system(tenant_name: str) -> bool:
    return tenant_name == SYSTEM


# What HMACs of external ids are taken over: framed, so that no two of them ever read alike.
def user_text(user: str) -> str:
    return f"user/{user}"


def project_text(project: str) -> str:
    return f"project/{project}"


def session_text(subject: str, session: str) -> str:
    return f"session/{subject}/{session}"
