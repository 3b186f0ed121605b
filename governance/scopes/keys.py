"""The form of an API key: `mgv_<keyid>_<secret><checksum>`, so that a scanner can tell one without a database.

The checksum is CRC-32 in base 62, six characters, as in GitHub's tokens (github.blog, "Behind GitHub's new
authentication token formats", 2021).
"""

import hashlib
import re
import secrets
import string
import zlib
from dataclasses import dataclass

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
FORM = re.compile(r"mgv_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})")


@dataclass(frozen=True)
class NewKey:
    """A key just made; `text` is shown once and kept nowhere."""

    id: str
    text: str
    secret_hash: str


def make() -> NewKey:
    key_id, secret = _random(12), _random(32)
    body = f"mgv_{key_id}_{secret}"
    return NewKey(id=key_id, text=body + checksum(body), secret_hash=hashed(secret))


def parse(text: str) -> tuple[str, str] | None:
    """Return (key id, hash of the secret) of a well-formed key with a right checksum, else None."""
    match = FORM.fullmatch(text)
    if not match or checksum(text[:-6]) != match[3]:
        return None
    return match[1], hashed(match[2])


def checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        digits = ALPHABET[rest] + digits
    return digits


def hashed(secret: str) -> str:
    """Return SHA-256 of a secret of 190 random bits; a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
