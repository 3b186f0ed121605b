"""The registry: one adapter for each place that can hold words, identifiers or vectors, in the order of the work."""

from governance.erasure.stores.identity import Identifiers, Keyring, Suppressions
from governance.erasure.stores.index import Entries, Files, Retrieval
from governance.erasure.stores.passing import (
    Accounts,
    Backups,
    Browsers,
    Caches,
    ChromaProcess,
    Database,
    Exports,
    Idempotency,
    Logs,
    Queues,
)
from governance.erasure.stores.store import Store
from governance.erasure.stores.words import (
    CandidateWords,
    ConflictWords,
    Derived,
    EventLog,
    MemoryWords,
    ObservationWords,
    RecallWords,
)

# First what needs the words, then what is not retrieved any more, then what was derived, then the files.
STORES: tuple[Store, ...] = (
    Suppressions(),
    MemoryWords(),
    ObservationWords(),
    CandidateWords(),
    ConflictWords(),
    RecallWords(),
    Derived(),
    Identifiers(),
    Queues(),
    Entries(),
    Retrieval(),
    Keyring(),
    Caches(),
    Idempotency(),
    Files(),
    Database(),
    EventLog(),
    Accounts(),
    Logs(),
    Exports(),
    Browsers(),
    Backups(),
    ChromaProcess(),
)

__all__ = ["STORES", "Store"]
