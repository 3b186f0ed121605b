"""Where words, identifiers or vectors could be kept: every field and cache, read off the code itself.

Whoever adds a field that can hold words puts it in the `covers` of a store (governance/erasure/stores), which then has
to reach it; a field that cannot, by what it is used for, gets its reason below.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.db import models

from governance.erasure.stores import STORES

ROOT = Path(__file__).resolve().parent.parent.parent

# Fields of these kinds hold no text: numbers, times, truths, and references to rows that are looked at themselves.
WORDLESS = (
    models.AutoField,
    models.BigAutoField,
    models.BooleanField,
    models.DateField,
    models.FloatField,
    models.IntegerField,
)

# Why a field that could hold words does not, or need not go.
EXEMPT = {
    # opaque ids, random or of rows
    **dict.fromkeys(
        """Agent.id ApiKey.id Candidate.id Candidate.conflict Candidate.duplicate_of Claim.id Claim.candidate Conflict.id
        Conflict.chosen Content.id Content.kid Content.tenant ContentKey.kid ContentKey.scope ContentKey.subject
        ErasureJournal.request ErasureJournal.tenant Event.id Event.stream Event.tenant Event.correlation Evidence.id
        Evidence.candidate ForgetRequest.id ForgetRequest.filed_owner Head.tenant Hold.id IdempotencyRow.tenant
        LedgerCheck.tenant Memory.id About.id Membership.id NoticeAck.event Observation.id Observation.recall
        Outbox.tenant PolicyVersion.id Project.id Recall.id Recall.key Recall.request_id Scope.id SignedHead.tenant PastHead.tenant Quarantine.backup
        Subject.id Subject.fence Waiting.tenant Waiting.agent Suppression.request Suppression.tenant Tenant.id Version.id Version.candidate
        NamedKey.subject Lease.candidate Lease.tenant
        PolicyTrial.tenant SavedFilter.id Sweep.id Swept.id UseMark.recall""".split(),
        "an opaque id",
    ),
    # codes that the program or a policy chooses
    **dict.fromkeys(
        """Candidate.lane Candidate.operation Candidate.outcome Candidate.kind Candidate.key_rule Candidate.claimed_source
        Candidate.source_type Candidate.validity Candidate.retention Candidate.reason Candidate.decision_reason
        Candidate.verdicts Candidate.aside Candidate.aside_role Candidate.level Candidate.verb PolicyTrial.state Candidate.score Claim.kind Claim.source_type Claim.validity Conflict.key_rule Conflict.kind
        Conflict.rule Conflict.choice Entry.model Errand.kind Event.type ForgetRequest.kinds ForgetRequest.grounds
        LedgerCheck.findings Memory.key_rule Memory.kind Observation.placeholders Outbox.topic Outbox.error
        Recall.degraded Shard.model StoreRow.method StoreRow.reason StoreRow.error StoreRow.store Survey.table
        Version.kind Version.source_type Version.reason Version.validity Version.retention NamedKey.name
        Waiting.level Waiting.kind Waiting.lane Waiting.risk Waiting.hour""".split(),
        "a code",
    ),
    # counts, times and ids in JSON
    **dict.fromkeys(
        """ApiKey.grants ApiKey.sources Candidate.subjects Conflict.wrote Errand.result ForgetPlan.document
        ForgetPlan.reach ErasureJournal.entry ForgetReport.document Membership.projects Recall.hits Recall.scopes
        Recall.timings PolicyTrial.counts SavedFilter.facets Sweep.counts Sweep.undone SweepLook.counts SweepLook.samples""".split(),
        "ids, codes and numbers",
    ),
    # who did it: members and agents, who answer for it
    **dict.fromkeys(
        """Candidate.proposed_by Candidate.decided_by Claim.made_by Conflict.resolved_by Event.actor
        ForgetRequest.filed_by ForgetRequest.verified_by ForgetRequest.approved_by Hold.placed_by Hold.lifted_by
        LedgerCheck.asked_by PolicyDraft.edited_by PolicyVersion.published_by StoreRow.worker Version.created_by Agent.name Candidate.approved_by Candidate.aside_by
        Candidate.assigned_to Waiting.assigned_to Lease.holder PolicyTrial.asked_by SavedFilter.owner Sweep.begun_by Sweep.undo_by
        SweepLook.asked_by""".split(),
        "an account or an agent, never a person memories are about",
    ),
    # hashes of what is kept, or keys of ours
    **dict.fromkeys(
        """ApiKey.secret_hash Content.nonce ErasureJournal.sha256 Event.hash Event.prev_hash ForgetReport.sha256
        ForgetReport.signature ForgetRequest.plan_hash ForgetRequest.report_sha256 Head.hash IdempotencyRow.key_hash
        SignedHead.hash SignedHead.signature PastHead.hash PastHead.signature""".split(),
        "a hash or a signature of what holds no words",
    ),
    "Project.content": "a project's name: it goes when its project is forgotten as a scope, by its own key",
    "Project.external_mac": "the HMAC of a project's id; it names no person",
    "Tenant.name": "the customer",
    "Tenant.zone": "a time zone",
    "PolicyDraft.document": "configuration: it names no person",
    "PolicyVersion.document": "configuration: it names no person",
    "Needle.ct": "sealed under the request's own key, destroyed with its report",
    "Needle.nonce": "the same",
    "Survey.keys": "hashes of hashes, deleted with the report",
    "Survey.rows": "the same",
    # Django's own
    **dict.fromkeys(
        """User.username User.password User.first_name User.last_name User.email Group.name Permission.name
        Permission.codename ContentType.app_label ContentType.model Session.session_key MemberSession.session_key
        MemberSession.browser Authenticator.data EmailAddress.email EmailConfirmation.key""".split(),
        "accounts of members",
    ),
    **dict.fromkeys(
        """AccessAttempt.username AccessAttempt.ip_address AccessAttempt.user_agent AccessAttempt.http_accept
        AccessAttempt.path_info AccessAttempt.get_data AccessAttempt.post_data AccessFailureLog.username
        AccessFailureLog.ip_address AccessFailureLog.user_agent AccessFailureLog.http_accept AccessFailureLog.path_info
        AccessLog.username AccessLog.ip_address AccessLog.user_agent AccessLog.http_accept AccessLog.path_info
        AccessLog.session_hash""".split(),
        "tables that stay empty: failed sign-ins are counted in the cache (tests/web/test_account.py)",
    ),
}

EXEMPT_CACHES = {
    "governance.candidates.tendency": "weights of the linear heads",
    "governance.ledger.models": "columns of models",
    "governance.ledger.prepared": "statements, without what is put into them",
    "governance.ledger.events": "types of events",
    "governance.scopes.queries": "time zones of tenants",
    "governance.policies.queries": "policies",
    "governance.memories.spelling": "units of measure",
    "governance.policies.detectors.spans": "single characters",
    "governance.api.pagination": "a key derived from the master key",
    "governance.api.schema": "documented shapes",
    "governance.api.fields": "forms without what is read with them",
    "governance.retrieval.rules": "labels of key rules, which a policy holds",
}


def fields() -> set[str]:
    """Return every field that could hold words, as `Model.field`."""
    return {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if could_hold_words(field)
    }


def could_hold_words(field: models.Field) -> bool:
    if isinstance(field, models.ForeignKey):
        return field.related_model.__name__ == "Content"
    return not isinstance(field, WORDLESS) and not field.choices


def covered() -> set[str]:
    """Return what the stores answer for."""
    return {name for store in STORES for name in store.covers}


def caches(root: Path = ROOT / "governance") -> set[str]:
    """Return the modules that keep copies in memory: memoised functions and module-level dictionaries."""
    return {module for file in root.rglob("*.py") for module in [_module(file, root)] if any(_keeps(file))}


def _module(file: Path, root: Path) -> str:
    parts = file.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _keeps(file: Path) -> Iterator[bool]:
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                yield ast.unparse(decorator).split("(")[0] in ("lru_cache", "cache", "functools.cache")
    for node in tree.body:
        value = getattr(node, "value", None)
        target = ast.unparse(getattr(node, "target", None) or getattr(node, "targets", [ast.Name("")])[0])
        if isinstance(node, ast.Assign | ast.AnnAssign) and target.startswith("_") and value is not None:
            yield ast.unparse(value) in ("{}", "OrderedDict()", "dict()", "[]", "set()")
