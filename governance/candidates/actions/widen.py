"""Letting a memory hold for more people than it was said for: an act of a person, an event of its own."""

from dataclasses import replace

from django.utils import timezone

from governance.candidates import rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.propose import Gathered, act, seal, whose_of
from governance.candidates.actions.resolve import seal_for
from governance.candidates.actions.revise import Change, draft_of_memory, expect, readable
from governance.candidates.events import ScopeWidened
from governance.candidates.models import Candidate
from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger.writing import writing
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.scopes import actions as scopes
from governance.scopes.models import LEVELS
from governance.scopes.queries import check_open, find_project, zone_of
from governance.scopes.rules import Actor, ScopeSpec


def widen(memory: Memory, to: ScopeSpec, *, expected: int, note: str, by: Actor) -> Candidate:
    """Return the candidate that states a memory in a wider scope as well; where it was, it stays.

    Raises NotAllowed, NotFound, Stale, Retracted, Gone, Invalid for a scope that is not wider or a missing reason.
    """
    if not by.may("set-policy"):
        raise NotAllowed("Only an administrator lets a memory hold more widely.")
    if memory.tenant_id != by.tenant:
        raise NotFound()
    expect(memory, expected)
    held = readable(memory)
    _check(memory, to, note, by)
    scope = scopes.open_scope(to, by=by)
    policy = policies.current(by.tenant)
    draft = replace(draft_of_memory(memory, held, Change(expected=expected)), scope=to, note=note)
    clean, masked = judging.redacted(draft, policy)
    now = timezone.now()
    times = rules.resolve_times(clean, said_at=now.astimezone(zone_of(by.tenant)), now=now)
    people = tuple(memory.abouts.values_list("subject", flat=True))  # it stays about them: it goes when they do
    gathered = Gathered(clean, times, scope, None, masked, policy, people=people, whose=whose_of(memory.scope, people))
    sealed, why = seal(gathered), seal_for(memory.scope, {"note": clean.note})
    with writing(by.tenant, by=by.id) as w:
        check_open(gathered.whose)
        expect(Memory.objects.get(pk=memory.pk), expected)
        w.record(ScopeWidened(version=expected, scope=scope.id, level=to.level), stream=memory.id, contents=[why])
        return act(w, gathered, judging.judge_by_person(None, "widened"), sealed, by)


def _check(memory: Memory, to: ScopeSpec, note: str, by: Actor) -> None:
    errors = {}
    if to.level not in ("project", "tenant") or LEVELS.index(to.level) <= LEVELS.index(memory.scope.level):
        errors["/level"] = "must be project or tenant, and wider than where it holds now"
    elif to.level == "project" and find_project(by.tenant, to.project) is None:
        errors["/project"] = "names a project that is not here"
    if problem := rules.unfit_text(note) or ("" if note.strip() else "is empty: say why"):
        errors["/note"] = problem
    if errors:
        raise Invalid(errors)
