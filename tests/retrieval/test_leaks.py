"""Six levels, four tenants and ids made to be mistaken for one another: an answer holds its own scopes' words alone."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.actions import ensure_system_tenant
from governance.scopes.rules import Actor, ScopeSpec
from tests.factories import a_memory, a_project, a_tenant, an_agent, indexed

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])

EXAMPLES = int(os.environ.get("EXAMPLES", "60"))  # questions asked; more of them on demand
TENANTS = ("acme", "acme-corp", "ACME", "acme%")
USERS = ("u1", "u11", "U1", "a:b", "a%b", "a_b", "../u1", "é", "u1 OR 1=1")
PROJECTS = ("p", "p/q", "P", "p%")
SESSIONS = ("s", "s1", "S")


class Tenancy:
    """Two agents in each tenant; every scope of theirs holds one sentence about tea, which says whose it is."""

    def __init__(self) -> None:
        self.agents: list[Actor] = []
        self.ids: dict[str, str] = {}  # whose -> memory
        self.say(an_agent(ensure_system_tenant()), "everybody", level="global")
        for name in TENANTS:
            tenant = a_tenant(name)
            first, second = an_agent(tenant), an_agent(tenant)
            for agent in (first, second):
                self.say(agent, f"agent {agent.agent}", level="agent")
            self._fill(first)
            self.agents += [first, second]
        indexed()

    def _fill(self, agent: Actor) -> None:
        of = f"{agent.tenant}"
        self.say(agent, f"tenant {of}", level="tenant")
        for project in PROJECTS:
            a_project(agent, project, members=USERS)
            self.say(agent, f"project {of} <{project}>", level="project", project=project)
        for user in USERS:
            self.say(agent, f"user {of} <{user}>", level="user", user=user)
            for session in SESSIONS[: 3 if user in USERS[:3] else 0]:
                whose = f"session {of} <{user}> <{session}>"
                self.say(agent, whose, level="session", user=user, session=session)

    def say(self, agent: Actor, whose: str, **scope: str) -> None:
        self.ids[whose] = a_memory(agent, f"tea of {whose}", scope=ScopeSpec(**scope)).id

    def readable(self, agent: Actor, user: str, project: str, session: str) -> set[str]:
        of = agent.tenant
        found = {"everybody", f"agent {agent.agent}", f"tenant {of}", f"user {of} <{user}>"}
        found |= {f"project {of} <{project}>"} if project else set()
        return found | ({f"session {of} <{user}> <{session}>"} & set(self.ids))


def test_no_answer_ever_holds_another_scopes_words():
    tenancy = Tenancy()

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.integers(0, len(tenancy.agents) - 1),
        st.sampled_from(USERS),
        st.sampled_from(("", *PROJECTS)),
        st.sampled_from(("", *SESSIONS)),
        st.sampled_from(("query", "ids", "all", "history")),
    )
    def holds_its_own(number, user, project, session, way):
        agent = tenancy.agents[number]
        own = tenancy.readable(agent, user, project, session)
        others = [memory for whose, memory in tenancy.ids.items() if whose not in own]
        asked = Question(
            query="tea" if way in ("query", "history") else "",
            memory_ids=(*(tenancy.ids[whose] for whose in own), *others[: 100 - len(own)]) if way == "ids" else (),
            user=user,
            project=project,
            session=session,
            limit=100,
            token_budget=16_000,
            history=way == "history",
        )

        answer = recall(asked, by=agent)

        assert {m.view.content for m in answer.memories} == {f"tea of {whose}" for whose in own}
        assert {whose for whose, memory in tenancy.ids.items() if memory in answer.context} == own
        assert not answer.omitted

    holds_its_own()
