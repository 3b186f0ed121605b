"""Which memories, proposals and turns a sentence such as "forget that I use PostgreSQL" means."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from governance.candidates.models import Candidate
from governance.evidence.models import Observation
from governance.index.tokens import STOP, tokens
from governance.ledger import sealing
from governance.ledger.erasing import several
from governance.memories.models import Evidence, Version

ENOUGH = 0.5  # of the weight of what was asked for, or of a value; calibrated on the sentences of the tests
MOST = 0.6  # of a sentence
SAYING = ("content", "value", "key", "about", "context", "quote", "text")
_COMMAND = re.compile(
    r"^\s*(please\s+)?(forget|erase|delete|remove)\s+(everything\s+)?(about\s+|that\s+)?(the\s+fact\s+that\s+)?|"
    r"^\s*(请|麻烦)?(你)?(忘记|忘掉|忘了|删除|删掉|别记|不要记)(掉|住)?(关于)?",
    re.IGNORECASE,
)
# Said of anything: they tell what is meant only where nothing else does ("forget where I live").
_WEAK = re.compile(
    r"\b(use[ds]?|using|like[ds]?|love[ds]?|prefer(red|s)?|want(ed|s)?|need(ed|s)?|live[ds]?|work(ed|s)?|name[ds]?|"
    r"call(ed|s)?|said|says?|told|tell|remember(ed|s)?|everything|anything|information|fact|users?|person|people|"
    r"always|never|all|also)\b|"
    r"用户|喜欢|使用|名字|我们|你们|他们|她们|住在|工作|一个|一只|所有|关于|我|你|他|她|的|了|在|是|叫|有|用|和|把|被|也|都",
    re.IGNORECASE,
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Meant:
    """What the words were found in."""

    memories: list[str]
    candidates: list[str]
    observations: list[str]


@dataclass
class _Text:
    """All that is said by one memory, proposal or turn, the turns it cites, and what it says shortest."""

    saying: str = ""
    values: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    cites: set[str] = field(default_factory=set)

    def add(self, words: Mapping[str, Any], label: str = "") -> None:
        parts = [str(words[name]) for name in SAYING if words.get(name)]
        self.saying += "\n" + _folded("\n".join([*parts, label]))
        if words.get("value"):
            self.values.append(_folded(str(words["value"])))
        elif words.get("content"):
            self.sentences.append(_folded(str(words["content"])))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(tokens(self.saying))

    def says(self, word: str) -> bool:
        """Return whether it has a word; where nothing stands between words, wherever it stands."""
        return word in self.words or (bool(_UNSPACED.match(word)) and word in self.saying)


def meant(
    words: str,
    memories: Sequence[str],
    candidates: Iterable[Candidate],
    turns: Iterable[Observation],
    labels: Mapping[str, str],
) -> Meant:
    """Return what says what the words say: most of their weight, rare words counting more; or whose value they name.

    Of what cites a turn that was found, or that such a one cites, one telling word is enough. `labels` are what keys
    are called, by their rule.
    Weight is the inverse document frequency over the person's own texts (Sparck Jones, 1972).
    """
    texts = {**_memories(memories, labels), **_candidates(candidates, labels), **_turns(turns)}
    asked = _telling(_folded(_COMMAND.sub("", words)))
    if not asked:
        return Meant([], [], [])
    weight = _weights(texts.values())
    common = {which: {w for w in asked if text.says(w)} for which, text in texts.items()}
    direct = {
        which
        for which, text in texts.items()
        if _share(common[which], asked, weight) >= ENOUGH or _named(text, asked, weight)
    }
    heard = {pk for kind, pk in direct if kind == "turn"}.union(*(texts[which].cites for which in direct))
    citing = {which for which, text in texts.items() if text.cites & heard and common[which]}
    of = {kind: sorted(pk for k, pk in direct | citing if k == kind) for kind in ("memory", "candidate", "turn")}
    return Meant(of["memory"], of["candidate"], of["turn"])


def _memories(memories: Sequence[str], labels: Mapping[str, str]) -> dict[tuple[str, str], _Text]:
    rows: list[tuple[str, str, str | None, str]] = []
    for some in several(memories):
        columns = ("content", "memory", "observation", "memory__key_rule")
        rows += Version.objects.filter(memory__in=some, content__isnull=False).values_list(*columns)
        rows += Evidence.objects.filter(memory__in=some, content__isnull=False).values_list(*columns)
    opened = sealing.unseal(content for content, *_ in rows)
    found: dict[tuple[str, str], _Text] = {}
    for content, memory, observation, rule in rows:
        text = found.setdefault(("memory", memory), _Text())
        text.cites |= {observation} if observation else set()
        text.add(opened.get(content, sealing.NO_WORDS), labels.get(rule, ""))
    return found


def _candidates(candidates: Iterable[Candidate], labels: Mapping[str, str]) -> dict[tuple[str, str], _Text]:
    rows = list(candidates)
    opened = sealing.unseal(c for row in rows for c in (row.content_id, row.edited_id) if c)
    found: dict[tuple[str, str], _Text] = {}
    for row in rows:
        text = found["candidate", row.pk] = _Text(cites={row.observation_id} if row.observation_id else set())
        for content in (row.content_id, row.edited_id):
            text.add(opened.get(content or "", sealing.NO_WORDS), labels.get(row.key_rule, ""))
    return found


def _turns(turns: Iterable[Observation]) -> dict[tuple[str, str], _Text]:
    rows = {o.pk: o.content_id for o in turns}
    opened = sealing.unseal(rows.values())
    found = {("turn", pk): _Text() for pk in rows}
    for pk, content in rows.items():
        found["turn", pk].add(opened.get(content, sealing.NO_WORDS))
    return found


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("_", " ").replace(".", " ")


def _telling(folded: str) -> frozenset[str]:
    """Return the words that tell what is meant: those said of anything only where there are no others."""
    strong = set(tokens(_WEAK.sub(" ", folded))) - STOP
    return frozenset(strong or set(tokens(folded)) - STOP)


def _weights(texts: Iterable[_Text]) -> Callable[[str], float]:
    said = [text.words for text in texts]
    frequency = Counter(word for words in said for word in words)
    return lambda word: math.log(1 + len(said) / (0.5 + frequency[word]))


def _share(found: Set[str], words: Set[str], weight: Callable[[str], float]) -> float:
    """Return how much of the weight of some words was found."""
    most = sum(map(weight, words))
    return sum(map(weight, found)) / most if most else 0.0


def _named(text: _Text, asked: frozenset[str], weight: Callable[[str], float]) -> bool:
    """Return whether the words name the value a text states, or most of its sentence; a mere number names nothing."""
    stated = [(value, ENOUGH) for value in text.values] + [(sentence, MOST) for sentence in text.sentences]
    return any(
        not all(w.isdigit() for w in words) and _share(words & asked, words, weight) >= enough
        for words, enough in ((_telling(value), enough) for value, enough in stated)
    )
