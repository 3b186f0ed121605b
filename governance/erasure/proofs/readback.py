"""Reading back, by other code on connections of its own: SQL and AES-GCM, no room's queries."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import connections

from governance.erasure.needles import Needles
from governance.erasure.rules import Reach
from governance.index import chroma
from governance.index.models import Shard
from governance.ledger import master
from governance.ledger.erasing import several

SAMPLED = 20  # payloads on which keys that are left are tried
ASKED = 50  # erased vectors that Chroma is asked for
ALIKE = 0.98  # cosine from which a survivor is listed
NEAREST = 5
SAME = 0.998  # cosine from which a byte scan could take one vector for another: less than it asks for


@dataclass
class Back:
    """What could be read back, in counts; ids of survivors alone are named."""

    ids_found: int = 0
    unseal_attempts: int = 0
    opened: int = 0
    decryptions_tried: int = 0
    decrypted: int = 0
    vectors: int = 0
    erased_ids_near: int = 0
    survivors_alike: list[str] = field(default_factory=list)
    index_asked: int = 0

    @property
    def holds(self) -> bool:
        return not (self.ids_found or self.opened or self.decrypted or self.erased_ids_near)


def read_back(reach: Reach, needles: Needles) -> Back:
    """Return what of a reach can still be read, opened or found."""
    back = Back()
    with closing(of_its_own("default")) as data, closing(of_its_own("keyring")) as keyring:
        back.ids_found = _ids(data, reach)
        _unseal(data, keyring, reach, back)
        _near(data, reach, needles, back)
    _ask_index(reach, needles, back)
    return back


def of_its_own(alias: str) -> Any:
    """Return a new connection to a database: nothing that this thread has open or cached."""
    return connections.create_connection(alias)


def _ids(data: Any, reach: Reach) -> int:
    """Return how many erased things are listed, or searchable, by their id."""
    found = 0
    for some in several(reach.memories):
        found += _count(data, "governance_entry WHERE memory_id IN", some)
        found += _count(data, "governance_memory WHERE slot IS NOT NULL AND id IN", some)
    return found


def _count(data: Any, what: str, values: Sequence[Any]) -> int:
    return int(all_of(data, f"SELECT count(*) FROM {what} ({marks(values)})", values)[0][0])


def marks(values: Sequence[Any]) -> str:
    """Return the places of some values in a query."""
    return ", ".join(["%s"] * len(values))


def all_of(connection: Any, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """Return all rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(query, list(values))
        return list(cursor.fetchall())


def _unseal(data: Any, keyring: Any, reach: Reach, back: Back) -> None:
    sampled: list[Any] = []
    for some in several(reach.all_contents()):
        query = f"SELECT id, tenant, kid, nonce, ct FROM governance_content WHERE id IN ({marks(some)})"
        rows = all_of(data, query, some)
        kids = sorted({row[2] for row in rows})
        keys = f"SELECT kid, wrapped FROM governance_contentkey WHERE kid IN ({marks(kids)})"
        left = dict(all_of(keyring, keys, kids)) if kids else {}
        back.unseal_attempts += len(rows)
        back.opened += sum(row[2] in left for row in rows)
        sampled += rows[: max(SAMPLED - len(sampled), 0)]
    others = all_of(keyring, "SELECT kid, wrapped FROM governance_contentkey LIMIT 5")
    tried = [unwrap(kid, wrapped) for kid, wrapped in others] + [bytes(32)]
    for row in sampled:
        for key in tried:
            back.decryptions_tried += 1
            back.decrypted += _opens(key, row)


def unwrap(kid: str, wrapped: Any) -> bytes:
    """Return a key as the keyring holds it, in clear."""
    raw = bytes(wrapped)
    return AESGCM(master.derive(settings.MASTER_KEY, b"wrap-keys")).decrypt(raw[:12], raw[12:], kid.encode())


def _opens(key: bytes, row: Any) -> bool:
    content, tenant, _, nonce, ct = row
    try:
        AESGCM(key).decrypt(bytes(nonce), bytes(ct), f"{tenant}/{content}".encode())
    except InvalidTag:
        return False
    return True


def _near(data: Any, reach: Reach, needles: Needles, back: Back) -> None:
    """Compare every vector there is with the erased ones: none may be theirs, those alike are named."""
    erased = {str(m) for m in reach.memories}
    alike: dict[str, float] = {}
    for width, rows in needles.vectors.items():
        back.vectors += len(rows)
        for memories, vectors in _stored(data, reach.tenant, width):
            best = (vectors @ rows.T).max(axis=1)
            for i in np.flatnonzero(best >= ALIKE):
                alike[memories[i]] = max(float(best[i]), alike.get(memories[i], 0.0))
    back.erased_ids_near += len(erased & set(alike))
    back.survivors_alike = sorted(set(alike) - erased)


def of_nobody_else(needles: Needles) -> tuple[Needles, int]:
    """Return the needles without the vectors that somebody's living memory has too, of whichever tenant, and how many
    those are: the same sentence has the same vector, and in a file nobody can tell whose it is."""
    kept, shared = {}, 0
    with closing(of_its_own("default")) as data:
        for width, rows in needles.vectors.items():
            alone = np.ones(len(rows), dtype=bool)
            for _, vectors in _stored(data, "", width):
                alone &= (vectors @ rows.T).max(axis=0) < SAME
            kept[width], shared = rows[alone], shared + int((~alone).sum())
    return Needles(needles.texts, kept, needles.values), shared


def _stored(data: Any, tenant: str, width: int) -> Iterator[tuple[list[str], Any]]:
    """Yield ids and vectors of living memories, of one tenant or of all."""
    query = (
        "SELECT e.memory_id, e.vector FROM governance_entry e JOIN governance_memory m ON m.id = e.memory_id "
        "WHERE (m.tenant_id = %s OR %s = '') AND e.dimension = %s AND e.vector IS NOT NULL"
    )
    with data.cursor() as cursor:
        cursor.execute(query, [tenant, tenant, width])
        while some := cursor.fetchmany(5000):
            flat = np.frombuffer(b"".join(bytes(v) for _, v in some), dtype=np.float16)
            yield [m for m, _ in some], flat.astype(np.float32).reshape(len(some), width)


def _ask_index(reach: Reach, needles: Needles, back: Back) -> None:
    """Ask the collections that held them for their nearest: no erased id may come back."""
    erased = set(reach.entries)
    for shard in Shard.objects.filter(pk__in=reach.shards):
        collection = chroma.name_of(shard.id, shard.generation)
        back.erased_ids_near += len(chroma.held(collection, sorted(erased)))
        for vector in needles.vectors.get(shard.dimension, np.zeros((0, 1)))[:ASKED]:
            near, _ = chroma.query(collection, vector, scopes=None, limit=NEAREST)
            back.index_asked += 1
            back.erased_ids_near += sum(entry in erased for entry in near.tolist())
