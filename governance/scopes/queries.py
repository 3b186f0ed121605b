"""Who is asking, and which scopes a caller may read. Reads only."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from governance.errors import ForgetInProgress, Invalid, NotAllowed, NotFound, NotRemembered, NotSignedIn
from governance.ledger import sealing
from governance.ledger.prepared import Prepared
from governance.scopes import keys
from governance.scopes.models import (
    LEVELS,
    SYSTEM,
    Agent,
    ApiKey,
    Membership,
    Participation,
    Project,
    Scope,
    Subject,
    Tenant,
)
from governance.scopes.rules import ROLE_PERMITS, Actor, Grant, ScopeSpec, project_text, session_text, user_text

_KEYS = Prepared(lambda key: ApiKey.objects.select_related("agent").filter(pk=key))


def actor_of_key(text: str) -> Actor:
    """Return who holds a key. Raises NotSignedIn for anything that is not a living key of an active agent."""
    parsed = keys.parse(text)
    if parsed is None:
        raise NotSignedIn()
    row: ApiKey | None = next(iter(_KEYS(key=parsed[0])), None)
    if row is None or not hmac.compare_digest(row.secret_hash, parsed[1]):
        raise NotSignedIn()
    expired = row.expires_at is not None and row.expires_at <= timezone.now()
    if row.revoked_at or expired or row.agent.suspended_at:
        raise NotSignedIn("This key is no longer valid.")
    return agent_actor(row.agent, row)


def agent_actor(agent: Agent, key: ApiKey) -> Actor:
    return Actor(
        tenant=agent.tenant_id,
        id=f"agent:{agent.id}",
        agent=agent.id,
        key=key.id,
        owner=str(agent.owner_id),
        grants=frozenset(Grant(*g) for g in key.grants),
        users=None if key.users is None else frozenset(key.users),
        sources=frozenset(key.sources),
    )


def actor_of_member(user: User, tenant: str) -> Actor:
    """Return a signed-in person as an actor of a tenant. Raises NotFound when they have no role there."""
    rows = list(Membership.objects.filter(user=user, tenant=tenant))
    if not rows or not user.is_active:
        raise NotFound()
    limits = [r.projects for r in rows if r.role == "reviewer"]
    limited = bool(limits) and all(p is not None for p in limits) and not any(r.role == "administrator" for r in rows)
    return Actor(
        tenant=tenant,
        id=f"member:{user.pk}",
        owner=str(user.pk),
        roles=frozenset(r.role for r in rows),
        projects=frozenset(limits[0] or []) if limited else None,
    )


def find_account(username: str) -> User | None:
    """Return a person's account by its name, None when there is none."""
    return User.objects.filter(username=username).first()


def tenants_of(user: User) -> list[Tenant]:
    """Return the tenants a person has a role in, by name."""
    return list(Tenant.objects.filter(membership__user=user).distinct().order_by("name"))


def system_tenant() -> Tenant:
    return Tenant.objects.get(name=SYSTEM)


_SUBJECTS = Prepared(lambda tenant, mac: Subject.objects.filter(tenant=tenant, external_mac=mac))


def find_subject(tenant: str, user: str) -> Subject | None:
    """Return the subject a caller means, None for one never seen."""
    return next(iter(_SUBJECTS(tenant=tenant, mac=sealing.mac(tenant, user_text(user)))), None)


def check_open(subjects: Iterable[Subject | None]) -> None:
    """Raise ForgetInProgress for a person who is being forgotten, or was since `subjects` were read; NotRemembered for
    one who does not want to be remembered.

    Call it with the head locked: then no forgetting begins or ends before the commit.
    """
    read = {s.id: s.generation for s in subjects if s is not None}
    if not read:
        return
    columns = ("pk", "generation", "fence", "opted_out_at")
    for pk, generation, fence, opted_out_at in Subject.objects.filter(pk__in=read).values_list(*columns):
        if fence or generation != read[pk]:
            raise ForgetInProgress(retry_after=60)
        if opted_out_at is not None:
            raise NotRemembered()


_PRESENT = Prepared(lambda subject: Subject.objects.filter(pk=subject).values_list("generation", "fence"))


def is_open(subject: str, generation: int) -> bool:
    """Return whether a person is as they were read, and nobody is forgetting them."""
    return (generation, "") in _PRESENT(subject=subject)


