"""All tables, room by room, where Django looks for them."""

from governance.candidates.models import Candidate, Lease, PolicyTrial, SavedFilter
from governance.conflicts.models import Claim, Conflict
from governance.erasure.models import (
    ErasureJournal,
    ForgetPlan,
    ForgetReport,
    ForgetRequest,
    Needle,
    StoreRow,
    Survey,
)
from governance.evidence.models import Observation, Suppression
from governance.index.models import Entry, Errand, Mark, Removal, ScopeShard, Shard
from governance.ledger.models import (
    Content,
    ContentKey,
    Event,
    Head,
    LedgerCheck,
    NamedKey,
    Outbox,
    PastHead,
    Quarantine,
    SignedHead,
)
from governance.lifecycle.models import Hold, Sweep, SweepLook, Swept, Use, UseMark
from governance.memories.models import About, Derivation, Evidence, Memory, Period, Version
from governance.overview.models import NoticeAck
from governance.policies.models import PolicyDraft, PolicyVersion
from governance.retrieval.models import Recall
from governance.scopes.models import (
    Agent,
    ApiKey,
    IdempotencyRow,
    KeyUse,
    Membership,
    Participation,
    Project,
    Scope,
    Subject,
    Tenant,
)
from governance.scopes.sessions import MemberSession

__all__ = [
    "About",
    "Agent",
    "ApiKey",
    "Candidate",
    "Claim",
    "Conflict",
    "Content",
    "ContentKey",
    "Derivation",
    "Entry",
    "ErasureJournal",
    "Errand",
    "Event",
    "Evidence",
    "ForgetPlan",
    "ForgetReport",
    "ForgetRequest",
    "Head",
    "Hold",
    "IdempotencyRow",
    "KeyUse",
    "Lease",
    "LedgerCheck",
    "Mark",
    "MemberSession",
    "Membership",
    "Memory",
    "NamedKey",
    "Needle",
    "NoticeAck",
    "Observation",
    "Outbox",
    "Participation",
    "PastHead",
    "Period",
    "PolicyDraft",
    "PolicyTrial",
    "PolicyVersion",
    "Project",
    "Quarantine",
    "Recall",
    "Removal",
    "SavedFilter",
    "Scope",
    "ScopeShard",
    "Shard",
    "SignedHead",
    "StoreRow",
    "Subject",
    "Suppression",
    "Survey",
    "Sweep",
    "SweepLook",
    "Swept",
    "Tenant",
    "Use",
    "UseMark",
    "Version",
]
