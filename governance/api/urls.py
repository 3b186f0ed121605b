"""Addresses of the API: our own ids and facets may stand in them, words never."""

import re

from django.urls import path, re_path, register_converter

from governance.api import (
    candidates,
    conflicts,
    documentation,
    forgetting,
    keys,
    me,
    memories,
    notices,
    observations,
    projects,
    recalls,
    unknown,
)


class IdConverter:
    """One of our ids, whatever its prefix; what has another form is no address at all."""

    regex = "[a-z]{3,6}_[0-9a-f]{32}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        assert re.fullmatch(self.regex, value)
        return value


register_converter(IdConverter, "own")

urlpatterns = [
    path("observations", observations.observations),
    path("observations/<own:id>/unproposed", observations.unproposed),
    path("candidates", candidates.candidates),
    path("candidates/<own:id>", candidates.candidate),
    path("candidates/<own:id>/confirm", candidates.confirm),
    path("memories", memories.memories),
    path("memories/search", memories.search),
    path("memories/<own:id>", memories.memory),
    path("memories/<own:id>/versions", memories.versions),
    path("memories/<own:id>/events", memories.events_of_memory),
    path("memories/<own:id>/trail", memories.trail),
    path("memories/<own:id>/restore", memories.restore),
    path("conflicts", conflicts.conflicts),
    path("conflicts/<own:id>", conflicts.conflict),
    path("conflicts/<own:id>/answer", conflicts.answer),
    path("forget-requests", forgetting.forget_requests),
    path("forget-requests/<own:id>", forgetting.forget_request),
    path("forget-requests/<own:id>/report", forgetting.report),
    path("recall", recalls.recall),
    path("recalls/<own:id>", recalls.trace),
    path("recalls/<own:id>/why", recalls.why),
    path("keys", keys.keys),
    path("notices", notices.notices),
    path("notices/<own:id>/ack", notices.acknowledge),
    path("projects", projects.projects),
    path("projects/close", projects.close),
    path("project-members", projects.members),
    path("sessions/end", projects.end_session),
    path("me", me.me),
    path("schema/", documentation.Schema.as_view(), name="schema"),
    path("docs/", documentation.Docs.as_view(), name="docs"),
    re_path("", unknown.unknown),
]
