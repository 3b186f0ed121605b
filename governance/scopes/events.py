"""What can happen to tenants, people, projects, scopes, agents, keys and roles."""

from datetime import datetime
from typing import Any

from governance.ledger.erasing import blanks
from governance.ledger.events import Recorded, event, folds
from governance.ledger.sealing import Words
from governance.scopes.models import Agent, ApiKey, Membership, Participation, Project, Scope, Subject, Tenant
from governance.scopes.rules import project_text, session_text, user_text


@event("tenant-created")
class TenantCreated:
    name: str
    zone: str


@event("subject-seen")
class SubjectSeen:
    pass


@event("subject-fenced")
class SubjectFenced:
    """Nothing is written about them from now on: they are being forgotten."""

    request: str


@event("subject-released")
class SubjectReleased:
    """The forgetting ended without them, or was called off: they may be written about again."""

    request: str


@event("subject-opted-out")
class SubjectOptedOut:
    """They want nothing to be remembered about them from now on; what is there stays until it is forgotten."""


@event("subject-opted-in")
class SubjectOptedIn:
    """They may be remembered again."""


@event("subject-erased")
class SubjectErased:
    """Nobody can tell any more who this was."""

    request: str


@event("project-created")
class ProjectCreated:
    pass


@event("project-renamed")
class ProjectRenamed:
    pass


@event("project-closed")
class ProjectClosed:
    pass


@event("participant-added")
class ParticipantAdded:
    subject: str


@event("participant-removed")
class ParticipantRemoved:
    subject: str


@event("scope-opened")
class ScopeOpened:
    level: str
    subject: str | None = None
    project: str | None = None
    agent: str | None = None


@event("session-ended")
class SessionEnded:
    """What it remembered is recalled no more. `sweep` says which run ended it for having lain idle."""

    sweep: str = ""


@event("session-reopened")
class SessionReopened:
    """A sweep that ended it was undone."""

    sweep: str


@event("agent-created")
class AgentCreated:
    name: str
    owner: int


@event("agent-suspended")
class AgentSuspended:
    pass


@event("agent-resumed")
class AgentResumed:
    pass


@event("key-issued")
class KeyIssued:
    key: str
    secret_hash: str
    grants: tuple[Any, ...]
    users: tuple[str, ...] | None
    sources: tuple[str, ...]
    expires_at: datetime | None


@event("key-revoked")
class KeyRevoked:
    key: str


@event("role-granted")
class RoleGranted:
    user: int
    role: str
    projects: tuple[str, ...] | None


@event("role-withdrawn")
class RoleWithdrawn:
    user: int
    role: str


blanks(Subject, "external_mac")
blanks(Scope, "session_mac")
blanks(Project, "external_mac")


@folds(TenantCreated, into=Tenant)
def tenant(row: Tenant | None, r: Recorded, words: Words) -> Tenant:
    return Tenant(id=r.stream, name=r.event.name, zone=r.event.zone)


@folds(SubjectSeen, SubjectFenced, SubjectReleased, SubjectErased, SubjectOptedOut, SubjectOptedIn, into=Subject)
def subject(row: Subject | None, r: Recorded, words: Words) -> Subject:
    if row is not None and isinstance(r.event, SubjectOptedOut | SubjectOptedIn):
        row.opted_out_at = r.recorded_at if isinstance(r.event, SubjectOptedOut) else None
        return row
    if row is not None:
        row.fence = r.event.request if isinstance(r.event, SubjectFenced) else ""
        row.generation += 1
        if isinstance(r.event, SubjectErased):
            row.external_mac = b""
        return row
    return Subject(
        id=r.stream,
        tenant_id=r.tenant,
        external_mac=words.mac(user_text(words.get("user", ""))),
        content_id=r.contents[0],
    )


@folds(ProjectCreated, ProjectRenamed, ProjectClosed, into=Project)
def project(row: Project | None, r: Recorded, words: Words) -> Project:
    if row is None:
        row = Project(id=r.stream, tenant_id=r.tenant)
    if isinstance(r.event, ProjectClosed):
        row.closed_at = r.recorded_at
        return row
    row.external_mac, row.content_id = words.mac(project_text(words.get("project", ""))), r.contents[0]
    return row


def _participation(r: Recorded) -> str:
    return f"{r.stream}.{r.event.subject}"


@folds(ParticipantAdded, ParticipantRemoved, into=Participation, key=_participation)
def participation(row: Participation | None, r: Recorded, words: Words) -> Participation | None:
    if isinstance(r.event, ParticipantRemoved):
        return None
    return Participation(id=_participation(r), project_id=r.stream, subject_id=r.event.subject)


@folds(ScopeOpened, SessionEnded, SessionReopened, into=Scope)
def scope(row: Scope | None, r: Recorded, words: Words) -> Scope:
    if row is not None:
        row.ended_at = r.recorded_at if isinstance(r.event, SessionEnded) else None
        return row
    return Scope(
        id=r.stream,
        tenant_id=r.tenant,
        level=r.event.level,
        subject_id=r.event.subject,
        project_id=r.event.project,
        agent_id=r.event.agent,
        session_mac=words.mac(session_text(r.event.subject, words["session"])) if "session" in words else b"",
        content_id=r.contents[0] if r.contents else None,
        opened_at=r.recorded_at,
    )


@folds(AgentCreated, AgentSuspended, AgentResumed, into=Agent)
def agent(row: Agent | None, r: Recorded, words: Words) -> Agent:
    if row is None:
        return Agent(id=r.stream, tenant_id=r.tenant, name=r.event.name, owner_id=r.event.owner)
    row.suspended_at = r.recorded_at if isinstance(r.event, AgentSuspended) else None
    return row


@folds(KeyIssued, KeyRevoked, into=ApiKey, key=lambda r: r.event.key)
def api_key(row: ApiKey | None, r: Recorded, words: Words) -> ApiKey:
    if row is not None:
        row.revoked_at = row.revoked_at or r.recorded_at
        return row
    return ApiKey(
        id=r.event.key,
        agent_id=r.stream,
        secret_hash=r.event.secret_hash,
        grants=[list(g) for g in r.event.grants],
        users=None if r.event.users is None else list(r.event.users),
        sources=list(r.event.sources),
        created_at=r.recorded_at,
        expires_at=r.event.expires_at,
    )


def _membership(r: Recorded) -> str:
    return f"{r.tenant}.{r.event.user}.{r.event.role}"


@folds(RoleGranted, RoleWithdrawn, into=Membership, key=_membership)
def membership(row: Membership | None, r: Recorded, words: Words) -> Membership | None:
    if isinstance(r.event, RoleWithdrawn):
        return None
    return Membership(
        id=_membership(r),
        tenant_id=r.tenant,
        user_id=r.event.user,
        role=r.event.role,
        projects=None if r.event.projects is None else list(r.event.projects),
    )
