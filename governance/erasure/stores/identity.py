"""The person: the id callers know them by, what they belong to, their keys; and what must not come back."""

from collections.abc import Iterator

from governance.candidates.actions.propose import fact_texts
from governance.candidates.models import Candidate
from governance.erasure.models import ErasureJournal
from governance.erasure.rules import Planned, Reach
from governance.erasure.stores.store import SYSTEM, Store
from governance.erasure.stores.words import SealedWords, name_what_is_dark
from governance.evidence import suppression
from governance.evidence.models import Observation
from governance.ledger import sealing
from governance.ledger.erasing import destroy_keys, destroy_named, several, wipe
from governance.ledger.models import ContentKey, NamedKey
from governance.ledger.writing import writing
from governance.memories.models import Version
from governance.scopes.events import ParticipantRemoved, SubjectErased
from governance.scopes.models import Participation, Subject


class Identifiers(SealedWords):
    """The person's external id and sessions with their HMACs, the projects they belong to, notes of legal holds that
    are over, and who asked in other requests; this request's own file goes with its answer."""

    name = group = "identity"
    covers = (
        "Subject.content",
        "Subject.external_mac",
        "Scope.content",
        "Scope.session_mac",
        "SavedFilter.content",
        "Hold.content",
        "ForgetRequest.content",
        "ForgetRequest.selector_mac",
        "Participation.id",
        "ApiKey.users",
    )

    def find(self, reach: Reach) -> int:
        if not reach.subject:
            return super().find(reach)
        named = Subject.objects.filter(pk=reach.subject).exclude(external_mac=b"").count()
        belongs = Participation.objects.filter(subject=reach.subject).count()
        return super().find(reach) + named + belongs

    def total(self, reach: Reach) -> int:
        return max(super().total(reach), self.find(reach))

    def erase(self, reach: Reach) -> int:
        found = self.find(reach)
        super().erase(reach)
        return found

    def mark(self, reach: Reach) -> None:
        if not reach.subject:
            return
        with writing(reach.tenant, by=SYSTEM) as w:
            for row in Participation.objects.filter(subject=reach.subject):
                w.record(ParticipantRemoved(subject=reach.subject), stream=row.project_id, row=row)
            if Subject.objects.filter(pk=reach.subject).exclude(external_mac=b"").exists():
                w.record(SubjectErased(request=reach.request), stream=reach.subject)


class Keyring(Store):
    """Data keys, orphans among them, the HMAC keys of the person's scopes, and the bytes that deleting them leaves."""

    name = "keyring"
    method = "deleted"
    covers = ("ContentKey.wrapped", "NamedKey.wrapped", "file:keyring")

    def find(self, reach: Reach) -> int:
        keys = sum(ContentKey.objects.filter(kid__in=some).count() for some in several(reach.kids))
        return keys + NamedKey.objects.filter(name__in=self._names(reach), **self._older(reach)).count()

    def erase(self, reach: Reach) -> int:
        gone = destroy_keys(reach.kids) + destroy_named(self._names(reach))
        wipe("keyring", [ContentKey._meta.db_table, NamedKey._meta.db_table])
        name_what_is_dark(reach)
        return gone

    def _names(self, reach: Reach) -> list[str]:
        """Return the names of the HMAC keys that go: those of a person's own scopes."""
        return [f"mac:{owner}" for owner in (reach.subject, *reach.scopes) if owner and reach.subject]

    def _older(self, reach: Reach) -> dict[str, object]:
        """Leave out a key made afterwards under the same name: it opens nothing that was there before."""
        row = ErasureJournal.objects.filter(request=reach.request).first()
        return {"created__lt": row.written_at} if row is not None else {}


class Suppressions(Store):
    """Fingerprints by which what is erased is known again when somebody sends it: kept on purpose, without words."""

    name = "suppressions"
    method = "kept-on-purpose"
    bucket = "retain"
    reason = "against-re-ingest"
    covers = ("Suppression.mac",)

    def find(self, reach: Reach) -> int:
        return suppression.kept_of(reach.tenant, reach.request)

    def plan(self, reach: Reach) -> Planned:
        made = {text for texts in _texts(reach) for text in texts}
        return Planned(self.name, retain=len(made), reason=self.reason)

    def erase(self, reach: Reach) -> int:
        """Make the fingerprints, while the words can still be read."""
        journal = ErasureJournal.objects.get(request=reach.request)
        for texts in _texts(reach):
            suppression.suppress(reach.tenant, texts, request=reach.request, now=journal.written_at)
        return 0


def _texts(reach: Reach) -> Iterator[list[str]]:
    """Yield what fingerprints are taken over, hundreds of rows at a time; none of a person who is nobody any more."""
    unwilling = Subject.objects.filter(pk=reach.subject, opted_out_at__isnull=False).exclude(external_mac=b"")
    yield [suppression.person_text(suppression.whose(subject, None)) for subject in unwilling]
    for some in several(reach.memories):
        versions = Version.objects.filter(memory__in=some, content__isnull=False)
        versions = versions.exclude(memory__scope__subject__external_mac=b"")
        rows = versions.select_related("memory__scope__subject", "memory__scope__project")
        yield _facts([(v.content_id or "", suppression.whose_scope(v.memory.scope)) for v in rows])
    for some in several(reach.candidates):
        found = Candidate.objects.filter(pk__in=some, content__isnull=False)
        found = found.exclude(scope__subject__external_mac=b"")
        proposed = found.select_related("scope__subject", "scope__project")
        yield _facts([(c.content_id or "", suppression.whose_scope(c.scope)) for c in proposed])
    for some in several(reach.observations):
        said = Observation.objects.filter(pk__in=some).exclude(subject__external_mac=b"")
        turns = list(said.select_related("subject", "project"))
        words = sealing.unseal(o.content_id for o in turns)
        yield [
            suppression.turn_text(suppression.whose(o.subject, o.project), words[o.content_id]["text"])
            for o in turns
            if not words.get(o.content_id, sealing.NO_WORDS).erased
        ]


def _facts(pairs: list[tuple[str, str]]) -> list[str]:
    words = sealing.unseal(content for content, _ in pairs)
    return [text for content, who in pairs for text in fact_texts(who, words.get(content, sealing.NO_WORDS))]
