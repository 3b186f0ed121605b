"""Forms of the desks. What is wrong is said without what was sent: a page of errors never quotes words."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import orjson
from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils import timezone
from django.utils.translation import gettext

from governance.candidates.actions.aside import DECIDING_ROLES
from governance.candidates.actions.decide import REJECT_REASONS
from governance.candidates.queries import CandidateView
from governance.candidates.rules import EARLIEST, LATEST
from governance.erasure.rules import parse_selector
from governance.errors import Invalid
from governance.memories.queries import MemoryView, Moment
from governance.scopes.models import LEVELS, Membership
from governance.scopes.rules import ACTIONS, DEFAULT_ACTIONS, DEFAULT_LEVELS, Grant, parse_scope
from governance.web.text import shown_value

MESSAGES = {
    "required": "Fill this in.",
    "invalid": "This has the wrong form.",
    "invalid_choice": "Choose one of the list.",
    "invalid_list": "Choose from the list.",
    "max_length": "This is too long.",
    "null_characters_not_allowed": "This holds a null character.",
}
REASONS = {
    "not-true": "Not true",
    "not-lasting": "Not lasting",
    "wrong-person": "About somebody else",
    "sensitive": "Too sensitive to keep",
    "duplicate": "Known already",
    "unclear": "Unclear",
    "other": "Another reason",
}


class Plain(forms.Form):
    """A form whose messages never quote what was sent, and whose fields look like the rest."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dress()

    def dress(self) -> None:
        """Give every field our messages and look; called again by forms that add fields of their own."""
        for field in self.fields.values():
            field.error_messages.update({k: v for k, v in MESSAGES.items() if k in field.error_messages})
            _dress(field.widget)
            speak(field)
            if isinstance(field, forms.DateField | forms.DateTimeField) and within_calendar not in field.validators:
                field.validators.append(within_calendar)

    def clean_values(self) -> dict[str, Any]:
        """Return the cleaned fields. Raises Invalid, naming each field that is wrong."""
        if not self.is_valid():
            raise Invalid({f"/{name}": " ".join(str(e) for e in errors) for name, errors in self.errors.items()})
        return self.cleaned_data


def within_calendar(day: date) -> None:
    """Refuse a day so far off that the next one, or the same in another zone, may not exist."""
    if not EARLIEST.year < day.year < LATEST.year:
        raise forms.ValidationError("This is beyond the calendar.")


def speak(field: forms.Field) -> None:
    """Put a field's texts into the reader's language."""
    field.label = gettext(str(field.label)) if field.label else field.label
    field.help_text = gettext(str(field.help_text)) if field.help_text else field.help_text
    if isinstance(field, forms.ChoiceField):
        known: Any = field.choices
        field.choices = [(code, gettext(str(name)) if name else name) for code, name in known]


def _dress(widget: Any) -> None:
    if isinstance(widget, forms.CheckboxInput | forms.CheckboxSelectMultiple):
        widget.attrs.setdefault("class", "form-check-input")
    elif isinstance(widget, forms.Select) and not isinstance(widget, forms.RadioSelect | forms.CheckboxSelectMultiple):
        widget.attrs.setdefault("class", "form-select")
    elif not isinstance(widget, forms.HiddenInput | forms.RadioSelect | forms.CheckboxSelectMultiple):
        widget.attrs.setdefault("class", "form-control")
        widget.attrs.setdefault("autocomplete", "off")


def moment_input() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "This name and password do not match.",
        "inactive": "This name and password do not match.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "form-control"
            speak(field)


class DayForm(Plain):
    day = forms.DateField(input_formats=["%Y-%m-%d"])


def day_of(text: str) -> date | None:
    """Return the day written YYYY-MM-DD, None for anything else."""
    form = DayForm({"day": text})
    return form.cleaned_data["day"] if form.is_valid() else None


class MomentForm(Plain):
    """The two clocks: what held then, as far as was known at another time. Empty: now."""

    as_of = forms.DateTimeField(required=False, label="What held at", widget=moment_input())
    known_at = forms.DateTimeField(required=False, label="As known at", widget=moment_input())

    def moment(self, now: datetime) -> Moment:
        """Return the moment that was asked about, now where nothing sound was."""
        said = self.cleaned_data if self.is_valid() else {}
        return Moment(said.get("as_of") or now, said.get("known_at"))


