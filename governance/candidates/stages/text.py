"""Words as stages compare and search them: without invisible characters, look-alikes or width."""

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from governance.candidates.stages.proposal import Proposal
from governance.policies.detectors import JSON
from governance.policies.detectors.spans import LOOK_ALIKE, MIXED

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_LEET = (str.maketrans("01345789@$!", "oieastbgasi"), str.maketrans("01345679@$!", "oleasgtgasl"))
# Letters in a dress that normalising leaves on: small capitals, letters on coloured ground, letters of flags.
_DRESSED = {ord(c): latin for c, latin in zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)}
_DRESSED |= {first + i: chr(97 + i) for first in (0x1F150, 0x1F170, 0x1F1E6) for i in range(26)}
_SPACED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][ \u00a0.\-_*]){3,}[A-Za-z](?![A-Za-z])")


def plain(text: str) -> str:
    """Text for comparing: NFKC, folded case, single spaces, no invisible characters or punctuation at the edges."""
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    folded = folded.translate(
        {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-", 0x3002: "."}
    )
    return " ".join(folded.split())


def hides_text(text: str) -> bool:
    """Whether the text holds what is there for a machine alone: rows of invisible signs, words turned round.

    Single zero-width marks are not among it: pages are full of them, and what they split is read without them.
    """
    return bool(_HIDDEN.search(text))


# A tag in invisible letters, bytes in a row of variation selectors or zero-width marks, words turned round.
_HIDDEN = re.compile(
    "[\U000e0020-\U000e007f]{2}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4}|[\u200b-\u200d\u2060\ufeff]{8}"
    "|[\u202a-\u202e\u2066-\u2069]"
)


def unmasked(text: str) -> str:
    """Text for searching: as `plain`, with look-alike letters made Latin, accents dropped, spaced letters joined."""
    seen = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text).translate(_DRESSED)).translate(LOOK_ALIKE)
    seen = "".join(c for c in unicodedata.normalize("NFKD", seen) if not unicodedata.combining(c))
    seen = _SPACED.sub(lambda match: re.sub(r"[^A-Za-z]", "", match[0]), seen)
    return " ".join(seen.casefold().split())


def seen_text(text: str) -> str:
    """Text as a reader sees it: nothing invisible, look-alike letters Latin where they stand for Latin, calm case."""
    clean = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text).translate(_DRESSED))
    if MIXED.search(clean):
        clean = clean.translate(LOOK_ALIKE)
    letters = [c for c in clean if c.isalpha() and c.isascii()]
    odd = sum(a.islower() and b.isupper() for a, b in pairwise(letters)) > 0.2 * len(letters) or clean.isupper()
    return clean.lower() if odd and len(letters) > 8 else clean


def deleeted(text: str) -> Iterator[str]:
    """The same with digits read as the letters they stand for, in each way that differs."""
    told = {_LEETED.sub(lambda match, table=table: match[0].translate(table), text) for table in _LEET}  # type: ignore[misc]
    yield from sorted(told - {text})


_LEETED = re.compile(r"(?<![\w@$!])(?=[\w@$!]*[a-z])(?=[\w@$!]*[0-9@$!])[\w@$!]+")


def words_of(value: JSON) -> str:
    """A value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def everything(proposal: Proposal) -> str:
    """All words of a proposal that a model would later read."""
    parts = (
        proposal.content,
        words_of(proposal.value),
        proposal.context,
        proposal.quote,
        proposal.about,
        proposal.source_ref,
        *proposal.tags,
    )
    return "\n".join(part for part in parts if part)
