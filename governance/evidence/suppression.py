"""What was erased on request is not taken in again by itself: known by keyed fingerprints, allowed by new consent."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from governance.errors import Suppressed
from governance.evidence.models import Suppression
from governance.ledger import sealing
from governance.ledger.erasing import several
from governance.scopes.models import Project, Scope, Subject

KEPT = timedelta(days=3 * 365)


def turn_text(who: str, text: str) -> str:
    """Return what the fingerprint of a turn is taken over: whose it is, and its text however it is spaced or cased."""
    return f"turn/{who}/" + " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fact_text(who: str, said: str) -> str:
    """Return what the fingerprint of a fact is taken over: whose it is, and its normalised key and value."""
    return f"fact/{who}/{said}"


def person_text(who: str) -> str:
    """Return what the fingerprint is taken over of who wants nothing remembered: that wish outlasts their erasure."""
    return f"person/{who}"


def whose(subject: Subject | None, project: Project | None, scope: str = "") -> str:
    """Return whose a text is: by the HMAC of the id callers use, which outlasts the erased person's own id."""
    if subject is not None:
        return f"user/{bytes(subject.external_mac).hex()}"
    return f"project/{bytes(project.external_mac).hex()}" if project is not None else f"scope/{scope}"


def whose_scope(scope: Scope) -> str:
    """Return whose a memory of a scope is."""
    return whose(scope.subject, scope.project, scope.id)


def fingerprint(tenant: str, text: str) -> bytes:
    return sealing.mac(tenant, f"suppressed/{text}")


def suppress(tenant: str, texts: Iterable[str], *, request: str, now: datetime) -> int:
    """Keep the fingerprints of some texts for KEPT and return how many there are."""
    macs = {fingerprint(tenant, text): text.partition("/")[0] for text in texts}
    rows = [
        Suppression(tenant=tenant, mac=mac, kind=kind, request=request, made_at=now, until=now + KEPT)
        for mac, kind in macs.items()
    ]
    Suppression.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    return len(rows)


def check(tenant: str, texts: Iterable[str]) -> None:
    """Raise Suppressed, naming the request, when one of some texts was erased and nobody consented anew."""
    macs = [fingerprint(tenant, text) for text in texts]
    now = timezone.now()
    rows = Suppression.objects.filter(tenant=tenant, mac__in=macs, lifted_at=None)
    found = rows.filter(Q(until=None) | Q(until__gt=now)).order_by("-id").first()
    if found is not None:
        raise Suppressed(request=found.request, erased_on=found.made_at.date().isoformat())


def lift(tenant: str, request: str) -> int:
    """Let what one request blocked be taken in again; return how many fingerprints that were."""
    rows = Suppression.objects.filter(tenant=tenant, request=request, lifted_at=None)
    return rows.update(lifted_at=timezone.now())


def kept_of(tenant: str, request: str) -> int:
    """Return how many fingerprints of a request are in force."""
    return Suppression.objects.filter(tenant=tenant, request=request, lifted_at=None).count()


def drop_expired() -> int:
    """Delete the fingerprints whose time is over."""
    gone = 0
    for some in several(Suppression.objects.filter(until__lte=timezone.now()).values_list("pk", flat=True)):
        gone += Suppression.objects.filter(pk__in=some).delete()[0]
    return gone
