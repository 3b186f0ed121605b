"""Sealing of words: AES-256-GCM, one data key for each content, wrapped by the master key, in the keyring database."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.utils import timezone

from governance.ledger import ids, master
from governance.ledger.models import Content, ContentKey, NamedKey
from governance.ledger.prepared import Prepared

NONCE = 12


@dataclass(frozen=True)
class Sealed:
    """Words already sealed and their key already kept, ready to be recorded. `payload` is the clear original."""

    id: str
    tenant: str
    kid: str
    nonce: bytes
    ct: bytes
    payload: Mapping[str, Any]
    scope: str

    @property
    def digest(self) -> str:
        """Return what an event says of its words."""
        return digest(self.kid, self.nonce, self.ct)

    def row(self) -> Content:
        return Content(id=self.id, tenant=self.tenant, kid=self.kid, nonce=self.nonce, ct=self.ct)


class Words(Mapping[str, Any]):
    """One opened content: its fields by name, and HMACs under the key of its scope. Erased: empty, HMACs blank."""

    def __init__(self, payload: Mapping[str, Any] | None, mac_key: bytes | None) -> None:
        self._payload = payload or {}
        self._mac_key = mac_key
        self.erased = payload is None

    def __getitem__(self, name: str) -> Any:
        return self._payload[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._payload)

    def __len__(self) -> int:
        return len(self._payload)

    def mac(self, text: str) -> bytes:
        """Return 32 bytes that are equal for equal texts of one scope; b"" once the words are erased."""
        if self.erased or self._mac_key is None:
            return b""
        return hmac.digest(self._mac_key, text.encode(), "sha256")


NO_WORDS = Words(None, None)


@lru_cache(maxsize=1)
def _wrapper(master_key: bytes) -> AESGCM:
    return AESGCM(master.derive(master_key, b"wrap-keys"))


def _wrap(key: bytes, name: str) -> bytes:
    nonce = secrets.token_bytes(NONCE)
    return nonce + _wrapper(settings.MASTER_KEY).encrypt(nonce, key, name.encode())


def _unwrap(wrapped: bytes, name: str) -> bytes:
    wrapped = bytes(wrapped)
    return _wrapper(settings.MASTER_KEY).decrypt(wrapped[:NONCE], wrapped[NONCE:], name.encode())


def framed(part: bytes) -> bytes:
    """Return bytes behind their length, so that no two lists of parts read alike."""
    return len(part).to_bytes(4, "big") + part


def digest(kid: str, nonce: bytes, ct: bytes) -> str:
    """Return the SHA-256 of sealed words (key id, nonce, ciphertext; length-framed), as hex."""
    return hashlib.sha256(framed(kid.encode()) + framed(bytes(nonce)) + framed(bytes(ct))).hexdigest()


def seal(payload: Mapping[str, Any], *, tenant: str, scope: str, subject: str = "") -> Sealed:
    """Seal words under a fresh key and return them, not yet stored.

    The key row is committed first, in the keyring: a crash before the words are recorded leaves an orphan key only.
    Call it while gathering, outside any transaction of the default database.
    """
    kid, key = ids.new("kid"), secrets.token_bytes(32)
    ContentKey.objects.create(kid=kid, subject=subject, scope=scope, wrapped=_wrap(key, kid), created=timezone.now())
    return _seal_with(key, kid, payload, tenant=tenant, scope=scope)


def seal_shared(payload: Mapping[str, Any], *, tenant: str, scope: str, subject: str, period: str) -> Sealed:
    """Seal words of which there are many and that live shortly (query texts): one key per subject and period, and after
    that was destroyed another one: its name is not given twice, or what is dark would be opened with the wrong key."""
    begins = "kid_" + hashlib.sha256(f"kid_{tenant}_{subject}_{period}".encode()).hexdigest()[:24]
    kept = _SHARED_KEYS(first=begins, last=begins + "g")  # behind every hexadecimal digit
    if kept:
        kid, _, wrapped = kept[0]
        return _seal_with(_unwrap(wrapped, kid), kid, payload, tenant=tenant, scope=scope)
    kid, key = begins + secrets.token_hex(4), secrets.token_bytes(32)
    ContentKey.objects.create(kid=kid, subject=subject, scope=scope, wrapped=_wrap(key, kid), created=timezone.now())
    return _seal_with(key, kid, payload, tenant=tenant, scope=scope)


def _seal_with(key: bytes, kid: str, payload: Mapping[str, Any], *, tenant: str, scope: str) -> Sealed:
    content_id, nonce = ids.new("ct"), secrets.token_bytes(NONCE)
    ct = AESGCM(key).encrypt(nonce, orjson.dumps(dict(payload)), f"{tenant}/{content_id}".encode())
    return Sealed(id=content_id, tenant=tenant, kid=kid, nonce=nonce, ct=ct, payload=payload, scope=scope)


_CONTENTS = Prepared(lambda ids: Content.objects.filter(id__in=ids).values_list("id", "tenant", "kid", "nonce", "ct"))
_SHARED_KEYS = Prepared(
    lambda first, last: (
        ContentKey.objects.filter(kid__gte=first, kid__lt=last).order_by("kid").values_list("kid", "scope", "wrapped")
    )
)
_KEYS = Prepared(lambda kids: ContentKey.objects.filter(kid__in=kids).values_list("kid", "scope", "wrapped"))


def unseal(content_ids: Iterable[str]) -> dict[str, Words]:
    """Return the opened words of each id, two queries in all; an id whose key is gone gives erased words."""
    wanted = {i for i in content_ids if i}
    if not wanted:
        return {}
    rows = _CONTENTS(ids=wanted)
    keys = {kid: (scope, wrapped) for kid, scope, wrapped in _KEYS(kids={kid for _, _, kid, _, _ in rows})}
    scopes = mac_keys({scope for scope, _ in keys.values()})
    opened = {}
    for content, tenant, kid, nonce, ct in rows:
        scope, wrapped = keys.get(kid, ("", b""))
        aad = f"{tenant}/{content}".encode()
        opened[content] = Words(_open(wrapped, kid, nonce, ct, aad), scopes.get(scope)) if wrapped else NO_WORDS
    return opened


def _open(wrapped: bytes, kid: str, nonce: bytes, ct: bytes, aad: bytes) -> Any:
    return orjson.loads(AESGCM(_unwrap(wrapped, kid)).decrypt(bytes(nonce), bytes(ct), aad))


def words_of(sealed: Sealed) -> Words:
    """Return what `unseal` will return for words that were just sealed."""
    return Words(sealed.payload, mac_key(sealed.scope))


# --- keys with a name ----------------------------------------------------------------------------------------------

_known: dict[str, bytes] = {}
KNOWN_KEYS = 4096


class Lifetime:
    """How long a process's copies last at most: then all go, whatever another process has erased meanwhile."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def is_over(self) -> bool:
        """Return whether the copies are to be dropped now; a new lifetime begins with that."""
        if time.monotonic() - self._since < COPIES_LAST:
            return False
        self._since = time.monotonic()
        return True


