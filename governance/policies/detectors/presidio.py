"""What a Presidio analyzer finds besides, where an operator runs one (`PRESIDIO_URL`): its REST interface, POST /analyze
(https://microsoft.github.io/presidio/api-docs/api-docs.html)."""

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator

import httpx
from django.conf import settings

from governance.errors import Unavailable
from governance.policies.detectors.spans import BLANK, Folded, Span

# Presidio's names (https://microsoft.github.io/presidio/supported_entities/). What it calls a person, a place, a date or
# a web address is no category of ours: most good memories hold some.
CATEGORIES = {
    "CREDIT_CARD": "card",
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "IP_ADDRESS": "ip_address",
    "IBAN_CODE": "bank_account",
    "US_BANK_NUMBER": "bank_account",
    "CRYPTO": "bank_account",
    "US_PASSPORT": "passport",
    "IN_PASSPORT": "passport",
    "IT_PASSPORT": "passport",
    "UK_PASSPORT": "passport",
    **dict.fromkeys(
        (
            "AU_MEDICARE AU_TFN DE_TAX_ID ES_NIE ES_NIF FI_PERSONAL_IDENTITY_CODE IN_AADHAAR IN_PAN IN_VOTER "
            "IT_DRIVER_LICENSE IT_FISCAL_CODE IT_IDENTITY_CARD KR_DRIVER_LICENSE KR_RRN PL_PESEL SG_NRIC_FIN TH_TNIN "
            "UK_NHS UK_NINO US_DRIVER_LICENSE US_ITIN US_SSN"
        ).split(),
        "national_id",
    ),
}
KEPT = 256  # answers: the texts of one proposal are looked at several times

_salt = secrets.token_bytes(16)
_lock = threading.Lock()
_answers: OrderedDict[bytes, tuple[tuple[int, int, str], ...]] = OrderedDict()


def find_besides(text: Folded) -> Iterator[Span]:
    """Yield what the analyzer finds that is of a category of ours; nothing where none is set.

    Raises Unavailable where it does not answer: what nobody has looked at is not stored.
    """
    if not settings.PRESIDIO_URL or not text.text.strip(BLANK + " \n"):
        return
    for start, end, category in _answer(text.text):
        if BLANK not in text.text[start:end]:
            yield text.span(start, end, category, "presidio")


def forget_answers() -> None:
    """Drop the process's answers (places and categories, by a keyed hash of the text): after an erasure."""
    with _lock:
        _answers.clear()


def _answer(text: str) -> tuple[tuple[int, int, str], ...]:
    name = hashlib.blake2b(text.encode("utf-8", "replace"), key=_salt, digest_size=16).digest()
    with _lock:
        if name in _answers:
            return _answers[name]
    found = tuple(part for language in settings.PRESIDIO_LANGUAGES for part in _asked(text, language))
    with _lock:
        _answers[name] = found
        while len(_answers) > KEPT:
            _answers.popitem(last=False)
    return found


def _asked(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, category) of what the analyzer finds in one language, as far as it is sure enough."""
    asked = {
        "text": text.encode("utf-8", "replace").decode(),  # half a surrogate becomes one "?": places stay what they are
        "language": language,
        "entities": list(CATEGORIES),
        "score_threshold": settings.PRESIDIO_SCORE,
    }
    try:
        answer = httpx.post(
            f"{settings.PRESIDIO_URL.rstrip('/')}/analyze", json=asked, timeout=settings.PRESIDIO_TIMEOUT
        )
        answer.raise_for_status()
        for found in answer.json():
            start, end, category = int(found["start"]), int(found["end"]), CATEGORIES.get(found["entity_type"])
            if category and 0 <= start < end <= len(text) and float(found["score"]) >= settings.PRESIDIO_SCORE:
                yield start, end, category
    except (httpx.HTTPError, ValueError, TypeError, KeyError):
        raise Unavailable("The Presidio analyzer did not answer as it should; nothing was stored.") from None
