"""Production: a Celery worker, not us, does what a commit left to do."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from governance.ledger.models import SignedHead
from governance.scopes.actions import create_tenant

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True, databases=["default", "keyring"])]
ROOT = Path(__file__).resolve().parent.parent.parent


def url_of(alias: str, variable: str) -> str:
    """Return the address of the test database: that of the variable, with the name the test runner gave it."""
    return os.environ[variable].rpartition("/")[0] + "/" + str(connections[alias].settings_dict["NAME"])


def within(seconds: float, true: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.2)
    return False


@pytest.fixture
def celery_worker(tmp_path: Path) -> Iterator[subprocess.Popen]:
    own = {
        **os.environ,
        "DATABASE_URL": url_of("default", "DATABASE_URL"),
        "KEYRING_URL": url_of("keyring", "KEYRING_URL"),
        "DATA_DIR": str(settings.DATA_DIR),
        "KEY_DIR": str(settings.KEY_DIR),
    }
    command = [sys.executable, "-m", "celery", "-A", "memory_admin", "worker", "-B", "-s", str(tmp_path / "beat")]
    process = subprocess.Popen([*command, "--concurrency", "1", "--loglevel", "warning"], cwd=ROOT, env=own)
    yield process
    process.terminate()
    process.wait(30)


def test_a_celery_worker_signs_what_was_recorded(celery_worker: subprocess.Popen):
    tenant = create_tenant("by-celery")

    signed = within(45, lambda: SignedHead.objects.filter(tenant=tenant.id, seq=2).exists())

    assert signed
    assert celery_worker.poll() is None