class RejectForm(Plain):
    reason = forms.ChoiceField(choices=[("", "choose…"), *((r, REASONS[r]) for r in REJECT_REASONS)], label="Reason")
    note = forms.CharField(
        required=False,
        max_length=2000,
        label="Note",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )


class WhyForm(Plain):
    why = forms.CharField(
        max_length=2000, label="Why", widget=forms.Textarea(attrs={"rows": 2}), help_text="Kept sealed."
    )


ASIDES = {"unsure": "I am unsure", "needs-role": "Needs another role", "snoozed": "Later"}


class AsideForm(Plain):
    """Not yet: unsure, another role, or later."""

    aside = forms.ChoiceField(
        required=False,
        choices=[*ASIDES.items(), ("", "Take it up again")],
        label="What",
    )
    role = forms.ChoiceField(
        required=False, choices=[("", "choose…"), *((r, r) for r in DECIDING_ROLES)], label="Role",
        help_text="For “needs another role”.",
    )  # fmt: skip
    until = forms.DateTimeField(
        required=False, label="Until", widget=moment_input(), help_text="For “later”; empty: tomorrow morning.",
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )  # fmt: skip
    note = forms.CharField(
        required=False, max_length=2000, label="Note", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("aside") == "snoozed" and not said.get("until"):
            said["until"] = _midnight(timezone.localdate(), 1)
        return said


class AssignForm(Plain):
    to = forms.CharField(required=False, label="To")
    note = forms.CharField(
        required=False, max_length=2000, label="Note", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )  # fmt: skip

    def __init__(self, *args: Any, people: Iterable[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].widget = forms.Select(choices=[("", gettext("nobody")), *people])
        _dress(self.fields["to"].widget)


class WordsForm(Plain):
    words = forms.CharField(max_length=200, label="Words")


class FilterForm(Plain):
    name = forms.CharField(max_length=80, label="Name", help_text="Kept sealed.")
    is_shared = forms.BooleanField(required=False, label="Show it to everybody here")


class EditForm(Plain):
    """Other words for a candidate; a value that is not text is edited as JSON."""

    content = forms.CharField(max_length=4000, label="Statement", widget=forms.Textarea(attrs={"rows": 3}))
    value = forms.CharField(required=False, max_length=20_000, label="Value", widget=forms.Textarea(attrs={"rows": 2}))
    context = forms.CharField(
        required=False, max_length=4000, label="Context", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="In what situation it was said; for the agent to read.",
    )  # fmt: skip

    def __init__(self, *args: Any, candidate: CandidateView, **kwargs: Any) -> None:
        value = candidate.field("value", None)
        self.is_text = value is None or isinstance(value, str)
        self.has_value = value is not None
        shown = shown_value(value) if self.is_text else orjson.dumps(value).decode()
        initial = {"content": candidate.field("content"), "value": shown, "context": candidate.field("context")}
        super().__init__(*args, initial=initial, **kwargs)
        if not self.is_text:
            self.fields["value"].label = "Value (JSON)"

    def clean_value(self) -> Any:
        text = self.cleaned_data["value"]
        return _json(text) if not self.is_text else text or None


class NoteForm(Plain):
    note = forms.CharField(
        required=False, max_length=2000, label="Note", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )  # fmt: skip


class ReverseForm(Plain):
    note = forms.CharField(
        max_length=2000, label="Why it is taken back", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )  # fmt: skip


class MergeForm(NoteForm):
    """A value and a sentence of the person's own; a value that is not text is written as JSON."""

    value = forms.CharField(max_length=20_000, label="Value", widget=forms.Textarea(attrs={"rows": 2}))
    content = forms.CharField(
        required=False, max_length=4000, label="Statement", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One sentence; empty: written from the value.",
    )  # fmt: skip
    field_order = ("value", "content", "note")

    def __init__(self, *args: Any, values: Sequence[Any], **kwargs: Any) -> None:
        self.is_text = all(v is None or isinstance(v, str) for v in values)
        super().__init__(*args, **kwargs)
        if not self.is_text:
            self.fields["value"].label = "Value (JSON)"

    def clean_value(self) -> Any:
        return _json(self.cleaned_data["value"]) if not self.is_text else self.cleaned_data["value"]


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise forms.ValidationError("This is not JSON.") from None


class SplitForm(NoteForm):
    """Places for claims by key, by time or by scope; `names` says what each claim is called on the page."""

    def __init__(self, *args: Any, names: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = names
        for claim, name in names.items():
            self.fields |= {f"{part}_{claim}": field for part, field in self._parts(name).items()}
        self.dress()
        self.order_fields([*(f for f in self.fields if f != "note"), "note"])

    def _parts(self, name: str) -> dict[str, forms.Field]:
        raise NotImplementedError

    def places(self) -> dict[str, Any]:
        """Return what was said of each claim, as a `Resolution` takes it. Raises Invalid."""
        raise NotImplementedError

    def _said(self, part: str, claim: str) -> Any:
        return self.cleaned_data[f"{part}_{claim}"]


class SplitKeyForm(SplitForm):
    def _parts(self, name: str) -> dict[str, forms.Field]:
        return {"key": forms.CharField(required=False, max_length=200, label=gettext("Key of %s") % name)}

    def places(self) -> dict[str, Any]:
        self.clean_values()
        return {"keys": {c: key for c in self.names if (key := self._said("key", c))}}


class SplitTimeForm(SplitForm):
    def _parts(self, name: str) -> dict[str, forms.Field]:
        return {"from": _day_field(gettext("%s from") % name), "until": _day_field(gettext("%s, last day") % name)}

    def places(self) -> dict[str, Any]:
        self.clean_values()
        bounds = {c: (_midnight(self._said("from", c)), _midnight(self._said("until", c), 1)) for c in self.names}
        return {"periods": {c: both for c, both in bounds.items() if both != (None, None)}}


class SplitScopeForm(SplitForm):
    """To whom a claim of a wide scope belongs: a user, or (of a whole tenant) a project."""

    def __init__(self, *args: Any, levels: Sequence[str], **kwargs: Any) -> None:
        self.levels = levels
        super().__init__(*args, **kwargs)

    def _parts(self, name: str) -> dict[str, forms.Field]:
        choices = [("", "stays here"), *((x, gettext(f"only one {x}")) for x in self.levels)]
        whose = gettext("%s: id of the") % name + " " + gettext(" or ").join(map(gettext, self.levels))
        return {
            "level": forms.ChoiceField(required=False, choices=choices, label=gettext("%s holds for") % name),
            "name": forms.CharField(required=False, max_length=200, label=whose),
        }

    def places(self) -> dict[str, Any]:
        self.clean_values()
        named = {c: (self._said("level", c), self._said("name", c)) for c in self.names if self._said("level", c)}
        return {"scopes": {c: parse_scope({"level": x, x: name}, "/scopes") for c, (x, name) in named.items()}}


def _day_field(label: str) -> forms.DateField:
    return forms.DateField(
        required=False, label=label, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )


def _midnight(day: date | None, days: int = 0) -> datetime | None:
    """Return when a day begins, some days later, in the tenant's zone."""
    if day is None:
        return None
    return datetime.combine(day + timedelta(days=days), time(), tzinfo=timezone.get_current_timezone())


class MemoryForm(Plain):
    """Other words for a memory; a value that is not text is edited as JSON."""

    content = forms.CharField(max_length=4000, label="Statement", widget=forms.Textarea(attrs={"rows": 3}))
    value = forms.CharField(required=False, max_length=20_000, label="Value", widget=forms.Textarea(attrs={"rows": 2}))
    context = forms.CharField(
        required=False, max_length=4000, label="Context", widget=forms.Textarea(attrs={"rows": 2})
    )
    note = forms.CharField(
        required=False, max_length=2000, label="Why", widget=forms.Textarea(attrs={"rows": 2}), help_text="Kept sealed."
    )

    def __init__(self, *args: Any, memory: MemoryView, **kwargs: Any) -> None:
        self.is_text = memory.value is None or isinstance(memory.value, str)
        self.has_value = memory.value is not None
        shown = shown_value(memory.value) if self.is_text else orjson.dumps(memory.value).decode()
        super().__init__(
            *args, initial={"content": memory.content, "value": shown, "context": memory.context}, **kwargs
        )
        if not self.is_text:
            self.fields["value"].label = "Value (JSON)"
        if not self.has_value:
            del self.fields["value"]

    def clean_value(self) -> Any:
        return _json(self.cleaned_data["value"]) if not self.is_text else self.cleaned_data["value"]

    def changes(self) -> dict[str, Any]:
        """Return the fields of a revision. Raises Invalid."""
        said = self.clean_values()
        return {k: v for k, v in said.items() if k in ("content", "value", "context") or v}


class WidenForm(Plain):
    level = forms.ChoiceField(choices=[("project", "a project"), ("tenant", "the whole tenant")], label="Holds for")
    project = forms.CharField(required=False, max_length=200, label="Id of the project", strip=False)
    note = forms.CharField(
        max_length=2000, label="Why it holds more widely", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed.",
    )  # fmt: skip


class SearchForm(Plain):
    """Where to look by words: they travel in the body, and what they found travels on as ids."""

    words = forms.CharField(
        required=False, max_length=200, label="Words",
        help_text="By meaning too. Without a user or project: among projects and the tenant.",
    )  # fmt: skip
    user = forms.CharField(required=False, max_length=200, label="User", strip=False)
    project = forms.CharField(required=False, max_length=200, label="Project", strip=False)
    key = forms.CharField(
        required=False, max_length=200, label="Key, exactly",
        help_text="Without a user: among projects and the tenant.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("user") and said.get("project"):
            self.add_error("project", "Name a user or a project, not both.")
        return said


class BindingForm(Plain):
    key = forms.CharField(
        max_length=200, label="Key", widget=forms.TextInput(attrs={"placeholder": "payment.approval"})
    )
    rule = forms.CharField(
        max_length=1000, label="Rule", widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence, as agents will read it with every recall.",
    )  # fmt: skip


class AgentForm(Plain):
    name = forms.CharField(max_length=80, label="Name")
    owner = forms.ChoiceField(label="Owner", help_text="Answers for what the agent writes.")

    def __init__(self, *args: Any, owners: Iterable[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["owner"].choices = [(str(pk), name) for pk, name in owners]  # type: ignore[attr-defined]


class KeyForm(Plain):
    """What a new key may do: actions times levels, for whom, until when."""

    actions = forms.MultipleChoiceField(
        choices=[(a, a.replace("-", " ")) for a in ACTIONS], initial=list(DEFAULT_ACTIONS), label="May",
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    levels = forms.MultipleChoiceField(
        choices=[(x, x) for x in LEVELS], initial=list(DEFAULT_LEVELS), label="At level",
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    sources = forms.MultipleChoiceField(
        choices=[(s, s.replace("_", " ")) for s in ("business_system", "project_document", "tool_result")],
        required=False, label="Trusted as", widget=forms.CheckboxSelectMultiple,
        help_text="Sources the agent may name beside what a user said.",
    )  # fmt: skip
    project = forms.ChoiceField(required=False, label="Project", help_text="Limits level project to one.")
    users = forms.CharField(
        required=False, max_length=20_000, label="Only for these users", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One id a line; empty: all.",
    )  # fmt: skip
    expires = forms.DateField(
        required=False, label="Last day", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, projects: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["project"].choices = [("", gettext("all projects")), *projects]  # type: ignore[attr-defined]

    def clean_expires(self) -> datetime | None:
        """Return the midnight after the last day, in the tenant's zone."""
        day: date | None = self.cleaned_data["expires"]
        if day is None:
            return None
        if day < timezone.localdate():
            raise forms.ValidationError("This day is past.")
        return datetime.combine(day + timedelta(days=1), time(), tzinfo=timezone.get_current_timezone())

    def grants(self) -> list[Grant]:
        said = self.cleaned_data
        return [
            Grant(action, level, said["project"] if level == "project" else "")
            for action in said["actions"]
            for level in said["levels"]
        ]

    def bound_users(self) -> list[str] | None:
        lines = [line.strip() for line in self.cleaned_data["users"].splitlines()]
        return [line for line in lines if line] or None


class RoleForm(Plain):
    username = forms.CharField(max_length=150, label="Username")
    role = forms.ChoiceField(choices=[(r, r) for r in Membership.ROLES], label="Role")
    projects = forms.MultipleChoiceField(
        required=False,
        label="Only these projects",
        widget=forms.CheckboxSelectMultiple,
        help_text="For a reviewer; none: all.",
    )

    def __init__(self, *args: Any, projects: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["projects"].choices = projects  # type: ignore[attr-defined]


class SinceForm(Plain):
    """Since when."""

    since = forms.DateTimeField(
        label="Since",
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="In this tenant's time zone.",
    )

    def moment(self, now: datetime) -> datetime:
        """Return the moment asked for; a day ago where none was. Raises Invalid."""
        found: datetime = self.clean_values()["since"] if self.is_bound else now - timedelta(days=1)
        return found.replace(second=0, microsecond=0)


METHOD_NAMES = {
    "signed-in": "Signed in as that person",
    "agent-attested": "Attested by an agent that serves them",
    "document": "Showed a document",
    "call-back": "Called back on a known number",
    "known-contact": "Wrote from a known address",
    "court-order": "Court order",
}
GROUND_NAMES = {
    "nothing-matched": "Nothing matches what was named",
    "already-erased": "It was erased already",
    "identity-not-shown": "It was not shown who asks",
    "legal-obligation": "The law obliges us to keep it",
    "legal-claims": "Needed for legal claims",
    "unfounded": "Manifestly unfounded or excessive",
    "withdrawn": "Withdrawn by who asked",
}
EXTENSION_NAMES = {"complexity": "Complex to carry out", "number-of-requests": "Many requests at once"}


BASIS_NAMES = {
    "person-said-so": "They said so themselves",
    "signed-form": "They signed a form",
    "contract": "A contract with them says so",
}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


class IdentityForm(Plain):
    method = forms.ChoiceField(choices=[("", "choose…"), *METHOD_NAMES.items()], label="How was it shown who asks?")


class GroundForm(Plain):
    ground = forms.ChoiceField(choices=[("", "choose…"), *GROUND_NAMES.items()], label="Ground")


class ExtendForm(Plain):
    reason = forms.ChoiceField(choices=[("", "choose…"), *EXTENSION_NAMES.items()], label="Why it takes longer")


class AllowForm(Plain):
    basis = forms.ChoiceField(choices=[("", "choose…"), *BASIS_NAMES.items()], label="How they consented")


class FileForm(Plain):
    """A wish to be forgotten, as it came in: whose or which memories, and who asks."""

    user = forms.CharField(
        required=False, max_length=200, label="Person", help_text="Their id, as your agents name them."
    )
    project = forms.CharField(required=False, max_length=200, label="or project", help_text="Everything of it.")
    memory_ids = forms.CharField(
        required=False, strip=False, label="or memories", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One id a line.",
    )  # fmt: skip
    keys = forms.CharField(
        required=False, strip=False, label="Only these keys", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One a line.",
    )  # fmt: skip
    words = forms.CharField(
        required=False, strip=False, max_length=500, label="or only what says this",
        help_text="As they put it: “forget that I use PostgreSQL”. What it finds is shown before anything goes.",
    )  # fmt: skip
    mode = forms.ChoiceField(
        choices=[("erase", "Erase: the words are destroyed"), ("retract", "Retract: no longer recalled, words stay")],
        label="What is to happen",
    )
    requester = forms.CharField(
        required=False,
        max_length=2000,
        label="Who asks",
        help_text="Kept sealed; gone once it is done, or 30 days after a refusal.",
    )
    reason = forms.CharField(
        required=False, max_length=2000, label="In their words", widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept sealed; gone once it is done, or 30 days after a refusal.",
    )  # fmt: skip
    identity_verified = forms.ChoiceField(
        required=False, choices=[("", "Not yet"), *METHOD_NAMES.items()], label="Was it shown who asks?"
    )

    def wish(self) -> dict[str, Any]:
        """Return what `Wish` takes. Raises Invalid."""
        said = self.clean_values()
        raw: dict[str, Any] = {name: said[name] for name in ("user", "words") if said[name]}
        if said["project"]:
            raw["scope"] = {"level": "project", "project": said["project"]}
        raw |= {name: _lines(said[name]) or [said[name]] for name in ("memory_ids", "keys") if said[name]}
        if not raw:
            raise Invalid({"/user": "Name a person, a project or memories."})
        rest = {name: said[name] for name in ("mode", "requester", "reason", "identity_verified")}
        return {"selector": parse_selector(raw, ""), **rest}
