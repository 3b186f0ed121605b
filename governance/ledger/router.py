"""Two databases: what opens the words lives apart from the words."""

from typing import Any

from django.apps import apps
from django.db.models import Model

KEYRING = "keyring"


class KeyringRouter:
    """Sends models marked `keyring = True` to the keyring database and everything else to the default one."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return KEYRING if getattr(model, "keyring", False) else "default"

    db_for_write = db_for_read

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool:
        return self.db_for_read(type(one)) == self.db_for_read(type(other))

    def allow_migrate(self, db: str, app_label: str, model_name: str | None = None, **hints: Any) -> bool:
        if model_name is None:
            return db == hints.get("database", "default")
        try:
            model = apps.get_model(app_label, model_name)
        except LookupError:
            return db == "default"
        return db == self.db_for_read(model)
