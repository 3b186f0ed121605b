"""Stores whose words are sealed: reached by destroying keys. The skeleton (who, when, which number) stays."""

import orjson

from governance.candidates.events import CandidateErased
from governance.candidates.models import Candidate
from governance.conflicts.events import ConflictErased
from governance.conflicts.models import Conflict
from governance.erasure.models import ErasureJournal, ForgetRequest
from governance.erasure.rules import Reach
from governance.erasure.stores.store import SYSTEM, Store, count
from governance.ledger.erasing import ERASED, destroy_keys_of, erase_contents, readable, several
from governance.ledger.models import Content, Event
from governance.ledger.writing import writing
from governance.lifecycle.actions import rebuild_summaries
from governance.lifecycle.queries import outdated_summaries
from governance.memories import actions as memories
from governance.memories.models import Memory

AT_ONCE = 100  # rows in one writing: whoever else writes waits for no more


class SealedWords(Store):
    """The words of one group of a reach: the log says they are erased, their HMACs go blank, then their keys go."""

    method = "key-destroyed"
    group = ""

    def find(self, reach: Reach) -> int:
        return len(readable(reach.contents.get(self.group, ())))

    def total(self, reach: Reach) -> int:
        return len(reach.contents.get(self.group, ()))

    def erase(self, reach: Reach) -> int:
        self.mark(reach)
        contents = readable(reach.contents.get(self.group, ()))
        for some in several(contents):
            with writing(reach.tenant, by=SYSTEM) as w:
                erase_contents(w, some, request=reach.request)
        destroy_keys_of(contents)
        return len(contents)

    def mark(self, reach: Reach) -> None:
        """Record of every row that it is erased."""


class MemoryWords(SealedWords):
    """Every version's words: value, sentence, key, context, tags, quote; and the HMACs of key and value."""

    name = group = "memories"
    covers = (
        "Version.content",
        "Version.value_mac",
        "Memory.key_mac",
        "Memory.slot",
        "Evidence.content",
        "Content.ct",
    )

    def mark(self, reach: Reach) -> None:
        for some in several(reach.memories, AT_ONCE):
            with writing(reach.tenant, by=SYSTEM) as w:
                for row in Memory.objects.filter(pk__in=some, erased=False):
                    memories.erase(w, row, request=reach.request)

    def verify(self, reach: Reach) -> int:
        return self.find(reach) + count(Memory, "pk__in", reach.memories, erased=False)


class ObservationWords(SealedWords):
    """What was said or returned."""

    name = group = "observations"
    covers = ("Observation.content",)


class CandidateWords(SealedWords):
    """Proposals of every state: quotes, notes, reasons; and the HMACs of key and value."""

    name = group = "candidates"
    covers = (
        "Candidate.content",
        "Candidate.decision_note",
        "Candidate.edited",
        "Candidate.key_mac",
        "Candidate.value_mac",
    )

    def mark(self, reach: Reach) -> None:
        for some in several(reach.candidates, AT_ONCE):
            with writing(reach.tenant, by=SYSTEM) as w:
                for row in Candidate.objects.filter(pk__in=some).exclude(status="erased"):
                    w.record(CandidateErased(request=reach.request), stream=row.id, row=row)


class ConflictWords(SealedWords):
    """Claims, questions and notes of conflicts; and the HMACs of their values."""

    name = group = "conflicts"
    covers = ("Claim.content", "Claim.value_mac", "Conflict.question", "Conflict.note")

    def mark(self, reach: Reach) -> None:
        for some in several(reach.conflicts, AT_ONCE):
            with writing(reach.tenant, by=SYSTEM) as w:
                for row in Conflict.objects.filter(pk__in=some).exclude(status="erased"):
                    w.record(ConflictErased(request=reach.request), stream=row.id, row=row)


class Derived(SealedWords):
    """Summaries that say something of it: made anew from their other sources, or let go; what they said is erased."""

    name = group = "derived"
    method = "rebuilt"
    covers = ("Version.content", "Derivation.id", "Candidate.derived_from")

    def mark(self, reach: Reach) -> None:
        rebuild_summaries(reach.memories)

    def verify(self, reach: Reach) -> int:
        return self.find(reach) + len(outdated_summaries(reach.memories))


class RecallWords(SealedWords):
    """What was asked in recalls, one key for a person's day; their traces name ids alone."""

    name = group = "recalls"
    covers = ("Recall.content",)

    def erase(self, reach: Reach) -> int:
        contents = readable(reach.contents.get(self.group, ()))
        destroy_keys_of(contents)
        return len(contents)


def name_what_is_dark(reach: Reach) -> None:
    """Have the log say that words are erased which are here without a key, and of which it does not say so yet: where a
    store failed before it could, or what a backup brings back is older than its erasure."""
    named: set[str] = set()
    for header in Event.objects.filter(tenant=reach.tenant, type=ERASED).values_list("header", flat=True):
        named.update(orjson.loads(bytes(header))["data"]["contents"])
    wanted = {c for group, ids in reach.contents.items() if group != "recalls" for c in ids}
    wanted |= set(ForgetRequest.objects.filter(pk=reach.request).values_list("content", flat=True))
    found: set[str] = set()
    for some in several(sorted(wanted - named)):
        found.update(Content.objects.filter(pk__in=some).values_list("pk", flat=True))
    dark = sorted(found - set(readable(found)))
    if dark:
        with writing(reach.tenant, by=SYSTEM) as w:
            erase_contents(w, dark, request=reach.request)


class EventLog(Store):
    """The log keeps who, when and which kind; its words lie in the stores above, its events name ids alone."""

    name = "events"
    method = "kept-on-purpose"
    bucket = "retain"
    reason = "accountability"
    covers = ("Event.header",)

    def find(self, reach: Reach) -> int:
        streams = (*reach.memories, *reach.candidates, *reach.conflicts, *reach.observations, reach.subject)
        row = ErasureJournal.objects.filter(request=reach.request).first()
        before = {"recorded_at__lte": row.written_at} if row is not None else {}
        # That they are being forgotten, and what forgetting writes, is of the request.
        said = Event.objects.exclude(type="subject-fenced").filter(tenant=reach.tenant, **before)
        return sum(said.filter(stream__in=some).count() for some in several(s for s in streams if s))
