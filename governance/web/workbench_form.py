"""What can be asked at the Workbench."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext

from governance.retrieval.answers import LONGEST_QUERY, MOST, MOST_TOKENS
from governance.retrieval.block import FORMS
from governance.web.forms import Plain, moment_input

BESIDE = (("", "nothing"), ("moment", "another moment"), ("policy", "another policy"))


class WorkbenchForm(Plain):
    """A recall as an agent would ask it, and what to lay beside it."""

    key = forms.ChoiceField(label="As agent, with key")
    user = forms.CharField(required=False, max_length=200, label="For user", strip=False)
    project = forms.CharField(required=False, max_length=200, label="In project", strip=False)
    session = forms.CharField(required=False, max_length=200, label="In session", strip=False)
    query = forms.CharField(
        required=False, max_length=LONGEST_QUERY, label="Question", widget=forms.Textarea(attrs={"rows": 2})
    )
    limit = forms.IntegerField(min_value=1, max_value=MOST, initial=6, label="Hits")
    token_budget = forms.IntegerField(min_value=1, max_value=MOST_TOKENS, initial=800, label="Tokens")
    form = forms.ChoiceField(choices=[(f, f) for f in FORMS], label="Form of the block")
    as_of = forms.DateTimeField(required=False, label="What held at", widget=moment_input())
    known_at = forms.DateTimeField(required=False, label="As known at", widget=moment_input())
    expected = forms.RegexField(
        r"^mem_[0-9a-f]{32}$", required=False, label="Expected memory",
        help_text="Its id; you are told why it is there or not.",
    )  # fmt: skip
    beside = forms.ChoiceField(choices=BESIDE, required=False, label="Beside it")
    other_as_of = forms.DateTimeField(required=False, label="Other: what held at", widget=moment_input())
    other_known_at = forms.DateTimeField(required=False, label="Other: as known at", widget=moment_input())
    other_policy = forms.ChoiceField(required=False, label="Other policy")

    def __init__(
        self, *args: Any, keys: Sequence[tuple[str, str]], policies: Sequence[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].choices = list(keys)  # type: ignore[attr-defined]
        self.fields["other_policy"].choices = [("", gettext("the one in force")), *policies]  # type: ignore[attr-defined]
