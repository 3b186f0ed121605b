"""Opening words that a role does not show by itself; having the ledger checked."""

from governance.candidates.models import Candidate
from governance.conflicts.models import Conflict
from governance.errors import Gone, Invalid, NotAllowed
from governance.ledger import checks
from governance.ledger.models import LedgerCheck
from governance.ledger.writing import writing
from governance.memories.models import Memory
from governance.overview.events import QuestionOpened, WordsOpened
from governance.retrieval.models import Recall
from governance.scopes.rules import Actor


def open_words(of: Memory | Candidate | Conflict, *, by: Actor) -> None:
    """Note in the log that a member opened the words of a memory, candidate or conflict. Raises NotAllowed, Gone."""
    if not by.may("open-words"):
        raise NotAllowed()
    if of.erased if isinstance(of, Memory) else of.status == "erased":
        raise Gone()
    version = of.latest if isinstance(of, Memory) else of.version
    with writing(by.tenant, by=by.id) as w:
        w.record(WordsOpened(version=version), stream=of.pk)


def open_question(of: Recall, *, by: Actor) -> None:
    """Note in the log that a member opened what was asked in a recall. Raises NotAllowed, Gone."""
    if not by.may("open-words"):
        raise NotAllowed()
    if of.content_id is None:
        raise Gone()
    with writing(by.tenant, by=by.id) as w:
        w.record(QuestionOpened(), stream=of.pk)


def check_ledger(kind: str, *, by: Actor) -> LedgerCheck:
    """Return the check of a tenant's chain or state that the worker will make. Raises NotAllowed, Invalid."""
    if not by.may("see-log"):
        raise NotAllowed()
    if kind not in LedgerCheck.KINDS:
        raise Invalid({"/kind": "must be one of " + ", ".join(LedgerCheck.KINDS)})
    return checks.ask(by.tenant, kind, by=by.id)
