"""What agents were given feeds utility, once each, and confidence never."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.lifecycle.actions import count_uses
from governance.lifecycle.models import Use
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from tests.factories import a_memory, indexed
from tests.isolation import fresh_index


@pytest.fixture(autouse=True)
def index(settings, tmp_path):
    yield from fresh_index(settings, tmp_path)


def in_two_minutes():
    return timezone.now() + timedelta(minutes=2)


def test_a_recall_is_counted_once(agent):
    memory = a_memory(agent, "Ann works at night.", key="profile.hours")
    indexed()
    recall(Question(user="ann", query="when does Ann work"), by=agent)

    assert count_uses(in_two_minutes()) == 1
    assert count_uses(in_two_minutes()) == 0

    use = Use.objects.get()
    assert (use.memory_id, use.injected, use.recalled) == (memory.id, 1, 0)
    assert memory.versions.get().confidence == 0.9


def test_what_is_found_and_left_out_for_want_of_room_counts_as_found(agent):
    for i in range(3):
        a_memory(agent, f"Ann works at night, on floor {i}.", key=f"profile.floor.n{i}")
    indexed()
    recall(Question(user="ann", query="Ann works at night", limit=1), by=agent)

    count_uses(in_two_minutes())

    assert sorted(Use.objects.values_list("injected", "recalled")) == [(0, 1), (0, 1), (1, 0)]


def test_a_recall_that_may_still_be_under_way_waits(agent):
    a_memory(agent, "Ann works at night.", key="profile.hours")
    indexed()
    recall(Question(user="ann", query="when does Ann work"), by=agent)

    assert count_uses(timezone.now()) == 0