def check_unfenced(subjects: Iterable[str | None]) -> None:
    """Raise ForgetInProgress when one of some people is being forgotten, NotRemembered when one does not want to be."""
    ids = {s for s in subjects if s}
    closed = Q(opted_out_at__isnull=False) | ~Q(fence="")
    rows = Subject.objects.filter(closed, pk__in=ids).values_list("fence", flat=True) if ids else ()
    for fence in rows:
        if fence:
            raise ForgetInProgress(retry_after=60)
        raise NotRemembered()


def find_project(tenant: str, project: str) -> Project | None:
    return Project.objects.filter(tenant=tenant, external_mac=sealing.mac(tenant, project_text(project))).first()


def participates(project: Project, subject: Subject | None) -> bool:
    return subject is not None and Participation.objects.filter(pk=f"{project.id}.{subject.id}").exists()


def find_scope(actor: Actor, spec: ScopeSpec) -> Scope | None:
    """Return the scope that a caller names, None when nothing was ever kept there.

    Raises NotFound for a user the key is not bound to and for a project unknown to the caller.
    """
    if spec.level == "user" and actor.users is None:  # the common case, in one query
        mac = sealing.mac(actor.tenant, user_text(spec.user))
        rows = Scope.objects.filter(level="user", subject__tenant=actor.tenant, subject__external_mac=mac)
        return rows.select_related("subject").first()
    if spec.level in ("session", "user"):
        subject = find_subject(actor.tenant, spec.user)
        if actor.users is not None and (subject is None or not actor.serves(subject.id)):
            raise NotFound()
        if subject is None:
            return None
        rows = Scope.objects.filter(subject=subject, level=spec.level)
        if spec.level == "user":
            return rows.first()
        return rows.filter(session_mac=sealing.mac(actor.tenant, session_text(subject.id, spec.session))).first()
    if spec.level == "project":
        project = find_project(actor.tenant, spec.project)
        if project is None or not _has_people_in(actor, project.id):
            raise NotFound()
        return Scope.objects.filter(project=project, level="project").first()
    if spec.level == "agent":
        return Scope.objects.filter(agent=actor.agent, level="agent").first()
    if spec.level == "tenant":
        return Scope.objects.filter(tenant=actor.tenant, level="tenant").first()
    return Scope.objects.filter(tenant__name=SYSTEM, level="global").first()


@dataclass(frozen=True)
class Readable:
    """The scopes one recall may read, by level, narrow to wide; `subject` is None for a person never seen.

    `ruling` are the scopes whose binding rules accompany it, whatever a key grants: the tenant's and everybody's.
    """

    scopes: tuple[Scope, ...]
    ruling: tuple[Scope, ...]
    subject: Subject | None
    project: Project | None

    @property
    def ids(self) -> list[str]:
        return [s.id for s in self.scopes]


def readable(actor: Actor, *, user: str = "", project: str = "", session: str = "") -> Readable:
    """Return what an agent may read for a user, a project and a session.

    Leaving a part out never widens. Raises Invalid when none is named or `user` is missing where it is needed,
    NotAllowed when the key recalls nothing at all, NotFound for a user or project the key does not reach.
    """
    if not actor.holds("recall") and not actor.holds("recall-unattended"):
        raise NotAllowed("This key does not grant recall.")
    if not (user or project or session):
        raise Invalid({"/user": "name a user, a project or a session"})
    if session and not user:
        raise Invalid({"/user": "is needed with a session"})
    found_project = _project_for(actor, project) if project else None
    if found_project is not None and not user and not actor.holds("recall-unattended", "project", found_project.id):
        raise Invalid({"/user": "is needed: a project's memories are for its participants"})
    subject = find_subject(actor.tenant, user) if user else None
    if user and actor.users is not None and (subject is None or not actor.serves(subject.id)):
        raise NotFound()
    if found_project is not None and user and not participates(found_project, subject):
        raise NotFound()
    scopes, ruling = _scopes(actor, subject, found_project, session)
    return Readable(scopes, ruling, subject, found_project)


def _project_for(actor: Actor, project: str) -> Project:
    found = find_project(actor.tenant, project)
    reaches = found is not None and (
        actor.holds("recall", "project", found.id) or actor.holds("recall-unattended", "project", found.id)
    )
    if found is None or not reaches:
        raise NotFound()
    return found


