"""What is sensitive in a text, in English and Chinese, and the text without it."""

from governance.policies.detectors.redaction import (
    CARE,
    DEFAULT_ACTIONS,
    JSON,
    MASKING,
    Masked,
    Redaction,
    find,
    redact,
    redact_fields,
    redact_value,
)
from governance.policies.detectors.spans import PLACEHOLDERS, Span

__all__ = [
    "CARE",
    "DEFAULT_ACTIONS",
    "JSON",
    "MASKING",
    "PLACEHOLDERS",
    "Masked",
    "Redaction",
    "Span",
    "find",
    "redact",
    "redact_fields",
    "redact_value",
]
