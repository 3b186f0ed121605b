"""Ids: a prefix that says what it is, and a time-ordered UUIDv7."""

import uuid_utils


def new(prefix: str) -> str:
    """Return a fresh id such as `mem_0198f2…`: 32 hex digits behind the prefix, ordered by creation time."""
    return f"{prefix}_{uuid_utils.uuid7().hex}"
