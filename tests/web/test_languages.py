"""English and Chinese: every text of a page has its translation, and the switch holds from page to page."""

import ast
import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Formatter

import pytest
from django.conf import settings
from django.forms import ChoiceField
from django.utils import timezone
from django.utils.translation import gettext, override

import governance.web.urls  # noqa: F401 - every page, and so every form
from governance.candidates.stages.instruction import _SHAPES
from governance.candidates.stages.standing import _RULINGS
from governance.erasure import report
from governance.erasure.models import CHANNELS, EXTENSIONS, METHODS, ForgetRequest, StoreRow
from governance.erasure.rules import Outcome, computed_status, grounds_of_look
from governance.erasure.stores import STORES
from governance.erasure.stores.passing import Backups
from governance.ledger.events import TYPES
from governance.memories.models import SOURCES
from governance.overview.rules import NO_LONGER_CONTESTED, SENTENCES
from governance.policies.comparing import RULE_PARTS
from governance.policies.detectors import PLACEHOLDERS
from governance.policies.sections import FIELDS, SECTIONS
from governance.scopes.models import LEVELS
from governance.web.forms import Plain
from governance.web.labels import fault_of, label_of
from governance.web.policy_forms import _made
from governance.web.tags import spaced, spoken, told
from governance.web.translating import texts, translatable
from tests.factories import a_memory
from tests.web.people import a_proposal

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
AS_IT_IS = {
    "API",
    "Enter",
    "mem_…",
    "P × U × R × A − C",
    "SHA-256",
    "manage.py verify_report FILE --public-key",
}  # the same in every language


def untranslated(wanted: list[str]) -> list[str]:
    with override("zh-hans"):
        return [text for text in wanted if text not in AS_IT_IS and gettext(text) == text]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(settings.BASE_DIR / "templates")))
def test_every_text_of_a_template_is_in_chinese(path: Path):
    assert untranslated(list(texts(path.read_text()))) == []


def test_every_sentence_of_the_log_is_in_chinese():
    assert untranslated([*SENTENCES.values(), NO_LONGER_CONTESTED]) == []


def uncoded(codes: Iterable[str]) -> list[str]:
    """Return the codes that pages show in Chinese as they show them in English."""
    with override("en"):
        english = {code: spaced(code) for code in codes if code}
    with override("zh-hans"):
        return sorted(code for code, said in english.items() if spaced(code) == said)


def test_every_type_of_event_and_every_field_of_one_is_in_chinese():
    fields = {field.name for event in TYPES.values() for field in dataclasses.fields(event)}

    assert uncoded(TYPES) == []
    assert uncoded(fields) == []


@pytest.mark.django_db(databases=["default", "keyring"])
def test_every_word_of_a_forget_report_is_in_chinese():
    shown = {word for store in STORES for word in (store.name, store.method, store.reason, store.until)}
    shown |= {code for path in STORE_FILES for code in hyphened(path)}
    shown |= {"retracted", "not-touched"}  # what a store did where nothing is erased
    shown |= {word for kind in (CHANNELS, METHODS, EXTENSIONS, StoreRow.STATES) for word in kind}
    failed = [Outcome(store="caches", failed=1, done=True), Outcome(store="logs", left=1), Outcome(store="events")]
    grounds = computed_status(failed, ["caches", "logs", "events", "keys"], held=False, proofs={"chain": False})[1]
    grounds += computed_status([], [], held=True, proofs={})[1]
    grounds += grounds_of_look({"caches": 1}, {"logs": "Error"}, {"chain": False}) + grounds_of_look({}, {"x": "E"}, {})
    assert len({ground.partition(":")[0] for ground in grounds}) == 8
    shown |= {ground.partition(":")[0] for ground in grounds}
    page = (settings.BASE_DIR / "templates" / "governance" / "forget" / "report.html").read_text()
    shown |= set(re.findall(r'name == "(\w+)"', page))  # what was proved
    sentences = [
        text for kept in Backups.sets(timezone.now()) for text in (kept["set"], kept["holds"], kept["beyond_use"])
    ]
    for mode in ("erase", "retract"):
        sentences += [
            text for kept in report.retained(ForgetRequest(mode=mode)) for text in (kept["what"], kept["ground"])
        ]

    assert uncoded(shown) == []
    assert untranslated(sentences) == []


STORE_FILES = sorted((settings.BASE_DIR / "governance" / "erasure" / "stores").glob("*.py"))


