"""Looking for texts and vectors in the bytes of files: one pass, vectorised, with tolerance. A program of its own:
a process that opens and closes the file of a SQLite database it uses loses that database's locks (sqlite.org,
"How To Corrupt An SQLite Database File", 2.2). What is looked for comes through a pipe and touches no disk.

A vector is found as float32 and as float16, raw or normalised, whatever precedes it: where some components in a row
could be such by their size, windows of them are compared by their leading bits with tables of all needles at once, and
what passes is compared by cosine. The tables allow the values next to it, more than rounding and normalising a vector
of unit length change.
"""

import base64
import json
import mmap
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

CHUNK = 1 << 24
COMPONENTS = 12  # of a window that must all agree before a cosine is computed: fewer let one in a thousand pass
SAME = 0.999  # cosine from which it is that vector
SHORTEST = 16  # bytes of a text's form that is looked for
_ODD = np.uint32(2654435761)  # Knuth's multiplicative hash
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Hit:
    """Something found: in which file, as what."""

    file: str
    form: str


@dataclass
class Scanned:
    """What was looked through and what was found there."""

    files: int = 0
    bytes: int = 0
    hits: tuple[Hit, ...] = ()


def scan(
    files: Iterable[Path],
    texts: Sequence[str],
    vectors: Iterable[Array],
) -> Scanned:
    """Return what stands of some texts and vectors (float32 rows) in some files."""
    result = Scanned()
    wanted = _Texts(texts)
    searches = [_Vectors(rows, form) for rows in vectors if len(rows) for form in ("float32", "float16")]
    found: set[Hit] = set()
    for file in files:
        for chunk in _chunks(file):
            forms = wanted.forms_in(chunk)
            forms |= {s.form for s in searches if s.stands_in(chunk)}
            found |= {Hit(file.name, form) for form in forms}
        result.files, result.bytes = result.files + 1, result.bytes + _size(file)
    result.hits = tuple(sorted(found, key=lambda h: (h.file, h.form)))
    return result


