"""Every run has folders of its own, chosen before the settings are read; nothing of it remains."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_MADE: list[str] = []


def _own_folders() -> None:
    """Point the settings at new folders: inside `DATA_DIR` and `KEY_DIR` where they are set, never at their data."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:  # the folders of the process that started us, one level down
        data, keys = Path(os.environ["DATA_DIR"], worker), Path(os.environ["KEY_DIR"], worker)
    else:
        for variable in ("DATA_DIR", "KEY_DIR"):
            if os.environ.get(variable):
                Path(os.environ[variable]).mkdir(parents=True, exist_ok=True)
        data = Path(tempfile.mkdtemp(prefix="tests-data-", dir=os.environ.get("DATA_DIR") or None)).resolve()
        keys = Path(tempfile.mkdtemp(prefix="tests-keys-", dir=os.environ.get("KEY_DIR") or None)).resolve()
        _MADE.extend([str(data), str(keys)])
    os.environ["DATA_DIR"] = str(data)
    os.environ["KEY_DIR"] = str(keys)
    os.environ["JOURNAL_FILE"] = str(data / "journal" / "journal.jsonl")
    os.environ["UNDO_SECONDS_MOST"] = "0"  # decisions take effect at once, but where a test is about the window
    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_admin.settings"
    if not os.environ.get("ON_SERVICES"):  # somebody's production is not ours to test on
        for variable in ("DATABASE_URL", "KEYRING_URL", "CHROMA_URL", "CHROMA_PATH", "CELERY_BROKER_URL"):
            os.environ.pop(variable, None)
    elif worker:  # the databases have a name per process; the other two have this
        os.environ["CHROMA_PREFIX"] += f"-{worker}"
        os.environ["CELERY_QUEUE"] = f"memory-admin-{worker}"


_own_folders()

import django

django.setup()  # conftest files further down import models, and are read before pytest-django does this
# A worker process that found this would read the settings before it has folders of its own.
os.environ.pop("DJANGO_SETTINGS_MODULE")

import pytest
from django.conf import settings
from django.db import connections, transaction
from django.test import TransactionTestCase

from governance.ledger import sealing, triggers


def pytest_configure(config: pytest.Config) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.WHITENOISE_AUTOREFRESH = True  # each client of a test would list all static files anew


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported out of every collection of garbage: walking it took some 3 % of a page test."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what tests measured and do not judge: `record_property("measured", ...)`."""
    for report in terminalreporter.getreports(""):
        for name, value in report.user_properties:
            if name == "measured":
                terminalreporter.write_line(f"{report.nodeid}: {value}")


def pytest_unconfigure(config: pytest.Config) -> None:
    for folder in _MADE:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def _no_keys_of_another_test() -> None:
    """Forget the copies of keys whose rows went with the test before."""
    sealing.forget_known_keys()


@pytest.fixture(scope="session", autouse=True)
def _emptied_past_the_triggers() -> Iterator[None]:
    """Take out what a transactional test committed: the append-only triggers step aside for just that.

    Django would empty every table of either database and write its content types and permissions anew.
    """

    def teardown(case: TransactionTestCase) -> None:
        for alias in case._databases_names(include_mirrors=False):
            _empty(alias)

    patch = pytest.MonkeyPatch()
    patch.setattr(TransactionTestCase, "_fixture_teardown", teardown)
    yield
    patch.undo()


def _empty(alias: str) -> None:
    connection = connections[alias]
    named = [connection.ops.quote_name(table) for table in _tables(alias)]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in named))
        filled = [name for (name,) in cursor.fetchall()]
    if not filled:
        return
    if alias == "default":
        triggers.remove(alias)
    with transaction.atomic(using=alias), connection.cursor() as cursor:
        for name in filled:
            cursor.execute(f"DELETE FROM {name}")
    if alias == "default":
        triggers.install(alias)


@cache
def _tables(alias: str) -> list[str]:
    """Return the tables a test may fill: all but those that migrating fills."""
    tables = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(tables) - {"django_content_type", "auth_permission", "django_migrations"})