COPIES_LAST = 600.0  # seconds
_lifetime = Lifetime()


def named_key(name: str, *, subject: str = "") -> bytes:
    """Return the 32 bytes of a named key, made on first use and kept wrapped in the keyring."""
    if _lifetime.is_over():
        _known.clear()
    found = _known.get(name)
    if found is None:
        row, _ = NamedKey.objects.get_or_create(
            name=name,
            defaults={
                "subject": subject,
                "wrapped": _wrap(secrets.token_bytes(32), name),
                "created": timezone.now(),
            },
        )
        found = _unwrap(row.wrapped, name)
        _remember(name, found)
    return found


def _remember(name: str, key: bytes) -> None:
    if len(_known) >= KNOWN_KEYS:
        _known.clear()
    _known[name] = key


def forget_known_keys() -> None:
    """Drop the process's copies of named keys: after an erasure, and between tests."""
    _known.clear()


def mac_key(scope: str, *, subject: str = "") -> bytes:
    """Return the HMAC key of one scope (or of a tenant, for external ids)."""
    return named_key(f"mac:{scope}", subject=subject)


def mac_keys(scopes: Iterable[str]) -> dict[str, bytes]:
    """Return the HMAC keys of many scopes, one query for those not yet known."""
    wanted = {f"mac:{s}": s for s in scopes if s}
    missing = [name for name in wanted if name not in _known]
    if missing:
        for row in NamedKey.objects.filter(name__in=missing):
            _remember(row.name, _unwrap(row.wrapped, row.name))
    return {scope: named_key(name) for name, scope in wanted.items()}


def mac(scope: str, text: str, *, subject: str = "") -> bytes:
    """Return HMAC-SHA256 of a text under the key of a scope: 32 bytes, equal for equal texts there alone."""
    return hmac.digest(mac_key(scope, subject=subject), text.encode(), "sha256")


def signing_key() -> Ed25519PrivateKey:
    """Return the Ed25519 key that signs heads and reports."""
    return Ed25519PrivateKey.from_private_bytes(named_key("signing"))
