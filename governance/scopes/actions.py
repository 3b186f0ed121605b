"""Opening tenants, projects and scopes; making agents, keys and members."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from governance.errors import AlreadyExists, Invalid, NotAllowed, NotFound
from governance.ledger import ids, sealing
from governance.ledger.writing import Writing, writing
from governance.scopes import events, keys, queries, sessions
from governance.scopes.models import SYSTEM, Agent, ApiKey, Membership, Participation, Project, Scope, Subject, Tenant
from governance.scopes.rules import Actor, Grant, ScopeSpec, clean_name, default_grants, session_text

COMMAND_LINE = "operator:command-line"


def create_tenant(name: str, *, zone: str = "UTC", by: str = COMMAND_LINE) -> Tenant:
    """Return a new tenant with its tenant-wide scope. Raises AlreadyExists."""
    name = clean_name(name, "/tenant")
    if Tenant.objects.filter(name=name).exists():
        raise AlreadyExists("There is a tenant of this name.")
    tenant_id, scope_id = ids.new("ten"), ids.new("scope")
    with writing(tenant_id, by=by) as w:
        tenant: Tenant = w.record(events.TenantCreated(name=name, zone=zone), stream=tenant_id)
        level = "global" if name == SYSTEM else "tenant"
        w.record(events.ScopeOpened(level=level), stream=scope_id)
    return tenant


def ensure_system_tenant() -> Tenant:
    """Return the reserved tenant that `global` belongs to, made on first use."""
    return Tenant.objects.filter(name=SYSTEM).first() or create_tenant(SYSTEM)


def see_subject(tenant: str, user: str, *, by: str) -> Subject:
    """Return the subject a caller means, known from now on."""
    found = queries.find_subject(tenant, user)
    if found is not None:
        return found
    subject_id = ids.new("sub")
    sealed = sealing.seal({"user": user}, tenant=tenant, scope=tenant, subject=subject_id)
    with writing(tenant, by=by) as w:
        again = queries.find_subject(tenant, user)
        if again is not None:
            return again
        seen: Subject = w.record(events.SubjectSeen(), stream=subject_id, contents=[sealed])
    return seen


def set_remembered(subject: Subject, remembered: bool, *, by: Actor) -> Subject:
    """Return the person, about whom nothing is written any more, or again. Raises NotAllowed."""
    _require(by, "erase")
    if subject.tenant_id != by.tenant:
        raise NotFound()
    change = events.SubjectOptedIn() if remembered else events.SubjectOptedOut()
    with writing(by.tenant, by=by.id) as w:
        fresh = Subject.objects.get(pk=subject.pk)
        if (fresh.opted_out_at is None) is remembered:
            return fresh
        row: Subject = w.record(change, stream=fresh.id, row=fresh)
    return row


def open_scope(spec: ScopeSpec, *, by: Actor) -> Scope:
    """Return the scope a caller names, opened on first use. Raises NotFound as `queries.find_scope` does."""
    found = queries.find_scope(by, spec)
    if found is not None:
        return found
    if spec.level == "user":
        return _open_personal(by, see_subject(by.tenant, spec.user, by=by.id), "")
    if spec.level == "session":
        return _open_personal(by, see_subject(by.tenant, spec.user, by=by.id), spec.session)
    if spec.level == "agent":
        return _open(by, events.ScopeOpened(level="agent", agent=by.agent), spec)
    raise NotFound()


def _open_personal(by: Actor, subject: Subject, session: str) -> Scope:
    level = "session" if session else "user"
    scope_id = ids.new("scope")
    contents = []
    if session:
        payload = {"session": session}
        contents.append(sealing.seal(payload, tenant=by.tenant, scope=by.tenant, subject=subject.id))
    with writing(by.tenant, by=by.id) as w:
        rows = Scope.objects.filter(subject=subject, level=level)
        if session:
            rows = rows.filter(session_mac=sealing.mac(by.tenant, session_text(subject.id, session)))
        again = rows.first()
        if again is not None:
            return again
        opened = events.ScopeOpened(level=level, subject=subject.id)
        scope: Scope = w.record(opened, stream=scope_id, contents=contents)
    sealing.mac_key(scope_id, subject=subject.id)
    return scope


def _open(by: Actor, opened: events.ScopeOpened, spec: ScopeSpec) -> Scope:
    with writing(by.tenant, by=by.id) as w:
        again = queries.find_scope(by, spec)
        if again is not None:
            return again
        scope: Scope = w.record(opened, stream=ids.new("scope"))
    return scope


def end_session(spec: ScopeSpec, *, by: Actor) -> Scope | None:
    """End a session: what it remembered is recalled no more. Returns its scope, None when there was none."""
    _manages(by, "session")
    scope = queries.find_scope(by, spec)
    if scope is None or scope.ended_at:
        return scope
    with writing(by.tenant, by=by.id) as w:
        ended: Scope = w.record(events.SessionEnded(), stream=scope.id)
    return ended


def end_idle(w: Writing, scope: Scope, *, sweep: str) -> Scope:
    """Return a session's scope, ended because nothing was said in it for long."""
    ended: Scope = w.record(events.SessionEnded(sweep=sweep), stream=scope.id, row=scope)
    return ended


