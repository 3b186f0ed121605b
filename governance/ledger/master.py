"""The master key: one file in a folder of its own, the only secret that is not in a database."""

import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.core.exceptions import ImproperlyConfigured

LENGTH = 32


def load(key_dir: Path, data_dir: Path, *, make: bool = True) -> bytes:
    """Return the 32 bytes of `key_dir/master.key`, made on the first start; without `make`, b"" where there is none.

    Raises ImproperlyConfigured when the file is damaged, or when it is missing although `data_dir` holds data that
    only it can open: a new key would leave every memory unreadable without saying so.
    """
    file = key_dir / "master.key"
    if not file.exists():
        if not make:
            return b""
        _refuse_orphaned_data(data_dir, file)
        return _create(file)
    key = file.read_bytes()
    if len(key) != LENGTH:
        raise ImproperlyConfigured(
            f"{file} is damaged: {len(key)} bytes instead of {LENGTH}. Restore it from its copy."
        )
    return key


def derive(master: bytes, purpose: bytes) -> bytes:
    """Return 32 bytes for one purpose (HKDF-SHA256, RFC 5869); they tell nothing about the master key."""
    return HKDF(algorithm=SHA256(), length=LENGTH, salt=None, info=purpose).derive(master)


def _refuse_orphaned_data(data_dir: Path, file: Path) -> None:
    keyring = data_dir / "keyring.sqlite3"
    if keyring.exists() and keyring.stat().st_size:
        raise ImproperlyConfigured(
            f"{data_dir} holds sealed data, but its master key is not at {file}. Put the key back (set KEY_DIR to its "
            "folder), or set DATA_DIR to an empty folder to start anew."
        )


def _create(file: Path) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = secrets.token_bytes(LENGTH)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was first
        return file.read_bytes()
    with os.fdopen(descriptor, "wb") as out:
        out.write(key)
        out.flush()
        os.fsync(out.fileno())
    return key