def hyphened(path: Path) -> Iterator[str]:
    """Yield the codes of several words that stand in a module: states, ways and reasons of a store."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"[a-z]+(-[a-z]+)+", node.value)
        ):
            yield node.value


def test_every_setting_of_the_policy_is_in_chinese():
    groups = [group for section in SECTIONS for group in section.groups]
    said = [section.title for section in SECTIONS] + [section.summary for section in SECTIONS]
    said += [group.title for group in groups] + [group.help for group in groups]
    said += [text for group in groups for field in group.fields for text in (field.label, field.help) if text]
    said += [name for field in FIELDS.values() if field.kind == "choice" for _, name in _made(field).choices]
    said += RULE_PARTS.values()

    assert untranslated(said) == []


ROOMS = settings.BASE_DIR / "governance"
SPEAKING = sorted(
    path
    for path in ROOMS.rglob("*.py")
    if not {"api", "management", "ledger", "detectors", "extractors"} & set(path.parts)
    and path.name not in ("person.py", "restore.py", "backup.py")  # a letter in two languages; operators
)


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module that read as a sentence, other than docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) and id(node) not in said else ""
        if isinstance(text, str) and re.fullmatch(r"[A-Z{].* .*\.", text):
            yield text


def pieced_together(path: Path) -> Iterator[str]:
    """Yield what a module puts together out of texts and values at once, so that no catalogue can hold it."""
    for node in ast.walk(ast.parse(path.read_text())):
        is_said = isinstance(node, ast.Call) and ast.unparse(node.func) in ("Verdict", "messages.success")
        is_detail = isinstance(node, ast.Dict) and any(getattr(key, "value", "") == "detail" for key in node.keys)
        if is_said or is_detail:
            parts = node.values if is_detail else node.args[2:3] if "Verdict" in ast.unparse(node) else node.args[1:2]
            yield from (ast.unparse(p) for part in parts for p in ast.walk(part) if isinstance(p, ast.JoinedStr))


@pytest.mark.parametrize("path", SPEAKING, ids=lambda p: str(p.relative_to(ROOMS)))
def test_every_sentence_of_a_room_or_page_is_in_chinese_with_its_values(path: Path):
    said = list(sentences(path))

    assert list(pieced_together(path)) == []
    assert untranslated(said) == []
    with override("zh-hans"):
        assert [text for text in said if fields(gettext(text)) != fields(text)] == []


def fields(text: str) -> set[tuple[str | None, str | None]]:
    return {(name, form) for _, name, form, _ in Formatter().parse(text)} - {(None, None)}


def test_the_search_for_sentences_finds_what_stages_say():
    found = {text for path in SPEAKING for text in sentences(path)}

    assert {"Reads as one fact.", "Value {value:.2f}, below {threshold:.2f}.", "Set by a person."} <= found
    assert {text for _, text, _ in _RULINGS.values()} <= found


def test_every_name_that_a_verdict_may_carry_is_in_chinese():
    names = [*LEVELS, *SOURCES, *PLACEHOLDERS, *_RULINGS, *(name for name, _ in _SHAPES)]

    with override("zh-hans"):
        assert [name for name in names if spaced(name) == name.replace("_", " ").replace("-", " ")] == []


def codes_of(path: Path) -> Iterator[str]:
    """Yield the codes that a stage's verdicts carry."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Verdict":
            texts_in = (n.value for part in node.args[1:2] for n in ast.walk(part) if isinstance(n, ast.Constant))
            yield from (text for text in texts_in if isinstance(text, str) and text[-1:].isalpha())


def test_every_code_of_a_verdict_is_in_chinese():
    codes = {code for path in (ROOMS / "candidates" / "stages").glob("*.py") for code in codes_of(path)}

    assert {"about-another", "tool-text", "one-fact"} <= codes
    assert uncoded([*codes, *(f"sensitive-{name}" for name in PLACEHOLDERS)]) == []


def test_a_verdict_says_its_values_in_the_readers_language():
    verdict = {"detail": "Would hold for a whole {level}.", "values": {"level": "project"}}
    numbers = {"detail": "Value {value:.2f}, below {threshold:.2f}.", "values": {"value": 0.4321, "threshold": 0.5}}
    recorded_before = {"detail": "Reads as one fact."}

    with override("zh-hans"):
        assert told(verdict) == "会对整个项目生效。"
        assert told(numbers) == "价值 0.43，低于 0.50。"
        assert told(recorded_before) == "读来是一个事实。"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("<p>Nothing waits</p>", '<p>{% translate "Nothing waits" %}</p>'),
        (
            '<a title="Close">{{ n }} open</a>',
            '<a title="{% translate "Close" %}">{{ n }}{% spoken "open" before=" " after="" %}</a>',
        ),
        ('<p class="quiet">{{ words }}</p>', '<p class="quiet">{{ words }}</p>'),
        ('{% include "x.html" with title="No" %}', '{% include "x.html" with title=_("No") %}'),
        ("<kbd>a</kbd>", "<kbd>a</kbd>"),
        ('<b>{% phrase "What {name} wrote" name=x %}</b>', '<b>{% phrase "What {name} wrote" name=x %}</b>'),
    ],
)
def test_texts_between_tags_become_translatable(source, wanted):
    assert translatable(source) == wanted


