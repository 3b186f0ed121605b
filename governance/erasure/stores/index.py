"""The searchable copy: vectors and keyed token hashes in the database, vectors in Chroma and in its files."""

from collections.abc import Iterable
from typing import Any

from governance.erasure.models import StoreRow
from governance.erasure.rules import Reach
from governance.erasure.stores.store import Store, count
from governance.index import chroma, projector, upkeep
from governance.index.models import Entry, Removal, Shard
from governance.ledger.erasing import several


class Entries(Store):
    """Vector and token hashes of each version, in the database."""

    name = "index-entries"
    method = "deleted"
    covers = ("Entry.vector", "Entry.tokens")

    def find(self, reach: Reach) -> int:
        of_memories = {pk for some in several(reach.memories) for pk in _entries(memory__in=some)}
        return len(of_memories | {pk for some in several(reach.entries) for pk in _entries(pk__in=some)})

    def total(self, reach: Reach) -> int:
        return max(len(reach.entries), self.find(reach))

    def erase(self, reach: Reach) -> int:
        found = self.find(reach)
        for some in several((*reach.memories, *reach.derived)):
            projector.project(some)
        return found


class Retrieval(Store):
    """Chroma's collections: what is deleted here is found no more; its files are another store."""

    name = "index-retrieval"
    method = "deleted"
    covers = ("collection:entries",)

    def find(self, reach: Reach) -> int:
        return sum(len(chroma.held(_collection(s), list(reach.entries))) for s in _shards(reach))

    def total(self, reach: Reach) -> int:
        return len(reach.entries)

    def erase(self, reach: Reach) -> int:
        projector.settle()
        gone = 0
        for shard in _shards(reach):
            held = sorted(chroma.held(_collection(shard), list(reach.entries)))
            if held:
                projector.take_out(shard, held)
            gone += len(held)
        return gone


class Files(Store):
    """Chroma's files: a deleted vector stays in them until its collection is filled anew and the old one wiped."""

    name = "index-files"
    method = "compacted"
    covers = ("file:chroma",)

    def find(self, reach: Reach) -> int:
        return count(Shard, "pk__in", reach.shards)

    def erase(self, reach: Reach) -> int:
        again = StoreRow.objects.filter(request=reach.request, store=self.name, passes__gt=0).exists()
        # What others said in the same words has the same bytes: where it was retracted it may have to go as well.
        return upkeep.compact(None if again else reach.shards)["collections"]

    def verify(self, reach: Reach) -> int:
        return count(Shard, "pk__in", reach.shards, dirty=True)

    def look_again(self, reach: Reach) -> int:
        """Return how many entries of a reach left a collection anew; that others left it since says nothing of them."""
        return count(Removal, "entry__in", reach.entries)


def _entries(**among: Any) -> Iterable[int]:
    return Entry.objects.filter(**among).values_list("pk", flat=True)


def _shards(reach: Reach) -> list[Shard]:
    return list(Shard.objects.filter(pk__in=reach.shards).order_by("id"))


def _collection(shard: Shard) -> str:
    return chroma.name_of(shard.id, shard.generation)
