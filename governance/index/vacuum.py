"""A program of its own: make a folder of Chroma forget what was deleted. Standard library only; prints a count.

`VACUUM` writes the database anew without free pages; a dropped collection leaves its folder, which no segment names.
"""

import shutil
import sqlite3
import sys
import uuid
from pathlib import Path


def main(folder: Path) -> int:
    """Return how many folders of dropped collections were removed."""
    file = folder / "chroma.sqlite3"
    if not file.exists():
        return 0
    database = sqlite3.connect(file, timeout=120, isolation_level=None)
    database.execute("PRAGMA secure_delete = ON")
    database.execute("VACUUM")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    named = {row[0] for row in database.execute("SELECT id FROM segments")}
    database.close()
    dropped = [f for f in folder.iterdir() if f.is_dir() and is_uuid(f.name) and f.name not in named]
    for gone in dropped:
        shutil.rmtree(gone)
    return len(dropped)


def is_uuid(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False


if __name__ == "__main__":
    sys.stdout.write(str(main(Path(sys.argv[1]))))
