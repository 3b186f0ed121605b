"""What identifies a person, per kind: recall and precision of spans, in the written forms people use."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from governance.policies.detectors import find
from tests.benchmarks.gating.report import Row, every
from tests.benchmarks.gating.texts import read

_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_RUN = re.compile(r"\d{6,}[\dXx]?")


def _grouped(sign: str, *sizes: int) -> Callable[[str], str]:
    def write(run: str) -> str:
        parts, at = [], 0
        for size in (*sizes, len(run)):
            parts.append(run[at : at + size])
            at += size
        return sign.join(p for p in parts if p)

    return write


CN_ID_FORMS = {
    "spaces": _grouped(" ", 6, 8),
    "dashes": _grouped("-", 6, 8),
    "dots": _grouped(".", 6, 8),
    "groups of four": _grouped(" ", 4, 4, 4, 4),
    "full-width": lambda run: run.translate(_FULL_WIDTH),
}
CN_PHONE_FORMS = {
    "spaces": _grouped(" ", 3, 4),
    "dashes": _grouped("-", 3, 4),
    "dots": _grouped(".", 3, 4),
    "+86": lambda run: "+86 " + run,
    "+86 dashes": lambda run: "+86-" + _grouped("-", 3, 4)(run),
    "full-width": lambda run: run.translate(_FULL_WIDTH),
}
CARD_FORMS = {
    "spaces": _grouped(" ", 4, 4, 4),
    "dashes": _grouped("-", 4, 4, 4),
    "full-width": lambda run: run.translate(_FULL_WIDTH),
}
IBAN_FORMS = {"spaces": lambda text: " ".join(text[i : i + 4] for i in range(0, len(text), 4)), "lower": str.lower}


@dataclass
class Kind:
    """Cases of one kind: a text, how many of the kind it holds, and where they stand (empty: anywhere)."""

    name: str
    category: str
    cases: list[tuple[str, int, Sequence[str]]] = field(default_factory=list)

    def rows(self, everyday: Sequence[str], detectors: frozenset[str] = frozenset()) -> Iterator[Row]:
        recall = Row(f"pii {self.name}: found", 0.90)
        precise = Row(f"pii {self.name}: of what was found, rightly", 0.95)
        for text, expected, spoken in self.cases:
            found = self._found(text, detectors)
            if spoken:
                hits = sum(any(_covers(text, span, words) for span in found) for words in spoken)
                for words in spoken:
                    recall.count(any(_covers(text, span, words) for span in found), f"{words} | {text}")
            else:
                hits = min(len(found), expected)
                for n in range(expected):
                    recall.count(n < hits, text)
            for n, span in enumerate(found):
                right = any(_covers(text, span, w) for w in spoken) if spoken else n < expected
                precise.count(right, text, text[span[0] : span[1]])
        for text in everyday:
            for span in self._found(text, detectors):
                precise.count(False, text, text[span[0] : span[1]])
        yield from (recall, precise)

    def _found(self, text: str, detectors: frozenset[str]) -> list[tuple[int, int]]:
        spans = [s for s in find(text) if s.category == self.category and (not detectors or s.detector in detectors)]
        kept: list[tuple[int, int]] = []
        for span in sorted({(s.start, s.end) for s in spans}):
            if kept and span[0] < kept[-1][1]:
                kept[-1] = (kept[-1][0], max(kept[-1][1], span[1]))
            else:
                kept.append(span)
        return kept


def _covers(text: str, span: tuple[int, int], words: str) -> bool:
    at = text.find(words)
    while at >= 0:
        if min(span[1], at + len(words)) - max(span[0], at) >= 0.6 * len(words):
            return True
        at = text.find(words, at + 1)
    return False


def _written(kind: Kind, forms: dict[str, Callable[[str], str]], *, shape: re.Pattern[str] = _RUN) -> None:
    """Add every positive case in each written form."""
    for text, expected, spoken in list(kind.cases):
        if not expected:
            continue
        for write in forms.values():
            if spoken:
                again = [write(w) for w in spoken]
                changed = text
                for old, new in zip(spoken, again, strict=True):
                    changed = changed.replace(old, new)
                kind.cases.append((changed, expected, again))
            elif shape.search(text):
                kind.cases.append((shape.sub(lambda m, w=write: w(m[0]), text), expected, ()))  # type: ignore[misc]


def _presidio(data: Path, *entities: str) -> list[tuple[str, int, Sequence[str]]]:
    rows = read(data / "pii/presidio_recognizer_cases.jsonl")
    return [(r["text"], r["expected_count"], ()) for r in rows if r["entity"] in entities and r["text"].strip()]


def _chinese(data: Path, *entities: str) -> list[tuple[str, int, Sequence[str]]]:
    rows = read(data / "pii/zh_recognizer_cases.jsonl")
    return [(r["text"], r["expected_count"], ()) for r in rows if r["entity"] in entities and r["text"].strip()]


def _synthetic(data: Path, entity: str) -> list[tuple[str, int, Sequence[str]]]:
    found = []
    for row in read(data / "pii/presidio_research_synth_v2.jsonl"):
        spoken = [s["text"] for s in row["spans"] if s["type"] == entity]
        if row["offsets_ok"]:
            found.append((row["text"], len(spoken), spoken or ()))
    return found


def _people(
    data: Path, entity: str, most: int | None, sound: bool | None = None
) -> list[tuple[str, int, Sequence[str]]]:
    found = []
    for row in every(read(data / "pii/multipriv_zh.jsonl"), most):
        if sound is None or row["id_checksum_ok"] == sound:
            spoken = [s["text"] for s in row["spans"] if s["type"] == entity]
            found.append((row["text"], len(spoken), spoken))
    return found


# Everyday sentences that may well hold one of the kind are no alarms.
_MAY_HOLD = {"phone": r"\d{4}", "birth_date": "born|birth|出生|生日|生于"}
BORN = Path(__file__).parents[1] / "sets" / "births.jsonl"


def kinds(data: Path, most: int | None) -> list[Kind]:
    identity = Kind("national id, CN (files)", "national_id", _chinese(data, "IDCard", "RESIDENT_ID"))
    _written(identity, CN_ID_FORMS, shape=re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"))
    sound = Kind(
        "national id, CN (MultiPriv, check digit right)", "national_id", _people(data, "ID_NUMBER", None, True)
    )
    unsound = Kind(
        "national id, CN (MultiPriv, check digit wrong)", "national_id", _people(data, "ID_NUMBER", most, False)
    )
    _written(sound, CN_ID_FORMS)
    _written(unsound, CN_ID_FORMS)
    american = Kind(
        "national id, US",
        "national_id",
        _presidio(data, "US_SSN", "US_ITIN") + [c for c in _synthetic(data, "US_SSN") if "driver" not in c[0]],
    )
    passports = ("US_PASSPORT", "KR_PASSPORT", "DE_PASSPORT", "UK_PASSPORT", "ES_PASSPORT", "IN_PASSPORT")
    passport = Kind("passport", "passport", _presidio(data, *passports) + _chinese(data, "Passport"))
    card = Kind(
        "bank card",
        "card",
        _presidio(data, "CREDIT_CARD") + _chinese(data, "BankCard") + _synthetic(data, "CREDIT_CARD"),
    )
    _written(card, CARD_FORMS, shape=re.compile(r"(?<!\d)\d{16}(?!\d)"))
    iban = Kind("IBAN", "bank_account", _synthetic(data, "IBAN_CODE"))
    _written(iban, IBAN_FORMS)
    phone = Kind("phone, CN", "phone", _chinese(data, "Phone") + _people(data, "PHONE", most))
    _written(phone, CN_PHONE_FORMS, shape=re.compile(r"(?<!\d)1\d{10}(?!\d)"))
    western = Kind("phone, elsewhere", "phone", _synthetic(data, "PHONE_NUMBER"))
    turkish = Kind("phone, TR and PH", "phone", _presidio(data, "TR_PHONE_NUMBER", "PH_MOBILE_NUMBER"))
    email = Kind(
        "e-mail",
        "email",
        _presidio(data, "EMAIL_ADDRESS")
        + _chinese(data, "Email")
        + _synthetic(data, "EMAIL_ADDRESS")
        + _people(data, "EMAIL", most),
    )
    network = Kind("IP address", "ip_address", _presidio(data, "IP_ADDRESS") + _synthetic(data, "IP_ADDRESS"))
    born = Kind("date of birth", "birth_date", [(r["text"], len(r["dates"]), r["dates"]) for r in read(BORN)])
    return [identity, sound, unsound, american, passport, card, iban, phone, western, turkish, email, network, born]


def identifying(data: Path, most: int | None) -> Iterator[Row]:
    everyday = [r["text"] for r in every(read(data / "scale/spc_utterances_en.jsonl"), 1500)]
    everyday += [r["text"] for r in every(read(data / "scale/zh_sentences.jsonl"), 1500)]
    for kind in kinds(data, most):
        detectors = frozenset({"iban"}) if kind.name == "IBAN" else frozenset()
        plain = [t for t in everyday if not (hints := _MAY_HOLD.get(kind.category)) or not re.search(hints, t)]
        yield from kind.rows(plain, detectors)


def sentences(data: Path, most: int | None) -> Iterator[Row]:
    """The categories without a shape of their own: in how many sentences something of the kind is found."""
    research = read(data / "pii/presidio_research_synth_v2.jsonl")
    statements = read(data / "privacy/cimemories_statements.jsonl")
    people = read(data / "pii/multipriv_zh.jsonl")
    sets = {
        ("person", "en (synthetic)"): [r["text"] for r in research if any(s["type"] == "PERSON" for s in r["spans"])],
        ("person", "zh (MultiPriv)"): [r["text"] for r in people],
        ("address", "en (synthetic)"): [
            r["text"] for r in research if any(s["type"] == "STREET_ADDRESS" for s in r["spans"])
        ],
        ("address", "zh (MultiPriv)"): [r["text"] for r in people],
        ("health", "en (CIMemories, health)"): [r["text"] for r in statements if r["domain"] == "health"],
        ("health", "en (CIMemories, mental health)"): [r["text"] for r in statements if r["domain"] == "mental_health"],
        ("health", "zh (MultiPriv)"): [r["text"] for r in people],
        ("finance", "en (CIMemories)"): [r["text"] for r in statements if r["domain"] == "finance"],
        ("finance", "zh (MultiPriv)"): [r["text"] for r in people],
    }
    for (category, name), texts in sets.items():
        row = Row(f"pii {category} {name}: sentences in which it is found")
        for text in every(texts, most):
            row.count(any(s.category == category for s in find(text)), text)
        yield row
    for category in ("person", "address", "health", "finance"):
        for name in ("spc_utterances_en", "msc_personas_en", "zh_sentences"):
            alarms = Row(f"pii {category}: alarms on scale/{name}", 0.02, at_most=True)
            for line in every(read(data / f"scale/{name}.jsonl"), most or 1500):
                alarms.count(any(s.category == category for s in find(line["text"])), line["text"])
            yield alarms
