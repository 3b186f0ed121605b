"""Rules for explicit statements in English; rules that stand first win where matches overlap."""

from governance.candidates.extractors.english import answers, care, memory, people, project, tastes
from governance.candidates.extractors.english.clause import Clause, Rule

RULES: tuple[Rule, ...] = (
    *memory.FIRST,
    *care.RULES,
    *project.RULES,
    *answers.RULES,
    *tastes.RULES,
    *people.RULES,
    *memory.RULES,
)

__all__ = ["RULES", "Clause", "Rule"]
