"""English and Chinese: every text of a page has its translation, and the switch holds from page to page."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import gettext, override

from governance.overview.rules import SENTENCES
from governance.policies.sections import SECTIONS
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
    "manage.py verify_report FILE",
}  # the same in every language


def untranslated(wanted: list[str]) -> list[str]:
    with override("zh-hans"):
        return [text for text in wanted if text not in AS_IT_IS and gettext(text) == text]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(settings.BASE_DIR / "templates")))
def test_every_text_of_a_template_is_in_chinese(path: Path):
    assert untranslated(list(texts(path.read_text()))) == []


def test_every_sentence_of_the_log_is_in_chinese():
    assert untranslated(list(SENTENCES.values())) == []


def test_every_setting_of_the_policy_is_in_chinese():
    groups = [group for section in SECTIONS for group in section.groups]
    said = [section.title for section in SECTIONS] + [section.summary for section in SECTIONS]
    said += [group.title for group in groups]

    assert untranslated(said) == []


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("<p>Nothing waits</p>", '<p>{% translate "Nothing waits" %}</p>'),
        ('<a title="Close">{{ n }} open</a>', '<a title="{% translate "Close" %}">{{ n }} {% translate "open" %}</a>'),
        ('<p class="quiet">{{ words }}</p>', '<p class="quiet">{{ words }}</p>'),
        ('{% include "x.html" with title="No" %}', '{% include "x.html" with title=_("No") %}'),
        ("<kbd>a</kbd>", "<kbd>a</kbd>"),
    ],
)
def test_texts_between_tags_become_translatable(source, wanted):
    assert translatable(source) == wanted


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
