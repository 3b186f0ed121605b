"""What is looked for after an erasure: texts and vectors, sealed under a key of their request from plan to report."""

import base64
import secrets
from dataclasses import dataclass

import numpy as np
import orjson
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from governance.erasure.models import ForgetRequest, Needle
from governance.erasure.rules import Reach
from governance.index.models import Entry
from governance.ledger import sealing
from governance.ledger.erasing import destroy_named, several, wipe
from governance.ledger.models import NamedKey

FIELDS = ("content", "text", "quote", "context", "query", "question", "note", "user", "session", "value")
SHORTEST = 12  # characters: less of a text may stand somewhere by chance


@dataclass(frozen=True)
class Needles:
    """Texts, and vectors as float32 rows by their width."""

    texts: tuple[str, ...]
    vectors: dict[int, np.ndarray]
    values: tuple[str, ...] = ()  # of any length: what stays is compared with them, no file


def name_of(request: str) -> str:
    return f"needles:{request}"


def keep(request: ForgetRequest, reach: Reach) -> None:
    """Seal what will be looked for, while it can still be read. Repeatable: a part that is there stays as it is."""
    key = AESGCM(sealing.named_key(name_of(request.id), subject=reach.subject))
    part = Needle.objects.filter(request=request).count()
    for some in several(reach.all_contents()):
        opened = sealing.unseal(some)
        found = sorted({t for w in opened.values() for f in FIELDS for t in _texts(w.get(f))})
        values = sorted({w["value"] for w in opened.values() if isinstance(w.get("value"), str) and w["value"]})
        part = _add(request, key, part, {"texts": found, "values": values})
    for some in several(reach.memories):
        rows = Entry.objects.filter(memory__in=some, vector__isnull=False).values_list("vector", flat=True)
        found = [base64.b64encode(bytes(v or b"")).decode() for v in rows]
        part = _add(request, key, part, {"vectors": found})


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) and len(value) >= SHORTEST else []


def _add(request: ForgetRequest, key: AESGCM, part: int, payload: dict[str, list[str]]) -> int:
    if not any(payload.values()):
        return part
    nonce = secrets.token_bytes(12)
    ct = key.encrypt(nonce, orjson.dumps(payload), f"{request.id}/{part}".encode())
    Needle.objects.create(request=request, part=part, nonce=nonce, ct=ct)
    return part + 1


def read(request: ForgetRequest) -> Needles:
    """Return what is looked for; nothing once the key is destroyed."""
    texts: set[str] = set()
    values: set[str] = set()
    vectors: dict[int, list[np.ndarray]] = {}
    if NamedKey.objects.filter(name=name_of(request.id)).exists():
        key = AESGCM(sealing.named_key(name_of(request.id)))
        for row in Needle.objects.filter(request=request).order_by("part"):
            raw = key.decrypt(bytes(row.nonce), bytes(row.ct), f"{request.id}/{row.part}".encode())
            payload = orjson.loads(raw)
            texts.update(payload.get("texts", ()))
            values.update(payload.get("values", ()))
            for coded in payload.get("vectors", ()):
                vector = np.frombuffer(base64.b64decode(coded), dtype=np.float16).astype(np.float32)
                vectors.setdefault(len(vector), []).append(vector)
    stacked = {width: np.stack(rows) for width, rows in vectors.items()}
    return Needles(tuple(sorted(texts)), stacked, tuple(sorted(values)))


def destroy(request: ForgetRequest) -> None:
    """Destroy the needles and their key: after this nobody can look for them again. Outside any transaction."""
    gone = destroy_named([name_of(request.id)])
    Needle.objects.filter(request=request).delete()
    if gone:
        wipe("keyring", [NamedKey._meta.db_table])
