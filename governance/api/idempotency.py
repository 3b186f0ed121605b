"""The same request twice: done once, answered twice.

The row that remembers the answer is written by the very transaction that does the work, so either both are there or
neither is. It holds ids alone; the second answer is rendered from them.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from rest_framework.request import Request

from governance.api.authentication import actor_of
from governance.api.endpoint import Answer
from governance.errors import Busy, InProgress, Invalid, KeyReused
from governance.ledger import sealing
from governance.ledger.writing import Writing, companions
from governance.scopes import use

FORM = re.compile(r'"?([\x21\x23-\x7e]{1,255})"?', re.ASCII)
MOST_ITEMS = 100  # of a list that is answered item by item
MARKED = 30  # seconds that "somebody is working on this" stands at most


@dataclass(frozen=True)
class Claim:
    """One request's right to be the first with its Idempotency-Key."""

    key_hash: str
    tenant: str
    body_mac: bytes


@dataclass(frozen=True)
class Work:
    """What is done once: `event` is the event that makes the resource (or `or_event` the one that finds it made),
    `status` the answer's, told from the writing; `again` renders the answer from the resource's id."""

    event: Any
    status: Callable[[Writing], int]
    again: Callable[[str, int], Answer]
    or_event: Any = None

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(event.TYPE for event in (self.event, self.or_event) if event is not None)


def claims(request: Request, items: Sequence[Any]) -> list[Claim | None]:
    """Return the claim of each item of a request, None without an Idempotency-Key. Raises Invalid, KeyReused."""
    place = _place(request)
    return _unused(place, request, items) if place else [None] * len(items)


@contextmanager
def alone(request: Request, items: Sequence[Any]) -> Iterator[list[Claim | None]]:
    """Give the claim of each item; while they are worked off their key is nobody's with another body. Raises Invalid,
    KeyReused."""
    place = _place(request)
    if not place:
        yield [None] * len(items)
        return
    name, mac = f"body-of:{_hash(place, 0)}", _body_mac(request)
    is_first = cache.add(name, mac, MARKED)
    if not is_first and cache.get(name, mac) != mac:
        raise KeyReused()
    try:
        yield _unused(place, request, items)
    finally:
        if is_first:
            cache.delete(name)


def _place(request: Request) -> str:
    """Return what a key is bound to beside the body: its caller and the address; "" without a key. Raises Invalid."""
    sent = request.headers.get("Idempotency-Key")
    if sent is None:
        return ""
    match = FORM.fullmatch(sent.strip())
    if match is None:
        raise Invalid({"": "Idempotency-Key must be 1 to 255 visible ASCII characters"})
    route = str(request.resolver_match.route) if request.resolver_match else ""
    named = sorted(request.parser_context["kwargs"].items()) if request.parser_context else []
    return json.dumps([actor_of(request).key, request.method, route, named, match[1]])


def _body_mac(request: Request) -> bytes:
    body = json.dumps([request.query_params.dict(), request.data], sort_keys=True)
    return sealing.mac(actor_of(request).tenant, f"idempotency/{body}")


def _unused(place: str, request: Request, items: Sequence[Any]) -> list[Claim | None]:
    """Return the claim of each item. Raises KeyReused where something was done with the key and another body."""
    tenant, mac = actor_of(request).tenant, _body_mac(request)
    kept = use.kept_answers([_hash(place, i) for i in range(MOST_ITEMS)])
    if any(bytes(row.body_mac) != mac for row in kept.values()):
        raise KeyReused()
    return [Claim(_hash(place, i), tenant, mac) for i in range(len(items))]


def _hash(place: str, index: int) -> str:
    return hashlib.sha256(f"{place}#{index}".encode()).hexdigest()


def once(claim: Claim | None, work: Work, do: Callable[[], Answer]) -> Answer:
    """Return the answer of the work, done now or, with the same key before, rendered again.

    A second request waits for the first one's transaction. Raises KeyReused, InProgress, and what the work raises.
    """
    if claim is None:
        return do()
    known = _known(claim, work)
    if known is not None:
        return known
    with _marked(claim) as is_first:
        try:
            with _accompanied(claim, work):
                return do()
        except use.AnsweredAlready:
            again = _known(claim, work)
            if again is None:
                raise Busy(retry_after=1) from None
            return again
        except Busy as busy:
            if is_first:
                raise
            raise InProgress(retry_after=1) from busy


def _known(claim: Claim, work: Work) -> Answer | None:
    row = use.kept_answers([claim.key_hash]).get(claim.key_hash)
    if row is None:
        return None
    if bytes(row.body_mac) != claim.body_mac:
        raise KeyReused()
    answer = work.again(row.resources[0], row.status)
    return Answer(row.status, answer.body, {**answer.headers, "Idempotency-Replayed": "true"})


@contextmanager
def _marked(claim: Claim) -> Iterator[bool]:
    """Say that this request is being worked on; yields whether nobody else had said so."""
    name = f"in-progress:{claim.key_hash}"
    is_first = cache.add(name, 1, MARKED)
    try:
        yield is_first
    finally:
        if is_first:
            cache.delete(name)


@contextmanager
def _accompanied(claim: Claim, work: Work) -> Iterator[None]:
    """Have the writing that makes the resource keep the answer as well."""

    def keep(writing: Writing) -> None:
        made = next((r.stream for r in writing.recorded if r.type in work.types), None)
        if made is not None:
            use.keep_answer(
                claim.key_hash,
                tenant=claim.tenant,
                body_mac=claim.body_mac,
                status=work.status(writing),
                resources=[made],
            )

    token = companions.set((*companions.get(), keep))
    try:
        yield
    finally:
        companions.reset(token)