def files_below(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield every file in some folders, or the file itself."""
    for folder in folders:
        yield from [folder] if folder.is_file() else (f for f in sorted(folder.rglob("*")) if f.is_file())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _chunks(file: Path) -> Iterator[bytes]:
    """Yield a file in pieces that overlap by more than any needle is long; nothing for one that went away."""
    try:
        with file.open("rb") as opened:
            if not _size(file):
                return
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                for start in range(0, len(mapped), CHUNK):
                    yield mapped[start : start + CHUNK + 65_536]
    except (FileNotFoundError, ValueError):
        return


def forms_of(text: str) -> dict[str, bytes]:
    """Return the byte forms in which a text could stand: UTF-8, UTF-16 both ways, JSON-escaped, percent-encoded."""
    escaped = json.dumps(text)[1:-1]
    return {
        "utf-8": text.encode("utf-8", "replace"),
        "utf-16-le": text.encode("utf-16-le", "replace"),
        "utf-16-be": text.encode("utf-16-be", "replace"),
        "json": escaped.encode(),
        "json-upper": escaped.upper().replace("\\U", "\\u").encode(),
        "percent": quote(text.encode("utf-8", "replace"), safe="").encode(),
    }


class _Texts:
    """Texts in all their forms, found by the first eight bytes of theirs that begin where a word of the data does."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._by_start: dict[bytes, list[tuple[str, bytes, int]]] = {}
        self._first, self._second = np.zeros(1 << 20, dtype=bool), np.zeros(1 << 20, dtype=bool)
        for text in texts:
            for form, raw in forms_of(text).items():
                if len(raw) >= SHORTEST:
                    for skipped in range(4):
                        start = raw[skipped : skipped + 8]
                        self._by_start.setdefault(start, []).append((form, raw, skipped))
        starts = np.frombuffer(b"".join(self._by_start), dtype="<u4").reshape(-1, 2)
        self._first[_bucket(starts[:, 0])] = True
        self._second[_bucket(starts[:, 1])] = True

    def forms_in(self, data: bytes) -> set[str]:
        """Return the forms in which one of the texts stands in some bytes."""
        found: set[str] = set()
        if not self._by_start:
            return found
        words = np.frombuffer(data, dtype="<u4", count=len(data) // 4)
        at = np.flatnonzero(self._first[_bucket(words)])
        at = at[at + 1 < len(words)]
        at = at[self._second[_bucket(words[at + 1])]]
        for place in (at * 4).tolist():
            for form, raw, skipped in self._by_start.get(data[place : place + 8], ()):
                if data.startswith(raw, place - skipped) and place >= skipped:
                    found.add(form)
        return found


def _bucket(words: Array) -> Array:
    hashed: Array = (words.astype(np.uint32) * _ODD) >> np.uint32(12)
    return hashed


class _Vectors:
    """Vectors of one width as they stand in bytes of one form."""

    def __init__(self, rows: Array, form: str) -> None:
        self.form = form
        self._rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        self._width = rows.shape[1]
        self._kind, self._bits = ("<u4", 20) if form == "float32" else ("<u2", 16)
        self._few = few = min(COMPONENTS, self._width)
        starts = sorted({min(8, self._width - few), (self._width - few) * 2 // 3})
        self._windows = [(s, [self._table(s + k) for k in range(few)]) for s in starts]
        self._begin = np.zeros(1 << self._bits, dtype=np.uint8)  # of which windows it begins one: a bit each
        for i, (_, tables) in enumerate(self._windows):
            self._begin |= tables[0].astype(np.uint8) << np.uint8(i)
        sizes = np.concatenate([np.flatnonzero(t) for _, tables in self._windows for t in tables])
        sizes = (sizes >> (self._bits - 8)) & 0x7F  # the highest byte, without the sign
        self._least, self._spread = np.uint8(sizes.min()), np.uint8(sizes.max() - sizes.min())

    def stands_in(self, data: bytes) -> bool:
        """Return whether one of the vectors stands in some bytes."""
        size = 4 if self._kind == "<u4" else 2
        for offset in range(size):
            words = np.frombuffer(data, dtype=self._kind, offset=offset, count=max(len(data) - offset, 0) // size)
            at = self._plausible(np.frombuffer(data, dtype=np.uint8, offset=offset)[size - 1 :: size][: len(words)])
            begins = self._begin[self._leading(words[at])]
            for i, (start, tables) in enumerate(self._windows):
                if self._stands_at(words, at[(begins & np.uint8(1 << i)) > 0], start, tables[1:]):
                    return True
        return False

    def _plausible(self, highest: Array) -> Array:
        """Return from where on some components in a row have a size that the needles' have, by their highest bytes."""
        fits = ((highest & np.uint8(0x7F)) - self._least) <= self._spread  # below the least it wraps round
        run, length = fits, 1
        while length < self._few:
            step = min(length, self._few - length)
            run = run[: max(len(run) - step, 0)] & run[step:]
            length += step
        return np.flatnonzero(run)

    def _table(self, component: int) -> Array:
        """Return which leading bits a component of any needle has, or the values next to it."""
        values = self._rows[:, component]
        bits = self._leading(
            values.astype(np.float32).view("<u4") if self._bits == 20 else values.astype("<f2").view("<u2")
        )
        table = np.zeros(1 << self._bits, dtype=bool)
        steps = 4 if self._bits == 20 else 2  # 2^-9 of a value: rounding to float16 and a length of 1.0005 together
        for step in range(-steps, steps + 1):
            table[np.clip(bits.astype(np.int64) + step, 0, (1 << self._bits) - 1)] = True
        return table

    def _leading(self, words: Array) -> Array:
        return words >> np.uint32(12) if self._bits == 20 else words

    def _stands_at(self, words: Array, at: Array, start: int, tables: Sequence[Array]) -> bool:
        for k, table in enumerate(tables, 1):
            at = at[table[self._leading(words[at + k])]]
        return any(self._is_one(words, int(place) - start) for place in at)

    def _is_one(self, words: Array, begin: int) -> bool:
        """Return whether what begins there has the direction of a needle, as far as the bytes go."""
        first, last = max(begin, 0), min(begin + self._width, len(words))
        kind = "<f4" if self._bits == 20 else "<f2"
        there = words[first:last].view(kind).astype(np.float32)
        needles = self._rows[:, first - begin : last - begin]
        if len(there) < min(32, self._width) or not np.isfinite(there).all():
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(there)
            lengths = np.linalg.norm(needles, axis=1)
            cosines = needles @ there / np.maximum(length * lengths, 1e-12)
        return bool(np.nanmax(cosines) >= SAME)


def main(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question as JSON has it: {files, texts, vectors: [[width, base64 of float32]]}."""
    vectors = [np.frombuffer(base64.b64decode(rows), "<f4").reshape(-1, width) for width, rows in asked["vectors"]]
    found = scan([Path(f) for f in asked["files"]], asked["texts"], vectors)
    return {"files": found.files, "bytes": found.bytes, "hits": [[hit.file, hit.form] for hit in found.hits]}


if __name__ == "__main__":
    os.nice(10)  # it stands back for those who answer people
    sys.stdout.write(json.dumps(main(json.load(sys.stdin))))
