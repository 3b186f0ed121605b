"""Places through which things pass: caches, queues, answers kept for a day, logs, browsers, backups."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connections
from django.utils import timezone

from governance.erasure import caches
from governance.erasure.rules import Planned, Reach
from governance.erasure.stores.store import NeverHeld, Store, count
from governance.ledger.erasing import BLANKS, wipe
from governance.ledger.models import Outbox
from governance.scopes.models import IdempotencyRow


class Caches(Store):
    """Copies in the memory of processes: this one drops all of them now, others within the minute, at their next
    request. None is counted: they are of whomever, and what is held later was read after the erasure."""

    name = "caches"
    method = "dropped"
    covers = caches.COVERS

    def find(self, reach: Reach) -> int:
        return 0

    def erase(self, reach: Reach) -> int:
        caches.drop()
        return 0


class Queues(Store):
    """Work that is owed, by ids: done or not, it reads the present state; what is owed for the erased is dropped."""

    name = "outbox"
    method = "deleted"
    covers = ("Outbox.ref", "Outbox.scope")
    topics = ("index", "extract")

    def find(self, reach: Reach) -> int:
        ids = (*reach.memories, *reach.observations)
        return sum(count(Outbox, "ref__in", ids, topic=topic) for topic in self.topics)

    def erase(self, reach: Reach) -> int:
        gone = self.find(reach)
        for topic in self.topics:
            for start in range(0, len(reach.memories + reach.observations), 500):
                some = (reach.memories + reach.observations)[start : start + 500]
                Outbox.objects.filter(topic=topic, ref__in=some).delete()
        return gone


class Idempotency(Store):
    """Answers kept for a day: ids, and a keyed HMAC of the request's body."""

    name = "idempotency"
    method = "expires"
    bucket = "restrict"
    reason = "ids-only"
    until = "24 hours"
    covers = ("IdempotencyRow.body_mac", "IdempotencyRow.resources")

    def find(self, reach: Reach) -> int:
        ids = {*reach.memories, *reach.candidates, *reach.observations}
        rows = IdempotencyRow.objects.filter(tenant=reach.tenant, expires_at__gt=timezone.now())
        return sum(bool(ids & {str(r) for r in resources}) for resources in rows.values_list("resources", flat=True))


class Database(Store):
    """Dead rows and older pages of the database: what deleting and blanking leave in its files."""

    name = "database-files"
    method = "compacted"
    covers = ("file:database",)

    def find(self, reach: Reach) -> int:
        return 0

    def erase(self, reach: Reach) -> int:
        tables = ["governance_entry", "governance_memory", *(b.model._meta.db_table for b in BLANKS)]
        wipe("default", sorted(set(tables)))
        return 0

    def plan(self, reach: Reach) -> Planned:
        return Planned(self.name, reason="rewritten" if connections["default"].vendor != "sqlite" else "checkpointed")


class Accounts(NeverHeld):
    """Accounts, sessions and messages of members: they name staff, never the people memories are about."""

    name = "accounts"
    covers = ("Session.session_data", "MemberSession.session_data")


class Logs(NeverHeld):
    """Application logs: ids and codes, no query strings, no bodies."""

    name = "logs"
    covers = ("file:logs",)


class Exports(NeverHeld):
    """Exports and printed reports are streamed to whoever asks, and kept nowhere."""

    name = "exports"
    covers = ("file:exports",)


class Browsers(NeverHeld):
    """Browsers of staff: pages with words are sent with `no-store` and kept out of htmx's history."""

    name = "browsers"
    covers = ("cache:browser",)


class Backups(Store):
    """Backups, replicas and write-ahead logs: sealed words in them went dark with their keys; they expire by a date."""

    name = "backups"
    method = "expires"
    bucket = "restrict"
    reason = "unreadable-without-keys"
    covers = ("file:backups",)

    def find(self, reach: Reach) -> int:
        return 0

    @staticmethod
    def sets(erased_at: datetime) -> list[dict[str, str]]:
        """Return each kind of backup, until when copies made before the erasure last, and what they still hold."""
        keyring = erased_at + timedelta(days=settings.KEYRING_BACKUP_DAYS)
        data = erased_at + timedelta(days=settings.BACKUP_DAYS)
        return [
            {
                "set": "keyring",
                "holds": "data keys",
                "expires": keyring.date().isoformat(),
                "beyond_use": "restored only behind the journal, which destroys them again",
            },
            {
                "set": "database",
                "holds": "sealed words without keys; keyed hashes",
                "expires": data.date().isoformat(),
                "beyond_use": "unreadable since the keys went; index tables are left out",
            },
        ]


class ChromaProcess(Store):
    """The memory and open files of a Chroma server hold dropped collections until it is restarted."""

    name = "index-process"
    method = "reopened"
    bucket = "restrict"
    covers = ("process:chroma",)

    @property
    def reason(self) -> str:  # type: ignore[override]
        return "until-restart" if settings.CHROMA_URL else "client-reopened"

    def find(self, reach: Reach) -> int:
        return int(bool(settings.CHROMA_URL and reach.shards))
