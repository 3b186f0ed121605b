"""What retention marked as due is filed to be erased; a second person approves it as any other request."""

from governance.erasure.actions.file import Wish, file_request
from governance.erasure.models import ForgetRequest
from governance.erasure.rules import MOST_NAMED, Selector
from governance.memories.models import Memory
from governance.scopes.rules import Actor


def file_due(*, by: Actor) -> ForgetRequest | None:
    """Return the request that names what is due to be erased, some hundreds at a time; None when nothing is.

    Raises NotAllowed.
    """
    due = Memory.objects.filter(tenant=by.tenant, erasure_due=True, erased=False).order_by("created_seq")
    ids = tuple(due.values_list("pk", flat=True)[:MOST_NAMED])
    if not ids:
        return None
    return file_request(Wish(Selector(memory_ids=ids), channel="page", identity_verified="not-needed"), by=by)
