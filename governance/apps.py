"""The one Django app; at start it loads what rooms register: folds, handlers, triggers."""

import importlib

from django.apps import AppConfig
from django.db.models.signals import post_migrate

REGISTERING = (
    "governance.scopes.events",
    "governance.scopes.use",
    "governance.policies.events",
    "governance.evidence.events",
    "governance.memories.events",
    "governance.conflicts.events",
    "governance.candidates.events",
    "governance.candidates.actions",
    "governance.candidates.tally",
    "governance.candidates.trial",
    "governance.lifecycle.events",
    "governance.lifecycle.actions",
    "governance.erasure.events",
    "governance.erasure.worker",
    "governance.erasure.caches",
    "governance.overview.events",
    "governance.ledger.actions",
    "governance.ledger.checks",
    "governance.ledger.statistics",
    "governance.index.projector",
    "governance.index.upkeep",
)


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Memory governance"

    def ready(self) -> None:
        for module in REGISTERING:
            importlib.import_module(module)
        post_migrate.connect(_finish_tables, sender=self)


def _finish_tables(using: str, **kwargs: object) -> None:
    importlib.import_module("governance.ledger.statistics").keep_no_samples(using)
    if using == "default":
        importlib.import_module("governance.ledger.triggers").install(using)
