"""Templates in the reader's language: every text that stands in a page is looked up in the catalogue when it is shown.

Pages are written in plain English. When a template is loaded, each text between its tags, each attribute that is read
aloud or shown, and each text handed to a component becomes a `{% translate %}`, with blanks beside it a `{% spoken %}`;
so no page can be forgotten, and a test asks for a translation of every text there is (`tests/web/test_languages.py`).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.template.loaders import filesystem

TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
COMMENT = re.compile(r"{% comment %}.*?{% endcomment %}", re.DOTALL)
ELEMENT = re.compile(r"(<[^>]*>)", re.DOTALL)
ASIDE = "title aria-label placeholder alt data-label data-confirm data-see-now data-was-erased data-changed-here"
SPOKEN = re.compile(rf'((?<=\s)(?:{"|".join(ASIDE.split())})=")([^"]*)(")')
# What is handed to a component: `with title="…"`, the second text of `nav_item`, `status` and `icon`.
HANDS = "title text action_text up down question verb before_name after_name"
HANDED = re.compile(rf'\b((?:{"|".join(HANDS.split())})=)"([^"]*[A-Za-z][^"]*)"')
# A sentence with values in braces, `{% phrase "What {name} wrote" name=agent.name %}`: looked up as it is shown.
PHRASE = re.compile(r'{% phrase "([^"]*)"')
NAMED = re.compile(r'({% (?:nav_item|status|icon) \S+ )"([^"]*)"')
MASK, WORD = "\ue000", re.compile(r"[A-Za-z]")
BLANK = " "
Put = Callable[[str, str, str], str]  # a text, and what is blank before and after it


class Loader(filesystem.Loader):
    """Loads our own templates, their texts made translatable."""

    def get_contents(self, origin: Any) -> str:
        return translatable(super().get_contents(origin))


def translatable(source: str) -> str:
    """Return a template whose texts are looked up when it is shown."""
    return _rewritten(source, _tag)


def texts(source: str) -> Iterator[str]:
    """Return the texts of a template as the catalogue knows them."""
    found: list[str] = []

    def note(text: str, *blanks: str) -> str:
        found.append(text)
        return ""

    _rewritten(source, note)
    for tag in TAG.findall(source):
        found.extend(text for _, text in HANDED.findall(tag)) if tag.startswith("{% include") else None
        found.extend(text for _, text in NAMED.findall(tag))
        found.extend(PHRASE.findall(tag))
    yield from found


def _tag(text: str, before: str, after: str) -> str:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if BLANK not in (before, after):
        return f"{before}{{% translate {quoted} %}}{after}"
    return f'{{% spoken {quoted} before="{before and BLANK}" after="{after and BLANK}" %}}'


def _rewritten(source: str, put: Put) -> str:
    tags: list[str] = []

    def mask(match: re.Match[str]) -> str:
        tags.append(_with_handed(match[0]))
        return MASK

    masked = TAG.sub(mask, COMMENT.sub("", source))
    parts = [_element(p, put) if p.startswith("<") else _text(p, put) for p in ELEMENT.split(masked)]
    rest = iter(tags)
    return re.sub(MASK, lambda _: next(rest), "".join(parts))


def _with_handed(tag: str) -> str:
    if tag.startswith("{% include"):
        tag = HANDED.sub(r'\1_("\2")', tag)
    return NAMED.sub(r'\1_("\2")', tag)


def _element(element: str, put: Put) -> str:
    return SPOKEN.sub(lambda m: m[1] + _text(m[2], put) + m[3], element)


def _text(text: str, put: Put) -> str:
    return MASK.join(_piece(piece, put) for piece in text.split(MASK))


def _piece(piece: str, put: Put) -> str:
    bare = piece.strip()
    if len(bare) < 2 or not WORD.search(bare):
        return piece
    start = piece.index(bare[0])
    return put(" ".join(bare.split()), piece[:start], piece[start + len(bare) :])


class Language(LocaleMiddleware):
    """The reader's language: that of the switch, else of the browser; agents are answered in English."""

    def process_request(self, request: HttpRequest) -> None:
        if not request.path_info.startswith("/api/"):
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if request.path_info.startswith("/api/") else super().process_response(request, response)
