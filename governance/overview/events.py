"""What people do that changes no state, and is kept all the same."""

from governance.ledger.events import event


@event("words-opened")
class WordsOpened:
    """Somebody who sees skeletons by right opened the words of one thing; the stream says which."""

    version: int


@event("question-opened")
class QuestionOpened:
    """Somebody opened what was asked in a recall; the stream says which."""


@event("acted-as-agent")
class ActedAsAgent:
    """Somebody looked at what an agent would be given, with a key of it; the stream is the agent."""

    key: str
    recalls: int