def reopen_session(w: Writing, scope: Scope, *, sweep: str) -> Scope:
    """Return a session's scope as it was before a sweep ended it."""
    opened: Scope = w.record(events.SessionReopened(sweep=sweep), stream=scope.id, row=scope)
    return opened


def put_project(project: str, name: str = "", *, by: Actor) -> Project:
    """Return the project with this id, created or renamed."""
    project, name = clean_name(project, "/project"), clean_name(name, "/name") if name else project
    found = queries.find_project(by.tenant, project)
    _manages(by, "project", found)
    payload = {"project": project, "name": name}
    if found is not None and sealing.unseal([found.content_id])[found.content_id].get("name") == name:
        return found
    sealed = sealing.seal(payload, tenant=by.tenant, scope=by.tenant)
    with writing(by.tenant, by=by.id) as w:
        found = queries.find_project(by.tenant, project)
        if found is not None:
            renamed: Project = w.record(events.ProjectRenamed(), stream=found.id, contents=[sealed], row=found)
            return renamed
        created: Project = w.record(events.ProjectCreated(), stream=ids.new("proj"), contents=[sealed])
        w.record(events.ScopeOpened(level="project", project=created.id), stream=ids.new("scope"))
    return created


def close_project(project: str, *, by: Actor) -> Project:
    """Close a project: what holds until it ends, holds no more. Raises NotFound."""
    found = queries.find_project(by.tenant, project)
    _manages(by, "project", found)
    if found is None:
        raise NotFound()
    if found.closed_at:
        return found
    with writing(by.tenant, by=by.id) as w:
        closed: Project = w.record(events.ProjectClosed(), stream=found.id, row=found)
    return closed


def set_participant(project: str, user: str, member: bool, *, by: Actor) -> Project:
    """Let a person take part in a project, or no longer. Raises NotFound for an unknown project."""
    found = queries.find_project(by.tenant, project)
    _manages(by, "project", found)
    if found is None:
        raise NotFound()
    if by.users is not None and not by.serves(getattr(queries.find_subject(by.tenant, user), "id", "")):
        raise NotFound()
    subject = see_subject(by.tenant, user, by=by.id)
    with writing(by.tenant, by=by.id) as w:
        there = Participation.objects.filter(pk=f"{found.id}.{subject.id}").exists()
        if member and not there:
            w.record(events.ParticipantAdded(subject=subject.id), stream=found.id)
        if not member and there:
            w.record(events.ParticipantRemoved(subject=subject.id), stream=found.id)
    return found


def create_agent(tenant: Tenant, name: str, *, owner: User, by: str = COMMAND_LINE) -> Agent:
    """Return a new agent, owned by a member who answers for it. Raises AlreadyExists, Invalid."""
    name = clean_name(name, "/name")
    if not Membership.objects.filter(tenant=tenant, user=owner).exists():
        raise Invalid({"/owner": "has no role in this tenant"})
    with writing(tenant.id, by=by) as w:
        if Agent.objects.filter(tenant=tenant, name=name).exists():
            raise AlreadyExists("There is an agent of this name.")
        agent: Agent = w.record(events.AgentCreated(name=name, owner=owner.pk), stream=ids.new("agent"))
    return agent


