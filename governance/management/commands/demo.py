"""`manage.py demo`: a store worth looking at, told once through the same actions that agents and people use."""

import base64
import hashlib
import hmac
import os
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from governance.candidates import actions as candidates
from governance.candidates.actions.judge import holding
from governance.candidates.actions.observe import Said
from governance.candidates.actions.revise import Change
from governance.candidates.models import Candidate
from governance.candidates.rules import Draft
from governance.erasure.actions import file_request, plan
from governance.erasure.actions.file import Wish
from governance.erasure.models import ForgetRequest
from governance.erasure.rules import Selector
from governance.evidence.models import Observation
from governance.management import story
from governance.management.command import DomainCommand
from governance.management.story import Correction, Proposal, Turn
from governance.policies import queries as policies
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes import actions as scopes
from governance.scopes.models import SYSTEM, Agent, Membership, Scope, Tenant
from governance.scopes.queries import actor_of_member, agent_actor, find_account, find_project, find_scope
from governance.scopes.rules import Actor, ScopeSpec

BY = "operator:demo"
LAST = "operator"  # the account made last: once it is there, the whole story was told


class Command(DomainCommand):
    """Loads the demo once; says where to look every time."""

    help = "Load the demo, once: two tenants, their people, agents, projects, memories and a queue."

    def handle(self, *args: Any, **options: Any) -> None:
        if is_loaded():
            self._say_where()
        elif others := Tenant.objects.exclude(name__in=[SYSTEM, *story.PROJECTS]):
            self.stdout.write(
                f"These data hold {others.count()} tenant(s) of yours; the demo is not loaded beside them."
            )
        else:
            self.stdout.write("Loading the demo…")
            key = load()
            self._say_where()
            self._say_key(key)

    def _say_where(self) -> None:
        self.stdout.write(f"\nLook around:  {_address()}/   (review queue, memories, log)")
        self.stdout.write(f"Demo accounts, all with the password  {password()}")
        for name, duty in story.WHAT_THEY_DO.items():
            self.stdout.write(f"  {name:<16} {duty}")

    def _say_key(self, key: str) -> None:
        self.stdout.write(f"\nThe key of acme's {story.CODING}, shown this once:\n  {key}\nAsk what it may recall:")
        body = '{"user": "maria", "project": "apollo", "query": "Which language for code examples?"}'
        self.stdout.write(
            f"  curl -s {_address()}/api/v1/recall -H 'Authorization: Bearer {key}' "
            f"-H 'Content-Type: application/json' -d '{body}'\n"
        )


def _address() -> str:
    return f"http://127.0.0.1:{os.environ.get('PORT') or '8000'}"


def is_loaded() -> bool:
    account = find_account(LAST)
    return account is not None and Membership.objects.filter(user=account, tenant__name=SYSTEM).exists()


def password() -> str:
    """Return the demo accounts' password: another on every installation, the same each time."""
    digest = hmac.digest(settings.SECRET_KEY.encode(), b"demo accounts", hashlib.sha256)
    letters = base64.b32encode(digest).decode().lower()
    return "-".join(letters[i : i + 4] for i in (0, 4, 8))


def load() -> str:
    """Tell the story and return a key for acme's coding assistant. Begun anew, it goes on where it was interrupted."""
    scopes.ensure_system_tenant()
    acme, globex = (_tenant(name) for name in story.PROJECTS)
    begins = timezone.localdate() + timedelta(days=12)
    _tell(acme, story.acme(begins - timedelta(days=1), begins))
    _tell(globex, story.globex())
    _wish(acme)
    _bind(acme, "admin", "tenant", story.ACME_RULE)
    agent = _agent(acme, story.CODING)
    row, key = scopes.issue_key(agent, by=BY)
    recall(Question(**story.ASKED), by=agent_actor(agent, row))
    system = Tenant.objects.get(name=SYSTEM)
    _accounts(system)
    _bind(system, LAST, "global", story.EVERYBODYS_RULE)
    return key


def _tenant(name: str) -> Tenant:
    """Return a tenant of the demo with its projects, participants, accounts and agents."""
    tenant = Tenant.objects.filter(name=name).first() or scopes.create_tenant(name, by=BY)
    by = Actor(tenant=tenant.id, id=BY)
    for project, people in story.PROJECTS[name].items():
        scopes.put_project(project, story.PROJECT_NAMES[project], by=by)
        for user in people:
            scopes.set_participant(project, user, True, by=by)
    _accounts(tenant)
    return tenant


