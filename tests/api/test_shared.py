"""The cache that processes share, on a Redis that is not there."""

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache

from governance.api.shared import Shared
from tests.flows.server import free_port
from tests.flows.world import Agent


@pytest.fixture
def without_redis(settings):
    settings.CACHES = {
        "default": {"BACKEND": "governance.api.shared.Shared", "LOCATION": f"redis://127.0.0.1:{free_port()}/0"}
    }
    Shared.stop_resting()
    yield caches["default"]
    Shared.stop_resting()


def test_what_is_counted_and_marked_is_so_in_this_process(without_redis: Shared):
    assert without_redis.add("mark", 1, 30)
    assert not without_redis.add("mark", 1, 30)
    without_redis.set("count", 3, 30)

    assert without_redis.incr("count") == 4
    assert without_redis.get("count") == 4
    assert without_redis.delete("mark")
    assert without_redis.get("mark") is None


def test_requests_are_still_counted_and_limited(agent: Agent, without_redis: Shared, settings):
    settings.API_REQUESTS_PER_MINUTE = 2

    answers = [agent.send("get", "keys").status_code for _ in range(3)]

    assert answers == [200, 200, 429]


def test_a_count_that_was_lost_on_the_way_begins_again(agent: Agent, monkeypatch, settings):
    settings.API_REQUESTS_PER_MINUTE = 10
    monkeypatch.setattr(LocMemCache, "add", lambda *args, **named: True)  # kept nowhere

    response = agent.send("get", "keys")

    assert response.status_code == 200
    assert response["RateLimit"].startswith('"key";r=9;')
