"""A body that comes in pieces, its length not announced, is read like any other."""

import json
from io import BytesIO

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import RequestFactory

from memory_admin.wsgi import application, with_whole_bodies

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


@pytest.fixture(autouse=True)
def _connections_stay_open():
    """Spare the test's transaction what follows a request."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def chunked(path: str, body: bytes, key: str) -> tuple[str, dict]:
    """Return status and answer of a POST whose length only its end tells."""
    environ = RequestFactory().post(path, data=b"", content_type="application/json").environ
    environ |= {
        "CONTENT_TYPE": "application/json",
        "wsgi.input": BytesIO(body),
        "HTTP_TRANSFER_ENCODING": "chunked",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
    }
    environ.pop("CONTENT_LENGTH", None)
    told = []
    answer = b"".join(application(environ, lambda status, headers, *more: told.append(status)))
    return told[0], json.loads(answer)


def test_a_chunked_question_is_answered(agent):
    status, answer = chunked("/api/v1/recall", b'{"user": "ann", "query": "what?"}', agent.key)
    assert status.startswith("200")
    assert answer["memories"] == []


def test_a_chunked_body_that_is_too_long_is_refused(agent):
    body = b'{"user": "' + b"a" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + b'"}'
    assert chunked("/api/v1/recall", body, agent.key)[0].startswith("413")


def test_a_body_with_its_length_is_left_alone():
    seen = []
    environ = {"CONTENT_LENGTH": "2", "wsgi.input": BytesIO(b"{}"), "HTTP_TRANSFER_ENCODING": ""}
    with_whole_bodies(lambda environ, start: seen.append(environ["CONTENT_LENGTH"]) or [])(environ, None)
    assert seen == ["2"]
