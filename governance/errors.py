"""Every refusal the domain can utter: raised by actions, answered once per door as a problem (RFC 9457)."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Refusal(Exception):
    """A request that is not carried out, with nothing done. `detail` never quotes what was sent."""

    type = "refused"
    status = 400
    title = "This cannot be done."

    def __init__(self, detail: str = "", *, retry_after: int | None = None, **extra: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.retry_after = retry_after
        self.extra = extra


class Invalid(Refusal):
    """A field has the wrong shape; `errors` maps a JSON pointer to what is wrong and the way out."""

    type = "invalid"
    status = 422
    title = "A field is missing or wrong."

    def __init__(self, errors: Mapping[str, str] | Sequence[tuple[str, str]], detail: str = "") -> None:
        super().__init__(detail)
        pairs = errors.items() if isinstance(errors, Mapping) else errors
        self.errors = [{"pointer": pointer, "detail": text} for pointer, text in pairs]


class NotSignedIn(Refusal):
    type = "not-authenticated"
    status = 401
    title = "Send a valid key as `Authorization: Bearer mgv_…`."


class NotAllowed(Refusal):
    """The caller lacks the action altogether; anything narrower is NotFound."""

    type = "not-allowed"
    status = 403
    title = "You may not do this."


class NotFound(Refusal):
    """Unknown and forbidden look the same."""

    type = "not-found"
    status = 404
    title = "There is no such thing here."


class Stale(Refusal):
    """The version sent is not the latest; nothing was written."""

    type = "stale-version"
    status = 409
    title = "Somebody changed this since you read it."

    def __init__(self, current_version: int, detail: str = "", **extra: Any) -> None:
        super().__init__(
            detail or f"The latest version is {current_version}; read it and decide again.",
            current_version=current_version,
            **extra,
        )


class AlreadyExists(Refusal):
    type = "already-exists"
    status = 409
    title = "This exists already."


class AlreadyDecided(Refusal):
    type = "already-decided"
    status = 409
    title = "This was decided already."


class Leased(Refusal):
    """Somebody else has the item open to decide it."""

    type = "leased"
    status = 409
    title = "Somebody else has this open to decide it."


class InProgress(Refusal):
    type = "in-progress"
    status = 409
    title = "The same request is still being worked on; try again shortly."


class ForgetInProgress(Refusal):
    """The person is being forgotten: what began before is dropped, what begins now waits."""

    type = "forget-in-progress"
    status = 409
    title = "This person is being forgotten; nothing is written about them until that is done."


class Suppressed(Refusal):
    """It was erased on request; `request` names which, so that whoever may can allow it anew."""

    type = "suppressed"
    status = 409
    title = "This was erased on request and is not taken in again without new consent."


class NotRemembered(Refusal):
    """The person does not want anything to be kept about them."""

    type = "not-to-be-remembered"
    status = 409
    title = "This person asked not to be remembered; nothing is written about them."


class WrongState(Refusal):
    type = "wrong-state"
    status = 409
    title = "This cannot be done in the state it is in."


class PlanChanged(Refusal):
    """The plan that was looked at is not the one there is; `plan_hash` names the present one."""

    type = "plan-changed"
    status = 409
    title = "The plan is not the one you looked at; look at it again."


class FourEyes(Refusal):
    type = "four-eyes"
    status = 403
    title = "Another person approves: neither who filed it, nor who owns the agent that did."


class Busy(Refusal):
    type = "busy"
    status = 503
    title = "Too much is being written at once; try again shortly."


class Gone(Refusal):
    type = "erased"
    status = 410
    title = "This was erased."


class Retracted(Refusal):
    """The latest version is a tombstone; `POST memories/{id}/restore` states an earlier one anew."""

    type = "retracted"
    status = 409
    title = "This memory is retracted; restore a version of it first."


class VersionMissing(Refusal):
    type = "version-missing"
    status = 428
    title = "Name the version you read: `expected_version` in the body, or `If-Match`."


class KeyReused(Refusal):
    type = "idempotency-key-reused"
    status = 422
    title = "This Idempotency-Key was used for another request; use a new key."


class TooLarge(Refusal):
    type = "too-large"
    status = 413
    title = "The body is too large."


class WrongHost(Refusal):
    type = "wrong-host"
    status = 400
    title = "This host is not served here."


class WrongMethod(Refusal):
    type = "method-not-allowed"
    status = 405
    title = "This address does not take that method."


class WrongMediaType(Refusal):
    type = "unsupported-media-type"
    status = 415
    title = "Send JSON: `Content-Type: application/json`."


class TooMany(Refusal):
    type = "rate-limited"
    status = 429
    title = "Too many requests; wait and try again."


class Unavailable(Refusal):
    type = "unavailable"
    status = 503
    title = "A part this needs is not answering; try again shortly."


class Failed(Refusal):
    """A fault of ours; what it was stands in the log, under the request's id."""

    type = "internal-error"
    status = 500
    title = "Something went wrong on our side; nothing was half done. Name the request id when you report it."


def fault(exception: BaseException) -> str:
    """Return what a log may say of a fault of ours: its class and where it arose, no word of any message."""
    frames = traceback.extract_tb(exception.__traceback__)[-6:]
    place = " > ".join(f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}:{f.name}" for f in frames)
    return f"error={type(exception).__name__} at={place}"


def outcome(work: Callable[[], T]) -> T | Refusal:
    """Return what the work returns, or the refusal it raised: for lists answered item by item."""
    try:
        return work()
    except Refusal as refusal:
        return refusal
