"""Writing down a turn, and what the rules of explicit statements find in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone

from governance.candidates.actions import judge as judging
from governance.candidates.actions import listen
from governance.candidates.actions.confirm import said_yes, turn_before
from governance.candidates.actions.propose import Gathered, gather_heard, store
from governance.candidates.actions.revise import Change, gather_retraction
from governance.candidates.echoes import without_echoes
from governance.candidates.extractors import Statement, as_first_person, extract
from governance.candidates.models import Candidate
from governance.candidates.rules import AHEAD, LARGEST_VALUE, Draft, is_ahead, unfit_text
from governance.candidates.stages.support import supports
from governance.candidates.stages.surroundings import is_not_meant
from governance.candidates.stages.text import words_of as words_of_value
from governance.errors import Invalid, NotAllowed, NotFound, outcome
from governance.evidence import actions as evidence
from governance.evidence import suppression
from governance.evidence.models import Observation
from governance.evidence.queries import not_erased, observation_for, words_of
from governance.ledger.models import Outbox
from governance.ledger.outbox import attempt, handles
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.retrieval.queries import given_before
from governance.scopes import actions as scopes
from governance.scopes import queries as scope_queries
from governance.scopes.models import Project, Scope, Subject
from governance.scopes.queries import find_project
from governance.scopes.rules import Actor, ScopeSpec

TOPIC = "extract"


@dataclass(frozen=True)
class Said:
    """A turn as its caller sends it."""

    role: str
    text: str
    user: str = ""
    project: str = ""
    session: str = ""
    occurred_at: datetime | None = None
    source_ref: str = ""
    recall: str = ""
    extract: bool = True


@dataclass(frozen=True)
class Observed:
    """The observation, what was found in it, and how far the finding has come: done, pending or off."""

    observation: Observation
    candidates: Sequence[Candidate]
    extraction: str


def observe(said: Said, *, by: Actor) -> Observed:
    """Return the turn, durable and redacted, with the candidates that the rules found. Raises Invalid, NotFound.

    The rules run at once; should they fail, the turn is kept and they run again later.
    """
    subject, project, session = _where(said, by)
    zone = scope_queries.zone_of(by.tenant)
    turn = _turn(said, zone, by)
    who = suppression.whose(subject, project)
    suppression.check(by.tenant, [suppression.turn_text(who, turn.text), suppression.person_text(who)])
    scope_queries.check_unfenced([subject.id if subject else None])
    wanted = _is_read(said)
    row = evidence.record(
        turn, subject=subject, project=project, session=session, by=by, then=_topics() if wanted else []
    )
    if wanted:
        attempt(TOPIC, list(Outbox.objects.filter(topic=TOPIC, ref=row.id)))
        if listen.is_configured():  # the rules come first; the model need not wait longer
            Outbox.objects.filter(topic=listen.TOPIC, ref=row.id).update(due_at=timezone.now())
    return _as_it_stands(row, said)


def _topics() -> list[str]:
    return [TOPIC, listen.TOPIC] if listen.is_configured() else [TOPIC]


def observed_before(said: Said, observation: str, *, by: Actor) -> Observed:
    """Return what `observe` would say now of a turn that it wrote down before. Raises NotFound, Gone."""
    return _as_it_stands(not_erased(observation_for(by, observation)), said)


def _is_read(said: Said) -> bool:
    """Return whether rules look for statements in a turn: what a user said, of a known user."""
    return said.extract and said.role == "user" and bool(said.user)


def _as_it_stands(row: Observation, said: Said) -> Observed:
    if not _is_read(said):
        return Observed(row, (), "off")
    found = Candidate.objects.filter(observation=row).select_related("scope").order_by("created_seq")
    waits = Outbox.objects.filter(topic__in=(TOPIC, listen.TOPIC), ref=row.id).exists()
    return Observed(row, list(found), "pending" if waits else "done")


def _where(said: Said, by: Actor) -> tuple[Subject | None, Project | None, Scope | None]:
    """Return the subject, project and session scope of a turn. Raises Invalid, NotAllowed, NotFound."""
    if not by.holds("observe"):
        raise NotAllowed("This key does not grant observe.")
    if said.role not in Observation.ROLES:
        raise Invalid({"/role": "must be one of " + ", ".join(Observation.ROLES)})
    if not (said.user or said.project):
        raise Invalid({"/user": "name a user or a project"})
    if said.session and not said.user:
        raise Invalid({"/user": "is needed with a session"})
    project = _project(said.project, by) if said.project else None
    subject = _subject(said.user, by) if said.user else None
    spec = ScopeSpec("session", user=said.user, session=said.session)
    session = scopes.open_scope(spec, by=by) if said.session else None
    if session is not None and session.ended_at is not None:
        raise Invalid({"/session": "has ended"})
    return subject, project, session


def _project(project: str, by: Actor) -> Project:
    found = find_project(by.tenant, project)
    if found is None or not by.holds("observe", "project", found.id):
        raise NotFound()
    return found


def _subject(user: str, by: Actor) -> Subject:
    if not by.holds("observe", "user"):
        raise NotFound()
    found = scope_queries.find_subject(by.tenant, user)
    if by.users is not None and (found is None or not by.serves(found.id)):
        raise NotFound()
    return found or scopes.see_subject(by.tenant, user, by=by.id)


def _turn(said: Said, zone: ZoneInfo, by: Actor) -> evidence.Turn:
    errors = {}
    for pointer, text in (("/text", said.text), ("/source_ref", said.source_ref)):
        if problem := unfit_text(text):
            errors[pointer] = problem
    if not said.text.strip():
        errors["/text"] = "is empty"
    if len(said.text) > LARGEST_VALUE:
        errors["/text"] = f"is longer than {LARGEST_VALUE} characters"
    now = timezone.now()
    at = said.occurred_at or now.astimezone(zone)
    at = at if at.tzinfo else at.replace(tzinfo=zone)
    if is_ahead(at, now):
        errors["/occurred_at"] = AHEAD
    if errors:
        raise Invalid(errors)
    policy = policies.current(by.tenant)
    text, masked = judging.redacted_text(said.text, policy)
    reference, _ = judging.redacted_text(said.source_ref, policy)
    offset = at.utcoffset()
    return evidence.Turn(
        role=said.role,
        text=text,
        occurred_at=min(at, now.astimezone(at.tzinfo)),  # a clock that runs a little ahead is set right
        utc_offset=None if offset is None else int(offset.total_seconds() // 60),
        source_ref=reference,
        recall=said.recall,
        placeholders=masked,
    )


@handles(TOPIC)
def extract_from(rows: Sequence[Outbox]) -> None:
    """Run the rules on observations; what they found before is not found twice."""
    for row in rows:
        observation = Observation.objects.select_related("subject", "project", "session").filter(pk=row.ref).first()
        if observation is not None:
            _extract(observation)


def _extract(observation: Observation) -> None:
    by = Actor(tenant=observation.tenant_id, id="system:rules", agent=observation.agent_id or "")
    text = without_echoes(words_of(observation).get("text", ""), given_before(observation))
    known = set(Candidate.objects.filter(observation=observation).values_list("value_mac", "key_mac"))
    known = {(bytes(v), bytes(k)) for v, k in known}
    for statement in statements_in(text, observation):
        if statement.intent == "confirm":
            # What the user says yes to is the assistant's turn before: nothing is remembered of the yes itself.
            outcome(lambda: _hear_yes(observation, text.strip(), by, known))
            continue
        spec = scope_of_statement(statement, observation)
        if spec is not None and not is_not_meant(text[statement.start : statement.end], text):
            # A statement that cannot be a candidate (a closed project, say) is no reason to lose the others.
            outcome(lambda s=statement, p=spec: _keep(s, p, observation, text, by, known))  # type: ignore[misc]


def statements_in(text: str, observation: Observation) -> list[Statement]:
    zone = scope_queries.zone_of(observation.tenant_id)
    said_at = observation.said_at(zone)
    return extract(text, observed_at=said_at, zone=said_at.tzinfo or zone)


def _hear_yes(observation: Observation, text: str, by: Actor, known: set[tuple[bytes, bytes]]) -> None:
    """Confirm what was proposed from the assistant's turn before; else read that turn as the user's own words."""
    if known or said_yes(observation, text, by):
        return  # heard, now or at an earlier attempt
    before = turn_before(observation)
    asked = words_of(before).get("text", "") if before is not None else ""
    for statement in statements_in(as_first_person(asked), observation):
        spec = scope_of_statement(statement, observation)
        if spec is not None and statement.intent == "state":
            outcome(lambda s=statement, p=spec: _keep(s, p, observation, text, by, known, is_confirmed=True))  # type: ignore[misc]


def _keep(
    statement: Statement,
    spec: ScopeSpec,
    observation: Observation,
    text: str,
    by: Actor,
    known: set[tuple[bytes, bytes]],
    is_confirmed: bool = False,
) -> Candidate | None:
    draft = draft_of_statement(statement, spec, observation, text)
    if is_confirmed:
        draft = replace(draft, quote=text)
    gathered: Gathered | None = gather_heard(draft, observation, by=by)
    assert gathered is not None
    key, value = judging.macs(gathered.scope, gathered.draft)
    if (value, key) in known:
        return None
    if statement.intent == "retract":
        held = judging.holding(gathered.scope, gathered.draft, gathered.policy)
        is_meant = held is not None and _is_said_of(held, statement)
        gathered = gather_retraction(held, Change(expected=held.latest), gathered) if held and is_meant else None
    return store(replace(gathered, is_confirmed=is_confirmed), by=by) if gathered else None


def _is_said_of(held: Memory, statement: Statement) -> bool:
    """Return whether a memory says what a statement takes back: who no longer lives in Rome may live in Oslo."""
    return supports(words_of_value(judging.opened(held).words.get("value")), statement.value)


def scope_of_statement(statement: Statement, observation: Observation) -> ScopeSpec | None:
    """Return where a statement belongs; a project's decision said outside any project belongs nowhere."""
    user = words_of_subject(observation)
    if statement.level == "project":
        return ScopeSpec("project", project=words_of_project(observation)) if observation.project else None
    return ScopeSpec("user", user=user)


def words_of_subject(observation: Observation) -> str:
    assert observation.subject is not None
    return scope_queries.external_id(observation.subject.content_id, "user")


def words_of_project(observation: Observation) -> str:
    assert observation.project is not None
    return scope_queries.external_id(observation.project.content_id, "project")


def draft_of_statement(statement: Statement, spec: ScopeSpec, observation: Observation, text: str) -> Draft:
    return Draft(
        scope=spec,
        kind=statement.kind,
        key=statement.key,
        value=statement.value,
        content=statement.content,
        about=statement.about,
        source_type="user_explicit",
        observation=observation.id,
        quote=text[statement.start : statement.end],
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        validity=statement.validity,
        always=statement.always,
        reason="correction" if statement.intent == "correct" else "",
        lasting=statement.lasting,
        explicit=statement.explicit,
    )
