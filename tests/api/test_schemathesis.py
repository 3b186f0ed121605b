"""The whole OpenAPI document, tried by schemathesis against the app: no fault of ours, no answer it does not name."""

import os

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memory_admin.wsgi import application
from tests.flows.world import Agent

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "8"))  # of each operation

schema = schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", application)


@pytest.fixture(autouse=True)
def one_connection(settings):
    """Keep the test's own connections: a request through WSGI would close them at its end."""
    settings.API_REQUESTS_PER_MINUTE = 10**6
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="SCHEMATHESIS_EXAMPLES" not in os.environ,
)
def test_each_operation_answers_as_the_document_says(case, agent: Agent):
    case.call_and_validate(headers={"Authorization": f"Bearer {agent.key}"}, checks=CHECKS)
