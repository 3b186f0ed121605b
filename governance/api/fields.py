"""Shapes of what agents send: nothing is coerced, nothing unknown passes, no message quotes what was sent."""

import copy
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, tzinfo
from functools import cache
from typing import Any

from django.http import QueryDict
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from governance.api.errors import SAID, pointers
from governance.candidates.rules import EARLIEST, LARGEST_VALUE, LATEST, unfit_text
from governance.errors import Invalid, outcome
from governance.policies.detectors import find
from governance.scopes.models import LEVELS
from governance.scopes.rules import LONGEST_NAME, ScopeSpec, clean_name, parse_scope

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?", re.ASCII)
MOST_UNKNOWN = 20  # fields that are named in one refusal
NAMEABLE = re.compile(r"[a-z_]{1,40}", re.ASCII)


def said(text: str) -> serializers.ValidationError:
    """Return an error in our own words."""
    return serializers.ValidationError(ErrorDetail(text, code=SAID))


class Shape(serializers.Serializer):
    """An object with known fields alone."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError({"": [ErrorDetail("must be an object", code=SAID)]})
        unknown = [name for name in data if name not in self.fields][:MOST_UNKNOWN]
        if unknown:
            text = ErrorDetail("is no field of this request", code=SAID)
            raise serializers.ValidationError({(n if _is_nameable(n) else ""): [text] for n in unknown})
        return super().to_internal_value(data)


def _is_nameable(name: str) -> bool:
    """Answer whether an unknown name may be repeated: it looks like a field's, and like no secret."""
    return bool(NAMEABLE.fullmatch(name)) and not any(map(_tells_a_secret, (name, name.replace("_", " "))))


@cache
def _form(shape: type[Shape]) -> Shape:
    """Return a form to copy: making one takes longer than reading with it, and its fields keep nothing they read."""
    form = shape()
    _ = form.fields  # made here, so that all copies share them; of an empty body there are none
    return form


