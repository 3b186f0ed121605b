"""What somebody said, as rules understood it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from governance.policies.detectors import JSON


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement found at `start:end` of an utterance; `content` is one sentence about the user, third person."""

    start: int
    end: int
    kind: str  # semantic, episodic, procedural
    key: str
    value: JSON
    content: str
    level: str = "user"  # or project
    intent: str = "state"  # correct, retract, confirm
    lasting: bool = True
    explicit: bool = True
    about: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    validity: str = "until_replaced"
    always: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A statement before its place and times are known: what a rule makes of a clause."""

    key: str
    value: JSON
    content: str
    kind: str = "semantic"
    level: str = "user"
    intent: str = "state"
    about: str = ""
    always: bool = False
    explicit: bool = True  # False: a guess at what was meant, which waits
    lasting: bool | None = None  # None: as the words around it say


Groups = Mapping[str, str]