def _wanted(
    tenant: str, session_of: str | None, session: bytes | None, user: str | None, agent: str | None, project: str | None
) -> QuerySet[Scope]:
    wanted = Q(level="tenant", tenant=tenant)
    wanted |= Q(level="global", tenant__in=Tenant.objects.filter(name=SYSTEM).values("pk"))
    if session_of is not None:
        wanted |= Q(subject=session_of, level="session", session_mac=session, ended_at__isnull=True)
    if user is not None:
        wanted |= Q(subject=user, level="user")
    if agent is not None:
        wanted |= Q(level="agent", agent=agent)
    if project is not None:
        wanted |= Q(level="project", project=project)
    return Scope.objects.filter(wanted)


_SCOPES = Prepared(_wanted)


def _scopes(
    actor: Actor, subject: Subject | None, project: Project | None, session: str
) -> tuple[tuple[Scope, ...], tuple[Scope, ...]]:
    """Return the scopes that are read and those whose rules bind, in one statement, each by an index of its own."""
    of_session = subject is not None and session and actor.holds("recall", "session")
    found = _SCOPES(
        tenant=actor.tenant,
        session_of=subject.id if subject is not None and of_session else None,
        session=sealing.mac(actor.tenant, session_text(subject.id, session)) if subject and of_session else None,
        user=subject.id if subject is not None and actor.holds("recall", "user") else None,
        agent=actor.agent if actor.holds("recall", "agent") else None,
        project=project.id if project is not None else None,
    )
    rows = sorted(found, key=lambda s: LEVELS.index(s.level))
    for scope in rows:
        if subject is not None and scope.subject_id == subject.id:
            scope.subject = subject
        if project is not None and scope.project_id == project.id:
            scope.project = project
    wide = ("tenant", "global")
    read = tuple(s for s in rows if s.level not in wide or actor.holds("recall", s.level))
    return read, tuple(s for s in rows if s.level in wide)


def reaches(actor: Actor, scope: Scope, action: str) -> bool:
    """Return whether a key grants an action on one scope: level, project, person, and its own agent alone."""
    if scope.tenant_id != actor.tenant and scope.level != "global":
        return False
    if not actor.holds(action, scope.level, scope.project_id or ""):
        return False
    if scope.agent_id is not None and scope.agent_id != actor.agent:
        return False
    if scope.project_id is not None and not _has_people_in(actor, scope.project_id):
        return False
    return scope.subject_id is None or actor.serves(scope.subject_id)


def _has_people_in(actor: Actor, project: str) -> bool:
    """Return whether a key bound to listed people serves one who takes part in a project; other keys serve all."""
    if actor.users is None:
        return True
    return Participation.objects.filter(project=project, subject__in=actor.users).exists()


def own_wide_scope(tenant: str) -> Scope:
    """Return the scope of all of a tenant; for the reserved tenant `system` this is the global one."""
    return Scope.objects.get(tenant=tenant, level__in=("tenant", "global"))


def agents_of(tenant: str) -> QuerySet[Agent]:
    """Return a tenant's agents by name, with owner and how many keys live."""
    living = Q(keys__revoked_at=None) & (Q(keys__expires_at=None) | Q(keys__expires_at__gt=timezone.now()))
    return (
        Agent.objects.filter(tenant=tenant)
        .select_related("owner")
        .annotate(living=Count("keys", filter=living & Q(keys__isnull=False)), used_at=Max("keys__use__last_used_at"))
        .order_by("name")
    )


def agent_of(tenant: str, agent: str) -> Agent:
    """Return an agent of a tenant. Raises NotFound."""
    row = agents_of(tenant).filter(pk=agent).first()
    if row is None:
        raise NotFound()
    return row


def keys_of(agent: Agent) -> list[ApiKey]:
    """Return an agent's keys, newest first, with when each was last used."""
    return list(ApiKey.objects.filter(agent=agent).select_related("use").order_by("-created_at"))


def key_of(agent: Agent, key: str) -> ApiKey:
    """Return a key of an agent. Raises NotFound."""
    row = ApiKey.objects.filter(agent=agent, pk=key).first()
    if row is None:
        raise NotFound()
    return row


def living_keys(tenant: str) -> list[ApiKey]:
    """Return the keys of a tenant that work now, with their agents, by the agent's name, the newest first."""
    rows = ApiKey.objects.filter(agent__tenant=tenant, agent__suspended_at=None, revoked_at=None)
    living = rows.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    return list(living.select_related("agent__tenant").order_by("agent__name", "-created_at"))


def living_key(tenant: str, key: str) -> ApiKey:
    """Return a key of a tenant that works now. Raises NotFound."""
    found = next((row for row in living_keys(tenant) if row.pk == key), None)
    if found is None:
        raise NotFound()
    return found


