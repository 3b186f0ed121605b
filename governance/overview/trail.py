"""The trail of a memory: what led to it, what happened to it, and whom it reached, as ids, codes and times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from governance.candidates.models import Candidate
from governance.ledger.events import stamp
from governance.ledger.models import Event
from governance.ledger.queries import described
from governance.memories.models import Derivation, Evidence, Memory, Version
from governance.overview.nearby import index_of
from governance.retrieval.queries import recalls_of

MOST = 200  # of each kind: the newest

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Trail:
    """What belongs to one memory, each kind oldest first; `cut` names the kinds of which only the newest stand here."""

    versions: Sequence[Row]  # {version, recorded_at, reason, source_type, observation, candidate}
    evidence: Sequence[Row]  # that says the same once more: {version, observation, candidate, added_at}
    events: Sequence[Row]  # of the memory and of the candidates that led to it, as they are listed one by one
    index: Sequence[Row]  # {version, model, dimension, placed}
    sources: Sequence[Row]  # of a summary: {version, memory, memory_version}
    summaries: Sequence[Row]  # that rest on it: {version, memory, memory_version}
    recalls: Sequence[Row]  # of the latest: {recall, asked_at, version, fate}
    cut: Sequence[str] = ()


def trail_of(memory: Memory) -> Trail:
    """Return the trail of a memory; no words, and at most `MOST` of each kind. Seven queries."""
    proposed = Candidate.objects.filter(memory=memory).values("pk")
    streams = Event.objects.filter(tenant=memory.tenant_id)
    events = streams.filter(stream=memory.id) | streams.filter(stream__in=proposed)
    found = Trail(
        versions=[
            {
                "version": v.number,
                "recorded_at": stamp(v.recorded_at),
                "reason": v.reason,
                "source_type": v.source_type,
                "observation": v.observation_id,
                "candidate": v.candidate or None,
            }
            for v in Version.objects.filter(memory=memory).order_by("-number")[: MOST + 1]
        ],
        evidence=[
            {
                "version": e.version,
                "observation": e.observation_id,
                "candidate": e.candidate or None,
                "added_at": stamp(e.added_at),
            }
            for e in Evidence.objects.filter(memory=memory).order_by("-added_at", "-id")[: MOST + 1]
        ],
        events=[described(event) for event in events.order_by("-seq")[: MOST + 1]],
        index=[{"version": e.pop("number"), **e} for e in index_of(memory)[::-1][: MOST + 1]],
        sources=[
            {"version": d.version, "memory": d.source_id, "memory_version": d.source_version}
            for d in Derivation.objects.filter(memory=memory).order_by("-version", "-id")[: MOST + 1]
        ],
        summaries=[
            {"version": d.source_version, "memory": d.memory_id, "memory_version": d.version}
            for d in Derivation.objects.filter(source=memory).order_by("-memory", "-version")[: MOST + 1]
        ],
        recalls=[
            {
                "recall": shown.recall.id,
                "asked_at": stamp(shown.recall.asked_at),
                "version": shown.version,
                "fate": shown.fate,
            }
            for shown in recalls_of(memory)[: MOST + 1]
        ],
    )
    return _bounded(found)


def _bounded(found: Trail) -> Trail:
    kinds = {f.name: getattr(found, f.name) for f in fields(found) if f.name != "cut"}
    kept = {name: list(reversed(rows[:MOST])) for name, rows in kinds.items()}
    return Trail(**kept, cut=[name for name, rows in kinds.items() if len(rows) > MOST])
