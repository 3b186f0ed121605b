"""How the OpenAPI document names things, and what it gives as examples."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample

EXAMPLES = Path(__file__).with_name("examples.json")  # operation -> the body sent, and what was answered


class Described(AutoSchema):
    """Names the parts of the document as clients call them: Memory, not MemoryShape. Shows each operation at work."""

    def get_serializer_name(self, serializer: Any, direction: str) -> str:
        return str(super().get_serializer_name(serializer, direction)).removesuffix("Shape")

    def get_examples(self) -> list[OpenApiExample]:
        known = examples().get(self.get_operation_id(), {})
        found = []
        if "request" in known:
            found.append(OpenApiExample("sent", value=known["request"], request_only=True))
        if "answer" in known:
            status, body = str(known["answer"]["status"]), known["answer"]["body"]
            found.append(OpenApiExample("answered", value=body, response_only=True, status_codes=[status]))
        return found


@cache
def examples() -> dict[str, Any]:
    """Return for each operation a body that can be sent and an answer that was given."""
    found: dict[str, Any] = json.loads(EXAMPLES.read_text())
    return found
