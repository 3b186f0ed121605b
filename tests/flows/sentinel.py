"""Looking for words that must not stand in clear on disk."""

import json
import secrets
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote


def invent() -> str:
    """Return a word that nobody ever wrote, half of it Chinese so that escaping shows."""
    return f"zq{secrets.token_hex(4)}鹮鹝"


def forms(sentinel: str) -> tuple[bytes, ...]:
    """Return the byte forms to look for: UTF-8, UTF-16 both ways, escaped as in JSON and as in addresses."""
    escaped = json.dumps(sentinel)[1:-1]
    return (
        sentinel.encode(),
        sentinel.encode("utf-16-le"),
        sentinel.encode("utf-16-be"),
        escaped.encode(),
        escaped.upper().replace("\\U", "\\u").encode(),
        quote(sentinel, safe="").encode(),
        quote(sentinel, safe="").replace("%E", "%e").replace("%B", "%b").encode(),
    )


def files_holding(sentinel: str, folders: Iterable[Path]) -> list[Path]:
    """Return every file below some folders (or the file itself) in which a form of the sentinel stands."""
    wanted = forms(sentinel)
    files = [f for folder in folders for f in ([folder] if folder.is_file() else folder.rglob("*")) if f.is_file()]
    return [f for f in files if any(form in data for data in [_bytes(f)] for form in wanted)]


def _bytes(file: Path) -> bytes:
    """Return what a file holds; nothing for one that went away meanwhile, as a database's journal does."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
