"""What a refusal names, as the page calls it: fields by their labels, never by JSON pointers."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext

from governance.policies.sections import FIELDS
from governance.web.forms import Plain

# What rooms name that no form has a field for, or that forms call differently.
BESIDES = {
    "content": "Statement",
    "keys": "Keys",
    "level": "Level",
    "memory_ids": "Memories",
    "note": "Note",
    "project": "Project",
    "user": "Person",
    "words": "Words",
    "about": "About",
    "basis": "Basis",
    "claim": "Claim",
    "choice": "Decision",
    "confidence": "Confidence",
    "evidence": "Evidence",
    "id": "Name",
    "item": "Items",
    "kind": "Kind",
    "memories": "Memories",
    "number": "Version",
    "observed_at": "Last observed",
    "other": "The other key",
    "kept": "The kept key",
    "periods": "Times",
    "place": "Place",
    "quote": "Quote",
    "scope": "Scope",
    "scopes": "Scopes",
    "selector": "What is to be forgotten",
    "session": "Session",
    "source_type": "Source",
    "subjects": "People",
    "tags": "Tags",
    "valid_from": "Holds from",
    "valid_to": "Holds until",
    "validity": "Validity",
}
NUMBER = re.compile(r"\d+")


def label_of(pointer: str) -> str:
    """Return what the part of a request that a JSON pointer names is called on pages; "" for the whole of it."""
    names = [part for part in pointer.split("/") if part and not part.isdigit()]
    if setting := FIELDS.get(".".join(names)):
        return gettext(setting.label)
    if not names:
        return ""
    said = dict(_labels(Plain)) | BESIDES
    return gettext(said.get(names[-1], names[-1].replace("_", " ").capitalize()))


def _labels(form: type[Plain]) -> Iterator[tuple[str, str]]:
    for below in form.__subclasses__():
        yield from _labels(below)
        yield from ((name, str(field.label)) for name, field in below.base_fields.items() if field.label)


def fault_of(text: str) -> str:
    """Return what is wrong with it in the reader's language; numbers and lists of choices stand in it as they are."""
    head, one_of, choices = text.partition(" one of ")
    if one_of:
        return gettext(head + one_of.rstrip()) + " " + choices
    number = NUMBER.search(text)
    masked = text if number is None else text.replace(number[0], "{n}", 1)
    said = gettext(masked)
    return said if number is None else said.replace("{n}", number[0])
