"""Legal holds: placed and lifted by compliance staff."""

from dataclasses import dataclass

from governance.errors import AlreadyDecided, Invalid, NotAllowed, NotFound
from governance.ledger import ids, sealing
from governance.ledger.writing import writing
from governance.lifecycle.events import HoldLifted, HoldPlaced
from governance.lifecycle.models import GROUNDS, Hold
from governance.memories.models import Memory
from governance.policies import queries as policies
from governance.policies.detectors import redact
from governance.scopes import queries as scopes
from governance.scopes.rules import Actor

LONGEST_NOTE = 2000


@dataclass(frozen=True)
class Covered:
    """What a hold is on: a person or a project as callers know them, or a memory's id; nothing: the whole tenant."""

    user: str = ""
    project: str = ""
    memory: str = ""


def place_hold(covered: Covered, *, ground: str, note: str = "", by: Actor) -> Hold:
    """Return a new hold; from this commit on nothing it covers is erased or swept.

    Raises NotAllowed, NotFound for a person, project or memory there is not, Invalid.
    """
    if not by.may("hold"):
        raise NotAllowed()
    if ground not in GROUNDS:
        raise Invalid({"/ground": "must be one of " + ", ".join(GROUNDS)})
    if sum(bool(part) for part in (covered.user, covered.project, covered.memory)) > 1:
        raise Invalid({"/user": "a hold is on one thing: a person, a project or a memory"})
    if len(note) > LONGEST_NOTE:
        raise Invalid({"/note": f"is longer than {LONGEST_NOTE} characters"})
    placed = _placed(covered, ground, by)
    sealed = []
    if note:
        clean = redact(note, policies.current(by.tenant).sensitivity).text
        sealed.append(sealing.seal({"note": clean}, tenant=by.tenant, scope=by.tenant, subject=placed.subject or ""))
    with writing(by.tenant, by=by.id) as w:
        hold: Hold = w.record(placed, stream=ids.new("hold"), contents=sealed)
    return hold


def _placed(covered: Covered, ground: str, by: Actor) -> HoldPlaced:
    subject = scopes.find_subject(by.tenant, covered.user) if covered.user else None
    project = scopes.find_project(by.tenant, covered.project) if covered.project else None
    memory = Memory.objects.filter(tenant=by.tenant, pk=covered.memory).first() if covered.memory else None
    for asked, found in ((covered.user, subject), (covered.project, project), (covered.memory, memory)):
        if asked and found is None:
            raise NotFound()
    return HoldPlaced(
        ground=ground,
        subject=subject.id if subject else None,
        project=project.id if project else None,
        memory=memory.id if memory else None,
    )


def lift_hold(hold: Hold, *, by: Actor) -> Hold:
    """Return the hold, lifted: what waited for it may go on. Raises NotAllowed, AlreadyDecided."""
    if not by.may("hold") or hold.tenant_id != by.tenant:
        raise NotAllowed()
    with writing(by.tenant, by=by.id) as w:
        if not Hold.objects.in_force().filter(pk=hold.pk).exists():
            raise AlreadyDecided("This hold is lifted already.")
        lifted: Hold = w.record(HoldLifted(), stream=hold.id)
    return lifted