def may_still(member: str, tenant: str, permission: str) -> bool:
    """Return whether somebody (`member:ID`) has a role now that permits this."""
    return member in members_who(tenant, permission)


def members_who(tenant: str, permission: str) -> dict[str, str]:
    """Return who (`member:ID`) has a role in a tenant that permits this, by username; one query."""
    roles = [role for role, permits in ROLE_PERMITS.items() if permission in permits]
    rows = Membership.objects.filter(tenant=tenant, role__in=roles, user__is_active=True)
    return {
        f"member:{pk}": name for pk, name in rows.values_list("user__pk", "user__username").order_by("user__username")
    }


def memberships_of(tenant: str) -> list[Membership]:
    """Return who has which role in a tenant, by username."""
    return list(Membership.objects.filter(tenant=tenant).select_related("user").order_by("user__username", "role"))


def membership_of(tenant: str, membership: str) -> Membership:
    """Return one role of one person. Raises NotFound."""
    row = Membership.objects.filter(tenant=tenant, pk=membership).select_related("user").first()
    if row is None:
        raise NotFound()
    return row


def person_named(username: str) -> User:
    """Return the account of a name. Raises Invalid."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise Invalid({"/username": "nobody has an account of this name; `manage.py create_member` makes one"})
    return user


def projects_of(tenant: str) -> dict[str, str]:
    """Return the names of a tenant's projects by their ids; two queries."""
    contents = dict(Project.objects.filter(tenant=tenant).order_by("id").values_list("pk", "content"))
    words = sealing.unseal(contents.values())
    return {pk: words[content].get("name", "") for pk, content in contents.items()}


def users_of(subjects: Iterable[str]) -> dict[str, str]:
    """Return the ids by which callers know some people; two queries."""
    contents = dict(Subject.objects.filter(pk__in=set(subjects)).values_list("pk", "content"))
    words = sealing.unseal(contents.values())
    return {pk: words[content].get("user", "") for pk, content in contents.items()}


def within_reach(actor: Actor, action: str) -> QuerySet[Scope]:
    """Return the scopes of its tenant on which a key grants an action: `reaches`, asked of all at once."""
    granted = Q(pk__in=[])
    for grant in actor.grants:
        if grant.action == action:
            granted |= Q(level=grant.level, project=grant.project) if grant.project else Q(level=grant.level)
    rows = Scope.objects.filter(granted, tenant=actor.tenant)
    rows = rows.filter(Q(agent__isnull=True) | Q(agent=actor.agent))
    if actor.users is None:
        return rows
    own = Participation.objects.filter(subject__in=actor.users).values("project")
    rows = rows.filter(Q(project__isnull=True) | Q(project__in=own))
    return rows.filter(Q(subject__isnull=True) | Q(subject__in=actor.users))


@lru_cache(maxsize=1024)
def zone_of(tenant: str) -> ZoneInfo:
    """Return the zone in which a tenant's times without an offset are meant."""
    return ZoneInfo(Tenant.objects.get(pk=tenant).zone)


def own_key(actor: Actor) -> ApiKey:
    """Return the key that an agent asks with, its agent and tenant loaded."""
    return ApiKey.objects.select_related("agent__tenant", "use").get(pk=actor.key)


def names_of(actor: Actor, *, subjects: Iterable[str] = (), projects: Iterable[str] = ()) -> dict[str, str]:
    """Return the ids by which callers know people and projects of a tenant, by our own ids; four queries at most."""
    found: dict[str, str] = {}
    for model, part, ids in ((Subject, "user", set(subjects)), (Project, "project", set(projects))):
        rows = dict(model.objects.filter(tenant=actor.tenant, pk__in=ids).values_list("pk", "content")) if ids else {}
        words = sealing.unseal(rows.values())
        found |= {pk: words.get(content, sealing.NO_WORDS).get(part, "") for pk, content in rows.items()}
    return found


def project_names(project: Project) -> dict[str, str]:
    """Return what a project is called: `project`, the id callers use, and `name`."""
    words = sealing.unseal([project.content_id]).get(project.content_id, sealing.NO_WORDS)
    return {part: words.get(part, "") for part in ("project", "name")}


def external_id(content: str, part: str) -> str:
    """Return the id by which callers know a person or a project; "" once erased."""
    words = sealing.unseal([content]).get(content, sealing.NO_WORDS)
    text: str = words.get(part, "")
    return text
