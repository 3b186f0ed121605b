"""Sessions of people, found by whose they are: so that one can be looked at and ended. Work: MemberSession."""

import hashlib
from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

USER, BROWSER, STARTED = "_auth_user_id", "browser", "started"


class MemberSession(AbstractBaseSession):
    """One browser's session. Its key opens it, so pages name it by `ref`; no address and no words are kept. Work."""

    user = models.IntegerField(null=True, db_index=True)
    browser = models.CharField(max_length=80, default="")
    started_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        return SessionStore

    @property
    def ref(self) -> str:
        """A name of the session that does not open it."""
        return reference(self.session_key)


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[MemberSession]:
        return MemberSession

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        row: Any = super().create_model_instance(data)
        row.user = int(data[USER]) if data.get(USER) else None
        row.browser = str(data.get(BROWSER, ""))[:80]
        row.started_at = datetime.fromisoformat(data[STARTED]) if data.get(STARTED) else None
        row.seen_at = timezone.now()
        return row


def reference(session_key: str) -> str:
    return hashlib.sha256(b"session/" + session_key.encode()).hexdigest()[:24]


def sessions_of(user: int) -> list[MemberSession]:
    """Return a person's living sessions, the one used last first."""
    rows = MemberSession.objects.filter(user=user, expire_date__gt=timezone.now())
    return list(rows.order_by("-seen_at"))


def end(user: int, *, refs: set[str] | None = None, but: str = "") -> int:
    """End sessions of a person, those named or all, but the one with a key; return how many."""
    chosen = [s for s in sessions_of(user) if s.session_key != but and (refs is None or s.ref in refs)]
    MemberSession.objects.filter(pk__in=[s.pk for s in chosen]).delete()
    return len(chosen)
