"""The examples of the OpenAPI document: there, and of the shape that the document itself says."""

import re
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from governance.api.schema import examples

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def operation(document: dict[str, Any], name: str) -> dict[str, Any]:
    found = [o for item in document["paths"].values() for o in item.values() if o["operationId"] == name]
    assert len(found) == 1, name
    return found[0]


def misfits(document: dict[str, Any], schema: dict[str, Any], value: Any, at: str = "") -> list[str]:
    """Return where a value is not of a shape: its type, its codes, its fields, of which a newer one may be missing."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if value is None:
        return [] if schema.get("nullable") or not schema.keys() - {"description"} else [f"{at} is null"]
    if "allOf" in schema:
        return [m for part in schema["allOf"] for m in misfits(document, part, value, at)]
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return min((misfits(document, part, value, at) for part in schema[several]), key=len)
    wrong = [] if isinstance(value, TYPES.get(schema.get("type", ""), object)) else [f"{at} is no {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{at} is none of its codes")
    if isinstance(value, list):
        return wrong + [m for v in value for m in misfits(document, schema.get("items", {}), v, f"{at}[]")]
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        wrong += [f"{at}/{name} is no field" for name in value if name not in fields]
        wrong += [m for n, v in value.items() if n in fields for m in misfits(document, fields[n], v, f"{at}/{n}")]
    return wrong


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_stands_in_the_document_and_has_its_shape(document, name: str):
    example, described = examples()[name], operation(document, name)

    answered = described["responses"][str(example["answer"]["status"])]["content"]["application/json"]
    assert misfits(document, answered["schema"], example["answer"]["body"]) == []
    assert [e["value"] for e in answered["examples"].values()] == [example["answer"]["body"]]
    if "requestBody" in described:
        sent = described["requestBody"]["content"]["application/json"]
        assert misfits(document, sent["schema"], example["request"]) == []
        assert [e["value"] for e in sent["examples"].values()] == [example["request"]]


def test_an_example_holds_nothing_of_a_real_request():
    text = str(examples())

    assert not re.findall(r"mgv_\w+", text)
    assert set(re.findall(r"\d{4}-\d\d-\d\dT[^']*", text)) == {"2026-08-20T09:30:00Z"}


def test_every_operation_has_an_example(document):
    named = {o["operationId"] for item in document["paths"].values() for o in item.values()}

    assert named - set(examples()) == set()
