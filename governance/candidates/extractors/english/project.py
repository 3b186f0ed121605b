"""Decisions of a project: products, versions, environments, deadlines."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import ADV, END, START, Clause, Rule, X, rule
from governance.candidates.extractors.statement import Said

_TECH = rf"(?P<x>{keys.DATABASE_WORDS}|{keys.CODE_WORDS}|(?-i:[A-Z])[\w.+#\-]*(?:\s(?-i:[A-Z])[\w.+#\-]*)?)(?:\s(?:version\s|v)?(?P<v>\d+(?:\.\d+)*))?"


_ENV = rf"(?:\s(?:in|on|for)\s(?:the\s|our\s)?(?P<env>{keys.ENVIRONMENT_WORDS})(?:\s(?:env(?:ironment)?|cluster|servers?|stack))?)?"


_ENV_FIRST = rf"(?:(?:in|on|for)\s(?:the\s|our\s)?(?P<env>{keys.ENVIRONMENT_WORDS})(?:\senv(?:ironment)?)?,?\s)"


def decision(name: str, version: str, environment: str) -> tuple[str, str]:
    """The key and value of a decision for a product, a language or a version of it."""
    scope = f"environment.{keys.environment(environment)}" if environment else "project"
    if version:
        return f"{scope}.{keys.slug(keys.code_language(name) or keys.database(name) or name)}.version", version
    if found := keys.database(name):
        return f"{scope}.database", found
    if found := keys.code_language(name):
        return f"{scope}.code.language", found
    return f"{scope}.uses.{keys.slug(name)}", name


def _decides(clause: Clause) -> Iterator[Said]:
    name, version = clause["x"], clause["v"]
    if re.match(r"(?:it|the|a|this|that|i|we|monday|tuesday|friday|english|march|may)\b", name, re.IGNORECASE):
        return
    key, value = decision(name, version, clause["env"])
    where = f" in {clause['env']}" if clause["env"] else ""
    yield Said(key, value, f"The project uses {name}{' ' + version if version else ''}{where}.", level="project")


def _deadline(clause: Clause) -> Iterator[Said]:
    yield Said("project.deadline", clause["x"], f"The project's deadline is {clause['x']}.", level="project")


RULES: tuple[Rule, ...] = (
    rule(
        rf"{_ENV_FIRST}(?:we |it |they |the (?:team|project) )?(?:use|uses|run|runs|is|are on|using) {_TECH}",
        _decides,
        cues="use|run|are on|using",
    ),
    rule(
        rf"\b(?P<x>{keys.DATABASE_WORDS}|(?!(?:go|r|c)\b)(?:{keys.CODE_WORDS}))(?P<v>)(?=\s(?:until|till|from|starting|as of|since|after|before)\s[^,.;]{{3,24}})(?P<env>)",
        _decides,
        cues=" until | till | from | starting | as of | since | after | before ",
    ),
    rule(
        rf"(?:{START}|\b(?:we(?:'ll| will| should| must| have decided to| decided to| agreed to| need to| are going to)?|let's|the (?:team|project)(?: will| must)?) ){ADV}(?:stay|stick|remain|keep) (?:on|with|to) {_TECH}{_ENV}",
        _decides,
        cues="stay|stick|remain|keep",
    ),
    rule(
        rf"\b(?:we|the (?:team|project)|our (?:team|project|backend|service|app|stack))(?:'re| are| is|'ve| have| has)? {ADV}(?:now )?(?:use|uses|using|run|runs|running|chose|picked|adopted|selected|decided (?:on|to use|for)|settled on|agreed on|went with|go with|migrated to|moved to|switched to|moving to|switching to|migrating to|upgraded to|standardi[sz]ed on|are on|on) {_TECH}{_ENV}",
        _decides,
        cues="we|team|project|our ",
    ),
    rule(
        rf"\b(?:our|the|this) (?:(?P<env>{keys.ENVIRONMENT_WORDS}) )?(?:database|db|stack|backend|language) (?:is|will be|runs on) (?:now )?{_TECH}",
        _decides,
        cues="database|db|stack|backend|language",
    ),
    rule(
        rf"\b(?:the|our|my) (?:project|release|launch|report|q[1-4] report)?(?:'s)? ?(?:deadline|due date) (?:is|was (?:moved|pushed(?: back)?) to|moved to) {X}{END}",
        _deadline,
        cues="deadline|due date",
    ),
)
