"""What every store answers: how much it holds of a reach, erasing it, and what is left afterwards."""

from collections.abc import Iterable
from typing import Any

from governance.erasure.rules import Planned, Reach
from governance.ledger.erasing import several

SYSTEM = "system:erasure"


class Store:
    """One place that can hold a memory's words, a person's identifier or a vector made from them.

    `covers` names what it answers for: `Model.field`, `file:…`, `cache:…`, `collection:…`. `find` and `verify` only
    read; `erase` is repeatable, and what is absent already is no failure. Errors propagate: whoever asks counts them.
    """

    name = ""
    version = 1
    method = ""  # key-destroyed, deleted, blanked, rebuilt, dropped, compacted, expires, never-held, kept-on-purpose
    bucket = "erase"  # erase, restrict, retain
    reason = ""  # why something stays
    until = ""  # until when, in words of the product
    covers: tuple[str, ...] = ()

    def find(self, reach: Reach) -> int:
        """Return how many things of a reach are here and could be read, or be told from others."""
        raise NotImplementedError

    def total(self, reach: Reach) -> int:
        """Return how many things of a reach this store ever held; those not found are absent already."""
        return self.find(reach)

    def plan(self, reach: Reach) -> Planned:
        """Return what would become of them."""
        return Planned(self.name, reason=self.reason, **{self.bucket: self.find(reach)})

    def erase(self, reach: Reach) -> int:
        """Make it hold nothing of a reach and return how many things that concerned."""
        return 0

    def verify(self, reach: Reach) -> int:
        """Return how many things are left that should not be."""
        return self.find(reach) if self.bucket == "erase" else 0

    def look_again(self, reach: Reach) -> int:
        """Return how many things of a reach are here again, days after all of it was gone."""
        return self.verify(reach)


class NeverHeld(Store):
    """A place through which words go, and which keeps none by how it is built; the scan of all files shows it."""

    method = "never-held"

    def find(self, reach: Reach) -> int:
        return 0


def count(model: Any, look_up: str, ids: Iterable[Any], **also: Any) -> int:
    """Return how many rows have a field among many values."""
    return sum(model.objects.filter(**{look_up: some}, **also).count() for some in several(ids))
