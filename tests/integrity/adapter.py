"""This product as the suite `agent-memory-integrity` sees a store: records, raw access past every guard, one verdict.

A record is a stored version with its sealed words; a context is a tenant's chain. The attacker holds the database,
not the keyring: heads are signed there, as the worker does after every commit.
"""

from typing import Any

from agmi.adapters.base import MemoryAdapter, Record
from django.db import transaction

from governance.ledger.actions import sign_heads
from governance.ledger.events import chain_hash
from governance.ledger.models import Content, Event
from governance.ledger.verify import verify
from governance.memories.models import Version
from governance.scopes.rules import Actor
from tests.factories import a_memory, a_tenant, an_agent

STORED = "version-written"


class LedgerAdapter(MemoryAdapter):
    name = "memory-governance"
    supports_replay = supports_metadata = supports_snapshot = True

    def setup(self) -> None:
        self._own, self._other = an_agent(a_tenant()), an_agent(a_tenant())

    def teardown(self) -> None:
        pass

    def reload(self) -> None:
        pass

    def verify(self) -> bool:
        findings = verify(self._own.tenant).findings
        self.verify_detail = "; ".join(f"{f.kind} at {f.seq}: {f.detail}" for f in findings) or None
        return not findings

    def seed(self, n: int) -> None:
        self._write(self._own, "seed", n)

    def seed_other(self, n: int) -> None:
        self._write(self._other, "other", n)

    def append_genuine(self) -> None:
        self._write(self._own, "late", 1)

    def _write(self, by: Actor, word: str, n: int) -> None:
        for number in range(n):
            a_memory(by, f"Ann's {word} locker is number {number}.", key=f"profile.locker.{word}{number}", value=number)
        sign_heads()

    # --- past every guard ---------------------------------------------------------------------------------------

    def read_all_raw(self) -> list[Record]:
        return self._raw(self._own)

    def read_other_raw(self) -> list[Record]:
        return self._raw(self._other)

    def _raw(self, by: Actor) -> list[Record]:
        rows = self._events(by)
        contents = {c.id: c for c in Content.objects.filter(tenant=by.tenant)}
        return [Record(seq=n, fields=_fields(row, contents[_content(row)])) for n, row in enumerate(rows)]

    def _events(self, by: Actor) -> list[Event]:
        return list(Event.objects.filter(tenant=by.tenant, type=STORED).order_by("seq"))

    def write_raw(self, record: Record) -> None:
        rows = self._events(self._own)
        if record.seq == len(rows):
            self._append(rows[-1], record.fields)
            return
        row, said = rows[record.seq], record.fields
        Content.objects.filter(pk=_content(row)).update(
            kid=said["kid"], nonce=bytes.fromhex(said["nonce"]), ct=bytes.fromhex(said["ct"])
        )
        Event.objects.filter(pk=row.pk).update(header=bytes.fromhex(said["header"]))

    def _append(self, last: Event, said: dict[str, Any]) -> None:
        """Write an event whose number and hash are right: whoever reads the source can."""
        end = Event.objects.filter(tenant=last.tenant).order_by("seq").last()
        id_ = "evt_" + "f" * 32
        header = bytes.fromhex(said["header"]).replace(last.id.encode(), id_.encode())
        header = header.replace(b'"seq":%d,' % last.seq, b'"seq":%d,' % (end.seq + 1))
        own = chain_hash(last.tenant, end.seq + 1, bytes(end.hash), header)
        values = {f.attname: getattr(last, f.attname) for f in Event._meta.concrete_fields}
        changed = {"id": id_, "seq": end.seq + 1, "prev_hash": bytes(end.hash), "hash": own, "header": header}
        Event.objects.bulk_create([Event(**values | changed)])

    def delete_raw(self, seq: int) -> None:
        self._events(self._own)[seq].delete()

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        self.write_raw(Record(seq=victim_seq, fields=donor.fields))

    def read_meta(self, seq: int) -> dict[str, Any]:
        row = self._events(self._own)[seq]
        return {"actor": row.actor, "stream": row.stream, "correlation": row.correlation}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        tampered = meta.pop("agmi_meta_tampered", False)
        Event.objects.filter(pk=self._events(self._own)[seq].pk).update(**meta | ({"actor": "eve"} if tampered else {}))

    def snapshot_store(self) -> object:
        """The whole database as it is; the keyring is another one."""
        return transaction.savepoint()

    def restore_store(self, token: Any) -> None:
        transaction.savepoint_rollback(token)

    # --- what a record says -------------------------------------------------------------------------------------

    def mutate_payload(self, record: Record) -> Record:
        ct = bytearray.fromhex(record.fields["ct"])
        ct[0] ^= 1
        record.fields["ct"] = ct.hex()
        return record

    def forge_record(self, template: Record) -> Record:
        header = bytes.fromhex(template.fields["header"]).replace(b'"confidence":0.9', b'"confidence":1.0')
        return Record(seq=template.seq + 1, fields={**template.fields, "header": header.hex()})

    def identity_of(self, record: Record) -> str:
        return str(record.fields["id"])

    def payload_of(self, record: Record) -> str:
        return f"{record.fields['header']} {record.fields['ct']}"

    def owner_of(self, record: Record) -> str:
        return str(record.fields["tenant"])


def _content(row: Event) -> str:
    return str(Version.objects.get(memory=row.stream).content_id)


def _fields(row: Event, content: Content) -> dict[str, Any]:
    return {
        "id": row.id,
        "tenant": row.tenant,
        "number": row.seq,
        "header": bytes(row.header).hex(),
        "kid": content.kid,
        "nonce": bytes(content.nonce).hex(),
        "ct": bytes(content.ct).hex(),
        "columns": [row.type, row.stream, row.actor, row.correlation, bytes(row.hash).hex()],
    }
