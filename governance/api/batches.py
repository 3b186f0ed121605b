"""One item, or a list of them answered item by item."""

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from governance.api.endpoint import Answer
from governance.api.errors import body_of
from governance.api.idempotency import MOST_ITEMS, Claim, alone
from governance.errors import Invalid, Refusal, outcome

Do = Callable[[Any, Claim | None], Answer]


class BatchItem(serializers.Serializer):
    status = serializers.IntegerField(help_text="What this item alone would have been answered with.")
    body = serializers.DictField(help_text="The resource, or the problem.")


class BatchShape(serializers.Serializer):
    results = BatchItem(many=True)


def each(request: Request, do: Do) -> Answer:
    """Return the answer to the one item of a body, or 207 with an answer to each item of a list.

    Each item is done, and under an Idempotency-Key kept, for itself: repeating a list does what was not yet done.
    """
    sent = request.data
    if not isinstance(sent, list):
        with alone(request, [sent]) as (claim,):
            return do(sent, claim)
    if not 1 <= len(sent) <= MOST_ITEMS:
        raise Invalid({"": f"must be one item or a list of 1 to {MOST_ITEMS}"})
    request_id = getattr(request, "request_id", "")
    with alone(request, sent) as found:
        results = [
            _told(outcome(lambda i=item, c=claim: do(i, c)), request_id)
            for item, claim in zip(sent, found, strict=True)
        ]
    replayed = [r.pop("replayed") for r in results]
    headers = {"Idempotency-Replayed": "true"} if all(replayed) else {}
    return Answer(207, {"results": results}, headers)


def _told(answer: Answer | Refusal, request_id: str) -> dict[str, Any]:
    if isinstance(answer, Refusal):
        return {"status": answer.status, "body": body_of(answer, request_id), "replayed": False}
    return {"status": answer.status, "body": answer.body, "replayed": "Idempotency-Replayed" in answer.headers}
