"""Forms of the policy desk, made of what can be set: each with its help, each error at its field."""

from collections.abc import Mapping
from typing import Any

from django import forms

from governance.errors import Invalid
from governance.policies.checking import pointer, problem_with
from governance.policies.documents import Document, value_at
from governance.policies.fields import Field, Section, lines_of_trust, trust_of
from governance.policies.sections import fields_of
from governance.web.forms import Plain

LINES = {"rows": 9, "spellcheck": "false"}


class SectionForm(Plain):
    """The fields of one section of a policy, named by their paths."""

    def __init__(self, *args: Any, section: Section, document: Document, **kwargs: Any) -> None:
        self.settings = {f.path: f for f in fields_of(section)}
        initial = {path: _written(f, value_at(document, path)) for path, f in self.settings.items()}
        super().__init__(*args, initial=initial, **kwargs)
        for path, setting in self.settings.items():
            self.fields[path] = _made(setting)
        self.dress()

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        for path, setting in self.settings.items():
            if path in said and path not in self.errors:
                said[path] = self._read(setting, said[path])
        return said

    def _read(self, setting: Field, value: Any) -> Any:
        if setting.kind == "order":
            try:
                value = trust_of(value)
            except ValueError as error:
                return self.add_error(setting.path, _sentence(str(error)))
        elif setting.kind == "patterns":
            value = _lines(value)
        if problem := problem_with(setting, value):
            self.add_error(setting.path, _sentence(problem))
        return value

    def values(self, document: Document) -> dict[str, Any]:
        """Return what was set, by path; an order that says the same as before is left as it was. Raises Invalid."""
        if not self.is_valid():
            raise Invalid({pointer(n): " ".join(str(e) for e in errors) for n, errors in self.errors.items()})
        said = dict(self.cleaned_data)
        for path, setting in self.settings.items():
            held = value_at(document, path)
            if setting.kind == "order" and lines_of_trust(held) == lines_of_trust(said[path]):
                said[path] = held
        return said


def _made(setting: Field) -> forms.Field:
    """Return the field of a form for something that can be set."""
    common: dict[str, Any] = {"label": setting.label, "help_text": setting.help}
    if setting.kind in ("number", "optional", "whole"):
        attributes = {"step": "1" if setting.kind == "whole" else "any", "inputmode": "decimal"}
        kind = forms.IntegerField if setting.kind == "whole" else forms.FloatField
        return kind(**common, required=setting.kind != "optional", widget=forms.NumberInput(attrs=attributes))
    if setting.kind == "choice":
        return forms.ChoiceField(**common, choices=[(c, _sentence(c.replace("_", " "))[:-1]) for c in setting.choices])
    if setting.kind == "several":
        choices = [(c, c) for c in setting.choices]
        return forms.MultipleChoiceField(**common, choices=choices, required=False, widget=forms.CheckboxSelectMultiple)
    return forms.CharField(
        **common, required=setting.kind == "order", max_length=50_000, widget=forms.Textarea(attrs=LINES)
    )


def _written(setting: Field, value: Any) -> Any:
    """Return a value as its field shows it."""
    if setting.kind == "order":
        return lines_of_trust(value)
    if setting.kind == "patterns":
        return "\n".join(value)
    return f"{value:g}" if isinstance(value, float) else value


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class KeyRuleForm(Plain):
    """One rule about keys."""

    id = forms.CharField(
        max_length=80, label="Name", help_text="Small letters, digits and hyphens. Memories are counted by it."
    )
    pattern = forms.CharField(
        max_length=200, label="Keys", help_text="A key such as profile.home.city; * stands for anything."
    )
    en = forms.CharField(max_length=80, required=False, label="Called, in English", help_text="Shown, and searched by.")
    zh = forms.CharField(max_length=80, required=False, label="Called, in Chinese", help_text="Shown, and searched by.")
    aliases = forms.CharField(
        max_length=5000, required=False, label="Other names", widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One a line. A question that uses one finds these keys.",
    )  # fmt: skip
    cardinality = forms.ChoiceField(
        choices=[("single", "one value at a time"), ("multi", "several values")], label="Values",
        help_text="With one value, a new one replaces or contradicts the old one.",
    )  # fmt: skip
    half_life_days = forms.FloatField(
        required=False, label="Half-life in days", widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Empty: that of its kind.",
    )  # fmt: skip
    authority = forms.CharField(
        max_length=80, required=False, label="Authority",
        help_text="A source such as business_system, or a system's name. It is contradicted, never overwritten.",
    )  # fmt: skip
    trust = forms.CharField(
        max_length=2000, required=False, label="Order of trust", widget=forms.Textarea(attrs=LINES),
        help_text="One source a line, the most trusted first, equals with =. Empty: the general order.",
    )  # fmt: skip
    place = forms.IntegerField(label="Place", help_text="The first rule that fits a key counts. 1 is the first.")

    def __init__(self, *args: Any, rule: Mapping[str, Any] | None, place: int, **kwargs: Any) -> None:
        super().__init__(*args, initial=_rule_written(rule or {}) | {"place": place}, **kwargs)

    def clean_trust(self) -> dict[str, int] | None:
        try:
            return trust_of(self.cleaned_data["trust"]) or None
        except ValueError as error:
            raise forms.ValidationError(_sentence(str(error))) from None

    def rule(self) -> Document:
        """Return the rule as a document. Raises Invalid."""
        said = self.clean_values()
        return {
            "id": said["id"],
            "pattern": said["pattern"],
            "labels": {language: said[language] for language in ("en", "zh") if said[language]},
            "aliases": _lines(said["aliases"]),
            "cardinality": said["cardinality"],
            "half_life_days": said["half_life_days"],
            "authority": said["authority"],
            "trust": said["trust"],
        }

    def tell(self, errors: list[dict[str, str]]) -> None:
        """Show errors that the domain found at the fields they are about."""
        self.full_clean()
        for error in errors:
            name = error["pointer"].strip("/").split("/")[0]
            at = {"labels": "en"}.get(name, name)
            if at in self.fields and at not in self.errors:
                self.add_error(at, _sentence(error["detail"]))


def _rule_written(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": rule.get("id", ""),
        "pattern": rule.get("pattern", ""),
        "en": rule.get("labels", {}).get("en", ""),
        "zh": rule.get("labels", {}).get("zh", ""),
        "aliases": "\n".join(rule.get("aliases", ())),
        "cardinality": rule.get("cardinality", "single"),
        "half_life_days": rule.get("half_life_days"),
        "authority": rule.get("authority", ""),
        "trust": lines_of_trust(rule.get("trust") or {}),
    }
