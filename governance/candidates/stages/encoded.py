"""What a text says once it is decoded: in the codes that people and programs write words in."""

import base64
import binascii
import codecs
import html
import quopri
import re
import string
from collections.abc import Callable, Iterator
from urllib.parse import unquote

# Rows of signs long enough to hold a sentence.
_BLOB = re.compile(r"[A-Za-z0-9+/_\-]{24,}={0,6}|(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ :,]{0,2}){16,}|(?:[01]{8} ?){6,}")
_DENSE = re.compile(r"[!-u]{40,}|<~[!-uz\s]{20,}~>|[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~\-]{40,}")
_NUMBERS = re.compile(r"(?:\b\d{2,3}\b[ ,]{1,2}){12,}\d{2,3}\b")
_MORSE_ROW = re.compile(r"(?:[.\-]{1,6}[ /]+){12,}[.\-]{0,6}")
_BRAILLE_ROW = re.compile("[\u2800-\u283f \n]{12,}")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
# A text in a cipher is told by its words: two of these, once it is read.
_WORDS = re.compile(
    r"\b(?:ignore|instructions?|previous|system|prompt|rules|password|secret|reveal|forward|send|delete|"
    r"restrictions|from now on|always|never|you are|the|and|all)\b"
)
_TOLD = re.compile(r"\b(?:ignore|instructions?|prompt|rules|password|secret|reveal|forward|delete|restrictions)\b")
_ATBASH = str.maketrans(string.ascii_letters, string.ascii_lowercase[::-1] + string.ascii_uppercase[::-1])
_MORSE_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE = dict(zip(_MORSE_SIGNS.split(), string.ascii_lowercase, strict=True))
_BRAILLE = dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", string.ascii_lowercase, strict=True))


def decoded(text: str) -> Iterator[str]:
    """Return what is written in a text in code: escapes, blobs of several bases, rows of signs, simple ciphers."""
    yield from _unescaped(text)
    for blob in _BLOB.finditer(text):
        yield from _read(re.sub(r"[\s:,]|0x|\\x", "", blob[0]), _BASES)
    for blob in _DENSE.finditer(text):
        yield from _read(blob[0], _DENSE_BASES)
    for row in _NUMBERS.finditer(text):
        yield _text(bytes(n for n in map(int, re.findall(r"\d+", row[0])) if n < 256))
    for row in _MORSE_ROW.finditer(text):
        yield "".join(_MORSE.get(sign, " ") for sign in re.split(r" (?=[.\-/])|(?<=/) ", row[0].strip()))
    for row in _BRAILLE_ROW.finditer(text):
        yield "".join(_BRAILLE.get(sign, " ") for sign in row[0])
    yield from _deciphered(text)


def _unescaped(text: str) -> Iterator[str]:
    """Return the text without the escapes of web pages, addresses, mails and programs, where there are any."""
    if text.count("%") > 2:
        yield unquote(text)
    if "&" in text and ";" in text:
        yield html.unescape(text)
    if len(_ESCAPED.findall(text)) > 2:
        yield _ESCAPED.sub(lambda match: chr(int(match[0][2:], 16)), text)
    if len(re.findall(r"=[0-9A-F]{2}", text)) > 2:
        yield quopri.decodestring(text.encode()).decode("utf-8", "ignore")


def _read(blob: str, readers: tuple[Callable[[str], bytes], ...]) -> Iterator[str]:
    for read in readers:
        try:
            yield _text(read(blob))
        except (ValueError, binascii.Error):
            continue


def _of_bits(blob: str) -> bytes:
    return bytes(int(blob[i : i + 8], 2) for i in range(0, len(blob) - 7, 8))


_URL_SAFE = str.maketrans("-_", "+/")
_BASES = (
    _of_bits,
    lambda blob: bytes.fromhex(blob.rstrip("=")),
    lambda blob: base64.b32decode((bare := blob.rstrip("=").upper()) + "=" * (-len(bare) % 8)),
    lambda blob: base64.b64decode((bare := blob.rstrip("=")).translate(_URL_SAFE) + "=" * (-len(bare) % 4)),
)
_DENSE_BASES = (
    base64.b85decode,
    lambda blob: base64.a85decode(blob, adobe=blob.startswith("<~")),
)


def _text(data: bytes) -> str:
    """Decoded bytes when they are text, else nothing."""
    text = data.decode("utf-8", errors="ignore")
    return text if text and sum(c.isprintable() or c.isspace() for c in text) > 0.9 * len(data) else ""


def _deciphered(text: str) -> Iterator[str]:
    """Return the text turned round or with its letters exchanged, where that makes an order's words of it."""
    for read in (
        text[::-1],
        " ".join(word[::-1] for word in text.split()),
        codecs.decode(text, "rot13"),
        text.translate(_ATBASH),
    ):
        if _TOLD.search(read.casefold()) and len(set(_WORDS.findall(read.casefold()))) > 1:
            yield read