def read(shape: type[Shape], data: Any, *, keeping: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields that were sent; null counts as not sent, except for those in `keeping`. Raises Invalid."""
    form = copy.copy(_form(shape))
    form.initial_data = data
    if not form.is_valid():
        raise Invalid(list(pointers(form.errors)))
    return {name: value for name, value in form.validated_data.items() if value is not None or name in keeping}


def read_query(shape: type["QueryShape"], query: QueryDict) -> dict[str, Any]:
    """Return the parameters of an address. Raises Invalid for unknown ones and for one that comes twice."""
    twice = [name for name, values in query.lists() if len(values) > 1 and name in _form(shape).fields]
    if twice:
        raise Invalid({f"/{name}": "comes more than once" for name in twice})
    return read(shape, query.dict())


class QueryShape(Shape):
    """The parameters of an address, where there is no null."""

    def get_fields(self) -> dict[str, serializers.Field]:
        fields: dict[str, serializers.Field] = super().get_fields()
        for field in fields.values():
            field.allow_null = False
        return fields


class Strict(serializers.Field):
    """A field that takes its own JSON type and no other; optional ones take null for absent."""

    type = "string"

    def __init__(self, *, optional: bool = True, **options: Any) -> None:
        options.setdefault("required", not optional)
        options.setdefault("allow_null", optional)
        super().__init__(**options)

    def to_representation(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": self.type}


class Text(Strict):
    """Text as it is: not trimmed, not made of numbers."""

    def __init__(self, *, longest: int = LARGEST_VALUE, **options: Any) -> None:
        self.longest = longest
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise said("must be text")
        if len(data) > self.longest:
            raise said(f"is longer than {self.longest} characters")
        if problem := unfit_text(data):
            raise said(problem)
        return data

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.longest}


class Name(Strict):
    """An id that the caller chose: of a user, a project, a session."""

    def to_internal_value(self, data: Any) -> str:
        name = outcome(lambda: clean_name(data, ""))
        if isinstance(name, Invalid):
            raise said(name.errors[0]["detail"])
        assert isinstance(name, str)
        if _tells_a_secret(name):
            raise said(TELLS_A_SECRET)
        return name

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}


TELLS_A_SECRET = "holds a credential, a card or an identity number: name people and projects by ids that tell nothing"


def _tells_a_secret(name: str) -> bool:
    """Whether a name holds one; of passports those that are named or have check digits: an id of staff looks alike."""
    return any(
        span.category in ("credential", "national_id", "card")
        or (span.category == "passport" and span.detector in ("passport", "machine-readable-zone"))
        for span in find(name)
    )


class Id(Strict):
    """One of our own ids; one of another form is no id of anything, so it is unknown like any other."""

    def __init__(self, prefix: str, **options: Any) -> None:
        self.prefix = prefix
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise said("must be text")
        if len(data) > 40 or not data.isascii() or not data.isprintable() or not data:
            raise said(f"must be an id such as {self.prefix}_…")
        return data

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "maxLength": 40, "example": f"{self.prefix}_0198f2c04a7b7c3e9d21aa54b0c7d9e1"}


class Choice(Strict):
    """One of some codes."""

    def __init__(self, choices: Sequence[str], **options: Any) -> None:
        self.choices = tuple(choices)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise said("must be one of " + ", ".join(self.choices))
        return data

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


class Flag(Strict):
    type = "boolean"

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise said("must be true or false")
        return data


class QueryFlag(Flag):
    """`true` or `false` in an address."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            raise said("must be true or false")
        return bool(data == "true")


class Whole(Strict):
    """A whole number between two bounds."""

    type = "integer"

    def __init__(self, *, least: int = 0, most: int = 2**31 - 1, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            raise said("must be a whole number")
        if not self.least <= data <= self.most:
            raise said(f"must lie between {self.least} and {self.most}")
        return data

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class QueryWhole(Whole):
    """A whole number in an address."""

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, str) or not re.fullmatch(r"\d{1,10}", data, re.ASCII):
            raise said("must be a whole number")
        return super().to_internal_value(int(data))


class Number(Strict):
    type = "number"

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise said("must be a number")
        return float(data)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": 1}


class When(Strict):
    """A time in ISO 8601, its offset kept, without one naive; with `dates` also a plain date."""

    def __init__(self, *, dates: bool = False, **options: Any) -> None:
        self.dates = dates
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> datetime | date:
        forms = "a date or a time such as 2026-08-31" if self.dates else "a time such as 2026-08-31T14:05:00+02:00"
        wrong = said(f"must be {forms} (ISO 8601)")
        if not isinstance(data, str):
            raise wrong
        if not MOMENT.fullmatch(data) and not (self.dates and DATE.fullmatch(data)):
            raise wrong
        try:
            moment = datetime.fromisoformat(data) if len(data) > 10 else date.fromisoformat(data)
        except ValueError:
            raise wrong from None
        if not EARLIEST.year <= moment.year < LATEST.year:
            raise said(f"must lie between the years {EARLIEST.year} and {LATEST.year}")
        return moment

    def schema(self) -> dict[str, Any]:
        example = "2026-08-31" if self.dates else "2026-08-31T14:05:00+02:00"
        text = "ISO 8601; without an offset, in the tenant's zone."
        return {"type": "string", "example": example, "description": text}


class Items(Strict):
    """A list of what one field takes, at most so many."""

    type = "array"

    def __init__(self, child: Strict, *, most: int, least: int = 0, **options: Any) -> None:
        self.child, self.least, self.most = child, least, most
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise said("must be a list")
        if not self.least <= len(data) <= self.most:
            raise said(f"must have between {self.least} and {self.most} items")
        return [self.child.to_internal_value(item) for item in data]

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.child.schema(), "minItems": self.least, "maxItems": self.most}


class AnyValue(Strict):
    """Any JSON; null too, which the domain then refuses as no value."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def to_internal_value(self, data: Any) -> Any:
        return data

    def schema(self) -> dict[str, Any]:
        return {"description": "Any JSON but null and the empty ones."}


class ScopeField(Strict):
    """Where a memory holds: a level and exactly the parts it needs."""

    type = "object"

    def to_internal_value(self, data: Any) -> ScopeSpec:
        spec = outcome(lambda: parse_scope(data, ""))
        if isinstance(spec, Invalid):
            errors = {e["pointer"].strip("/"): [ErrorDetail(e["detail"], code=SAID)] for e in spec.errors}
            raise serializers.ValidationError(errors)
        assert isinstance(spec, ScopeSpec)
        for part in ("user", "session", "project"):
            if _tells_a_secret(getattr(spec, part)):
                raise serializers.ValidationError({part: [ErrorDetail(TELLS_A_SECRET, code=SAID)]})
        return spec

    def schema(self) -> dict[str, Any]:
        part = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
        return {
            "type": "object",
            "properties": {
                "level": {"type": "string", "enum": list(LEVELS)},
                "user": part,
                "session": part,
                "project": part,
            },
            "required": ["level"],
            "additionalProperties": False,
            "description": "session: user, session · user: user · project: project · agent, tenant, global: no part.",
            "example": {"level": "user", "user": "u-17"},
        }


class StrictExtension(OpenApiSerializerFieldExtension):
    """Tells the OpenAPI document what a strict field takes."""

    target_class = Strict
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = self.target.schema()
        return schema


def aware(moment: datetime | date, zone: tzinfo) -> datetime:
    """Return a time as one with an offset: a naive one in a zone, a plain date as its first moment there."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 the zone follows
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
