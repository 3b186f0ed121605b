"""Text that somebody else wrote, made safe to look at: escaped, its invisible and look-alike characters shown."""

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import orjson
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

# A run of letters of one alphabet, one Chinese character, or one of anything else.
TOKEN = re.compile(r"[^\W\d_\u3400-\u9fff\u3040-\u30ff]+|\d+|\s+|.", re.DOTALL)
PLAIN = re.compile(r"[\t\n\r -~\u4e00-\u9fff，。、；：？！“”（）]*")
LOOKALIKE = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")
FOLD_OVER, KEEP = 60, 15  # unchanged tokens: longer runs are folded to this many at each side


def whole(raw: str, *, most: int = 9) -> int | None:
    """Return the number that a form or an address says in plain digits; None for anything else or longer."""
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) <= most else None


def shown_value(value: Any) -> str:
    """Return a JSON value as people read it: text as it is, lists by commas, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(v, str | int | float) for v in value):
        return ", ".join(map(str, value))
    return orjson.dumps(value).decode()


def revealed(text: str) -> SafeString:
    """Return a text, escaped, with every character that hides or pretends marked and named."""
    if PLAIN.fullmatch(text):  # nothing among these hides or pretends: most texts of a long list
        return escape(text)
    return mark_safe("".join(_reveal_word(t) for t in TOKEN.findall(text)))


def _reveal_word(token: str) -> str:
    mixed = any("LATIN" in unicodedata.name(c, "") for c in token)
    return "".join(_reveal(c, mixed) for c in token)


def _reveal(char: str, beside_latin: bool) -> str:
    name = unicodedata.name(char, "")
    if hides(char):
        return format_html(
            '<span class="invisible-char" title="{}">U+{}</span>', name.lower() or "unnamed", f"{ord(char):04X}"
        )
    if beside_latin and name.startswith(LOOKALIKE):
        return format_html('<span class="lookalike-char" title="{}">{}</span>', name.lower(), char)
    return escape(char)


def hides(char: str) -> bool:
    """Return whether a character is not seen: zero width, direction marks, controls, odd spaces."""
    if char in "\n\t\r ":
        return False
    return (
        unicodedata.category(char) in ("Cf", "Cc", "Co", "Cs", "Cn", "Zl", "Zp", "Zs") or "\ufe00" <= char <= "\ufe0f"
    )


def word_diff(old: str, new: str) -> SafeString:
    """Return what was taken out and put in, word by word; long unchanged parts are folded."""
    before, after = TOKEN.findall(old), TOKEN.findall(new)
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return mark_safe("".join(_pieces(matcher, before, after)))


def _pieces(matcher: "SequenceMatcher[str]", before: list[str], after: list[str]) -> Iterator[str]:
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            yield _folded(before[a1:a2])
            continue
        if a2 > a1:
            yield f"<del>{revealed(''.join(before[a1:a2]))}</del>"
        if b2 > b1:
            yield f"<ins>{revealed(''.join(after[b1:b2]))}</ins>"


def _folded(tokens: list[str]) -> str:
    if len(tokens) <= FOLD_OVER:
        return revealed("".join(tokens))
    start, end = revealed("".join(tokens[:KEEP])), revealed("".join(tokens[-KEEP:]))
    return f'{start}<span class="folded" title="unchanged">…</span>{end}'


def marked(text: str, quote: str) -> SafeString | None:
    """Return a text with a span of it marked; None when the span is not in it."""
    start = text.find(quote) if quote else -1
    if start < 0:
        return None
    end = start + len(quote)
    parts = (revealed(text[:start]), revealed(text[start:end]), revealed(text[end:]))
    return format_html('{}<mark class="span">{}</mark>{}', *parts)
