"""Copies in the memory of this process: dropped when somebody is forgotten.

Workers drop theirs within a minute of each other; a web process drops all of its copies every ten (`COPIES_LAST`).
"""

import time

from governance.candidates import echoes
from governance.candidates.stages import surroundings
from governance.erasure.models import ErasureJournal
from governance.index import embedding, entries
from governance.ledger import sealing
from governance.ledger.outbox import every_drain
from governance.policies.detectors import presidio
from governance.retrieval import beliefs

LOOKED_EVERY = 60.0  # seconds: so long a copy of another process may outlast an erasure
_MODULES = (
    "ledger.sealing",
    "index.embedding",
    "index.entries",
    "retrieval.beliefs",
    "candidates.echoes",
    "candidates.stages.surroundings",
    "policies.detectors.presidio",
)
COVERS = tuple(f"cache:governance.{module}" for module in _MODULES)
_looked_at, _seen = 0.0, -1


def drop() -> None:
    """Drop every copy of this process, of whomever."""
    sealing.forget_known_keys()
    embedding.forget_queries()
    entries.forget_entries()
    beliefs.forget_beliefs()
    echoes.forget_sentences()
    surroundings.told.cache_clear()
    presidio.forget_answers()


@every_drain
def drop_after_others() -> None:
    """Drop the copies when another process has erased something since this one looked."""
    global _looked_at, _seen
    now = time.monotonic()
    if now - _looked_at < LOOKED_EVERY:
        return
    _looked_at = now
    last = ErasureJournal.objects.order_by("-id").values_list("id", flat=True).first() or 0
    if _seen not in (-1, last):
        drop()
    _seen = last