def issue_key(
    agent: Agent,
    *,
    by: str = COMMAND_LINE,
    grants: Sequence[Grant] = (),
    users: Sequence[str] | None = None,
    sources: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Return a new key and its text, which is shown once and kept nowhere. `users` are ids as callers know them."""
    new = keys.make()
    bound = None if users is None else tuple(see_subject(agent.tenant_id, u, by=by).id for u in users)
    issued = events.KeyIssued(
        key=new.id,
        secret_hash=new.secret_hash,
        grants=tuple([g.action, g.level, g.project] for g in (grants or default_grants())),
        users=bound,
        sources=tuple(sources),
        expires_at=expires_at,
    )
    with writing(agent.tenant_id, by=by) as w:
        row: ApiKey = w.record(issued, stream=agent.id)
    return row, new.text


def revoke_key(key: ApiKey, *, by: Actor) -> ApiKey:
    """End a key; it is refused from the next request on."""
    _require(by, "manage-agents")
    with writing(by.tenant, by=by.id) as w:
        row: ApiKey = w.record(events.KeyRevoked(key=key.id), stream=key.agent_id)
    return row


def suspend_agent(agent: Agent, suspended: bool, *, by: Actor) -> Agent:
    """Refuse all of an agent's keys, or accept them again."""
    _require(by, "manage-agents")
    change = events.AgentSuspended() if suspended else events.AgentResumed()
    with writing(by.tenant, by=by.id) as w:
        row: Agent = w.record(change, stream=agent.id)
    return row


def grant_role(
    tenant: Tenant, user: User, role: str, *, projects: Sequence[str] | None = None, by: str = COMMAND_LINE
) -> Membership:
    """Give a person a role in a tenant; repeating it changes the projects it is limited to."""
    if role not in Membership.ROLES:
        raise Invalid({"/role": "must be one of " + ", ".join(Membership.ROLES)})
    granted = events.RoleGranted(user=user.pk, role=role, projects=None if projects is None else tuple(projects))
    with writing(tenant.id, by=by) as w:
        row: Membership = w.record(granted, stream=f"user_{user.pk}")
    return row


def add_member(
    tenant: Tenant,
    username: str,
    role: str,
    *,
    password: str | None = None,
    projects: Sequence[str] | None = None,
    by: str = COMMAND_LINE,
) -> Membership:
    """Give a role to the account of this name, made when there is none; a password, when given, is set anew.

    Without a password nobody can sign in with a new account. Raises Invalid.
    """
    username = clean_name(username, "/username")
    if role not in Membership.ROLES:
        raise Invalid({"/role": "must be one of " + ", ".join(Membership.ROLES)})
    user = queries.find_account(username) or User(username=username)
    if password is not None:
        _check_password(password, user)
        user.set_password(password)
    elif user.pk is None:
        user.set_unusable_password()
    user.save()
    return grant_role(tenant, user, role, projects=projects, by=by)


def first_administrator(tenant: Tenant, *, by: str = COMMAND_LINE) -> User:
    """Return who has administered the tenant longest; an account without a password is made where nobody does."""
    found = Membership.objects.filter(tenant=tenant, role="administrator").order_by("user_id").first()
    return found.user if found else add_member(tenant, f"administrator-{tenant.name}", "administrator", by=by).user


def set_mail(person: User, address: str) -> User:
    """Return one's own account with the address a new password is sent to; "" for none."""
    person.email = address
    person.save(update_fields=["email"])
    return person


def set_password(person: User, password: str, *, session: str = "") -> User:
    """Return one's own account with a new password; its sessions end, all but `session`. Raises Invalid."""
    _check_password(password, person)
    person.set_password(password)
    person.save(update_fields=["password"])
    sessions.end(person.pk, but=session)
    return person


def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid({"/password": " ".join(error.messages)}) from None


def withdraw_role(membership: Membership, *, by: Actor) -> None:
    """Take a role away. Raises NotAllowed for one's own last administrator role: nobody could give it back."""
    _require(by, "manage-roles")
    with writing(by.tenant, by=by.id) as w:
        others = Membership.objects.filter(tenant=by.tenant, role="administrator").exclude(pk=membership.pk)
        if membership.role == "administrator" and not others.exists():
            raise NotAllowed("A tenant keeps at least one administrator.")
        w.record(
            events.RoleWithdrawn(user=membership.user_id, role=membership.role), stream=f"user_{membership.user_id}"
        )


def _manages(by: Actor, level: str, project: Project | None = None) -> None:
    """Raise NotAllowed when a key lacks `manage` altogether, NotFound when it does not reach so far."""
    if not by.is_agent:
        return
    if not by.holds("manage"):
        raise NotAllowed("This key does not grant manage.")
    limited = {g.project for g in by.grants if g.action == "manage" and g.level == level}
    if "" not in limited and (project is None or project.id not in limited):
        raise NotFound()


def _require(by: Actor, permission: str) -> None:
    if not by.may(permission):
        raise NotAllowed()