def test_a_full_width_sign_has_no_blank_beside_it():
    with override("zh-hans"):
        assert spoken("oldest:", before=" ", after=" ") == " 最早："
        assert spoken("or", before=" ", after=" ") == " 或 "
    with override("en"):
        assert spoken("oldest:", before=" ", after=" ") == " oldest: "


def test_the_switch_holds_from_page_to_page(rita, agent):
    waiting = a_proposal(agent)
    a_memory(agent, "Ann drinks tea.", key="preference.drink")

    rita.post("/language/", {"language": "zh-hans", "next": "/review/"})
    pages = [
        rita.get(address).content.decode() for address in ("/", "/review/", f"/review/{waiting.id}/", "/memories/")
    ]

    assert all('lang="zh-hans"' in page for page in pages)
    assert "等待决定" in pages[0]
    assert "批准" in pages[2]
    assert "Ann works at night." in pages[2]


def test_agents_are_answered_in_english_whatever_they_accept(client):
    answer = client.get("/api/v1/me", headers={"Accept-Language": "zh-CN"})

    assert answer.status_code == 401
    assert "Send a valid key" in answer.content.decode()


def test_dates_and_what_the_gate_found_are_read_in_chinese(rita, agent):
    waiting = a_proposal(agent)

    rita.post("/language/", {"language": "zh-hans", "next": "/"})
    dashboard, item = rita.get("/").content.decode(), rita.get(f"/review/{waiting.id}/").content.decode()

    assert re.search(r"\d+月\d+日", dashboard)
    assert "十一月" not in dashboard
    assert "读来是一个事实。" in item
    assert re.search(r"\d{4}年\d+月\d+日", item)


def test_the_switch_names_each_language_in_itself(rita):
    for language in ("en", "zh-hans"):
        rita.post("/language/", {"language": language, "next": "/"})
        page = rita.get("/").content.decode()

        assert ">English</button>" in page
        assert ">简体中文</button>" in page


def pointers(path: Path) -> Iterator[str]:
    """Yield what the refusals of a module name, as JSON pointers; the end of an address put together is none."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    ends = {id(node.values[-1]) for node in nodes if isinstance(node, ast.JoinedStr) and len(node.values) > 1}
    for node in nodes:
        if (
            id(node) not in ends
            and isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"(/[a-z_]+)+", node.value)
        ):
            yield node.value


def test_every_field_that_a_refusal_names_has_a_label_in_chinese():
    rooms = ("scopes", "policies", "memories", "conflicts", "retrieval", "candidates", "lifecycle", "erasure/actions")
    named = {pointer for room in rooms for path in (ROOMS / room).rglob("*.py") for pointer in pointers(path)}

    with override("en"):
        labels = {pointer: label_of(pointer) for pointer in named}
    with override("zh-hans"):
        same = [pointer for pointer in sorted(named) if label_of(pointer) == labels[pointer]]

    assert {"/note", "/scope/session", "/valid_to"} <= named
    assert [label for label in labels.values() if "/" in label or "_" in label] == []
    assert same == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("is empty", "为空"),
        ("is longer than 2000 characters", "超过 2000 个字符"),
        ("must be one of project, tenant", "必须是以下之一： project, tenant"),
        ("never said before 7", "never said before 7"),
    ],
)
def test_what_is_wrong_with_a_field_is_said_with_its_numbers(text, wanted):
    with override("en"):
        assert fault_of(text) == text
    with override("zh-hans"):
        assert fault_of(text) == wanted


def every_form(form: type[Plain] = Plain) -> Iterator[type[Plain]]:
    for below in form.__subclasses__():
        yield below
        yield from every_form(below)


@pytest.mark.parametrize("form", list(every_form()), ids=lambda form: form.__name__)
def test_every_label_hint_and_choice_of_a_form_is_in_chinese(form):
    fields = form.base_fields.values()
    said = {str(text) for field in fields for text in (field.label, field.help_text) if text}
    said |= {str(name) for field in fields if isinstance(field, ChoiceField) for _, name in field.choices if name}

    assert untranslated(sorted(said)) == []