def _accounts(tenant: Tenant) -> None:
    for username, roles in story.ACCOUNTS.items():
        for index, (name, role, projects) in enumerate(roles):
            if name == tenant.name:
                limits = [_project(tenant, p) for p in projects] if projects else None
                secret = password() if index == 0 else None
                scopes.add_member(tenant, username, role, password=secret, projects=limits, by=BY)


def _project(tenant: Tenant, project: str) -> str:
    found = find_project(tenant.id, project)
    assert found is not None
    return found.id


def _member(tenant: Tenant, username: str) -> Actor:
    account = find_account(username)
    assert account is not None
    return actor_of_member(account, tenant.id)


def _agent(tenant: Tenant, name: str) -> Agent:
    owner = scopes.first_administrator(tenant, by=BY)
    return Agent.objects.filter(tenant=tenant, name=name).first() or scopes.create_agent(
        tenant, name, owner=owner, by=BY
    )


def _tell(tenant: Tenant, turns: Iterable[Turn | Correction]) -> None:
    """Tell a tenant's weeks in order of time, each agent with a key that is revoked afterwards."""
    administrator = _member(tenant, story.ADMINISTRATORS[tenant.name])
    keys = {n: scopes.issue_key(_agent(tenant, n), sources=s, by=BY)[0] for n, s in story.AGENTS[tenant.name].items()}
    for turn in sorted(turns, key=lambda t: -t.days):
        key = keys[turn.agent]
        _tell_one(turn, agent_actor(key.agent, key), _member(tenant, story.REVIEWERS[tenant.name]))
    for key in keys.values():
        scopes.revoke_key(key, by=administrator)


def _tell_one(turn: Turn | Correction, by: Actor, reviewer: Actor) -> None:
    at = timezone.now() - timedelta(days=turn.days)
    if isinstance(turn, Correction):
        said = Said("user", turn.text, user=turn.user, session=turn.session, occurred_at=at, extract=False)
        _correct(turn, candidates.observe(said, by=by).observation, by)
        return
    said = Said(turn.role, turn.text, turn.user, turn.project, turn.session, occurred_at=at, extract=turn.rules)
    heard = candidates.observe(said, by=by).observation
    for proposal in turn.proposals:
        made = candidates.propose(_draft(proposal, turn, heard), by=by)
        if proposal.answer and made.status == "pending":
            _answer(made, proposal.answer, reviewer)


def _draft(proposal: Proposal, turn: Turn, heard: Observation) -> Draft:
    where = {"project": turn.project} if proposal.level == "project" else {"user": turn.user}
    return Draft(
        scope=ScopeSpec(proposal.level, **where),
        kind=proposal.kind,
        key=proposal.key,
        value=proposal.value,
        content=proposal.content,
        source_type=proposal.source,
        observation=heard.id,
        quote=proposal.quote,
        **proposal.fields,
    )


def _answer(candidate: Candidate, answer: str, reviewer: Actor) -> None:
    if answer == "approve":
        decided = candidates.approve(candidate, expected=candidate.version, by=reviewer)
    else:
        note = "He did not say so; he was tired." if answer == "not-true" else ""
        decided = candidates.reject(candidate, expected=candidate.version, by=reviewer, reason=answer, note=note)
    candidates.settle(decided.id, at_once=True)


def _correct(turn: Correction, heard: Observation, by: Actor) -> None:
    spec = ScopeSpec("user", user=turn.user)
    scope = find_scope(by, spec)
    held = holding(scope, Draft(spec, "semantic", turn.key), policies.current(by.tenant)) if scope else None
    if held is None:
        return
    change = Change(
        expected=held.latest,
        fields=None if turn.value is None else {"value": turn.value},
        source_type="user_explicit",
        observation=heard.id,
        quote=turn.text,
        reason="delete-request" if turn.value is None else "correction",
    )
    (candidates.retract if turn.value is None else candidates.revise)(held, change, by=by)


def _wish(tenant: Tenant) -> None:
    """File a wish to be forgotten, once; its plan waits for another person's approval."""
    if not ForgetRequest.objects.filter(tenant=tenant).exists():
        requester, reason = story.WISH
        wish = Wish(Selector(user=story.SAM), "erase", reason, requester, "page", identity_verified="known-contact")
        plan(file_request(wish, by=_member(tenant, "compliance")))


def _bind(tenant: Tenant, username: str, level: str, rule: tuple[str, str, str]) -> None:
    scope = Scope.objects.get(tenant=tenant, level=level)
    key, value, content = rule
    draft = Draft(ScopeSpec(level), "procedural", key, value, content)
    if holding(scope, draft, policies.current(tenant.id)) is None:
        candidates.bind(scope, draft, by=_member(tenant, username))
