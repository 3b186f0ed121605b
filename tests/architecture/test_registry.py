"""Nothing that can hold words is forgotten by the registry of stores."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models

from governance.erasure.stores import STORES
from tests.architecture import registry

FILES = {
    "file:database": ("db.sqlite3", "test-db.sqlite3"),
    "file:keyring": ("keyring.sqlite3", "test-keyring.sqlite3"),
    "file:chroma": ("chroma",),
}
NO_WORDS = {
    "serve.lock": "a process id",
    "chroma.lock": "empty",
    "journal.jsonl": "ids and hashes",
    "journal": "the same",
}


def uncovered() -> set[str]:
    return registry.fields() - registry.covered() - set(registry.EXEMPT)


def test_every_field_that_can_hold_words_has_a_store_or_a_reason():
    assert uncovered() == set()


def test_no_reason_is_stale():
    real = {f"{m.__name__}.{f.name}" for m in apps.get_models() for f in m._meta.get_fields()}
    named = {name for name in registry.covered() if ":" not in name}

    assert set(registry.EXEMPT) - registry.fields() == set()
    assert set(registry.EXEMPT) & named == set()
    assert named - real == set()
    assert set(registry.EXEMPT_CACHES) - registry.caches() == set()


def test_a_field_that_is_added_is_noticed():
    class Diary(models.Model):
        page = models.TextField()

        class Meta:
            app_label = "governance"

    try:
        assert uncovered() == {"Diary.page"}
    finally:
        del apps.all_models["governance"]["diary"]
        apps.clear_cache()


def test_every_cache_has_a_store_or_a_reason(tmp_path: Path):
    known = {name.removeprefix("cache:") for name in registry.covered() if name.startswith("cache:")}
    (tmp_path / "governance" / "extra").mkdir(parents=True)
    (tmp_path / "governance" / "extra" / "memo.py").write_text("_kept: dict[str, str] = {}\n")

    assert registry.caches() - known - set(registry.EXEMPT_CACHES) == set()
    assert registry.caches(tmp_path / "governance") == {"governance.extra.memo"}


@pytest.mark.django_db(databases=["default", "keyring"])
def test_every_file_has_a_store_or_a_reason():
    there = {re.sub(r"(_gw\d+)?(-wal|-shm|-journal)?$", "", f.name) for f in settings.DATA_DIR.iterdir()}

    known = {name for names in FILES.values() for name in names}
    assert there - known - set(NO_WORDS) == set()
    assert set(FILES) <= registry.covered()


def test_stores_have_names_of_their_own_and_say_how():
    assert len({s.name for s in STORES}) == len(STORES)
    assert all(s.name and s.method and s.covers for s in STORES)
    assert all(s.bucket == "erase" or s.reason for s in STORES)
