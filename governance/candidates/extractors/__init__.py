"""Explicit statements in what a user said, by rule, in English and Chinese."""

from governance.candidates.extractors.extraction import extract, is_yes
from governance.candidates.extractors.person import as_first_person
from governance.candidates.extractors.statement import Statement

__all__ = ["Statement", "as_first_person", "extract", "is_yes"]
